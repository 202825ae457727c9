"""The torch that the modules of one program were written for."""

from __future__ import annotations

from pathlib import Path

import pytest

from dlint.model.versions.code_versions import is_of_long_ago, written_for
from dlint.model.versions.dated_code import is_dated
from dlint.model.versions.version_specifiers import OPEN, Admitted
from tests.conftest import MakeProgram
from tests.ends import calls_in

LOSS = """
def step(model, x, y, criterion):
    loss = criterion(model(x), y)
    return loss.data[0]
"""
ARRAY = "loss.data.cpu().numpy()[0]"
ACCURACY = """
def accuracy(output, target, topk=(1,)):
    _, pred = output.topk(max(topk), 1, True, True)
    pred = TURNED
    correct = pred.eq(target.view(1, -1).expand_as(pred))
    return [correct[:k].view(-1).float().sum(0) for k in topk]

def train(output, target):
    return accuracy(output, target, topk=KS)
"""
TURNED = ACCURACY.replace("TURNED", "pred.t()")
LOSS_OF_TORCH = "import torch\n    loss = torch.nn.functional.mse_loss(y, z)"
REDUCED = "import torch\ncriterion = torch.nn.MSELoss(reduction='none')\n"


@pytest.mark.parametrize(
    ("text", "shown"),
    [
        (LOSS, Admitted(None, (0, 3))),
        ("total = 0\ntotal += criterion(x, y).data[0]", Admitted(None, (0, 3))),
        ("img = Variable(img, volatile=True).cuda()", Admitted(None, (0, 3))),
        (f"def f():\n    loss.backward()\n    x = {ARRAY}", Admitted(None, (0, 3))),
        (
            f"def f():\n    a = loss / 2 + b\n    a.backward()\n    x = {ARRAY}",
            Admitted(None, (0, 3)),
        ),
        (f"def f():\n    {LOSS_OF_TORCH}\n    x = {ARRAY}", Admitted(None, (0, 3))),
        ("def f():\n    b.backward()\n    x = b.cpu().detach().numpy()[0]", Admitted(None, (0, 3))),
        (f"x = {ARRAY}", OPEN),
        (f"def f():\n    a = g(loss)\n    a.backward()\n    x = {ARRAY}", OPEN),
        (f"def f():\n    loss.backward(ones)\n    x = {ARRAY}", OPEN),
        (f"{REDUCED}def f():\n    {LOSS_OF_TORCH}\n    x = {ARRAY}", OPEN),
        ("def f():\n    loss.backward()\n    x = loss.data.cpu().numpy()[1]", OPEN),
        ("from torch.utils.ffi import create_extension", Admitted(None, (0, 4))),
        ("import torch.legacy.nn as nn", Admitted(None, (0, 4))),
        ("import torch.utils.ffi_of_mine", OPEN),
        ("import cPickle as pickle", Admitted(None, (1, 4))),
        ("try:\n    import cPickle\nexcept ImportError:\n    pass", OPEN),
        ("import Queue_of_mine", OPEN),
        ("import torch\nk = torch.ifft(image, 2, normalized=True)", Admitted(None, (1, 7))),
        ("from torch import rfft\nk = rfft(image, 2)", Admitted(None, (1, 7))),
        (TURNED.replace("KS", "(1, 5)"), Admitted(None, (1, 6))),
        (TURNED.replace("KS", "(1,)"), OPEN),
        (TURNED.replace("accuracy(output, target, topk=KS)", "1").replace("(1,)", "(1, 5)"), OPEN),
        (
            TURNED.replace("KS", "(1, 5)").replace(
                "return [correct[:k].view(-1).float().sum(0) for k in topk]",
                "for k in topk:\n        if k == 1:\n            correct[:k].view(-1)",
            ),
            OPEN,
        ),
        (TURNED.replace("KS", "(1, 5)").replace(".view(-1)", ".reshape(-1)"), OPEN),
        (ACCURACY.replace("TURNED", "pred.clone()").replace("KS", "(1, 5)"), OPEN),
        ("import torch\nk = torch.fft.ifft(image)", OPEN),
        ("import numpy\nk = numpy.fft.ifft(image)", OPEN),
        ("batches = enumerate(loader)\n_, batch = batches.next()", Admitted(None, (1, 4))),
        ("batches = iter(loader)\nbatch = batches.next()", OPEN),
        ("for i in xrange(3):\n    pass", Admitted(None, (1, 4))),
        ("for k, v in d.iteritems():\n    pass", Admitted(None, (1, 4))),
        ("import torch\nmodel = torch.compile(model)", Admitted((2, 0), None)),
        ("loader = DataLoader(x, 2, persistent_workers=True)", Admitted((1, 7), None)),
        (f"import torch\n{LOSS}\ntorch.compile(model)", OPEN),
        ("import torch\nif hasattr(torch, 'compile'):\n    torch.compile(m)", OPEN),
        (f"from torch import __version__ as v\nold = v < '0.4'\n{LOSS}", OPEN),
        (f"import torch as t\nold = t.__version__ < '0.4'\n{LOSS}", OPEN),
        (f"__version__ = '1.0'\nold = __version__\n{LOSS}", Admitted(None, (0, 3))),
        (f"import numpy\nold = numpy.__version__ < '1.0'\n{LOSS}", Admitted(None, (0, 3))),
        ("from torch import __version__ as v\nif v < '1':\n    img = V(data_tensor=x)", OPEN),
        ("xrange = range\nfor i in xrange(3):\n    pass", OPEN),
        ("from six.moves import xrange\nfor i in xrange(3):\n    pass", OPEN),
        ("weights = w.data[0]", OPEN),
        ("loss = loss.data[1]", OPEN),
        ("# loss.data[0], volatile\nx = 1", OPEN),
    ],
)
def test_what_a_module_shows(text: str, shown: Admitted, context: MakeProgram) -> None:
    made = context(text)
    (facts,) = made.modules
    assert written_for(made, [facts.module.path]) == shown


