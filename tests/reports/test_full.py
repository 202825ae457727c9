"""The reports for people: full and concise."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from dlint.findings.diagnostic import Applicability, Diagnostic, Fix, Related, Severity
from dlint.findings.operations import ReplaceComment, SetArgument
from dlint.findings.places import Place
from dlint.reports import concise, full
from dlint.reports.view import View
from dlint.workspace.reading import Sources
from dlint.workspace.source import Source

TRAIN = """\
from torch.utils.data import DataLoader

loader = DataLoader(dataset, batch_size=64)

for epoch in range(10):
    for batch in loader:
        batch = batch.cuda()
        step(batch)
"""


def _one(text: str, marked: str, **settings: object) -> str:
    """The report of one finding at `marked` in a file with this text."""
    path = "/p/a.py"
    start = text.index(marked)
    found = Diagnostic(
        "DLT101", "rule", Severity.WARNING, "message", Place(path, start, start + len(marked))
    )
    view = View(Sources({path: Source(path, text)}), Path("/p"), frozenset())
    return full.render(view, [found._replace(**settings)])  # type: ignore[arg-type]


def test_a_finding_with_a_fix(finder: Any, pinning: Diagnostic) -> None:
    assert full.render(finder.view(), [pinning]) == (
        """\
warning: DLT101 missing-pin-memory [*] batches are copied from pageable memory
 --> train.py:3:10
  |
1 | from torch.utils.data import DataLoader
2 |
3 | loader = DataLoader(dataset, batch_size=64)
  |          ^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^
4 |
5 | for epoch in range(10):
  |
 ::: train.py:7:17  copied here
  |
7 |         batch = batch.cuda()
  |                 ^^^^^^^^^^^^
  |
help: Pin
  |
  | - loader = DataLoader(dataset, batch_size=64)
3 | + loader = DataLoader(dataset, batch_size=64, pin_memory=True)
  |

"""
    )


def test_a_place_in_another_file(finder: Any, eager: Diagnostic) -> None:
    report = full.render(finder.view(), [eager])
    assert report == (
        """\
info: DLT401 eager-load-in-init reads everything at once
 --> pkg/data.py:3:18
  |
1 | class Data(Dataset):
2 |     def __init__(self):
3 |         self.x = read()
  |                  ^^^^^^
  |
 ::: train.py:6:18  iterated here
  |
6 |     for batch in loader:
  |                  ^^^^^^^
  |

"""
    )


def test_an_unsafe_fix_is_marked_only_when_it_would_be_applied(
    finder: Any, blocking: Diagnostic
) -> None:
    hidden = full.render(finder.view(), [blocking])
    assert "missing-non-blocking the copy" in hidden
    assert "note: unsafe fix" in hidden
    assert "missing-non-blocking [*] the copy" in full.render(finder.view(unsafe=True), [blocking])


def test_a_fix_that_cannot_be_done_is_not_shown(finder: Any, pinning: Diagnostic) -> None:
    nowhere = Place(pinning.place.path, 0, 3)
    fix = Fix(Applicability.SAFE, "Pin", (SetArgument(nowhere, "pin_memory", "True"),))
    text = full.render(finder.view(), [pinning._replace(fix=fix)])
    assert "[*]" not in text
    assert "help: Pin" not in text


def test_a_related_place_within_the_frame_is_only_named(finder: Any, pinning: Diagnostic) -> None:
    related = Related(finder.place("train.py", "range(10)"), "every epoch")
    text = full.render(finder.view(), [pinning._replace(related=(related,), fix=None)])
    assert "  |\n ::: train.py:5:14  every epoch\n\n" in text


CALL = "def f():\n    loader = DataLoader(\n        ds,\n        num_workers=4,\n    )\n    go()\n"


def test_a_place_of_several_lines() -> None:
    text = _one(CALL, CALL[CALL.index("DataLoader") : CALL.index(")\n    go") + 1])
    assert text == (
        """\
warning: DLT101 rule message
 --> a.py:2:14
  |
1 |   def f():
2 |       loader = DataLoader(
  |  ______________^
3 | |         ds,
4 | |         num_workers=4,
5 | |     )
  | |_____^
6 |       go()
  |

