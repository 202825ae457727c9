"""What names stand for, as a quick reader would say: by their spelling, a few steps far.

It knows assignments, parameters, attributes of `self`, returns and functions with a unique name;
it is meant to be simple and apart from dlint's evaluator, and to miss rather than to guess.
"""

from __future__ import annotations

import ast
from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from functools import cached_property

from tests.tools.inject.files import File, Function, inside, last_name

Wanted = Callable[[File, ast.Call], bool]
Origin = tuple[File, ast.Call]

_STEPS = 7
_WRAPPERS = frozenset({"tqdm", "enumerate", "iter", "islice", "cycle", "track", "log_every"})
_COMMON = frozenset({"run", "forward", "step", "eval", "get", "update", "build", "create", "main"})
"""Method names that too many classes share to be followed on an unknown object."""


@dataclass(frozen=True, eq=False)
class Target:
    """A function that a call enters."""

    file: File
    function: Function
    bound: bool
    """Whether the first parameter is filled by the object in front of the dot."""

    @property
    def parameters(self) -> list[str]:
        """The names that positional arguments fill, in order."""
        spec = self.function.args
        names = [p.arg for p in (*spec.posonlyargs, *spec.args)]
        return names[1:] if self.bound else names


class Names:
    """The names of one repository."""

    def __init__(self, files: Iterable[File]) -> None:
        self.files = list(files)

    @cached_property
    def functions(self) -> dict[str, list[Target]]:
        """All functions by name."""
        found: dict[str, list[Target]] = defaultdict(list)
        for file in self.files:
            for node in file.nodes:
                if isinstance(node, Function):
                    bound = isinstance(file.block(node), ast.ClassDef)
                    found[node.name].append(Target(file, node, bound))
        return found

    @cached_property
    def calls(self) -> dict[str, list[Origin]]:
        """All calls by the last part of the callee's name."""
        found: dict[str, list[Origin]] = defaultdict(list)
        for file in self.files:
            for call in file.calls:
                found[last_name(call)].append((file, call))
        return found

    def target(self, file: File, call: ast.Call) -> Target | None:
        """The one function of the repository that a call seems to enter."""
        name = last_name(call)
        candidates = self.functions.get(name, [])
        callee = call.func
        if isinstance(callee, ast.Name):
            plain = [t for t in candidates if not t.bound]
            return _only([t for t in plain if t.file is file]) or _imported(file, name, plain)
        if not isinstance(callee, ast.Attribute):
            return None
        if isinstance(callee.value, ast.Name) and callee.value.id in ("self", "cls"):
            owner = file.owner(call)
            return _only([t for t in candidates if t.file.owner(t.function) is owner])
        if file.origin(callee.value).partition(".")[0] in file.imports.values():
            plain = [t for t in candidates if not t.bound]
            return _only(plain)
        return None if name in _COMMON else _only(candidates)

    def callers(self, target: Target) -> Iterator[Origin]:
        """The calls that seem to enter a function."""
        for file, call in self.calls.get(target.function.name, ()):
            found = self.target(file, call)
            if found is not None and found.function is target.function:
                yield file, call

    def origins(self, file: File, expression: ast.expr, wanted: Wanted) -> set[Origin]:
        """The wanted calls that an expression may stand for."""
        return _Search(self, wanted).of(file, expression, None, _STEPS)

    def enclosing(self, file: File, node: ast.AST) -> Target | None:
        """The function that a node stands in."""
        block = file.block(node)
        if not isinstance(block, Function):
            return None
        return next(t for t in self.functions[block.name] if t.function is block)


def _only(found: list[Target]) -> Target | None:
    return found[0] if len(found) == 1 else None


def _imported(file: File, name: str, candidates: list[Target]) -> Target | None:
    """The candidate that lives where an import says, or the only one there is."""
    origin = file.imports.get(name, "")
    if not origin:
        return None
    tail = origin.lstrip(".").rpartition(".")[0].replace(".", "/")
    near = [t for t in candidates if tail and t.file.path.endswith(f"/{tail}.py")]
    return _only(near) or _only([t for t in candidates if t.function.name == name])


