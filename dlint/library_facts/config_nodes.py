"""Trees of settings that a program builds in Python, and reads through a name such as `cfg`."""

from __future__ import annotations

import re

from dlint.findings.regexes import lazily

CLASSES = frozenset(
    {
        "yacs.config.CfgNode",
        "fvcore.common.config.CfgNode",
        "detectron2.config.CfgNode",
        "detectron2.config.config.CfgNode",
    }
)
"""Classes whose objects are such trees (yacs, and what derives from it)."""

ROOT = lazily(rb"^[ \t]*\w+\s*=\s*[\w.]*\b(?:CfgNode|CN)\(", re.M)
"""What the text of a file that begins a tree looks like."""

MARK = b"CfgNode"
"""A word that such a file holds."""

NAME = lazily(r"cfg|config|_C\b", re.I)
"""Names under which a tree is handed on."""
