"""What `--fix --unsafe-fixes` may do to a program: the laws that each is held to."""

from __future__ import annotations

import codecs
import re
from collections.abc import Iterator
from pathlib import Path

from dlint.findings.diagnostic import Applicability, Diagnostic
from dlint.findings.edits import Edit, apply_edits
from dlint.fixes.apply import FixResult, fix_all, still_parses
from dlint.fixes.lowering import lower
from dlint.fixes.write import write_all
from dlint.workspace.reading import Sources, read
from dlint.workspace.source import Source
from tests.fuzz.choices import Choices
from tests.fuzz.laws import report

_ANY = frozenset({Applicability.SAFE, Applicability.UNSAFE})
_NEWLINE = re.compile(r"\r\n|\r|\n")


def dressed(path: Path, choices: Choices) -> None:
    """Give a file other newlines, a byte order mark, or another encoding."""
    text = path.read_bytes().decode("utf-8", "surrogateescape")
    text = choices.one_of(("\n", "\n", "\r\n", "\r")).join(_NEWLINE.split(text))
    match choices.one_of(("plain", "plain", "mark", "latin")):
        case "mark":
            raw = codecs.BOM_UTF8 + text.encode("utf-8", "surrogateescape")
        case "latin" if path.suffix == ".py":
            raw = f"# coding: latin-1 é\n{text}".encode("latin-1", "replace")
        case _:
            raw = text.encode("utf-8", "surrogateescape")
    path.write_bytes(raw)


def broken_fixes(folder: Path, files: list[str]) -> Iterator[str]:
    """The laws that fixing the program breaks. The files are fixed."""

    def found(sources: Sources) -> list[Diagnostic]:
        return report(folder, files, sources=sources)

    sources = Sources()
    before = {path: Path(path).read_bytes() for path in files}
    done = fix_all(found, sources, _ANY)
    for diagnostic in found(Sources()):
        yield from _outside(diagnostic, before)
    write_all([(sources.get(path), text) for path, text in done.texts.items()])
    for path in files:
        yield from _odd(path, before[path], done, sources)
    left = found(Sources())
    if left != done.remaining:
        yield f"what is left was told otherwise: {_names(left)} for {_names(done.remaining)}"
    again = fix_all(found, Sources(), _ANY)
    if again.texts:
        yield f"fixed again: {_names(again.applied)}"


def _names(found: list[Diagnostic]) -> str:
    return ", ".join(sorted({diagnostic.name for diagnostic in found})) or "nothing"


def _odd(path: str, before: bytes, done: FixResult, sources: Sources) -> Iterator[str]:
    name = Path(path).name
    if path not in done.texts:
        if Path(path).read_bytes() != before:
            yield f"{name} was changed without being named"
        return
    old, new = sources.get(path), read(path)
    if new.text != done.texts[path]:
        yield f"{name} does not hold what was shown"
    if (new.bom, new.encoding) != (old.bom, old.encoding):
        yield f"{name} has another encoding"
    if not {*_NEWLINE.findall(new.text)} <= {*_NEWLINE.findall(old.text)}:
        yield f"{name} has newlines that it had not"
    if still_parses(old, old.text) and not still_parses(new, new.text):
        yield f"{name} does not parse any more"


def _outside(diagnostic: Diagnostic, before: dict[str, bytes]) -> Iterator[str]:
    """What one fix changes before its first edit of a file or behind its last."""
    fix = diagnostic.fix
    edits = None if fix is None else lower(fix, Sources())
    for path in {edit.path for edit in edits or ()} & {*before}:
        source = read(path)
        of_path = [edit for edit in edits or () if edit.path == path]
        raw = source.encode(apply_edits(source.text, of_path))
        start, end = _bytes_around(source, of_path)
        if not (raw.startswith(before[path][:start]) and raw.endswith(before[path][end:])):
            yield f"{diagnostic.name} changes {Path(path).name} outside of its edits"


def _bytes_around(source: Source, edits: list[Edit]) -> tuple[int, int]:
    """Where the first edit begins and the last ends, in bytes of the file."""
    whole = source.in_file(edits)
    text = source.file.text
    start, end = min(e.start for e in whole), max(e.end for e in whole)
    mark = len(codecs.BOM_UTF8) if source.bom else 0
    return tuple(mark + len(text[:at].encode(source.encoding)) for at in (start, end))  # type: ignore[return-value]
