"""What bytes tell of a file."""

from __future__ import annotations

import pytest

from dlint.workspace import scan

DATASET = b"import torch\nclass A(Dataset):\n    def __getitem__(self, i): ..."


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        (b"DataLoader", True),
        (b"x.set_sharing_strategy()", True),
        (b"a, b = random_split(data, [2, 1])", True),
        (b"from torch._six import inf", True),
        (b"import torchdata.datapipes as dp", True),
        (b"import torchdata", False),
        (b"from torch import _six as s", True),
        (b"from torchdata import datapipes", True),
        (b"from six import _six", False),
        (b"from torch.utils.data import Sampler as S\nclass A(S[int]):", True),
        (b"from transformers import Trainer as T\nT(model, args)", True),
        (b"class A(data.Sampler[int]):", True),
        (b"class A(with_metaclass(ABCMeta, Sampler)):", True),
        (b"class A(UniformSampler):", False),
        (DATASET, True),
        (DATASET.replace(b"torch", b"numpy"), False),
        (DATASET.replace(b"Dataset", b"Datasets"), False),
        (DATASET.replace(b"Dataset", b"Subset"), True),
        (b"def __getitem__(self): ...\n" + DATASET.replace(b"__getitem__", b"get"), False),
        (b"class A(Dataset):\n    def __getitem__(self, i): torch", False),
        (b"import torch", False),
        (b'x.to("cpu", non_blocking=True).numpy()', True),
        (b"x.to(device=cpu, non_blocking=True)", True),
        (b"x.to(non_blocking=True, device='cpu')", True),
        (b"x.to(device, non_blocking=True)\ncpu = 1", False),
        (b'x.to("cpu", None, True).numpy()', True),
        (b'x.to(torch.device("cpu"), torch.float32, True)', True),
        (b'x.to("cpu", True)', False),
        (b'x.to("cuda", None, True)', False),
        (b"x.to(device, non_blocking=True)\ndevice = 'cpu'", True),
        (b"from transformers import Trainer\nTrainer(model, args)", True),
        (b"from lightning import Trainer\nTrainer(devices=2)", False),
        (b"from transformers import Trainer\nclass Own(Trainer):\n    pass", True),
        (b"from transformers import Trainer, TrainingArguments", False),
    ],
)
def test_seeds(text: bytes, expected: bool) -> None:
    assert scan.is_seed(text) is expected


@pytest.mark.parametrize(
    "text",
    [
        b"x.cuda()",
        b"f (x)",
        b"f()()",
        b"a[0](x)",
        b"(lambda: 1)()",
        b"((f))(x)",
        b"default(x)",
        b"f\\\n(x)",
        b"def f(x):\n    return g(x)",
        b"class A:\n    x = 1",
        b"import os\n(a) = os.path.join",
        b"from torch._six import inf as infinity",
        b"from torch import _six",
    ],
)
def test_what_may_hold_findings(text: bytes) -> None:
    assert scan.may_hold_findings(text)


@pytest.mark.parametrize(
    "text",
    [
        b"",
        b"from .a import (b, c)\n__all__ = ['b']",
        b"x = (1, (2, 3))\ny = [(1, 2), (3,)]",
        b"print('x')",
        b"def  f (x):\n    return (x, len(x))",
        b"if (x and (y or z)):\n    pass",
    ],
)
def test_what_holds_no_findings(text: bytes) -> None:
    assert not scan.may_hold_findings(text)


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        (b"DistributedSampler", True),
        (b"set_sharing_strategy", True),
        (b"DataLoader(sampler=s, shuffle=True)", True),
        (b"DataLoader(shuffle=True, sampler=s)", True),
        (b"make(shuffle=True, sampler=s)", False),
        (b"DataLoader(shuffle=True)", False),
        (b"DataLoader(ds, 2, True, RandomSampler(ds))", True),
        (b"DataLoader(ds, 2, False, RandomSampler(ds))", False),
        (b"DataLoader(ds, sampler=RandomSampler(ds, True))", False),
    ],
)
def test_tests_that_may_err(text: bytes, expected: bool) -> None:
    assert scan.is_test_seed(text) is expected
    assert not expected or (scan.is_seed(text) and scan.orders_samples(text))


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        (b"loader:\n  _target_: torch.utils.data.DataLoader\n", True),
        (b'{"_target_": "my.data.TrainLoader"}', True),
        (b"data:\n  class_path: my.ImageDataModule\n", True),
        (b"model:\n  _target_: my.Model\n  num_workers: 4\n", False),
        (b"DataLoader: {num_workers: 0}\n", False),
        (b"jobs:\n  test:\n    steps: []\n", False),
        (b'{"_target_": "DataLoader", "dataset": "@data"}', True),
        (b'_target_ = "torch.utils.data.DataLoader"\n', True),
        (b"loader: !new:torch.utils.data.DataLoader\n", True),
        (b"net: !new:torch.nn.Linear\n", False),
        (b'{"dataloader_num_workers": 0}', True),
        (b"train_dataloader_opts:\n  num_workers: 0\n", True),
        (b"train_dataloader_opts:\n  batch_size: 2\n", False),
        (b"    num_worker_per_gpu: 0\n", True),
        (b"train_loader:\n  num_workers: 8\n", True),
        (b"opt: sgd\nworkers: 8\n", True),
        (b"services:\n  workers: 8\n", False),
        (b'{"zero_optimization": {"offload_param": {"pin_memory": true}}}', False),
    ],
)
def test_yaml_that_says_how_a_loader_is_made(text: bytes, expected: bool) -> None:
    assert scan.is_config_seed(text) is expected


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        (b"train_dataloader = dict(\n    num_workers=0,\n)\n", True),
        (b"val_dataloader = dict(\n    shuffle=True,\n)\n", True),
        (b"train_dataloader = dict(\n    num_workers=4, sampler=dict(shuffle=True),\n)\n", False),
        (b"train_dataloader = dict(num_workers=4, sampler=dict(shuffle=True))", False),
        (b"train_dataloader = dict(sampler=dict(type='A'), shuffle=True)", True),
        (b"train_dataloader = dict(num_workers=4)\nother = dict(shuffle=True)", False),
        (b"train_dataloader = dict(num_workers=n)", True),
        (b"train_dataloader = dict(num_workers = 4, sampler = None)", True),
        (b"data = dict(workers_per_gpu=n)", True),
        (b"def train_dataloader():\n    return dict(num_workers=0)\n", False),
        (b"data = dict(\n    workers_per_gpu=0,\n)", True),
        (b"data = dict(workers_per_gpu=2, prefetch_factor=4)", True),
        (b"data = dict(workers_per_gpu=2)", False),
        (b"loader(workers_per_gpu=0)", False),
        (b"L = LazyCall\nx = L(DataLoader)(num_workers=0)", True),
        (b"L = LazyCall\nx = L(DataLoader)(num_workers=4)", False),
    ],
)
def test_python_configs_that_decide_something(text: bytes, expected: bool) -> None:
    assert scan.sets_loaders(text) is expected
