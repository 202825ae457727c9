"""One run of the program: a fresh process, bounded in time, that leaves nothing behind."""

from __future__ import annotations

import json
import math
import os
import signal
import subprocess
import tempfile
import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from types import TracebackType
from typing import Any, NamedTuple

from dlint.verify.measure import traces
from dlint.verify.measure.examined import Fetched, read_fetched
from dlint.verify.measure.record import LoaderRecord, Record, read_records, strategies
from dlint.verify.measure.traces import DeviceTime
from dlint.verify.plan.secrecy import Secrets
from dlint.verify.plan.target_script import TargetScript
from dlint.verify.run import compile_cache
from dlint.verify.run.guard import Guard
from dlint.verify.run.interrupts import INTERRUPTS
from dlint.verify.run.live import Limits, Live, watch
from dlint.verify.run.machines import PostOffice, missing, span
from dlint.verify.run.memory import Memory
from dlint.verify.run.output import loaderless, making, tail, unloaded
from dlint.verify.run.processes import Family
from dlint.verify.run.terminal import Terminal
from dlint.verify.run.view.choice import View, changes
from dlint.verify.run.view.layers import keep
from dlint.verify.run.view.removal import remove

_PROBE = Path(__file__).parent.parent / "probe"


class RunConfig(NamedTuple):
    """How a run is measured."""

    warmup: int = 10
    steps: int = 100
    seconds: float | None = None
    """The longest window; for one rank only, since ranks must stop at the same step."""
    look: bool = False
    """Whether contents are compared: then times mean little."""
    epoch_cap: int | None = None
    by_epoch: bool = False
    """Whether epochs are timed: then each batch waits for the device."""
    seed: int | None = None
    align: bool = False
    memory: bool = False
    """Whether memory is sampled."""
    profile: bool = False
    """Whether torch's profiler records the device: then times mean little."""
    skip: int = 0
    """Steps at the beginning of each turn that are not measured; of a duet only."""
    settle: float = 0.0
    """Seconds between two turns, likewise."""
    turns: int = 8
    """Turns of each side, likewise."""
    limit: float = 600.0
    """Seconds that a run may take once training has begun."""
    ends: float = math.inf
    """When it is ended in any case, on the monotonic clock."""
    doctor: Mapping[str, Any] | None = None
    """The parts of a run that is examined, see `dlint.doctor`."""


class Variant(NamedTuple):
    """The program with some files edited: the texts by their real paths."""

    name: str
    edited: Mapping[str, bytes]
    settings: Mapping[str, Any] = {}
    """What loaders are given beside their own arguments."""
    at: tuple[str, int] | None = None
    """The place where the loader is made that is given them; None for all."""


@dataclass(frozen=True, slots=True)
class Run:
    """What came of a run."""

    code: int | None
    """The exit code; None when it was ended from outside."""
    records: list[Record]
    strategies: list[str]
    memory: Memory
    seconds: float
    injected: bool
    stderr: str
    """The end of what it wrote to standard error; of its output, where that is empty. What could
    be a secret is masked."""
    over: str | None = None
    """The limit that it ran into."""
    devices: Mapping[int, Sequence[DeviceTime]] = field(default_factory=dict)
    """By process, what its devices did; only of a run that was profiled."""
    unloaded: frozenset[str] = frozenset()
    """Files of the variant that no process loaded."""
    fetched: Mapping[int, Fetched] = field(default_factory=dict)
    """By process, the batches that it made; only of a run that is examined."""
    making: Mapping[int, tuple[int, float]] = field(default_factory=dict)
    """By worker, batches behind its first one and their seconds; only of a look."""
    loaderless: bool = False
    """Whether it trained without any loader of torch's."""
    lost: tuple[str, ...] = ()
    """Ranks of other machines, or beside them, that began and left no record."""

    @property
    def record(self) -> Record | None:
        """The record of the slowest rank that has a measured window, else the first one."""
        timed = [record for record in self.records if record.window is not None]
        if timed:
            return max(timed, key=lambda r: _pace(r) or 0.0)
        with_loaders = [record for record in self.records if record.train is not None]
        return next(iter(with_loaders or self.records), None)

    @property
    def training(self) -> LoaderRecord | None:
        """The loader that feeds the training, of that record."""
        return None if self.record is None else self.record.training

    @property
    def failed(self) -> bool:
        """Whether the program ended with an error or hung."""
        return self.over is not None or self.code != 0

    @property
    def step_seconds(self) -> float | None:
        """Seconds a step in the window; of the slowest rank."""
        return None if self.record is None else _pace(self.record)

    @property
    def device(self) -> DeviceTime | None:
        """What the device of the slowest rank did, the one that computed most."""
        own = () if self.record is None else self.devices.get(self.record.pid, ())
        return max(own, key=lambda device: device.busy, default=None)

    @property
    def device_times(self) -> list[DeviceTime]:
        """What the devices of all ranks did."""
        return [device for record in self.records for device in self.devices.get(record.pid, ())]

    @property
    def worker_bytes(self) -> int:
        """The most private memory of any worker process."""
        pids = {pid for r in self.records for loader in r.loaders for pid in loader.worker_pids}
        return max((n for pid, n in self.memory.peak_private.items() if pid in pids), default=0)


