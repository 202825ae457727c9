"""The programs that the laws are tried on: examples of pages, wild mistakes and their variants."""

from __future__ import annotations

import os
from collections import Counter
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import NamedTuple

from tests.laws.subject import ROOT, page_examples, slug
from tests.wild.variants import variants

_TEXT = (".py", ".yaml", ".yml", ".json", ".toml", ".sh", ".txt")


class Case(NamedTuple):
    """One project."""

    name: str
    rule: str
    files: Mapping[str, str]


def shared() -> Path | None:
    """The folder with probe and wild: `$DLINT_SHARED`, or `shared` beside the checkout."""
    given = os.environ.get("DLINT_SHARED")
    places = [Path(given)] if given else [ROOT.parent / "shared", ROOT.parent.parent / "shared"]
    return next((place for place in places if (place / "probe").is_dir()), None)


def cases() -> list[Case]:
    """All projects, each under a name of its own."""
    times: Counter[str] = Counter()
    found = []
    for case in _all():
        times[case.name] += 1
        again = times[case.name]
        found.append(case._replace(name=f"{case.name}~{again}") if again > 1 else case)
    return found


def _all() -> Iterator[Case]:
    for example in page_examples():
        yield Case(*example)
    folder = shared()
    if folder is not None:
        yield from _folder(folder / "probe", "probe")
        yield from _folder(folder / "wild" / "cases", "wild")
    for variant in variants():
        name = f"variant/{variant.path.stem}/{variant.report}-{slug(variant.title)}"
        for title, is_twin in (("wrong", False), ("twin", True)):
            yield Case(f"{name}/{title}", variant.path.stem, variant.files(twin=is_twin))


def _folder(folder: Path, kind: str) -> Iterator[Case]:
    """Each entry of a folder is a project."""
    for path in sorted(folder.iterdir()) if folder.is_dir() else []:
        files = _texts(path)
        if any(name.endswith((".py", ".sh")) for name in files):
            yield Case(f"{kind}/{path.stem}", kind, files)


def _texts(path: Path) -> dict[str, str]:
    if path.is_file():
        return {path.name: path.read_text("utf-8")} if path.suffix in _TEXT else {}
    every = [p for p in sorted(path.rglob("*")) if p.is_file() and p.suffix in _TEXT]
    return {p.relative_to(path).as_posix(): p.read_text("utf-8") for p in every}
