"""What is said of loaders that only evaluate, with an argument that evaluation does without."""

from __future__ import annotations

from typing import TYPE_CHECKING

from dlint.findings.diagnostic import Related
from dlint.model.loading.smoke_tests import evaluates_untrained

if TYPE_CHECKING:
    from dlint.model.loading.loader import Loader
    from dlint.rules.loader._chosen import Chosen


def is_asked_for(loader: Loader, name: str) -> bool:
    """Whether an argument is `True` wherever the project makes the loader."""
    found = loader.argument(name)
    return bool(found) and all(a.is_true and a.holds_in_calls for a in found)


def is_shared(found: Chosen) -> bool:
    """Whether the function also makes a loader that trains, with the same argument."""
    return bool(found.others) and not found.at_caller


def is_plain(found: Chosen) -> bool:
    """Whether all loaders of the function evaluate, their caller decides, or others train.

    None is where a module tries itself out, with a model that has learned nothing.
    """
    if evaluates_untrained(found.loaders[0].context, found.place):
        return False
    return not is_shared(found) or any(loader.trains for loader in found.others)


def told(found: Chosen, message: str) -> str:
    """A message with what is to be done: give another value, where the argument is a default."""
    mend = f"leave `{found.name}` out"
    if found.default is not None:
        mend = f"give `{found.name}=False`, as it is on by the {found.default}"
    return message.format(mend=mend)


def related(found: Chosen) -> tuple[Related, ...]:
    """What else a reader has to see: where the loader is made, or for whom."""
    first = found.loaders[0]
    if found.at_caller:
        return (Related(first.place, "the loader is made here"),)
    if found.others or (found.default is not None and first.has_context):
        return (Related(found.maker, "this loader is only evaluated"),)
    return ()
