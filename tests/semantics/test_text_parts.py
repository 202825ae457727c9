"""How a text begins that is put together of what is written and what is computed."""

from __future__ import annotations

import pytest

from tests.semantics.asked import denoted

TOLD = [
    "f'cuda:{rank}'",
    "'cuda:{}'.format(rank)",
    "'cuda:%d' % rank",
    "'cuda:' + str(rank)",
    "'cuda' + ':' + str(rank)",
    "begin + str(rank)",
]


@pytest.mark.parametrize("text", TOLD)
def test_a_text_is_known_by_its_beginning(text: str) -> None:
    (found,) = denoted(f"def f(rank):\n    begin = 'cuda:'\n    reveal({text})\n")
    (value,) = found
    assert value.strip("'").startswith("cuda")
    assert value.strip("'").endswith("…")


@pytest.mark.parametrize("text", ["f'{rank}:'", "'{}:0'.format(rank)", "rank + ':0'", "rank + 1"])
def test_a_text_that_begins_with_what_is_computed(text: str) -> None:
    assert denoted(f"def f(rank):\n    reveal({text})\n") == [{"?"}]
