"""What an editor is told while somebody types in it: over pipes, by a real server."""

from __future__ import annotations

from pathlib import Path

import pytest
from lsprotocol import types

from dlint.cli.main import main
from dlint.reports.measured import FOLDER, Measurement, write
from tests.server.editor import COMMAND, applied, editing, run
from tests.server.projects import BAD, CALL, COPY, FIXED, LOADER, RAISES, WAITS

UTF8, UTF16 = types.PositionEncodingKind.Utf8, types.PositionEncodingKind.Utf16


@pytest.fixture
def root(tmp_path: Path) -> Path:
    """A project with nothing but its settings."""
    folder = tmp_path / "project"
    folder.mkdir()
    (folder / "pyproject.toml").write_text('[project]\nname = "x"\n')
    return folder


def line(number: int) -> types.Range:
    """The beginning of a line to its end."""
    return types.Range(types.Position(number, 0), types.Position(number, 200))


def test_a_mistake_is_shown_and_unsaved_text_counts(root: Path) -> None:
    path = root / "train.py"
    path.write_text(FIXED)

    async def steps() -> None:
        async with editing(root, command=COMMAND) as editor:
            uri = editor.open(path)
            assert await editor.codes(uri) == []
            editor.change(uri, BAD)
            assert await editor.codes(uri) == [RAISES, WAITS]
            start, end = types.Position(CALL, 31), types.Position(CALL, 45)
            editor.edit(uri, types.Range(start, end), "", BAD.replace("shuffle=True, ", ""))
            assert await editor.codes(uri) == [WAITS]
            editor.close(uri)
            await editor.becomes(uri, [])

    run(steps)


def test_a_finding_has_all_that_an_editor_shows(root: Path) -> None:
    path = root / "train.py"

    async def steps() -> None:
        async with editing(root) as editor:
            error, warning = await editor.found(editor.open(path, BAD))
            assert error.severity is types.DiagnosticSeverity.Error
            assert warning.severity is types.DiagnosticSeverity.Warning
            assert (warning.source, warning.code) == ("dlint", WAITS)
            assert warning.code_description is not None
            assert warning.code_description.href.endswith("/rules/missing-non-blocking/")
            assert warning.range.start == types.Position(COPY, 15)
            related = warning.related_information or []
            assert related[0].location.range.start.line == LOADER

    run(steps)


def test_unsaved_text_of_another_file_counts(root: Path) -> None:
    helper, script = root / "data.py", root / "train.py"
    head = "from torch.utils.data import DataLoader, RandomSampler\n\nSHUFFLE = "
    helper.write_text(f"{head}False\n")
    script.write_text(
        "from torch.utils.data import DataLoader, RandomSampler\n\nfrom data import SHUFFLE\n\n"
        "data = [1, 2]\nloader = DataLoader(data, shuffle=SHUFFLE, sampler=RandomSampler(data))\n"
    )

    async def steps() -> None:
        async with editing(root) as editor:
            uri, other = editor.open(script), editor.open(helper)
            assert await editor.codes(uri) == []
            editor.change(other, f"{head}True\n")
            await editor.becomes(uri, [RAISES])
            editor.close(other)
            await editor.becomes(uri, [])

    run(steps)


def test_a_fix_of_one_finding(root: Path) -> None:
    path = root / "train.py"

    async def steps() -> None:
        async with editing(root) as editor:
            uri = editor.open(path, BAD)
            fix, suppress = await editor.actions(uri, line(CALL), "quickfix")
            assert (fix.is_preferred, fix.kind) == (True, types.CodeActionKind.QuickFix)
            text = applied(BAD, fix.edit, uri)
            assert text == BAD.replace("shuffle=True, ", "")
            assert suppress.title == "Suppress `shuffle-with-sampler` here"
            assert await editor.actions(uri, line(0), "quickfix") == []

    run(steps)


def test_an_unsafe_fix_is_marked(root: Path) -> None:
    path = root / "train.py"
    (root / "pyproject.toml").write_text('[tool.dlint]\nextend-unsafe-fixes = ["DLT201"]\n')

    async def steps() -> None:
        async with editing(root) as editor:
            fix, _ = await editor.actions(editor.open(path, BAD), line(CALL), "quickfix")
            assert fix.title.endswith("(unsafe fix: look at it before you keep it)")
            assert not fix.is_preferred

    run(steps)


