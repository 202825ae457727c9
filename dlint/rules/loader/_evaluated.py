"""What is said of loaders that only evaluate, with an argument that evaluation does without."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING, NamedTuple

from dlint.findings.diagnostic import Related
from dlint.model.loading.call_contexts import used
from dlint.model.loading.loaders import Loaders
from dlint.model.loading.phase_loaders import evaluated_phases
from dlint.model.loading.smoke_tests import evaluates_untrained

if TYPE_CHECKING:
    from dlint.analyses.context import AnalysisContext
    from dlint.model.loading.loader import Loader
    from dlint.rules.loader._chosen import Chosen


class ForPhases(NamedTuple):
    """Loaders that one call makes for several phases, of which some only evaluate."""

    loader: Loader
    phases: str
    """The words for those: "`val` is"."""


def made_for_phases(context: AnalysisContext, name: str) -> Iterator[ForPhases]:
    """The loaders of a call that are given an argument for training and evaluation alike."""
    for group in context[Loaders].told():
        found = used(group)
        for loader in found if all(is_asked_for(x, name) for x in found) else ():
            phases = evaluated_phases(loader) if loader.is_made else ()
            if phases:
                named = " and ".join(f"`{phase}`" for phase in phases)
                yield ForPhases(loader, f"{named} {'is' if len(phases) == 1 else 'are'}")
                break


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
