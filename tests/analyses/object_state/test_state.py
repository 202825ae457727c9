from __future__ import annotations

from collections.abc import Callable

import pytest

from dlint.analyses.object_state.kinds import HeldKind
from dlint.analyses.object_state.origins import Question
from dlint.analyses.object_state.state import ObjectState

Make = Callable[..., ObjectState]


def _attributes(state: ObjectState) -> list[str]:
    return [write.attribute for write in state.writes]


def test_what_the_constructor_writes_and_what_goes_into_containers(made: Make) -> None:
    state = made(
        "self.a, self.b = rows\nself.c = []\nself.c.append(path)\nself.d = {}\n"
        "self.d['x'] = path\nsetattr(self, 'e', path)\nsetattr(self, path, path)\nother.f = path"
    )
    assert _attributes(state) == ["a", "b", "c", "d", "e", "d", "c"]
    assert [w.attribute for w in state.stores] == ["a", "b", "c", "d", "e"]
    assert len(state.written_to("c")) == 1


def test_methods_and_base_constructors_are_followed(state: Make) -> None:
    found = state("""
class Base(Dataset):
    def __init__(self, rows):
        self.rows = rows
        self.start()
    def start(self):
        self.step = 0
class Middle(Base):
    size = 3
    def __init__(self, rows):
        Base.__init__(self, rows)
        self.middle = rows
class Rows(Middle):
    def __init__(self, rows):
        super().__init__(rows)
        def later():
            self.inner = 1
        later()
    def never(self):
        self.other = 1
""")
    assert sorted(_attributes(found)) == ["inner", "middle", "rows", "size", "step"]
    assert [w.attribute for w in found.writes if w.of_class] == ["size"]
    assert "size" not in [w.attribute for w in found.stores]


def test_dataclasses_have_fields_and_a_post_init(state: Make) -> None:
    found = state("""
def made():
    return [1]
@dataclass
class Rows:
    path: str
    size: int = 3
    rows: list = field(default_factory=made)
    rng: object = field(default_factory=lambda: np.random.default_rng(0))
    def __post_init__(self):
        self.file = h5py.File(self.path)
""")
    assert sorted(_attributes(found)) == ["file", "rng", "rows", "size"]
    assert [held.attribute for held in found.held(HeldKind.GENERATOR)] == ["rng"]


@pytest.mark.parametrize(
    ("decorator", "first", "call", "found"),
    [
        ("classmethod", "cls, path", "Rows.of(1)", True),
        ("classmethod", "cls, path", "None", False),
        ("staticmethod", "path", "Rows.of(1)", True),
    ],
)
def test_class_methods_that_make_an_object_and_are_called(
    state: Make, decorator: str, first: str, call: str, found: bool
) -> None:
    known = state(f"""
class Rows(Dataset):
    def __init__(self):
        self.path = None
    @{decorator}
    def of({first}):
        made = Rows()
        made.file = h5py.File(path)
        return made
x = {call}
""")
    assert ("file" in _attributes(known)) is found
    assert bool(known.file_data) is found


@pytest.mark.parametrize(
    ("value", "found"),
    [
        ("np.random.default_rng(0)", True),
        ("torch.Generator().manual_seed(0)", True),
        ("path or np.random.RandomState(0)", True),
        ("np.random.default_rng(0) if path else None", True),
        ("made(0)", True),
        ("helper.made(0)", True),
        ("self.fresh(0)", True),
        ("given(np.random.default_rng(0))", True),
        ("np.random.default_rng(0).random(3)", False),
        ("np.random.rand(3)", False),
        ("[np.random.default_rng(0)]", False),
        ("MODULE", False),
        ("path", False),
        ("endless(0)", False),
    ],
)
def test_generators_are_found_where_they_are_made(made: Make, value: str, found: bool) -> None:
    state = made(
        f"self.rng = {value}",
        """
    def fresh(self, seed):
        rng = np.random.default_rng(seed)
        return rng
def given(rng):
    return rng
def endless(n):
    return endless(n)
import helper
from helper import made
MODULE = np.random.default_rng(0)
""",
        helper="import numpy\ndef made(seed):\n    return numpy.random.default_rng(seed)\n",
    )
    held = list(state.held(HeldKind.GENERATOR))
    assert [(h.attribute, h.what) for h in held] == ([("rng", held[0].what)] if found else [])


