"""What a loader says of its arguments, over all alternatives."""

from __future__ import annotations

from collections.abc import Callable, Mapping

import pytest

from dlint.analyses.context import AnalysisContext
from dlint.ir import expressions as ex
from dlint.model.loading.loader import Loader
from dlint.model.loading.loaders import Loaders
from dlint.model.samplers.distributed_samplers import distributed_samplers
from dlint.rules.loader import ineffective_pin_memory

MakeContext = Callable[[str | Mapping[str, str]], AnalysisContext]

BOUND = """
from functools import partial
from torch.utils.data import DataLoader

batched = partial(DataLoader, pin_memory=True)
settings = {"pin_memory": False}

def make(dataset):
    return %s
"""


@pytest.mark.parametrize(
    ("made", "place"),
    [
        ("batched(dataset)", "True)"),
        ("DataLoader(dataset, **settings)", "False}"),
        ("DataLoader(dataset, pin_memory=True)", None),
        ("DataLoader(dataset)", None),
    ],
)
def test_an_argument_may_be_given_outside_the_call(
    context: MakeContext, made: str, place: str | None
) -> None:
    text = BOUND % made
    ((loader,),) = context(text)[Loaders].by_call().values()
    found = loader.given_place("pin_memory")
    assert found is None if place is None else found and text[found.start :].startswith(place)


def test_what_pins_in_vain_is_shown_where_it_is_written(context: MakeContext) -> None:
    made = "class Rows:\n    pass\ndef gather(rows):\n    return Rows()\n"
    text = f"{made}{BOUND % 'batched(dataset, collate_fn=gather)'}"
    (found,) = ineffective_pin_memory.check(context(text))
    shown = [text[related.place.start :].split(")")[0] for related in found.related[1:]]
    assert shown == ["True"]


TEXT = """
from torch.utils.data import DataLoader

def make(dataset, own, pinned=False):
    return DataLoader(dataset, {arguments})
"""


def _loader(context: MakeContext, arguments: str) -> Loader:
    ((loader,),) = context(TEXT.format(arguments=arguments))[Loaders].by_call().values()
    return loader


@pytest.mark.parametrize(
    ("arguments", "expected"),
    [
        ("", {"is_off"}),
        ("sampler=None", {"is_off"}),
        ("sampler=False", {"gives", "is_off", "may_get"}),
        ("sampler=True", {"gives", "is_on", "may_get"}),
        ("sampler=own", {"gives", "may_get"}),
        ("sampler=None if own else True", {"gives", "may_get"}),
        ("sampler=pinned", {"gives", "is_off", "may_get"}),
    ],
)
def test_over_all_alternatives(context: MakeContext, arguments: str, expected: set[str]) -> None:
    loader = _loader(context, arguments)
    asked = ("gives", "is_on", "is_off", "may_get")
    assert {name for name in asked if getattr(loader, name)("sampler")} == expected


@pytest.mark.parametrize(
    ("arguments", "written", "is_spelled_out"),
    [
        ("batch_size=len(own)", True, True),
        ('**{"batch_size": len(own)}', True, True),
        ('**{"batch_size": 8, "batch_size": len(own)}', True, True),
        ('**{"timeout": 1}', False, True),
        ('**{own: 1, "batch_size": len(own)}', False, False),
        ('**{**own, "batch_size": len(own)}', False, False),
        ("**own", False, False),
    ],
)
def test_a_dict_in_the_call_gives_what_keywords_would(
    context: MakeContext, arguments: str, written: bool, is_spelled_out: bool
) -> None:
    loader = _loader(context, arguments)
    assert isinstance(loader.written("batch_size"), ex.Call) == written
    assert (loader.given("batch_size") is not None) == written
    assert loader.is_spelled_out == is_spelled_out


def test_a_dict_of_another_place_is_given_but_not_written_in_the_call(context: MakeContext) -> None:
    text = """
    from torch.utils.data import DataLoader

    def make(dataset):
        options = {"batch_size": 8}
        return DataLoader(dataset, **options)
    """
    ((loader,),) = context(text)[Loaders].by_call().values()
    assert loader.given("batch_size") is not None
    assert loader.written("batch_size") is None
    assert not loader.is_spelled_out


def test_a_sampler_is_given_what_a_dict_holds(context: MakeContext) -> None:
    text = """
    from torch.utils.data import DataLoader, DistributedSampler

    def make(dataset, rank):
        sampler = DistributedSampler(dataset, **{"seed": rank})
        return DataLoader(dataset, sampler=sampler)
    """
    (sampler,) = context(text)[distributed_samplers]
    given = sampler.given("seed")
    assert given is not None
    assert ex.dotted(given[0]) == "rank"
    assert sampler.given("shuffle") is None
