"""Averages over the samples of a loader: what a loop adds up, and by which number it is divided.

Question: is what a loop over batches has added up divided by another number of samples than the
loop has read, by `len(loader.dataset)` or by `len(loader) * batch_size`? Followed: the statement
that divides, and what `summed_batches` follows. Given up on: sums that other functions keep, and
functions in which ranks put their sums together.
"""

from __future__ import annotations

from collections.abc import Iterator
from enum import Enum, auto
from typing import TYPE_CHECKING, NamedTuple, TypeGuard

from dlint.analyses.calls import calls_to
from dlint.analyses.control.call_paths import leading_to, on_every_path
from dlint.analyses.value_parts import origin_of, parts_in_function
from dlint.analyses.written_arguments import written
from dlint.findings.places import Place
from dlint.findings.regexes import lazily
from dlint.ir import expressions as ex
from dlint.ir import walk
from dlint.library_facts import samplers as known
from dlint.library_facts.distributed import COMBINING, REDUCING
from dlint.model.data.divided_data import draws_part
from dlint.model.loading.frameworks import Consumption
from dlint.model.loading.loaders import Loaders
from dlint.model.loops.counted_sets import drawing_from, drawing_indices, given_to
from dlint.model.loops.epochs import is_evaluation
from dlint.model.loops.length_ratios import LengthRatio, divisions_beside, length_ratios
from dlint.model.loops.summed_batches import stops_at_number, sums
from dlint.model.worth.volume import volume_of
from dlint.semantics.values import constant_folding
from dlint.semantics.values.conditional_value import ABSENT, Absent
from dlint.semantics.values.values import FALSE, NONE, TRUE, Literal, Value, library_path

if TYPE_CHECKING:
    from dlint.analyses.context import AnalysisContext
    from dlint.ir.module import ModuleIndex, Scope
    from dlint.model.loading.loader import Loader
    from dlint.model.loops.batch_loops import BatchLoop
    from dlint.model.samplers.distributed_samplers import Sampler

_COUNTING = frozenset({"sum", "count_nonzero"})
"""Calls by which the right predictions of a batch are counted."""

_SUMMED = lazily(rb"reduction\s*=\s*['\"]sum|size_average\s*=\s*False")
"""How losses are told to add up the samples of a batch."""

_SUMMING = {"reduction": "sum", "size_average": False}
"""The same as arguments of calls."""


class Part(Enum):
    """Why a pass over a loader reads fewer samples than its dataset has."""

    RANK = auto()
    """Each rank reads its own part."""
    SUBSET = auto()
    """The sampler draws a part."""
    TAIL = auto()
    """The last batch is left out."""
    START = auto()
    """The loop is left after some batches."""


class FullBatches(NamedTuple):
    """A count over the samples of a loop, divided as if the last batch were full."""

    place: Place
    """Where the loader's length is asked for."""
    loader: Loader
    loop: BatchLoop


class Division(NamedTuple):
    """`total / len(loader.dataset)` behind a loop that has summed over the loader's batches."""

    place: Place
    """Where the length is asked for."""
    dataset: Place
    """Where `loader.dataset` stands."""
    text: str
    """The name of the data set."""
    owner: str | None
    """By which dotted name the loader goes there; None where it has none."""
    loader: Loader
    loop: BatchLoop
    part: Part


# -- as if every batch were full


def full_batches(context: AnalysisContext) -> Iterator[FullBatches]:
    """Counts over loops whose last batch may hold fewer samples than it is taken to."""
    for call in calls_to(context, "builtins.len"):
        given = written(call, 0)
        divided = None if given is None else _divided_by_product(call)
        if given is None or divided is None:
            continue
        total, factor = divided
        for loader in context[Loaders].denoted(given, call.scope)[:1]:
            loop = next((x for x in loader.loops if _counts(loader, x, call, total)), None)
            if loop is not None and _is_batch_size(loader, factor, call.scope):
                yield FullBatches(context.place_of(call), loader, loop)


def _divided_by_product(call: ex.Call) -> tuple[ex.Expression, ex.Expression] | None:
    """What is divided by a product with a length, and the product's other factor."""
    for part in divisions_beside(call):
        product = part.right
        if isinstance(product, ex.Binary) and product.operator == "*":
            sides = (product.left, product.right)
            if call in sides:
                return part.left, sides[1 - sides.index(call)]
    return None


