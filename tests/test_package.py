"""What is shipped: the wheel's contents, its version, and what the command imports."""

from __future__ import annotations

import os
import subprocess
import sys
import tarfile
import tomllib
import zipfile
from collections.abc import Iterator
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
def wheel(tmp_path_factory: pytest.TempPathFactory) -> Iterator[zipfile.ZipFile]:
    """The wheel as a release builds it."""
    with zipfile.ZipFile(_build("wheel", tmp_path_factory.mktemp("wheel"))) as archive:
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
def test_the_version_is_the_package_s(wheel: zipfile.ZipFile) -> None:
    (metadata,) = (n for n in wheel.namelist() if n.endswith(".dist-info/METADATA"))
    lines = wheel.read(metadata).decode().splitlines()
    assert "Name: dataloader-lint" in lines
    assert f"Version: {dlint.__version__}" in lines


@pytest.mark.slow
def test_the_source_archive_builds_the_same_pages(tmp_path: Path) -> None:
    with tarfile.open(_build("sdist", tmp_path)) as archive:
        names = {Path(*Path(name).parts[1:]).as_posix() for name in archive.getnames()}
    assert {f"rules/{name}" for name in PAGES} <= names
    assert {"LICENSE", "README.md", "tests/test_package.py", ".ci/run"} <= names


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
