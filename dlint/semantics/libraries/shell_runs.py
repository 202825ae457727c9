"""What shell scripts of a project give to the options of the scripts that they start.

Question: which runs of a parsing module are known, and what does each give to an option? Followed:
commands that start a script of the project, whose parser is found by imports, `_STEPS` modules far.
Given up on: words that are computed, parsers with subcommands, more than `_MOST_RUNS` runs that
differ.
"""

from __future__ import annotations

import re
from collections import Counter, defaultdict
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, NamedTuple

from dlint.frontends.settings_files import Document, Setting
from dlint.ir.expressions import Attribute, Call, Expression, Reference, Sequence, constant
from dlint.ir.module import ModuleIndex, Scope
from dlint.semantics.values.conditions import Condition, Conditions
from dlint.semantics.values.solver import Solver
from dlint.semantics.values.values import FALSE, TRUE, Literal, Value
from dlint.workspace.kinds import is_shell
from dlint.workspace.spelling import normal

if TYPE_CHECKING:
    from dlint.frontends.shell import Given, Started

_STEPS = 4
"""How far the module that parses may be from the script that is started, in imports."""
_MOST_RUNS = 50
"""Runs that differ in what they give loaders; of more nothing is said."""
_NOBODY = "no script"
_TEST = ("run",)


@dataclass(slots=True, eq=False)
class Stated(Setting):
    """The value of an option in a shell script, and the run that is given it."""

    run: Run
    option: str
    """The attribute as which the program reads it."""
    row: int | None
    """Its row, where the shell script gives several scripts this option."""


def is_of_run(path_condition: Conditions) -> bool:
    """Whether something holds in one run of a shell script alone."""
    return any(condition.test == _TEST for condition in path_condition)


class Run(NamedTuple):
    """A script of the project that a shell script starts."""

    path: str
    script: str
    started: Started
    key: object
    """What tells it from runs with other words for loaders."""


