"""What is seen of the samples that are collated."""

from __future__ import annotations

import sys
import time
import weakref
from itertools import islice
from typing import Any

from .. import accelerator, content

_PARTS = 100
_FIRST, _LONGEST, _MOST = 48, 0.05, 512
"""The first samples, of which hashes are made, if that takes no longer than some seconds on a
processor; and the first indices, which are noted."""
_MOST_SHAPES = 32
"""Of samples, from which on they are of no usual one."""


class Met:
    """What one process met."""

    def __init__(self) -> None:
        self._none: list[Any] = []
        self._nones = self._samples = 0
        self._failure: dict[str, Any] | None = None
        self._on_device = False
        self._hashes: list[str] = []
        self._hashing = 0.0
        """Seconds on a processor that were spent on them: what a busy machine makes a process wait
        for says nothing of its samples."""
        self._indices: list[Any] = []
        self._shapes: dict[str, list[Any]] | None = {}
        """What the samples are like: how many are, and the index of the first; None where they are
        of ever other shapes."""
        self._shaping = 0.0
        """Seconds on a processor that were spent on that."""
        self._fetcher: Any = None
        """A way to that of the first epoch."""

    def look(self, data: Any, indices: Any, fetcher: Any) -> None:
        """Look at the samples of a batch, and the indices they were asked for by."""
        by_index = not hasattr(fetcher, "dataset_iter")
        self._fetcher = self._fetcher or weakref.ref(fetcher)
        for place, sample in enumerate(data):
            if sample is None:
                self._nones += 1
                if len(self._none) < 5:
                    self._none.append(_plain(indices, place) if by_index else None)
        self._samples += len(data)
        self._note_shapes(data, indices if by_index else None)
        if self._fetcher() is not fetcher:
            return
        if by_index and len(self._indices) < _MOST and isinstance(indices, (list, tuple)):
            self._indices += [_plain(indices, place) for place in range(len(indices))]
        for sample in data:
            if len(self._hashes) < _FIRST and self._hashing < _LONGEST:
                begun = time.thread_time()
                self._hashes.append(content.digest(sample))
                self._hashing += time.thread_time() - begun

    def _note_shapes(self, data: Any, indices: Any) -> None:
        """What samples are like, as long as it takes no longer than some seconds in all."""
        if self._shapes is None or self._shaping > _LONGEST:
            return
        begun = time.thread_time()
        for place, sample in enumerate(data):
            if sample is not None:
                kept = self._shapes.setdefault(_shape(sample), [0, _plain(indices, place)])
                kept[0] += 1
        if len(self._shapes) > _MOST_SHAPES:
            self._shapes = None
        self._shaping += time.thread_time() - begun

    def failed(self, error: Exception, data: Any, indices: Any) -> None:
        """The samples could not be made a batch."""
        shapes = [_shape(sample) for sample in data]
        usual = max(set(shapes), key=shapes.count) if shapes else ""
        odd = next((n for n, shape in enumerate(shapes) if shape != usual), None)
        self._failure = {
            "error": f"{type(error).__name__}: {error}"[:300],
            "usual": usual,
            "odd": None if odd is None else shapes[odd],
            "index": None if odd is None else _plain(indices, odd),
        }

    def made(self, tensors: list[Any]) -> None:
        """A batch was made."""
        self._on_device = self._on_device or any(map(accelerator.holds, tensors))

    def told(self) -> dict[str, Any]:
        """What is written of it."""
        return {
            "samples": self._samples,
            "nones": self._nones,
            "none": self._none,
            "failure": self._failure,
            "on_device": self._on_device,
            "hashes": self._hashes[:_FIRST],
            "indices": self._indices[:_MOST],
            "shapes": [
                {"usual": shape, "count": count, "index": index}
                for shape, (count, index) in (self._shapes or {}).items()
            ],
        }


def tensors_of(batch: Any) -> list[Any]:
    """The tensors of a batch; of one of very many parts, those of the first: every batch is looked
    at."""
    torch: Any = sys.modules["torch"]
    found, waiting, left = [], [batch], _PARTS
    while waiting and left:
        value, left = waiting.pop(), left - 1
        if isinstance(value, torch.Tensor):
            found.append(value)
        elif isinstance(value, dict):
            waiting += islice(value.values(), left)
        elif isinstance(value, (list, tuple)):
            waiting += value[:left]
    return found


def _plain(indices: Any, place: int) -> Any:
    try:
        index = indices[place]
        return int(index) if hasattr(index, "__index__") else str(index)[:80]
    except (TypeError, LookupError):
        return None


def _shape(value: Any) -> str:
    """What a sample is like: shapes of what has one, kinds of the rest."""
    if value is None:
        return "None"
    if isinstance(value, dict):
        return "{" + ", ".join(f"{key}: {_shape(item)}" for key, item in value.items()) + "}"
    if isinstance(value, (list, tuple)):
        return "(" + ", ".join(map(_shape, value[:8])) + ")"
    shape = getattr(value, "shape", None)
    return type(value).__name__ if shape is None else str(tuple(shape)).replace(",)", ")")