class _Search:
    """One walk from an expression back to the calls that made its value."""

    def __init__(self, names: Names, wanted: Wanted) -> None:
        self._names = names
        self._wanted = wanted
        self._seen: set[tuple[ast.AST, int | None]] = set()

    def of(self, file: File, value: ast.expr, position: int | None, steps: int) -> set[Origin]:
        """Origins of a value, or of the part of it at `position`."""
        if steps == 0 or (value, position) in self._seen:
            return set()
        self._seen.add((value, position))
        match value:
            case ast.Call():
                return self._of_call(file, value, position, steps)
            case ast.Name():
                return self._of_name(file, value, value.id, position, steps)
            case ast.Attribute(value=ast.Name(id="self")):
                return self._of_attribute(file, value, steps)
            case ast.Tuple() | ast.List() if position is not None and position < len(value.elts):
                return self.of(file, value.elts[position], None, steps)
            case ast.IfExp():
                parts = (value.body, value.orelse)
                return set().union(*(self.of(file, p, position, steps) for p in parts))
        return set()

    def _of_call(self, file: File, call: ast.Call, position: int | None, steps: int) -> set[Origin]:
        if position is None and self._wanted(file, call):
            return {(file, call)}
        if last_name(call) in _WRAPPERS:
            return set().union(*(self.of(file, a, None, steps) for a in call.args[:1]))
        target = self._names.target(file, call)
        if target is None:
            return set()
        results = [
            node.value
            for statement in target.function.body
            for node in inside(statement)
            if isinstance(node, ast.Return) and node.value is not None
        ]
        found = (self.of(target.file, result, position, steps - 1) for result in results)
        return set().union(*found)

    def _of_name(
        self, file: File, use: ast.AST, name: str, position: int | None, steps: int
    ) -> set[Origin]:
        """Through assignments of the nearest block that binds the name, or its parameters."""
        block = file.block(use)
        values = list(assigned(block, name))
        if values:
            found = (
                self.of(file, value, position if inner is None else inner, steps - 1)
                for value, inner in values
            )
            return set().union(*found)
        if isinstance(block, Function) and name in _all_parameters(block):
            return self._of_parameter(file, block, name, position, steps)
        if isinstance(block, ast.Module):
            return set()
        return self._of_name(file, block, name, position, steps)

    def _of_parameter(
        self, file: File, function: Function, name: str, position: int | None, steps: int
    ) -> set[Origin]:
        target = next(t for t in self._names.functions[function.name] if t.function is function)
        found: set[Origin] = set()
        for caller, call in self._names.callers(target):
            value = argument(target, call, name)
            if value is not None:
                found |= self.of(caller, value, position, steps - 1)
        return found

    def _of_attribute(self, file: File, use: ast.Attribute, steps: int) -> set[Origin]:
        owner = file.owner(use)
        found: set[Origin] = set()
        for node in () if owner is None else ast.walk(owner):
            if isinstance(node, ast.Assign):
                for target in node.targets:
                    if is_self(target, use.attr):
                        found |= self.of(file, node.value, None, steps - 1)
        return found


def is_self(node: ast.AST, name: str) -> bool:
    """Whether a node is `self.name`."""
    return (
        isinstance(node, ast.Attribute)
        and node.attr == name
        and isinstance(node.value, ast.Name)
        and node.value.id == "self"
    )


def assigned(block: ast.AST, name: str) -> Iterator[tuple[ast.expr, int | None]]:
    """The values assigned to a name in a block; with a position where a tuple is unpacked."""
    body = getattr(block, "body", [])
    for statement in body if isinstance(body, list) else ():
        for node in inside(statement):
            if isinstance(node, ast.Assign):
                for target in node.targets:
                    yield from _matched(target, name, node.value)
            elif isinstance(node, ast.AnnAssign) and node.value is not None:
                yield from _matched(node.target, name, node.value)


def _matched(target: ast.expr, name: str, value: ast.expr) -> Iterator[tuple[ast.expr, int | None]]:
    if isinstance(target, ast.Name) and target.id == name:
        yield value, None
    elif isinstance(target, ast.Tuple | ast.List):
        for position, part in enumerate(target.elts):
            if isinstance(part, ast.Name) and part.id == name:
                yield value, position


def argument(target: Target, call: ast.Call, name: str) -> ast.expr | None:
    """What a call passes for a parameter; None behind `*` and where the default holds."""
    for given in call.keywords:
        if given.arg == name:
            return given.value
    if name in target.parameters:
        index = target.parameters.index(name)
        if index < len(call.args) and not any(isinstance(a, ast.Starred) for a in call.args):
            return call.args[index]
    return None


def _all_parameters(function: Function) -> set[str]:
    spec = function.args
    return {p.arg for p in (*spec.posonlyargs, *spec.args, *spec.kwonlyargs)}
