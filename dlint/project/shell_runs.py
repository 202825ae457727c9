"""What shell scripts of a project give to the options of the scripts that they start."""

from __future__ import annotations

import os
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, NamedTuple

from dlint.dialects.settings import Document, Setting
from dlint.index.expressions import Attribute, Call, Constant, Reference
from dlint.index.model import ModuleIndex, Scope
from dlint.kinds import is_shell
from dlint.project.conditions import Condition
from dlint.project.values import FALSE, TRUE, Literal

if TYPE_CHECKING:
    from dlint.dialects.shell import Given, Started
    from dlint.project.flow import Flow
    from dlint.project.values import Value

_STEPS = 4
"""How far the module that parses may be from the script that is started, in imports."""
_NOBODY = "no script"
_TEST = ("run",)


@dataclass(slots=True, eq=False)
class Stated(Setting):
    """The value of an option in a shell script, and the run that is given it."""

    run: Run
    row: int | None
    """Its row, where the shell script gives several scripts this option."""


class Run(NamedTuple):
    """A script of the project that a shell script starts."""

    path: str
    script: str
    started: Started
    key: object
    """What tells it from runs with other words for loaders."""


class Answer(NamedTuple):
    """What an option holds in some runs."""

    value: Value | None
    """None where that is not known."""
    condition: Condition
    setting: Stated | None = None
    is_default: bool = False
    """Whether these runs leave it to the default."""


class ShellRuns:
    """The Python scripts that the shell scripts of one project start."""

    def __init__(self, flow: Flow) -> None:
        self._flow = flow

    def answers(self, module: str, option: Call, flag: str | None) -> list[Answer]:
        """What runs of a parsing module give to an option; [] where none says anything of it."""
        flags = _spellings(option) if self._runs else frozenset()
        if not flags:
            return []
        from dlint.knowledge import shells as known

        if not any(known.OPTIONS.search(f.replace("-", "_")) for f in flags):
            return []
        runs = {run.key: run for run in self._runs if self._comes_to(run.script, module)}
        found = [self._answer(key, run, option, flag) for key, run in runs.items()]
        if all(answer.is_default for answer in found):
            return []
        return [Answer(None, Condition(_TEST, _NOBODY), is_default=True), *found]

    def is_idle(self, call: Call) -> bool:
        """Whether a call stands for a run of a script that reads no trainer's arguments."""
        place = call.scope.module.path, call.span
        if not is_shell(place[0]):
            return False
        from dlint.knowledge import shells as known

        scripts = {r.script for r in self._runs if (r.path, r.started.span) == place}
        return not any(
            known.TRAINER.search(self._flow.project.text(path))
            for script in scripts
            for path in self._reached(script)
        )

    def runs(self, stated: Stated, module: str) -> bool:
        """Whether the script that is given an option comes to a module."""
        return self._comes_to(stated.run.script, module)

    def _comes_to(self, script: str, module: str) -> bool:
        """Whether a script imports a module; one that nobody has loaded is only looked at."""
        if module in self._reached(script):
            return True
        project = self._flow.project
        stem = module.rpartition("/")[2].removesuffix(".py").encode()
        if project.is_loaded(script) or stem not in project.words.of(script):
            return False
        from dlint.knowledge import shells as known

        text = project.text(script).decode("utf-8", "surrogatepass")
        found = (m.groups("") for m in known.IMPORT.finditer(text))
        names = ((len(dots), base or plain) for dots, base, plain in found)
        return any(project.imports.resolve(script, name, dots) == module for dots, name in names)

    def _reached(self, script: str) -> frozenset[str]:
        """The script, and the loaded modules that it imports within some steps."""
        near = found = frozenset({script})
        for _ in range(_STEPS):
            near = frozenset(p for one in near for p in self._flow.project.imported_by(one)) - found
            found |= near
        return found

    def _answer(self, key: object, run: Run, option: Call, flag: str | None) -> Answer:
        condition = Condition(_TEST, key)
        given = run.started.value(_spellings(option))
        if given is None:
            return Answer(None, condition, is_default=not run.started.is_open)
        value = _converted(option, *given)
        takes_word = value is not None and value.kind != "bool"
        span = ((given[1] if takes_word else None) or given[0]).span()
        if value is None or span is None:
            return Answer(None, condition)
        document = Document(is_default=False, scope=self._scope(run.path))
        name = flag or given[0].text or ""
        row = self._row(run, span[0], _spellings(option))
        stated = Stated(span, value.value, run.path, (name,), document, run, row)
        return Answer(value, condition, stated)

    def _row(self, run: Run, start: int, flags: frozenset[str]) -> int | None:
        giving = [r for r in self._runs if r.path == run.path and r.started.value(flags)]
        before = self._flow.project.text(run.path).decode("utf-8", "surrogatepass")[:start]
        return before.count("\n") + 1 if len(giving) > 1 else None

    def _scope(self, path: str) -> Scope:
        return Scope("module", "<module>", "<module>", (0, 0), ModuleIndex(path))

    @cached_property
    def _runs(self) -> tuple[Run, ...]:
        paths = sorted(filter(is_shell, self._flow.project.files))
        if not paths:
            return ()
        from dlint.dialects.shell import started

        return tuple(
            Run(path, script, one, _key(script, one))
            for path in paths
            for one in started(self._flow.project.text(path).decode("utf-8", "surrogatepass"))
            if (script := self._script(path, one)) is not None
        )

    def _script(self, path: str, one: Started) -> str | None:
        """The file of the project that is started: as seen from a folder around, or the only one.

        A shell script is started in its own folder, or in one around it.
        """
        files = self._flow.project.files
        for name in _names(one):
            folder = path.rpartition("/")[0]
            around = [os.path.normpath(f"{part}/{name}") for part in _upwards(folder)]
            near = [file for file in around if file in files]
            if near:
                return near[0] if len(near) == 1 else None
            parts = [part for part in name.split("/") if part not in (".", "..", "")]
            found = [file for file in files if file.endswith("/" + "/".join(parts))]
            if found:
                return found[0] if len(found) == 1 else None
        return None


