"""What items and elements of values denote."""

from __future__ import annotations

import pytest

from tests.semantics.asked import denoted

ITEMS = {
    "a list": ("[1, 2][1]", {"2"}),
    "a list from its end": ("[1, 2][-1]", {"2"}),
    "a list at an unknown place": ("[1, 2][i]", {"1", "2"}),
    "past the end": ("[1, 2][5]", {"1", "2"}),
    "a list by a text": ("[1, 2]['a']", {"?"}),
    "a list that is unpacked": ("[*[1, 2], 3][2]", {"1", "2", "3"}),
    "a tuple after one that is unpacked": ("(*(1, 2), 3)[2]", {"3"}),
    "in the second tuple that is unpacked": ("(*pair(1), *pair(2))[2]", {"2"}),
    "behind tuples of two lengths": ("(*((1, 2) if i else (1,)), 3, 4)[2]", {"3", "4"}),
    "behind a list that is unpacked": ("(*[1, 2], 3)[2]", {"1", "2", "3"}),
    "past the end of what is unpacked": ("(*(1, 2), 3)[7]", {"1", "2", "3"}),
    "a slice": ("[1, 2][:1]", {"[…]"}),
    "a dict": ("{'a': 1, 'b': 2}['a']", {"1"}),
    "a dict without the key": ("{'a': 1}['b']", {"?"}),
    "a dict with a computed key": ("{i: 1, 'b': 2}['a']", {"1"}),
    "a dict in a dict": ("{**{'a': 1}, 'b': 2}['a']", {"1"}),
    "a made dict": ("dict([('a', 1)], b=2)['b']", {"2"}),
    "a dict made of pairs": ("dict([('a', 1), ('b', 2)])['a']", {"1"}),
    "a dict made of pairs, anywhere": ("dict([('a', 1), ('b', 2)])[i]", {"1", "2"}),
    "a dict made of the pairs of a comprehension": (
        "dict((x, Data()) for x in ('a', 'b'))['a']",
        {"Data()"},
    ),
    "a comprehension": ("[x for x in (1, 2)][0]", {"1", "2"}),
    "a sum of lists": ("([1] + [2])[0]", {"1", "2", "?"}),
    "an object": ("Data()[0]", {"3"}),
    "an object without items": ("Plain()[0]", {"?"}),
    "a loader": ("loader[0]", {"?"}),
    "a library": ("os.environ['HOME']", {"os.environ"}),
    "a split": ("random_split(Data(), [1, 2])[0]", {"torch.utils.data.random_split()"}),
    "a cell of a row": ("list(zip([1], [2]))[0][1]", {"2"}),
    "an option": ("vars(args)['size']", {"4"}),
    "an option at an unknown place": ("vars(args)[i]", {"?"}),
    "a number": ("(5)[0]", {"?"}),
}
HEAD = """
import argparse, os
from torch.utils.data import DataLoader, random_split
class Plain: ...
class Data:
    def __getitem__(self, i): return 3
loader = DataLoader([1])
def pair(a): return a, 0
parser = argparse.ArgumentParser()
parser.add_argument("--size", default=4)
args = parser.parse_args()
"""


@pytest.mark.parametrize(("asked", "expected"), ITEMS.values(), ids=ITEMS)
def test_items(asked: str, expected: set[str]) -> None:
    assert denoted(f"{HEAD}\ndef f(i):\n    reveal({asked})") == [expected]


ELEMENTS = {
    "a list": ("[1, 2]", {"1", "2"}),
    "a tuple with a list in it": ("(1, *[2])", {"1", "2"}),
    "values of a dict": ("{'a': 1, **{'b': 2}}.values()", {"1", "2"}),
    "rows of zip": ("zip([1], [2])", {"row"}),
    "a generator": ("numbers()", {"1", "2", "3"}),
    "an object with a generator": ("Yielding()", {"1"}),
    "an object with an iterator": ("Handing([4])", {"4"}),
    "an object that is its iterator": ("Own()", {"5"}),
    "an object that nobody can iterate over": ("Plain()", {"?"}),
    "batches": ("DataLoader([1])", {"batch"}),
    "batches of a subclass": ("Changed([1])", {"batch", "batch fresh", "?"}),
    "a batch": ("next(iter(DataLoader([1])))", {"batch"}),
    "a split": ("random_split([1], [1])", {"torch.utils.data.random_split()"}),
    "a number": ("5", {"?"}),
}
ITERABLES = """
from torch.utils.data import DataLoader, random_split
def numbers():
    yield 1
    yield from [2, 3]
    yield
class Plain: ...
class Yielding:
    def __iter__(self):
        yield 1
class Handing:
    def __init__(self, data):
        self.data = data
    def __iter__(self):
        return iter(self.data)
class Own:
    def __iter__(self):
        return self
    def __next__(self):
        return 5
class Changed(DataLoader):
    def __iter__(self):
        for batch in super().__iter__():
            yield batch
        for batch in DataLoader([1]):
            yield batch * 2
"""


@pytest.mark.parametrize(("asked", "expected"), ELEMENTS.values(), ids=ELEMENTS)
def test_elements(asked: str, expected: set[str]) -> None:
    assert denoted(f"{ITERABLES}\nfor x in {asked}:\n    reveal(x)") == [expected]


