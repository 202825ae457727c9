"""A grammar of programs around loaders: datasets, samplers, factories, wrappers, loops, modules.

The programs need not run. They are made so that one loader is reached on many ways: one factory
called in several contexts, several loaders in one loop, samplers that several loaders share.
"""

from __future__ import annotations

from collections.abc import Iterator
from textwrap import indent

from tests.fuzz.choices import Choices, some

_IMPORTS = """\
import argparse, functools, itertools, os, random, threading
import h5py, numpy as np, torch, torch.distributed as dist
from PIL import Image
from torch.utils.data import DataLoader, Dataset, IterableDataset, Subset, TensorDataset
from torch.utils.data import BatchSampler, RandomSampler, random_split
from torch.utils.data.distributed import DistributedSampler
"""

_FIELDS = (
    "self.paths = paths",
    "self.images = [Image.open(p) for p in paths]",
    "self.images = []\nfor p in paths:\n    self.images.append(Image.open(p))",
    "self.file = h5py.File(paths[0])",
    "self.rng = np.random.default_rng(0)",
    "self.items = [{'path': p, 'label': 0} for p in paths]",
    "self.data = torch.randn(1000, 3)",
    "self.data = np.load(paths[0])",
    "self.count = 0\nself.lock = threading.Lock()",
    "self.transform = transform or (lambda x: x)",
)
_SAMPLES = (
    "return self.paths[index]",
    "return self.images[index].convert('RGB')",
    "return self.file['x'][index]",
    "self.count += 1\nreturn self.count",
    "item = self.items[index]\nitem['seen'] = True\nreturn item",
    "return self.transform(self.data[index])",
    "return torch.as_tensor(self.data[index]).cuda()",
    "return self.rng.random() + np.random.rand()",
    "with open(self.paths[index]) as file:\n    return file.read()",
)
_ARGUMENTS = (
    "batch_size={n}",
    "shuffle={b}",
    "num_workers={w}",
    "num_workers=workers",
    "num_workers=os.cpu_count()",
    "pin_memory={b}",
    "pin_memory=torch.cuda.is_available()",
    "pin_memory_device='cuda'",
    "pin_memory_device=device",
    "persistent_workers={b}",
    "prefetch_factor={w}",
    "timeout={w}",
    "drop_last={b}",
    "collate_fn=lambda batch: batch",
    "worker_init_fn=seed_worker",
    "generator=torch.Generator(device='cuda')",
    "multiprocessing_context='fork'",
    "in_order=False",
    "sampler=sampler",
    "batch_sampler=BatchSampler(sampler, 8, False)",
    "sampler=DistributedSampler(data)",
    "**options",
)
_BODIES = (
    "x, y = batch\nx = x.to(device)",
    "x = batch.to(device, non_blocking=True)\nloss = model(x)\nloss.backward()\noptimizer.step()",
    "x = batch[0].pin_memory().cuda(non_blocking=True)\nmodel(x)",
    "loss = model(batch)\nlosses.append(loss)\nprint(loss.item())",
    "kept.append(batch)",
    "if step > 10:\n    break",
    "batch = next(iter(loader))\nmodel(batch)",
    "sampler.set_epoch(epoch)",
    "x = batch.float().to('cuda')\ntorch.cuda.synchronize()",
)
_EPOCHS = (
    "sampler.set_epoch(epoch)",
    "loader.sampler.set_epoch(epoch)",
    "loader.batch_sampler.sampler.set_epoch(epoch)",
    "sampler.set_epoch(0)",
    "torch.manual_seed(0)",
    "loader = make(data, workers=epoch)",
    "random.seed(42)",
    "batches = iter(loader)",
)
_LOADERS = (
    "loader",
    "val",
    "itertools.chain(loader, val)",
    "zip(loader, val)",
    "enumerate(loader)",
    "Prefetcher(loader)",
    "loaders['train']",
    "(loader if args.train else val)",
    "itertools.cycle(loader)",
    "wrapped(val)",
)


def program(choices: Choices) -> dict[str, str]:
    """The files of one program, by name."""
    apart = choices.one_of((False, True, True))
    data, factory, main = _datasets(choices), _factories(choices), _main(choices)
    if not apart:
        return {"main.py": "\n".join([_IMPORTS, data, factory, main])}
    users = choices.number(1, 3)
    files = {
        "data.py": f"{_IMPORTS}\n{data}",
        "loaders.py": f"{_IMPORTS}from data import *\n{factory}",
        "main.py": f"{_IMPORTS}from data import *\nfrom loaders import *\n{main}",
    }
    for number in range(1, users):
        files[f"run{number}.py"] = (
            f"{_IMPORTS}from data import *\nimport loaders as made\n"
            f"from loaders import make, wrapped, Prefetcher\n{_main(choices)}"
        )
    return files


def _datasets(choices: Choices) -> str:
    classes = []
    for number in range(choices.number(1, 3)):
        parent = "Data0" if number else "Dataset"
        base = choices.one_of(("Dataset", "Dataset", "IterableDataset", parent))
        fields = some(choices, _FIELDS, 4) or ["pass"]
        lines = [
            f"class Data{number}({base}):",
            "    def __init__(self, paths, transform=None):",
            *(indent(field, " " * 8) for field in fields),
        ]
        if base == "IterableDataset":
            lines += ["    def __iter__(self):", "        yield from self.paths"]
        else:
            lines += [
                "    def __len__(self):",
                "        return len(self.paths)",
                "    def __getitem__(self, index):",
                indent(choices.one_of(_SAMPLES), " " * 8),
            ]
        classes.append("\n".join(lines))
    last = f"Data{len(classes) - 1}"
    return "\n".join([*classes, f"Train, Val = Data0, {last}", ""])


