"""Steps that cost so much more than the copies of their batch that these are no matter."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from textwrap import indent

import pytest

from dlint.analyses.context import AnalysisContext
from dlint.findings.diagnostic import Severity
from dlint.model.loading.loaders import Loaders
from dlint.model.loops.batch_loops import batch_loops
from dlint.model.loops.step_costs import dwarf_copies, runs_network_repeatedly
from dlint.rules.loader import missing_pin_memory
from dlint.rules.transfer import missing_non_blocking

MakeProgram = Callable[[str | Mapping[str, str]], AnalysisContext]

PROGRAM = """
import random
import torch
from torch.utils.data import DataLoader, TensorDataset

@torch.no_grad()
def run(data, model, decoder, scheduler, found):
    for x, y in DataLoader(data{arguments}):
        x = x.cuda()
"""


def _program(body: str, arguments: str = ", 64, num_workers=4, pin_memory=True") -> str:
    return PROGRAM.format(arguments=arguments) + indent(body, " " * 8)


@pytest.mark.parametrize(
    ("body", "repeatedly"),
    [
        ("found.append(model(x))", False),
        ("found.append(model.sample(x_cond=x))", True),
        ("found.append(model.sample(shape=x.shape))", True),
        ("found += model.generate(x)", True),
        ("found.append(model._sample_batch(n=len(x), cond=x[0]))", True),
        ("found.append(model.encode(x).latent_dist.sample())", False),
        ("found += random.sample(x, 3)", False),
        ("found.append(model.resample(x))", False),
        ("for t in range(50):\n    x = model(x, t)", True),
        ("for t in reversed(scheduler.timesteps):\n    x = model.denoise(x, t)", True),
        ("while found:\n    h, c = decoder.step(x, (h, c))", True),
        ("for t in range(50):\n    noise = model(x, t)\n    x = scheduler.step(noise, t, x)", True),
        ("for i, j in time_pairs:\n    e = model(found[-1].cuda(), i)\n    found.append(e)", True),
        ("for i in range(5):\n    part = x[i]\n    found.append(model(part))", False),
        ("for t in range(50):\n    found[t] = model(x)", False),
        ("for t in range(50):\n    x = crop(x)", False),
        ("for layer in model.layers:\n    x = model.run(layer, x)", False),
    ],
)
def test_networks_that_a_step_runs_repeatedly(
    context: MakeProgram, body: str, repeatedly: bool
) -> None:
    (loop,) = context(_program(body))[batch_loops]
    assert runs_network_repeatedly(loop) is repeatedly


@pytest.mark.parametrize(
    ("body", "arguments", "dwarf"),
    [
        ("model(x)", ", batch_size=1", True),
        ("model(x)", "", True),
        ("model(x)", ", batch_size=2", False),
        ("model(x)", ", batch_size=found", False),
        ("model(x).backward()", "", False),
        ("model.generate(x)", ", batch_size=64", True),
        ("model.generate(x).backward()", ", batch_size=64", False),
    ],
)
def test_loaders_whose_copies_are_no_matter(
    context: MakeProgram, body: str, arguments: str, dwarf: bool
) -> None:
    groups = context(_program(body, arguments))[Loaders].by_call().values()
    ((loader,),) = groups
    assert dwarf_copies(loader) is dwarf


@pytest.mark.parametrize(
    ("body", "dwarf"),
    [
        ("with torch.no_grad():\n    for t in range(50):\n        x = model(x, t)", True),
        ("for t in range(50):\n    x = model(x, t)", False),
        ("with torch.no_grad():\n    for t in range(50):\n        found[t] = model(x)", False),
    ],
)
def test_a_part_of_a_step_that_takes_no_gradients(
    context: MakeProgram, body: str, dwarf: bool
) -> None:
    text = _program(body).replace("@torch.no_grad()", "").replace("def run", "def restore")
    ((loader,),) = context(text)[Loaders].by_call().values()
    assert dwarf_copies(loader) is dwarf


@pytest.mark.parametrize(
    ("base", "repeatedly"), [("", True), ("(torch.nn.Module)", False)], ids=["plain", "network"]
)
def test_functions_that_a_step_calls(context: MakeProgram, base: str, repeatedly: bool) -> None:
    """A network's own layers follow one another; a sampler's passes are passes of the network."""
    sampler = f"""
class Sampler{base}:
    def __init__(self, model): self.model = model
    def forward(self, x):
        for i in range(9):
            x = self.model(x, i)
        return x
"""
    text = _program("Sampler(model).forward(x)").replace("@torch", sampler + "\n@torch")
    (loop,) = context(text)[batch_loops]
    assert runs_network_repeatedly(loop) is repeatedly


def test_one_sample_that_is_known_to_be_large_counts(context: MakeProgram) -> None:
    data = "TensorDataset(torch.zeros(10**4, 3, 10**6))"
    text = _program("model(x)", "").replace("DataLoader(data", f"DataLoader({data}")
    ((loader,),) = context(text)[Loaders].by_call().values()
    assert not dwarf_copies(loader)


@pytest.mark.parametrize("arguments", [", num_workers=4", ", num_workers=4, pin_memory=True"])
def test_copies_of_one_sample_are_information(context: MakeProgram, arguments: str) -> None:
    program = context(_program("found.append(model(x))", arguments))
    found = [*missing_pin_memory.check(program), *missing_non_blocking.check(program)]
    assert [finding.severity for finding in found] == [Severity.INFO]


def test_what_may_train_elsewhere_is_not_known_to_evaluate(context: MakeProgram) -> None:
    text = _program("model.optimize_parameters(x)", ", 8, num_workers=4").replace(
        "@torch.no_grad()", ""
    )
    (finding,) = missing_pin_memory.check(context(text))
    assert finding.severity is Severity.WARNING


def test_what_a_framework_tests_one_by_one_is_information(context: MakeProgram) -> None:
    text = """
    import pytorch_lightning as pl
    from torch.utils.data import DataLoader
    def main(model, data):
        trainer = pl.Trainer(accelerator="gpu")
        trainer.{method}(model, DataLoader(data{size}, num_workers=1))
    """
    for method, size, severity in (
        ("test", "", Severity.INFO),
        ("test", ", 8", Severity.INFO),
        ("fit", "", Severity.INFO),
        ("fit", ", 8", Severity.WARNING),
    ):
        (found,) = missing_pin_memory.check(context(text.format(method=method, size=size)))
        assert found.severity is severity


ATTACK = """
from torch.utils.data import DataLoader

def attack(model, x, y, loss, steps):
    found = x.clone()
    for _ in range(steps):
        found.requires_grad_()
        loss(model(found), y).backward()
        found = (found + 0.01 * found.grad.sign()).detach()
    return found

def run(data, model, loss, optimizer):
    model.{mode}()
    for x, y in DataLoader(data, 64, num_workers=4, pin_memory=True):
        x, y = x.cuda(), y.cuda()
        found = attack(model, x, y, loss, 20)
        {after}
"""


@pytest.mark.parametrize(
    ("mode", "after", "dwarf"),
    [
        ("eval", "print(model(found))", True),
        ("train", "print(model(found))", False),
        ("eval", "optimizer.step()", False),
        ("eval", "train_step(model, found)", False),
    ],
)
def test_evaluations_that_attack_a_network(
    context: MakeProgram, mode: str, after: str, dwarf: bool
) -> None:
    ((loader,),) = context(ATTACK.format(mode=mode, after=after))[Loaders].by_call().values()
    assert dwarf_copies(loader) is dwarf
