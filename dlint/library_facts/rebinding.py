"""Decorators that give functions arguments of their own, in the place of defaults."""

from __future__ import annotations

REBINDING = frozenset(
    {
        "argbind.bind",
        "click.command",
        "detectron2.config.configurable",
        "gin.configurable",
        "gin.register",
        "hydra_zen.zen",
    }
)
"""What is not passed comes from settings or the command line (gin-config's `gin.config`, click's
`Command.invoke`, detectron2's `configurable`)."""

CHANGING = frozenset({"update", "setdefault"})
"""Methods by which a dict of keyword arguments gets others."""
