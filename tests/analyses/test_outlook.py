"""Programs that are past the budget, told before they are."""

from dlint.analyses.outlook import Outlook
from dlint.semantics.values.solver import BUDGET


def _given_up_at(costs: list[int], waiting: int) -> int | None:
    """The steps after which a program is given up whose visits take these, if it is."""
    found, steps = Outlook(), 0
    for cost in costs:
        steps += cost
        if found.is_hopeless(steps, waiting):
            return steps
    return None


def test_many_costly_functions_are_given_up_by_half_of_the_budget() -> None:
    assert _given_up_at([20_000] * 200, waiting=400) == BUDGET // 2


def test_a_few_left_are_awaited() -> None:
    assert _given_up_at([20_000] * 200, waiting=100) is None


def test_what_all_ask_for_is_counted_for_nobody() -> None:
    assert _given_up_at([BUDGET // 3, *[1_000] * 1_000], waiting=900) is None


def test_one_visit_that_takes_half_is_a_visit() -> None:
    first, second = BUDGET // 4, BUDGET // 4 + 1
    assert _given_up_at([first, second], waiting=10) == first + second
