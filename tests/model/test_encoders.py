"""Where text encoders compute, and where what they give lies."""

from __future__ import annotations

from collections.abc import Callable, Mapping

import pytest

from dlint.analyses.context import AnalysisContext
from dlint.model.transfers.encoders import encodes_on_cuda, gives_tensors

MakeContext = Callable[[str | Mapping[str, str]], AnalysisContext]

TEXT = """
import torch
from sentence_transformers import SentenceTransformer
from torch.utils.data import DataLoader

def run(texts, other):
    device = "cuda" if torch.cuda.is_available() else "cpu"
    model = {made}
    model.encode(texts{given})
"""


@pytest.mark.parametrize(
    ("made", "given", "on_cuda", "tensors"),
    [
        ('SentenceTransformer("x")', "", True, False),
        ('SentenceTransformer("x")', ", convert_to_tensor=True", True, True),
        ('SentenceTransformer("x")', ", convert_to_tensor=other", True, False),
        ('SentenceTransformer("x", device=device)', "", True, False),
        ('SentenceTransformer("x", None, "cpu")', "", False, False),
        ('SentenceTransformer("x", device=other)', "", False, False),
        ('SentenceTransformer("x", **other)', "", False, False),
        ('SentenceTransformer("x")', ', device="cpu"', False, False),
        ('SentenceTransformer("x", device="cpu")', ", device=device", True, False),
        ('SentenceTransformer("x").to(device)', "", True, False),
        ('SentenceTransformer("x").to("cpu")', "", False, False),
        ('SentenceTransformer("x").to(other)', "", False, False),
        ('other or SentenceTransformer("x")', "", False, False),
        ("other", "", False, False),
    ],
)
def test_encoders(
    context: MakeContext, made: str, given: str, on_cuda: bool, tensors: bool
) -> None:
    analysed = context(TEXT.format(made=made, given=given))
    scopes = [s for facts in analysed.modules for s in facts.module.scopes]
    (call,) = [c for s in scopes for c in s.calls if c.name == "encode"]
    frame = analysed.solver.root(call.scope)
    assert encodes_on_cuda(analysed, call, frame) is on_cuda
    assert gives_tensors(analysed, call, frame) is tensors
