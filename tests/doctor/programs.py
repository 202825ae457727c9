"""Scripts of which it is known what binds them, and what is wrong with them."""

from __future__ import annotations

from collections.abc import Mapping
from textwrap import dedent, indent
from typing import NamedTuple

from tests.verify.conftest import QUICK

STEPS = {"warmup": 6, "window": 40, "profile": 12, "settle": 4, "replay": 16}

_COMMON = """
import collections, os, sys, threading, time
from torch.utils.data import DataLoader, Dataset, IterableDataset, get_worker_info

torch.set_num_threads(1)


def burn(seconds):
    end = time.thread_time() + seconds
    while time.thread_time() < end:
        pass


class Rows(Dataset):
    length, pause, work = 4000, 0.0, 0.0
    transform = None

    def __len__(self):
        return self.length

    def __getitem__(self, index):
        if self.pause:
            time.sleep(self.pause)
        if self.work:
            burn(self.work)
        x = torch.full((16,), float(index))
        return x if self.transform is None else self.transform(x)


def rows(**given):
    dataset = Rows()
    vars(dataset).update(given)
    return dataset


weight = torch.zeros(1, requires_grad=True)
optimizer = torch.optim.SGD([weight], lr=0.1)


def step():
    optimizer.zero_grad()
    weight.sum().backward()
    optimizer.step()
"""
_MAIN = """

def main():
{loader}
    while True:
        for batch in loader:
{body}
            step()
{after}

if __name__ == "__main__":
    main()
"""


class Program(NamedTuple):
    """A script, in the parts in which it differs from others."""

    loader: str
    """How the loader is made."""
    body: str = "pass"
    """What is done with a batch."""
    kind: str | None = None
    """What binds it; None where that is not what it is for."""
    says: str = ""
    """A part of the sentence."""
    stage: str | None = None
    needed: tuple[int, int] | None = None
    """How many workers would feed it, at least and at most."""
    hazards: frozenset[str] = frozenset()
    """The kinds of all hazards in it."""
    tells: str = ""
    """A part of what is said of one of them."""
    tight: str = ""
    """A part of what is said of the machine."""
    shared_memory: int | None = None
    """Bytes of it that a machine has left which is made up for this one."""
    before: str = ""
    """Classes and functions."""
    after: str = ""
    """What is done behind each epoch."""
    launcher: str | None = None
    steps: Mapping[str, int] | None = None


def written(program: Program) -> str:
    """The script."""
    parts = {
        "loader": indent(dedent(program.loader), "    "),
        "body": indent(dedent(program.body), "            "),
        "after": indent(dedent(program.after), "        "),
    }
    return f"{QUICK}{_COMMON}\n{dedent(program.before)}\n{_MAIN.format(**parts)}"


_HOST = "time.sleep(0.01)"
_SLOW = """
class Slow:
    def __call__(self, x):
        time.sleep(0.004)
        return x
"""
_EACH = "length=24"
"""An epoch of three batches of eight."""

