"""Which findings lie on lines that changed since a revision of git."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from pathlib import Path

from dlint.findings.diagnostic import Diagnostic
from dlint.findings.places import Place
from dlint.findings.regexes import lazily
from dlint.rule_docs import FILE_RULES
from dlint.suppression.flagged_code import FlaggedCode
from dlint.workspace.errors import UsageError
from dlint.workspace.git import Changes, Repository, changes
from dlint.workspace.reading import Sources, decode
from dlint.workspace.roots import repository_top
from dlint.workspace.source import UnreadableError

_LINE_END = lazily(r"\r\n|\r|\n")
_ALL = Changes((range(1, 1 << 60),), ())


class ChangedLines:
    """The lines of some projects that are not as they were at a revision.

    A finding counts where its own place changed, or another one that it rests on.
    """

    def __init__(self, revision: str, folders: Iterable[Path]) -> None:
        """Raises UsageError where git does not know the revision in any of the folders."""
        self.notes: list[str] = []
        """Where the revision is not known, or has no past in common with the present."""
        self._repositories: dict[Path, Repository] = {}
        problems = []
        for folder in sorted({folder.resolve() for folder in folders}):
            top = repository_top(folder)
            if top is None:
                problems.append(f"{folder} is in no git repository")
            elif top not in self._repositories:
                problems += self._enter(top, revision)
        if not self._repositories:
            raise UsageError("\n".join(f"`--diff-base`: {problem}" for problem in problems))
        self.notes += [f"warning: {problem}: its findings are all shown" for problem in problems]
        self._before: dict[str, list[str] | None] = {}

    def _enter(self, top: Path, revision: str) -> list[str]:
        """Look at a repository. Returns what is wrong with it."""
        try:
            repository = self._repositories[top] = Repository(top, revision)
        except UsageError as error:
            return [str(error)]
        if repository.is_parted:
            self.notes.append(
                f"warning: {top}: no common ancestor of `{revision}` and HEAD is known here, so "
                "what counts is the difference to the revision itself"
            )
        return []

    def on_them(self, found: list[Diagnostic], sources: Sources) -> list[Diagnostic]:
        """The findings on changed lines."""
        self._read({place.path for d in found for place in _places(d)})
        code = FlaggedCode(sources)
        by_path: dict[str, Changes] = {}

        def is_changed(place: Place, as_file: bool) -> bool:
            if place.path not in by_path:
                by_path[place.path] = self._changes(place.path, sources)
            changed = by_path[place.path]
            return changed != Changes((), ()) if as_file else changed.touch(*code.rows(place))

        return [d for d in found if any(is_changed(p, d.name in FILE_RULES) for p in _places(d))]

    def _read(self, paths: Iterable[str]) -> None:
        """Fetch the former lines of the files that were not asked for yet."""
        by_top: dict[Path | None, list[str]] = {}
        for path in sorted(set(paths) - self._before.keys()):
            by_top.setdefault(repository_top(Path(path).resolve().parent), []).append(path)
        for top, of_top in by_top.items():
            repository = None if top is None else self._repositories.get(top)
            before = {} if repository is None else repository.before(of_top)
            for path in of_top:
                self._before[path] = _lines(path, before.get(path))

    def _changes(self, path: str, sources: Sources) -> Changes:
        before = self._before[path]
        try:
            after = _LINE_END.split(sources.get(path).file.text)
        except UnreadableError:
            return _ALL
        return _ALL if before is None else changes(before, after)


def _places(diagnostic: Diagnostic) -> Sequence[Place]:
    return diagnostic.place, *(related.place for related in diagnostic.related)


def _lines(path: str, raw: bytes | None) -> list[str] | None:
    """The lines of a file as they were; None where nothing can be said of them."""
    if raw is None:
        return None
    try:
        return _LINE_END.split(decode(path, raw).file.text)
    except UnreadableError:
        return None