@pytest.mark.parametrize("resolves", [True, False])
def test_all_fixes_give_what_the_command_gives(root: Path, resolves: bool) -> None:
    path = root / "train.py"
    path.write_text(BAD)

    async def steps() -> None:
        async with editing(root, resolves=resolves) as editor:
            uri = editor.open(path)
            (action,) = await editor.actions(uri, line(0), "source.fixAll")
            assert action.kind == "source.fixAll.dlint"
            assert (action.edit is None) is resolves
            if resolves:
                action = await editor.resolve(action)
            text = applied(BAD, action.edit, uri)
            editor.change(uri, text)
            assert await editor.codes(uri) == []
            assert main(["check", "--fix", "-q", str(path)]) == 0
            assert path.read_text() == text == FIXED

    run(steps)


def test_a_suppression_is_that_of_add_ignore(root: Path) -> None:
    path = root / "train.py"
    path.write_text(BAD)

    async def steps() -> None:
        async with editing(root) as editor:
            uri, text = editor.open(path), BAD
            for number in (CALL, COPY):
                found = await editor.actions(uri, line(number), "quickfix")
                text = applied(text, found[-1].edit, uri)
                editor.change(uri, text)
            assert await editor.codes(uri) == []
            assert main(["check", "--add-ignore", "-q", str(path)]) == 0
            assert path.read_text() == text

    run(steps)


def test_an_edit_is_for_the_version_that_was_checked(root: Path) -> None:
    path = root / "train.py"

    async def steps() -> None:
        async with editing(root) as editor:
            uri = editor.open(path, FIXED)
            editor.change(uri, BAD)
            fix, _ = await editor.actions(uri, line(CALL), "quickfix")
            assert fix.edit is not None
            (change,) = fix.edit.document_changes or ()
            assert isinstance(change, types.TextDocumentEdit)
            assert change.text_document.version == 2

    run(steps)


def test_a_finding_tells_of_its_rule(root: Path) -> None:
    path = root / "train.py"
    row = BAD.splitlines()[COPY].strip()
    name, facts = "missing-non-blocking", ("train.py", "a GPU", "2.13.0", "2026-01-02")
    result = Measurement(name, name, "confirmed", *facts, places=(("train.py", row),))
    write(root / FOLDER, "one", result)

    async def steps() -> None:
        async with editing(root) as editor:
            text = await editor.hover(editor.open(path, BAD), COPY, 20)
            assert text is not None
            assert "[`missing-non-blocking` (DLT301)](https://" in text
            assert "Measured: the fix pays; train.py on a GPU, torch 2.13.0, 2026-01-02" in text

    run(steps)


def test_a_loader_tells_why_rules_are_silent(root: Path) -> None:
    path = root / "train.py"

    async def steps() -> None:
        async with editing(root) as editor:
            uri = editor.open(path, BAD)
            text = await editor.hover(uri, LOADER, 16)
            assert text is not None
            assert "why its rules are silent" in text
            assert "missing-pin-memory (DLT101): `pin_memory` is certainly off" in text
            assert await editor.hover(uri, 13, 10) is None

    run(steps)


CONFIG = """\
class_path: torch.utils.data.DataLoader
init_args:
  num_workers: 0
  prefetch_factor: 2
"""


def test_a_config_file(root: Path) -> None:
    path = root / "config.yaml"

    async def steps() -> None:
        async with editing(root) as editor:
            uri = editor.open(path, CONFIG, "yaml")
            assert len(await editor.found(uri)) == 1
            editor.change(uri, CONFIG.replace("num_workers: 0", "num_workers: 2"))
            assert await editor.codes(uri) == []

    run(steps)


def test_files_of_other_kinds_are_left_alone(root: Path) -> None:
    async def steps() -> None:
        async with editing(root) as editor:
            for name in ("README.md", "pyproject.toml"):
                assert await editor.codes(editor.open(root / name, "x = (", "text")) == []

    run(steps)


def test_settings_are_read_again(root: Path) -> None:
    path, settings = root / "train.py", root / "pyproject.toml"

    async def steps() -> None:
        async with editing(root, watches=True) as editor:
            uri = editor.open(path, BAD)
            assert await editor.codes(uri) == [RAISES, WAITS]
            assert editor.registered == [types.WORKSPACE_DID_CHANGE_WATCHED_FILES]
            settings.write_text('[tool.dlint]\nignore = ["shuffle-with-sampler"]\n')
            editor.touch(settings)
            await editor.becomes(uri, [WAITS])
            settings.write_text("[tool.dlint]\nexclude = ['train.py']\n")
            editor.save(uri)
            await editor.becomes(uri, [])
            settings.write_text("[tool.dlint]\n")
            editor.change(uri, f"{BAD}\n")
            assert await editor.codes(uri) == [RAISES, WAITS]

    run(steps)


