"""Modules that a program asks for while it is linked are lowered by others; what is said is the
same.
"""

from __future__ import annotations

import os
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager
from multiprocessing.connection import Connection, Pipe
from pathlib import Path

import pytest

from dlint import rule_docs
from dlint.engine import lowering_beside
from dlint.engine.analyse import analyse
from dlint.engine.lowering_beside import Board, Helped, _Work
from dlint.engine.parts import Look, Part
from dlint.engine.processes import beside
from dlint.engine.request import Request
from dlint.frontends.modules import Helpers, Modules
from dlint.workspace.reading import Sources
from dlint.workspace.text_index import Words
from tests.engine.outcomes import told

pytestmark = pytest.mark.skipif(sys.platform != "linux", reason="processes are forked on Linux")
COUNT = 5
USE = """
for x in DataLoader(rows{number}, num_workers=2):
    x.cuda()
"""


@pytest.fixture
def request_of(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Request:
    """A script whose rows stand in other modules, one of them broken."""
    monkeypatch.setattr(lowering_beside, "_WORTH", 0)
    root = tmp_path / "project"
    root.mkdir()
    text = "from torch.utils.data import DataLoader\nimport broken\n"
    for number in range(COUNT):
        text += f"from data{number} import rows{number}\n{USE.format(number=number)}"
        (root / f"data{number}.py").write_text(f"rows{number} = [{number}]\n")
    (root / "train.py").write_text(text)
    (root / "broken.py").write_text("x = = 1\n")
    files = sorted(map(str, root.glob("*.py")))
    rules = frozenset(rule_docs.summaries())
    return Request(root, files, frozenset(files), rules, jobs=2)


@pytest.fixture
def patient(monkeypatch: pytest.MonkeyPatch) -> None:
    """Linking begins when helpers have begun with the last of the modules."""
    begin = Modules.begin_help

    def late(self: Modules, helpers: Helpers | None) -> None:
        board = helpers._board if isinstance(helpers, Helped) else Board([])
        while not all(map(board.is_taken, board._paths)):
            time.sleep(0.01)
        begin(self, helpers)

    monkeypatch.setattr(Modules, "begin_help", late)


def _own(noted: Path) -> list[str]:
    """What the process lowered that linked the script."""
    lines = [line.split() for line in noted.read_text().splitlines()]
    (linking,) = (pid for name, pid in lines if name == "train.py")
    return sorted(name for name, pid in lines if pid == linking)


@pytest.mark.usefixtures("patient")
@pytest.mark.parametrize("keeps", [False, True])
def test_what_is_asked_for_is_lowered_by_others(
    request_of: Request, lowered: Path, tmp_path: Path, keeps: bool
) -> None:
    cache = tmp_path / "kept" if keeps else None
    found = told(analyse(request_of._replace(cache_dir=cache), Sources()))
    assert set(_own(lowered)) == {"broken.py", "train.py"}
    lowered.write_text("")
    assert told(analyse(request_of._replace(jobs=1), Sources())) == found
    assert {f"data{number}.py" for number in range(COUNT)} <= set(_own(lowered))


def test_what_was_lowered_before_needs_no_help(
    request_of: Request, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def none(_: object) -> Iterator[Connection]:
        raise AssertionError("a process was started")

    kept = request_of._replace(cache_dir=tmp_path / "kept")
    found = told(analyse(kept._replace(jobs=1), Sources()))
    monkeypatch.setattr(lowering_beside, "beside", none)
    assert told(analyse(kept, Sources())) == found
    with pytest.raises(AssertionError, match="a process was started"):
        analyse(request_of, Sources())


def test_helpers_that_are_killed_leave_their_work_to_who_links(
    request_of: Request, monkeypatch: pytest.MonkeyPatch, lowered: Path
) -> None:
    ahead, pid = Modules.ahead, os.getpid()

    def killed(self: Modules, path: str) -> bytes | None:
        if os.getpid() != pid:
            os._exit(9)
        return ahead(self, path)

    said = told(analyse(request_of._replace(jobs=1), Sources()))
    monkeypatch.setattr(Modules, "ahead", killed)
    lowered.write_text("")
    assert told(analyse(request_of, Sources())) == said
    assert {f"data{number}.py" for number in range(COUNT)} <= set(_own(lowered))


def test_helpers_are_those_of_the_largest_program(
    request_of: Request, monkeypatch: pytest.MonkeyPatch
) -> None:
    begun = list[object]()

    def counted(work: Callable[[Connection], object]) -> AbstractContextManager[Connection]:
        begun.append(work)
        return beside(work)

    small = request_of.root / "apart"
    small.mkdir()
    (small / "alone.py").write_text(
        f"from torch.utils.data import DataLoader\nrows1 = []{USE.format(number=1)}"
    )
    files = [*map(str, request_of.files), str(small / "alone.py")]
    monkeypatch.setattr(lowering_beside, "beside", counted)
    analyse(request_of._replace(files=files, reported=frozenset(files)), Sources())
    assert len(begun) == 1


def test_a_helper_ends_that_has_nothing_to_do(monkeypatch: pytest.MonkeyPatch) -> None:
    slept = list[float]()
    monkeypatch.setattr(lowering_beside, "_PAUSES", 7)
    monkeypatch.setattr(time, "sleep", slept.append)
    part = Part(Look.MAIN, (), frozenset(), Words(frozenset(), lambda _: b""))
    _, telling = Pipe(duplex=False)
    _Work(Modules(Sources(), None), Board(["a"]), part, lambda _: lambda _: ()).do(telling)
    assert len(slept) == 7


def test_what_is_asked_for_next_is_done_from_its_end() -> None:
    board = Board(["a", "b", "c"])
    assert board.wanted() is None
    board.want(["a", "b", "elsewhere"])
    assert (board.wanted(), board.take("b"), board.take("b")) == ("b", True, False)
    assert (board.wanted(), board.take("a"), board.wanted()) == ("a", True, None)
    board.want(["a"])
    assert (board.wanted(), board.has_ended) == (None, False)
    board.end()
    assert board.has_ended


def test_a_module_that_a_helper_does_is_waited_for(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(lowering_beside, "_WAITED", 60)
    board = Board(["a", "b"])
    board.take("a")

    def tell(told: Connection) -> None:
        while board.wanted() is None:
            time.sleep(0.001)
        for path in ("b", "a"):
            told.send((path, path.encode()))

    with beside(tell) as told:
        helped = Helped(board, [told])
        helped.expect(["b"])
        assert helped.lowered("a") == b"a"
        assert helped.lowered("elsewhere") is None
        assert helped.lowered("b") == b"b"
        helped.end()
        assert helped.lowered("b") is None
    assert board.has_ended


def test_a_helper_guesses_no_further_than_what_is_asked_for(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(lowering_beside, "_AHEAD", 2)
    part = Part(Look.MAIN, ("seed",), frozenset(), Words(frozenset(), lambda _: b""))
    board = Board("abcd")
    work = _Work(Modules(Sources(), None), board, part, lambda _: lambda _: tuple("abcd"))
    guessed = work._guessed()
    assert [next(guessed) for _ in range(3)] == ["a", "b", None]
    board.ask("b")
    assert [next(guessed), next(guessed)] == ["c", None]
    for path in "ac":
        board.ask(path)
    assert [next(guessed), next(guessed)] == ["d", None]