CELLS = {
    "the first of zip": ("for a, b in zip([1], [2]):\n    reveal(a)", {"1"}),
    "the second of zip": ("for a, b in zip([1], [2]):\n    reveal(b)", {"2"}),
    "any of zip": ("for row in zip([1], [2]):\n    reveal(row[i])", {"1", "2"}),
    "unpacked rows": ("for a in zip(*[[1], [2]]):\n    reveal(a[0])", {"[…]"}),
    "a number of enumerate": ("for n, x in enumerate([3]):\n    reveal(n)", {"?"}),
    "an item of enumerate": ("for n, x in enumerate([3]):\n    reveal(x)", {"3"}),
    "a key": ("for k, v in {'a': 1}.items():\n    reveal(k)", {"?"}),
    "a value": ("for k, v in {'a': 1}.items():\n    reveal(v)", {"1"}),
    "parts of a row": (
        "for row in zip([1], [2]):\n    for x in row:\n        reveal(x)",
        {"1", "2"},
    ),
}


@pytest.mark.parametrize(("text", "expected"), CELLS.values(), ids=CELLS)
def test_cells_of_rows(text: str, expected: set[str]) -> None:
    assert denoted(f"i = input()\n{text}") == [expected]


LATER = {
    "append": ("x = [1]\nx.append(2)", "x[i]", {"1", "2"}),
    "insert": ("x = [1]\nx.insert(0, 2)", "x[i]", {"1", "2"}),
    "add": ("x = {1}\nx.add(2)", "x[i]", {"1", "2"}),
    "extend": ("x = [1]\nx.extend([2])", "x[i]", {"1", "2"}),
    "an item": ("x = {'a': 1}\nx['b'] = 2", "x['b']", {"2"}),
    "another item": ("x = {'a': 1}\nx['b'] = 2", "x['a']", {"1"}),
    "a computed item": ("x = {'a': 1}\nx[i] = 2", "x['a']", {"1", "2"}),
    "update": ("x = {'a': 1}\nx.update({'a': 2})", "x['a']", {"1", "2"}),
    "update by keyword": ("x = {'a': 1}\nx.update(a=2)", "x['a']", {"1", "2"}),
    "setdefault": ("x = {'a': 1}\nx.setdefault('b', 2)", "x['b']", {"2"}),
    "setdefault of another": ("x = {'a': 1}\nx.setdefault('b', 2)", "x['a']", {"1"}),
    "setdefault of nothing": ("x = {'a': 1}\nx.setdefault('b')", "x['b']", {"?"}),
    "another list": ("x = [1]\ny = [3]\ny.append(2)", "x[i]", {"1"}),
    "under another name": ("x = [1]\ny = x\ny.append(2)", "x[i]", {"1", "2"}),
    "nothing": ("x = []", "x[i]", {"?"}),
}


@pytest.mark.parametrize(("text", "asked", "expected"), LATER.values(), ids=LATER)
def test_what_is_added_later(text: str, asked: str, expected: set[str]) -> None:
    assert denoted(f"i = input()\n{text}\nreveal({asked})") == [expected]


def test_what_a_function_adds_to_the_list_it_is_given() -> None:
    text = """
        def fill(target):
            target.append(2)
        x = [1]
        fill(x)
        reveal(x[0])
        for one in x:
            reveal(one)
    """
    assert denoted(text) == [{"1", "2"}, {"1", "2"}]


def test_what_is_asked_before_does_not_change_an_answer() -> None:
    text = "x = {}\ny = x\ny['a'] = 2\n"
    assert denoted(f"{text}reveal(x['a'])\nreveal(y)\nreveal(x['a'])") == [{"2"}, {"{…}"}, {"2"}]
    assert denoted(f"{text}reveal(y)\nreveal(x['a'])") == [{"{…}"}, {"2"}]


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("d = {}\nfill(d)\nreveal(d['a'])\n", {"1"}),
        ("d = {}\nother.fill(d)\nreveal(d['a'])\n", {"1"}),
        ("def f():\n    d = {}\n    fill(d)\n    return d['a']\nreveal(f())\n", {"1"}),
        # not handed to it
        ("d = {}\ne = {}\nfill(e)\nreveal(d['a'])\n", {"?"}),
    ],
)
def test_a_function_of_another_module_may_fill_a_dict(text: str, expected: set[str]) -> None:
    texts = {"other.py": "def fill(x): x['a'] = 1\n"}
    texts["main.py"] = f"import other\nfrom other import fill\n{text}"
    assert denoted(texts) == [expected]


PAIR = "def pair(n):\n    yield 1\n    yield 2\n"


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        (f"{PAIR}a, b = pair(0)\nreveal(b)\n", {"2"}),
        (f"{PAIR}a, *b = pair(0)\nreveal(a)\n", {"1"}),
        (f"{PAIR}for a in pair(0):\n    reveal(a)\n", {"1", "2"}),
        (f"{PAIR}    if n: yield 3\na, b = pair(0)\nreveal(b)\n", {"1", "2", "3"}),
        (f"{PAIR}    yield from n\na, b, c = pair([3])\nreveal(b)\n", {"1", "2", "3"}),
        ("def f(n):\n    for i in n: yield i\na, b = f([1, 2])\nreveal(b)\n", {"1", "2"}),
    ],
)
def test_unpacking_takes_what_a_generator_yields_in_turn(text: str, expected: set[str]) -> None:
    assert denoted(text) == [expected]
