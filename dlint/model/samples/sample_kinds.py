"""What kind of samples a loader gives, where nothing is known of how they are made.

Question: are they texts that a tokenizer takes, graphs, or rows of numbers? A fast tokenizer takes
a batch of short texts in milliseconds, libraries for graphs keep these in memory, and rows of Arrow
tables that torch itself can collate are numbers that lie in mapped memory. Followed: tokenizers
among the arguments of what makes data set or collate function, unless something for images or sound
is among them; the class of the loader; a backward slice of the data set, through methods and keys.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import TYPE_CHECKING

from dlint.analyses.backward import Question, Slice
from dlint.analyses.calls import library_callees
from dlint.analyses.value_parts import origin_of
from dlint.findings.regexes import lazily
from dlint.ir import expressions as ex
from dlint.ir import walk
from dlint.library_facts import arrow
from dlint.library_facts import sample_work as knowledge
from dlint.model.data.dataset_origins import DatasetOrigins
from dlint.model.samples.collation import collates_by_default
from dlint.semantics.values.conditional_value import ordered
from dlint.semantics.values.values import AllocationSite, library_path

if TYPE_CHECKING:
    from dlint.ir.module import Scope
    from dlint.model.loading.loader import Loader
    from dlint.semantics.calls.call_contexts import CallContext

_GRAPHS = ("torch_geometric.", "dgl.")
_SEEN_OR_HEARD = lazily(r"im(a)?g|pic|video|frame|audio|wav|speech|sound|processor|transform", re.I)


def takes_no_time(loader: Loader) -> bool:
    """Whether samples are of a kind that is made in no time."""
    return gives_texts(loader) or gives_graphs(loader) or gives_rows(loader)


def gives_graphs(loader: Loader) -> bool:
    """Whether a library for graphs makes the batches."""
    return library_path(loader.made).startswith(_GRAPHS)


def gives_texts(loader: Loader) -> bool:
    """Whether data set or collate function are made with a tokenizer, and with no other reader."""
    made = [call for name in ("dataset", "collate_fn") for call in makers(loader, name)]
    arguments = [(a, call.scope) for call in made for a in call.arguments]
    if any(is_seen_or_heard(name) for a, _ in arguments for name in _names(a)):
        return False
    return any(_is_tokenizer(loader, argument.value, scope) for argument, scope in arguments)


def is_seen_or_heard(name: str) -> bool:
    """Whether a name speaks of images or sound, or of what prepares them."""
    return _SEEN_OR_HEARD.search(name) is not None


def gives_rows(loader: Loader) -> bool:
    """Whether samples are rows of Hugging Face tables, to which nothing is done any more."""
    given, words = loader.given("dataset"), loader.context.project.words
    if given is None or not collates_by_default(loader):
        return False
    if any(words.holders(name.encode()) for name in arrow.TRANSFORMING | arrow.SETTING):
        return False
    return Slice(loader.context, _ROWS).of(*given)


def _of_call(slice_: Slice[bool], call: ex.Call, frame: CallContext) -> bool | None:
    paths = list(library_callees(slice_.context, call))
    if paths:
        return all(path.startswith(arrow.LIBRARY) for path in paths)
    return (
        slice_.of(call.function.value, frame) if isinstance(call.function, ex.Attribute) else None
    )


def _of_split(slice_: Slice[bool], split: ex.Subscript, frame: CallContext) -> bool:
    return slice_.of(split.value, frame)


_ROWS: Question[bool] = Question(
    False, lambda found: all(found), {ex.Call: _of_call, ex.Subscript: _of_split}
)
"""Whether a value is a data set of the library `datasets`."""


def makers(loader: Loader, name: str) -> Iterator[ex.Call]:
    """The calls that make what a loader is given."""
    given = loader.given(name)
    made = None if given is None else origin_of(given[0])
    if isinstance(made, ex.Call):
        yield made
    elif name == "dataset":
        yield from (x.call for x in loader.context[DatasetOrigins].of_loader(loader) or ())
    else:
        yield from (x.call for x in ordered(loader.values(name)) if isinstance(x, AllocationSite))


def _names(argument: ex.Argument) -> Iterator[str]:
    yield argument.keyword or ""
    for part in walk.walk(argument.value):
        if isinstance(part, ex.Reference | ex.Attribute):
            yield part.name


def _is_tokenizer(loader: Loader, expression: ex.Expression, scope: Scope) -> bool:
    return any(
        knowledge.is_tokenizer(library_path(value))
        for value in loader.context.values(expression, scope)
    )
