"""What scripts and workers start and set, what is kept of their batches, and how it is shared."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from pathlib import Path

import pytest

from dlint.analyses.context import AnalysisContext
from dlint.findings.places import Place
from dlint.library_facts.start_methods import StartMethod
from dlint.model.loading.repeated_settings import Repetition, repeated_settings
from dlint.model.loops.batch_retention import retentions
from dlint.model.machines.script_starts import scripts
from dlint.model.workers.sharing_strategies import strategy_calls
from dlint.model.workers.tokenizers import decides_on_parallelism, encodings
from dlint.model.workers.worker_processes import nested_starts

MakeContext = Callable[[str | Mapping[str, str]], AnalysisContext]


def _text(place: Place | None) -> str:
    """What stands at a place."""
    assert place is not None
    return Path(place.path).read_text("utf-8")[place.start : place.end]


SCRIPT = """
import multiprocessing as mp
from torch.utils.data import DataLoader

loader = DataLoader(list(range(9)), num_workers={workers})
{setting}
{guard}
    for x in loader:
        print(x)
"""
GUARD, OPEN = 'if __name__ == "__main__":', "if loader:"
SPAWN = 'mp.set_start_method("spawn")'


@pytest.mark.parametrize(
    ("workers", "guard", "start"),
    [(2, OPEN, True), (2, GUARD, False), (0, OPEN, False)],
)
def test_scripts_that_start_workers_unguarded(
    context: MakeContext, workers: int, guard: str, start: bool
) -> None:
    text = SCRIPT.format(workers=workers, setting="", guard=guard)
    found = [script.unguarded_start for script in scripts(context(text))]
    assert [one.loader.place.path == one.place.path for one in found if one] == [True] * start


@pytest.mark.parametrize(
    ("workers", "setting", "method"),
    [
        (2, SPAWN, [StartMethod.SPAWN]),
        (2, 'mp.set_start_method("fork")', []),
        (2, 'mp.set_start_method("spawn", force=True)', []),
        (2, f"if loader: {SPAWN}", []),
        (0, SPAWN, []),
    ],
)
def test_scripts_whose_workers_set_the_method_again(
    context: MakeContext, workers: int, setting: str, method: list[StartMethod]
) -> None:
    text = SCRIPT.format(workers=workers, setting=setting, guard=GUARD)
    found = [script.repeated_setting for script in scripts(context(text))]
    assert [one.method for one in found if one is not None] == method


SET = f"def set_it():\n    {SPAWN}\n\n"
FORK = 'mp.set_start_method("fork")'
SETTINGS = {
    "a loop": (f"{SET}for i in range(3):\n    set_it()", Repetition.ROUND, "for i in range(3)"),
    "two calls": (f"{SET}set_it()\nset_it()", Repetition.CALL, "set_it()"),
    "another call": (f"{FORK}\n{SPAWN}", Repetition.OTHER, FORK),
    "what fixes the method": (f"lock = mp.Lock()\n{SPAWN}", Repetition.OTHER, "mp.Lock()"),
    "one call": (f"{SET}set_it()", None, ""),
    "asked first": (f"mp.Lock()\nif not mp.get_start_method():\n    {SPAWN}", None, ""),
    "tried": (f"mp.Lock()\ntry:\n    {SPAWN}\nexcept RuntimeError:\n    pass", None, ""),
    "taken back": (f"{FORK}\nmp.set_start_method(None, force=True)\n{SPAWN}", None, ""),
}


@pytest.mark.parametrize("name", SETTINGS)
def test_methods_that_are_set_when_one_is(context: MakeContext, name: str) -> None:
    body, by, cause = SETTINGS[name]
    head = (
        "import multiprocessing as mp\nfrom torch.utils.data import DataLoader\nDataLoader([1])\n"
    )
    found = list(repeated_settings(context(f"{head}DataLoader([1])\n{body}\n")))
    assert {one.by for one in found} == ({by} if by else set())
    assert all(_text(one.cause).startswith(cause) for one in found)


NESTED = """
import multiprocessing as mp
import torch
from torch.utils.data import DataLoader, Dataset

class Rows(Dataset):
    def __getitem__(self, index):
        {work}
        return index
    def __len__(self):
        return 8

for x in DataLoader(Rows(), num_workers={workers}):
    print(x)