def test_a_generator_of_an_enclosing_function_and_one_of_the_class(state: Make) -> None:
    found = state("""
def build():
    rng = np.random.default_rng(0)
    class Rows(Dataset):
        shared = np.random.default_rng(1)
        def __init__(self):
            self.rng = rng
            self.again = self.rng
    return Rows
""")
    held = {h.attribute: h for h in found.held(HeldKind.GENERATOR)}
    assert set(held) == {"shared"}
    assert held["shared"].of_class
    assert held["shared"].owner.name == "Rows"


def test_locks_are_found_in_containers_but_not_where_there_may_be_none(made: Make) -> None:
    state = made(
        "self.a = [threading.Lock() for _ in rows]\nself.b = {'x': threading.Lock()}\n"
        "self.c = (1, threading.RLock())\nself.d = []\nself.d.append(threading.Lock())\n"
        "self.e = threading.Lock() if path else None"
    )
    held = [h.attribute for h in state.held(HeldKind.UNPICKLABLE)]
    assert sorted(held) == ["a", "b", "c", "d"]


def test_objects_of_the_project_that_are_made_or_given(state: Make) -> None:
    found = state("""
class Noise:
    pass
class Inner(Dataset):
    def __init__(self, n):
        pass
class Rows(Dataset):
    def __init__(self, inner, named: Inner):
        self.inner = inner
        self.noise = Noise()
        self.steps = [Noise(), 3]
        self.named = named
        self.size = 3
made = Rows(Inner(3), given)
""")
    assert [(p.attribute, p.cls.name) for p in found.parts()] == [
        ("inner", "Inner"),
        ("noise", "Noise"),
        ("steps", "Noise"),
        ("named", "Inner"),
    ]


def test_parts_among_several_that_a_constructor_takes(state: Make) -> None:
    found = state("""
class A: pass
class B: pass
class C: pass
class Rows(Dataset):
    def __init__(self, first, *more, **named):
        self.whole = more
        self.copy = list(more)
        self.display = [*more]
        self.both = (first, *more)
        self.named = named
        self.some = [m for m in more if m]
made = Rows(A(), B(), named=C())
""")
    assert [(p.attribute, p.cls.name) for p in found.parts()] == [
        ("whole", "B"),
        ("copy", "B"),
        ("display", "B"),
        ("both", "A"),
        ("both", "B"),
        ("named", "C"),
        ("some", "B"),
    ]


def test_where_in_the_constructor_something_begins(made: Make) -> None:
    state = made(
        "self.a = load(path)\nself.b = self.read(path)",
        """
    def read(self, path):
        return load(path)
def load(path):
    return np.load(path)
""",
    )
    begun = [state.place(h.payload.read.span, h.payload.frame) for h in state.file_data]
    texts = [state.cls.body.module.path for _ in begun]
    assert [b is not None and b[1].path for b in begun] == texts
    inner = {state.place_in_method(h.payload.read.span, h.payload.frame) for h in state.file_data}
    assert len(inner) == 2
    assert all(found is not None for found in inner)


def test_a_question_without_choices_stops_at_one(made: Make) -> None:
    state = made("self.a = f(path) if rows else g(path)\nself.b = path and f(path)")
    for write in state.stores:
        assert not list(state.origins(write, Question(choices=False)))
        assert list(state.origins(write, Question()))


@pytest.mark.parametrize(
    ("written", "expected"),
    [
        ("a, b = pair(path)\nself.b = b", {"g"}),
        ("self.a, (self.m, self.b) = f(path), pair(path)", {"g"}),
        ("both = pair(path)\na, b = both\nself.b = b", {"g"}),
        ("self.both = (f(path), g(path))\na, b = self.both\nself.b = b", {"g"}),
        ("a, b = pair(path) if rows else (f(path), h(path))\nself.b = b", {"g", "h"}),
        ("a, *b = pair(path)\nself.b = b", set()),
        ("a, b = shifted(path)\nself.b = b", set()),
        ("a, b = unknown(path)\nself.b = b", set()),
        ("a, b, c = pair(path)\nself.b = c", set()),
    ],
)
def test_parts_of_displays_that_others_hand_on(
    made: Make, written: str, expected: set[str]
) -> None:
    helpers = "def pair(path):\n    return f(path), g(path)\n"
    helpers += "def shifted(path):\n    return *path, f(path)\n"
    state = made(written, helpers)
    (write,) = (w for w in state.stores if w.attribute == "b")
    assert {o.call.name for o in state.origins(write, Question(elements=True))} == expected


def test_one_state_for_a_class(made: Make) -> None:
    from dlint.analyses.object_state.state import ObjectStates

    state = made("self.a = path")
    assert state.context[ObjectStates].of(state.cls) is state
