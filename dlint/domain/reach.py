"""Which modules matter: those that make loaders, hand them on, or receive loaders and batches."""

from __future__ import annotations

import re
from collections.abc import Iterator

from dlint.index import expressions as ex
from dlint.index.model import Scope
from dlint.project import calls, containers
from dlint.project.flow import Flow
from dlint.project.project import Facts
from dlint.project.values import (
    Batch,
    Container,
    Generated,
    Partial,
    Prepared,
    Row,
    Value,
    Zipped,
)

RECEIVES = re.compile(rb"\.to\(|\.cuda\(|set_epoch|non_blocking|\.backward\(|\.copy_\(|\.type\(")
"""A module without any of these may receive loaders and batches, but does nothing of interest."""

LOADERISH = re.compile(r"loader|partial", re.I)
_DEPTH = 4


def carries(flow: Flow, value: Value, depth: int = 0) -> bool:
    """Whether a value is, or holds, a loader or a batch."""
    if isinstance(value, Batch | Prepared) or calls.is_loader(flow, value):
        return True
    if isinstance(value, Row | Zipped | Generated) and depth < _DEPTH:
        return _element_carries(flow, value, depth)
    if isinstance(value, Container) and depth < _DEPTH:
        node = containers.contents(flow, value, None)
        flow.settle()
        return any(carries(flow, part, depth + 1) for part in tuple(node.values))
    return False


def _element_carries(flow: Flow, value: Row | Zipped | Generated, depth: int) -> bool:
    node = flow.node(("element", value), lambda made: containers.element(flow, value, made))
    flow.settle()
    return any(carries(flow, part, depth + 1) for part in tuple(node.values))


class Reach:
    """Loads, from the seeds on, every module that a loader or a batch may come to."""

    def __init__(self, flow: Flow) -> None:
        self._flow = flow
        self._project = flow.project
        self._handing_on: set[str] = set()
        self._seen_calls: set[ex.Call] = set()
        self._seen_scopes: set[Scope] = set()

    def extend(self) -> None:
        """Follow loaders backwards to callers of factories and forwards into callees."""
        before = -1
        while before != len(self._project.loaded):
            before = len(self._project.loaded)
            for facts in self._project.loaded:
                self._backwards(facts)
            for facts in self._project.loaded:
                self._forwards(facts)

    def _backwards(self, facts: Facts) -> None:
        """Whoever names a function that returns a loader, or a class that holds one."""
        for scope in self._making(facts):
            if scope in self._seen_scopes:
                continue
            self._seen_scopes.add(scope)
            for name in self._exports(scope):
                if name in self._handing_on or name.startswith("__"):
                    continue
                self._handing_on.add(name)
                for path in self._project.mentioning(name):
                    self._project.load(path)

    def _making(self, facts: Facts) -> Iterator[Scope]:
        """Functions that make a loader or get one from a function that returns them."""
        for name, found in facts.calls.items():
            if LOADERISH.search(name) or name in self._handing_on:
                yield from (call.scope for call in found)

    def _exports(self, scope: Scope) -> Iterator[str]:
        if scope.kind not in ("function", "lambda"):
            return
        flow = self._flow
        frame = flow.root(scope)
        results = [*scope.returns, *(y.value for y in scope.yields if y.value is not None)]
        if any(self._carries(flow.values(value, frame)) for value in results):
            yield scope.name
            if scope.owner is not None:
                yield scope.owner.name
        elif scope.owner is not None:
            stored = [s.value for s in scope.stores]
            if any(self._carries(flow.values(value, frame)) for value in stored):
                yield scope.owner.name

    def _carries(self, values: frozenset[Value]) -> bool:
        return any(carries(self._flow, value) or isinstance(value, Partial) for value in values)

    def _forwards(self, facts: Facts) -> None:
        """Into modules whose functions and classes are called with a loader or a batch."""
        targets = self._unread_imports(facts)
        if not targets:
            return
        for found in facts.calls.values():
            for call in found:
                if call in self._seen_calls or not call.arguments:
                    continue
                path = targets.get(_leading_name(call.function))
                if path is not None and self._gives_loader(call):
                    self._seen_calls.add(call)
                    self._project.load(path)
                    # following the name loads what a package re-exports
                    self._flow.names.static(call.function, call.scope)

    def _gives_loader(self, call: ex.Call) -> bool:
        frame = self._flow.root(call.scope)
        return any(self._carries(self._flow.values(a.value, frame)) for a in call.arguments)

    def _unread_imports(self, facts: Facts) -> dict[str, str]:
        """Names bound by imports of project modules that do something with batches."""
        found = {}
        for name, definitions in facts.globals.items():
            for definition in definitions:
                path = self._path(facts, definition.value)
                if path is not None and self._is_unread(path):
                    found[name] = path
        return found

    def _path(self, facts: Facts, value: ex.Expression) -> str | None:
        if not isinstance(value, ex.Imported):
            return None
        imports = self._project.imports
        path = imports.resolve(facts.module.path, value.module, value.level)
        if path is not None and value.name is not None:
            return imports.member(path, value.name) or path
        return path

    def _is_unread(self, path: str) -> bool:
        if not path.endswith(".py") or self._project.is_loaded(path):
            return False
        return path.endswith("__init__.py") or RECEIVES.search(self._project.text(path)) is not None


def _leading_name(callee: ex.Expression) -> str:
    """The imported name that a callee starts from: `Trainer` of `t = Trainer(); t.run(x)`."""
    for _ in range(_DEPTH):
        while isinstance(callee, ex.Attribute):
            callee = callee.value
        if not isinstance(callee, ex.Reference):
            return ""
        value = callee.definition.value if callee.definition is not None else None
        if not isinstance(value, ex.Call):
            return callee.name
        callee = value.function
    return ""
