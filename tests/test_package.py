"""What is shipped: the wheel's contents, its version, and what the command imports."""

from __future__ import annotations

import os
import re
import subprocess
import sys
import tarfile
import tomllib
import zipfile
from collections.abc import Callable, Iterator
from functools import cache
from pathlib import Path

import pytest

import dlint

ROOT = Path(__file__).parent.parent
PAGES = {path.name for path in (ROOT / "rules").glob("*.md")}


def _build(kind: str, folder: Path) -> Path:
    command = [sys.executable, "-m", "build", f"--{kind}", "--no-isolation", "--outdir"]
    subprocess.run([*command, folder, ROOT], check=True, capture_output=True)
    (built,) = folder.iterdir()
    return built


@pytest.fixture(scope="module")
def built(tmp_path_factory: pytest.TempPathFactory) -> Callable[[str], Path]:
    """A wheel or a source archive as a release builds it, which is done once."""
    return cache(lambda kind: _build(kind, tmp_path_factory.mktemp(kind)))


@pytest.fixture
def wheel(built: Callable[[str], Path]) -> Iterator[zipfile.ZipFile]:
    """The wheel, opened."""
    with zipfile.ZipFile(built("wheel")) as archive:
        yield archive


@pytest.mark.slow
def test_pages_in_the_wheel_are_the_pages_in_the_tree(wheel: zipfile.ZipFile) -> None:
    packed = {name for name in wheel.namelist() if name.startswith("dlint/rule_pages/")}
    assert packed == {f"dlint/rule_pages/{name}" for name in PAGES}
    for name in PAGES:
        assert wheel.read(f"dlint/rule_pages/{name}") == (ROOT / "rules" / name).read_bytes()


@pytest.mark.slow
def test_the_wheel_holds_the_package_and_nothing_else(wheel: zipfile.ZipFile) -> None:
    names = wheel.namelist()
    assert {name.split("/")[0] for name in names if ".dist-info" not in name} == {"dlint"}
    assert "dlint/py.typed" in names
    assert any(name.endswith(".dist-info/licenses/LICENSE") for name in names)


@pytest.mark.slow
def test_two_builds_are_the_same_bytes(tmp_path: Path, built: Callable[[str], Path]) -> None:
    for kind in ("wheel", "sdist"):
        first, second = built(kind), _build(kind, tmp_path / kind)
        assert first.name == second.name
        assert first.read_bytes() == second.read_bytes(), kind


@pytest.mark.slow
def test_the_wheel_holds_the_modules_that_git_knows(wheel: zipfile.ZipFile) -> None:
    names = {name for name in wheel.namelist() if not name.startswith("dlint/rule_pages/")}
    assert {name for name in names if ".dist-info/" not in name} == _known("dlint")


@pytest.mark.slow
def test_the_source_archive_holds_what_git_knows(built: Callable[[str], Path]) -> None:
    with tarfile.open(built("sdist")) as archive:
        files = [member.name for member in archive.getmembers() if member.isfile()]
    names = {Path(*Path(name).parts[1:]).as_posix() for name in files}
    assert names - _known(".") == {"PKG-INFO"}
    assert {".ci/requirements.txt", ".ci/audit.txt", ".ci/long", ".ci/lock"} <= names


def _known(folder: str) -> set[str]:
    """The files that git has, or would take."""
    command = ["git", "ls-files", "-co", "--exclude-standard", folder]
    listed = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=True)
    return {name for name in listed.stdout.splitlines() if (ROOT / name).exists()}


@pytest.mark.slow
def test_the_version_is_the_package_s(wheel: zipfile.ZipFile) -> None:
    (metadata,) = (n for n in wheel.namelist() if n.endswith(".dist-info/METADATA"))
    lines = wheel.read(metadata).decode().splitlines()
    assert "Name: dataloader-lint" in lines
    assert f"Version: {dlint.__version__}" in lines


@pytest.mark.slow
def test_the_source_archive_builds_the_same_pages(built: Callable[[str], Path]) -> None:
    with tarfile.open(built("sdist")) as archive:
        names = {Path(*Path(name).parts[1:]).as_posix() for name in archive.getnames()}
    assert {f"rules/{name}" for name in PAGES} <= names
    assert {"LICENSE", "README.md", "tests/test_package.py", ".ci/run"} <= names


def test_the_top_level_holds_what_a_repository_must_have() -> None:
    if not (ROOT / ".git").exists():
        pytest.skip("not a checkout")
    named = {"pyproject.toml", "README.md", "LICENSE", "CHANGELOG.md", "SECURITY.md", "action.yml"}
    hidden = {".pre-commit-hooks.yaml", ".gitignore", ".ci"}
    top = {name.partition("/")[0] for name in _known(".")}
    assert top == named | hidden | {"dlint", "rules", "tests", "docs"}


