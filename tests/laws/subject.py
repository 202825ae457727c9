"""All that the laws know of dlint: texts in, findings out, and the examples of the pages."""

from __future__ import annotations

import os
import sys
import tempfile
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import NamedTuple

ROOT = Path(__file__).resolve().parents[2]
_MEMORY = Path("/dev/shm")
_PAGES = ("rules", "tests/rules")


CRASH = "crash"
"""The severity of what a rule says that crashes."""


class Finding(NamedTuple):
    """What is compared of one finding; the row is shown and not compared."""

    rule: str
    severity: str
    fix: str
    """Its applicability, or an empty text."""
    path: str
    row: int


class PageExample(NamedTuple):
    """One example of a page."""

    name: str
    rule: str
    files: Mapping[str, str]


def findings(files: Mapping[str, str]) -> tuple[Finding, ...]:
    """What `dlint check --select ALL` says of a project of these files, in this process."""
    within = _MEMORY if _MEMORY.is_dir() and os.access(_MEMORY, os.W_OK) else None
    with tempfile.TemporaryDirectory(prefix="laws-", dir=within) as folder:
        write(Path(folder), files)
        return findings_in(Path(folder))


def write(folder: Path, files: Mapping[str, str]) -> None:
    """Put texts into a folder."""
    for name, text in files.items():
        path = folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, "utf-8", newline="")


def findings_in(
    folder: Path,
    order: int = 1,
    reported: tuple[str, ...] | None = None,
    cache: Path | None = None,
    is_open: bool = False,
) -> tuple[Finding, ...]:
    """The findings in a folder; `order` -1 gives the files the other way round.

    Where the reported files are open, as in an editor, texts stand for them.
    A rule that crashes counts as one that says so.
    """
    from dlint import rule_docs
    from dlint.engine.analyse import analyse
    from dlint.engine.request import Request
    from dlint.engine.suppress import parted
    from dlint.workspace.kinds import suffixes
    from dlint.workspace.reading import Sources, read

    files = sorted(p for p in folder.rglob("*.*") if p.is_file() and p.suffix in suffixes())
    wanted = files if reported is None else [folder / name for name in reported]
    rules = frozenset(rule_docs.summaries())
    texts = {str(path): read(str(path)) for path in wanted} if is_open else {}
    request = Request(
        root=folder,
        files=tuple(files[::order]),
        reported=frozenset(map(str, wanted)),
        rules=rules,
        cache_dir=cache,
        overrides=texts,
    )
    sources = Sources(texts)
    outcome = analyse(request, sources)
    kept = parted(outcome.diagnostics, request.reported, lambda path: rules, sources).kept
    found = [_finding(diagnostic, folder, sources) for diagnostic in kept]
    crashed = {crash.rule or "" for crash in outcome.crashes}
    return tuple(sorted([*found, *(Finding(rule, CRASH, "", "", 0) for rule in crashed)]))


def is_read(path: str) -> bool:
    """Whether dlint reads files of this kind by themselves."""
    from dlint.workspace.kinds import suffixes

    return path.endswith(suffixes())


def _finding(diagnostic: object, folder: Path, sources: object) -> Finding:
    from dlint.workspace.source import UnreadableError

    place = diagnostic.place  # type: ignore[attr-defined]
    try:
        row = sources.get(place.path).position(place.start)[0]  # type: ignore[attr-defined]
    except UnreadableError:
        row = 1
    return Finding(
        diagnostic.name,  # type: ignore[attr-defined]
        str(diagnostic.severity),  # type: ignore[attr-defined]
        str(diagnostic.fix.applicability) if diagnostic.fix else "",  # type: ignore[attr-defined]
        Path(place.path).relative_to(folder).as_posix(),
        row,
    )


def page_examples() -> Iterator[PageExample]:
    """Every example of every page and of the further cases."""
    from dlint.rule_docs.examples import examples

    for where in _PAGES:
        for path in sorted((ROOT / where).glob("*.md")):
            for example in examples(path.read_text("utf-8")):
                kind = "page" if where == "rules" else "cases"
                name = f"{kind}/{path.stem}/{slug(example.group)}/{example.title}"
                yield PageExample(name, path.stem, example.files)


def slug(heading: str) -> str:
    """A heading as a part of a name."""
    words = "".join(c if c.isalnum() else " " for c in heading.lower()).split()
    return "-".join(words)


def command() -> list[str]:
    """The words that start dlint in a process of its own."""
    return [sys.executable, "-m", "dlint"]