def test_faulty_settings_are_told_once_and_the_server_goes_on(root: Path) -> None:
    path, settings = root / "train.py", root / "pyproject.toml"
    settings.write_text('[tool.dlint]\nignore = ["no-such-rule"]\n')

    async def steps() -> None:
        async with editing(root) as editor:
            uri = editor.open(path, BAD)
            assert await editor.codes(uri) == []
            editor.change(uri, f"{BAD}\n")
            assert await editor.codes(uri) == []
            (message,) = editor.messages
            assert "no-such-rule" in message
            settings.write_text("[tool.dlint]\n")
            editor.change(uri, BAD)
            assert await editor.codes(uri) == [RAISES, WAITS]

    run(steps)


def test_settings_of_the_editor(root: Path) -> None:
    path = root / "train.py"

    async def steps() -> None:
        async with editing(root, options={"ignore": ["DLT301"]}) as editor:
            uri = editor.open(path, BAD)
            assert await editor.codes(uri) == [RAISES]
            editor.configure({"extend-select": ["ALL"], "ignore": ["DLT201"]})
            await editor.becomes(uri, [WAITS])
            editor.configure({"colour": True})
            await editor.until(lambda: bool(editor.messages))
            assert "no key `colour`" in editor.messages[0]

    run(steps)


@pytest.mark.parametrize(("encoding", "columns"), [(UTF16, 2), (UTF8, 4)])
def test_columns_are_counted_as_the_client_counts(
    root: Path, encoding: types.PositionEncodingKind, columns: int
) -> None:
    path = root / "train.py"
    before = "    x, y = x.cuda()"
    text = BAD.replace("        x, y = x.cuda()", '        "\U0001f600"; x, y = x.cuda()')
    assert before in BAD

    async def steps() -> None:
        async with editing(root, encodings=[encoding]) as editor:
            uri = editor.open(path, text)
            _, warning = await editor.found(uri)
            start = 15 + len('""; ') + columns
            assert warning.range.start == types.Position(COPY, start)
            assert await editor.hover(uri, COPY, start) is not None
            assert await editor.hover(uri, COPY, start - 1) is None
            place = types.Position(COPY, start - len("x, y = "))
            editor.edit(uri, types.Range(place, place), "pass; ", text)
            _, warning = await editor.found(uri)
            assert warning.range.start == types.Position(COPY, start + len("pass; "))

    run(steps)


def test_two_roots_have_their_own_settings(tmp_path: Path) -> None:
    one, two = tmp_path / "one", tmp_path / "two"
    for folder in (one, two):
        folder.mkdir()
    (one / "dlint.toml").write_text('ignore = ["DLT201"]\n')
    (two / "dlint.toml").write_text('ignore = ["DLT301"]\n')

    async def steps() -> None:
        async with editing(one, two) as editor:
            first, second = (editor.open(f / "train.py", BAD) for f in (one, two))
            await editor.becomes(first, [WAITS])
            await editor.becomes(second, [RAISES])

    run(steps)


def test_a_root_that_nothing_marks_holds_its_files_together(tmp_path: Path) -> None:
    (tmp_path / "parts").mkdir()
    (tmp_path / "parts" / "data.py").write_text(BAD)
    script = tmp_path / "run.py"
    script.write_text(
        "from parts.data import train\nfrom torch.utils.data import TensorDataset\n\n"
        "train(TensorDataset(), None)\n"
    )
    text = BAD.replace("dataset, 8", "dataset, 8, sampler=RandomSampler(dataset), shuffle=FLAG")
    made = "from run import FLAG\n" + text.replace("load(", "other(")

    async def steps() -> None:
        async with editing(tmp_path) as editor:
            other = editor.open(script, "FLAG = True\n")
            uri = editor.open(tmp_path / "parts" / "data.py", made)
            await editor.becomes(uri, [RAISES, RAISES, WAITS])
            editor.change(other, "FLAG = False\n")
            await editor.becomes(uri, [RAISES, WAITS])

    run(steps)
