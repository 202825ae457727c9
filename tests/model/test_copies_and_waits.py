"""Copies between host and GPU: what waits for them, what comes too early, what was done before."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from pathlib import Path

import pytest

from dlint.analyses.context import AnalysisContext
from dlint.findings.places import Place
from dlint.model.loading.loaders import Loaders
from dlint.model.loops.accelerated_loops import runs_on_accelerator
from dlint.model.loops.batch_loops import batch_loops
from dlint.model.loops.host_syncs import host_syncs
from dlint.model.transfers.converted_batches import are_floats, converted_by
from dlint.model.transfers.copy_races import overwrites, side_copies
from dlint.model.transfers.early_reads import early_reads
from dlint.model.transfers.manual_pins import manual_pins

MakeContext = Callable[[str | Mapping[str, str]], AnalysisContext]

LOOP = """
import torch
from torch.utils.data import DataLoader
from torchvision import transforms

def train(data, model, optimizer, seen):
    loader = DataLoader(data, pin_memory=True, num_workers=2)
    for x, y in loader:
        {copy}
        loss = model(x)
        loss.backward()
        optimizer.step()
        {after}
"""


def _text(place: Place | None) -> str:
    """What stands at a place."""
    assert place is not None
    return Path(place.path).read_text("utf-8")[place.start : place.end]


@pytest.mark.parametrize(
    ("after", "waiting"),
    [
        ("seen.append(loss.item())", [("item", True)]),
        ("print(float(loss))", [("float", True)]),
        ("print(f'{loss}')", [("print", True)]),
        ("seen.append(loss.detach())", []),
        ("torch.cuda.synchronize(); seen.append(loss.item())", [("synchronize", True)]),
        ("if seen: seen.append(loss.item())", []),
    ],
)
def test_what_every_step_waits_for(
    context: MakeContext, after: str, waiting: list[tuple[str, bool]]
) -> None:
    found = list(host_syncs(context(LOOP.format(copy="x = x.cuda()", after=after))))
    assert [(one.name, one.of_loss) for one in found] == waiting
    assert all(name in _text(one.place) for one, (name, _) in zip(found, waiting, strict=True))


def test_the_reads_of_a_step_that_is_told_to_wait(context: MakeContext) -> None:
    after = "torch.cuda.synchronize(); seen.append(loss.item())"
    (found,) = host_syncs(context(LOOP.format(copy="x = x.cuda()", after=after)))
    assert [_text(place) for place in found.other_places] == ["loss.item()"]


@pytest.mark.parametrize(
    ("test", "ends"),
    [
        ("if torch.isnan(loss): raise ValueError", [True]),
        ("if torch.isnan(loss) and seen: raise ValueError", [True]),
        ("if torch.isnan(loss): continue", []),
        ("if value > 9: exit()", [True]),
        ("if value > 9: break", []),
        ("if seen: raise ValueError", [False]),
    ],
)
def test_reads_beside_a_test_that_ends_the_run(
    context: MakeContext, test: str, ends: list[bool]
) -> None:
    after = f"value = loss.item(); seen.append(value)\n        {test}"
    found = host_syncs(context(LOOP.format(copy="x = x.cuda()", after=after)))
    assert [one.ends_run for one in found] == ends


@pytest.mark.parametrize(
    ("copy", "is_there"),
    [
        ("x = x.cuda()", True),
        ("x = x.to('cpu')", False),
        ("model = model.cuda()", False),
        ("x = x.to(seen.device)", False),
        ("x = x.to(seen.device); 'cuda'", True),
        ("out = model(x); x = x.to(out.device); 'cuda'", False),
        ("model = transforms.Compose([]).cuda()", True),
        ("model = transforms.Compose([]).to('cpu')", False),
    ],
)
def test_loops_that_an_accelerator_computes(
    context: MakeContext, copy: str, is_there: bool
) -> None:
    found = context(LOOP.format(copy=copy, after="pass"))
    (loop,) = found[batch_loops]
    assert runs_on_accelerator(found, loop) == is_there


@pytest.mark.parametrize(
    ("copy", "by"),
    [
        ("x = x.float().cuda()", "float"),
        ("x = x.float(); x = x.cuda()", "float"),
        ("x = x.cuda().float()", None),
        ("x = x.cuda()", None),
    ],
)
def test_what_converts_a_batch_before_its_copy(
    context: MakeContext, copy: str, by: str | None
) -> None:
    found = context(LOOP.format(copy=copy, after="pass"))
    assert {converted_by(transfer) for transfer in found[Loaders].transfers} == {by}


@pytest.mark.parametrize(
    ("steps", "floats"),
    [
        ("transforms.Resize(8), transforms.ToTensor()", True),
        ("transforms.Resize(8)", False),
        ("convert, transforms.ToTensor()", False),
    ],
)
def test_whether_transforms_make_floats(context: MakeContext, steps: str, floats: bool) -> None:
    text = f"""
    from torch.utils.data import DataLoader
    from torchvision import datasets, transforms

    def make(path, convert):
        form = transforms.Compose([{steps}])
        return DataLoader(datasets.ImageFolder(path, form))
    """
    ((loader,),) = context(text)[Loaders].by_call().values()
    assert are_floats(loader) is floats


@pytest.mark.parametrize(
    ("copy", "pinned", "whole"),
    [
        ("x = x.pin_memory().cuda()", "x", False),
        ("x = x.pin_memory(); x = x.cuda()", "x", True),
        ("x = x.cuda()", None, False),
        ("x = x.cuda() if x.is_pinned() else x", None, False),
    ],
)
def test_batches_that_the_loop_pins(
    context: MakeContext, copy: str, pinned: str | None, whole: bool
) -> None:
    found = list(manual_pins(context(LOOP.format(copy=copy, after="pass"))))
    assert [(pin.batch, pin.is_whole_statement) for pin in found] == (
        [(pinned, whole)] if pinned else []
    )


EARLY = """
def read(result):
    host = result.to("cpu", non_blocking={flag})
    {between}
    return host.numpy()
