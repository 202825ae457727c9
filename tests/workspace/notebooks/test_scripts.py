"""Scripts of cells with commands of IPython: what is hidden, and how they are written again."""

import pytest

from dlint.findings.edits import Edit
from dlint.workspace.notebooks.scripts import CellScript
from dlint.workspace.reading import decode

CELLS = "# %%\nimport sys\n\n!{sys.executable} -m pip install torch\n%cd here\n\nvalue = 1\n"


def script(text: str) -> CellScript:
    found = decode("/a.py", text.encode())
    assert isinstance(found, CellScript)
    return found


def test_commands_are_hidden_and_all_else_stays_where_it_is() -> None:
    found = script(CELLS)
    compile(found.text, "a.py", "exec")
    assert len(found.text) == len(CELLS)
    assert found.text.index("value") == CELLS.index("value")
    assert found.part(0).source.text == found.file.text == CELLS


def test_a_cell_of_another_language_is_left_out() -> None:
    text = "# %%\nx = 1\n# %%\n%%bash\nls -l (\n)\n\n# %%\ny = 2\n"
    found = script(text)
    compile(found.text, "a.py", "exec")
    assert "ls" not in found.text
    assert "y = 2" in found.text
    assert found.file.text == text


def test_it_is_written_with_its_commands() -> None:
    found = script(CELLS)
    at = CELLS.index("1\n")
    changed = found.with_text(found.text[:at] + "2" + found.text[at + 1 :])
    assert found.holds(changed.text)
    assert changed.document(changed.text) == CELLS.replace("value = 1", "value = 2")
    assert changed.file.text == CELLS.replace("value = 1", "value = 2")
    assert found.encode(found.text) == CELLS.encode()
    assert found.in_file([Edit("/a.py", at, at + 1, "2")]) == [Edit("/a.py", at, at + 1, "2")]


def test_a_text_that_lost_a_command_is_not_taken() -> None:
    found = script(CELLS)
    assert not found.holds("value = 1\n")


@pytest.mark.parametrize(
    "text",
    [
        "import sys\n!pip install torch\n",  # no cells
        "# %%\nx = 1\n",  # no command
        "# %%\n!pip install torch\nx = = 1\n",  # the rest is no Python
        '# %%\nx = """\n!pip install\n"""\n',  # Python as it is
    ],
)
def test_other_files_are_read_as_they_are(text: str) -> None:
    found = decode("/a.py", text.encode())
    assert type(found).__name__ == "Source"
    assert found.text == text
