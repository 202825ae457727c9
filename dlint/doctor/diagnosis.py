"""All that a run of a script says of it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from dlint.doctor.binding import Bound, Seen, bound
from dlint.doctor.cautions import cautions
from dlint.doctor.ceiling import Ceiling, ceiling
from dlint.doctor.fetching import Fetching, Queue, fetching, queue
from dlint.doctor.handing import handing
from dlint.doctor.hazards import Hazard, hazards
from dlint.doctor.machine import Machine, machine, tight
from dlint.doctor.remedies import Remedy
from dlint.doctor.settings import Known, Settings, settings
from dlint.doctor.timeline import TimeLine, slowest, time_lines
from dlint.doctor.tuning.setting import Facts
from dlint.verify.measure.record import Record
from dlint.verify.run.runner import Run


@dataclass(slots=True)
class Diagnosis:
    """What was found; None where a run did not come to it."""

    program: str
    command: Sequence[str]
    bound: Bound | None = None
    cautions: Sequence[str] = ()
    """Why its figures may not be relied on."""
    line: TimeLine | None = None
    ranks: Sequence[TimeLine] = ()
    ceiling: Ceiling | None = None
    fetching: Fetching | None = None
    queue: Queue | None = None
    machine: Machine | None = None
    tight: Sequence[str] = ()
    hazards: Sequence[Hazard] = ()
    failure: str | None = None
    """Why the script did not run to its end, where it failed."""
    settings: Settings | None = None
    """Settings of the training loader that are worth a try."""
    trial: str | None = None
    """The command that tries them."""
    tune: str | None = None
    """The command that looks for the best ones, where some are foreseen to be better."""
    facts: Facts | None = None
    """What settings of the loader are foreseen by."""
    remedies: Sequence[Remedy] = ()
    """Findings of `dlint check`, those first that can bring most."""
    notes: list[str] = field(default_factory=list)
    environment: Mapping[str, Any] = field(default_factory=dict)
    seconds: float = 0.0
    runs: int = 0
    when: str = ""


def diagnose(run: Run, diagnosis: Diagnosis) -> None:
    """Say what a run shows."""
    records = [record for record in run.records if record.training is not None]
    lines = time_lines(records)
    diagnosis.hazards = hazards(run)
    diagnosis.fetching = found = fetching(run, records)
    diagnosis.machine = machine(run, records, found)
    diagnosis.tight = list(tight(diagnosis.machine, found))
    if not lines or run.record is None:
        return
    diagnosis.ranks, diagnosis.line = lines, slowest(lines)
    diagnosis.ceiling = most = ceiling(records, diagnosis.line)
    diagnosis.cautions = list(cautions(diagnosis.line, most, len(records)))
    loader, examined = run.training, run.record.doctor
    if loader is not None and examined is not None:
        diagnosis.queue = queue(loader, examined)
    if most is None:
        return
    diagnosis.bound = bound(Seen(diagnosis.line, most, found, diagnosis.machine.cpus, len(lines)))
    if loader is not None and found is not None:
        kind, on_gpu = diagnosis.bound.kind, run.record.on_device
        known = Known(kind, loader, found, most, diagnosis.machine, on_gpu)
        diagnosis.settings = settings(known)
        diagnosis.facts = _facts(known, diagnosis.line, run.record)


def _facts(known: Known, line: TimeLine, record: Record) -> Facts:
    """The same, with what settings are foreseen by beside it."""
    return Facts(
        known.loader,
        known.fetching,
        known.ceiling,
        line,
        known.machine,
        known.on_gpu,
        _may_fork(record),
        handing(known.loader, record, known.fetching),
        max((one.used / one.total for one in record.cuda_memory if one.total), default=None),
    )


def _may_fork(record: Record) -> bool:
    """Whether workers may be forked: where they started, the program had no threads of its own, and
    no device was in use."""
    starts = () if record.doctor is None else record.doctor.starts
    return bool(starts) and not record.on_device and not any(s.threads or s.cuda for s in starts)
