"""argparse: what an option holds: its default, or what a shell script of the project gives it.

Question: what does `args.name` denote? Followed: presets, declarations in the module that parses or
in modules that it comes to by imports, loops that declare options, and runs of shell scripts. A
default is only assumed. What nobody declares is what is preset there too, as the function that
`args.run(args)` calls, or what is written (`written_options`). Imports are followed `_STEPS` times.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import replace

from dlint.ir.expressions import Argument, Call
from dlint.semantics.libraries import looped_options, written_options
from dlint.semantics.libraries.config_files import ConfigFiles
from dlint.semantics.libraries.fixed_options import are_replaced, is_fixed, may_be_written
from dlint.semantics.libraries.option_declarations import (
    MARK,
    DeclaredOptions,
    LoopedOption,
    default_of,
    flag_of,
    implied,
)
from dlint.semantics.libraries.shell_runs import Answer, ShellRuns
from dlint.semantics.project import Project
from dlint.semantics.values.conditional_value import ConditionalValue, ConditionalValues
from dlint.semantics.values.evaluator import Evaluator
from dlint.semantics.values.solver import ConstraintNode, Solver
from dlint.semantics.values.values import UNKNOWN, Namespace, Value

_STEPS = 4
"""How far a parser may be from the module that parses, in imports."""

_PARSING = ("parse_args", "parse_known_args")


def default(solver: Solver, namespace: Namespace, name: str, node: ConstraintNode) -> None:
    """The default of option `name` flows into `node`; Unknown where no parser declares it.

    `args.__dict__` denotes what `vars(args)` does: the namespace, asked by keys.
    """
    if name == "__dict__":
        solver.add(node, namespace)
        return
    declared = list(options(solver, namespace, name))
    for call, argument in presets(solver, namespace, name):
        solver.connect(solver.evaluate(argument.value, solver.root(call.scope)), node)
    for option in declared:
        value = default_of(option)
        if value is not None:
            solver.connect(solver.evaluate(value.value, solver.root(option.scope)), node)
        else:
            solver.add(node, implied(option))
        for answer in _answers(solver, namespace, option, name):
            if not answer.is_default:
                solver.add(node, UNKNOWN if answer.value is None else answer.value)
    if declared and are_replaced(solver.project, levels(solver, namespace)):
        solver.add(node, UNKNOWN)
    if may_lack(solver, namespace, name):
        written_options.flow(solver, namespace, name, node, levels(solver, namespace))


def may_lack(solver: Solver, value: Value, name: str) -> bool:
    """Whether a value is a namespace that has an attribute only where the program writes it."""
    if not isinstance(value, Namespace):
        return False
    return not any(options(solver, value, name)) and not presets(solver, value, name)


def read(evaluator: Evaluator, namespace: Namespace, name: str, depth: int) -> ConditionalValues:
    """What option `name` holds: its default, which is assumed, or what a shell script gives it."""
    solver = evaluator.solver
    found: ConditionalValues = []
    for call, preset in presets(solver, namespace, name):
        found += evaluator.of(preset.value, solver.root(call.scope), depth)
    declared = list(options(solver, namespace, name))
    if not found and not _are_near(solver, namespace, declared):
        found = _looped(evaluator, namespace, name, depth)
        declared = [] if found else declared
    if not found and not declared:
        near = levels(solver, namespace)
        found = written_options.read(evaluator, namespace, name, depth, near)
    for option in declared:
        given = default_of(option)
        label = f"default of option `{flag_of(option) or name}`"
        if given is not None:
            values = evaluator.of(given.value, solver.root(option.scope), depth)
        else:
            values = [ConditionalValue(implied(option), source=option)]
        has_default = given is not None or values[0].value != UNKNOWN
        if has_default and not _is_certain(solver, namespace, option, name, values):
            values = [replace(a, assumed=label) for a in values]
        answers = _answers(solver, namespace, option, name)
        found += _in_runs(answers, solver, values)
    if declared and are_replaced(solver.project, levels(solver, namespace)):
        found.append(ConditionalValue(UNKNOWN))
    return found or [ConditionalValue(UNKNOWN)]


def _is_certain(
    solver: Solver, namespace: Namespace, option: Call, name: str, values: ConditionalValues
) -> bool:
    """Whether an option holds its default whatever the program is started with."""
    near = levels(solver, namespace)
    return is_fixed(option, values) and not may_be_written(solver.project, namespace, name, near)


def _are_near(solver: Solver, namespace: Namespace, declared: list[Call]) -> bool:
    """Whether options stand in the module that parses, or in one that it comes to by imports."""
    homes = {call.scope.module.path for call in declared}
    return any(homes & near for near in levels(solver, namespace))


def _looped(evaluator: Evaluator, namespace: Namespace, name: str, depth: int) -> ConditionalValues:
    """What the nearest loop over a dict or a list gives to an option; Unknown if several do."""
    project, passed = evaluator.solver.project, set[str]()
    for near in levels(evaluator.solver, namespace):
        passed |= near
        found = []
        for path in sorted(near):
            for option in _loops(project, path, namespace):
                given = looped_options.defaults(evaluator, option, name, depth)
                found.append(_of_calls(given, namespace, passed))
        made = [given for given in found if given]
        if made:
            return made[0] if len(made) == 1 else [ConditionalValue(UNKNOWN)]
    return []


def _loops(project: Project, path: str, namespace: Namespace) -> list[LoopedOption]:
    """The options of loops in a module that may belong to the parser that is asked.

    Those of a function that parses by itself do not.
    """
    speaks = project.is_loaded(path) or (
        project.words.is_in(path, b"add_argument") and project.says(path, MARK)
    )
    if not speaks:
        return []
    facts = project.load(path)
    declared = [] if facts is None else facts[DeclaredOptions].in_loops
    if facts is None or not declared:
        return []
    asked = (c for name in _PARSING for c in facts.calls.get(name, ()))
    parsing = {call.scope for call in asked} - {namespace.call.scope}
    return [
        option for option in facts[DeclaredOptions].in_loops if option.call.scope not in parsing
    ]


def _of_calls(
    given: ConditionalValues, namespace: Namespace, passed: set[str]
) -> ConditionalValues:
    """Of the values that calls give, those of calls on the way to the loop; the parsing function's
    own first."""
    calls = {call for a in given for call in looped_options.callers(a)}
    if not calls:
        return given
    near = {call for call in calls if call.scope.module.path in passed}
    near = {call for call in near if call.scope is namespace.call.scope} or near
    found = [a for a in given if looped_options.callers(a) & near]
    return found if len(near) < 2 else [ConditionalValue(UNKNOWN)]


def _answers(solver: Solver, namespace: Namespace, option: Call, name: str) -> list[Answer]:
    return solver[ShellRuns].answers(namespace.call, option, name, flag_of(option))


def _in_runs(
    answers: list[Answer], solver: Solver, defaults: ConditionalValues
) -> ConditionalValues:
    """The default in the runs that leave it alone, and what the others give."""
    if not answers:
        return defaults
    found: ConditionalValues = []
    for answer in answers:
        if answer.is_default:
            found += [a.under({answer.condition}) for a in defaults]
        elif answer.setting is None or answer.value is None:
            found.append(ConditionalValue(UNKNOWN, frozenset({answer.condition})))
        else:
            label = solver[ConfigFiles].consult(answer.setting, answer.setting.row)
            path_condition = frozenset({answer.condition})
            found.append(ConditionalValue(answer.value, path_condition, label, answer.setting))
    return found


def options(solver: Solver, namespace: Namespace, name: str) -> Iterator[Call]:
    """The `add_argument` calls for `name` that stand nearest to the module that parses.

    In it, in a module that it imports, in one that such a module imports, or in any loaded one.
    """
    found = solver[_Declared].homes(name)
    if len(found) > 1:
        for near in levels(solver, namespace):
            homes = sorted((path for path in near if path in found), key=found.__getitem__)
            if homes:
                return _declared_in(homes, solver.project, name)
    return _declared_in(found, solver.project, name)


def _declared_in(homes: Iterable[str], project: Project, name: str) -> Iterator[Call]:
    for path in homes:
        facts = project.load(path)
        yield from () if facts is None else facts[DeclaredOptions].by_name[name]


class _Declared:
    """The loaded modules that declare an option: a query, since nearly each one of many may."""

    def __init__(self, solver: Solver) -> None:
        self._project = solver.project
        self._seen = 0
        self._homes: dict[str, dict[str, int]] = defaultdict(dict)

    def homes(self, name: str) -> Mapping[str, int]:
        """The modules that declare an option, each with its number in the order of loading."""
        declaring = self._project.naming("add_argument")
        for number, facts in enumerate(declaring[self._seen :], self._seen):
            for option in facts[DeclaredOptions].by_name:
                self._homes[option][facts.module.path] = number
        self._seen = len(declaring)
        return self._homes.get(name, {})


def levels(solver: Solver, namespace: Namespace) -> Iterator[frozenset[str]]:
    """The module that parses, those that it imports, those that these import, and so on."""
    return solver[_Levels].around(namespace.call.scope.module.path)


class _Levels:
    """The modules around each that parses: a query, since every option is asked for them."""

    def __init__(self, solver: Solver) -> None:
        self._project = solver.project
        self._known: dict[str, list[frozenset[str]]] = {}
        self._loaded = 0

    def around(self, path: str) -> Iterator[frozenset[str]]:
        """The module, those that it imports, and so on: what is loaded now."""
        if self._loaded != len(self._project.loaded):
            self._known.clear()
            self._loaded = len(self._project.loaded)
        near = self._known.setdefault(path, [frozenset({path})])
        for step in range(_STEPS):
            if step == len(near):
                imported = map(self._project.imported_by, near[-1])
                near.append(frozenset().union(*imported))
            yield near[step]


def presets(solver: Solver, namespace: Namespace, name: str) -> list[tuple[Call, Argument]]:
    """What `set_defaults` of the parsing module gives to an option.

    Of a name that no option has, as of the function of a subcommand, also what the nearest modules
    give that this one comes to by imports, in functions that do not parse by themselves.
    """
    near, *further = levels(solver, namespace)
    found = _preset_in(solver.project, near, name)
    if found or any(options(solver, namespace, name)):
        return found
    for near in further:
        found = _preset_in(solver.project, near, name)
        found = [(c, a) for c, a in found if not any(x.name in _PARSING for x in c.scope.calls)]
        if found:
            return found
    return []


def _preset_in(project: Project, paths: Iterable[str], name: str) -> list[tuple[Call, Argument]]:
    speaking = (p for p in sorted(paths) if project.words.is_in(p, b"set_defaults"))
    known = filter(None, map(project.load, speaking))
    return [preset for facts in known for preset in facts[DeclaredOptions].preset(name)]
