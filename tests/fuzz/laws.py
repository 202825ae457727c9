"""One report, however it is made: the laws that each generated program is held to."""

from __future__ import annotations

import dataclasses
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager, nullcontext
from pathlib import Path

from dlint import rule_docs
from dlint.engine.analyse import analyse
from dlint.engine.request import Request
from dlint.findings.diagnostic import Diagnostic
from dlint.ir import expressions, module
from dlint.semantics.calls import call_contexts
from dlint.workspace.kinds import suffixes
from dlint.workspace.reading import Sources

RULES = frozenset(rule_docs.summaries())
_SALTS = (7_919, 611_953)


@contextmanager
def hashed_by(salt: int) -> Iterator[None]:
    """Objects that compare by identity are hashed in another order of their addresses."""
    kinds = {
        kind
        for home in (expressions, module, call_contexts)
        for kind in vars(home).values()
        if dataclasses.is_dataclass(kind) and kind.__hash__ is object.__hash__
    }
    for kind in kinds:
        kind.__hash__ = lambda self: (id(self) >> 4) * salt % 1_000_003
    try:
        yield
    finally:
        for kind in kinds:
            del kind.__hash__


def written(folder: Path, files: Mapping[str, str]) -> list[str]:
    """Write a program. Returns the paths of its files in order."""
    for name, text in files.items():
        path = folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, "utf-8", "surrogatepass", newline="")
    return sorted(str(p) for p in folder.rglob("*.*") if p.suffix in suffixes())


def report(
    folder: Path,
    files: list[str],
    reported: list[str] | None = None,
    cache: Path | None = None,
    sources: Sources | None = None,
) -> list[Diagnostic]:
    """What all rules find, in the order in which it is shown. Raises the crash of a rule."""
    paths = frozenset(files if reported is None else reported)
    request = Request(folder, files, paths, RULES, cache_dir=cache)
    outcome = analyse(request, Sources() if sources is None else sources)
    for crash in outcome.crashes:
        raise crash
    return sorted(outcome.diagnostics, key=lambda d: (d.place, d.code, d.message))


def broken_laws(folder: Path, files: list[str], cache: Path) -> Iterator[str]:
    """The ways to run that give another report than the first run did.

    Two runs that differ from it in all ways at once are enough, where they give the same.
    """
    first = report(folder, files)

    def differs(reverse: bool = False, salt: int = 0, cache: Path | None = None) -> bool:
        with hashed_by(salt) if salt else nullcontext():
            return report(folder, files[:: -1 if reverse else 1], cache=cache) != first

    at_once = [differs(True, salt, cache / "all") for salt in _SALTS]
    if any(at_once):
        yield "in several ways at once"
        yield from _ways(differs, cache / "one")
    for path in files if len(files) > 1 else ():
        if report(folder, files, [path]) != [d for d in first if d.place.path == path]:
            yield f"asked for {Path(path).name} alone"


def _ways(differs: Callable[..., bool], cache: Path) -> Iterator[str]:
    """In which ways alone it is another report."""
    ways: dict[str, Mapping[str, object]] = {
        "again": {},
        "in another order of files": {"reverse": True},
        "with an empty cache": {"cache": cache},
        "with a full cache": {"cache": cache},
        **{f"with objects hashed by {salt}": {"salt": salt} for salt in _SALTS},
    }
    yield from (way for way, given in ways.items() if differs(**given))
