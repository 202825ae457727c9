"""What a function does with the things that it is given, by its code alone.

Questions: which of its parameters does it give to other calls, and what does it put into them?
Followed: names of the parameters themselves, and local names for them in the walrus. Given up on:
other names for them. Budget: one walk over the calls and writes of a function.
"""

from __future__ import annotations

from collections.abc import Iterator

from dlint.ir import expressions as ex
from dlint.ir.looked_at import told_by_code
from dlint.ir.module import Scope
from dlint.semantics.values.mutations import mutation_of_call, mutation_of_store


@told_by_code
def parameters_given_on(scope: Scope) -> list[tuple[str | None, ex.Expression]]:
    """The parameters that a function gives to calls, with the last names of what is called."""
    return [
        (call.name, argument.value)
        for call in scope.calls
        for argument in call.arguments
        if isinstance(ex.unnamed(argument.value), ex.Parameter)
    ]


@told_by_code
def put_into_parameters(scope: Scope) -> list[ex.Expression]:
    """What a function puts into the lists and dicts that it is given."""
    return list(_put_into_parameters(scope))


def _put_into_parameters(scope: Scope) -> Iterator[ex.Expression]:
    stored = [mutation_of_store(store) for store in scope.stores]
    for written in (*stored, *map(mutation_of_call, scope.calls)):
        value = None if written is None else written.value
        target = None if written is None else written.target
        bound = target.definition if isinstance(target, ex.Reference) else None
        if value is not None and bound is not None and isinstance(bound.value, ex.Parameter):
            yield value
