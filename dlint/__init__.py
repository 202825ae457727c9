"""dlint: find, fix and measure the mistakes people make around torch's DataLoader."""

from importlib import import_module

__version__ = "0.1.0"

__all__ = [  # what dlint.api holds, imported when it is first asked for; typed in __init__.pyi
    "Applicability",
    "Edit",
    "Finding",
    "Fix",
    "Location",
    "Related",
    "Report",
    "Settings",
    "Severity",
    "UsageError",
    "__version__",
    "check",
]


def __getattr__(name: str) -> object:
    if name in __all__:
        return getattr(import_module("dlint.api"), name)
    raise AttributeError(f"module 'dlint' has no attribute {name!r}")


def __dir__() -> list[str]:
    return sorted({*globals(), *__all__})
