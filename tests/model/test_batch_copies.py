"""Which copies are of one batch, and where the batch comes to them."""

from __future__ import annotations

from collections.abc import Callable, Mapping

from dlint.analyses.context import AnalysisContext
from dlint.findings.places import Place
from dlint.model.loading.loaders import Loaders
from dlint.model.transfers.batch_copies import BatchCopies, copies_of_batches

MakeProgram = Callable[[str | Mapping[str, str]], AnalysisContext]

PROGRAM = """
from torch.utils.data import DataLoader

def move(batch):
    return [part.cuda() for part in batch]

class Steps:
    def keep(self, batch):
        self.batch = batch
    def step(self):
        return self.batch.cuda()

def train(data, model):
    for x, y in DataLoader(data):
        model(x.cuda(), y.cuda()).backward()

def evaluate(data, model):
    for batch in DataLoader(data):
        model(*move(batch))
    for batch in DataLoader(data):
        model(*move(batch)).backward()

def keep(data, steps: Steps):
    steps = Steps()
    for batch in DataLoader(data):
        steps.keep(batch)
        steps.step()
"""


def _text(context: AnalysisContext, place: Place) -> str:
    return context.project.text(place.path)[place.start : place.end].decode()


def _groups(context: AnalysisContext) -> list[BatchCopies]:
    return list(copies_of_batches(context, context[Loaders].transfers))


def test_copies_are_one_where_their_batch_is(context: MakeProgram) -> None:
    program = context(PROGRAM)
    found = [
        ([_text(program, program.place_of(t.call)) for t in g.transfers], g.transfers[0], g)
        for g in _groups(program)
    ]
    assert [(texts, _text(program, g.place_of(first))) for texts, first, g in found] == [
        (["part.cuda()"], "move(batch)"),
        (["self.batch.cuda()"], "self.batch.cuda()"),
        (["x.cuda()", "y.cuda()"], "x.cuda()"),
    ]


def test_the_loop_that_trains_names_the_place(context: MakeProgram) -> None:
    program = context(PROGRAM)
    (moved,) = (group for group in _groups(program) if len(group.loops) == 2)
    place = moved.place_of(moved.transfers[0])
    assert program.project.text(place.path)[place.end :].startswith(b").backward()")


SIDES = """
from torch.utils.data import DataLoader

def train(data, model, half):
    for x, y in DataLoader(data):
        if half:
            x = x.cuda().half()
        elif half is None:
            x = x.cuda().double()
        else:
            x = x.cuda()
        model(x, y.cuda()).backward()
"""


def test_sides_of_an_if_are_not_counted_together(context: MakeProgram) -> None:
    (group,) = _groups(context(SIDES))
    assert (len(group.transfers), group.most_at_once) == (4, 2)


CLASSES = """
from torch.utils.data import DataLoader

class Base:
    def fit(self, data):
        for x in DataLoader(data):
            self.step(x)

class One(Base):
    def step(self, x):
        self.model(x.cuda()).backward()

class Two(Base):
    def step(self, x):
        self.model(x[0].cuda(), x[1].cuda()).backward()

def main(data, kind):
    base = One() if kind else Two()
    base.fit(data)
"""


def test_a_method_of_sibling_classes_is_given_one_batch_each(context: MakeProgram) -> None:
    program = context(CLASSES)
    groups = [
        [_text(program, program.place_of(t.call)) for t in g.transfers] for g in _groups(program)
    ]
    assert sorted(groups) == [["x.cuda()"], ["x[0].cuda()", "x[1].cuda()"]]
