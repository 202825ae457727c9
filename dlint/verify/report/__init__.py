"""How a verification is told: one module a format."""

from __future__ import annotations

from collections.abc import Callable
from importlib import import_module

from dlint.verify.judge.results import Outcome

FORMATS = ("text", "json", "markdown")

Render = Callable[[Outcome], str]


def load(output_format: str) -> Render:
    """The function that renders an outcome in a format."""
    render: Render = import_module(f"dlint.verify.report.{output_format}").render
    return render