"""


@pytest.mark.parametrize(
    ("flag", "between", "reader"),
    [
        (True, "pass", ["numpy"]),
        (False, "pass", []),
        (True, "torch.cuda.synchronize()", []),
        (True, "use(host)", []),
    ],
)
def test_results_that_are_read_too_early(
    context: MakeContext, flag: bool, between: str, reader: list[str]
) -> None:
    text = (
        "import torch\nfrom torch.utils.data import DataLoader\nDataLoader([1])\n"
        + EARLY.format(flag=flag, between=between)
    )
    found = list(early_reads(context(text)))
    assert [one.reader for one in found] == reader
    assert [_text(one.flag) for one in found] == ["non_blocking=True"] * len(reader)
    assert all(_text(one.read) == "host.numpy()" for one in found)


PARTS = """
import torch
from torch.utils.data import DataLoader

def fetch(found):
    return {made}

def run(data, net):
    for x, y in DataLoader(data):
        host = fetch(net(x.cuda()))
        {between}
        use({read})
"""
COPY = "one.to('cpu', non_blocking=True)"
BY_NAME = f"{{name: {COPY} for name, one in found.items()}}"


@pytest.mark.parametrize(
    ("made", "between", "read", "reader"),
    [
        (BY_NAME, "pass", "host['a'].numpy()", ["numpy"]),
        (f"[{COPY} for one in found]", "pass", "host[0].view(-1).tolist()", ["tolist"]),
        (BY_NAME, "pass", "host['a'].argmax(1).tolist()", ["argmax"]),
        (BY_NAME, "y = y.tolist()", "host['a'].numpy()", ["numpy"]),
        (BY_NAME, "y = net(x).tolist()", "host['a'].numpy()", []),
        (BY_NAME, "y = y.cuda()", "host['a'].numpy()", []),
        (BY_NAME, "pass", "host.mean()", []),
        (f"({COPY} for one in found)", "pass", "host[0].numpy()", []),
        (f"[({COPY}, one) for one in found]", "pass", "host[0].numpy()", []),
    ],
)
def test_parts_of_copies_that_are_read_too_early(
    context: MakeContext, made: str, between: str, read: str, reader: list[str]
) -> None:
    found = early_reads(context(PARTS.format(made=made, between=between, read=read)))
    assert [one.reader for one in found] == reader


THROUGH = """
import torch

