"""Whether somebody chose how many workers a loader has.

Question: is a number of workers a decision of the project? A number in the call is, and one of its
settings. A default of an option or a parameter is one where the program says what speaks against
workers, or where scripts and texts beside it speak of the option or the parameter: who runs it
gives another number. Followed: lines of the modules that a loader may come to. Asked are the texts,
each once.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from dlint.findings.regexes import lazily
from dlint.model.loading.told_options import is_given_in_texts, is_named_in_texts

if TYPE_CHECKING:
    from dlint.model.loading.loader import Loader

_DEFAULT = lazily(r"default of (?:option|parameter) ")
_AGAINST = rb"\b(?:windows|macos|hang|deadlock|crash|pickl|spawn|fork|debug|safe)\w*"
_EXPLAINED = lazily(rb"(?i)workers?\b[^\n]*%b|%b[^\n]*workers?\b" % (_AGAINST, _AGAINST))
"""`--workers`, `help="0 on Windows"`; `num_workers: int = 0  # safe with CUDA tensors`."""


def is_chosen(loader: Loader) -> bool:
    """Whether somebody decided how many workers a loader has."""
    workers = loader.workers
    if workers.is_decided or not workers.is_own_default:
        return workers.is_decided
    return not _is_of_call(loader) or _is_explained(loader) or _is_told(loader)


def _is_of_call(loader: Loader) -> bool:
    """Whether nothing but defaults of options and parameters stands for a number."""
    defaults = [a.assumed for a in loader.workers.alternatives if not a.is_absent]
    return all(default is not None and _DEFAULT.match(default) for default in defaults)


def _is_explained(loader: Loader) -> bool:
    """Whether a line of the program names workers and what speaks against them."""
    context = loader.context
    paths = {loader.place.path, *(module.path for module in context.reached_modules)}
    return any(context.project.says(path, _EXPLAINED) for path in sorted(paths))


def _is_told(loader: Loader) -> bool:
    defaults = [a.assumed for a in loader.workers.alternatives if a.assumed is not None]
    return any(
        is_given_in_texts(loader, default) or is_named_in_texts(loader, default)
        for default in defaults
    )
