"""What a rule asked about some objects while it ran, and what it was told.

A rule decides by questions: functions and properties whose docstring begins with `Whether`, of the
rule's own module or of the model. While it runs, those that are asked about one of the objects are
written down as they nest; the innermost one that the last answer rests on is why the rule went on
without a word. No rule has to know of this. Values that an object keeps once they are worked out
are forgotten before, so that each rule asks anew.
"""

from __future__ import annotations

import dataclasses
import sys
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, field
from functools import cache
from pathlib import Path
from types import CodeType, FrameType
from typing import Any, NamedTuple, TypeVar

T = TypeVar("T")

_ROOMS = tuple(str(Path(__file__).parents[1] / room) + "/" for room in ("model", "rules"))
_DEEP = 4
_WHETHER = "Whether "
_TAKING = frozenset({"argument", "values", "given", "passes", "written"})
"""Methods of loaders and samplers that are asked for an argument by its name."""


class Answer(NamedTuple):
    """What a rule asked last of an object."""

    question: str
    """What follows `whether`."""
    is_so: bool


class Asked(NamedTuple):
    """What a rule asked of the objects: whether it did at all, for which arguments, what last."""

    at_all: bool
    arguments: tuple[str, ...]
    last: Answer | None
    taken: str | None
    """The argument that it took last, where that was the last thing it did."""


@dataclass(eq=False)
class _Node:
    code: CodeType | None
    about: bool = False
    outcome: bool | None = None
    taken: str | None = None
    """The argument that a call asks for by its name."""
    inner: list[_Node] = field(default_factory=list)


class _Recorder:
    """Writes down the calls of two rooms, as `sys.setprofile` tells of them."""

    def __init__(self, objects: Iterable[object]) -> None:
        self._wanted = {id(one) for one in objects}
        self.root = _Node(None)
        self.arguments: dict[str, None] = {}
        self._stack = [self.root]

    def __call__(self, frame: FrameType, event: str, outcome: Any) -> None:
        if event not in ("call", "return") or not _is_ours(frame.f_code.co_filename):
            return
        if event == "call":
            self._enter(frame)
        elif len(self._stack) > 1:
            node = self._stack.pop()
            node.outcome = outcome if isinstance(outcome, bool) else None

    def _enter(self, frame: FrameType) -> None:
        code = frame.f_code
        given = [frame.f_locals.get(n) for n in code.co_varnames[: code.co_argcount]]
        node = _Node(code, any(map(self._is_about, given)))
        if node.about and code.co_name in _TAKING and isinstance(given[-1], str):
            node.taken = given[-1]
            self.arguments[given[-1]] = None
        self._stack[-1].inner.append(node)
        self._stack.append(node)

    def _is_about(self, one: object) -> bool:
        """Whether something is one of the objects, or works something out for one."""
        if id(one) in self._wanted:
            return True
        return id(getattr(one, "__dict__", {}).get("loader")) in self._wanted


@cache
def _is_ours(file: str) -> bool:
    return file.startswith(_ROOMS)


def ask(run: Callable[[], T], objects: Iterable[object]) -> tuple[T, Asked]:
    """Run something, and tell what it asked about the objects."""
    kept = list(objects)
    for one in kept:
        _forget(one)
    recorder, before = _Recorder(kept), sys.getprofile()
    sys.setprofile(recorder)
    try:
        outcome = run()
    finally:
        sys.setprofile(before)
    about = list(_about(recorder.root))
    last = next(filter(None, map(_reason, _deciding(about))), None)
    taken = about[-1].taken if about and last is None else None
    return outcome, Asked(bool(about), tuple(recorder.arguments), last, taken)


def _deciding(about: list[_Node]) -> Iterator[_Node]:
    """The calls that may say why a rule went on: its own questions, the last first; else the last.

    What the model is asked in between need not decide anything.
    """
    own = (node for node in about if node.outcome is not None and _is_of_rule(node.code))
    yield from reversed(list(own))
    yield from about[-1:]


def _is_of_rule(code: CodeType | None) -> bool:
    return code is not None and code.co_filename.startswith(_ROOMS[1])


def _forget(one: object) -> None:
    """Drop what an object keeps beside its fields."""
    if dataclasses.is_dataclass(one) and hasattr(one, "__dict__"):
        fields = {field_.name for field_ in dataclasses.fields(one)}
        for name in [name for name in vars(one) if name not in fields]:
            del vars(one)[name]


def _about(node: _Node) -> Iterator[_Node]:
    """The outermost calls that were given one of the objects, in order."""
    for inner in node.inner:
        if inner.about:
            yield inner
        else:
            yield from _about(inner)


def _reason(node: _Node) -> Answer | None:
    """The innermost question that a call was answered by, as long as it is about an object."""
    found = None
    for _ in range(_DEEP):
        question = _question(node.code)
        if question is not None and node.outcome is not None:
            found = Answer(question, node.outcome)
        last = _last(node) if node.about else None
        if last is None or last.outcome is None:
            break
        node = last
    return found


def _last(node: _Node) -> _Node | None:
    """The last call that another made itself, or in a comprehension of its own."""
    while node.inner:
        node = node.inner[-1]
        if node.code is None or not node.code.co_name.startswith("<"):
            return node
    return None


@cache
def _question(code: CodeType | None) -> str | None:
    """What a function asks, by the first line of its docstring, the first of its constants."""
    text = code.co_consts[0] if code is not None and code.co_consts else None
    if not isinstance(text, str) or not text.startswith(_WHETHER):
        return None
    return " ".join(text.removeprefix(_WHETHER).split("\n\n")[0].split()).rstrip(".")