def _key(script: str, one: Started) -> object:
    from dlint.knowledge import shells as known

    told = ((w.text or w.begins).lstrip("-").replace("-", "_") for w in one.given)
    flags = [flag for flag in told if known.OPTIONS.search(flag)]
    values = (one.value(frozenset(_flags(flag))) for flag in flags)
    return script, tuple((v[0].text, v[1] and v[1].text) if v else None for v in values)


def _upwards(folder: str) -> Iterator[str]:
    while folder:
        yield folder
        folder = folder.rpartition("/")[0]


def _names(one: Started) -> tuple[str, ...]:
    """The files that a path or a dotted module may mean."""
    if not one.is_module:
        return (one.name,)
    stem = one.name.replace(".", "/")
    return f"{stem}.py", f"{stem}/__main__.py"


def _flags(name: str) -> Iterator[str]:
    name = name.partition("=")[0]
    for dashes in ("-", "--"):
        yield dashes + name
        yield dashes + name.replace("_", "-")


def _spellings(option: Call) -> frozenset[str]:
    """The flags by which an option is given, `--no-…` included."""
    plain = (a.value for a in option.arguments if a.keyword is None)
    flags = [v.value for v in plain if isinstance(v, Constant) and isinstance(v.value, str)]
    if _takes_no(option):
        flags += [f"--no-{flag[2:]}" for flag in flags if flag.startswith("--")]
    return frozenset(flag for flag in flags if flag.startswith("-"))


def _takes_no(option: Call) -> bool:
    action = _keyword(option, "action")
    return isinstance(action, Attribute) and action.name == "BooleanOptionalAction"


def _converted(option: Call, flag: Given, word: Given | None) -> Literal | None:
    """What the parser makes of a word; None where that is not known."""
    action = _keyword(option, "action")
    if _takes_no(option):
        return FALSE if (flag.text or "").startswith("--no-") else TRUE
    if isinstance(action, Constant) and action.value in ("store_true", "store_false"):
        return TRUE if action.value == "store_true" else FALSE
    kind = _keyword(option, "type")
    if action is not None or _keyword(option, "nargs") is not None or word is None:
        return None
    if not isinstance(kind, Reference) or kind.name not in ("int", "float"):
        return None
    try:
        return Literal.of((int if kind.name == "int" else float)(word.text or ""))
    except ValueError:
        return None


def _keyword(option: Call, name: str) -> object:
    return next((a.value for a in option.arguments if a.keyword == name), None)
