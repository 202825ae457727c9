"""What kind of samples a loader gives, where nothing is known of how they are made.

Question: are they texts that a tokenizer takes, or graphs? A fast tokenizer takes a batch of short
texts in milliseconds, and libraries for graphs keep these in memory. Followed: tokenizers among the
arguments of what makes data set or collate function, unless something for images or sound is among
them; the class of the loader.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import TYPE_CHECKING

from dlint.analyses.backward import origin_of
from dlint.ir import expressions as ex
from dlint.ir import walk
from dlint.library_facts import sample_work as knowledge
from dlint.semantics.values.values import AllocationSite, External

if TYPE_CHECKING:
    from dlint.model.loader import Loader

_GRAPHS = ("torch_geometric.", "dgl.")
_SEEN_OR_HEARD = re.compile(
    r"im(a)?g|pic|video|frame|audio|wav|speech|sound|processor|transform", re.I
)


def gives_graphs(loader: Loader) -> bool:
    """Whether a library for graphs makes the batches."""
    origin = loader.made.origin
    return isinstance(origin, External) and origin.path.startswith(_GRAPHS)


def gives_texts(loader: Loader) -> bool:
    """Whether data set or collate function are made with a tokenizer, and with no other reader."""
    arguments = [a for name in ("dataset", "collate_fn") for a in _given_to_maker(loader, name)]
    if any(_SEEN_OR_HEARD.search(name) for a in arguments for name in _names(a)):
        return False
    return any(_is_tokenizer(loader, argument.value) for argument in arguments)


def _given_to_maker(loader: Loader, name: str) -> Iterator[ex.Argument]:
    """The arguments of the call that makes what a loader is given."""
    given = loader.given(name)
    made = None if given is None else origin_of(given[0])
    if isinstance(made, ex.Call):
        yield from made.arguments


def _names(argument: ex.Argument) -> Iterator[str]:
    yield argument.keyword or ""
    for part in walk.walk(argument.value):
        if isinstance(part, ex.Reference | ex.Attribute):
            yield part.name


def _is_tokenizer(loader: Loader, expression: ex.Expression) -> bool:
    scope = loader.call.scope
    return any(
        isinstance(value, AllocationSite)
        and isinstance(value.origin, External)
        and knowledge.is_tokenizer(value.origin.path)
        for value in loader.context.values(expression, scope)
    )
