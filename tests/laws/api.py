"""Words and signatures that belong to Python and to libraries."""

from __future__ import annotations

import collections
import pathlib
import random
import threading
from collections.abc import Iterator
from functools import cache

from tests.laws.facts import words

KNOWN_BASES = frozenset(
    words("""
    object Dataset IterableDataset MapDataset Module Sampler BatchSampler Exception ABC
    Generic DataLoader TensorDataset Subset Protocol
""")
)
"""Base classes that call methods by known names only, and by position."""
CALLED_BY_KEYWORD = frozenset({"prepare_batch"})
"""As which arguments libraries take functions that they call by keyword: Ignite's engines."""


def _words() -> Iterator[str]:
    kinds = (str, bytes, list, dict, set, tuple, int, float, object, type, Exception)
    others = (collections.Counter, collections.deque, pathlib.Path, random.Random)
    for kind in (*kinds, *others, threading.Thread, threading.Lock().__class__):
        yield from dir(kind)
    yield from _OF_LIBRARIES.split()


_OF_LIBRARIES = """
sampler batch_sampler batch_size dataset datasets indices tensors num_workers collate_fn pin_memory
drop_last timeout worker_init_fn multiprocessing_context generator prefetch_factor in_order seed
persistent_workers pin_memory_device num_replicas rank world_size shuffle epoch set_epoch
data_source replacement num_samples weights lengths cumulative_sizes num_shards shard worker_id id
training forward train eval to cuda cpu half float double backward step zero_grad parameters
state_dict load_state_dict apply modules children register_buffer register_parameter requires_grad
device dtype shape size dim numel item numpy tolist detach clone mean sum max min view reshape
transpose permute unsqueeze squeeze flatten transform transforms target_transform classes targets
data labels target samples imgs loader root download split keys values items get open load save
read write close begin cursor stat convert resize crop seek tell name names args kwargs path paths
run fit setup prepare_data train_dataloader val_dataloader test_dataloader predict_dataloader
training_step validation_step test_step predict_step configure_optimizers log logger hparams
on_train_epoch_start on_train_epoch_end trainer model optimizer scheduler criterion loss logits
lightning_module automatic_optimization current_epoch global_step compute_metrics compute_loss
create get_batch next reset iter prefetch start stop join wait put send recv acquire release is_set
batch batch_idx fn func function target group daemon lr momentum weight bias grad features module
buffer buffers mode dialect engine version file files length count index start_epoch num_classes
"""

API_WORDS = frozenset(_words())
"""Names that an object of a library may have."""

_LOADER = (
    "dataset batch_size shuffle sampler batch_sampler num_workers collate_fn pin_memory drop_last "
    "timeout worker_init_fn multiprocessing_context generator"
)
_SIGNATURES = {
    "torch.utils.data": {
        "DataLoader": _LOADER,
        "DistributedSampler": "dataset num_replicas rank shuffle seed drop_last",
        "RandomSampler": "data_source replacement num_samples generator",
        "SequentialSampler": "data_source",
        "SubsetRandomSampler": "indices generator",
        "WeightedRandomSampler": "weights num_samples replacement generator",
        "BatchSampler": "sampler batch_size drop_last",
        "Subset": "dataset indices",
        "ConcatDataset": "datasets",
        "random_split": "dataset lengths generator",
    },
    "torch": {"manual_seed": "seed", "set_num_threads": "", "save": "obj f", "load": "f"},
    "torch.multiprocessing": {
        "spawn": "fn args nprocs join daemon start_method",
        "set_start_method": "method force",
        "get_context": "method",
        "set_sharing_strategy": "new_strategy",
    },
    "multiprocessing": {"set_start_method": "method force", "get_context": "method"},
    "torch.distributed": {"init_process_group": "backend init_method", "barrier": "group"},
    "torch.cuda": {"set_device": "device"},
    "h5py": {"File": "name mode"},
}
_HOMES = ("", ".dataloader", ".sampler", ".distributed", ".dataset")


@cache
def signatures() -> dict[str, tuple[str, ...]]:
    """The parameters that may be given by position, by the dotted name of the function."""
    found = {}
    for module, functions in _SIGNATURES.items():
        for home in _HOMES if module == "torch.utils.data" else ("",):
            for name, listed in functions.items():
                if listed:
                    found[f"{module}{home}.{name}"] = tuple(listed.split())
    return found


MODULES = frozenset(
    words("""
    torch torch.utils torch.utils.data torch.utils.data.distributed
    torch.utils.data.dataloader torch.utils.data.sampler torch.cuda torch.distributed
    torch.multiprocessing torch.nn torch.optim torch.nn.parallel torch.nn.functional
    torch.backends torch.backends.mps torch.backends.cudnn torch.mps numpy numpy.random
    h5py random multiprocessing functools itertools time os os.path math json pickle lmdb
    torchvision.datasets torchvision.transforms torchvision.io
    torchdata.stateful_dataloader cv2 zipfile tarfile threading copy glob
""")
)
"""Modules, as no attribute of a class or an object."""

SUBMODULES = frozenset(
    words("""
    Image ImageFile nn optim distributed multiprocessing utils data datasets transforms
    models cuda functional amp backends random fft linalg parallel dataloader sampler path
    io ops mps jit _six
""")
)
"""Names that a from-import may give which are modules."""
