"""argparse: what an option holds: its default, or what a shell script of the project gives it."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from dlint.index.expressions import Argument, Call, Constant
from dlint.project import looped_options
from dlint.project.alternative import Alternative, Found
from dlint.project.values import FALSE, NONE, TRUE, UNKNOWN, Literal, Namespace

if TYPE_CHECKING:
    from collections.abc import Iterator

    from dlint.project.alternatives import Alternatives
    from dlint.project.flow import Flow, Node
    from dlint.project.shell_runs import Answer

_STEPS = 4
"""How far a parser may be from the module that parses, in imports."""


def default(flow: Flow, namespace: Namespace, name: str, node: Node) -> None:
    """The default of option `name` flows into `node`; Unknown where no parser declares it."""
    declared = list(options(flow, namespace, name))
    for call, argument in presets(flow, namespace, name):
        flow.connect(flow.evaluate(argument.value, flow.root(call.scope)), node)
    for option in declared:
        value = default_of(option)
        if value is not None:
            flow.connect(flow.evaluate(value.value, flow.root(option.scope)), node)
        else:
            flow.add(node, implied(option))
        for answer in _answers(flow, namespace, option, name):
            if not answer.is_default:
                flow.add(node, UNKNOWN if answer.value is None else answer.value)
    if not declared:
        flow.add(node, UNKNOWN)


def read(ask: Alternatives, namespace: Namespace, name: str, depth: int) -> Found:
    """What option `name` holds: its default, which is assumed, or what a shell script gives it."""
    flow = ask.flow
    found: Found = []
    for call, preset in presets(flow, namespace, name):
        found += ask.of(preset.value, flow.root(call.scope), depth)
    for option in options(flow, namespace, name):
        given = default_of(option)
        label = f"default of option `{flag_of(option) or name}`"
        if given is not None:
            values = ask.of(given.value, flow.root(option.scope), depth)
        else:
            values = [Alternative(implied(option), source=option)]
        answers = _answers(flow, namespace, option, name)
        found += _in_runs(answers, flow, [replace(a, assumed=label) for a in values])
    return found or _looped(ask, namespace, name, depth) or [Alternative(UNKNOWN)]


def _looped(ask: Alternatives, namespace: Namespace, name: str, depth: int) -> Found:
    """What a loop over a dict or a list gives to an option, if one parser alone may be meant."""
    flow, home = ask.flow, namespace.call.scope.module.path
    for path in sorted(flow.project.imported_by(home)):
        if looped_options.MARK.search(flow.project.text(path)):
            flow.project.load(path)
    declared = [o for facts in flow.project.loaded for o in facts.looped_options]
    found = [a for option in declared for a in looped_options.defaults(ask, option, name, depth)]
    own = [a for a in found if home in _callers(a)]
    return own or ([] if any(map(_callers, found)) else found)


def _callers(alternative: Alternative) -> set[str]:
    """The modules of the calls by which a value comes."""
    outcomes = (condition.outcome for condition in alternative.when)
    return {call.scope.module.path for call in outcomes if isinstance(call, Call)}


def _answers(flow: Flow, namespace: Namespace, option: Call, name: str) -> list[Answer]:
    return flow.shell_runs.answers(namespace.call, option, name, flag_of(option))


def _in_runs(answers: list[Answer], flow: Flow, defaults: Found) -> Found:
    """The default in the runs that leave it alone, and what the others give."""
    if not answers:
        return defaults
    found: Found = []
    for answer in answers:
        if answer.is_default:
            found += [replace(a, when=a.when | {answer.condition}) for a in defaults]
        elif answer.setting is None or answer.value is None:
            found.append(Alternative(UNKNOWN, frozenset({answer.condition})))
        else:
            label = flow.config_files.consult(answer.setting, answer.setting.row)
            when = frozenset({answer.condition})
            found.append(Alternative(answer.value, when, label, answer.setting))
    return found


def options(flow: Flow, namespace: Namespace, name: str) -> Iterator[Call]:
    """The `add_argument` calls for `name` that stand nearest to the module that parses.

    In it, in a module that it imports, in one that such a module imports, or in any loaded one.
    """
    declaring = flow.project.naming("add_argument")
    found = [call for facts in declaring for call in facts.options.get(name, ())]
    if len({call.scope.module.path for call in found}) < 2:
        return iter(found)
    near = frozenset({namespace.call.scope.module.path})
    for _ in range(_STEPS):
        declared = [call for call in found if call.scope.module.path in near]
        if declared:
            return iter(declared)
        near = frozenset(path for one in near for path in flow.project.imported_by(one))
    return iter(found)


def presets(flow: Flow, namespace: Namespace, name: str) -> list[tuple[Call, Argument]]:
    """What `set_defaults` of the parsing module gives to an option."""
    facts = flow.project.load(namespace.call.scope.module.path)
    return [] if facts is None else facts.preset(name)


def flag_of(option: Call) -> str | None:
    """How `add_argument` spells an option: its first long flag, or the first one."""
    flags = [
        argument.value.value
        for argument in option.arguments
        if argument.keyword is None and isinstance(argument.value, Constant)
        if isinstance(argument.value.value, str)
    ]
    return next((flag for flag in flags if flag.startswith("--")), flags[0] if flags else None)


def default_of(option: Call) -> Argument | None:
    """The `default=` of an `add_argument` call."""
    return next((a for a in option.arguments if a.keyword == "default"), None)


def implied(option: Call) -> Literal:
    """What an option without a `default=` holds when it is not given."""
    return {"store_true": FALSE, "store_false": TRUE}.get(action(option), NONE)


def action(option: Call) -> str:
    """The `action=` of an `add_argument` call, `store` when absent or computed."""
    for argument in option.arguments:
        if argument.keyword == "action" and isinstance(argument.value, Constant):
            return str(argument.value.value)
    return "store"
