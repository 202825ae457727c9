"""Which dlint, on which Python, for which user, says what is kept: others say other things."""

from __future__ import annotations

import os
import sys
from contextlib import suppress
from functools import cache
from hashlib import blake2b
from importlib.util import find_spec
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
        _libcst(),
        os.path.expanduser("~"),  # noqa: PTH111
        {suffix: kinds.kind_of(suffix) for suffix in kinds.suffixes()},
    )
    return blake2b(repr(facts).encode(), digest_size=16).hexdigest()


def _libcst() -> bytes:
    """Which libcst is there: by its own word, for what reads metadata takes longer to import than
    all that an unchanged run does besides.
    """
    found = find_spec("libcst")
    folders = (found and found.submodule_search_locations) or ()
    for folder in folders:
        with suppress(OSError):
            return Path(folder, "_version.py").read_bytes()
    from importlib.metadata import version

    return version("libcst").encode()


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
