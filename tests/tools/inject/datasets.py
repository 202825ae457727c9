"""Faults in datasets: a read of each sample moved from `__getitem__` into `__init__`."""

from __future__ import annotations

import ast
import copy
from collections.abc import Iterator

from tests.tools.inject.faults import Fault, replaced, with_statement
from tests.tools.inject.files import File, Function, inside, last_name
from tests.tools.inject.loops import Reading
from tests.tools.inject.names import is_self

_READERS = {
    "PIL.Image.open": '.convert("RGB")',
    "cv2.imread": "",
    "imageio.imread": "",
    "librosa.load": "",
    "nibabel.load": ".get_fdata()",
    "numpy.load": "",
    "skimage.io.imread": "",
    "soundfile.read": "",
    "torch.load": "",
    "torchaudio.load": "",
    "torchvision.io.read_image": "",
}
"""Calls that read one sample from a path, and what makes them read it whole."""

_BASES = ("torch.utils.data.Dataset", "torch.utils.data.dataset.Dataset")
_SUBSTITUTIONS = 4
_EACH = "each_path"
"""The variable of the comprehension."""


def eager(reading: Reading) -> Iterator[Fault]:
    """A comprehension over all paths, put at the end of `__init__`, in the place of each read.

    Must be reported where the class is a torch Dataset that some file with a DataLoader makes.
    """
    for file in reading.files:
        for node in file.nodes:
            if isinstance(node, ast.ClassDef) and _is_dataset(file, node):
                fault = _moved(reading, file, node)
                if fault is not None:
                    yield fault


def _is_dataset(file: File, cls: ast.ClassDef) -> bool:
    return any(file.origin(base) in _BASES for base in cls.bases)


def _moved(reading: Reading, file: File, cls: ast.ClassDef) -> Fault | None:
    getter, init = _method(cls, "__getitem__"), _method(cls, "__init__")
    if getter is None or init is None or isinstance(init.body[-1], ast.Return):
        return None
    for read, whole in _reads(file, getter):
        text = with_statement(file, init.body[-1], f"self._loaded = {whole}")
        text = None if text is None else _taken_from_memory(file, getter, read, text)
        if text is not None:
            used = _made_beside_loader(reading, cls)
            evidence = f"the dataset is made at {used}" if used else ""
            row = (init.end_lineno or init.lineno) + 1
            place = (file.path, (init.lineno, row), (row, row))
            return Fault("eager_load", file.path, row, text, evidence, place)
    return None


def _taken_from_memory(file: File, getter: Function, read: ast.Call, text: str) -> str | None:
    """The text, a line longer than the file's, with an element of the list instead of the read."""
    start, end = file.span(read)
    common = next((i for i, (a, b) in enumerate(zip(file.text, text, strict=False)) if a != b), end)
    longer = len(text) - len(file.text) if start >= common else 0
    span = (start + longer, end + longer)
    return replaced(text, span, f"self._loaded[{getter.args.args[1].arg}]")


def _method(cls: ast.ClassDef, name: str) -> Function | None:
    return next((m for m in cls.body if isinstance(m, Function) and m.name == name), None)


def _reads(file: File, getter: Function) -> Iterator[tuple[ast.Call, str]]:
    """Reads of `__getitem__`, and comprehensions that read the same for every path at once."""
    parameters = [p.arg for p in getter.args.args]
    if len(parameters) != 2:
        return
    for statement in getter.body:
        for node in inside(statement):
            if isinstance(node, ast.Call) and node.args and file.origin(node.func) in _READERS:
                made = _comprehension(getter, node, parameters[1])
                if made is not None:
                    whole = made[0] + _READERS[file.origin(node.func)]
                    yield node, f"[{whole} for {_EACH} in {made[1]}]"


def _comprehension(getter: Function, read: ast.Call, index: str) -> tuple[str, str] | None:
    """The read with another name for `self.paths[index]`, and `self.paths`."""
    call = copy.deepcopy(read)
    locals_ = _single_assignments(getter)
    for _ in range(_SUBSTITUTIONS):
        call = _Substitution(locals_).visit(call)
    element = _Element(index)
    call = element.visit(call)
    left = {n.id for n in ast.walk(call) if isinstance(n, ast.Name)} & {*locals_, index}
    if len(element.found) != 1 or left:
        return None
    return ast.unparse(call), element.found.pop()


def _single_assignments(function: Function) -> dict[str, ast.expr]:
    """Names that a function binds once, with their values; others are bound to themselves."""
    found: dict[str, ast.expr] = {}
    for node in ast.walk(function):
        if isinstance(node, ast.Name) and isinstance(node.ctx, ast.Store):
            found[node.id] = ast.Name(node.id, ast.Load())
    for statement in function.body:
        if isinstance(statement, ast.Assign) and len(statement.targets) == 1:
            target = statement.targets[0]
            stores = [n for n in ast.walk(function) if _is_store_of(n, target)]
            if isinstance(target, ast.Name) and len(stores) == 1:
                found[target.id] = statement.value
    return found


def _is_store_of(node: ast.AST, target: ast.expr) -> bool:
    return (
        isinstance(node, ast.Name)
        and isinstance(target, ast.Name)
        and isinstance(node.ctx, ast.Store)
        and node.id == target.id
    )


class _Substitution(ast.NodeTransformer):
    def __init__(self, values: dict[str, ast.expr]) -> None:
        self._values = values

    def visit_Name(self, node: ast.Name) -> ast.AST:
        return copy.deepcopy(self._values.get(node.id, node))


class _Element(ast.NodeTransformer):
    """Replaces `self.paths[index]` by a name."""

    def __init__(self, index: str) -> None:
        self._index = index
        self.found: set[str] = set()

    def visit_Subscript(self, node: ast.Subscript) -> ast.AST:
        is_index = isinstance(node.slice, ast.Name) and node.slice.id == self._index
        if (
            is_index
            and isinstance(node.value, ast.Attribute)
            and is_self(node.value, node.value.attr)
        ):
            self.found.add(ast.unparse(node.value))
            return ast.Name(_EACH, ast.Load())
        return self.generic_visit(node)


def _made_beside_loader(reading: Reading, cls: ast.ClassDef) -> str:
    for file, call in reading.names.calls.get(cls.name, ()):
        if any(last_name(other) == "DataLoader" for other in file.calls):
            return f"{file.path}:{call.lineno}"
    return ""