def _pace(record: Record) -> float | None:
    window = record.window
    return window.seconds / window.steps if window is not None and window.steps > 0 else None


@dataclass
class Runner:
    """Runs variants of one program in a scratch folder that is removed at the end."""

    program: TargetScript
    project: Path
    environment: Mapping[str, str] = field(default_factory=dict)
    startup_limit: float = 300.0
    cwd: Path = field(default_factory=Path.cwd)
    guard: Guard | None = None
    """Told of every run, where there is one; it also gives the scratch folder."""
    view: View | None = None
    """What keeps runs from the user's files; None for nothing."""
    terminal: bool = False
    """Whether the standard input of runs is a terminal."""
    address: str | None = None
    """The name of this machine, as others reach it that run ranks."""

    @property
    def compiled(self) -> Path:
        """What `torch.compile` makes of the program, for all of its runs."""
        return self.folder / "inductor"

    def __enter__(self) -> Runner:
        above = None if self.guard is None else self.guard.folder
        self.folder = Path(tempfile.mkdtemp(prefix="dlint-", dir=above)).resolve()
        self.count = 0
        """Runs so far."""
        self._written: dict[str, dict[str, str]] = {}
        self.layers: list[Path] = []
        """What looks prepared, below all later runs."""
        compile_cache.seed(self.compiled)
        self._office: PostOffice | None = None
        if span(self.program.launcher):
            self._office = PostOffice(self.folder, self.program.python, self.address)
            self._office.open()
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        traceback: TracebackType | None,
    ) -> None:
        with INTERRUPTS.held():
            if self._office is not None:
                self._office.close()
            remove(self.folder)

    def run(self, variant: Variant, setting: RunConfig) -> Run:
        """Run a variant to the end of its window, or to whatever ends it before."""
        (run,) = self.at_once([variant], setting)
        return run

    def at_once(self, variants: Sequence[Variant], setting: RunConfig) -> list[Run]:
        """Run several variants beside each other, each as `run` does."""
        overs: list[str | None] = [None] * len(variants)
        lives: list[Live] = []
        with INTERRUPTS.held():
            try:
                for variant in variants:
                    lives.append(self._begin(variant, setting, gated=False))
                with INTERRUPTS.let_through():
                    limits = Limits(self.startup_limit, setting.limit, self.compiled, setting.ends)
                    overs = watch(lives, limits, setting.memory)
            finally:
                for live in lives:
                    self._end(live)
                for live in lives if setting.look else ():
                    self._keep_prepared(live)
        return [self._result(live, over) for live, over in zip(lives, overs, strict=True)]

    def _keep_prepared(self, live: Live) -> None:
        """Keep what the run prepared before it trained."""
        began = [path.stat().st_mtime for path in live.out.glob("started.*")]
        if began and self.view is not None and self.view.keeps_layers:
            layer = self.folder / f"layer{live.folder.name}"
            layer.mkdir()
            if keep(changes(live.folder), layer, min(began)):
                self.layers.append(layer)

    def duet(self, variants: Sequence[Variant], setting: RunConfig) -> list[Run]:
        """Run two variants that take turns; `steps` of the setting are those of a turn."""
        (runs,) = self.duets([(variants, setting)])
        return runs

    def duets(self, couples: Sequence[tuple[Sequence[Variant], RunConfig]]) -> list[list[Run]]:
        """The same of several couples, one after the other; but all start at once, and those whose
        time has not come wait."""
        from dlint.verify.measure import interleaved

        overs: list[str | None] = [None] * len(couples)
        lives: list[list[Live]] = []
        alive: list[Live] = []
        with INTERRUPTS.held():
            try:
                for variants, setting in couples:
                    lives.append([])
                    for variant in variants:
                        alive.append(self._begin(variant, setting, gated=True))
                        lives[-1].append(alive[-1])
                with INTERRUPTS.let_through():
                    if len(couples) > 1:
                        interleaved.gather(alive, self.startup_limit, couples[0][1].ends)
                    for number, (_, setting) in enumerate(couples):
                        turns = interleaved.turns_of(setting, self.startup_limit)
                        overs[number] = interleaved.conduct(lives[number], turns)
            finally:
                for live in alive:
                    self._end(live)
        rows = zip(lives, overs, strict=True)
        return [[self._result(live, over) for live in begun] for begun, over in rows]

    def _begin(self, variant: Variant, setting: RunConfig, gated: bool) -> Live:
        self.count += 1
        folder = self.folder / f"{self.count}"
        for name in ("out", "tmp", "gate"):
            (folder / name).mkdir(parents=True)
        config = folder / "probe.json"
        facts = self._config(variant, setting, folder)
        texts = self._texts(variant)
        facts["edited"] = texts
        facts["set"], facts["set_at"] = dict(variant.settings), variant.at
        facts["gate"] = str(folder / "gate") if gated else None
        further: Mapping[str, str] = {}
        if self._office is not None:
            facts["post"] = self._office.told(self.count)
            further = self._office.variable(facts, variant.edited)
        config.write_text(json.dumps(facts), "utf-8")
        began = time.monotonic()
        terminal = Terminal(self.terminal)
        process = self._start(folder, config, terminal, further)
        family = Family(process.pid, str(config))
        return Live(folder, process, family, Memory(), began, texts, terminal)

    def _config(self, variant: Variant, setting: RunConfig, folder: Path) -> dict[str, object]:
        return {
            "skip": setting.skip,
            "out": str(folder / "out"),
            "board": self.environment.get("DLINT_BOARD") and str(folder / "board"),
            "launched": time.time(),
            "project": str(self.project),
            "warmup": setting.warmup,
            "steps": setting.steps,
            "seconds": setting.seconds,
            "look": setting.look,
            "epoch_cap": setting.epoch_cap,
            "by_epoch": setting.by_epoch,
            "seed": setting.seed,
            "align": setting.align,
            "profile": setting.profile,
            "doctor": setting.doctor,
            "redirect": None if self.view is None else self.view.redirection(folder),
            "layered": self.view is not None and self.view.kind == "overlay",
        }

    def _texts(self, variant: Variant) -> dict[str, str]:
        """The files that hold the edited texts; written once for each variant."""
        if variant.name not in self._written:
            folder = self.folder / f"texts{len(self._written)}"
            folder.mkdir()
            paths = {}
            for number, (path, text) in enumerate(sorted(variant.edited.items())):
                target = folder / f"{number}.py"
                target.write_bytes(text)
                paths[path] = str(target)
            self._written[variant.name] = paths
        return self._written[variant.name]

    def _environment(self, folder: Path, config: Path) -> dict[str, str]:
        """What all runs compile is kept in one place: the usual one is in a temporary folder, which
        each run has for itself."""
        old = os.environ.get("PYTHONPATH")
        return {
            "PYTHONHASHSEED": "0",
            "TORCHINDUCTOR_CACHE_DIR": str(self.compiled),
            **os.environ,
            **self.environment,
            "PYTHONPATH": str(_PROBE) + (os.pathsep + old if old else ""),
            **dict.fromkeys(("TMPDIR", "TEMP", "TMP"), str(folder / "tmp")),
            "DLINT_PROBE": str(config),
        }

    def _result(self, live: Live, over: str | None) -> Run:
        """What came of a run that has ended. Its folder is removed."""
        try:
            lost = () if self._office is None else missing(live.out)
            secrets = Secrets(self.program.command(), {**os.environ, **self.environment})
            records = read_records(live.out, secrets)
            said = tail(live.folder / "stderr") or tail(live.folder / "stdout")
            return Run(
                code=None if over is not None else live.process.returncode,
                records=records,
                strategies=strategies(live.out),
                memory=live.memory,
                seconds=time.monotonic() - live.began,
                injected=(live.out / "injected").exists(),
                stderr=secrets.masked(said),
                over=over,
                devices=traces.read_all(live.out, records),
                unloaded=unloaded(live.out, live.texts),
                fetched=read_fetched(live.out, secrets),
                making=making(live.out),
                loaderless=loaderless(live.out),
                lost=lost,
            )
        finally:
            remove(live.folder)

    def _start(
        self, folder: Path, config: Path, terminal: Terminal, further: Mapping[str, str]
    ) -> subprocess.Popen[bytes]:
        stdout, stderr = (folder / name for name in ("stdout", "stderr"))
        with stdout.open("wb") as out, stderr.open("wb") as errors:
            process = subprocess.Popen(
                self._command(folder),
                stdin=terminal.stdin,
                stdout=out,
                stderr=errors,
                cwd=self.cwd,
                env={**self._environment(folder, config), **further},
                start_new_session=True,
            )
        terminal.started()
        if self.guard is not None:
            self.guard.began(process.pid, str(config))
        return process

    def _command(self, folder: Path) -> list[str]:
        words = self.program.command()
        if self.view is None:
            return words
        return self.view.command(words, folder, self.cwd, self.layers)

    def _end(self, live: Live) -> None:
        if live.process.poll() is None:
            live.process.send_signal(signal.SIGTERM)
        live.family.end()
        live.process.wait()
        live.terminal.close()
        if self.guard is not None:
            self.guard.ended(live.process.pid)
