"""Where losses are kept with their graph: the call that hands one over, and the method behind."""

from __future__ import annotations

from dlint.model.loops.graph_retention import histories
from tests.analyses.control.programs import MakeProgram

METERS = """
class Meter:
    def __init__(self):
        self.total = 0

    def update(self, value):
        self.total += value


class Board(dict):
    def __missing__(self, key):
        self[key] = Meter()
        return self[key]

    def take(self, values):
        for key, value in values.items():
            self[key].update(value)
"""
TRAINING = """
from torch.utils.data import DataLoader
from meters import Board, Meter

def train(dataset, model):
    {kept}
    for x in DataLoader(dataset, 64):
        losses = {{"all": model(x)}}
        loss = losses["all"]
        loss.backward()
        {keeping}
"""


def test_the_method_that_keeps_a_loss_is_known(context: MakeProgram) -> None:
    for kept, keeping in (
        ("meter = Meter()", "meter.update(loss)"),
        ("board = Board()", "board.take(losses)"),
    ):
        text = TRAINING.format(kept=kept, keeping=keeping)
        (found,) = histories(context({"meters.py": METERS, "main.py": text}))
        assert found.place.path.endswith("main.py")
        assert found.kept_place is not None
        assert found.kept_place.path.endswith("meters.py")
        assert METERS[found.kept_place.start : found.kept_place.end] == "value"


def test_a_loss_that_the_loop_keeps_itself(context: MakeProgram) -> None:
    text = TRAINING.format(kept="kept = []", keeping="kept.append(loss)")
    (found,) = histories(context({"meters.py": METERS, "main.py": text}))
    assert found.kept_place is None
