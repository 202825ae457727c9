from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

import pytest

from dlint.model.versions import OPEN, Admitted, Versions, admitted_by


def _written(folder: Path, files: Mapping[str, str]) -> str:
    (folder / ".git").mkdir()
    for name, text in files.items():
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        (folder / name).write_text(text, "utf-8")
    return str(folder / "package" / "train.py")


@pytest.mark.parametrize(
    ("bounds", "expected"),
    [
        (">=1.8", ((1, 8), None)),
        (">=1.8,<2", ((1, 8), (1, 99))),
        (">=1.8, <2.3", ((1, 8), (2, 2))),
        ("<2.3.1", (None, (2, 3))),
        ("<=1.13.1", (None, (1, 13))),
        ("==1.7.1+cu110", ((1, 7), (1, 7))),
        ("==2.0.*", ((2, 0), (2, 0))),
        ("==2.*", ((2, 0), (2, 99))),
        ("~=1.7", ((1, 7), (1, 99))),
        ("~=1.7.1", ((1, 7), (1, 7))),
        ("^1.13", ((1, 13), (1, 99))),
        ("^0.4", ((0, 4), (0, 4))),
        ("~1.13", ((1, 13), (1, 13))),
        ("=1.7.1", ((1, 7), (1, 7))),
        ("=3", ((3, 0), (3, 99))),
        ("1.13.1", ((1, 13), (1, 13))),
        (">=1.8,!=1.9", ((1, 8), None)),
        ("!=1.9", (None, None)),
    ],
)
def test_specifiers(bounds: str, expected: tuple[object, object]) -> None:
    assert admitted_by(bounds) == expected


@pytest.mark.parametrize(
    ("name", "text"),
    [
        ("requirements.txt", "numpy==1.2\ntorch>=1.8,<2  # GPU\ntorchvision==0.9\n"),
        ("requirements-dev.txt", "-r x.txt\ntorch[opt] >= 1.8, < 2 ; python_version < '3.9'\n"),
        ("requirements/base.txt", "torch>=1.8,<2\n"),
        ("pyproject.toml", '[project]\ndependencies = ["torch>=1.8,<2", "pytorch-lightning>=3"]\n'),
        ("pyproject.toml", '[tool.poetry.dependencies]\ntorch = ">=1.8,<2"\n'),
        ("pyproject.toml", '[tool.poetry.dependencies]\ntorch = {version = "^1.8", extras = []}\n'),
        ("setup.py", 'setup(install_requires=["torch>=1.8,<2"])\n'),
        ("setup.cfg", "[options]\ninstall_requires =\n    torch>=1.8,<2\n"),
        ("environment.yml", "dependencies:\n  - pytorch::pytorch>=1.8,<2\n  - pytorch-cuda=11.8\n"),
        ("Pipfile", '[packages]\ntorch = "~=1.8"\n'),
    ],
)
def test_torch_is_declared(tmp_path: Path, name: str, text: str) -> None:
    path = _written(tmp_path, {name: text})
    assert Versions().torch(path) == Admitted((1, 8), (1, 99))


@pytest.mark.parametrize(
    ("name", "text"),
    [
        ("pyproject.toml", '[project]\nrequires-python = ">=3.9,<3.13"\n'),
        ("pyproject.toml", '[tool.poetry.dependencies]\npython = ">=3.9,<3.13"\n'),
        ("setup.py", 'setup(python_requires=">=3.9,<3.13")\n'),
        ("setup.cfg", "[options]\npython_requires = >=3.9,<3.13\n"),
        ("environment.yaml", "dependencies:\n  - python>=3.9,<3.13\n"),
    ],
)
def test_python_is_declared(tmp_path: Path, name: str, text: str) -> None:
    assert Versions().python(_written(tmp_path, {name: text})) == Admitted((3, 9), (3, 12))


@pytest.mark.parametrize(
    ("name", "text"),
    [
        ("requirements.txt", "torch\ntorchvision>=0.3\ntorch-geometric==2.1\n# torch==1.2\n"),
        ("notes.txt", "torch==1.2\n"),
        ("pyproject.toml", '[tool.mypy]\npython_version = "3.9"\n[tool.uv.sources]\ntorch = "*"\n'),
    ],
)
def test_nothing_is_said(tmp_path: Path, name: str, text: str) -> None:
    path = _written(tmp_path, {name: text})
    assert Versions().torch(path) == OPEN
    assert Versions().python(path) == OPEN


@pytest.mark.parametrize(
    ("name", "text"),
    [
        ("uv.lock", '[[package]]\nname = "torch"\nversion = "2.9.1"\n'),
        ("poetry.lock", '[[package]]\nname = "torch"\nversion = "2.9.1"\ndescription = ""\n'),
        ("Pipfile.lock", '{"torch": {\n "hashes": [],\n "version": "==2.9.1"\n}}'),
    ],
)
def test_a_lock_file_decides(tmp_path: Path, name: str, text: str) -> None:
    files = {name: text, "pyproject.toml": '[project]\ndependencies = ["torch>=1.8"]\n'}
    assert Versions().torch(_written(tmp_path, files)) == Admitted((2, 9), (2, 9))


def test_several_files_admit_what_any_of_them_admits(tmp_path: Path) -> None:
    files = {"requirements.txt": "torch==1.8.0\n", "setup.py": "install_requires=['torch>=1.6']"}
    assert Versions().torch(_written(tmp_path, files)) == Admitted((1, 6), None)


def test_the_nearest_folder_decides(tmp_path: Path) -> None:
    files = {"requirements.txt": "torch==1.8.0\n", "package/requirements.txt": "torch==2.1\n"}
    path = _written(tmp_path, files)
    assert Versions().torch(path) == Admitted((2, 1), (2, 1))
    assert Versions().torch(str(tmp_path / "other" / "train.py")) == Admitted((1, 8), (1, 8))


def test_nothing_above_the_repository_counts(tmp_path: Path) -> None:
    (tmp_path / "requirements.txt").write_text("torch==1.8\n", "utf-8")
    inner = tmp_path / "inner"
    inner.mkdir()
    assert Versions().torch(_written(inner, {})) == OPEN


def test_a_fact_holds_always_or_ever() -> None:
    assert Admitted((1, 8), (1, 12)).always("iterator-next-method")
    assert not Admitted((1, 8), (1, 13)).always("iterator-next-method")
    assert Admitted((1, 8), None).ever("iterator-next-method")
    assert not Admitted((1, 13), None).ever("iterator-next-method")
    assert not Admitted(None, (2, 5)).ever("in-order")
    assert Admitted((2, 6), None).always("in-order")
    assert OPEN.ever("in-order")
    assert not OPEN.always("in-order")


@pytest.mark.parametrize(
    ("python", "torch", "admitted"),
    [
        ("<3.9", "", Admitted(None, (2, 4))),
        ("<=3.9", ">=1.5", Admitted((1, 5), (2, 8))),
        ("<3.9", "==2.6", Admitted((2, 6), (2, 6))),
        ("<3.9", ">=2.6", Admitted((2, 6), None)),
        (">=3.8", ">=1.5", Admitted((1, 5), None)),
        ("<3.12", ">=1.5", Admitted((1, 5), None)),
    ],
)
def test_an_old_python_has_no_new_torch(
    tmp_path: Path, python: str, torch: str, admitted: Admitted
) -> None:
    text = f'[project]\nrequires-python = "{python}"\ndependencies = ["torch{torch}"]\n'
    assert Versions().torch(_written(tmp_path, {"pyproject.toml": text})) == admitted
