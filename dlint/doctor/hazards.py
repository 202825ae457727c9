"""What went wrong while a script ran, or would."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from itertools import combinations
from typing import Any, NamedTuple

from dlint.verify.measure.examined import Examined, LoaderFacts
from dlint.verify.measure.record import LoaderRecord, Record
from dlint.verify.run.runner import Run

_SAME = 0.5
"""The share of the first samples of two workers, or of the indices of two ranks, from which on they
are said to read the same."""
_FEWEST_HASHES, _FEWEST_INDICES = 4, 16
_SHAPED, _ODD = 64, 0.05
"""Samples that must have been seen for one to be unlike the others, and the share of them that may
be."""
_TOKENIZERS = re.compile(r"huggingface/tokenizers: The current process just got forked")


class Hazard(NamedTuple):
    """Something to mend."""

    kind: str
    text: str
    place: tuple[str, int] | None = None
    """Where the loader is made."""
    information: bool = False
    """Whether it harms only where something else comes to it."""


def hazards(run: Run) -> list[Hazard]:
    """Everything that was seen, once."""
    found: list[Hazard] = []
    for record in run.records:
        found += _of_record(record)
    found += _of_workers(run)
    found += _of_ranks(run)
    if _TOKENIZERS.search(run.stderr):
        found.append(
            Hazard(
                "tokenizers",
                "tokenizers had used its threads when workers were forked, and works with one "
                "from then on: `TOKENIZERS_PARALLELISM`, or tokenize in the workers only",
            )
        )
    return list(dict.fromkeys(found))


def _of_record(record: Record) -> Iterator[Hazard]:
    examined = record.doctor
    if examined is None:
        return
    yield from _of_starts(examined)
    for loader, facts in zip(record.loaders, examined.loaders, strict=False):
        yield from _of_loader(loader, facts)


def _of_starts(examined: Examined) -> Iterator[Hazard]:
    for start in examined.starts:
        if start.method == "fork" and start.threads:
            names = ", ".join(start.threads[:4])
            yield Hazard(
                "threads at fork",
                f"threads of the program were alive when workers were forked ({names}): a lock "
                "that one of them holds is never released in the workers; start them later, or "
                "the workers by `spawn`",
            )
        if start.method == "fork" and start.cuda:
            yield Hazard(
                "CUDA at fork",
                "CUDA, or another accelerator, was in use when workers were forked: what they do "
                "there fails (`Cannot re-initialize CUDA in forked subprocess`); it harms nothing "
                "as long as they stay on the CPU",
                information=True,
            )
        if start.method == "fork" and (start.opencv or 0) > 1:
            yield Hazard(
                "OpenCV at fork",
                f"OpenCV worked with {start.opencv} threads when workers were forked: if the "
                "program had used them, a call in a worker may wait for one for ever; "
                "`cv2.setNumThreads(0)` before",
                information=True,
            )


def _of_loader(loader: LoaderRecord, facts: LoaderFacts) -> Iterator[Hazard]:
    whole = [epoch for epoch in loader.epochs if epoch.tail is not None]
    if any(not epoch.batches for epoch in whole):
        why = ""
        if isinstance(loader.batch_size, int) and facts.samples:
            why = f": {facts.samples} samples make no batch of {loader.batch_size}"
        yield Hazard("empty loader", f"a loader gave no batch at all{why}", loader.site)
    counts = {epoch.batches for epoch in whole if epoch.batches}
    wrong = [n for n in sorted(counts) if loader.length is not None and n != loader.length]
    if wrong:
        yield Hazard(
            "length",
            f"`len()` of the loader says {loader.length} batches, an epoch had {wrong[0]}",
            loader.site,
        )
    size = loader.batch_size
    trains = loader.optimizer_steps and not loader.drop_last and facts.iterable is False
    if trains and isinstance(size, int) and size > 1 and (facts.samples or 0) % size == 1:
        yield Hazard(
            "last batch of one",
            f"the last of {loader.length} batches has 1 sample, of {facts.samples} in batches "
            f"of {size}: batch norm fails or learns noise from it; `drop_last=True`",
            loader.site,
        )


def _of_workers(run: Run) -> Iterator[Hazard]:
    workers = {p for r in run.records for loader in r.loaders for p in loader.worker_pids}
    for pid, met, site in _met(run):
        if met["nones"]:
            yield Hazard("None", _nones(met), site)
        if met["failure"]:
            yield Hazard("collate", _failure(met["failure"]), site)
        if met["on_device"] and pid in workers:
            yield Hazard(
                "CUDA in workers",
                "workers make tensors on the GPU: each has a context of its own there, and hands "
                "them over by handles that must be kept alive; move them in the program",
                site,
            )
    yield from _of_streams(run)
    yield from _of_shapes(run)


def _met(run: Run) -> Iterator[tuple[int, Mapping[str, Any], tuple[str, int] | None]]:
    """What each process met of each loader, and where that loader is made."""
    for record in run.records:
        for number, loader in enumerate(record.loaders):
            for pid, met in _of_processes(run, record, number, loader):
                yield pid, met, loader.site


def _of_processes(
    run: Run, record: Record, number: int, loader: LoaderRecord
) -> Iterator[tuple[int, Mapping[str, Any]]]:
    """What each process met of one loader."""
    for pid in dict.fromkeys((*loader.worker_pids, record.pid)):
        for met in _known(run, pid):
            if met["loader"] == (number if pid == record.pid else None):
                yield pid, met


def _known(run: Run, pid: int) -> Sequence[Mapping[str, Any]]:
    fetched = run.fetched.get(pid)
    return () if fetched is None else fetched.met


def _nones(met: Any) -> str:
    places = ", ".join(str(index) for index in met["none"] if index is not None)
    where = f", the first at index {places}" if places else ""
    return f"{met['nones']} of {met['samples']} samples were None{where}"


def _failure(failure: Any) -> str:
    told = f"a batch could not be made: {failure['error'].splitlines()[0]}"
    if failure["odd"] is None:
        return told
    at = "" if failure["index"] is None else f" at index {failure['index']}"
    return f"{told}; the sample{at} is {failure['odd']}, others are {failure['usual']}"


def _of_shapes(run: Run) -> Iterator[Hazard]:
    """Samples that few others are like, where a batch was made of them all the same."""
    for record in run.records:
        for number, loader in enumerate(record.loaders):
            own = [met for _, met in _of_processes(run, record, number, loader)]
            if not any(met["failure"] for met in own) and (said := _odd(_shapes(own))):
                yield Hazard("odd shape", said, loader.site, information=True)


def _shapes(known: Sequence[Mapping[str, Any]]) -> dict[str, tuple[int, Any]]:
    """By shape, how many samples have it, and the index of one."""
    found: dict[str, tuple[int, Any]] = {}
    for met in known:
        for one in met.get("shapes", ()):
            before, first = found.get(one["usual"], (0, one["index"]))
            found[one["usual"]] = (before + one["count"], first)
    return found


def _odd(counts: Mapping[str, tuple[int, Any]]) -> str | None:
    """What is said of the shapes of some samples; nothing where none of them is unusual."""
    usual = max(counts, key=lambda shape: counts[shape][0], default="")
    odd = {shape: found for shape, found in counts.items() if shape != usual}
    few, seen = (sum(count for count, _ in known.values()) for known in (odd, counts))
    if not odd or seen < _SHAPED or few > _ODD * seen:
        return None
    shape, (_, index) = next(iter(odd.items()))
    where = "" if index is None else f", one at index {index}"
    return (
        f"{few} of {seen} samples are unlike the others{where}: {shape}, others are {usual}; "
        "batches are made of them all the same"
    )


def _of_streams(run: Run) -> Iterator[Hazard]:
    """Workers of one iterable data set that read the same."""
    for record in run.records:
        for loader in record.loaders:
            first = loader.worker_pids[: loader.workers]
            met = [met for pid in first for met in _known(run, pid)]
            known = [one["hashes"] for one in met if not one["indices"]]
            if any(_are_same(one, two, _FEWEST_HASHES) for one, two in combinations(known, 2)):
                yield Hazard(
                    "duplicates",
                    f"workers of an iterable data set read the same samples: each of "
                    f"{loader.workers} gives all of them; divide them by `get_worker_info()`",
                    loader.site,
                )


def _of_ranks(run: Run) -> Iterator[Hazard]:
    records = [record for record in run.records if record.training is not None]
    for one, two in combinations(records, 2):
        first, second = one.training, two.training
        assert first is not None
        assert second is not None
        if None not in (first.length, second.length) and first.length != second.length:
            yield Hazard(
                "ranks apart",
                f"rank {one.rank} has {first.length} batches an epoch, rank {two.rank} "
                f"{second.length}: the others wait for ever at a collective",
                first.site,
            )
        if _read_the_same(_read(run, one), _read(run, two)):
            yield Hazard(
                "duplicates",
                "ranks read the same samples: a `DistributedSampler` divides them",
                first.site,
            )


def _read(run: Run, record: Record) -> Sequence[Mapping[str, Any]]:
    """What the processes of a rank met of its training loader."""
    loader = record.training
    first = () if loader is None else loader.worker_pids[: loader.workers]
    wanted = None if first else record.train
    met = (met for pid in first or (record.pid,) for met in _known(run, pid))
    return [one for one in met if one["loader"] == wanted]


def _read_the_same(one: Sequence[Mapping[str, Any]], two: Sequence[Mapping[str, Any]]) -> bool:
    """Whether two ranks read the same samples: most of their indices are the same, and so is what
    they found there. A rank whose data set is another one counts from zero, too."""
    if not _are_same(_indices(one), _indices(two), _FEWEST_INDICES):
        return False
    first, second = _by_index(one), _by_index(two)
    common = first.keys() & second.keys()
    same = {first[index] for index in common if first[index] == second[index]}
    return len(common) >= _FEWEST_HASHES and len(same) == len(common)


def _indices(side: Sequence[Mapping[str, Any]]) -> list[Any]:
    return [index for met in side for index in met["indices"]]


def _by_index(side: Sequence[Mapping[str, Any]]) -> dict[Any, str]:
    """Hashes of the first samples by their indices."""
    pairs = (zip(met["indices"], met["hashes"], strict=False) for met in side)
    return {index: digest for rows in pairs for index, digest in rows}


def _are_same(one: Sequence[Any], two: Sequence[Any], fewest: int) -> bool:
    """Whether most of the first things of two rows are the same ones; of rows that hold the same
    thing again and again nothing is said."""
    first, second = set(one), set(two)
    if min(len(first), len(second)) < fewest:
        return False
    return len(first & second) >= _SAME * min(len(first), len(second))
