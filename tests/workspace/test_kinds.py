"""Kinds of files, by their suffixes and by what a user says of further ones."""

from __future__ import annotations

import os
import re
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest
import yaml

from dlint.workspace import kinds
from dlint.workspace.kinds import is_config

LOADER = "_target_: torch.utils.data.DataLoader\nnum_workers: 0\ntimeout: 5\n"
ROOT = Path(__file__).parent.parent.parent


@pytest.fixture(autouse=True)
def _as_they_were() -> Iterator[None]:
    yield
    kinds.assign({})


def test_suffixes_of_a_user_are_added() -> None:
    assert kinds.kind_of("/a.b/c.hparams") is None
    kinds.assign({"hparams": "yaml", ".pyx": "python"})
    assert (kinds.kind_of("c.hparams"), kinds.kind_of("c.pyx")) == (kinds.YAML, kinds.PYTHON)
    assert kinds.is_config("c.hparams")
    assert set(kinds.suffixes()) > {".yml", ".hparams"}
    kinds.assign({})
    assert not kinds.is_config("c.hparams")


def _check(folder: Path, *arguments: str) -> subprocess.CompletedProcess[str]:
    command = [sys.executable, "-m", "dlint", "check", "--no-cache", "--output-format", "concise"]
    environment = {**os.environ, "PYTHONPATH": str(ROOT)}
    return subprocess.run(
        [*command, *arguments], cwd=folder, env=environment, capture_output=True, text=True
    )


def test_the_flag_and_the_table(tmp_path: Path) -> None:
    (tmp_path / "a.hparams").write_text(LOADER)
    (tmp_path / "b.py").touch()
    assert _check(tmp_path).stdout == "All checks passed!\n"
    assert "a.hparams:1:1: error: DLT104" in _check(tmp_path, "--extension", "hparams:yaml").stdout
    (tmp_path / "dlint.toml").write_text('extension = { hparams = "yaml" }')
    assert "a.hparams:1:1: error: DLT104" in _check(tmp_path).stdout
    refused = _check(tmp_path, "--extension", "hparams:jinja")
    assert refused.returncode == 2
    assert "KIND one of python, notebook, yaml" in refused.stderr


def test_a_config_that_is_too_large_is_left_out_aloud(tmp_path: Path) -> None:
    (tmp_path / "b.py").touch()
    for name in ("a.yaml", "c.yaml"):
        (tmp_path / name).write_text(LOADER + "#" * kinds.MOST_BYTES)
    done = _check(tmp_path)
    assert done.stdout == "All checks passed!\n"
    path = tmp_path / "a.yaml"
    assert done.stderr == f"warning: {path}: larger than 1 MB: not read (2 such configs)\n"
    assert _check(tmp_path, "-q").stderr == ""


def test_hooks_for_code_and_for_configs() -> None:
    hooks = yaml.safe_load((ROOT / ".pre-commit-hooks.yaml").read_text())
    taken = {hook["id"]: set(hook["types_or"]) for hook in hooks}
    assert taken == {
        "dlint": {"python", "jupyter"},
        "dlint-configs": {"yaml", "json", "toml", "shell"},
    }
    configs = re.compile(hooks[1]["files"])
    assert all(configs.search(f"a/b{suffix}") for suffix in kinds.suffixes() if is_config(suffix))
    assert not configs.search("bin/deploy"), "what has no suffix is taken for Python"
    assert len({hook["entry"] for hook in hooks}) == 1
