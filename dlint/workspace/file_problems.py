"""Files of the project that are none of its modules."""

from __future__ import annotations

from typing import NamedTuple

from dlint.findings.places import Place


class FileProblem(NamedTuple):
    """Why a file is no module: its text is not Python, or, unless `is_read`, there is no text."""

    place: Place
    message: str
    is_read: bool