"""


@pytest.mark.parametrize(
    ("workers", "work", "started"),
    [
        (2, "mp.Pool(2)", [("a process pool", 1)]),
        (2, "mp.Process(target=print).start()", [("a process", 1)]),
        (2, "mp.Process(target=print)", []),
        (2, "torch.set_num_threads(4)", [(None, 4)]),
        (2, "torch.set_num_threads(1)", []),
        (0, "mp.Pool(2)", []),
    ],
)
def test_what_workers_start(
    context: MakeContext, workers: int, work: str, started: list[tuple[str | None, int]]
) -> None:
    found = list(nested_starts(context(NESTED.format(workers=workers, work=work))))
    assert [(one.processes, one.threads) for one in found] == started
    assert all(one.working.number == 2 for one in found)


@pytest.mark.parametrize(
    ("text", "copied", "counted"),
    [
        ("kept = [x for x, y in loader]", ["x.clone()"], [None]),
        (
            "kept = []\nfor x, y in loader:\n    kept.append(x)\ntorch.cat(kept)",
            ["x.clone()"],
            [None],
        ),
        ("kept = []\nfor x, y in loader:\n    kept.append(x.clone())\ntorch.cat(kept)", [], []),
        ("kept = list(loader)", [None], [None]),
        ("print(list(loader))", [], []),
        ("for x, y in loader:\n    kept = []\n    kept.append(x)", [], []),
    ],
)
def test_batches_that_are_kept(
    context: MakeContext, text: str, copied: list[str | None], counted: list[str | None]
) -> None:
    head = """
import torch
from torch.utils.data import DataLoader, TensorDataset
loader = DataLoader(TensorDataset(torch.zeros(9), torch.zeros(9)), num_workers=2)
"""
    found = list(retentions(context(head + text + "\n")))
    assert [one.copied for one in found] == copied
    assert [one.counted for one in found] == counted
    assert all(one.may_fit for one in found)


STRATEGY = """
import torch.multiprocessing as mp
from torch.utils.data import DataLoader

def main(data):
    for x in DataLoader(data, num_workers=2, multiprocessing_context="spawn"):
        print(x)

{call}
"""


@pytest.mark.parametrize(
    ("call", "names", "inside", "statement", "wrong"),
    [
        ('mp.set_sharing_strategy("file_system")', {"file_system"}, False, True, []),
        ('x = mp.set_sharing_strategy("files")', {"files"}, False, False, ["files"]),
        ("def f(s):\n    mp.set_sharing_strategy(s)", set(), True, True, []),
    ],
)
def test_what_sets_a_strategy(
    context: MakeContext,
    call: str,
    names: set[str],
    inside: bool,
    statement: bool,
    wrong: list[str],
) -> None:
    (found,) = strategy_calls(context(STRATEGY.format(call=call)))
    assert found.names == names
    assert found.is_in_function is inside
    assert (found.statement_place is not None) is statement
    assert found.wrong_names == wrong


def test_workers_that_do_not_see_a_strategy(context: MakeContext) -> None:
    call = 'if __name__ == "__main__":\n    mp.set_sharing_strategy("file_system")\n    main([1])'
    (found,) = strategy_calls(context(STRATEGY.format(call=call)))
    (unreached,) = found.unreached
    assert unreached.methods == {StartMethod.SPAWN}
    assert unreached.is_certain
    (imported,) = strategy_calls(
        context(STRATEGY.format(call='mp.set_sharing_strategy("file_system")'))
    )
    assert imported.unreached == []


@pytest.mark.parametrize(
    ("call", "encodes"),
    [
        ("fast(text)", True),
        ("fast.encode(text)", True),
        ("fast.save(text)", False),
        ("slow(text)", False),
    ],
)
def test_what_encodes_with_threads(context: MakeContext, call: str, encodes: bool) -> None:
    text = f"""
    from torch.utils.data import DataLoader
    from transformers import AutoTokenizer

    fast = AutoTokenizer.from_pretrained("bert")
    slow = AutoTokenizer.from_pretrained("bert", use_fast=False)
    text = DataLoader([1])
    {call}
    """
    found = context(text)
    assert [found.place_of(one) for one in encodings(found)] != [] or not encodes
    assert len(list(encodings(found))) == encodes
    assert not decides_on_parallelism(found)
    assert decides_on_parallelism(context(f"{text}\n    # TOKENIZERS_PARALLELISM\n"))