@pytest.mark.parametrize(
    ("name", "magic", "shown"),
    [
        ("train.pyc", b"\x03\xf3\r\n", Admitted(None, (1, 4))),
        ("train.pyc", b"\xa7\r\r\n", OPEN),
        ("train.pyc", b"", OPEN),
        ("other.pyc", b"\x03\xf3\r\n", OPEN),
    ],
)
def test_what_python_2_has_compiled(
    name: str, magic: bytes, shown: Admitted, context: MakeProgram, tmp_path: Path
) -> None:
    (tmp_path / name).write_bytes(magic)
    made = context({"train.py": "x = 1"})
    assert written_for(made, [str(tmp_path / "train.py")]) == shown


def test_a_module_of_the_project_is_none_of_python_2(context: MakeProgram, tmp_path: Path) -> None:
    made = context({"train.py": "from Queue import Rows", "Queue.py": "Rows = list"})
    assert written_for(made, [str(tmp_path / "train.py")]) == OPEN


def test_modules_that_run_together_show_it_of_each_other(
    context: MakeProgram, tmp_path: Path
) -> None:
    main = 'if __name__ == "__main__":\n    pass\n'
    made = context(
        {
            "old.py": f"import steps\nimport shared\n{main}",
            "steps.py": LOSS,
            "new.py": f"import shared\n{main}",
            "shared.py": "x = 1",
        }
    )
    path = {name: str(tmp_path / f"{name}.py") for name in ("old", "steps", "new", "shared")}
    assert is_of_long_ago(made, [path["old"]])
    assert is_of_long_ago(made, [path["shared"], path["old"]])
    assert not is_of_long_ago(made, [path["new"]])
    assert not is_of_long_ago(made, [path["shared"]])


def test_only_what_speaks_of_it_is_looked_through(context: MakeProgram) -> None:
    """`train_data` within another word is no reason to walk over a whole module."""

    def calls(lines: int) -> int:
        analysed = context("train_dataloaders = f()\n" + "x = f(y)\n" * lines)
        module = analysed.modules[0].module
        return calls_in(lambda: is_dated(analysed, module))

    assert calls(200) == calls(10)
