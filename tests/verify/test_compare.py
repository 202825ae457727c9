"""What counts as the same results, and which faults are seen to be gone."""

from __future__ import annotations

from types import SimpleNamespace
from typing import Any

import pytest

from dlint.verify.judge.compare import Faults, Kind, compare, difference, faults, fixed_fault
from dlint.verify.measure.traces import DeviceTime
from dlint.verify.probe.dlint_probe.hooks import _precisions
from dlint.verify.run.runner import Run
from tests.verify.made import loader, run


def _kind(before: Run, after: Run, *aligned: Run) -> Kind:
    return compare(before, before, after, lambda: aligned or (before, after)).kind  # type: ignore[arg-type,return-value]


def test_identical() -> None:
    assert _kind(run(), run()) is Kind.IDENTICAL


def test_a_longer_run_is_compared_as_far_as_both_went() -> None:
    short = run(hashes=[["a"]], order=[[0]], samples=[["a"]], losses=[1.0], whole=False)
    assert _kind(run(), short) is Kind.IDENTICAL


def test_an_unseeded_script_that_differs_from_itself() -> None:
    other = run(hashes=[["x", "y"]])
    found = compare(run(), other, run(), lambda: (run(), run()))
    assert found.kind is Kind.UNKNOWN
    assert "two runs of the script as it is differ" in found.why


def test_another_random_stream() -> None:
    after = run(hashes=[["x", "y"], ["z", "w"]])
    assert _kind(run(), after, run(), run()) is Kind.STREAM


def test_another_order_of_the_same_samples() -> None:
    after = run(order=[[1, 0], [0, 1]], hashes=[["b", "a"], ["a", "b"]])
    assert _kind(run(), after) is Kind.REORDERED


def test_other_samples() -> None:
    after = run(hashes=[["x", "b"], ["b", "x"]], samples=[["x", "b"], ["b", "x"]])
    assert _kind(run(), after) is Kind.CHANGED


def test_other_content_for_the_same_indices_before_an_epoch_ends() -> None:
    after = run(hashes=[["x", "b"]], whole=False)
    assert _kind(run(whole=False), after) is Kind.CHANGED


def test_another_order_before_an_epoch_ends_is_not_judged() -> None:
    after = run(order=[[1, 0]], hashes=[["b", "a"]], whole=False)
    assert _kind(run(whole=False), after) is Kind.UNKNOWN


@pytest.mark.parametrize("whole", [True, False])
def test_other_losses_of_the_same_batches_are_other_results(whole: bool) -> None:
    assert _kind(run(whole=whole), run(whole=whole, losses=[1.0, 0.7])) is Kind.CHANGED


def test_a_model_that_draws_other_numbers_is_not_changed() -> None:
    before = run(streams=["a", "b"])
    assert _kind(before, run(losses=[1.0, 0.7], streams=["a", "c"])) is Kind.STREAM
    assert _kind(before, run(losses=[1.0, 0.7], streams=["c", "b"])) is Kind.CHANGED
    after = run(losses=[1.0, 5.0], streams=["a", "c"])
    given = compare(before, before, after, lambda: (before, after), free=True)
    assert given.kind is Kind.UNKNOWN, "a change of any kind may be one of the model"
    assert _kind(before, run(losses=[1.0, 0.7], streams=["a", "b"])) is Kind.CHANGED


def test_losses_that_are_rounded_in_another_way_are_not_judged() -> None:
    assert _kind(run(), run(losses=[1.0, 0.50001])) is Kind.UNKNOWN


def test_other_losses_that_draw_at_random_have_another_stream() -> None:
    assert _kind(run(), run(losses=[1.0, 0.7]), run(), run()) is Kind.STREAM


def test_losses_of_a_device_need_not_be_the_same_to_the_bit() -> None:
    device = DeviceTime(1.0, 0.5, {}, 0, 0.0, 0.0)
    nan = float("nan")
    before = run(losses=[1.0, nan], device=device)
    assert _kind(before, run(losses=[1.0005, nan], device=device)) is Kind.IDENTICAL
    assert _kind(before, run(losses=[1.1, nan], device=device)) is Kind.UNKNOWN
    assert _kind(run(losses=[1.0, nan]), run(losses=[1.0005, nan])) is Kind.UNKNOWN


def _faults(**given: Any) -> Faults:
    return faults(run(**given))