def _is_batch_size(loader: Loader, factor: ex.Expression, scope: Scope) -> bool:
    """Whether a factor is certainly the loader's batch size, and the last batch may be smaller."""
    context = loader.context
    found = context.evaluator.of(factor, context.solver.root(scope))
    sizes = {a.value for a in loader.argument("batch_size")}
    if len(sizes) != 1 or {a.value for a in found} != sizes or not _is_number(*sizes):
        return False
    dropping = any(a.value not in (ABSENT, FALSE) for a in loader.argument("drop_last"))
    return not dropping and not volume_of(loader).fills_batches and not _is_made_up(loader)


def _is_number(value: object) -> bool:
    return isinstance(value, Literal) and value.kind == "int" and value.value != 1


def _is_made_up(loader: Loader) -> bool:
    """Whether a framework decides what the loader gives."""
    return bool(loader.context[Consumption].of(loader.made))


def _counts(loader: Loader, loop: BatchLoop, call: ex.Call, total: ex.Expression) -> bool:
    """Whether a dividend counts samples in a loop that ends before the division."""
    return (loop.scope is call.scope or len(loop.loaders) == 1) and any(
        isinstance(part, ex.Call) and part.name in _COUNTING
        for added in sums(loader, loop, call.scope, total)
        for part in walk.walk(added)
    )


# -- by the size of the whole dataset


def divisions(context: AnalysisContext) -> Iterator[Division]:
    """Sums over the samples of a part, divided by the size of the whole dataset."""
    for ratio in length_ratios(context):
        whole, scope = written(ratio.length, 0), ratio.length.scope
        named = None if whole is None else ex.unnamed(whole)
        if whole is not None and _is_of_loader(named):
            loaders = context[Loaders].denoted(named.value, scope)
            yield from _division_by(ratio, whole, loaders)
        elif isinstance(whole, ex.Reference | ex.Attribute):
            loaders = given_to(context, whole, scope)
            yield from _division_by(ratio, whole, loaders or drawing_from(context, whole, scope))
            drawing = drawing_indices(context, whole, scope)
            yield from _division_by(ratio, whole, drawing, of_sampler=True)


def _is_of_loader(whole: ex.Expression | None) -> TypeGuard[ex.Attribute]:
    """`loader.dataset`."""
    return isinstance(whole, ex.Attribute) and whole.name == "dataset"


def _division_by(
    ratio: LengthRatio, whole: ex.Expression, loaders: list[Loader], *, of_sampler: bool = False
) -> Iterator[Division]:
    """Divisions by the size of a data set, or of the part of it that the sampler draws."""
    total, scope = ratio.total, ratio.scope
    for loader in loaders[:1]:
        behind = (x for x in loader.loops if not _is_begun_anew(x, ratio))
        loop = next((x for x in behind if any(sums(loader, x, scope, total))), None)
        part = None if loop is None else _part_of(loaders, loop, scope)
        if loop is not None and of_sampler:
            part = Part.START if stops_at_number(loop) else None
        if loop is None or part is None or not _adds_up(loader, loop, ratio, part):
            continue
        if not _is_made_up(loader):
            place = Place(scope.module.path, *ratio.divisor.span)
            dataset = Place(ratio.length.scope.module.path, *whole.span)
            is_written = ratio.divisor is ratio.length and _is_of_loader(whole)
            owner = ex.dotted(whole.value) if is_written and _is_of_loader(whole) else None
            text = "dataset" if owner else ex.spelled(whole) or "dataset"
            yield Division(place, dataset, text, owner, loader, loop, part)


def _is_begun_anew(loop: BatchLoop, ratio: LengthRatio) -> bool:
    """Whether a sum gets another value between a loop of its function and where it is divided."""
    if loop.scope is not ratio.scope:
        return False
    names = {p.name for p in walk.walk(ratio.total) if isinstance(p, ex.Reference)}
    start, end = loop.statement.span[1], ratio.divisor.span[0]
    return any(
        start <= definition.span[0] < end and not _reads(definition.value, name)
        for name in names
        for definition in walk.bindings_of(loop.scope, name)
    )


def _reads(value: ex.Expression, name: str) -> bool:
    return any(isinstance(part, ex.Reference) and part.name == name for part in walk.walk(value))


def _part_of(loaders: list[Loader], loop: BatchLoop, scope: Scope) -> Part | None:
    """The part of their dataset that a loop over one of some loaders reads for certain.

    Where another function goes through them, it may be any of its own.
    """
    others = [] if loop.scope is scope else map(loop.context[Loaders].of, loop.loaders)
    parts = {_part_read(loader) for loader in (*loaders, *others)}
    part = parts.pop() if len(parts) == 1 else None
    if part is None or (part is Part.RANK and _is_combined(loop.context, scope)):
        return Part.START if stops_at_number(loop) else None
    return part


