"""The GitHub Action, GitLab's job and the container file: their shell is run as it stands.

What is put in place of what they say:

- `uses: actions/setup-python` is this Python
- `${{ … }}` is what GitHub would put there, by the table in `_resolved`
- where no environment is built, `dlint` is this tree's, started by a script of two lines
- the address of the repository is a local clone
- of `docker run` and `ENTRYPOINT` what dlint is given runs here; `docker build` and reviewdog
  do not run: what the build copies is compared with what the package is built from
"""

from __future__ import annotations

import json
import os
import re
import shlex
import subprocess
import sys
import tomllib
from collections.abc import Mapping
from pathlib import Path
from typing import Any, NamedTuple

import pytest
import yaml

from dlint.cli.main import main
from tests.test_hook import BAD, GOOD, this_repository

ROOT = Path(__file__).parent.parent
ACTION: Any = yaml.safe_load((ROOT / "action.yml").read_text("utf-8"))
GITLAB: Any = yaml.safe_load((ROOT / "docs/ci/gitlab.yml").read_text("utf-8"))
CONTAINER = (ROOT / "docs/ci/Containerfile").read_text("utf-8")
STEPS: Any = {step["id"]: step for step in ACTION["runs"]["steps"]}
DEFAULTS = {name: given["default"] for name, given in ACTION["inputs"].items()}
_EXPRESSION = re.compile(r"\$\{\{ ([\w.-]+) \}\}")


class Done(NamedTuple):
    """What a step came to."""

    code: int
    out: str
    outputs: dict[str, str]


