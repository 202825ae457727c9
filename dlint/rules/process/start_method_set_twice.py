"""start-method-set-twice: `set_start_method` where the method has been set already."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

from dlint.findings.diagnostic import Applicability, Fix, Related, Severity
from dlint.findings.finding import Finding
from dlint.findings.operations import SetArgument
from dlint.model.loading.repeated_settings import RepeatedSetting, Repetition, repeated_settings

if TYPE_CHECKING:
    from dlint.analyses.context import AnalysisContext

_ADVICE = (
    "set it once, under the main guard, or give the loader its own by `multiprocessing_context=`"
)

_HOW = {
    Repetition.ROUND: ("this runs again in each round of a loop", "this loop repeats it"),
    Repetition.CALL: ("this runs a second time", "it is run again from here"),
    Repetition.OTHER: ("the method has been set before", "it is set here"),
    Repetition.LAUNCH: (
        "a process that `multiprocessing` started has its method set",
        "this starts the process",
    ),
}
"""What is wrong, and what is said of the place of the cause."""


def check(context: AnalysisContext) -> Iterator[Finding]:
    """Calls of `set_start_method` that come after another one, or after themselves."""
    for setting in repeated_settings(context):
        yield _finding(setting)


def _finding(setting: RepeatedSetting) -> Finding:
    how, where = _HOW[setting.by]
    message = (
        f"{how}, so `set_start_method` raises RuntimeError (context has already been set); "
        f"{_ADVICE}"
    )
    fix = Fix(
        Applicability.UNSAFE,
        "Set the method although one is set",
        (SetArgument(setting.place, "force", "True", 1),),
    )
    related = (Related(setting.cause, where),)
    return Finding(Severity.ERROR, message, setting.place, related, fix)