def test_the_order_of_epochs() -> None:
    same = _faults(order=[[0, 1], [0, 1]])
    other = _faults(order=[[0, 1], [1, 0]])
    assert (same.repeated_order, other.repeated_order) == (True, False)
    assert fixed_fault(same, other) == "the order now differs from epoch to epoch"
    assert fixed_fault(other, other) is None
    assert fixed_fault(other, same) is None


def test_a_program_that_ends_after_one_epoch() -> None:
    ended = run(order=[[0, 1]])
    assert not faults(ended).single_epoch, "it was stopped"
    ended.records[0] = ended.records[0].model_copy(update={"why": "exit"})
    assert faults(ended).single_epoch
    assert faults(ended).repeated_order is None
    longer = run()
    longer.records[0] = longer.records[0].model_copy(update={"why": "exit"})
    assert not faults(longer).single_epoch


def test_a_batch_that_is_looked_at_first_is_no_epoch() -> None:
    made = run(order=[[0], [0, 1], [1, 0]], samples=[["a"], ["a", "a"], ["b"]], hashes=[[], [], []])
    record = made.records[0]
    first, *rest = record.loaders[0].epochs
    peek = first.model_copy(update={"end": None})
    loader = record.loaders[0].model_copy(update={"epochs": (peek, *rest)})
    made.records[0] = record.model_copy(update={"loaders": (loader,)})
    found = faults(made)
    assert found.repeated_order is False
    assert found.shared_samples == 1


def test_samples_that_come_twice_in_an_epoch_or_on_two_ranks() -> None:
    twice = _faults(samples=[["a", "a", "b", "b"]])
    once = _faults(samples=[["a", "b"]])
    assert (twice.shared_samples, once.shared_samples) == (2, 0)
    assert fixed_fault(twice, once) == "no sample comes twice in an epoch"
    assert _faults(ranks=[loader(), loader()]).shared_samples == 2


def test_strategies_in_workers() -> None:
    late = _faults(strategies=["file_descriptor"] * 2, asked="file_system")
    early = _faults(strategies=["file_system"] * 2, asked="file_system")
    assert (late.ignored_strategy, early.ignored_strategy) == (2, 0)
    assert fixed_fault(late, early) == "the sharing strategy is in force in every worker"
    assert _faults().ignored_strategy is None


@pytest.mark.parametrize(("precision", "same"), [(1.2e-7, False), (2**-10, False), (2**-7, True)])
def test_losses_on_a_device_may_differ_as_far_as_its_numbers_are_coarse(
    precision: float, same: bool
) -> None:
    """A hundredth is nothing in bfloat16."""
    device = DeviceTime(1.0, 0.5, {}, 0, 0.0, 0.0)
    before, after = (run(losses=losses, device=device) for losses in ([1.0, 0.5], [1.0, 0.505]))
    for made in (before, after):
        made.records[0] = made.records[0].model_copy(update={"precision": precision})
    assert (difference(before, after) is None) is same


def test_how_coarse_numbers_are_is_asked_of_what_is_trained() -> None:
    """A loss of float32 may come of weights of bfloat16."""
    torch = pytest.importorskip("torch")
    kinds = {"float32": 2.0**-23, "bfloat16": 2.0**-7, "float16": 2.0**-10}
    for name, apart in kinds.items():
        weights = torch.zeros(2, dtype=getattr(torch, name), requires_grad=True)
        assert max(_precisions(torch, torch.optim.SGD([weights], lr=0.1))) == apart
    whole = SimpleNamespace(dtype=torch.int8, is_cuda=False)
    assert _precisions(torch, SimpleNamespace(param_groups=[{"params": [whole]}])) == [0.0]
    on_device = SimpleNamespace(dtype=torch.float32, is_cuda=True)
    trained = SimpleNamespace(param_groups=[{"params": [on_device]}])
    backends = SimpleNamespace(
        cuda=SimpleNamespace(matmul=SimpleNamespace(allow_tf32=False)),
        cudnn=SimpleNamespace(allow_tf32=True),
    )
    fake = SimpleNamespace(finfo=torch.finfo, backends=backends)
    assert max(_precisions(fake, trained)) == 2.0**-10
    backends.cudnn.allow_tf32 = False
    assert max(_precisions(fake, trained)) == 2.0**-23
