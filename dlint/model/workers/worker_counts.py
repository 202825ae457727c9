"""How many workers a loader has, as far as the program says."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import TYPE_CHECKING, NamedTuple

from dlint.analyses.backward import Question, Slice
from dlint.analyses.value_parts import origin_of, parts_in_function, root_of
from dlint.findings.regexes import lazily
from dlint.ir import expressions as ex
from dlint.ir import walk
from dlint.library_facts.processes import CPU_COUNTS
from dlint.model.workers.batch_sizes import is_batch_size
from dlint.model.workers.cpu_shares import is_cpu_count
from dlint.semantics.calls.call_contexts import CallContext
from dlint.semantics.values.conditional_value import ABSENT, ConditionalValue, ConditionalValues
from dlint.semantics.values.constant_folding import compare
from dlint.semantics.values.mutations import mutation_of_call, mutation_of_store
from dlint.semantics.values.values import (
    NONE,
    UNKNOWN,
    AllocationSite,
    Literal,
    is_of_library,
    library_path,
)

if TYPE_CHECKING:
    from dlint.model.loading.loader import Loader

_CORES = frozenset({"cpu_count", "sched_getaffinity", "process_cpu_count"})
_KEEPING = frozenset({"+", "*", "/", "//"})
_REMARK = lazily(rb"#[^\n\"\\]*\bnum_workers\b")
"""Stops at quotes and backslashes, which in a notebook end the line."""
_FOLDING = frozenset({"min", "max", "int", "len", "round"})


@dataclass(eq=False)
class WorkerCount:
    """The `num_workers` of one loader."""

    loader: Loader

    @cached_property
    def alternatives(self) -> ConditionalValues:
        """What it may be; `ABSENT` where it is not given."""
        found = self.loader.argument("num_workers")
        if self._is_of_batch:
            found = [_given_by_somebody(a) for a in found]
        return [
            replace(a, assumed=self._share(a).assumed) if a.assumed is None else a for a in found
        ]

    @cached_property
    def _is_of_batch(self) -> bool:
        """Whether there are as many workers as samples in a batch."""
        number, size = (self.loader.written(name) for name in ("num_workers", "batch_size"))
        return is_batch_size(self.loader.context, number, size)

    def _share(self, alternative: ConditionalValue) -> _Share:
        if isinstance(alternative.value, Literal) or alternative.source is None:
            return _UNKNOWN
        root = self.loader.context.solver.root(self.loader.call.scope)
        return Slice(self.loader.context, _SHARES).of(alternative.source, root)

    def is_positive(self, alternative: ConditionalValue) -> bool:
        """Whether a number is above 0; the number of cores and the size of a batch always are."""
        value = alternative.value
        if alternative.is_unknown and self._is_of_batch:
            return True
        if isinstance(value, Literal):
            return _is_above_zero(alternative)
        if isinstance(value, AllocationSite) and _counts_cores(value):
            return True
        return self._share(alternative).is_positive

    @property
    def is_zero(self) -> bool:
        """Whether there are certainly no workers."""
        return bool(self.alternatives) and all(map(_is_zero, self.alternatives))

    @property
    def is_certainly_zero(self) -> bool:
        """Whether there are no workers, whatever options and parameters are given."""
        return self.is_zero and all(a.assumed is None for a in self.alternatives)

    @property
    def may_be_zero(self) -> bool:
        """Whether a value is known by which there are none, a default included."""
        return any(map(_is_zero, self.alternatives))

    @property
    def is_decided(self) -> bool:
        """Whether some value is written out, rather than left to a default."""
        return any(not a.is_absent and a.is_written for a in self.alternatives)

    @property
    def is_own_default(self) -> bool:
        """Whether some value is a default that the project writes."""
        return any(not a.is_absent and a.source is not None for a in self.alternatives)

    @property
    def is_remarked_on(self) -> bool:
        """Whether a comment of the file that makes the loader names them: they were thought of."""
        return self.loader.context.project.says(self.loader.place.path, _REMARK)

    @property
    def is_known(self) -> bool:
        """Whether each value is known to be 0 or more than 0."""
        return all(_is_zero(a) or self.is_positive(a) for a in self.alternatives)

    @property
    def present(self) -> ConditionalValue | None:
        """The alternative by which there is a worker, a default included; a given value first."""
        found = [a for a in self.alternatives if self.is_positive(a)]
        return min(found, key=lambda a: a.assumed is not None, default=None)

    @property
    def may_be_present(self) -> bool:
        """Whether there are workers, or a number is given of which nothing says that it is 0."""
        given = (a for a in self.alternatives if not a.is_nothing)
        return any(self.is_positive(a) or not isinstance(a.value, Literal) for a in given)

    @property
    def several(self) -> ConditionalValue | None:
        """The alternative by which there is more than one worker; a given value first."""
        found = [a for a in self.alternatives if self.is_positive(a) and number_of(a) != 1]
        found = [a for a in found if not (a.is_unknown and self._is_of_batch)]
        return min(found, key=lambda a: a.assumed is not None, default=None)

    @property
    def may_be_several(self) -> bool:
        """Whether nothing says that there is at most one: a default may be overridden."""
        return any(
            not a.is_nothing
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
        return all(self.is_positive(a) and a.is_written for a in self.alternatives)

    @property
    def is_each_cpu(self) -> bool:
        """Whether there is one worker for each CPU of the machine, or a few less, on every path."""
        if self.alternatives and all(map(_is_each_cpu, self.alternatives)):
            return True
        given = self.loader.given("num_workers")
        return given is not None and is_cpu_count(self.loader.context, *given)

    @property
    def is_written_zero(self) -> bool:
        """Whether 0 is written for the loader, and is no stand-in for what is set elsewhere."""
        stated = not isinstance(self.loader.written("num_workers"), ex.Attribute)
        return stated and all(
            a.integer == 0 and a.assumed is None and not isinstance(a.source, ex.Call)
            for a in self.alternatives
        )

    @property
    def name(self) -> str | None:
        """The name that the call gives (`args.workers`), None where it gives something else."""
        given = self.loader.written("num_workers")
        return None if given is None else ex.dotted(given)

    @property
    def is_handed_in(self) -> bool:
        """Whether who calls the function that makes the loader decides, by an argument of it."""
        given = self.loader.written("num_workers")
        return given is not None and isinstance(origin_of(root_of(given)), ex.Parameter)

    @property
    def is_scaled(self) -> bool:
        """Whether it is worked out of what such a caller gives: half of 1 is 0."""
        given = self.loader.given("num_workers")
        parts = [] if given is None else list(parts_in_function(given[0]))
        return any(
            isinstance(origin_of(part), ex.Parameter)
            for whole in parts
            if isinstance(whole, ex.Binary)
            for part in walk.walk(whole)
        )

    @property
    def is_constant(self) -> bool:
        """Whether the call gives a constant, or nothing."""
        given = self.loader.written("num_workers")
        return given is None or ex.constant(given) is not None

    @property
    def assumed(self) -> str | None:
        """The default that the first known value rests on."""
        return next((a.assumed for a in self.alternatives if a.assumed), None)


class WorkingLoader(NamedTuple):
    """A loader that has workers, and the alternative by which it has them."""

    loader: Loader
    workers: ConditionalValue

    @property
    def text(self) -> str:
        """The number of workers, as a message says it."""
        return text_of(self.workers)

    @property
    def number(self) -> int | None:
        """The number of workers, where it is written in the program; None where the CPUs decide."""
        return number_of(self.workers)


def number_of(alternative: ConditionalValue) -> int | None:
    """The number, where it is written in the program; None where the CPUs decide."""
    value = alternative.value
    return value.value if isinstance(value, Literal) and isinstance(value.value, int) else None


def text_of(alternative: ConditionalValue) -> str:
    """How a message names a number of workers, with the default that it rests on."""
    number = number_of(alternative)
    some = "`num_workers` above 0" if alternative.is_unknown else "as many workers as CPUs allow"
    given = some if number is None else f"`num_workers={number}`"
    return given + (f" by the {alternative.assumed}" if alternative.assumed else "")


def _given_by_somebody(alternative: ConditionalValue) -> ConditionalValue:
    """A size of batches: as torch takes no None for workers, who runs this gives a number."""
    if alternative.value != NONE or alternative.assumed is None:
        return alternative
    return replace(alternative, value=UNKNOWN, assumed=None)


def _is_zero(alternative: ConditionalValue) -> bool:
    value = alternative.value
    return value == ABSENT or (isinstance(value, Literal) and value.value == 0)


def _counts_cores(value: AllocationSite) -> bool:
    return library_path(value).rpartition(".")[2] in _CORES


def _is_each_cpu(alternative: ConditionalValue) -> bool:
    """Whether there is one worker for each CPU of the machine, or a few less than that.

    The CPUs that a process may use (`sched_getaffinity`) are another thing: launchers divide them.
    """
    value, source = alternative.value, alternative.source
    if is_of_library(value):
        return library_path(value) in CPU_COUNTS
    if isinstance(source, ex.Binary) and source.operator == "-":
        few = isinstance(source.right, ex.Constant)
        return few and isinstance(source.left, ex.Call) and source.left.name == "cpu_count"
    return False


class _Share(NamedTuple):
    """What is known of a number: that it is above 0, and that the cores are counted for it.

    `assumed`: the default that this rests on.
    """

    is_positive: bool
    is_of_cores: bool
    assumed: str | None = None


_UNKNOWN = _Share(is_positive=False, is_of_cores=False)


def _one_of(found: Sequence[_Share]) -> _Share:
    of_cores = all(s.is_of_cores for s in found)
    return _Share(all(s.is_positive for s in found), of_cores, _first_assumed(found))


def _first_assumed(found: Iterable[_Share | ConditionalValue]) -> str | None:
    return next((one.assumed for one in found if one.assumed), None)


def _of_all(slice_: Slice[_Share], parts: Iterable[ex.Expression], frame: CallContext) -> _Share:
    """A share of the cores stays above 0 where all that it is made of is."""
    return _made_of([slice_.of(part, frame) for part in parts])


def _made_of(found: Sequence[_Share]) -> _Share:
    of_cores = any(share.is_of_cores for share in found)
    positive = of_cores and all(share.is_positive for share in found)
    return _Share(positive, of_cores, _first_assumed(found))


def _of_constant(_: object, constant: ex.Constant, __: CallContext) -> _Share:
    number = constant.value
    return _Share(isinstance(number, int) and number > 0, is_of_cores=False)


def _of_binary(slice_: Slice[_Share], binary: ex.Binary, frame: CallContext) -> _Share:
    found = _of_all(slice_, (binary.left, binary.right), frame)
    return found if binary.operator in _KEEPING else found._replace(is_positive=False)


def _of_boolean(slice_: Slice[_Share], boolean: ex.Boolean, frame: CallContext) -> _Share:
    """`os.cpu_count() or 1`."""
    of_cores = _of_all(slice_, (boolean.left, boolean.right), frame).is_of_cores
    return _Share(of_cores, of_cores)


def _of_choice(slice_: Slice[_Share], choice: ex.Conditional, frame: CallContext) -> _Share | None:
    """`batch_size if batch_size > 1 else 0`: the side that options and parameters choose."""
    test = choice.test
    if not isinstance(test, ex.Comparison):
        return None
    left, right = (slice_.context.evaluator.of(side, frame) for side in (test.left, test.right))
    truths = {compare(test.operator, one.value, other.value) for one in left for other in right}
    truth = truths.pop() if len(truths) == 1 else None
    if truth is None:
        return None
    share = slice_.of(choice.then if truth else choice.otherwise, frame)
    return share._replace(assumed=share.assumed or _first_assumed([*left, *right]))


def _of_call(slice_: Slice[_Share], call: ex.Call, frame: CallContext) -> _Share:
    if call.name in _CORES:
        return _Share(is_positive=True, is_of_cores=True)
    if call.name not in _FOLDING:
        return _UNKNOWN
    found = [slice_.of(part, frame) for part in _folded(call, frame)]
    if call.name == "max" and (above := [share for share in found if share.is_positive]):
        return _Share(is_positive=True, is_of_cores=any(s.is_of_cores for s in above))
    return _made_of(found)


def _folded(call: ex.Call, frame: CallContext) -> list[ex.Expression]:
    """The numbers that a call folds: its arguments, or the items of a list that nobody changes."""
    parts = [argument.value for argument in call.arguments]
    display = ex.unnamed(parts[0]) if len(parts) == 1 else None
    if not isinstance(display, ex.Sequence):
        return parts
    scope = frame.scope
    written = [*map(mutation_of_call, scope.calls), *map(mutation_of_store, scope.stores)]
    changed = any(one is not None and ex.unnamed(one.target) is display for one in written)
    return parts if changed else [*display.items]


def _of_reference(slice_: Slice[_Share], name: ex.Reference, frame: CallContext) -> _Share:
    if name.definition is None:
        return _of_number(slice_, name, frame)
    return slice_.of(name.definition.value, frame)


def _of_number(slice_: Slice[_Share], number: ex.Expression, frame: CallContext) -> _Share:
    """An option, a parameter or a setting, by its default too."""
    found = slice_.context.evaluator.of(number, frame)
    positive = bool(found) and all(map(_is_above_zero, found))
    return _Share(positive, is_of_cores=False, assumed=_first_assumed(found))


def _of_given(slice_: Slice[_Share], given: ex.Expression, frame: CallContext) -> _Share | None:
    """A number, or what the calls give (`make(os.cpu_count() or 1)`) or a module holds
    (`settings.WORKERS`)."""
    found = _of_number(slice_, given, frame)
    return found if found.is_positive else None


def _is_above_zero(alternative: ConditionalValue) -> bool:
    return alternative.integer is not None and alternative.integer > 0


_SHARES: Question[_Share] = Question(
    _UNKNOWN,
    _one_of,
    {
        ex.Constant: _of_constant,
        ex.Binary: _of_binary,
        ex.Boolean: _of_boolean,
        ex.Conditional: _of_choice,
        ex.Call: _of_call,
        ex.Reference: _of_reference,
        ex.Parameter: _of_given,
        ex.Attribute: _of_given,
        ex.Subscript: _of_number,
    },
)
"""Whether a number is some share of the cores, by what its own function says of it.

`min(8, os.cpu_count() // 2)`: scaling, adding, `min` and `max` keep it one; subtracting does not.
Other numbers in it are options, parameters and settings, by their defaults too.
"""
