"""What a program tells a check."""

from __future__ import annotations

import os
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, fields

_WITHOUT_NO = frozenset({"--no-cache", "--isolated"})
"""Switches that are off, unless they are given."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Settings:
    """What the options of `dlint check` say, by their names.

    What is left out is as the configuration files of the checked project have it.
    """

    select: Sequence[str] | None = None
    extend_select: Sequence[str] = ()
    ignore: Sequence[str] = ()
    preview: bool | None = None
    unsafe_fixes: bool | None = None
    exclude: Sequence[str] = ()
    force_exclude: bool | None = None
    respect_gitignore: bool | None = None
    extension: Mapping[str, str] = field(default_factory=dict)
    """Suffix to the kind of its files."""
    baseline: str | os.PathLike[str] | None = None
    config: Sequence[str] = ()
    """Values for keys of the configuration: `KEY=VALUE`."""
    isolated: bool = False
    """Whether no configuration file of the project counts."""
    no_cache: bool = False
    cache_dir: str | os.PathLike[str] | None = None


def options(settings: Settings) -> Iterator[str]:
    """The same as words of a command line."""
    for one in fields(settings):
        value, flag = getattr(settings, one.name), f"--{one.name.replace('_', '-')}"
        if isinstance(value, bool):
            yield from _switch(flag, value)
        elif isinstance(value, Mapping):
            yield from (f"{flag}={suffix}:{kind}" for suffix, kind in value.items())
        elif one.name == "config":
            yield from (f"{flag}={text}" for text in value)
        elif isinstance(value, str | os.PathLike):
            yield f"{flag}={os.fspath(value)}"
        elif value:
            yield f"{flag}={','.join(value)}"
        elif one.name == "select" and value is not None:
            yield "--config=select=[]"  # a command line refuses to look for nothing


def _switch(flag: str, value: bool) -> Iterator[str]:
    if value:
        yield flag
    elif flag not in _WITHOUT_NO:
        yield flag.replace("--", "--no-", 1)
