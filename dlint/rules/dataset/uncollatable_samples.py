"""uncollatable-samples: samples that torch's collate function makes no batch of, or only lists."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

from dlint.analyses.control.completions import is_dead
from dlint.analyses.control.path_tests import handles_exception
from dlint.findings.diagnostic import Related, Severity
from dlint.findings.finding import Finding
from dlint.findings.places import Place
from dlint.ir import expressions as ex
from dlint.ir import walk
from dlint.ir.module import Return
from dlint.library_facts import collation as known
from dlint.model.arrow_rows import copies_tokens, holds_lists, is_each
from dlint.model.collation import collates_by_default, makes_large_batches, sample_sources
from dlint.model.counted_parts import counted_parts
from dlint.model.list_fields import Located, field, is_list, keys_of
from dlint.model.loaders import Loaders
from dlint.model.picture_sizes import Pictures, pictures
from dlint.model.roles import is_left_alone
from dlint.model.tensor_uses import TensorUse, tensor_uses
from dlint.semantics.calls import attributes
from dlint.semantics.values.values import AllocationSite, External, Value

if TYPE_CHECKING:
    from dlint.analyses.context import AnalysisContext
    from dlint.ir.module import Class, Scope
    from dlint.model.loader import Loader

_DEFAULT = "this loader has no `collate_fn`"


def check(context: AnalysisContext) -> Iterator[Finding]:
    """Samples that do not fit together, once for each place."""
    seen: set[Place] = set()
    for loaders in context[Loaders].by_call().values():
        for loader in loaders:
            if loader.made_by_framework or is_left_alone(loader):
                continue
            if not collates_by_default(loader):
                continue
            for finding in _of(loader):
                if finding.place not in seen:
                    seen.add(finding.place)
                    yield finding


def _of(loader: Loader) -> Iterator[Finding]:
    yield from _token_lists(loader)
    sources = sample_sources(loader)
    classes = {attributes.project_class(value) for value in sources}
    cls = next(iter(classes)) if len(classes) == 1 else None
    if cls is not None:
        yield from _lists(loader, cls)
        yield from _counts(loader, cls)
        yield from _empty_parts(loader, cls)
    elif len(sources) == 1:
        yield from _pictures(loader, next(iter(sources)))
        yield from _targets(loader, next(iter(sources)))


def _lists(loader: Loader, cls: Class) -> Iterator[Finding]:
    """Fields that are Python lists, where the loop takes them for tensors."""
    method = loader.context.solver.classes.method(cls, "__getitem__")
    for part, use in _used_fields(loader, method) if method is not None else ():
        if not is_list(loader.context, *part):
            continue
        yield Finding(
            Severity.ERROR,
            "this part of a sample is a Python list, and torch's default collate function makes a "
            "list of tensors of it, one for each position, not one tensor for the batch, on which "
            "the loop then raises; return a tensor (`torch.tensor(...)`)",
            Place(part[1].scope.module.path, *part[0].span),
            (
                Related(loader.context.place_of(use.call), "the list is taken for a tensor here"),
                Related(loader.place, _DEFAULT),
            ),
        )


def _used_fields(loader: Loader, method: Scope) -> Iterator[tuple[Located, TensorUse]]:
    """The parts of samples that the loop takes for tensors, each with where it does."""
    for use in tensor_uses(loader):
        key = use.key(loader.context)
        keys = keys_of(method) if key is None and is_each(ex.unnamed(use.part)) else [key]
        for each in keys:
            part = None if each is None else field(loader.context, method, each)
            if part is not None:
                yield part, use


def _token_lists(loader: Loader) -> Iterator[Finding]:
    """Rows of Hugging Face data sets that hold tokens, without a format."""
    given = loader.given("dataset")
    if given is None or not holds_lists(loader.context, *given):
        return
    use = copies_tokens(loader)
    if use is not None:
        yield Finding(
            Severity.ERROR,
            "rows of this data set hold Python lists of tokens, and torch's default collate "
            "function makes lists of tensors of them, one for each position, not one tensor for "
            'the batch; ask for tensors (`.with_format("torch")`)',
            loader.place,
            (Related(loader.context.place_of(use), "the batch is taken for tensors here"),),
        )


def _empty_parts(loader: Loader, cls: Class) -> Iterator[Finding]:
    """Samples with None in the place of a part, where reading it has failed."""
    method = loader.context.solver.classes.method(cls, "__getitem__")
    for statement in walk.statements(method.body) if method is not None else ():
        if not isinstance(statement, Return) or statement.value is None or is_dead(statement):
            continue
        if method is None or not handles_exception(statement) or not _holds_none(statement.value):
            continue
        yield Finding(
            Severity.ERROR,
            "where a sample cannot be read, this gives one with None in it, and torch's default "
            "collate function raises TypeError on the batch; return another sample, or drop those "
            "with None in a `collate_fn`",
            Place(method.module.path, *statement.span),
            (Related(loader.place, _DEFAULT),),
        )


def _holds_none(sample: ex.Expression) -> bool:
    """Whether None is written as a part of a sample: `return None, None, name`."""
    match sample:
        case ex.Sequence():
            parts = sample.items
        case ex.Mapping():
            parts = tuple(value for _, value in sample.items)
        case _:
            parts = ()
    return any(isinstance(part, ex.Constant) and part.value is None for part in parts)


def _counts(loader: Loader, cls: Class) -> Iterator[Finding]:
    """Tensors with a row for each object in the picture, or word in the text."""
    if not makes_large_batches(loader):
        return
    for (expression, frame), what, severity in counted_parts(loader.context, cls):
        yield Finding(
            severity,
            f"this tensor has a row for each of the {what} of its sample, and torch's default "
            "collate function raises RuntimeError where their numbers differ within a batch; give "
            "the loader a `collate_fn` that keeps them apart (`tuple(zip(*samples))`) or pads them",
            Place(frame.scope.module.path, *expression.span),
            (Related(loader.place, _DEFAULT),),
        )


def _targets(loader: Loader, dataset: Value) -> Iterator[Finding]:
    """Library data sets whose targets hold as many parts as there are in the picture."""
    made = dataset.origin if isinstance(dataset, AllocationSite) else None
    what = known.COUNTED.get(made.path) if isinstance(made, External) else None
    if what is None or not makes_large_batches(loader) or not isinstance(dataset, AllocationSite):
        return
    passed = loader.context.solver.passed.get(dataset)
    given = {a.keyword for a, _ in passed.arguments} if passed is not None else known.MORE
    if given & known.MORE or (passed and any(a.star for a, _ in passed.arguments)):
        return
    yield Finding(
        Severity.ERROR,
        f"samples of this data set hold a list of {what}, as many as there are in the picture, and "
        "torch's default collate function raises RuntimeError where their numbers differ within a "
        "batch; give the loader a `collate_fn` (`tuple(zip(*samples))`)",
        loader.place,
        (Related(loader.context.place_of(dataset.call), "the data set is made here"),),
    )


def _pictures(loader: Loader, dataset: Value) -> Iterator[Finding]:
    """Library data sets whose transform leaves images, or tensors of different sizes."""
    found = pictures(loader.context, dataset)
    if found in (None, Pictures.EQUAL) or not isinstance(dataset, AllocationSite):
        return
    place = loader.context.place_of(dataset.call)
    related = (Related(loader.place, _DEFAULT),)
    if found is Pictures.IMAGES:
        message = (
            "samples of this data set are PIL images, and torch's default collate function raises "
            "TypeError on them; make tensors of them (`transform=transforms.ToTensor()`)"
        )
        yield Finding(Severity.ERROR, message, place, related)
        return
    origin = dataset.origin
    assert isinstance(origin, External)
    if origin.path not in known.PUBLISHED or not makes_large_batches(loader):
        return
    how = (
        "`Resize` with one number scales the shorter side alone"
        if found is Pictures.SCALED
        else ("no transform brings them to one size")
    )
    yield Finding(
        Severity.ERROR,
        f"the pictures are of different sizes, and {how}: torch's default collate function raises "
        "RuntimeError for a batch of unequal tensors; crop or scale them to a height and a width "
        "(`RandomResizedCrop(size)`, `Resize((height, width))`)",
        place,
        related,
    )
