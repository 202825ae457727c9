"""Nodes of the solver: few values in tuples, many in dicts, and nothing of them left in the end."""

from __future__ import annotations

import gc
from pathlib import Path
from types import FunctionType

from dlint import rule_docs
from dlint.engine.analyse import analyse
from dlint.engine.request import Request
from dlint.semantics.values.solver import MOST, ConstraintNode
from dlint.semantics.values.values import UNKNOWN, External, Literal
from dlint.workspace.reading import Sources
from tests.semantics.asked import evaluator_for, questions

MANY = 40


def test_values_keep_their_order_and_come_once() -> None:
    node = ConstraintNode()
    values = [External(f"library.f{number % MANY}") for number in range(2 * MANY)]
    taken = [node.take(value) for value in values]
    assert taken == values[:MANY] + [None] * MANY
    assert list(node.values) == values[:MANY]


def test_unknown_stands_for_all_values_that_are_too_many() -> None:
    node = ConstraintNode()
    values = [External(f"library.f{number}") for number in range(2 * MOST)]
    taken = [node.take(value) for value in [*values, *values, UNKNOWN]]
    assert taken[: MOST + 1] == [*values[:MOST], UNKNOWN]
    assert set(taken[MOST + 1 :]) == {None}
    assert list(node.values) == [*values[:MOST], UNKNOWN]


def test_a_place_behind_too_many_values_is_told_that_there_are_more() -> None:
    names = [f"f{number}" for number in range(2 * MOST)]
    made = "".join(f"def {name}(): ...\n" for name in names)
    text = f"{made}TABLE = [{', '.join(names)}]\nfor one in TABLE:\n    reveal(one)\n"
    evaluator = evaluator_for(text)
    (call,) = questions(evaluator)
    found = evaluator.solver.values(call.arguments[0].value, evaluator.solver.root(call.scope))
    assert UNKNOWN in found
    assert len(found) == MOST + 1


def test_true_and_one_are_two_values() -> None:
    node = ConstraintNode()
    taken = [node.take(Literal.of(value)) for value in (1, True, 1.0, 1)]
    assert [value is not None for value in taken] == [True] * 3 + [False]


def test_targets_keep_their_order_and_come_once() -> None:
    node, targets = ConstraintNode(), [ConstraintNode() for _ in range(MANY)]
    taken = [node.lead_to(target) for target in [*targets, *targets]]
    assert taken == [True] * MANY + [False] * MANY
    assert list(node.targets) == targets


def test_all_watchers_are_kept_in_their_order() -> None:
    node, told = ConstraintNode(), list[int]()
    for number in range(MANY):
        node.heed(lambda _, number=number: told.append(number))  # type: ignore[misc]
    for watcher in node.watchers:
        watcher(Literal.of(1))
    assert told == list(range(MANY))


def test_no_node_is_left_behind_a_program(tmp_path: Path) -> None:
    script = tmp_path / "train.py"
    script.write_text(
        "from torch.utils.data import DataLoader\n\n\n"
        "def run(loader, again):\n    for x in loader:\n        x = x.cuda()\n"
        "    return run(again, loader)\n\n\n"
        "run(DataLoader(rows, num_workers=2), DataLoader(rows))\n"
    )
    files = frozenset({str(script)})
    request = Request(tmp_path, sorted(files), files, frozenset(rule_docs.summaries()))
    gc.collect()
    collects = gc.isenabled()
    gc.disable()
    try:
        before = _nodes()
        assert analyse(request, Sources()).diagnostics
        assert _nodes() == before
    finally:
        if collects:
            gc.enable()


def _nodes() -> int:
    return sum(type(one) is ConstraintNode for one in gc.get_objects())


def test_calls_and_attributes_leave_no_function_with_cells_behind() -> None:
    calls = "".join(f"reveal(x.a{number}(1).b)\n" for number in range(MANY))
    evaluator = evaluator_for(f"from library import x\n{calls}")
    for call in questions(evaluator):
        evaluator.solver.values(call.arguments[0].value, evaluator.solver.root(call.scope))
    watchers = [w for node in evaluator.solver._nodes.values() for w in node.watchers]
    assert len(watchers) > MANY
    assert not any(isinstance(watcher, FunctionType) for watcher in watchers)


def test_what_reaches_a_node_after_it_was_asked_is_told() -> None:
    evaluator = evaluator_for("reveal(1)\n")
    (call,) = questions(evaluator)
    solver, asked = evaluator.solver, call.arguments[0].value
    frame = solver.root(call.scope)
    first = solver.values(asked, frame)
    assert solver.values(asked, frame) is first
    solver.add(solver.evaluate(asked, frame), External("library.f"))
    assert list(solver.values(asked, frame)) == [*first, External("library.f")]
    assert External("library.f") not in first


def test_what_is_closed_is_closed_once_and_may_make_more_flow() -> None:
    solver, node, closed = evaluator_for("").solver, ConstraintNode(), list[int]()

    def close() -> None:
        closed.append(len(node.values))
        if len(closed) < 2:
            solver.add(node, Literal.of(1))
            solver.when_settled(close)

    solver.when_settled(close)
    solver.settle()
    solver.settle()
    assert closed == [0, 1]


def test_once_nothing_is_known_any_more_nothing_is_closed() -> None:
    solver, closed = evaluator_for("").solver, list[int]()
    solver.when_settled(lambda: closed.append(1))
    solver.give_up()
    solver.settle()
    assert not closed