class _Asked(NamedTuple):
    option: Call
    flags: frozenset[str]
    name: str
    flag: str | None


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

    def __init__(self, solver: Solver) -> None:
        self._solver = solver
        self._flags: dict[Call, frozenset[str]] = {}
        self._parsing: dict[tuple[str, str, int], bool | None] = {}
        self._hearing: dict[tuple[str, int], dict[object, tuple[Run, bool]]] = {}
        self._reaching: dict[tuple[str, int], frozenset[str]] = {}
        self._naming: dict[str, frozenset[str | None]] = {}
        self._giving: dict[frozenset[str], Counter[str]] = {}

    def answers(self, parsing: Call, option: Call, name: str, flag: str | None) -> list[Answer]:
        """What runs of a parsing module give to an option; [] where none says anything of it."""
        flags = self._flags_of(option) if self._runs else frozenset()
        if not flags or any(isinstance(a.value, Sequence) for a in parsing.arguments):
            return []
        runs = self._heard(parsing.scope.module.path)
        is_whole = _reads_command_line(parsing) and not self._has_subcommands(parsing, option)
        asked = _Asked(option, flags, name, flag)
        found = [
            self._answer(run, asked, is_certain=is_whole and is_sure)
            for run, is_sure in runs.values()
        ]
        default = Answer(None, Condition(_TEST, _NOBODY), is_default=True)
        saying = sum(not answer.is_default for answer in found)
        if saying > _MOST_RUNS:
            return [default, Answer(None, default.condition)]
        return [default, *found] if saying else []

    def _flags_of(self, option: Call) -> frozenset[str]:
        """The flags of an option that runs are looked at for; none of any other one."""
        flags = self._flags.get(option)
        if flags is None:
            from dlint.library_facts.shells import OPTIONS

            flags = _spellings(option)
            if not any(OPTIONS.search(flag.replace("-", "_")) for flag in flags):
                flags = frozenset()
            self._flags[option] = flags
        return flags

    def _has_subcommands(self, parsing: Call, option: Call) -> bool:
        from dlint.library_facts.shells import SUBCOMMANDS

        paths = {parsing.scope.module.path, option.scope.module.path}
        return any(self._solver.project.says(path, SUBCOMMANDS) for path in paths)

    def _heard(self, module: str) -> dict[object, tuple[Run, bool]]:
        """The runs whose words a module parses, by their keys, and whether it is sure to."""
        asked = module, len(self._solver.project.loaded)
        if asked not in self._hearing:
            parsed = ((run, self._parses(run.script, module)) for run in self._runs)
            self._hearing[asked] = {
                run.key: (run, sure) for run, sure in parsed if sure is not None
            }
        return self._hearing[asked]

    def _parses(self, script: str, module: str) -> bool | None:
        """Whether a module alone may parse a script's words; None where it does not."""
        if script == module:
            return True
        place = script, module, len(self._solver.project.loaded)
        if place not in self._parsing:
            self._parsing[place] = self._parses_for(script, module)
        return self._parsing[place]

    def _parses_for(self, script: str, module: str) -> bool | None:
        from dlint.library_facts.shells import PARSER

        def parses(path: str) -> bool:
            return self._solver.project.says(path, PARSER)

        if not self._comes_to(script, module):
            return None
        is_loaded = self._solver.project.is_loaded(script)
        return is_loaded and not any(map(parses, self._reached(script) - {module}))

    def is_idle(self, call: Call) -> bool:
        """Whether a call stands for a run of a script that reads no trainer's arguments."""
        place = call.scope.module.path, call.span
        if not is_shell(place[0]):
            return False
        from dlint.library_facts import shells as known

        scripts = {r.script for r in self._runs if (r.path, r.started.span) == place}
        return not any(
            self._solver.project.says(path, known.TRAINER)
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
        project = self._solver.project
        stem = module.rpartition("/")[2].removesuffix(".py").encode()
        if project.is_loaded(script) or not project.words.is_in(script, stem):
            return False
        if script not in self._naming:
            self._naming[script] = frozenset(self._named(script))
        return module in self._naming[script]

    def _named(self, script: str) -> Iterator[str | None]:
        """The modules that the text of a script names in its imports."""
        from dlint.library_facts import shells as known

        project = self._solver.project
        text = project.text(script).decode("utf-8", "surrogatepass")
        for dots, base, plain in (match.groups("") for match in known.IMPORT.finditer(text)):
            yield project.imports.resolve(script, base or plain, len(dots))

    def _reached(self, script: str) -> frozenset[str]:
        """The script, and the loaded modules that it imports within some steps."""
        asked = script, len(self._solver.project.loaded)
        if asked not in self._reaching:
            self._reaching[asked] = self._within(script)
        return self._reaching[asked]

    def _within(self, script: str) -> frozenset[str]:
        near = found = frozenset({script})
        for _ in range(_STEPS):
            near = (
                frozenset(p for one in near for p in self._solver.project.imported_by(one)) - found
            )
            found |= near
        return found

    def _answer(self, run: Run, asked: _Asked, *, is_certain: bool) -> Answer:
        condition = Condition(_TEST, run.key)
        given = run.started.value(asked.flags)
        if given is None:
            return Answer(None, condition, is_default=not run.started.is_open)
        value = _converted(asked.option, *given)
        if value is None or not (is_certain and _is_whole(run.started, asked.option)):
            return Answer(None, condition)
        span = ((given[1] if value.kind != "bool" else None) or given[0]).span
        document = Document(is_default=False, scope=self._scope(run.path))
        keys = (asked.flag or given[0].text or "",)
        row = self._row(run, span[0], asked.flags)
        stated = Stated(span, value.value, run.path, keys, document, run, asked.name, row)
        return Answer(value, condition, stated)

    def _row(self, run: Run, start: int, flags: frozenset[str]) -> int | None:
        if flags not in self._giving:
            self._giving[flags] = Counter(r.path for r in self._runs if r.started.value(flags))
        if self._giving[flags][run.path] < 2:
            return None
        text = self._solver.project.text(run.path).decode("utf-8", "surrogatepass")
        return text.count("\n", 0, start) + 1

    def _scope(self, path: str) -> Scope:
        return Scope("module", "<module>", "<module>", (0, 0), ModuleIndex(path))

    @cached_property
    def _runs(self) -> tuple[Run, ...]:
        paths = sorted(filter(is_shell, self._solver.project.files))
        if not paths:
            return ()
        from dlint.frontends.shell import started

        return tuple(
            Run(path, script, one, _key(script, one))
            for path in paths
            for one in started(self._solver.project.text(path).decode("utf-8", "surrogatepass"))
            if (script := self._script(path, one)) is not None
        )

    @cached_property
    def _by_name(self) -> defaultdict[str, list[str]]:
        """The files of the project, by the last part of their path."""
        found = defaultdict(list)
        for file in sorted(self._solver.project.files):
            found[file.rpartition("/")[2]].append(file)
        return found

    def _script(self, path: str, one: Started) -> str | None:
        """The file of the project that is started: as seen from a folder around, or the only one.

        A shell script is started in its own folder, or in one around it.
        """
        files = self._solver.project.files
        for name in _names(one):
            folder = path.rpartition("/")[0]
            around = [normal(f"{part}/{name}") for part in _upwards(folder)]
            near = [file for file in around if file in files]
            if near:
                return near[0] if len(near) == 1 else None
            parts = [part for part in name.split("/") if part not in (".", "..", "")]
            named = self._by_name[parts[-1]] if parts else []
            found = [file for file in named if file.endswith("/" + "/".join(parts))]
            if found:
                return found[0] if len(found) == 1 else None
        return None


def _key(script: str, one: Started) -> object:
    """What tells a run from others: what it gives to options of loaders, and to short ones."""
    from dlint.library_facts import shells as known

    told: list[str | None] = []
    for index, word in enumerate(one.given):
        text = word.text or word.begins
        if re.match("-[A-Za-z]", text) or known.OPTIONS.search(text.replace("-", "_")):
            told += (given.text for given in one.given[index : index + 2])
    return script, one.is_certain, one.is_open, tuple(told)


def _reads_command_line(parsing: Call) -> bool:
    """Whether `parse_args()` is given nothing, or what nobody gives (`def main(argv=None)`)."""
    unset = {p.name for p in parsing.scope.parameters if _is_none(p.default)}
    given = (argument.value for argument in parsing.arguments)
    return all(_is_none(v) or (isinstance(v, Reference) and v.name in unset) for v in given)


def _is_none(value: Expression | None) -> bool:
    known = constant(value)
    return known is not None and known.value is None


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


def _spellings(option: Call) -> frozenset[str]:
    """The flags by which an option is given, `--no-…` included."""
    plain = (constant(a.value) for a in option.arguments if a.keyword is None)
    flags = [v.value for v in plain if v is not None and isinstance(v.value, str)]
    if _takes_no(option):
        flags += [f"--no-{flag[2:]}" for flag in flags if flag.startswith("--")]
    return frozenset(flag for flag in flags if flag.startswith("-"))


def _is_whole(started: Started, option: Call) -> bool:
    """Whether a run is given just the words that are seen: those that may be several are the value
    of one option, as the function declares it that declares another."""
    if started.is_certain or not started.is_run or started.open_values is None:
        return started.is_certain
    declared = [call for call in option.scope.calls if call.name == option.name]
    single = (call for call in declared if not any(_keyword(call, k) for k in ("action", "nargs")))
    flags = {flag for call in single for flag in _spellings(call)}
    return flags.issuperset(started.open_values)


def _takes_no(option: Call) -> bool:
    action = _keyword(option, "action")
    return isinstance(action, Attribute) and action.name == "BooleanOptionalAction"


def _converted(option: Call, flag: Given, word: Given | None) -> Literal | None:
    """What the parser makes of a word; None where that is not known."""
    action = _keyword(option, "action")
    if _takes_no(option):
        return FALSE if (flag.text or "").startswith("--no-") else TRUE
    stored = constant(action)
    if stored is not None and stored.value in ("store_true", "store_false"):
        return TRUE if stored.value == "store_true" else FALSE
    kind = _keyword(option, "type")
    if action is not None or _keyword(option, "nargs") is not None or word is None:
        return None
    if not isinstance(kind, Reference) or kind.name not in ("int", "float"):
        return None
    if not re.fullmatch(r"-?[0-9]{1,6}(?:\.[0-9]{1,6})?", word.text or ""):
        return None
    try:
        return Literal.of((int if kind.name == "int" else float)(word.text or ""))
    except ValueError:
        return None


def _keyword(option: Call, name: str) -> Expression | None:
    return next((a.value for a in option.arguments if a.keyword == name), None)
