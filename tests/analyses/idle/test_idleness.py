"""Which findings in code that does not run are told, and how badly."""

from __future__ import annotations

import json
from collections.abc import Mapping
from pathlib import Path

import pytest

import dlint
from dlint.analyses.idle.idleness import IdleCode
from dlint.findings.diagnostic import Diagnostic, Related, Severity
from dlint.findings.places import Place
from tests.analyses.control.programs import MakeProgram

LOADER = "from torch.utils.data import DataLoader\n"
NOTED = "DataLoader(data, worker_init_fn=print)"
"""What is information."""
FAULTY = "DataLoader(data, batch_size=-1)"
START = 'if __name__ == "__main__":\n    '
SCRIPT = f"{LOADER}def make(data):\n    return HERE\n{START}make([1])\n"
IDLE = {
    "a method that nothing names": {
        "main.py": (
            f"{LOADER}class Trainer:\n    def run(self): ...\n"
            f"    def evaluate_all(self, data):\n        return HERE\n{START}Trainer().run()\n"
        )
    },
    "behind a test that nothing passes": {
        "main.py": (
            f"{LOADER}def make(data, ranks=False):\n    if ranks:\n        faulty(data)\n"
            f"    return []\ndef faulty(data):\n    return HERE\n{START}make([1])\n"
        )
    },
    "a module beside others that are imported": {
        "main.py": "from parts.new import rows\nprint(rows)\n",
        "parts/new.py": "rows = [1]\n",
        "parts/former.py": f"{LOADER}def former(data):\n    return HERE\n",
    },
    "a function whose name another module imports and leaves": {
        "main.py": f"from data import make, rows\n{START}print(rows)\n",
        "data.py": f"{LOADER}rows = [1]\ndef make(data):\n    return HERE\n",
    },
}
RUN = {
    "a script": {"main.py": SCRIPT},
    "a script that is set aside": {"archive/main.py": SCRIPT, "new.py": "print()\n"},
    "a module that nothing starts": {
        "data.py": f"{LOADER}def make(data, ranks=False):\n    if ranks:\n        return HERE\n",
        "lib.py": "from data import make\ndef use(data):\n    return make(data)\n",
    },
}


@pytest.mark.parametrize("files", IDLE.values(), ids=IDLE)
def test_information_is_silent_and_a_fault_is_information(
    files: Mapping[str, str], tmp_path: Path
) -> None:
    assert not _found(files, NOTED, tmp_path / "noted")
    assert _found(files, FAULTY, tmp_path / "faulty") == ["info"]


@pytest.mark.parametrize("files", RUN.values(), ids=RUN)
def test_information_is_told_of_what_may_run(files: Mapping[str, str], tmp_path: Path) -> None:
    assert _found(files, NOTED, tmp_path) == ["info"]


BY_SETTINGS = f"""{LOADER}import yaml
def make(moving, data):
    if moving == True:
        return []
    elif moving == False:
        return faulty(data)
def faulty(data):
    return HERE
def main():
    path = "settings.yaml"
    config = yaml.safe_load(open(path))
    make(config["loss"]["moving"], [1])
{START}main()
"""


@pytest.mark.parametrize(
    ("edit", "told"),
    [
        (("", ""), False),
        (("== True", "== 'no'"), False),
        (('"settings.yaml"', "input()"), True),
        (('["moving"]', '["other"]'), True),
        (("[1])\n", "[1])\n    make(input(), [1])\n"), True),
    ],
)
def test_information_about_what_the_one_settings_file_turns_off_is_silent(
    edit: tuple[str, str], told: bool, tmp_path: Path
) -> None:
    main = BY_SETTINGS.replace(*edit)
    files = {"main.py": main, "settings.yaml": "workers: 4\nloss:\n  moving: true\n"}
    assert bool(_found(files, NOTED, tmp_path / "noted")) is told
    assert _found(files, FAULTY, tmp_path / "faulty") == ["error"]


def test_information_about_what_a_notebook_may_do_is_told(tmp_path: Path) -> None:
    files = dict(IDLE["behind a test that nothing passes"])
    source = f"{LOADER}from main import faulty\nfaulty([1])\n"
    cells = [{"cell_type": "code", "metadata": {}, "outputs": [], "source": source}]
    files["a.ipynb"] = json.dumps({"cells": cells, "metadata": {}, "nbformat": 4})
    assert _found(files, NOTED, tmp_path) == ["info"]


def test_information_that_rests_on_nothing_that_runs_is_silent(
    context: MakeProgram, tmp_path: Path
) -> None:
    text = f"def used(x): ...\ndef former(x):\n    used(x)\n{START}used(1)\n"
    idle, path = context({"main.py": text})[IdleCode], str(tmp_path / "main.py")
    live, former = (Place(path, at, at + 1) for at in (text.index("..."), text.index("    used")))
    info = Diagnostic("DLT000", "any-rule", Severity.INFO, "", live)
    assert idle.is_told(info)
    assert not idle.is_told(info._replace(related=(Related(former, ""),)))
    assert idle.is_told(info._replace(related=(Related(former, ""), Related(live, ""))))
    assert idle.is_told(info._replace(severity=Severity.ERROR, related=(Related(former, ""),)))


def _found(files: Mapping[str, str], here: str, folder: Path) -> list[str]:
    """How bad what is found is, where `HERE` in the files is some code."""
    for name, text in files.items():
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        (folder / name).write_text(text.replace("HERE", here))
    settings = dlint.Settings(select=("invalid-loader-arguments",))
    return [found.severity for found in dlint.check([folder], settings).findings]
