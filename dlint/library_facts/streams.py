"""What iterable datasets take their samples from, and by what words they split it."""

from __future__ import annotations

import re

from dlint.findings.regexes import lazily


def _words(text: str) -> frozenset[str]:
    return frozenset(text.split())


BASES = frozenset(
    {
        "torch.utils.data.IterableDataset",
        "torch.utils.data.dataset.IterableDataset",
    }
)
"""Classes whose `__iter__` each worker runs on its own copy of the object."""

SPLITTING = lazily(
    r"worker|(^|_)rank(s|_|$)|world_?size|(^|_)(num|n|total)_(shards|replicas|processes|parts|splits)"
    r"|shard_(id|index|idx|num|count|rank)|(num|n)_shards?$|process_(index|id|count)|_shard_"
    r"|split_by|local_rank|RANK|WORLD",
    re.I,
)
"""Names of what one of several readers must know to take its own part."""
PART = "shard"
"""The method that takes one, and the name of what a reader is told or keeps to take it; what a loop
goes through file by file has that name too."""

SHARD_FILES = lazily(
    r"^_?((all|data|train|training|val|valid|validation|test)_)?"
    r"(shards|shard_(files?|paths?|urls?|names?|list))$",
    re.I,
)
"""Names of files that together are a data set, where nothing tells that they are a part of it."""

RANKS = lazily(
    r"rank|world|shard|replica|distributed|accelerat|horovod|fabric|slurm|gpu|device_count"
    r"|process_(index|id|count|group)|_process(es)?$|split_(by|dataset)|(num|n|total)_(parts|splits)"
    r"|(part|split)_(id|idx|index|num)|(^|_)(dist|nodes?|hvd|xla|xm|mpi|ddp|fsdp)(_|$)",
    re.I,
)
"""Words by which code may tell one rank from another; rather too many than too few."""

FILTERING, APPLYING = "sharding_filter", "apply_sharding"
"""What keeps one part of a DataPipe, and the function that says which part."""

ALL_OF = _words(
    "builtins.iter builtins.enumerate builtins.list builtins.tuple builtins.sorted "
    "builtins.reversed builtins.set itertools.islice csv.reader csv.DictReader tqdm.tqdm "
    "tqdm.auto.tqdm itertools.pairwise itertools.batched itertools.chain.from_iterable"
)
"""Callables whose result runs through their first argument."""

EACH_OF = _words("builtins.zip itertools.chain itertools.zip_longest itertools.product")
"""Callables whose result runs through all of their arguments."""

APPLIED_TO = _words("builtins.map builtins.filter itertools.starmap itertools.takewhile")
"""Callables whose result runs through every argument but the first."""

CALLING = APPLIED_TO | _words("itertools.dropwhile functools.reduce")
"""Callables that call their first argument."""


def calls_first(path: str) -> bool:
    """Whether a callable calls its first argument: also `step(closure)` of torch's optimizers."""
    return path in CALLING or (path.startswith("torch.optim.") and path.endswith("().step"))


WHOLE = _words(
    "builtins.range builtins.open io.open gzip.open bz2.open lzma.open codecs.open json.load "
    "json.loads pickle.load glob.glob glob.iglob os.listdir os.scandir os.walk numpy.load "
    "numpy.arange numpy.random.permutation numpy.loadtxt numpy.genfromtxt torch.randperm "
    "torch.arange pandas.read_csv pandas.read_json pandas.read_table pandas.read_parquet "
    "pandas.read_pickle pandas.read_excel h5py.File torch.load linecache.getlines "
    "pyarrow.parquet.read_table yaml.safe_load yaml.load tarfile.open"
)
"""Callables that give the same in every process."""

WHOLE_METHODS = _words(
    "readlines iterrows itertuples splitlines glob rglob iterdir fetchall iter_lines to_dict "
    "read_text permutation iter_batches to_pylist execute"
)
"""Methods of files, tables and paths that give the same in every process."""

READ_METHODS = _words("readline read read1 readinto")
"""Methods of files that give what comes next, and nothing at the end."""

SAME_METHODS = _words(
    "items keys values tolist copy split to_numpy to_records numpy astype reset_index sort_values "
    "dropna fillna shuffle"
)
"""Methods whose result runs through the object."""

SAMPLING = "sample"
"""The method of a table that gives as many of its rows as `frac` says: all of them at 1."""

SAME_ATTRIBUTES = _words("values index T")
"""Attributes of tables whose elements are those of the object."""

ITERATORS = _words(
    "builtins.iter builtins.map builtins.zip builtins.filter builtins.enumerate builtins.reversed "
    "builtins.open io.open gzip.open csv.reader csv.DictReader itertools.chain itertools.islice"
)
"""Callables whose result can be run through once."""

READING = _words("open load read imread read_csv read_parquet File loadtxt read_table read_json")
"""Last names of callables that take a path: what they are given is no stream."""

DRAWING = _words(
    "choice choices randint random rand randn uniform normal integers sample randrange "
    "standard_normal gauss rand_like randn_like"
)
"""Last names of callables that draw samples at random: no two workers draw the same."""

BY_PROCESS = _words("seed initial_seed time time_ns perf_counter urandom getpid uuid4 token_bytes")
"""Last names of callables that give something else in each process, to seed a generator with."""

EVENING = _words("cycle repeat min ceil floor islice take all_reduce all_gather truncate")
"""Last names of callables by which parts may be cut, filled up or repeated to one length."""

JOINING = _words("join Join join_uneven_inputs")
"""Context managers in which ranks that have ended answer the others."""

AGREEING = _words("all_reduce all_gather all_gather_object all_gather_into_tensor broadcast")
"""Last names of calls by which ranks may agree to end together."""
