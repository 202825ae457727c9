"""What findings say: in one style, and with the assumptions that they rest on."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

from dlint.engine.analyse import analyse
from dlint.engine.request import Request
from dlint.workspace.reading import Sources

EPOCHS = """
import argparse

from torch.utils.data import DataLoader, DistributedSampler

parser = argparse.ArgumentParser()
parser.add_argument("--epochs", type=int, default={default})


def train(dataset, model{shuffle}):
    args = parser.parse_args()
    sampler = DistributedSampler(dataset{given})
    for epoch in range(args.epochs):
        for x in DataLoader(dataset, sampler=sampler):
            model(x).backward()
"""

WORKERS = """\
import argparse
from torch.utils.data import DataLoader


def train(model, optimizer, dataset):
    parser = argparse.ArgumentParser()
    parser.add_argument({flags}, type=int, default=4)
    args = parser.parse_args()
    loader = DataLoader(dataset, 64, num_workers=args.n_cpu)
    for epoch in range(10):
        for x in loader:
            model(x).backward()
            optimizer.step()
"""


@pytest.fixture
def messages(tmp_path: Path) -> Callable[..., list[str]]:
    """What a rule says of a text."""

    def messages(rule: str, text: str) -> list[str]:
        path = tmp_path / "train.py"
        path.write_text(text)
        request = Request(tmp_path, (path,), frozenset({str(path)}), frozenset({rule}))
        return [d.message for d in analyse(request, Sources()).diagnostics]

    return messages


@pytest.mark.parametrize(
    ("default", "shuffle", "given", "named"),
    [
        ("10", "", "", None),
        ("None", "", "", None),
        ("1", "", "", "more than the one by the default of option `--epochs`"),
        (
            "10",
            ", shuffle=True",
            ", shuffle=shuffle",
            "`shuffle` is on by the default of parameter `shuffle`",
        ),
    ],
)
def test_set_epoch_names_the_defaults_it_rests_on(
    messages: Callable[..., list[str]], default: str, shuffle: str, given: str, named: str | None
) -> None:
    text = EPOCHS.format(default=default, shuffle=shuffle, given=given)
    (message,) = messages("missing-set-epoch", text)
    assert ("default of" in message) is (named is not None)
    assert named is None or named in message


ONE_PATH = """\
from torch.utils.data import DataLoader


def make(dataset, small, alone):
    workers = 0 if small else 8
    ahead = {ahead}
    return DataLoader(dataset, 64, num_workers=workers, prefetch_factor=ahead)
"""


@pytest.mark.parametrize(
    ("ahead", "said"),
    [
        ("4", "raises ValueError whenever `num_workers` is 0"),
        (
            "None if alone else 4 if small else None",
            "may raise ValueError where `num_workers` is 0",
        ),
    ],
)
def test_what_holds_on_one_path_only_is_said_to_be_possible(
    messages: Callable[..., list[str]], ahead: str, said: str
) -> None:
    (message,) = messages("invalid-loader-arguments", ONE_PATH.format(ahead=ahead))
    assert said in message
    assert "but `num_workers` may be 0" in message


@pytest.mark.parametrize(
    ("flags", "named"),
    [
        ('"--n_cpu"', "--n_cpu"),
        ('"-j", "--n-cpu"', "--n-cpu"),
        ('"-j", dest="n_cpu"', "-j"),
    ],
)
def test_an_option_is_named_as_its_program_spells_it(
    messages: Callable[..., list[str]], flags: str, named: str
) -> None:
    (message,) = messages("missing-persistent-workers", WORKERS.format(flags=flags))
    assert f"default of option `{named}`" in message


def test_workers_that_a_function_is_handed_are_kept_only_where_there_are_some(
    messages: Callable[..., list[str]],
) -> None:
    made = "from torch.utils.data import DataLoader\n\n\ndef make(data, n):\n"
    made += "    return DataLoader(data, 64, num_workers=n)\n\n\n"
    trained = "def train(model, data):\n    loader = make(data, 4)\n    for epoch in range(99):\n"
    trained += "        for x in loader:\n            model(x).backward()\n\n\n"
    shown = "def show(data):\n    for x in make(data, 0):\n        print(x)\n"
    for calls in (trained, trained + shown):
        (said,) = messages("missing-persistent-workers", made + calls)
        assert "set `persistent_workers=n > 0`" in said
    (always,) = messages("missing-persistent-workers", made.replace("=n)", "=4)") + trained)
    assert "set `persistent_workers=True`" in always


@pytest.mark.parametrize(
    ("given", "said"),
    [
        ("8", "`persistent_workers=True`"),
        ("args.n_cpu", "`persistent_workers=args.n_cpu > 0`"),
        ("0 if own else 8", "`persistent_workers=True` (only where there are workers)"),
        ("0 if own else args.n_cpu", "`persistent_workers=True` (only where there are workers)"),
    ],
)
def test_workers_are_kept_where_there_are_some(
    messages: Callable[..., list[str]], given: str, said: str
) -> None:
    text = WORKERS.format(flags='"--n_cpu"').replace("dataset)", "dataset, own)")
    text = text.replace("=args.n_cpu", f"={given}")
    (kept,) = messages("missing-persistent-workers", text)
    assert f"set {said} to keep them" in kept


@pytest.mark.parametrize(
    ("group", "said"),
    [
        ('dist.init_process_group("nccl")', "leave both out, and the sampler asks"),
        (
            'if args.dist:\n        dist.init_process_group("nccl")',
            "leave both out where there is a process group, and the sampler asks that",
        ),
    ],
)
def test_a_process_group_is_asked_where_there_is_one(
    messages: Callable[..., list[str]], group: str, said: str
) -> None:
    text = "import torch\nimport torch.distributed as dist\nfrom torch.utils.data import *\n\n\n"
    text += f"def main(data, args):\n    {group}\n    count = torch.cuda.device_count()\n"
    text += "    sampler = DistributedSampler(data, count, args.local_rank)\n"
    text += "    return DataLoader(data, sampler=sampler)\n"
    (message,) = messages("distributed-sampler-rank", text)
    assert said in message


COPIES = """\
from torch.utils.data import DataLoader