PROGRAMS = {
    "workers that wait for storage": Program(
        "loader = DataLoader(rows(pause=0.004), 8, num_workers=1)",
        _HOST,
        "workers",
        "of it waiting, in the workers: 1 worker gives",
        "reading",
        (3, 5),
    ),
    "workers that compute": Program(
        "loader = DataLoader(rows(work=0.004), 8, num_workers=1)",
        _HOST,
        "workers",
        "reading and decoding samples in the workers",
        "reading",
    ),
    "workers that transform": Program(
        "loader = DataLoader(rows(transform=Slow()), 8, num_workers=2)",
        "time.sleep(0.004)",
        "workers",
        "`Slow` in the workers: 2 workers give",
        "Slow",
        (6, 10),
        before=_SLOW,
    ),
    "workers that collate": Program(
        "loader = DataLoader(rows(), 8, num_workers=1, collate_fn=slowly)",
        "time.sleep(0.005)",
        "workers",
        "collating batches in the workers",
        "collating",
        before="""
        def slowly(samples):
            time.sleep(0.04)
            return torch.stack(samples)
        """,
    ),
    "no workers": Program(
        "loader = DataLoader(rows(pause=0.003, length=4001), 8)",
        "time.sleep(0.005)",
        "loading",
        "in the program itself: without workers it gets",
        "reading",
        (3, 6),
        hazards=frozenset({"last batch of one"}),
        tells="the last of 501 batches has 1 sample",
    ),
    "work in the loop": Program(
        "loader = DataLoader(rows(), 8, num_workers=1)", "time.sleep(0.03)", "host", "host work"
    ),
    "a model": Program(
        "loader = DataLoader(rows(), 8)\nbig = torch.ones(400, 400)",
        "for _ in range(8): big @ big",
        "compute",
        "compute: ",
    ),
    "copies of batches": Program(
        "loader = DataLoader(rows(), 8)\nbig = torch.ones(6_000_000)",
        "big.to(torch.float64)",
        "copies",
        "copies: ",
    ),
    "a wait for others": Program(
        "loader = DataLoader(rows(), 8)",
        "torch.ops.c10d.pause(batch)",
        "synchronisation",
        "synchronisation: ",
        before="""
        def pause(x):
            time.sleep(0.02)
            return x.clone()

        library = torch.library.Library("c10d", "FRAGMENT")
        library.define("pause(Tensor x) -> Tensor")
        library.impl("pause", pause, "CPU")
        """,
    ),
    "workers that start in each epoch": Program(
        f"loader = DataLoader(rows({_EACH}), 8, num_workers=2)",
        "time.sleep(0.002)",
        "starting",
        "of every epoch",
    ),
    "a validation behind each epoch": Program(
        f"loader = DataLoader(rows({_EACH}), 8)",
        "time.sleep(0.005)",
        "between",
        "what lies between epochs",
        after="time.sleep(0.1)",
    ),
    "batches that are hard to hand over": Program(
        "loader = DataLoader(heavy(), None, num_workers=1, collate_fn=list)",
        kind="handing over",
        says="handing batches over: ",
        before="""
        class heavy(Dataset):
            def __init__(self):
                self.sample = [{"number": n, "text": str(n)} for n in range(20_000)]
            def __len__(self):
                return 4000
            def __getitem__(self, index):
                return self.sample
        """,
    ),
    "a few slow batches": Program(
        "loader = DataLoader(uneven(), 8, num_workers=2)",
        "time.sleep(0.002)",
        "slow batches",
        "a few slow batches: one in ten takes",
        before="""
        class uneven(Rows):
            def __getitem__(self, index):
                time.sleep(0.25 if index % 96 == 50 else 0)
                return super().__getitem__(index)
        """,
    ),
    "samples that are None, and a thread": Program(
        "threading.Thread(target=time.sleep, args=(60,), name='logger', daemon=True).start()\n"
        "loader = DataLoader(gaps(), 8, num_workers=1, collate_fn=known)",
        before="""
        class gaps(Rows):
            def __getitem__(self, index):
                return None if index % 100 == 17 else super().__getitem__(index)

        def known(samples):
            return torch.stack([sample for sample in samples if sample is not None])
        """,
        hazards=frozenset({"None", "threads at fork"}),
        tells="were None, the first at index 17",
    ),
    "a sample of another shape": Program(
        "loader = DataLoader(odd(), 8, num_workers=1)",
        before="""
        class odd(Rows):
            def __getitem__(self, index):
                x = super().__getitem__(index)
                return {"x": x[:9] if index == 37 else x, "y": index}
        """,
        hazards=frozenset({"collate"}),
        tells="the sample at index 37 is {x: (9), y: int}, others are {x: (16), y: int}",
    ),
    "a sample of another shape that is padded": Program(
        "loader = DataLoader(odd(), 8, num_workers=1, collate_fn=padded)",
        before="""
        class odd(Rows):
            def __getitem__(self, index):
                x = super().__getitem__(index)
                return x[:9] if index == 37 else x

        def padded(samples):
            return torch.nn.utils.rnn.pad_sequence(samples)
        """,
        hazards=frozenset({"odd shape"}),
        tells="samples are unlike the others, one at index 37: (9), others are (16)",
    ),
    "a device in use, and OpenCV, when workers are forked": Program(
        "torch.npu = types.SimpleNamespace(__name__='torch.npu', is_initialized=lambda: True,"
        " device_count=lambda: 0, synchronize=lambda *number: None)\n"
        "sys.modules['cv2'] = types.SimpleNamespace(getNumThreads=lambda: 64)\n"
        "loader = DataLoader(rows(), 8, num_workers=1)",
        hazards=frozenset({"CUDA at fork", "OpenCV at fork"}),
        tells="OpenCV worked with 64 threads when workers were forked",
        tight="OpenCV has 64 threads in each worker (1)",
    ),
    "files that are kept open": Program(
        "import resource\n"
        "resource.setrlimit(resource.RLIMIT_NOFILE, (256, 256))\n"
        "kept = [open(os.devnull) for _ in range(215)]\n"
        "loader = DataLoader(rows(), 8)",
        tight="of 256 files are open (`ulimit -n`)",
    ),
    "batches that fill shared memory": Program(
        "loader = DataLoader(large(), 8, num_workers=1, prefetch_factor=4)",
        before="""
        class large(Rows):
            def __getitem__(self, index):
                return torch.zeros(2**17)
        """,
        tight="up to 16 MiB of batches lie in /dev/shm, which has 18 MiB left",
        shared_memory=18 * 2**20,
    ),
    "a worker that grows": Program(
        "loader = DataLoader(growing(), 8, num_workers=1)",
        "time.sleep(0.15)",
        before="""
        class growing(Rows):
            kept = []
            def __getitem__(self, index):
                self.kept.append(torch.ones(2**16))
                return super().__getitem__(index)
        """,
        tight="a worker grew by",
        steps={**STEPS, "window": 150},
    ),
    "a stream that each worker reads whole, and a length that is wrong": Program(
        "loader = DataLoader(stream(), 8, num_workers=2)",
        before="""
        class stream(IterableDataset):
            def __len__(self):
                return 40
            def __iter__(self):
                return iter(torch.arange(40.0).reshape(40, 1))
        """,
        hazards=frozenset({"duplicates", "length"}),
        tells="`len()` of the loader says 5 batches, an epoch had 10",
    ),
    "a stream that is divided": Program(
        "loader = DataLoader(stream(), 8, num_workers=2, persistent_workers=True)",
        before="""
        class stream(IterableDataset):
            def __len__(self):
                return 48
            def __iter__(self):
                info = get_worker_info()
                return iter(torch.arange(48.0).reshape(48, 1)[info.id :: info.num_workers])
        """,
    ),
    "a loader without a batch": Program(
        "for batch in DataLoader(rows(length=4), 8, drop_last=True): pass\n"
        "loader = DataLoader(rows(), 8)",
        hazards=frozenset({"empty loader"}),
        tells="a loader gave no batch at all: 4 samples make no batch of 8",
    ),
    "tensors of a GPU, and a tokenizer": Program(
        "print('huggingface/tokenizers: The current process just got forked, after parallelism '"
        "'has already been used.', file=sys.stderr)\n"
        "loader = DataLoader(rows(), 8, num_workers=1, collate_fn=elsewhere)",
        before="""
        class Elsewhere(torch.Tensor):
            device = property(
                lambda self: torch.device("cpu" if get_worker_info() is None else "xpu:0")
            )

        def elsewhere(samples):
            return torch.stack(samples).as_subclass(Elsewhere)
        """,
        hazards=frozenset({"CUDA in workers", "tokenizers"}),
        tells="workers make tensors on the GPU",
    ),
    "ranks that read the same, of unequal lengths": Program(
        "loader = DataLoader(rows(length=4000 - 8 * int(os.environ['RANK'])), 8, num_workers=1)",
        "time.sleep(0.02)",
        hazards=frozenset({"ranks apart", "duplicates"}),
        tells="rank 0 has 500 batches an epoch, rank 1 499",
        launcher="torchrun --nproc-per-node 2",
    ),
    "ranks in step, of which one is slow": Program(
        "import torch.distributed as dist\n"
        "torch._dynamo.trace_rules = types.SimpleNamespace(clear_lru_cache=lambda: None)\n"
        "dist.init_process_group('gloo')\n"
        "part = range(dist.get_rank(), 4000, 2)\n"
        "loader = DataLoader(torch.utils.data.Subset(rows(), part), 8, num_workers=1)",
        "time.sleep(0.04 * dist.get_rank())\ndist.all_reduce(torch.ones(1))",
        "host",
        "host work in the loop",
        launcher="torchrun --nproc-per-node 2",
        steps={},
    ),
    "a script that ends": Program(
        "loader = DataLoader(rows(length=480), 8, num_workers=1)",
        "time.sleep(0.02)",
        "host",
        "host work in the loop",
        after="return",
        steps={},
    ),
}
