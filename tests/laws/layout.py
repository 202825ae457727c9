"""Order and form: definitions in another order, annotations, another spelling of the same tree."""

from __future__ import annotations

import ast
from collections.abc import Mapping, Sequence
from itertools import groupby

import libcst as cst

from tests.laws.facts import Facts
from tests.laws.moves import is_docstring
from tests.laws.program import Module, Program
from tests.laws.quiet import has_any
from tests.laws.rewriting import Edits, PerModule, Rewriting, statement

_Definition = cst.FunctionDef | cst.ClassDef


class DefinitionOrder(PerModule):
    """Functions and classes that follow each other stand the other way round.

    What a definition needs when it is made (bases, decorators, defaults, the body of a class)
    still stands above it.
    """

    name = "definition-order"

    def edit(self, module: Module, program: Program) -> str | None:
        body: list[cst.BaseStatement] = []
        for is_definition, nodes in groupby(module.statements, _is_quiet_definition):
            run = list(nodes)
            body += _turned(run) if is_definition else run  # type: ignore[arg-type]
        return module.tree.with_changes(body=body).code


def _is_quiet_definition(node: cst.BaseStatement) -> bool:
    return isinstance(node, _Definition) and not node.decorators


def _turned(run: Sequence[_Definition]) -> Sequence[_Definition]:
    """The definitions in reverse, but for what one needs of another."""
    names = [d.name.value for d in run]
    if len(set(names)) < len(names):
        return run
    left = list(reversed(run))
    done: list[_Definition] = []
    while left:
        waiting = {d.name.value for d in left}
        ready = next((d for d in left if not (_needs(d) & waiting) - {d.name.value}), None)
        if ready is None:
            return run
        left.remove(ready)
        done.append(ready)
    return done


def _needs(node: _Definition) -> set[str]:
    """The words that are read when a definition is made."""
    facts = Facts()
    if isinstance(node, cst.FunctionDef):
        node.params.visit(facts)
        if node.returns:
            node.returns.visit(facts)
    else:
        for base in (*node.bases, *node.keywords):
            base.visit(facts)
        for item in node.body.body:
            if isinstance(item, cst.FunctionDef):
                facts.variables |= {w: [] for w in _needs(item)}
                for decorator in item.decorators:
                    decorator.visit(facts)
            else:
                item.visit(facts)
    return set(facts.variables)


class MethodOrder(PerModule):
    """The methods of a class stand the other way round, where none is there twice or decorated."""

    name = "method-order"

    def edit(self, module: Module, program: Program) -> str | None:
        edits = Edits(module)
        for node in module.statements:
            if isinstance(node, cst.ClassDef):
                methods = [i for i in node.body.body if isinstance(i, cst.FunctionDef)]
                others = [i for i in node.body.body if not isinstance(i, cst.FunctionDef)]
                names = {m.name.value for m in methods}
                plain = len(names) == len(methods) and not any(m.decorators for m in methods)
                if len(methods) > 1 and plain and not any(_reads(o, names) for o in others):
                    edits.change(node.body, _turn_methods)
        return edits.code()


def _reads(node: cst.CSTNode, names: set[str]) -> bool:
    facts = Facts()
    node.visit(facts)
    return bool(names & set(facts.variables))


def _turn_methods(body: cst.CSTNode) -> cst.CSTNode:
    assert isinstance(body, cst.IndentedBlock)
    others = [i for i in body.body if not isinstance(i, cst.FunctionDef)]
    methods = [i for i in body.body if isinstance(i, cst.FunctionDef)]
    return body.with_changes(body=[*others, *reversed(methods)])


class Annotations(PerModule):
    """Parameters get `Any`, functions that give nothing `None`, constants their type.

    Not with decorators, which may read annotations, and not in the bodies of classes.
    """

    name = "annotations"

    def edit(self, module: Module, program: Program) -> str | None:
        if module.facts.is_strange or "Any" in module.facts.bound:
            return None
        edits = Edits(module)
        _annotate(module.tree, edits)
        if not edits:
            return None
        place = next((s for s in module.statements if not _must_be_first(s)), None)
        if place is not None:
            edits.before(place, statement("from typing import Any"))
        return edits.code()


def _must_be_first(node: cst.BaseStatement) -> bool:
    if is_docstring(node):
        return True
    small = node.body[0] if isinstance(node, cst.SimpleStatementLine) else None
    return (
        isinstance(small, cst.ImportFrom)
        and isinstance(small.module, cst.Name)
        and small.module.value == "__future__"
    )


def _annotate(tree: cst.Module, edits: Edits) -> None:
    class Visitor(cst.CSTVisitor):
        def visit_FunctionDef(self, node: cst.FunctionDef) -> None:  # noqa: N802
            if node.decorators:
                return
            every = [*node.params.params, *node.params.kwonly_params]
            for parameter in every:
                if parameter.annotation is None and parameter.name.value not in ("self", "cls"):
                    edits.change(parameter, _any)

    tree.visit(Visitor())


def _any(node: cst.CSTNode) -> cst.CSTNode:
    assert isinstance(node, cst.Param)
    space = cst.SimpleWhitespace(" ")
    equal = node.equal
    if node.default is not None:
        equal = cst.AssignEqual(whitespace_before=space, whitespace_after=space)
    return node.with_changes(annotation=cst.Annotation(cst.Name("Any")), equal=equal)