{helpers}


def train(model, dataset):
    loader = DataLoader(dataset, 64, num_workers=4, pin_memory=True)
    for batch in loader:
        {calls}
"""


@pytest.mark.parametrize(
    ("names", "said"),
    [
        (["g"], "the copy of this pinned batch in `g` blocks"),
        (["g", "d"], "the 2 copies of this pinned batch in `g` and `d` block"),
        (["g", "d", "e"], "the 3 copies of this pinned batch in `g`, `d` and `e` block"),
        (["g", "d", "e", "f"], "the 4 copies of this pinned batch in 4 functions block"),
    ],
)
def test_all_functions_that_copy_are_named(
    messages: Callable[..., list[str]], names: list[str], said: str
) -> None:
    helper = "def {}(model, batch):\n    model(batch.cuda()).backward()"
    helpers = "\n\n\n".join(helper.format(name) for name in names)
    calls = "\n        ".join(f"{name}(model, batch)" for name in names)
    (message,) = messages("missing-non-blocking", COPIES.format(helpers=helpers, calls=calls))
    assert said in message


IMAGES = """\
from PIL import Image
from torch.utils.data import DataLoader, Dataset
from torchvision.transforms.functional import to_tensor


class Images(Dataset):
    def __init__(self, paths):
        self.paths = paths

    def __len__(self):
        return len(self.paths)

    def __getitem__(self, index):
        return to_tensor(Image.open(self.paths[index]).convert("RGB"))


def train(model, paths):
    loader = DataLoader(Images(paths), 64, shuffle=True{pin})
    for epoch in range(10):
        for x in loader:
            model(x.cuda({flag})).backward()
"""


@pytest.mark.parametrize(
    ("pin", "flag", "advice"),
    [
        ("", "", ", with `pin_memory=True` and `non_blocking=True` copies beside it"),
        (", pin_memory=True", "", ", with `non_blocking=True` copies beside it"),
        ("", "non_blocking=True", ", with `pin_memory=True` beside it"),
        (", pin_memory=True", "non_blocking=True", ""),
    ],
)
def test_nobody_is_advised_what_is_there(
    messages: Callable[..., list[str]], pin: str, flag: str, advice: str
) -> None:
    (message,) = messages("zero-workers", IMAGES.format(pin=pin, flag=flag))
    assert message.endswith(f"; set `num_workers` above 0{advice}")


@pytest.mark.parametrize(
    ("begun", "is_told"),
    [
        ("train(print, [])", True),
        ('if __name__ == "__main__":\n    train(print, [])', False),
        ("", False),
    ],
)
def test_a_script_without_a_guard_is_told_of_it(
    messages: Callable[..., list[str]], begun: str, is_told: bool
) -> None:
    text = IMAGES.format(pin=", pin_memory=True", flag="non_blocking=True")
    (message,) = messages("zero-workers", f"{text}\n\n{begun}\n")
    assert message.endswith("; on macOS and Windows that needs a main guard first") is is_told