def _adds_up(loader: Loader, loop: BatchLoop, ratio: LengthRatio, part: Part) -> bool:
    """Whether a loop adds up its dividend; where only a tail is left out, sample by sample.

    A mean over each batch is too small by the batch size anyway, whatever is left out.
    """
    by_samples = part in (Part.TAIL, Part.START)
    return any(
        not by_samples or _is_over_samples(loop, added)
        for added in sums(loader, loop, ratio.scope, ratio.total)
    )


def _is_over_samples(loop: BatchLoop, added: ex.Expression) -> bool:
    """Whether what a batch adds grows with its samples: a count, a product, a summed loss."""
    module = loop.scope.module
    if loop.context.project.says(module.path, _SUMMED) or _asks_for_sums(module):
        return True
    parts = parts_in_function(added)
    return any(
        (isinstance(part, ex.Call) and part.name in _COUNTING)
        or (isinstance(part, ex.Binary) and part.operator == "*")
        for part in parts
    )


def _asks_for_sums(module: ModuleIndex) -> bool:
    """Whether a call in a module is told to add up the samples of a batch, if by a name."""
    return any(
        (given := ex.constant(written(call, None, name))) is not None and given.value == asked
        for scope in module.scopes
        for call in scope.calls
        for name, asked in _SUMMING.items()
    )


def _is_combined(context: AnalysisContext, scope: Scope) -> bool:
    """Whether ranks put together what a function adds up, in it or where it is called."""
    return _combines(scope) or any(map(_added_up, leading_to(context, scope, deep=2)))


def _combines(scope: Scope) -> bool:
    """Whether a function asks other ranks for their sums, or how many they are."""
    return any(COMBINING.search(call.name or "") for call in scope.calls) or any(
        isinstance(part, ex.Reference | ex.Attribute) and COMBINING.search(part.name)
        for part in walk.parts(scope.body)
    )


def _part_read(loader: Loader) -> Part | None:
    """Which part of its dataset a loader reads for certain, where that is not all of it."""
    given = loader.argument("sampler")
    if all(a.value in (ABSENT, NONE) for a in given):
        batched = any(a.value not in (ABSENT, NONE) for a in loader.argument("batch_sampler"))
        dropping = all(a.value == TRUE for a in loader.argument("drop_last"))
        full = volume_of(loader).fills_batches
        return Part.TAIL if dropping and not batched and not full else None
    drawn = [a.value for a in given if not isinstance(a.value, Absent) and a.value != NONE]
    if len(drawn) == len(given) and all(library_path(value) in known.SUBSETS for value in drawn):
        return Part.SUBSET
    by_rank = all(_draws_by_rank(loader.context, value) for value in drawn)
    return Part.RANK if by_rank and _is_certain(loader) else None


def _draws_by_rank(context: AnalysisContext, sampler: Value) -> bool:
    return library_path(sampler) in known.DISTRIBUTED or draws_part(context, sampler)


def _is_certain(loader: Loader) -> bool:
    return all(
        constant_folding.is_object(a.value) or a.value in (ABSENT, NONE)
        for a in loader.argument("sampler")
    )


# -- over all ranks


def _adds_over_ranks(loop: BatchLoop) -> bool:
    """Whether the function of a loop has the ranks add what each of them has counted.

    Or one on each way to it, of what it hands on to the loop or is given by it.
    """
    if any(map(_reduces, loop.scope.calls)):
        return True
    return bool(on_every_path(loop.context, loop.scope, _added_up))


def _reduces(call: ex.Call) -> bool:
    return REDUCING.search(call.name or "") is not None


def _added_up(call: ex.Call) -> tuple[ex.Call, ...]:
    """A call, where the ranks add what it is given or gives."""
    shared = [call, *(origin_of(argument.value) for argument in call.arguments)]
    reduced = (written(other, 0) for other in call.scope.calls if _reduces(other))
    added = any(given is not None and origin_of(given) in shared for given in reduced)
    return (call,) if added else ()


def padded(sampler: Sampler) -> BatchLoop | None:
    """A loop that only evaluates, over a sampler that repeats samples, and adds up over ranks."""
    dropping = (a for a in sampler.argument("drop_last") if not a.is_absent)
    if sampler.has_own_order or any(a.truth is not False for a in dropping):
        return None
    loops = [(loader, loop) for loader in sampler.loaders for loop in loader.loops]
    if not loops or not all(is_evaluation(loop) for _, loop in loops):
        return None
    for loader, loop in loops:
        if not sampler.context[Consumption].of(loader.made) and _adds_over_ranks(loop):
            return loop
    return None
