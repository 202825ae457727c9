"""Loaders, the loops over them and the copies of their batches, as a quick reader sees them."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from functools import cached_property

from tests.tools.inject.files import Block, File, Function, inside, is_true, keyword, last_name
from tests.tools.inject.names import Names, Origin

_TORCH = "torch.utils.data"
_SUBMODULES = ("dataloader.", "distributed.", "sampler.", "")
_DEVICE = re.compile(r"device|cuda|gpu|rank", re.I)
_CUDA = re.compile(r"cuda|torch\.accelerator")
_MPS = re.compile(r"\bmps\b")
_FRAMEWORK = re.compile(
    r"^\s*(?:from|import)\s+"
    r"(?:accelerate|composer|deepspeed|fastai|ignite|lightning|lightning_fabric|pytorch_lightning)\b"
    r"|\baccelerator\.(?:backward|device|prepare)",
    re.M,
)


@dataclass(frozen=True, eq=False)
class Copy:
    """A copy of a batch, or of a part of it, to a device."""

    file: File
    call: ast.Call


@dataclass(frozen=True, eq=False)
class BatchLoop:
    """A `for` over loaders."""

    file: File
    loop: ast.For
    loaders: frozenset[Origin]
    copies: tuple[Copy, ...]

    @property
    def files(self) -> set[File]:
        """Where it stands and where its loaders are made."""
        return {self.file, *(file for file, _ in self.loaders)}

    @property
    def trains(self) -> bool:
        """Whether a gradient step is written in its body, or its function is named for training."""
        block = self.file.block(self.loop)
        if isinstance(block, Function) and "train" in block.name:
            return True
        return any(
            isinstance(node, ast.Call) and last_name(node) in ("backward", "step")
            for statement in self.loop.body
            for node in inside(statement)
        )


def is_torch(file: File, call: ast.Call, name: str) -> bool:
    """Whether a call makes torch's own class of this name in `torch.utils.data`."""
    origin = file.origin(call.func)
    return origin.endswith(f".{name}") and any(
        origin == f"{_TORCH}.{part}{name}" for part in _SUBMODULES
    )


def is_loader(file: File, call: ast.Call) -> bool:
    """Whether a call makes torch's own DataLoader."""
    return is_torch(file, call, "DataLoader")


def names_framework(files: Iterable[File]) -> bool:
    """Whether any file names a framework, which then has a part in copies and epochs."""
    return any(_FRAMEWORK.search(file.text) for file in files)


def names_mps(files: Iterable[File]) -> bool:
    """Whether any file names Apple's device."""
    return any(_MPS.search(file.text) for file in files)


class Reading:
    """The files of a repository and the batch loops in them."""

    def __init__(self, names: Names) -> None:
        self.names = names

    @property
    def files(self) -> list[File]:
        """The files that could be parsed."""
        return self.names.files

    @cached_property
    def loops(self) -> list[BatchLoop]:
        """Every `for` over a known loader."""
        return [loop for file in self.files for loop in self._loops(file)]

    def loops_over(self, loader: ast.Call) -> list[BatchLoop]:
        """The loops over one loader."""
        return [b for b in self.loops if any(call is loader for _, call in b.loaders)]

    def _loops(self, file: File) -> Iterator[BatchLoop]:
        for node in file.nodes:
            if isinstance(node, ast.For):
                loaders = self.names.origins(file, node.iter, is_loader)
                if loaders:
                    files = {file, *(made_in for made_in, _ in loaders)}
                    on_cuda = any(_CUDA.search(f.text) for f in files)
                    copies = tuple(_copies(file, node)) if on_cuda else ()
                    yield BatchLoop(file, node, frozenset(loaders), copies)


def _copies(file: File, loop: ast.For) -> Iterator[Copy]:
    """Copies of names that hold the batch as it came from the loader."""
    batch = _batch_names(loop)
    for statement in _in_order(loop.body):
        for node in _expressions(statement):
            if isinstance(node, ast.Call) and _is_copy(file, node):
                names = batch | _comprehended(statement, batch)
                if _root(node.func) in names:
                    yield Copy(file, node)
        batch = _after(statement, batch)


def _batch_names(loop: ast.For) -> frozenset[str]:
    target: ast.expr = loop.target
    call = loop.iter
    while isinstance(call, ast.Call):
        if last_name(call) == "enumerate" and isinstance(target, ast.Tuple):
            target = target.elts[-1]
        call = call.args[0] if call.args else call.func
    return frozenset(n.id for n in ast.walk(target) if isinstance(n, ast.Name))


def _in_order(body: list[ast.stmt]) -> Iterator[ast.stmt]:
    """Statements in the order of the text, those of inner blocks included."""
    for statement in body:
        if isinstance(statement, Block):
            continue
        yield statement
        for name in ("body", "orelse", "finalbody"):
            yield from _in_order(getattr(statement, name, []))


def _expressions(statement: ast.stmt) -> Iterator[ast.AST]:
    """What a statement holds without its inner statements."""
    pending = [c for c in ast.iter_child_nodes(statement) if not isinstance(c, ast.stmt)]
    while pending:
        node = pending.pop()
        yield node
        pending += [c for c in ast.iter_child_nodes(node) if not isinstance(c, ast.stmt)]


def _is_copy(file: File, call: ast.Call) -> bool:
    """`x.cuda(…)`, or `x.to(d)` where the name of `d`, or its text, speaks of a CUDA device."""
    if not isinstance(call.func, ast.Attribute):
        return False
    if call.func.attr == "cuda":
        return True
    first = call.args[0] if call.args else getattr(keyword(call, "device"), "value", None)
    if call.func.attr != "to" or first is None:
        return False
    if isinstance(first, ast.Constant):
        return isinstance(first.value, str) and first.value.startswith("cuda")
    text = file.segment(first)
    return _DEVICE.search(text) is not None and "cpu" not in text


def _root(expression: ast.expr) -> str:
    """The name before dots and brackets: `batch` of `batch["x"].to`."""
    while isinstance(expression, ast.Attribute | ast.Subscript):
        expression = expression.value
    return expression.id if isinstance(expression, ast.Name) else ""


def _comprehended(statement: ast.stmt, batch: frozenset[str]) -> frozenset[str]:
    """Names that comprehensions of a statement bind to parts of a batch."""
    found: set[str] = set()
    for node in _expressions(statement):
        if isinstance(node, ast.comprehension):
            source = node.iter.func if isinstance(node.iter, ast.Call) else node.iter
            if _root(source) in batch:
                found |= {n.id for n in ast.walk(node.target) if isinstance(n, ast.Name)}
    return frozenset(found)


def _after(statement: ast.stmt, batch: frozenset[str]) -> frozenset[str]:
    """The names that still hold the batch as it came, behind a statement."""
    if not isinstance(statement, ast.Assign | ast.AugAssign | ast.AnnAssign):
        return batch
    targets = statement.targets if isinstance(statement, ast.Assign) else [statement.target]
    bound = {n.id for t in targets for n in ast.walk(t) if _is_stored(n)}  # type: ignore[attr-defined]
    value = statement.value
    keeps = isinstance(value, ast.Name | ast.Subscript | ast.Attribute) and _root(value) in batch
    return batch | bound if keeps else batch - bound


def _is_stored(node: ast.AST) -> bool:
    return isinstance(node, ast.Name) and isinstance(node.ctx, ast.Store)


def is_pinned(loader: ast.Call) -> bool:
    """Whether a loader's call says `pin_memory=True`."""
    return is_true(keyword(loader, "pin_memory"))
