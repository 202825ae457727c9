"""How many workers a loader has, as far as the program says."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING

from dlint.ir import expressions as ex
from dlint.ir import walk
from dlint.semantics.values.conditional_value import ABSENT, ConditionalValue, ConditionalValues
from dlint.semantics.values.values import NONE, AllocationSite, External, Literal

if TYPE_CHECKING:
    from dlint.model.loader import Loader

_CORES = frozenset({"cpu_count", "sched_getaffinity", "process_cpu_count"})
_EACH = frozenset({"os.cpu_count", "multiprocessing.cpu_count", "torch.multiprocessing.cpu_count"})
_KEEPING = frozenset({"+", "*", "/", "//"})
_NESTED = 6


@dataclass(eq=False)
class WorkerCount:
    """The `num_workers` of one loader."""

    loader: Loader

    @cached_property
    def alternatives(self) -> ConditionalValues:
        """What it may be; `ABSENT` where it is not given."""
        return self.loader.argument("num_workers")

    @property
    def is_zero(self) -> bool:
        """Whether there are certainly no workers."""
        return bool(self.alternatives) and all(map(_is_zero, self.alternatives))

    @property
    def may_be_zero(self) -> bool:
        """Whether a value is known by which there are none, a default included."""
        return any(map(_is_zero, self.alternatives))

    @property
    def is_decided(self) -> bool:
        """Whether some value is written out, rather than left to a default."""
        return any(a.value != ABSENT and a.is_written for a in self.alternatives)

    @property
    def is_known(self) -> bool:
        """Whether each value is known to be 0 or more than 0."""
        return all(_is_zero(a) or is_positive(a) for a in self.alternatives)

    @property
    def present(self) -> ConditionalValue | None:
        """The alternative by which there is a worker, a default included; a given value first."""
        found = [a for a in self.alternatives if is_positive(a)]
        return min(found, key=lambda a: a.assumed is not None, default=None)

    @property
    def several(self) -> ConditionalValue | None:
        """The alternative by which there is more than one worker; a given value first."""
        found = [a for a in self.alternatives if is_positive(a) and number_of(a) != 1]
        return min(found, key=lambda a: a.assumed is not None, default=None)

    @property
    def may_be_several(self) -> bool:
        """Whether nothing says that there is at most one: a default may be overridden."""
        return any(
            a.value not in (ABSENT, NONE)
            and (a.assumed is not None or not isinstance(a.value, Literal) or number_of(a) != 1)
            and not (_is_zero(a) and a.assumed is None)
            for a in self.alternatives
        )

    @property
    def positive(self) -> ConditionalValue | None:
        """The same, where no other value is unknown."""
        return self.present if self.is_known else None

    @property
    def is_certain(self) -> bool:
        """Whether every value is above 0 and rests on no default."""
        return all(is_positive(a) and a.is_written for a in self.alternatives)

    @property
    def assumed(self) -> str | None:
        """The default that the first known value rests on."""
        return next((a.assumed for a in self.alternatives if a.assumed), None)


def number_of(alternative: ConditionalValue) -> int | None:
    """The number, where it is written in the program; None where the CPUs decide."""
    value = alternative.value
    return value.value if isinstance(value, Literal) and isinstance(value.value, int) else None


def text_of(alternative: ConditionalValue) -> str:
    """How a message names a number of workers, with the default that it rests on."""
    number = number_of(alternative)
    given = "as many workers as CPUs allow" if number is None else f"`num_workers={number}`"
    return given + (f" by the {alternative.assumed}" if alternative.assumed else "")


def _is_zero(alternative: ConditionalValue) -> bool:
    value = alternative.value
    return value == ABSENT or (isinstance(value, Literal) and value.value == 0)


def is_positive(alternative: ConditionalValue) -> bool:
    """Whether a number is above 0; the number of cores always is."""
    value = alternative.value
    if isinstance(value, Literal):
        number = value.value
        return isinstance(number, int) and not isinstance(number, bool) and number > 0
    if isinstance(value, AllocationSite) and _counts_cores(value):
        return True
    return alternative.source is not None and _is_share(alternative.source, _NESTED)


def _counts_cores(value: AllocationSite) -> bool:
    path = value.origin.path if isinstance(value.origin, External) else ""
    return path.rpartition(".")[2] in _CORES


def is_each_cpu(alternative: ConditionalValue) -> bool:
    """Whether there is one worker for each CPU of the machine, or a few less than that.

    The CPUs that a process may use (`sched_getaffinity`) are another thing: launchers divide them.
    """
    value, source = alternative.value, alternative.source
    if isinstance(value, AllocationSite) and isinstance(value.origin, External):
        return value.origin.path in _EACH
    if isinstance(source, ex.Binary) and source.operator == "-":
        few = isinstance(source.right, ex.Constant)
        return few and isinstance(source.left, ex.Call) and source.left.name == "cpu_count"
    return False


def _is_share(expression: ex.Expression, depth: int) -> bool:
    """Whether an expression is some share of the cores: `min(8, os.cpu_count() // 2)`."""
    if depth == 0:
        return False
    match expression:
        case ex.Reference() if expression.definition is not None:
            return _is_share(expression.definition.value, depth - 1)
        case ex.Constant(value=int(number)):
            return number > 0
        case ex.Binary() if expression.operator in _KEEPING:
            sides = (expression.left, expression.right)
            return counts_cores(expression) and all(_is_share(s, depth - 1) for s in sides)
        case ex.Boolean():
            return counts_cores(expression)
        case ex.Call() if expression.name in ("min", "max", "int", "len", "round"):
            given = [a.value for a in expression.arguments]
            return counts_cores(expression) and all(_is_share(v, depth - 1) for v in given)
        case ex.Call():
            return expression.name in _CORES
    return False


def counts_cores(expression: ex.Expression) -> bool:
    """Whether the number of cores is asked for in an expression."""
    return any(isinstance(p, ex.Call) and p.name in _CORES for p in walk.walk(expression))