@pytest.fixture
def project(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A project with a finding, and `dlint` of this tree on the path."""
    programs, folder = tmp_path / "programs", tmp_path / "project"
    programs.mkdir()
    folder.mkdir()
    started = f'#!/bin/sh\nPYTHONPATH="{ROOT}" exec "{sys.executable}" -m dlint "$@"\n'
    (programs / "dlint").write_text(started)
    (programs / "dlint").chmod(0o755)
    (folder / "bad.py").write_text(BAD, "utf-8")
    (folder / "good.py").write_text(GOOD, "utf-8")
    monkeypatch.setenv("PATH", f"{programs}{os.pathsep}{os.environ['PATH']}")
    monkeypatch.setenv("GITHUB_ACTIONS", "true")
    monkeypatch.chdir(folder)
    return folder


def _resolved(text: str, known: Mapping[str, str]) -> str:
    return _EXPRESSION.sub(lambda found: known[found[1]], text)


def _step(name: str, known: Mapping[str, str]) -> Done:
    """Run the shell of a step of the action, as GitHub does."""
    step = STEPS[name]
    written = Path.cwd().parent / f"{name}.output"
    written.touch()
    environment = {key: _resolved(text, known) for key, text in step["env"].items()}
    environment |= {"GITHUB_OUTPUT": str(written)}
    code, out = _bash(step["run"], environment)
    lines = written.read_text("utf-8").splitlines()
    return Done(code, out, dict(line.split("=", 1) for line in lines))


def _bash(script: str, environment: Mapping[str, str]) -> tuple[int, str]:
    kept = {key: text for key, text in os.environ.items() if key != "PYTHONPATH"}
    done = subprocess.run(
        ["bash", "--noprofile", "--norc", "-eo", "pipefail", "-c", script],
        env={**kept, "PIP_COMPILE": "0", **environment},
        capture_output=True,
        text=True,
        check=False,
    )
    return done.returncode, done.stdout + done.stderr


def _check(**given: str) -> Done:
    inputs = DEFAULTS | {name.replace("_", "-"): value for name, value in given.items()}
    known = {f"inputs.{name}": value for name, value in inputs.items()}
    return _step("check", known | {"steps.install.outputs.dlint": "dlint"})


def test_the_action_is_a_composite_one_and_says_what_it_takes() -> None:
    assert ACTION["runs"]["using"] == "composite"
    assert all(given["description"] for given in ACTION["inputs"].values())
    assert all(step["shell"] == "bash" for step in STEPS.values() if "run" in step)
    page = (ROOT / "docs/ci.md").read_text("utf-8")
    assert all(f"| `{name}` |" in page for name in ACTION["inputs"])


def test_no_input_becomes_part_of_a_script() -> None:
    assert not any("${{" in step.get("run", "") for step in STEPS.values())


def test_the_action_annotates_and_fails(project: Path) -> None:
    done = _check()
    assert (done.code, done.outputs) == (1, {"exit-code": "1"})
    assert "::error title=dlint (DLT201 shuffle-with-sampler)" in done.out


def test_the_action_passes_what_is_right(project: Path) -> None:
    done = _check(paths="good.py\n")
    assert (done.code, done.out, done.outputs) == (0, "", {"exit-code": "0"})


def test_the_action_writes_a_report_for_code_scanning(project: Path) -> None:
    done = _check(output_format="sarif", output_file="dlint.sarif", args="--exit-zero\n")
    assert done.code == 0
    assert json.loads((project / "dlint.sarif").read_text("utf-8"))["runs"][0]["results"]


def test_names_of_files_are_no_options_and_no_commands(project: Path) -> None:
    names = "--output-file=stolen\n$(touch stolen)\n`touch stolen`; touch stolen\n"
    done = _check(paths=names)
    assert done.outputs == {"exit-code": "2"}
    assert not (project / "stolen").exists()


def test_the_job_for_gitlab(project: Path) -> None:
    job = GITLAB["dlint"]
    code, out = _bash("\n".join(job["script"]), job["variables"])
    assert code == 1
    assert "error: DLT201 shuffle-with-sampler [*]" in out
    (report,) = [job["artifacts"]["reports"]["codequality"]]
    (issue,) = json.loads((project / report).read_text("utf-8"))
    assert issue["location"]["path"] == "bad.py"


def test_the_job_for_gitlab_takes_paths_and_options(project: Path) -> None:
    job = GITLAB["dlint"]
    given = {"DLINT_PATHS": "good.py", "DLINT_ARGS": "--select=ALL --fail-on=error"}
    assert _bash("\n".join(job["script"]), job["variables"] | given)[0] == 0


def _words(instruction: str) -> list[str]:
    (found,) = re.findall(rf"^{instruction} (\[.*\])$", CONTAINER, re.M)
    words: list[str] = json.loads(found)
    return words


def test_the_container_runs_dlint(project: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert _words("ENTRYPOINT") == ["dlint"]
    assert main(_words("CMD")) == 1
    assert "DLT201" in capsys.readouterr().out
    assert not (project / ".dlint_cache").exists()


def test_the_container_is_built_from_what_the_package_is_built_from() -> None:
    kept = (ROOT / "docs/ci/Containerfile.dockerignore").read_text("utf-8").splitlines()
    settings = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))
    about, wheel = settings["project"], settings["tool"]["hatch"]["build"]["targets"]["wheel"]
    needed = {"pyproject.toml", about["readme"], *about["license-files"], *wheel["packages"]}
    needed |= set(wheel["force-include"])
    assert {f"!{name}" for name in needed} <= set(kept)
    assert kept[0] == "*"
    assert f"--find-links=/wheels {about['name']}" in CONTAINER


def test_what_a_container_is_given_is_a_command_of_dlint(project: Path) -> None:
    (project / "src").mkdir()
    (project / "src/a.py").write_text(GOOD, "utf-8")
    page = (ROOT / "docs/ci.md").read_text("utf-8")
    given = [shlex.split(line)[1:] for line in re.findall(r"/project:ro\" (dlint .+)$", page, re.M)]
    assert given
    assert all(main(words) == 0 for words in given)


def test_all_recipes_run_one_command() -> None:
    commands = [STEPS["check"]["run"], *GITLAB["dlint"]["script"], " ".join(_words("CMD"))]
    assert all(re.search(r"\bcheck\b.*--(?:\)| )", text, re.S) for text in commands)


@pytest.mark.slow
def test_the_action_and_the_job_from_the_installation_on(project: Path, tmp_path: Path) -> None:
    clone = tmp_path / "clone"
    clone.mkdir()
    this_repository(clone)
    known = {
        "steps.python.outputs.python-path": sys.executable,
        "github.action_path": str(clone),
        "runner.temp": str(tmp_path),
    }
    installed = _step("install", known)
    assert installed.code == 0, installed.out
    inputs = {f"inputs.{name}": value for name, value in DEFAULTS.items()}
    done = _step(
        "check", inputs | {f"steps.install.outputs.{k}": v for k, v in installed.outputs.items()}
    )
    assert (done.code, done.outputs) == (1, {"exit-code": "1"}), done.out
    job, programs = GITLAB["dlint"], str(tmp_path / "dlint/bin")
    variables = {"DLINT": f"git+{clone.as_uri()}", "PATH": f"{programs}:{os.environ['PATH']}"}
    script = "\n".join([*job["before_script"], *job["script"]])
    code, out = _bash(script, job["variables"] | variables)
    assert (code, "DLT201" in out) == (1, True), out
