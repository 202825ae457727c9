"""`dlint verify --tune`: one run of the script, by which settings are chosen."""

from __future__ import annotations

import argparse
from typing import TYPE_CHECKING

from dlint.cli.verify_progress import Progress
from dlint.verify.run.runner import Runner

if TYPE_CHECKING:
    from dlint.doctor.tuning.tuner import Tuner

_LONGEST, _SHARE = 24.0, 0.15
"""Seconds of that run, its start included, and its share of the budget."""
_OF_MEMORY = 0.8


def tuner_of(namespace: argparse.Namespace, runner: Runner, progress: Progress) -> Tuner:
    """What chooses the setting. Raises UnmeasurableError where too little was seen."""
    from dlint.doctor.examination import examine
    from dlint.doctor.machine import memory_limit_of
    from dlint.doctor.tuning.tuner import Tuner

    diagnosis = examine(runner, min(_LONGEST, _SHARE * namespace.budget), progress)
    limit = namespace.memory_limit or int(_OF_MEMORY * memory_limit_of())
    return Tuner(diagnosis, limit)