def _arguments(choices: Choices, most: int = 7) -> str:
    given = [
        text.format(
            n=choices.number(1, 64),
            w=choices.number(0, 8),
            b=choices.one_of(("True", "False")),
        )
        for text in some(choices, _ARGUMENTS, most)
    ]
    seen: dict[str, str] = {}
    for text in given:
        seen.setdefault(text.partition("=")[0], text)
    return "".join(f", {text}" for text in seen.values())


def _factories(choices: Choices) -> str:
    sampler = choices.one_of(
        (
            "DistributedSampler(data)",
            "DistributedSampler(data, shuffle=False) if device else None",
            "RandomSampler(data)",
            "DistributedSampler(data, num_replicas=2, rank=0)",
            "None",
        )
    )
    late = choices.one_of(
        (
            "",
            "    loader.batch_size = 4\n",
            "    loader.shuffle = True\n",
            "    loader.pin_memory = True\n",
        )
    )
    again = choices.one_of(
        (
            "yield from self.loader",
            "return iter(self.loader)",
            "for b in self.loader:\n            yield b.cuda()",
        )
    )
    return f"""\
def seed_worker(index):
    {choices.one_of(("np.random.seed(0)", "np.random.seed(torch.initial_seed() % 2**32)", "pass"))}

def make(data, workers={choices.number(0, 4)}, device='cuda', sampler=None, **options):
    if sampler is None:
        sampler = {sampler}
    loader = DataLoader(data{_arguments(choices)})
{late}    return {choices.one_of(("loader", "loader", "loader, sampler", "(loader, sampler)[0]"))}

def wrapped(loader, device='cuda'):
    for batch in {choices.one_of(("loader", "enumerate(loader)"))}:
        yield {choices.one_of(("batch", "batch.to(device)", "batch.cuda(non_blocking=True)"))}

class Prefetcher:
    def __init__(self, loader):
        self.loader = loader
        {choices.one_of(("pass", "self.it = iter(loader)", "self.sampler = loader.sampler"))}
    def __iter__(self):
        {again}
    def __len__(self):
        return len(self.loader)
"""


def _makings(choices: Choices) -> Iterator[str]:
    calls = (
        "make(data, workers={w})",
        "make(Val(paths), workers={w}, device='cpu')",
        "make(data, sampler=sampler)",
        "make(data, pin_memory_device='cuda', persistent_workers=True)",
        "functools.partial(DataLoader, data, num_workers={w})(batch_size=2)",
        "DataLoader(data" + _arguments(choices, 5).replace("{", "{{").replace("}", "}}") + ")",
        "Prefetcher(make(data, workers={w}))",
        "build(data)",
        "build(Val(paths))",
    )
    for name in ("loader", "val"):
        made = choices.one_of(calls).format(w=choices.number(0, 4))
        if choices.one_of((False, False, True)):
            other = choices.one_of(calls).format(w=choices.number(0, 4))
            made = f"{made} if args.train else {other}"
        yield f"{name} = {made}"


def _main(choices: Choices) -> str:
    options = some(
        choices,
        ("'num_workers': 0", "'timeout': 5", "'pin_memory': True", "'prefetch_factor': 2"),
        3,
    )
    body = [
        "parser = argparse.ArgumentParser()",
        "parser.add_argument('--train', action='store_true')",
        f"parser.add_argument('--workers', type=int, default={choices.number(0, 4)})",
        "args = parser.parse_args()",
        "workers, device = args.workers, 'cuda'",
        f"options = {{{', '.join(options)}}}",
        "paths = sorted(os.listdir('data'))",
        "data = Train(paths)",
        f"sampler = {choices.one_of(('DistributedSampler(data)', 'None', 'RandomSampler(data)'))}",
        *_makings(choices),
        "loaders = {'train': loader, 'val': val}",
        "model, kept, losses = torch.nn.Linear(3, 3).cuda(), [], []",
        "optimizer = torch.optim.SGD(model.parameters(), 0.1)",
        *_loops(choices),
    ]
    made = choices.one_of(("make(data)", "make(data, workers=2)", "Prefetcher(make(data))"))
    build = (
        "def build(data):\n"
        f"    return {made}\n\n"
        "def train(loader, model, device, epoch=0, sampler=None):\n"
        "    for step, batch in enumerate(loader):\n"
        f"{indent(choices.one_of(_BODIES), ' ' * 8)}\n"
    )
    text = "\n".join(body)
    if choices.one_of((True, True, False)):
        guard = choices.one_of(("if __name__ == '__main__':\n    main()", "main()"))
        return f"{build}\ndef main():\n{indent(text, '    ')}\n\n{guard}\n"
    return f"{build}\n{text}\n"


def _loops(choices: Choices) -> Iterator[str]:
    for _ in range(choices.number(1, 3)):
        inner = choices.one_of(_LOADERS)
        calls = choices.one_of((True, False, False))
        turn = (
            f"train({inner}, model, device, epoch, sampler)"
            if calls
            else f"for step, batch in enumerate({inner}):\n"
            + indent("\n".join(some(choices, _BODIES, 3) or ["pass"]), "    ")
        )
        steps = [*some(choices, _EPOCHS, 2), turn, *some(choices, _EPOCHS, 1)]
        if choices.one_of((True, False)):
            header = f"for epoch in range({choices.number(1, 9)}):\n"
            yield header + indent("\n".join(steps), "    ")
        else:
            yield "epoch = 0"
            yield turn
