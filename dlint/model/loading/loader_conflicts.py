"""Arguments of one loader that torch refuses together, on a path that both certainly take."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import TYPE_CHECKING, NamedTuple

from dlint.frontends.settings_files import Setting
from dlint.ir import expressions as ex
from dlint.ir import walk
from dlint.ir.module import If, Loop, Scope, Statement, Try, With
from dlint.semantics.calls import attributes
from dlint.semantics.libraries.shell_runs import ShellRuns, Stated
from dlint.semantics.values import conditions
from dlint.semantics.values.conditional_value import ConditionalValue

if TYPE_CHECKING:
    from dlint.model.loading.loader import Loader

Predicate = Callable[[ConditionalValue], bool]

_EXPECTING = frozenset({"raises", "assertRaises", "assertRaisesRegex", "suppress"})


class Conflict(NamedTuple):
    """Two values that meet; `always` and `given`: the first, and the second, on every path."""

    first: ConditionalValue
    second: ConditionalValue
    always: bool
    given: bool

    @property
    def is_conditional(self) -> bool:
        """Whether the first value holds on some paths alone."""
        return bool(self.first.path_condition)


def conflict(
    loader: Loader, first: str, is_first: Predicate, second: str, is_second: Predicate
) -> Conflict | None:
    """Values of two arguments, each of a kind, that the loader is given on one path."""
    wanted = loader.argument(second)
    seconds = [a for a in wanted if is_second(a)]
    if not seconds or not loader.is_made:
        return None
    given = loader.argument(first)
    always = all(map(is_first, given))
    for one in filter(is_first, given):
        for other in seconds:
            if _meet(one, other, always) and stands(loader, one) and stands(loader, other):
                return Conflict(one, other, always, len(seconds) == len(wanted))
    return None


def _meet(one: ConditionalValue, other: ConditionalValue, always: bool) -> bool:
    """Whether one of them holds wherever the other does.

    A default is set aside by whoever asks for its value first: it meets only what holds anyway.
    """
    if conditions.may_exclude(one.path_condition, other.path_condition):
        return False
    if (one.assumed and other.path_condition - one.path_condition) or (
        other.assumed and one.path_condition - other.path_condition
    ):
        return False
    if not all(condition.is_test for condition in one.path_condition | other.path_condition):
        return False
    return (
        always
        or other.path_condition <= one.path_condition
        or one.path_condition <= other.path_condition
    )


def stands(loader: Loader, alternative: ConditionalValue) -> bool:
    """Whether a value reaches the loader, unless it is a default that the code first looks at.

    What stands in a file that the command line may name, or another one, is no proof.
    """
    if alternative.assumed is None:
        return True
    if isinstance(alternative.source, Setting) and alternative.source.document.among:
        return False
    if not is_run(loader, alternative):
        return False
    names = _names(alternative)
    calls = [loader.call, *(f.call for f in loader.made.frame.chain() if f.call is not None)]
    if any(_asks_for(call.scope, names) for call in calls):
        return False
    stores = [s for name in names for s in loader.context.project.writing(name)]
    return all(attributes.written_on_self(store) is not None for store in stores)


def is_run(loader: Loader, alternative: ConditionalValue) -> bool:
    """Whether what a shell script gives comes to the loader, and no code puts another over it."""
    stated, context = alternative.source, loader.context
    if not isinstance(stated, Stated):
        return True
    stores = context.project.writing(stated.option)
    if any(attributes.written_on_self(store) is None for store in stores):
        return False
    return context.solver[ShellRuns].runs(stated, loader.call.scope.module.path)


def _names(alternative: ConditionalValue) -> frozenset[str]:
    """The names by which the program speaks of an assumed value: those its label gives."""
    label = (alternative.assumed or "").replace("--", "").replace("-", "_")
    quoted = (part for index, part in enumerate(label.split("`")) if index % 2)
    return frozenset(part.rpartition(".")[2] for part in quoted)


def _asks_for(scope: Scope, names: frozenset[str]) -> bool:
    """Whether a test of a function mentions a name."""
    return any(_is_named(part, names) for test in _tests(scope) for part in walk.walk(test))


def _is_named(part: ex.Expression, names: frozenset[str]) -> bool:
    """Whether an expression is a name, an attribute or an item of a dict with one of the names."""
    match part:
        case ex.Reference(name=name) | ex.Attribute(name=name):
            return name in names
        case ex.Subscript(index=ex.Constant(value=key)):
            return key in names
        case ex.Call(arguments=(ex.Argument(value=ex.Constant(value=key)), *_)):
            return part.name == "get" and key in names
    return False


def _tests(scope: Scope) -> Iterator[ex.Expression]:
    for statement in walk.statements(scope.body):
        test = statement.test if isinstance(statement, If | Loop) else None
        if test is not None:
            yield test
        for expression in walk.expressions(statement):
            for part in walk.walk(expression):
                if isinstance(part, ex.Conditional):
                    yield part.test
                elif isinstance(part, ex.Comparison | ex.Boolean):
                    yield part


def is_expected(loader: Loader) -> bool:
    """Whether the code waits for the error that making a loader raises."""
    return expects_error(loader.call.statement)


def expects_error(statement: Statement) -> bool:
    """Whether code waits for an error there: `with pytest.raises(…)`, `try: … except`."""
    for around in walk.ancestors(statement):
        if isinstance(around, Try) and around.handlers:
            return True
        if isinstance(around, With):
            for item in around.items:
                if isinstance(item, ex.Call) and item.name in _EXPECTING:
                    return True
    return False
