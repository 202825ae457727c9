"""Arguments of a script that are given to `dlint verify` itself."""

from __future__ import annotations

from typing import Any

import pytest

BEHIND = "the script's arguments stand behind `--`, as in `dlint verify"


@pytest.mark.parametrize(
    ("arguments", "told"),
    [
        (("a.py", "--epochs", "3"), f"arguments of `dlint verify`; {BEHIND} a.py -- --epochs 3`"),
        (("--epochs", "3", "a.py"), f"{BEHIND} a.py -- --epochs 3`"),
        (("a.py", "--lr=1e-3"), "`--lr=1e-3` is no argument of `dlint verify`; the script's"),
        (("a.py", "my data"), f"{BEHIND} a.py -- 'my data'`"),
        (("-m", "pkg.a", "--lr=2"), f"{BEHIND} -m pkg.a -- --lr=2`"),
        (("--lr=2",), f"{BEHIND} SCRIPT -- --lr=2`"),
        (("a.py", "--budgt=9"), "(did you mean `--budget`?); the script's"),
    ],
)
def test_they_belong_behind_a_mark(run: Any, arguments: tuple[str, ...], told: str) -> None:
    result = run("verify", *arguments)
    assert (result.code, result.out) == (2, "")
    assert result.err.startswith("error: `")
    assert told in result.err


def test_other_commands_pass_nothing_on(run: Any) -> None:
    result = run("check", "--epochs")
    assert result.code == 2
    assert "unrecognized arguments: --epochs" in result.err
