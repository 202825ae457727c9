"""What the bytes of a file tell before anything parses it."""

from __future__ import annotations

import re
from collections.abc import Iterator

from dlint.findings.regexes import lazily

_SEED = lazily(
    rb"DataLoader|WebLoader|DistributedSampler|set_sharing_strategy|set_start_method"
    rb"|IterableDataset|training_data\b|random_split|def\s+training_step\b"
    rb"|class\s+\w+\([^()]{0,1000}(?:\([^()]{0,1000})?\bSampler\b|\bSampler\s+as\b"
)
_REMOVED = lazily(rb"\b_six\b|\b(?:datapipes|dataloader2)\b")
"""Modules that are gone, of which importing one is a finding by itself."""
_CONFIGURED = lazily(rb"Trainer(?:[()]|\s+as\b)")
_WORDS = (
    b"DataLoader",
    b"WebLoader",
    b"Dataset",
    b"Subset",
    b"Sampler",
    b"sharing_strategy",
    b"start_method",
    b"training_data",
    b"random_split",
    b"training_step",
    b"_six",
    b"torchdata",
    b"non_blocking",
    b"Trainer",
    b"_dataloader",
    b"dlint:",
    b"loader",
    b"train",
)
"""Every seed but those that copy by position, and every comment to dlint, holds one of them.

What trains by the project's own modules alone speaks of loaders or of training.
"""
_TO_HOST = lazily(
    rb"\.to\([^()\n]{0,200}?cpu[^()\n]{0,200}?non_blocking"
    rb"|\.to\([^()\n]{0,200}?non_blocking[^()\n]{0,200}?cpu"
)
_TO_HOST_BY_POSITION = lazily(rb"\.to\([^\n]{0,100}?cpu[^,\n]{0,20},[^,\n]{1,40},\s*True\s*\)")
_SHUFFLED = lazily(rb"shuffle|,\s*+True\s*+,")
"""`shuffle` by its name, or by its position before that of the sampler."""
_DATASET = lazily(rb"(?:Dataset|Subset)\b")
_ORDER = lazily(rb"[sS]ampler|set_epoch|set_sharing_strategy")
_BEFORE_BRACKET = lazily(rb"((?<!\w)(?:def\s++)?\w++|[)\]}\"'\\])\s*+\(")
_MMENGINE = lazily(rb"^(?:train|val|test)_dataloader\s*=\s*dict\(", re.M)
_MMENGINE_DECIDES = lazily(
    rb"\bnum_workers\s*=\s*+(?![1-9])|\bprefetch_factor\s*=|\btimeout\s*="
    rb"|\bmultiprocessing_context\s*=|\bbatch_sampler\s*=|\bshuffle\s*=|\bsampler\s*=\s*None\b"
)
"""What decides something where it stands in the settings themselves, not in those of a part."""
_BRACKET = lazily(rb"[()\[\]{}]")
_MADE = rb"['\"]?\s*[:=]\s*['\"]?[\w.]*(?:Loader|DataModule|Trainer)\b"
_CONFIG_MARKS = tuple(
    (word, lazily(word + pattern))
    for word, pattern in (
        (b"_target_", _MADE),
        (b"class_path", _MADE),
        *((tag, rb"[\w.]*(?:Loader|DataModule)\b") for tag in (b"!new:", b"!name:", b"!apply:")),
        (
            b"dataloader_",
            rb"(?:num_workers|pin_memory|persistent_workers|prefetch_factor|drop_last)",
        ),
    )
)
"""Words that a config file with loaders holds, each with what follows it there."""
_WORKER_MARKS = (
    b"dataloader_opts",
    b"dataloader_options",
    b"num_worker_per_gpu",
    b"train_loader:",
    b"eval_loader:",
    b"\nworkers:",
)
"""The same, beside a number of workers."""
_MMCV = lazily(rb"^data\s*=\s*dict\(", re.M)
_MMCV_DECIDES = lazily(rb"\bworkers_per_gpu\s*=\s*+(?![1-9])|\bprefetch_factor\s*=")
_LAZY_DECIDES = lazily(
    rb"\bnum_workers\s*=\s*+(?![1-9])|\bprefetch_factor\s*=|\bpin_memory\s*=\s*False\b"
)
_SHELL = lazily(
    rb"(?:^|[\s\"'])--?(?:[\w-]*(?:worker|pin[_-]?mem|persist|prefetch|drop[_-]?last|epochs)"
    rb"|j[ =]?\d)"
)
_CONTAINER = lazily(rb"(?:docker2?|podman|nerdctl)\s+(?:container\s+)?(?:run|create)\s")
_HARMLESS = frozenset(
    b"and as assert elif else except float if import in int is isinstance len not or print range "
    b"return str while with yield".split()
)
"""Words before a bracket that are no call, or one that neither makes nor moves a batch."""
CHANGES_PATH = lazily(
    rb"\bsys\.path\b|\bsys\s+as\s+(\w+)\b[\s\S]*\b\1\.path\b"
    rb"|\bfrom\s+sys\s+import\s*(?:\([^)]*|[^\n(]*)\bpath\b"
)
"""What a file says that may put folders on `sys.path`, by whatever name."""


