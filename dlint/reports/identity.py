"""What stays of a finding from run to run: its file in the repository, and a fingerprint."""

from __future__ import annotations

import hashlib
import os
from collections import Counter
from pathlib import Path
from urllib.parse import quote

from dlint.findings.diagnostic import Diagnostic
from dlint.reports.view import View
from dlint.workspace.roots import repository_top


class Identities:
    """Names files and findings as other machines and later runs do."""

    def __init__(self, view: View) -> None:
        self._view = view
        self._top = repository_top(view.directory) or view.directory
        self._seen: Counter[str] = Counter()

    def path(self, path: str) -> str:
        """A path from the top of the repository, with `/`; as it is where it lies outside.

        Bytes that are no text are spelled out.
        """
        file = Path(path)
        inside = file.relative_to(self._top) if self.is_inside(path) else file
        return os.fsencode(inside.as_posix()).decode("utf-8", "backslashreplace")

    def uri(self, path: str) -> str:
        """The same as the reference of a URI; a whole URI where it lies outside."""
        file = Path(path)
        if not self.is_inside(path):
            return file.as_uri()
        return quote(os.fsencode(file.relative_to(self._top).as_posix()))

    def is_inside(self, path: str) -> bool:
        """Whether a path lies in the repository."""
        return Path(path).is_relative_to(self._top)

    def fingerprint(self, diagnostic: Diagnostic) -> str:
        """The same for the same finding when lines above it come or go; each asked for once."""
        part = self._view.part(diagnostic.place)
        row, _ = self._view.position(diagnostic.place)
        line = "" if part is None else " ".join(part.source.line(row).split())
        text = "\0".join([diagnostic.name, self.uri(diagnostic.place.path), line])
        digest = hashlib.sha256(text.encode("utf-8", "surrogatepass")).hexdigest()[:16]
        self._seen[digest] += 1
        return f"{digest}:{self._seen[digest]}"
