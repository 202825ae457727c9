"""uncollatable-samples: samples that torch's collate function makes no batch of, or only lists."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

from dlint.findings.diagnostic import Related, Severity
from dlint.findings.finding import Finding
from dlint.model.loading.loaders import Loaders
from dlint.model.loading.roles import is_left_alone
from dlint.model.samples.collation import collates_by_default
from dlint.model.samples.picture_sizes import Pictures
from dlint.model.samples.uncollated import CollatedSamples

if TYPE_CHECKING:
    from dlint.analyses.context import AnalysisContext
    from dlint.findings.places import Place
    from dlint.model.loading.loader import Loader

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
    samples = CollatedSamples(loader)
    yield from _columns(loader, samples)
    yield from _lists(loader, samples)
    yield from _counts(loader, samples)
    yield from _empty_parts(loader, samples)
    yield from _pictures(loader, samples)
    yield from _targets(loader, samples)


def _lists(loader: Loader, samples: CollatedSamples) -> Iterator[Finding]:
    """Fields that are Python lists, where the loop takes them for tensors."""
    for part in samples.taken_lists():
        yield Finding(
            Severity.ERROR,
            "this part of a sample is a Python list, and torch's default collate function makes a "
            "list of tensors of it, one for each position, not one tensor for the batch, on which "
            "the loop then raises; return a tensor (`torch.tensor(...)`)",
            part.place,
            (
                Related(part.use, "the list is taken for a tensor here"),
                Related(loader.place, _DEFAULT),
            ),
        )


def _columns(loader: Loader, samples: CollatedSamples) -> Iterator[Finding]:
    """Rows of Hugging Face data sets that hold tokens or other lists, without a format."""
    use = samples.taken_columns()
    if use is not None:
        yield Finding(
            Severity.ERROR,
            "rows of this data set hold Python lists, and torch's default collate "
            "function makes lists of tensors of them, one for each position, not one tensor for "
            'the batch; ask for tensors (`.with_format("torch")`)',
            loader.place,
            (Related(use, "the batch is taken for tensors here"),),
        )


def _empty_parts(loader: Loader, samples: CollatedSamples) -> Iterator[Finding]:
    """Samples with None in the place of a part, where reading it has failed."""
    for place in samples.empty_samples():
        yield Finding(
            Severity.ERROR,
            "where a sample cannot be read, this gives one with None in it, and torch's default "
            "collate function raises TypeError on the batch; return another sample, or drop those "
            "with None in a `collate_fn`",
            place,
            (Related(loader.place, _DEFAULT),),
        )


def _counts(loader: Loader, samples: CollatedSamples) -> Iterator[Finding]:
    """Tensors with a row for each object in the picture, or word in the text."""
    for count in samples.counts():
        yield Finding(
            count.severity,
            f"this holds one part for each of the {count.what} of its sample, and torch's "
            "default collate function raises RuntimeError where their numbers differ within a "
            "batch; give the loader a `collate_fn` that keeps them apart (`tuple(zip(*samples))`) "
            "or pads them",
            count.place,
            (Related(loader.place, _DEFAULT),),
        )


def _targets(loader: Loader, samples: CollatedSamples) -> Iterator[Finding]:
    """Library data sets whose targets hold as many parts as there are in the picture."""
    found = samples.counted_targets()
    if found is not None:
        yield Finding(
            Severity.ERROR,
            f"samples of this data set hold a list of {found.what}, as many as there are in the "
            "picture, and torch's default collate function raises RuntimeError where their numbers "
            "differ within a batch; give the loader a `collate_fn` (`tuple(zip(*samples))`)",
            loader.place,
            (Related(found.place, "the data set is made here"),),
        )


def _pictures(loader: Loader, samples: CollatedSamples) -> Iterator[Finding]:
    """Library data sets whose transform leaves images, or tensors of different sizes."""
    found = samples.unequal_pictures()
    if found is None:
        return
    message = (
        "samples of this data set are PIL images, and torch's default collate function raises "
        "TypeError on them; make tensors of them (`transform=transforms.ToTensor()`)"
    )
    if found.kind is not Pictures.IMAGES:
        how = (
            "`Resize` with one number scales the shorter side alone"
            if found.kind is Pictures.SCALED
            else "no transform brings them to one size"
        )
        message = (
            f"the pictures are of different sizes, and {how}: torch's default collate function "
            "raises RuntimeError for a batch of unequal tensors; crop or scale them to a height "
            "and a width (`RandomResizedCrop(size)`, `Resize((height, width))`)"
        )
    related = (Related(loader.place, _DEFAULT),)
    yield Finding(Severity.ERROR, message, found.place, related)
