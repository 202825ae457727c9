"""Small programs, and what the expressions in them denote.

A program asks by itself: `reveal(x)` is a question about `x`.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from pathlib import Path
from textwrap import dedent
from typing import Any

from dlint.frontends.documents import Documents
from dlint.ir import expressions as ex
from dlint.ir.lower import lower
from dlint.semantics.assembly import evaluator_of, solver_of
from dlint.semantics.calls.call_contexts import CallContext
from dlint.semantics.project import Project
from dlint.semantics.values.conditional_value import Absent, ConditionalValues
from dlint.semantics.values.evaluator import Evaluator
from dlint.semantics.values.values import (
    AllocationSite,
    Batch,
    ClassObject,
    Container,
    External,
    FunctionObject,
    Generated,
    Instance,
    Literal,
    Method,
    ModuleValue,
    Package,
    Unknown,
    Value,
    WrappedLoader,
)
from dlint.workspace.source import Source

Texts = str | Mapping[str, str]
ROOT = "/p"


def project_of(
    texts: Texts, folder: Path | None = None, loaded: Iterable[str] | None = None
) -> Project:
    """A project of one text (`main.py`) or of several files by their names.

    Settings files are only found in a folder, where all are written. All files are loaded, or some.
    """
    named = {"main.py": texts} if isinstance(texts, str) else texts
    root = ROOT if folder is None else str(folder)
    files = {f"{root}/{name}": dedent(text) for name, text in named.items()}
    for path, text in files.items() if folder is not None else ():
        Path(path).parent.mkdir(parents=True, exist_ok=True)
        Path(path).write_text(text, "utf-8")

    def source(path: str) -> Source | None:
        return Source(path, files[path]) if path in files else None

    project = Project(
        frozenset(path for path in files if path.endswith((".py", ".sh"))),
        lambda path: lower(Source(path, files[path])) if path.endswith(".py") else None,
        lambda path: files[path].encode(),
        documents=None if folder is None else Documents(root, source),
    )
    for path in sorted(files if loaded is None else (f"{root}/{name}" for name in loaded)):
        project.load(path)
    return project


def evaluator_for(texts: Texts, folder: Path | None = None) -> Evaluator:
    """The evaluator of a project of which every module is loaded."""
    return evaluator_of(solver_of(project_of(texts, folder)))


def questions(evaluator: Evaluator) -> list[ex.Call]:
    """The calls of `reveal` in a project, in order."""
    loaded = evaluator.solver.project.loaded
    calls = [call for facts in loaded for call in facts.calls.get("reveal", ())]
    return sorted(calls, key=lambda call: (call.scope.module.path, call.span))


def denoted(texts: Texts, folder: Path | None = None) -> list[set[str]]:
    """What the solver lets flow into each argument of `reveal`, in short."""
    evaluator = evaluator_for(texts, folder)
    return [
        {shown(v) for v in evaluator.solver.values(call.arguments[0].value, _root(evaluator, call))}
        for call in questions(evaluator)
    ]


def found(texts: Texts, folder: Path | None = None) -> list[ConditionalValues]:
    """The values with their conditions that the evaluator finds for each argument of `reveal`."""
    evaluator = evaluator_for(texts, folder)
    return [
        evaluator.of(call.arguments[0].value, _root(evaluator, call))
        for call in questions(evaluator)
    ]


def evaluated(texts: Texts, folder: Path | None = None) -> list[set[str]]:
    """The values that the evaluator finds, in short."""
    return [short(values) for values in found(texts, folder)]


def short(values: ConditionalValues) -> set[str]:
    """Values in short; `~4` is only assumed."""
    return {("~" if one.assumed else "") + shown(one.value) for one in values}


def root_of(evaluator: Evaluator, name: str, folder: Path | None = None) -> CallContext:
    """The frame of a module's own statements."""
    facts = evaluator.solver.project.load(f"{ROOT if folder is None else folder}/{name}")
    assert facts is not None
    return evaluator.solver.root(facts.module.body)


def _root(evaluator: Evaluator, call: ex.Call) -> CallContext:
    return evaluator.solver.root(call.scope)


_SHOWN: dict[type, Callable[[Any], str]] = {
    Literal: lambda value: repr(value.value),
    Unknown: lambda value: "?",
    Absent: lambda value: "absent",
    External: lambda value: value.path,
    ModuleValue: lambda value: "module " + value.module.path.removeprefix(f"{ROOT}/"),
    Package: lambda value: "package " + value.folder.removeprefix(f"{ROOT}/"),
    FunctionObject: lambda value: "function " + value.scope.name,
    Generated: lambda value: "generator " + value.scope.name,
    Method: lambda value: "method " + value.scope.name,
    ClassObject: lambda value: "class " + value.cls.name,
    Instance: lambda value: value.cls.name + ("()" if value.exact else "+"),
    AllocationSite: lambda value: shown(value.origin) + "()",
    Container: lambda value: _container(value),
    WrappedLoader: lambda value: f"wrapped by {value.by}" if value.by else "wrapped",
    Batch: lambda value: "batch" + " fresh" * value.fresh + " moved" * value.moved,
}


def shown(value: Value | Absent) -> str:
    """A value in a few characters."""
    show = _SHOWN.get(type(value))
    return type(value).__name__.lower() if show is None else show(value)


def _container(value: Container) -> str:
    origin = value.origin
    if isinstance(origin, ex.Call):
        return f"{origin.name}(…)"
    if isinstance(origin, ex.Comprehension):
        return f"{origin.kind} comprehension"
    return "{…}" if isinstance(origin, ex.Mapping) else "[…]"
