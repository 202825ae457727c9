"""What the standard pickler refuses, and which library objects keep what they are given."""

from __future__ import annotations

OBJECTS = {
    "threading.Lock": "a lock",
    "threading.RLock": "a lock",
    "threading.Condition": "a lock",
    "threading.Event": "a lock",
    "threading.local": "a thread-local object",
    "_thread.allocate_lock": "a lock",
}
"""Library callables whose objects cannot be pickled, in the words of a message.

Open files, and handles of HDF5, LMDB and SQLite, are another rule's concern.
"""

HOOKS = ("__getstate__", "__reduce__", "__reduce_ex__", "__getnewargs__", "__getattribute__")
"""Methods by which a class decides what is pickled."""

_ROOTS = frozenset({"torch", "torchvision", "torchaudio", "monai", "torchio", "albumentations"})


def holds_arguments(path: str) -> bool:
    """Whether objects of a library class keep what their constructor is given."""
    root, last = path.partition(".")[0], path.rpartition(".")[2]
    return root in _ROOTS and last[:1].isupper() and "()" not in path


def pickles_itself(path: str) -> bool:
    """Whether a library base class has a pickling of its own (data pipes use dill)."""
    return "DataPipe" in path or path.startswith(("multiprocessing.", "ray."))
