"""Loops over batches that are comprehensions: what runs for each batch is the comprehension."""

from __future__ import annotations

from collections.abc import Callable, Mapping

from dlint.analyses.context import AnalysisContext
from dlint.model.loading.loaders import Loaders
from dlint.model.loops.batch_loops import calls_in
from dlint.model.loops.epochs import is_evaluation
from tests import ends

MakeProgram = Callable[[str | Mapping[str, str]], AnalysisContext]


def test_the_loop_around_it_is_not_its_body(context: MakeProgram) -> None:
    analysed = context(
        """
        import torch
        from torch.utils.data import DataLoader

        def main(model, held_out):
            judge = DataLoader(held_out)
            for epoch in range(10):
                model(torch.ones(1)).backward()
                model.eval()
                with torch.no_grad():
                    print(sum(model(x) for x in judge))
        """
    )
    (loader,) = [one for group in analysed[Loaders].by_call().values() for one in group]
    (loop,) = loader.loops
    assert loop.body is not None
    assert [call.name for call in calls_in(loop.body)] == ["model"]
    assert not loop.trains
    assert is_evaluation(loop)
    assert [outer.span for outer in loop.outer_loops] != []


def test_a_block_is_looked_through_once(context: MakeProgram) -> None:
    scope = context("f(g(x))\n" * 50).modules[0].module.body
    assert len(calls_in(scope.body)) == 100
    assert ends.calls_in(lambda: calls_in(scope.body)) < 10
