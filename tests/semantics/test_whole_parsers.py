"""What the options of a parser certainly do not hold, and settings that are updated by them."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.semantics.asked import evaluated

HEAD = "import argparse, yaml\n"
PARSER = """
def main():
    parser = argparse.ArgumentParser({made})
    parser.add_argument("--config")
    {option}
    args = parser.parse_args({given})
    {before}
    with open("conf/a.yaml") as f:
        cfg = yaml.safe_load(f)
    cfg.update({options})
    reveal(cfg["workers"])
"""


def _found(folder: Path, **more: str) -> set[str]:
    parts = dict.fromkeys(("made", "option", "given", "before"), "") | {"options": "vars(args)"}
    parts |= {"option": "pass", "before": "pass"} | more
    files = {"main.py": HEAD + PARSER.format(**parts), "conf/a.yaml": "workers: 4\n"}
    [found] = evaluated(files, folder)
    return found


@pytest.mark.parametrize(
    "more",
    [
        {},
        {"options": "args.__dict__"},
        {"option": "group = parser.add_argument_group(); group.add_argument('--rate')"},
        {"before": "args.rate = 3"},
    ],
)
def test_settings_that_no_option_names_stay(tmp_path: Path, more: dict[str, str]) -> None:
    assert _found(tmp_path, **more) == {"~4"}


@pytest.mark.parametrize(
    "more",
    [
        {"option": "parser.add_argument('--workers')"},
        {"option": "add_options(parser)"},
        {"option": "for n in names: parser.add_argument('--' + n)"},
        {"option": "parser.set_defaults(**more)"},
        {"made": "parents=[base]"},
        {"given": "words"},
        {"before": "args.workers = 3"},
        {"options": "options"},
    ],
)
def test_settings_that_an_option_may_name_are_not_known(
    tmp_path: Path, more: dict[str, str]
) -> None:
    assert _found(tmp_path, **more) != {"~4"}
