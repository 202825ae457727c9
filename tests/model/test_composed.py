"""Composed transforms: what each is given by the one before it."""

from __future__ import annotations

from collections.abc import Callable, Mapping

from dlint.analyses.context import AnalysisContext
from dlint.ir import expressions as ex
from dlint.model.samples.composed import stages

MakeProgram = Callable[[str | Mapping[str, str]], AnalysisContext]

TEXT = """
import torch
from torch.utils.data import DataLoader, Dataset
from torchvision.transforms import Compose, Lambda, Normalize, ToTensor

class Turn:
    def __call__(self, image):
        return image.turned

class Data(Dataset):
    def __init__(self, transform):
        self.transform = transform
    def __getitem__(self, i):
        return self.transform(read(i))

steps = [Turn(), Lambda(lambda image: image.cut), ToTensor(), Normalize(0, 1)]
loader = DataLoader(Data(Compose([Compose(steps)])), batch_size=4)
"""


def _words(expression: ex.Expression) -> str | None:
    return expression.name if isinstance(expression, ex.Attribute | ex.Call) else None


def test_each_stage_is_given_what_the_one_before_returns(context: MakeProgram) -> None:
    found = context(TEXT)[stages]
    given = [[_words(expression) for expression, _ in stage.inputs] for stage in found]
    assert given == [["read"], ["turned"], ["cut"], []]
    assert [len(stage.activations) for stage in found] == [1, 1, 0, 0]
    assert (found[2].path or "").endswith("ToTensor")


def test_a_list_that_grows_is_not_opened(context: MakeProgram) -> None:
    grown = TEXT.replace("loader =", "steps.append(ToTensor())\nloader =")
    assert [stage.path for stage in context(grown)[stages]] != [
        stage.path for stage in context(TEXT)[stages]
    ]
