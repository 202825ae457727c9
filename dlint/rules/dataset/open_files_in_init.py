"""open-files-in-init: images that a constructor opens by the thousand and does not decode."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

from dlint.analyses.object_state.sample_access import is_read_later
from dlint.findings.diagnostic import Related, Severity
from dlint.findings.finding import Finding
from dlint.model.data.datasets import dataset_classes
from dlint.model.data.handles import images_left_open, is_opened_at_times

if TYPE_CHECKING:
    from dlint.analyses.context import AnalysisContext
    from dlint.findings.places import Place


def check(context: AnalysisContext) -> Iterator[Finding]:
    """Lists of opened images that objects of dataset classes keep, once for each place."""
    seen: set[Place] = set()
    for dataset in context[dataset_classes]:
        for owner, place, attribute in images_left_open(dataset):
            if place not in seen and not dataset.keeps_all_by_design:
                seen.add(place)
                loaders = dataset.loaders[:1]
                later = is_read_later(context, dataset.cls, attribute)
                where = "in `__getitem__`" if later else "each where it is decoded, with `with`"
                yield Finding(
                    Severity.WARNING if is_opened_at_times(owner, place) else Severity.ERROR,
                    f"`{owner.name}` opens an image for each sample in `__init__` and keeps them "
                    f"in `self.{attribute}`: `Image.open` decodes nothing and leaves the file "
                    "open, so more images than the process may open files (often 1024) raise "
                    "`OSError: Too many open files`; keep the paths and open "
                    f"{where}",
                    place,
                    tuple(Related(x.place, "this loader is given the dataset") for x in loaders),
                )
