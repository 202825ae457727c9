"""Seconds in what a dataset calls for its samples: functions and objects that it holds, one by one
where it holds a list of them, as `Compose` does. What they are tells, not how they are called."""

from __future__ import annotations

import functools
import sys
from collections.abc import Iterable, Iterator
from contextlib import suppress
from types import BuiltinFunctionType, FunctionType, MethodType
from typing import Any

from ..state import clock

_DEEP, _MOST = 4, 60
_FUNCTIONS = (FunctionType, MethodType, functools.partial, BuiltinFunctionType)


class Clocks:
    """How long each of them took in this process, without what it calls in turn."""

    def __init__(self) -> None:
        self._seconds: dict[str, list[float]] = {}
        self._known: dict[int, Any] = {}
        self._inner = 0.0
        """Seconds in calls within the one that goes on."""

    def listen(self, dataset: Any) -> None:
        """Time what a dataset holds, or one that it wraps."""
        with suppress(Exception):  # what a program holds may answer anything when it is looked at
            for owner in _datasets(dataset):
                held = vars(owner)
                for name, value in list(held.items()):
                    self._visit(held, name, value, 0)

    def _visit(self, holder: Any, key: Any, value: Any, depth: int) -> None:
        """Time a value that stands somewhere, and what it holds."""
        if id(value) in self._known or depth > _DEEP or len(self._known) >= _MOST:
            return
        if isinstance(value, list) and value and all(map(callable, value)):
            for number, item in enumerate(list(value)):
                self._visit(value, number, item, depth + 1)
        elif isinstance(value, _FUNCTIONS):
            if isinstance(holder, list) or not depth:
                holder[key] = _Timed(self, value)
                self._known[id(holder[key])] = holder[key]
        elif _is_transform(value):
            self._known[id(value)] = value
            self._listen_to_class(type(value))
            for name, inner in _inside(value):
                self._visit({}, name, inner, depth + 1)

    def _listen_to_class(self, cls: Any) -> None:
        """An object is called by its class; of a module of torch, that is `forward`."""
        module = issubclass(cls, sys.modules["torch"].nn.Module)
        name = "forward" if module else "__call__"
        original = getattr(cls, name)
        if getattr(original, "_dlint", None) is self or not isinstance(original, FunctionType):
            return  # the module may be one of TorchScript, whose `forward` is no function

        @functools.wraps(original)
        def call(this: Any, *args: Any, **named: Any) -> Any:
            if id(this) not in self._known:
                return original(this, *args, **named)
            return self.run(type(this).__name__, original, this, *args, **named)

        call._dlint = self  # type: ignore[attr-defined]
        setattr(cls, name, call)

    def run(self, _name: str, _function: Any, *args: Any, **named: Any) -> Any:
        """Call it and note its time, without that of what is timed within."""
        outer, self._inner = self._inner, 0.0
        begun = clock()
        try:
            return _function(*args, **named)
        finally:
            seconds = clock() - begun
            kept = self._seconds.setdefault(_name, [0.0, 0])
            kept[0] += seconds - self._inner
            kept[1] += 1
            self._inner = outer + seconds

    def told(self) -> dict[str, list[float]]:
        """Seconds and calls of each, by its name."""
        return {name: [round(s, 6), n] for name, (s, n) in self._seconds.items()}


class _Timed:
    """A function that is timed. Who pickles it gets the function."""

    def __init__(self, clocks: Clocks, function: Any) -> None:
        functools.update_wrapper(self, function, updated=())
        self._clocks, self._function = clocks, function
        self._name = str(getattr(function, "__name__", type(function).__name__))

    def __call__(self, *args: Any, **named: Any) -> Any:
        return self._clocks.run(self._name, self._function, *args, **named)

    def __reduce__(self) -> tuple[Any, ...]:
        return _itself, (self._function,)


def _itself(thing: Any) -> Any:
    return thing


def _datasets(dataset: Any) -> Iterator[Any]:
    """A dataset and those that it wraps."""
    base: Any = sys.modules["torch"].utils.data.Dataset
    waiting, seen = [(dataset, 0)], set()
    while waiting:
        found, depth = waiting.pop()
        if id(found) in seen or not hasattr(found, "__dict__"):
            continue
        seen.add(id(found))
        yield found
        if depth < _DEEP:
            held = (item for value in vars(found).values() for item in _items(value))
            waiting += [(inner, depth + 1) for inner in held if isinstance(inner, base)]


def _items(value: Any) -> Iterable[Any]:
    return value if isinstance(value, (list, tuple)) and len(value) < _MOST else (value,)


def _inside(transform: Any) -> Iterator[tuple[str, Any]]:
    """What a transform holds; a module of torch holds others apart."""
    held = getattr(transform, "__dict__", {})
    yield from list(held.items())
    yield from list((held.get("_modules") or {}).items())


def _is_transform(value: Any) -> bool:
    """Whether it is an object that can be called, by Python code: neither a class nor a dataset."""
    torch: Any = sys.modules["torch"]
    if isinstance(value, (type, torch.utils.data.Dataset, _Timed)) or not callable(value):
        return False
    return isinstance(type(value).__call__, FunctionType)
