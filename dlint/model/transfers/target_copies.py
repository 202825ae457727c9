"""Copies of targets beside inputs that are copied asynchronously.

Question: is what a copy gives only compared with what was computed of the rest of the batch, which
is copied without blocking already? Followed are calls in the function of the copy that take the
copy, or the name it is bound to, together with the result of another call. Given up on: targets
that go on in another way (attributes, lists, operators), and copies in helpers.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

from dlint.analyses.value_parts import origin_of, parts_in_function
from dlint.ir import expressions as ex
from dlint.library_facts import tensors
from dlint.model.loading.loaders import Loaders
from dlint.semantics.values.values import Batch

if TYPE_CHECKING:
    from dlint.model.transfers.transfers import Transfer

_WHOLE = frozenset({"long", "int"})


def is_of_targets_alone(transfer: Transfer) -> bool:
    """Whether inputs of the same batches are copied without blocking, and this is of targets."""
    given = {batch.loader for batch in transfer.batches}
    beside = any(
        other.call.scope is transfer.call.scope
        and other.never_blocks
        and given & {batch.loader for batch in other.batches}
        for other in transfer.context[Loaders].transfers
    )
    return beside and is_only_compared(transfer)


def is_only_compared(transfer: Transfer) -> bool:
    """Whether what a copy gives is only compared with what was computed."""
    takers = list(_takers(transfer.call))
    return bool(takers) and all(_compares(transfer, call) for call in takers)


def is_of_classes(transfer: Transfer) -> bool:
    """Whether a copy is of targets that are made whole numbers, as those of classes are: little
    beside the inputs."""
    made = (part for part in parts_in_function(transfer.source) if isinstance(part, ex.Call))
    return is_only_compared(transfer) and any(part.name in _WHOLE for part in made)


def _takers(copy: ex.Call) -> Iterator[ex.Call]:
    """The calls of a function that are given what a copy gives."""
    for call in copy.scope.calls:
        if any(ex.unpacked(origin_of(argument.value)) is copy for argument in call.arguments):
            yield call


def _compares(transfer: Transfer, call: ex.Call) -> bool:
    """Whether a call is also given, or is a method of, what another call has made of something."""
    given = [argument.value for argument in call.arguments]
    if isinstance(call.function, ex.Attribute):
        given.append(call.function.value)
    return any(_is_result(transfer, one) for one in given)


def _is_result(transfer: Transfer, given: ex.Expression) -> bool:
    """Whether a value is what a call has returned, other than a copy or another form of a batch."""
    made = origin_of(given)
    if isinstance(made, ex.Item):
        made = made.value
    if not isinstance(made, ex.Call) or not made.arguments or made.name in tensors.COPIES:
        return False
    values = transfer.context.values(given, transfer.call.scope)
    return not any(isinstance(value, Batch) for value in values)
