"""Which dlint, on which Python, for which user, says what is kept: others say other things."""

from __future__ import annotations

import os
import sys
from functools import cache
from hashlib import blake2b
from importlib import metadata
from pathlib import Path

from dlint import __version__, rule_docs
from dlint.workspace import kinds

_PACKAGE = Path(__file__).parents[2]


def version_key() -> str:
    """A digest of all that decides what is found, but for what is asked while it is found."""
    facts = (
        __version__,
        _content(),
        sys.version,
        sys.platform,
        metadata.version("libcst"),
        os.path.expanduser("~"),  # noqa: PTH111
        {suffix: kinds.kind_of(suffix) for suffix in kinds.suffixes()},
    )
    return blake2b(repr(facts).encode(), digest_size=16).hexdigest()


@cache
def _content() -> str:
    """A digest of dlint's own code and pages."""
    digest = blake2b(digest_size=16)
    for top, suffix in ((_PACKAGE, ".py"), (rule_docs.root(), ".md")):
        for folder, inner, names in os.walk(top):
            inner.sort()
            for name in sorted(name for name in names if name.endswith(suffix)):
                path = Path(folder, name)
                digest.update(f"{path.relative_to(top)}\0".encode())
                digest.update(path.read_bytes())
    return digest.hexdigest()