"""
    )


def test_a_place_of_whole_lines() -> None:
    text = _one(CALL, CALL[CALL.index("loader") : CALL.index(")\n    go") + 1])
    assert "2 | /     loader = DataLoader(\n3 | |         ds,\n" in text


def test_a_long_place_is_cut_in_its_middle() -> None:
    code = "x = f(\n" + "".join(f"    {n},\n" for n in range(60)) + ")\n"
    text = _one(code, code[4:-1])
    assert " 4 | |     2,\n...  |\n61 | |     59,\n62 | | )\n   | |_^" in text


def test_a_place_that_ends_with_a_newline_is_not_drawn_into_the_next_line() -> None:
    assert "1 | a\n  | ^\n2 | b" in _one("a\nb\n", "a\n")


def test_tabs_and_wide_characters_take_their_cells() -> None:
    assert "1 |     x = '数据' + y\n  |                  ^" in _one("\tx = '数据' + y\n", "y")
    assert "1 | é = y\n  |     ^" in _one("e\N{COMBINING ACUTE ACCENT} = y\n", "y").replace(
        "e\N{COMBINING ACUTE ACCENT}", "é"
    )


def test_what_a_terminal_would_obey_is_shown_as_a_placeholder() -> None:
    text = _one("x = '\x1b[31m' + y\n", "y")
    assert "\x1b" not in text
    assert "1 | x = '\N{REPLACEMENT CHARACTER}[31m' + y\n  |               ^" in text


def test_a_long_line_is_cut_around_the_place() -> None:
    code = "a = 1\nx = [" + "1, " * 200 + "here, " + "2, " * 200 + "]\n"
    lines = _one(code, "here").splitlines()
    assert max(map(len, lines)) < 170
    shown = next(line for line in lines if "here" in line)
    caret = lines[lines.index(shown) + 1]
    assert shown.index("here") == caret.index("^^^^")
    assert shown.endswith("…")


def test_a_long_line_of_a_diff_shows_what_changes() -> None:
    path, call = "/p/a.py", f"DataLoader(dataset, {'lengthy_' * 20}, {'much_' * 40})"
    text = f"a = 1\nx = {call}\n"
    place = Place(path, text.index("Data"), len(text) - 1)
    fix = Fix(Applicability.SAFE, "Pin", (SetArgument(place, "pin_memory", "True"),))
    found = Diagnostic("DLT101", "rule", Severity.WARNING, "message", place, fix=fix)
    view = View(Sources({path: Source(path, text)}), Path("/p"), frozenset(Applicability))
    lines = full.render(view, [found]).splitlines()
    (old,) = (line for line in lines if "| - " in line)
    (new,) = (line for line in lines if "| + " in line)
    assert new.endswith("_much_, pin_memory=True)")
    assert old.endswith("_much_)")
    assert old.index("…") == new.index("…") == len("  | - ")


def test_windows_newlines_leave_no_trace() -> None:
    text = _one("a = 1\r\nb = 2\r\nc = 3\r\n", "b")
    assert "\r" not in text
    assert "1 | a = 1\n2 | b = 2\n  | ^\n3 | c = 3\n" in text


def test_a_place_at_the_end_of_the_text() -> None:
    path = "/p/a.py"
    found = Diagnostic("DLT901", "syntax-error", Severity.ERROR, "bad", Place(path, 5, 5))
    view = View(Sources({path: Source(path, "x = (")}), Path("/p"), frozenset())
    assert "1 | x = (\n  |      ^\n" in full.render(view, [found])


def test_a_file_that_cannot_be_read_has_no_frame() -> None:
    found = Diagnostic("DLT902", "unreadable-file", Severity.ERROR, "no", Place("/q/a.py", 0, 0))
    text = full.render(View(Sources(), Path("/p"), frozenset()), [found])
    assert text == "error: DLT902 unreadable-file no\n --> /q/a.py:1:1\n\n"


def test_an_empty_file_has_no_frame() -> None:
    path = "/p/a.py"
    found = Diagnostic("DLT901", "syntax-error", Severity.ERROR, "bad", Place(path, 0, 0))
    view = View(Sources({path: Source(path, "")}), Path("/p"), frozenset())
    assert full.render(view, [found]) == "error: DLT901 syntax-error bad\n --> a.py:1:1\n\n"


def test_a_fix_that_removes_a_line_and_changes_another_file(
    finder: Any, pinning: Diagnostic
) -> None:
    gone = finder.place("train.py", "        batch = batch.cuda()\n")
    finder.sources = finder.sources.with_changes(
        {
            gone.path: Source(
                gone.path, TRAIN.replace("batch = batch.cuda()", "# not needed anymore")
            )
        }
    )
    call = finder.place("pkg/data.py", "read()")
    operations = SetArgument(call, "lazy", "True"), ReplaceComment(gone, "")
    fix = Fix(Applicability.SAFE, "Fix", operations)
    report = full.render(finder.view(), [pinning._replace(related=(), fix=fix)])
    assert report.endswith(
        """\
help: Fix
  |
6 |       for batch in loader:
  | -         # not needed anymore
7 |           step(batch)
  |
 ::: pkg/data.py:3:23
  |
2 |       def __init__(self):
  | -         self.x = read()
3 | +         self.x = read(lazy=True)
  |