def test_no_page_folder_hides_in_the_package() -> None:
    assert not (ROOT / "dlint" / "rule_pages").exists()


def test_torch_is_only_an_extra() -> None:
    project = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))["project"]
    assert not any(name.startswith("torch") for name in project["dependencies"])
    assert "torch==2.13.0" in project["optional-dependencies"]["dev"]


def _modules(folder: Path, text: str) -> set[str]:
    """The top-level modules that `dlint check` imports for one file."""
    path = folder / "file.py"
    path.write_text(text, "utf-8")
    command = [sys.executable, "-X", "importtime", "-m", "dlint", "check", "--no-cache", str(path)]
    environment = {**os.environ, "PYTHONPATH": str(ROOT)}
    done = subprocess.run(
        command, capture_output=True, text=True, check=False, cwd=folder, env=environment
    )
    assert done.returncode == 0, done.stderr
    times = [line for line in done.stderr.splitlines() if line.startswith("import time:")]
    return {line.rpartition("|")[2].strip().partition(".")[0] for line in times}


def test_a_file_without_a_loader_needs_no_parser(tmp_path: Path) -> None:
    heavy = {"torch", "libcst", "psutil", "pydantic", "yaml", "rich", "multiprocessing"}
    assert not heavy & _modules(tmp_path, "print('no loader here')\n")


def test_a_file_that_reads_no_settings_needs_no_yaml(tmp_path: Path) -> None:
    (tmp_path / "config.yaml").write_text("num_workers: 0\n", "utf-8")
    text = "from torch.utils.data import DataLoader\n\nloader = DataLoader([], 64{})\n"
    assert "yaml" not in _modules(tmp_path, text.format(""))
    reading = "import yaml\ncfg = yaml.safe_load(open('config.yaml'))\n"
    text = reading + text.format(", num_workers=cfg['num_workers']")
    assert "yaml" in _modules(tmp_path, text)


def test_a_file_with_a_loader_needs_no_torch(tmp_path: Path) -> None:
    text = "from torch.utils.data import DataLoader\n\nloader = DataLoader([], 64)\n"
    assert not {"torch", "pydantic", "yaml", "rich"} & _modules(tmp_path, text)


_BOUNDED = {"psutil", "pathspec", "pygls", "torch"}
"""What has an upper bound: the first three changed what is used here between major versions,
and numbers of torch's own behaviour are tested with one version."""


def test_only_what_needs_one_has_an_upper_bound() -> None:
    project = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))["project"]
    groups = (project["dependencies"], *project["optional-dependencies"].values())
    bounded = {r for group in groups for r in group if re.search("<|==|~=", r)}
    assert {re.split("[<>=~]", requirement)[0] for requirement in bounded} == _BOUNDED


@pytest.mark.parametrize("name", ["requirements.txt", "audit.txt"])
def test_tools_of_ci_have_one_version_and_its_hashes(name: str) -> None:
    text = (ROOT / ".ci" / name).read_text("utf-8").replace("\\\n", " ")
    lines = [line for line in text.splitlines() if line.strip()]
    assert all(re.match(r"[\w.-]+==[\w.!+]+ .*--hash=sha256:[0-9a-f]{64}", line) for line in lines)
    assert "://" not in text
    assert len(lines) > 20


def test_the_tools_that_ci_needs_are_noted() -> None:
    project = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))["project"]
    wanted = {*project["dependencies"], *project["optional-dependencies"]["dev"], "editables"}
    names = {re.split(r"[<>=~\[]", requirement)[0].lower() for requirement in wanted} - {"torch"}
    noted = set(re.findall(r"^([\w.-]+)==", (ROOT / ".ci/requirements.txt").read_text(), re.M))
    assert names - noted == set()


@pytest.mark.parametrize("name", ["run", "long", "lock"])
def test_scripts_of_ci_are_scripts_and_what_they_start_is_there(name: str) -> None:
    path = ROOT / ".ci" / name
    assert os.access(path, os.X_OK)
    subprocess.run(["bash", "-n", path], check=True)
    text = path.read_text("utf-8")
    for module in re.findall(r"python -m (tests[\w.]*)", text):
        place = ROOT / module.replace(".", "/")
        assert place.with_suffix(".py").exists() or (place / "__main__.py").exists()
    for script in re.findall(r"python (tests/[\w/]+\.py)", text):
        assert (ROOT / script).exists()
