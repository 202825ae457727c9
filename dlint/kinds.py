"""What kind of file a path is: Python, a notebook, or a config in YAML, JSON or TOML."""

from __future__ import annotations

PYTHON = ".py"
NOTEBOOK = ".ipynb"
YAML = ".yaml"
JSON = ".json"
TOML = ".toml"

SUFFIXES = {
    PYTHON: PYTHON,
    NOTEBOOK: NOTEBOOK,
    YAML: YAML,
    ".yml": YAML,
    JSON: JSON,
    TOML: TOML,
}
"""The suffixes that are read, each with the one that stands for its kind."""

CONFIGS = tuple(suffix for suffix, kind in SUFFIXES.items() if kind not in (PYTHON, NOTEBOOK))
"""The suffixes of config files."""

MOST_BYTES = 1_000_000
"""The size from which a config file is not read: it is data, or was written by a program."""


def kind_of(path: str) -> str | None:
    """The suffix that stands for the kind of a file; None for one that is not read."""
    dot = path.rfind(".")
    return SUFFIXES.get(path[dot:]) if dot >= 0 else None


def is_config(path: str) -> bool:
    """Whether a path is one of a config file that is no Python."""
    return path.endswith(CONFIGS)