class LocalAnnotations(PerModule):
    """`n: int = 3` for `n = 3` within functions: nobody keeps the annotations of locals."""

    name = "local-annotations"
    _TYPES = ((cst.Integer, "int"), (cst.SimpleString, "str"), (cst.Float, "float"))

    def edit(self, module: Module, program: Program) -> str | None:
        edits = Edits(module)
        for node in module.statements:
            if isinstance(node, cst.FunctionDef) and not has_any(node, cst.Global, cst.Nonlocal):
                node.visit(self._visitor(edits))
        return edits.code()

    def _visitor(self, edits: Edits) -> cst.CSTVisitor:
        types = self._TYPES

        class Visitor(cst.CSTVisitor):
            def visit_ClassDef(self, node: cst.ClassDef) -> bool:  # noqa: N802
                return False

            def visit_Assign(self, node: cst.Assign) -> None:  # noqa: N802
                target = node.targets[0].target
                name = next((n for kind, n in types if isinstance(node.value, kind)), "object")
                if len(node.targets) == 1 and isinstance(target, cst.Name):
                    annotation = cst.Annotation(cst.Name(name))
                    edits.change(
                        node,
                        lambda updated: cst.AnnAssign(target, annotation, updated.value),  # type: ignore[attr-defined]
                    )

        return Visitor()


class Reprinted(Rewriting):
    """The same tree, written by Python itself: other quotes, brackets and lines.

    Refused where a comment may speak to a tool.
    """

    name = "reprinted"

    def apply(self, program: Program) -> Mapping[str, str] | None:
        texts = [m.text for m in program.modules.values()]
        if any(word in text for text in texts for word in ("dlint:", "noqa", "# type:", "coding:")):
            return None
        printed = {p: f"{ast.unparse(ast.parse(m.text))}\n" for p, m in program.modules.items()}
        return program.files | printed


_MAC = """\
import torch
from torch import nn


def give():
    device = torch.device("mps")
    model = nn.Linear(4, 2).to(device)
    return model(torch.zeros(1, 4).to(device))


if __name__ == "__main__":
    print(give())
"""
_TRAINING = """\
import torch
from torch import nn, optim
from torch.utils.data import DataLoader
from torchvision.datasets import CIFAR10
from torchvision.transforms import ToTensor


def kappa():
    theta = nn.Sequential(nn.Flatten(), nn.Linear(3072, 10)).cuda()
    sigma = optim.SGD(theta.parameters(), lr=0.1)
    omega = DataLoader(
        CIFAR10("data", transform=ToTensor()),
        batch_size=64,
        shuffle=True,
        num_workers=4,
        pin_memory=True,
        persistent_workers=True,
    )
    for _ in range(10):
        for pixel, answer in omega:
            sigma.zero_grad()
            gamma = nn.functional.cross_entropy(
                theta(pixel.cuda(non_blocking=True)), answer.cuda(non_blocking=True)
            )
            gamma.backward()
            sigma.step()


if __name__ == "__main__":
    kappa()
"""
_UTILITY = """\
import json
from pathlib import Path


def remember(path, value):
    Path(path).write_text(json.dumps(value))


def recall(path):
    return json.loads(Path(path).read_text())
"""


class _Unrelated(Rewriting):
    """Adds a file that nobody imports and that imports nothing of the project."""

    text: str

    def apply(self, program: Program) -> Mapping[str, str] | None:
        folder = next(program.fresh())
        return program.files | {f"{folder}/{folder}.py": self.text}


class UnrelatedMac(_Unrelated):
    """A script for a Mac stands elsewhere in the repository."""

    name = "unrelated-mac"
    text = _MAC


class UnrelatedTraining(_Unrelated):
    """A training script without faults, for a GPU, stands elsewhere in the repository."""

    name = "unrelated-training"
    text = _TRAINING


class UnrelatedUtility(_Unrelated):
    """A module that knows no torch stands elsewhere in the repository."""

    name = "unrelated-utility"
    text = _UTILITY


class FileNames(Rewriting):
    """Files at the top change their names, and the imports of them.

    Refused where a string or a file of another kind speaks of them, and for names with a meaning.
    """

    name = "file-names"
    _MEANING = ("test", "bench", "profile", "conftest", "setup", "__init__", "__main__")

    def apply(self, program: Program) -> Mapping[str, str] | None:
        if program.is_strange or any("/" in path for path in program.files):
            return None
        fresh = program.fresh()
        mapping = {p[:-3]: next(fresh) for p in program.modules if self._may_change(p, program)}
        files = {p: t for p, t in program.files.items() if p[:-3] not in mapping}
        for path, module in program.modules.items():
            edits = Edits(module)
            _rename_imports(module, mapping, edits)
            name = mapping.get(path[:-3])
            files[f"{name}.py" if name else path] = edits.code() or module.text
        return files

    def _may_change(self, path: str, program: Program) -> bool:
        word = path[:-3]
        others = [t for p, t in program.files.items() if p not in program.modules]
        return (
            not word.startswith(self._MEANING)
            and word not in program.strings
            and not any(word in text for text in others)
            and not any(_is_plain_import(word, m) for m in program.modules.values())
        )


def _is_plain_import(word: str, module: Module) -> bool:
    """Whether `import word` stands somewhere, so that the word is a variable too."""
    return any(word in origins for origins in module.facts.imports.values()) or any(
        isinstance(a.name, cst.Name) and a.name.value == word for _, a in module.facts.imported
    )


def _rename_imports(module: Module, mapping: Mapping[str, str], edits: Edits) -> None:
    class Visitor(cst.CSTVisitor):
        def visit_ImportFrom(self, node: cst.ImportFrom) -> None:  # noqa: N802
            if isinstance(node.module, cst.Name) and node.module.value in mapping:
                edits.replace(node.module, cst.Name(mapping[node.module.value]))

    module.tree.visit(Visitor())


LAYOUT = (
    DefinitionOrder(),
    MethodOrder(),
    Annotations(),
    LocalAnnotations(),
    Reprinted(),
    UnrelatedMac(),
    UnrelatedTraining(),
    UnrelatedUtility(),
    FileNames(),
)
