"""Objects that class methods of libraries make."""

from __future__ import annotations

import pytest

from tests.semantics.asked import denoted, evaluated

PROGRAM = """
import pytorch_lightning as pl
import transformers

class Data(pl.LightningDataModule):
    size = 4

class Model(transformers.BertPreTrainedModel):
    size = 4

class Own(Model):
    @classmethod
    def from_pretrained(cls, name):
        return read(name)

class Plain:
    size = 4

reveal({made})
"""


@pytest.mark.parametrize(
    ("made", "expected"),
    [
        ("Data.from_argparse_args(args).size", {"4"}),
        ("Data.load_from_checkpoint('a.ckpt').size", {"4"}),
        ("Model.from_pretrained('bert').size", {"4"}),
        ("Own.from_pretrained('bert').size", {"?"}),
        ("Plain.from_pretrained('bert').size", {"?"}),
    ],
)
def test_objects_of_the_class(made: str, expected: set[str]) -> None:
    assert evaluated(PROGRAM.format(made=made)) == [expected]


def test_trainers_of_a_library() -> None:
    (found,) = denoted(PROGRAM.format(made="pl.Trainer.from_argparse_args(args)"))
    (plain,) = denoted(PROGRAM.format(made="pl.Trainer()"))
    assert found == plain


@pytest.mark.parametrize(
    ("made", "expected"),
    [
        ("nn.Linear(3, 3).to(d).eval()", "torch.nn.Linear()"),
        ("M.from_pretrained('x').cuda().eval()", "transformers.CLIPModel.from_pretrained()"),
        ("nn.Parameter(x).to(d)", "torch.nn.Parameter().to()"),
        ("nn.functional.relu(x).to(d)", "torch.nn.functional.relu().to()"),
    ],
)
def test_modules_that_give_themselves(made: str, expected: str) -> None:
    text = f"from torch import nn\nfrom transformers import CLIPModel as M\nreveal({made})\n"
    assert denoted(text) == [{expected}]
