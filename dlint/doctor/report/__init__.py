"""How a diagnosis is told: one module a format."""

from __future__ import annotations

from collections.abc import Callable
from importlib import import_module
from typing import Any

FORMATS = ("text", "json", "markdown")

Render = Callable[[dict[str, Any]], str]


def load(output_format: str) -> Render:
    """The function that renders a diagnosis, as plain values, in a format."""
    render: Render = import_module(f"dlint.doctor.report.{output_format}").render
    return render
