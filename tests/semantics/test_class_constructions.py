"""Objects that class methods make of their own class: `cls(…)`."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.semantics.asked import denoted, evaluated

PLAIN = "class K:\n    def __init__(self, device): self.device = device\n"
FIELDS = "@dataclass\nclass K:\n    device: str\n    batch_size: int = 1\n"
METHOD = "    @classmethod\n    def make(cls, d):\n        return {made}\n"
IMPORTS = "import yaml\nfrom dataclasses import dataclass\n"


@pytest.mark.parametrize("fields", [PLAIN, FIELDS])
@pytest.mark.parametrize(
    ("made", "given"),
    [
        ("cls(d)", "'cpu'"),
        ("cls(device=d)", "'cpu'"),
        ("cls(**d)", "{'device': 'cpu'}"),
        ("K(**d)", "{'device': 'cpu'}"),
    ],
)
def test_what_the_class_method_gives_is_held(fields: str, made: str, given: str) -> None:
    program = f"{IMPORTS}{fields}{METHOD.format(made=made)}a = K.make({given})\nreveal(a.device)"
    assert evaluated(program) == [{"'cpu'"}]
    assert "'cpu'" in denoted(program)[0]


@pytest.mark.parametrize("fields", [PLAIN, FIELDS])
def test_what_is_given_elsewhere_counts_too(fields: str) -> None:
    made = f"{IMPORTS}{fields}{METHOD.format(made='cls(d)')}a = K.make('cpu')\nb = K('cuda')\n"
    assert evaluated(f"{made}reveal(a.device)") == [{"'cpu'", "'cuda'"}]


LOADED = (
    IMPORTS + FIELDS + METHOD.format(made="cls(**yaml.safe_load(open(d)))") + "{more}\n"
    "def run(path):\n    a = K.make(path)\n    reveal(a.device)\n"
)


def _loaded(folder: Path, more: str = "", *devices: str) -> set[str]:
    texts = [f"device: {device}\nbatch_size: 4\n" for device in devices]
    files = {f"conf/{number}.yaml": text for number, text in enumerate(texts)}
    return evaluated({"main.py": LOADED.format(more=more), **files}, folder)[0]


def test_settings_of_a_path_that_is_not_known_are_those_of_the_files(tmp_path: Path) -> None:
    assert _loaded(tmp_path, "", "cpu", "cpu") == {"~'cpu'"}
    assert _loaded(tmp_path, "", "cpu", "cuda") == {"~'cpu'", "~'cuda'"}


@pytest.mark.parametrize(
    ("more", "is_open"),
    [
        ("class Other:\n    def __init__(self): self.device = 'cuda'", False),
        ("def change(a): a.device = 'cuda'\nchange(K.make('x'))", True),
        ("def change(a): a.device = 'cuda'", True),
    ],
)
def test_writes_to_other_objects_change_nothing(more: str, is_open: bool, tmp_path: Path) -> None:
    assert (_loaded(tmp_path, more, "cpu") != {"~'cpu'"}) == is_open
