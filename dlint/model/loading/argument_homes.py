"""Where the value of a loader's argument stands, so that another one can be written there."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import chain
from typing import TYPE_CHECKING, NamedTuple

from dlint.analyses.written_arguments import written
from dlint.findings.operations import Operation, ReplaceExpression, SetArgument, SetKey
from dlint.findings.places import Place
from dlint.frontends.settings_files import Group, Setting
from dlint.ir import expressions as ex
from dlint.ir import walk
from dlint.model.loading.config_origins import restated
from dlint.model.loading.loaders import Loaders
from dlint.semantics.libraries import argparsing
from dlint.semantics.libraries.option_declarations import default_of, flag_of
from dlint.semantics.values.conditions import key
from dlint.semantics.values.values import Container, Namespace

if TYPE_CHECKING:
    from dlint.analyses.context import AnalysisContext
    from dlint.ir.module import Scope
    from dlint.model.loading.loader import Loader


_REFUSED = frozenset({"persistent_workers", "prefetch_factor", "multiprocessing_context"})
_OF_WORKERS = (
    "num_workers",
    "persistent_workers",
    "prefetch_factor",
    "pin_memory",
    "multiprocessing_context",
)


class Home(NamedTuple):
    """Where a value is written, and how another one gets there."""

    operation: Operation | None
    """None where that is not known."""
    why: str = ""
    """Why it is not."""
    flag: str = ""
    """The option whose default it is: a command that gives it says something else."""


def home_of(loader: Loader, name: str, text: str) -> Home:
    """How `name=text` is written for a loader.

    Followed: the call itself, the one dict that it unpacks, config files that describe it, values
    of settings files, constants that have a name, defaults of argparse options. Nothing is written
    where the same value is read for another purpose, too.
    """
    given = loader.written(name)
    if loader.is_configured or ex.constant(given) is given is not None:
        return _in_call(loader, name, text)
    if given is None:
        return _added(loader, name, text)
    return _read_from(loader, given, name, text)


def guarded(loader: Loader, name: str, text: str) -> str | None:
    """The text of what torch refuses without workers, where their number is given by name: it
    holds only where there are some. None where the call says so already."""
    workers = loader.written("num_workers")
    number = ex.dotted(workers)
    if name not in _REFUSED or number is None or loader.is_configured:
        return text
    if text == "True" and asks_for_workers(loader, name):
        return None
    return f"{number} > 0" if text == "True" else f"{text} if {number} > 0 else None"


def asks_for_workers(loader: Loader, name: str) -> bool:
    """Whether an argument is on just where there are workers: `workers > 0`, `workers != 0`."""
    asked, number = loader.given(name), loader.given("num_workers")
    test = None if asked is None else ex.unnamed(asked[0])
    if asked is None or number is None or not isinstance(test, ex.Comparison):
        return False
    compared = ex.constant(test.right)
    if test.operator not in (">", "!=") or compared is None or compared.value != 0:
        return False
    return ex.constant(number[0]) is None and key(test.left, asked[1]) == key(*number)


def _in_call(loader: Loader, name: str, text: str) -> Home:
    position = None if loader.is_configured else loader.position(name)
    return Home(SetArgument(loader.place, loader.keyword(name), text, position))


def _added(loader: Loader, name: str, text: str) -> Home:
    """What the call does not give, or gives in a dict."""
    stars = [argument for argument in loader.call.arguments if argument.star]
    if not stars and loader.is_spelled_out:
        return _in_call(loader, name, text)
    place = keywords_place(loader)
    given = [alternative.value for alternative in loader.argument(name)]
    if place is not None and len(stars) == 1 and given:
        return Home(SetKey(place, loader.keyword(name), text))
    return Home(None, "the call does not show what it gives")


def _read_from(loader: Loader, read: ex.Expression, name: str, text: str) -> Home:
    """What the call reads from elsewhere."""
    context = loader.context
    found = [a for a in loader.argument(name) if not a.is_absent]
    settings = list(dict.fromkeys(a.source for a in found if isinstance(a.source, Setting)))
    if settings:
        operation = restated(found[0], text) if len(settings) == len(found) == 1 else None
        return Home(operation, "" if operation is not None else "several settings decide on it")
    if isinstance(read, ex.Attribute):
        values = list(context.values(read.value, loader.call.scope))
        if len(values) == 1 and isinstance(values[0], Namespace):
            return _of_option(context, values[0], read.name, name, text)
    constants = {a.source for a in found}
    source = constants.pop() if len(constants) == 1 else None
    module = _module_of(context, source) if isinstance(source, ex.Constant) else None
    if module is None or source is None or not isinstance(read, ex.Reference | ex.Attribute):
        return Home(None, "it is worked out")
    if _is_read_elsewhere(context, read.own_name):
        return Home(None, f"`{read.own_name}` is read for something else, too")
    return Home(ReplaceExpression(Place(module, *source.span), text))


def _of_option(
    context: AnalysisContext, namespace: Namespace, dest: str, name: str, text: str
) -> Home:
    """The default of an argparse option."""
    solver = context.solver
    declared = list(argparsing.options(solver, namespace, dest))
    if len(declared) != 1 or list(argparsing.presets(solver, namespace, dest)):
        return Home(None, f"`{dest}` is declared in several places")
    if _is_read_elsewhere(context, dest):
        return Home(None, f"`{dest}` is read for something else, too")
    (option,) = declared
    default, flag = default_of(option), flag_of(option) or ""
    if default is None:
        return Home(SetArgument(context.place_of(option), "default", text), flag=flag)
    if ex.constant(default.value) is not default.value:
        return Home(None, f"the default of `{flag}` is worked out")
    place = Place(option.scope.module.path, *default.value.span)
    return Home(ReplaceExpression(place, text), flag=flag)


def _is_read_elsewhere(context: AnalysisContext, name: str) -> bool:
    """Whether a name, or an attribute of that name, is read for more than the workers of loaders:
    how many there are, and what is asked of them where there are some."""
    loaders = list(chain(*context[Loaders].by_call().values()))
    given = [x.written(argument) for x in loaders for argument in _OF_WORKERS]
    given += [written(call, None, argument) for call in _calls(context) for argument in _OF_WORKERS]
    known = {id(part) for value in given if value is not None for part in walk.walk(value)}
    return any(id(expression) not in known for expression in _named(context, name))


def _calls(context: AnalysisContext) -> Iterator[ex.Call]:
    for facts in context.modules:
        for scope in facts.module.scopes:
            yield from scope.calls


def _expressions(scope: Scope) -> Iterator[ex.Expression]:
    for statement in walk.statements(scope.body):
        for expression in walk.expressions(statement):
            yield from walk.walk(expression)


def _named(context: AnalysisContext, name: str) -> Iterator[ex.Expression]:
    """Where a name, or an attribute of that name, is read."""
    for facts in context.modules:
        for expression in chain(*map(_expressions, facts.module.scopes)):
            if isinstance(expression, ex.Reference | ex.Attribute) and expression.own_name == name:
                yield expression


def _module_of(context: AnalysisContext, constant: ex.Constant) -> str | None:
    """The file in which a literal stands."""
    for facts in context.modules:
        for expression in chain(*map(_expressions, facts.module.scopes)):
            if expression is constant:
                return facts.module.path
    return None


def keywords_place(loader: Loader) -> Place | None:
    """The one dict that the call unpacks, where it is written out in the program."""
    unpacked = [a.value for a in loader.call.arguments if a.star == "**"]
    if len(unpacked) != 1:
        return None
    values = loader.context.values(unpacked[0], loader.call.scope)
    value = next(iter(values)) if len(values) == 1 else None
    if not isinstance(value, Container) or isinstance(value.origin, ex.Comprehension):
        return None
    origin = value.origin
    path = origin.path if isinstance(origin, Group) else value.frame.scope.module.path
    return Place(path, *origin.span)