def may_matter(raw: bytes) -> bool:
    """Whether a notebook may hold anything of interest, by the words of its JSON text.

    These stand there as in its code, whatever is escaped around them.
    """
    return any(word in raw for word in _WORDS) or _copies_by_position(raw)


def is_seed(text: bytes) -> bool:
    """Whether a file may make a loader, a sampler or a dataset, or copies back to the host.

    The analysis begins with these.
    """
    if _SEED.search(text) is not None or _defines_dataset(text) or sets_loaders(text):
        return True
    if _imports_removed(text):
        return True
    if b"instantiate" in text and b"hydra" in text:
        return True
    if (b"transformers" in text or b"trl" in text) and _CONFIGURED.search(text) is not None:
        return True
    if b"non_blocking" in text and (b'"cpu' in text or b"'cpu" in text or _TO_HOST.search(text)):
        return True
    return _copies_by_position(text)


def _copies_by_position(text: bytes) -> bool:
    """Whether a file may copy to the host without waiting: `x.to("cpu", None, True)`."""
    return b"cpu" in text and _TO_HOST_BY_POSITION.search(text) is not None


def sets_loaders(text: bytes) -> bool:
    """Whether a Python config may give loaders settings that a rule has something to say of."""
    return sets_runner_loaders(text) or sets_data_loaders(text) or sets_lazy_loaders(text)


def sets_runner_loaders(text: bytes) -> bool:
    """Whether this is so in MMEngine's `train_dataloader = dict(…)` and its kin."""
    return b"_dataloader" in text and any(
        _MMENGINE_DECIDES.search(part)
        for found in _MMENGINE.finditer(text)
        for part in _own_settings(text, found.end())
    )


def _own_settings(text: bytes, start: int) -> Iterator[bytes]:
    """What stands in a bracket that opens before `start`, without what stands in further ones."""
    depth = 1
    for bracket in _BRACKET.finditer(text, start):
        if depth == 1:
            yield text[start : bracket.start()]
        depth += 1 if bracket[0] in b"([{" else -1
        if depth == 0:
            return
        start = bracket.end()


def sets_data_loaders(text: bytes) -> bool:
    """Whether this is so in mmcv's `data = dict(workers_per_gpu=…)`."""
    return b"workers_per_gpu" in text and bool(_MMCV.search(text) and _MMCV_DECIDES.search(text))


def sets_lazy_loaders(text: bytes) -> bool:
    """Whether this is so in detectron2's `LazyCall(…)(…)`."""
    return b"LazyCall" in text and _LAZY_DECIDES.search(text) is not None


def is_config_seed(text: bytes) -> bool:
    """Whether a config file may say how a loader, or a data module with loaders, is made."""
    if b"worker" in text and any(mark in text for mark in _WORKER_MARKS):
        return True
    for word, pattern in _CONFIG_MARKS:
        if word in text and pattern.search(text):
            return True
    return runs_containers(text)


def names_code(text: bytes) -> bool:
    """Whether a config file may name classes or functions that are to be called."""
    return b"_target_" in text or b"class_path" in text


def is_shell_seed(text: bytes) -> bool:
    """Whether a shell script may give a Python script options of its loaders, or a container."""
    if b".py" not in text and b" -m" not in text:
        return False
    return _SHELL.search(text) is not None or starts_containers(text)


def trains_from_shell(text: bytes) -> bool:
    """Whether a shell script may give the arguments of transformers' trainer."""
    return b"--dataloader_" in text


def starts_containers(text: bytes) -> bool:
    """Whether a shell script may start a container that runs a Python script."""
    return _CONTAINER.search(text) is not None


def runs_containers(text: bytes) -> bool:
    """Whether a YAML file may say how containers run a Python script."""
    runs = b".py" in text or b"-m" in text
    return runs and (b"\nservices:" in b"\n" + text or b"containers:" in text)


def _imports_removed(text: bytes) -> bool:
    return b"torch" in text and _REMOVED.search(text) is not None


def _defines_dataset(text: bytes) -> bool:
    if b"def __getitem__" not in text:
        return False
    base = _DATASET.search(text, max(text.find(b"torch"), 0)) if b"torch" in text else None
    return base is not None and text.find(b"def __getitem__", base.end()) >= 0


def is_test_seed(text: bytes) -> bool:
    """Whether a test is a seed that may hold an error; it is asked for nothing else."""
    if b"DistributedSampler" in text or b"set_sharing_strategy" in text:
        return True
    return b"ampler" in text and _SHUFFLED.search(text) is not None and is_seed(text)


def orders_samples(text: bytes) -> bool:
    """Whether a file speaks of samplers, epochs or sharing, as all that leads to an error does."""
    return _ORDER.search(text) is not None


def mentions_torch(text: bytes) -> bool:
    """Whether a syntax error of the file is worth telling although nothing needs the file."""
    return b"torch" in text


def may_hold_findings(text: bytes) -> bool:
    """Whether a finding can lie in a file.

    All lie at calls, in the constructors of classes, of which the bases may stand elsewhere, or at
    imports of what is gone.
    """
    if b"class" in text or _imports_removed(text):
        return True
    words = _BEFORE_BRACKET.findall(text)
    return any(word and word not in _HARMLESS and word[:4].strip() != b"def" for word in words)
