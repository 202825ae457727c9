"""Reads real files: `python -m tests.fuzz.files FOLDER... --totals files.json`.

Each Python file below the folders (those of the standard library and of what is installed, where
none are given) is checked by all rules as a project of its own, with a loader at its end: files
that cannot hold any are passed over at once. All is done in one process; what stands in several
files is read once. A file is *read*, where the mistake of that loader is found or the file can be
lowered, or *told*: by a finding (no Python, an unknown encoding) or by a warning (too large). What
is neither is *silent*, which no file may be; nor may one crash dlint. Totals are kept in a file,
from which the next run goes on.
"""

from __future__ import annotations

import argparse
import json
import resource
import sys
import sysconfig
import time
from collections.abc import Iterable, Iterator, Mapping, Sequence
from hashlib import blake2b
from pathlib import Path
from typing import Any

from dlint.engine.analyse import analyse
from dlint.engine.request import Request
from dlint.ir.lower import lower
from dlint.workspace.bounds import TOO_LARGE, is_too_large
from dlint.workspace.parsing import SyntaxProblem
from dlint.workspace.reading import Sources
from dlint.workspace.source import Source, UnreadableError
from tests.ends import NoEndError, comes_to_an_end
from tests.fuzz.laws import RULES
from tests.fuzz.seeds import LOADER

BUDGET = 120.0
"""Seconds of CPU time that one file may take."""
_EVERY = 20
"""Files after which the totals are written."""
_RISE = 10
"""MB."""
_MOST = 10
"""How many files are named of those that take longest."""


def main(argv: Sequence[str]) -> int:
    """Read all files that were not read before. Returns 1 for a crash or a silent file."""
    parser = argparse.ArgumentParser(prog="python -m tests.fuzz.files", description=__doc__)
    parser.add_argument("folders", type=Path, nargs="*")
    parser.add_argument("--totals", type=Path, default=Path("fuzz-files.json"))
    parser.add_argument("--minutes", type=float, default=600.0)
    given = parser.parse_args(argv)
    totals = _totals(given.totals)
    end = time.monotonic() + given.minutes * 60
    paths = list(_distinct(given.folders or _installed()))
    totals["files"] = len(paths)
    for number, path in enumerate(paths[totals["next"] :], 1):
        if time.monotonic() > end:
            break
        count(path, totals)
        if number % _EVERY == 0:
            _write(given.totals, totals)
    _write(given.totals, totals)
    told = {key: value for key, value in totals.items() if not isinstance(value, dict)}
    sys.stdout.write(f"{told}\n")
    return int(bool(totals["crashes"] or totals["silent"]))


def _installed() -> list[Path]:
    return [Path(sysconfig.get_path(name)) for name in ("stdlib", "purelib")]


def _python(folder: Path) -> Iterator[Path]:
    for path in folder.rglob("*.py"):
        if path.is_file() and "site-packages" not in path.relative_to(folder).parts:
            yield path


def _distinct(folders: Iterable[Path]) -> Iterator[Path]:
    """The Python files below folders, in their order; of those with one content the first."""
    seen: set[bytes] = set()
    for folder in folders:
        for path in sorted(_python(folder)):
            digest = blake2b(path.read_bytes(), digest_size=16).digest()
            if digest not in seen:
                seen.add(digest)
                yield path


def _totals(path: Path) -> dict[str, Any]:
    new = {"next": 0, "read": 0, "told": 0, "bytes": 0, "seconds": 0.0, "peak MB": 0}
    kept: dict[str, Any] = json.loads(path.read_text("utf-8")) if path.exists() else {}
    return {**new, "why told": {}, "crashes": {}, "silent": {}, "longest": {}, "rises": {}, **kept}


def _write(path: Path, totals: dict[str, Any]) -> None:
    path.write_text(json.dumps(totals, indent=1) + "\n", "utf-8")


def count(path: Path, totals: dict[str, Any]) -> None:
    """Read one file, and count what became of it."""
    begun = time.process_time()
    name = "/".join(path.parts[-4:])
    try:
        with comes_to_an_end(BUDGET):
            told = _told(path)
            refused = None if told is None else told or _refused(path)
    except (Exception, NoEndError) as error:
        totals["crashes"][name] = f"{error!r} from {error.__cause__!r}"
    else:
        if refused is None:
            totals["read"] += 1
        elif told:
            totals["told"] += 1
            totals["why told"][name] = refused
        else:
            totals["silent"][name] = refused
    _note_peak(name, totals)
    totals["next"] += 1
    totals["bytes"] += path.stat().st_size
    spent = time.process_time() - begun
    totals["seconds"] = round(totals["seconds"] + spent, 2)
    _note_most(totals["longest"], name, round(spent, 1))


def _note_peak(name: str, totals: dict[str, Any]) -> None:
    """Keep the files by which the memory of the process came to be as much as it was."""
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss // 1024
    if peak > totals["peak MB"] + _RISE:
        totals["rises"][name] = peak
    totals["peak MB"] = max(peak, totals["peak MB"])


def _note_most(kept: dict[str, float], name: str, number: float) -> None:
    """Keep the files with the largest numbers."""
    kept[name] = number
    if len(kept) > _MOST:
        del kept[min(kept, key=kept.__getitem__)]


def _refused(path: Path) -> str | None:
    """Why a file cannot be lowered; None where it can."""
    try:
        source = Sources().get(str(path))
        if is_too_large(source.text):
            return TOO_LARGE
        lower(source)
    except (UnreadableError, SyntaxProblem) as error:
        return str(error)
    return None


def _told(path: Path) -> str | None:
    """What a check says why the file was not read, or not as a whole; None where it was read.

    Empty where nothing is said of it. Raises the crash of a rule.
    """
    texts = _with_loader(str(path))
    name = next(iter(texts), str(path))
    request = Request(path.parent, [name], frozenset({name}), RULES, texts)
    outcome = analyse(request, Sources(texts))
    for crash in outcome.crashes:
        raise crash
    for found in outcome.diagnostics:
        if found.name in {"syntax-error", "unreadable-file"}:
            return found.message
    if outcome.warnings:
        return outcome.warnings[0].removeprefix(str(path.parent))
    end = len(texts[name].text) - len(LOADER) if texts else 0
    places = (d.place for d in outcome.diagnostics if d.name == "invalid-loader-arguments")
    return None if any(place.start >= end for place in places) else ""


def _with_loader(path: str) -> Mapping[str, Source]:
    """The file with a loader at its end, under a name that is not one of a test.

    Of tests only what orders samples is looked at.
    """
    try:
        source = Sources().get(path)
    except UnreadableError:
        return {}
    name = str(Path(path).with_name("module.py"))
    text = source.text + LOADER
    return {name: Source(name, text, source.encoding, source.bom)}


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
