"""Lengths of the parts of a split, and whether torch refuses them."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import cached_property
from itertools import product
from math import isfinite
from typing import TYPE_CHECKING, NamedTuple

from dlint.analyses.binding import bind
from dlint.analyses.calls import calls_to
from dlint.analyses.formulas import Formula, Formulas, Leaf, Number, goes_beside
from dlint.analyses.idle.spoken_names import parts_of
from dlint.analyses.lists import list_behind
from dlint.analyses.value_parts import names_of, origin_of
from dlint.analyses.volume.datasets import DatasetSizes
from dlint.findings.places import Place, Span
from dlint.ir import expressions as ex
from dlint.ir import walk
from dlint.library_facts.passthrough import SPLITS, refuses_lengths
from dlint.model.loading.loader_conflicts import expects_error

if TYPE_CHECKING:
    from dlint.analyses.binding import Located
    from dlint.analyses.context import AnalysisContext
    from dlint.ir.module import Scope


_SIZES = (*range(10, 210), *range(1000, 1100))
"""Lengths that are tried where the length of the data is not known."""


_SHARES = (0.1, 0.15, 0.2, 0.25, 0.3, 0.4, 0.6, 0.7, 0.75, 0.8, 0.9)
"""What is tried for one more number that is not known: a share of the data."""


_OFTEN = 0.2
"""In this part of what is tried lengths must be wrong to be called so."""


_FIRST = 91
"""Where in what is tried an example is looked for: at a hundred and one."""


def length_splits(context: AnalysisContext) -> Iterator[LengthSplit]:
    """The calls of `random_split` whose lengths are known, where no error is expected."""
    for call in calls_to(context, *SPLITS):
        split = LengthSplit.of(context, call)
        if split is not None and not expects_error(call.statement):
            yield split


class WrongLengths(NamedTuple):
    """What is wrong: for these lengths of data of this size, or of any."""

    is_certain: bool
    """Whether the call always raises, rather than for data of most lengths."""
    said: str
    """Which lengths, and what `random_split` then does, in words."""
    lengths: list[Number]
    size: int | None

    @property
    def is_rounding(self) -> bool:
        """Whether nothing but rounding is between the lengths and that of the data."""
        return self.size is not None and _is_near(self.lengths, self.size)


@dataclass(eq=False)
class LengthSplit:
    """One call of `random_split`: what its lengths are computed from."""

    context: AnalysisContext
    call: ex.Call
    dataset: Located
    lengths: Located
    formulas: list[Formula]

    @classmethod
    def of(cls, context: AnalysisContext, call: ex.Call) -> LengthSplit | None:
        """The split of a call; None where its lengths are not known."""
        bound = bind(context, call)
        dataset, lengths = bound.located("dataset"), bound.located("lengths")
        if dataset is None or lengths is None:
            return None
        formulas = context[Formulas].each_of(*lengths)
        split = None if formulas is None else cls(context, call, dataset, lengths, formulas)
        return None if split is None or split.may_be_mended else split

    @property
    def may_be_mended(self) -> bool:
        """Whether code may see to it that lengths by the shares of a table come to the whole.

        Anything that it does with the table or the data, other than to split them, may do that.
        """
        found = list_behind(self.context, *self.lengths)
        if found is None or not goes_beside(found[0]):
            return False
        scope, made = self.call.scope, found[0].span
        data, frame = self.dataset
        definition = data.definition if isinstance(data, ex.Reference) else None
        sizes = {leaf.located for formula in self.formulas for leaf in formula.leaves()}
        is_own = definition is not None and all(
            isinstance(of, ex.Reference) and of.definition is definition and where.scope is scope
            for of, where in sizes
        )
        names = {d.name for d in scope.definitions if d.value.span == made}
        is_here = _is_in(made, self.call.span)
        if not is_own or found[1].scope is not scope or frame.scope is not scope:
            return True
        if len(names) != (not is_here) or definition is None:
            return True
        splits = [call.span for call in calls_to(self.context, *SPLITS) if call.scope is scope]
        tables = [part.span for part in parts_of(scope) if goes_beside(part)]
        copies = [d for d in _names_on_the_way(self.lengths[0], made) if d.value.span != made]
        names |= {definition.name, *(copy.name for copy in copies)}
        places = [*tables, *splits, *(copy.value.span for copy in copies)]
        return _is_named_besides(scope, names, places, self.call)

    @property
    def place(self) -> Place:
        """Where the call stands."""
        return self.context.place_of(self.call)

    @cached_property
    def size(self) -> Leaf:
        """The length of the data."""
        return self.context[Formulas].length(*self.dataset)

    @cached_property
    def known(self) -> dict[Leaf, int]:
        """The lengths that the program tells."""
        sizes = self.context[DatasetSizes].sizes
        asked = {leaf for formula in self.formulas for leaf in formula.leaves() if leaf.is_length}
        found = {leaf: sizes.length(*leaf.located) for leaf in {*asked, self.size}}
        return {leaf: int(n.low) for leaf, n in found.items() if n is not None and n.is_exact}

    @cached_property
    def assumed(self) -> str:
        """The defaults that the lengths rest on, in brackets."""
        found = dict.fromkeys(a for formula in self.formulas for a in formula.assumptions())
        return f" (by the {', the '.join(found)})" if found else ""

    @property
    def wrong(self) -> WrongLengths | None:
        """What is wrong with the lengths; None where they may be right."""
        leaves = {leaf for formula in self.formulas for leaf in formula.leaves()}
        unknown = leaves - self.known.keys()
        if not unknown:
            return self._of_numbers(self._computed(self.known))
        lengths = [leaf for leaf in unknown if leaf.is_length]
        shares = [leaf for leaf in unknown if not leaf.is_length]
        if not lengths and len(shares) == 1:
            lengths, shares = shares, lengths
        if len(lengths) != 1 or len(shares) > 1 or self._are_right(lengths[0], shares):
            return None
        return self._of_unknown(lengths[0], shares)

    def _are_right(self, size: Leaf, shares: list[Leaf]) -> bool:
        """Whether the lengths are right for the least and for the most data that callers give."""
        found = self.context[DatasetSizes].sizes.length(*size.located) if size.is_length else None
        if found is None or not isfinite(found.high) or shares:
            return False
        return not any(self._refused(size, int(end), {}) for end in (found.low, found.high))

    def _computed(self, given: Mapping[Leaf, Number]) -> list[Number] | None:
        found = [formula.computed(given) for formula in self.formulas]
        known = [number for number in found if number is not None]
        return known if len(known) == len(found) else None

    def _of_numbers(self, lengths: list[Number] | None) -> WrongLengths | None:
        """Lengths that are numbers, for data of a length that is known, or of any."""
        if lengths is None:
            return None
        size, total = self.known.get(self.size), sum(lengths)
        if size is not None and refuses_lengths(lengths, size):
            told = f"these lengths come to {_in_digits(total)}{self.assumed}, "
            told += f"and the data has {size} samples"
        elif size is None and isinstance(total, float) and refuses_lengths(lengths, 0):
            told = f"these fractions come to {total:.17g}{self.assumed}"
        else:
            return None
        return WrongLengths(True, f"{told}, so `random_split` raises a ValueError", lengths, size)

    def _of_unknown(self, size: Leaf, shares: list[Leaf]) -> WrongLengths | None:
        """Lengths that are computed from the length of the data, which may be any."""
        given = [
            dict(zip(shares, each, strict=True)) for each in product(_SHARES, repeat=len(shares))
        ]
        tried = [[self._refused(size, number, each) for number in _SIZES] for each in given]
        if any(
            None in outcomes or sum(map(bool, outcomes)) < _OFTEN * len(_SIZES)
            for outcomes in tried
        ):
            return None
        example = next(n for n in _SIZES[_FIRST:] if self._refused(size, n, given[0]))
        lengths = self._computed(self.known | given[0] | {size: example}) or []
        told = f"for data of {example} samples these lengths come to {sum(lengths):.16g}"
        if shares:
            told = "for data of most sizes these lengths do not come to the size"
        if any(isinstance(length, float) for length in lengths):
            told = "these lengths are no whole numbers"
        always = size == self.size and all(map(all, tried))
        raises = "`random_split` raises" if always else "`random_split` then raises a ValueError"
        return WrongLengths(always, f"{told}{self.assumed}, and {raises}", lengths, example)

    def _refused(self, size: Leaf, number: int, given: Mapping[Leaf, Number]) -> bool | None:
        """Whether torch refuses the lengths for data of a size; None where that is not known."""
        lengths = self._computed({**self.known, **given, size: number})
        if lengths is None:
            return None
        if given and any(isinstance(length, float) for length in lengths):
            return None  # it may be a number of samples rather than a share
        if size != self.size and (self.size in self.known or not _is_near(lengths, number)):
            return None
        return refuses_lengths(lengths, number)

    def rest(self, wrong: WrongLengths) -> tuple[Place, str] | None:
        """Where the last length stands, and what the others leave of the data, as it is written.

        None where the lengths do not all stand in one place.
        """
        listed, frame = origin_of(self.lengths[0]), self.lengths[1]
        if not isinstance(listed, ex.Sequence) or frame.scope is not self.call.scope:
            return None
        named = self._bound_before(listed)
        if not wrong.is_rounding or named is None:
            return None
        if len(listed.items) < len(self.formulas):  # others are appended
            return None
        *others, last = listed.items
        texts = [self._text(other, is_operand=True) for other in others]
        whole = f"len({self._text(named, is_operand=False)})"
        return Place(self.call.scope.module.path, *last.span), " - ".join((whole, *texts))

    def _bound_before(self, listed: ex.Sequence) -> ex.Expression | None:
        """A name that the data has where the lengths are written."""
        names = names_of(self.dataset[0])
        return next((name for name in names if self._is_bound_before(name, listed)), None)

    def _is_bound_before(self, named: ex.Expression, listed: ex.Sequence) -> bool:
        start, end = self.call.span
        if start <= listed.span[0] < end:
            return True
        targets = [store.target for store in self.call.scope.stores]
        if isinstance(named, ex.Attribute):
            if any(isinstance(t, ex.Attribute) and t.name == named.name for t in targets):
                return False
            named = named.value
        definition = named.definition if isinstance(named, ex.Reference) else None
        return definition is not None and definition.span < listed.span

    def _text(self, expression: ex.Expression, *, is_operand: bool) -> str:
        path = self.call.scope.module.path
        text = self.context.project.text(path).decode("utf-8", "surrogatepass")
        found = text[slice(*expression.span)]
        plain = isinstance(expression, ex.Reference | ex.Attribute | ex.Call | ex.Subscript)
        return found if plain or not is_operand else f"({found})"


def _names_on_the_way(lengths: ex.Expression, table: Span) -> Iterator[ex.Definition]:
    """The names between lengths and the table that they are made of: `n = list(table.values())`."""
    waiting, seen = [lengths], set[ex.Definition]()
    while waiting:
        for part in walk.walk(waiting.pop()):
            made = part.definition if isinstance(part, ex.Reference) else None
            if made is not None and made not in seen and not _is_in(part.span, table):
                seen.add(made)
                yield made
                waiting += [made.value] if made.value.span != table else []


def _is_in(part: Span, whole: Span) -> bool:
    return whole[0] <= part[0] and part[1] <= whole[1]


def _is_named_besides(scope: Scope, names: set[str], places: list[Span], end: ex.Call) -> bool:
    """Whether a function names one of these before a call, or one that lies in it ever does."""
    return any(
        isinstance(part, ex.Reference)
        and part.name in names
        and (
            inner is not scope
            or (part.span < end.span and not any(_is_in(part.span, p) for p in places))
        )
        for inner in walk.scopes_within(scope)
        for part in parts_of(inner)
    )


def _in_digits(total: Number) -> str:
    """A sum, in all digits where fewer would hide that it is not 1."""
    return f"{total:.17g}" if abs(total - 1) < 1e-9 else f"{total:.16g}"


def _is_near(lengths: list[Number], size: Number) -> bool:
    """Whether nothing but rounding is between whole lengths and the length of the data."""
    whole = all(isinstance(length, int) for length in lengths)
    return whole and abs(sum(lengths) - size) < len(lengths)