def fetch(found, use):
    {before}
    for at, one in {through}:
        {inside}
        use(one.numpy())
"""
COPIES = f"[{COPY} for one in found]"


@pytest.mark.parametrize(
    ("before", "through", "inside", "reader"),
    [
        ("pass", f"enumerate({COPIES})", "pass", ["numpy"]),
        (f"host = {COPIES}", "enumerate(host)", "pass", ["numpy"]),
        (f"host = {COPIES}; counted = enumerate(host)", "counted", "pass", ["numpy"]),
        (f"host = {COPIES}; same = host", "enumerate(same)", "pass", ["numpy"]),
        (f"pairs = {BY_NAME}.items()", "pairs", "pass", ["numpy"]),
        (f"pairs = numbered({COPIES})", "pairs", "pass", []),
        ("pass", f"{BY_NAME}.items()", "pass", ["numpy"]),
        ("pass", f"enumerate({COPIES})", "torch.cuda.synchronize()", []),
        (f"host = {COPIES}; counted = numbered(host)", "enumerate(host)", "pass", []),
    ],
)
def test_copies_that_a_loop_goes_through(
    context: MakeContext, before: str, through: str, inside: str, reader: list[str]
) -> None:
    text = THROUGH.format(before=before, through=through, inside=inside)
    found = early_reads(context(f"from torch.utils.data import DataLoader\n{text}"))
    assert [one.reader for one in found] == reader


BUFFER = """
import torch
from torch.utils.data import DataLoader

def run(data, use):
    {before}
    for x in DataLoader(data):
        {inside}
        buffer.copy_(x)
        use(buffer.to("cuda", non_blocking=True))
        {after}
"""
MADE = "buffer = torch.empty(8, pin_memory=True)"


@pytest.mark.parametrize(
    ("before", "inside", "after", "raced"),
    [
        (MADE, "pass", "pass", True),
        ("pass", MADE, "pass", False),
        (MADE, "pass", "torch.cuda.synchronize()", False),
        ("buffer = torch.empty(8)", "pass", "pass", False),
    ],
)
def test_buffers_that_are_filled_again(
    context: MakeContext, before: str, inside: str, after: str, raced: bool
) -> None:
    text = BUFFER.format(before=before, inside=inside, after=after)
    found = list(overwrites(context(text)))
    assert [_text(one.write) for one in found] == ["buffer.copy_(x)"] * raced
    assert all("torch.empty" in _text(one.allocation) for one in found)


STREAM = """
import torch
from torch.utils.data import DataLoader

def run(data, model):
    stream = torch.cuda.Stream()
    for x in DataLoader(data, pin_memory=True):
        with torch.cuda.stream(stream):
            x = x.cuda(non_blocking=True)
        {wait}
        model(x)
"""


@pytest.mark.parametrize(
    ("wait", "waited"),
    [
        ("pass", [False]),
        ("torch.cuda.current_stream().wait_stream(stream)", [True]),
        ("x.record_stream(torch.cuda.current_stream())", []),
    ],
)
def test_copies_in_a_stream_of_their_own(
    context: MakeContext, wait: str, waited: list[bool]
) -> None:
    found = list(side_copies(context(STREAM.format(wait=wait))))
    assert [one.is_waited_for for one in found] == waited
    assert all(_text(one.stream) == "torch.cuda.stream(stream)" for one in found)
