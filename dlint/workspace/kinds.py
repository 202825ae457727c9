"""What kind of file a path is: Python, a notebook, a config in YAML, JSON or TOML, a script."""

from __future__ import annotations

from collections.abc import Mapping

PYTHON = ".py"
NOTEBOOK = ".ipynb"
YAML = ".yaml"
JSON = ".json"
TOML = ".toml"
SHELL = ".sh"

KINDS = {
    "python": PYTHON,
    "notebook": NOTEBOOK,
    "yaml": YAML,
    "json": JSON,
    "toml": TOML,
    "shell": SHELL,
}
"""The suffix that stands for each kind."""

MOST_BYTES = 1_000_000
"""The size from which a config file is not read: it is data, or was written by a program."""

_OWN = {suffix: suffix for suffix in KINDS.values()} | {".yml": YAML, ".bash": SHELL}
_CONFIGS = frozenset({YAML, JSON, TOML, SHELL})
_by_suffix = dict(_OWN)


def assign(extensions: Mapping[str, str]) -> None:
    """Read files of further suffixes (without their dot) as those of a kind, for this run."""
    _by_suffix.clear()
    _by_suffix.update(_OWN)
    _by_suffix.update({f".{name.lstrip('.')}": KINDS[kind] for name, kind in extensions.items()})


def suffixes() -> tuple[str, ...]:
    """The suffixes of the files that are read."""
    return tuple(_by_suffix)


def kind_of(path: str) -> str | None:
    """The suffix that stands for the kind of a file; None for one that is not read."""
    dot = path.rfind(".")
    return _by_suffix.get(path[dot:]) if dot >= 0 else None


def is_config(path: str) -> bool:
    """Whether a path is one of a file that gives settings and is no Python."""
    return kind_of(path) in _CONFIGS


def is_notebook(path: str) -> bool:
    """Whether a path is one of a notebook."""
    return kind_of(path) == NOTEBOOK


def is_shell(path: str) -> bool:
    """Whether a path is one of a shell script."""
    return kind_of(path) == SHELL