"""
    )


def test_colours_wrap_the_same_text(
    finder: Any, pinning: Diagnostic, blocking: Diagnostic, eager: Diagnostic
) -> None:
    import re

    found = [pinning, blocking, eager]
    coloured = full.render(finder.view(colour=True), found)
    assert "\x1b[1;33mwarning\x1b[0m: \x1b[1;33mDLT101 missing-pin-memory\x1b[0m" in coloured
    assert "\x1b[1;31merror\x1b[0m: \x1b[1;31mDLT301" in coloured
    assert "\x1b[32m+ " in coloured
    plain = re.sub(r"\x1b\[[0-9;]*m", "", coloured)
    assert plain == full.render(finder.view(), found)


def test_concise(finder: Any, pinning: Diagnostic, eager: Diagnostic) -> None:
    assert concise.render(finder.view(), [pinning, eager]) == (
        "train.py:3:10: warning: DLT101 missing-pin-memory [*] batches are copied from pageable "
        "memory\n"
        "pkg/data.py:3:18: info: DLT401 eager-load-in-init reads everything at once\n"
    )


def test_the_argument_at_fault_is_underlined() -> None:
    marked = CALL[CALL.index("DataLoader") : CALL.index(")\n    go") + 1]
    start = CALL.index("num_workers=4")
    argument = Place("/p/a.py", start, start + len("num_workers=4"))
    assert _one(CALL, marked, argument=argument) == (
        """\
warning: DLT101 rule message
 --> a.py:2:14
  |
1 | def f():
2 |     loader = DataLoader(
3 |         ds,
4 |         num_workers=4,
  |         ^^^^^^^^^^^^^
5 |     )
6 |     go()
  |

"""
    )


def test_a_call_is_shown_whole_around_its_argument() -> None:
    code = "x = f(\n" + "".join(f"    a{n}={n},\n" for n in range(30)) + ")\n"
    start = code.index("a25=25")
    text = _one(code, code[4:-1], argument=Place("/p/a.py", start, start + 6))
    assert "..." not in text
    assert all(f"a{n}={n}," in text for n in range(30))
    assert "\n27 |     a25=25,\n   |     ^^^^^^\n" in text


def test_what_is_as_long_as_a_file_is_not_shown_whole() -> None:
    code = "x = f(\n" + "".join(f"    a{n}={n},\n" for n in range(300)) + ")\n"
    start = code.index("a25=25")
    text = _one(code, code[4:-1], argument=Place("/p/a.py", start, start + 6))
    assert len(text.splitlines()) < 12


def test_a_loader_is_shown_once(finder: Any, pinning: Diagnostic, blocking: Diagnostic) -> None:
    found = [pinning, pinning._replace(name="other", code="DLT999"), blocking]
    once, again, third, _ = full.render(finder.view(), found).split("\n\n")
    assert "1 | from torch.utils.data import DataLoader\n" in once
    assert again.startswith(
        """\
warning: DLT999 other [*] batches are copied from pageable memory
 --> train.py:3:10
  |
3 | loader = DataLoader(dataset, batch_size=64)
  |          ^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^
  |
 ::: train.py:7:17  copied here
help: Pin
  |
  | - loader"""
    )
    assert "7 |         batch = batch.cuda()\n  |                 ^^^^^^^^^^^^\n  |\nhelp" in third


def test_another_file_is_shown_anew(finder: Any, pinning: Diagnostic, eager: Diagnostic) -> None:
    found = [pinning, eager, pinning]
    first, _, third, _ = full.render(finder.view(), found).split("\n\n")
    assert first == third


def test_a_row_is_shown_once_in_a_finding(finder: Any, pinning: Diagnostic) -> None:
    both = tuple(Related(finder.place("train.py", m), m) for m in ("batch.cuda()", "batch ="))
    text = full.render(finder.view(), [pinning._replace(related=both, fix=None)])
    assert text.count("batch = batch.cuda()") == 1
    assert " ::: train.py:7:9  batch =\n" in text


def test_a_terminal_gets_lines_of_its_width() -> None:
    code = f"x = f({'a, ' * 30}shuffle=True, {'b, ' * 30})\n"
    path, start = "/p/a.py", code.index("shuffle")
    message = "a message of many words " * 8
    found = Diagnostic(
        "DLT101",
        "rule",
        Severity.WARNING,
        message.strip(),
        Place(path, 4, len(code) - 1),
        argument=Place(path, start, start + len("shuffle=True")),
    )
    for width in (80, 120):
        view = View(Sources({path: Source(path, code)}), Path("/p"), frozenset(), width=width)
        lines = full.render(view, [found]).splitlines()
        assert max(map(len, lines)) <= width
        row = next(i for i, line in enumerate(lines) if "shuffle" in line)
        assert lines[row].index("shuffle=True") == lines[row + 1].index("^" * 12)
        assert lines[1].startswith("  ")
        assert " ".join(" ".join(lines[:row]).split()).startswith(
            f"warning: DLT101 rule {message[:70]}"
        )
    view.width = None
    assert f"warning: DLT101 rule {message.strip()}\n" in full.render(view, [found])


def test_a_very_narrow_terminal_is_no_narrower_than_code() -> None:
    view = View(
        Sources({"/p/a.py": Source("/p/a.py", "x = 1\n")}), Path("/p"), frozenset(), width=5
    )
    found = Diagnostic("DLT101", "rule", Severity.INFO, "m", Place("/p/a.py", 0, 1))
    assert "1 | x = 1\n" in full.render(view, [found])
