from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

import pytest

from dlint.model.versions.admitted import Versions
from dlint.model.versions.version_files import Folder, Kind
from dlint.model.versions.version_specifiers import OPEN, Admitted, admitted_by
from dlint.workspace import asked


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
        ("requirements_cpu.yml", "dependencies:\n  - pytorch::pytorch-cpu>=1.8,<2\n"),
        ("Pipfile", '[packages]\ntorch = "~=1.8"\n'),
        ("pixi.toml", '[dependencies]\npytorch = ">=1.8,<2"\n'),
        ("reqs.txt", "torch>=1.8,<2\n"),
        ("pip-reqs_gpu.txt", "torch>=1.8,<2\n"),
        ("reqs/gpu.txt", "torch>=1.8,<2\n"),
        ("Requirements.txt", "torch>=1.8,<2\n"),
        ("envs/server.yaml", "name: server\ndependencies:\n- pytorch>=1.8,<2\n"),
        ("net.yml", "name: net\ndependencies:\n  - pip=20\n  - pip:\n    - torch>=1.8,<2\n"),
    ],
)
def test_torch_is_declared(tmp_path: Path, name: str, text: str) -> None:
    path = _written(tmp_path, {name: text})
    assert Versions().torch(path) == Admitted((1, 8), (1, 99))


_LISTED = "# This file may be used to create an environment using:\n"


@pytest.mark.parametrize(
    ("name", "text"),
    [
        ("net.yaml", "dependencies:\n- a=1\n- python=3.6\n- pytorch=1.3.1=py3.6_c\nprefix: /x\n"),
        ("packages.txt", "# packages in environment at /x:\n#\npytorch    1.3.1    py3.6_0\n"),
        ("list.txt", f"{_LISTED}pytorch=1.3.1=py3\n"),
        (
            "list.txt",
            f"{_LISTED}@EXPLICIT\nhttps://x.org/linux-64/pytorch-1.3.1-py3.6_cuda10.conda\n",
        ),
        ("requirements.txt", "torch     1.3.1\npillow    6.0\n"),
        (
            "requirements.txt",
            "https://x.org/whl/cu92/torch-1.3.1%2Bcu92-cp36-cp36m-linux_x86_64.whl",
        ),
        (
            "Pipfile",
            '[packages]\ntorch = {file = "https://x.org/torch-1.3.1-cp36-cp36m-linux.whl"}\n',
        ),
        ("Dockerfile", "RUN pip install https://x.org/cu92/torch-1.3.1-cp36-cp36m-linux.whl\n"),
    ],
)
def test_one_torch_is_declared(tmp_path: Path, name: str, text: str) -> None:
    path = _written(tmp_path, {name: text})
    assert Versions().torch(path) == Admitted((1, 3), (1, 3))


@pytest.mark.parametrize("text", ["python      3.6.9    h12_0\n", "python=3.6.9=h12_0\n"])
def test_a_list_of_conda_tells_the_python(tmp_path: Path, text: str) -> None:
    path = _written(tmp_path, {"requirements.txt": f"pip=20\n{text}six=1.0\n"})
    assert Versions().python(path) == Admitted((3, 6), (3, 6))


def test_environments_of_one_folder_admit_what_any_of_them_admits(tmp_path: Path) -> None:
    head = "channels: [pytorch]\ndependencies:\n  - python=3.7\n"
    files = {"a.yaml": f"{head}  - pytorch=1.3.1\n", "b.yml": f"{head}  - pytorch=1.8.0\n"}
    assert Versions().torch(_written(tmp_path, files)) == Admitted((1, 3), (1, 8))


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
        ("train.yaml", "model: net\npackages:\n  - python=3.6\n  - torch==1.2\n"),
        ("app.yaml", "dependencies:\n  torch: ^1.2\nother:\n  - python=3.6\n  - torch==1.2\n"),
        ("setup.cfg", "[gh-actions]\npython =\n    3.6: py36\n    3.7: py37\n"),
        ("requirements.txt", "-f https://x.org/whl/torch-1.4.0.html\ntorch-scatter\n"),
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
    assert Admitted((2, 0), (2, 12)).always("without-torch-six")
    assert not Admitted((1, 13), (2, 12)).always("without-torch-six")
    assert Admitted((1, 8), None).ever("without-torch-six")
    assert not Admitted((1, 8), (1, 13)).ever("without-torch-six")
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


@pytest.mark.parametrize(
    ("name", "text", "admitted"),
    [
        ("Dockerfile", "FROM pytorch/pytorch:1.7.1-cuda11.0-cudnn8-devel\n", ((1, 7), (1, 7))),
        ("docker/Dockerfile", "FROM nvcr.io/nvidia/pytorch:20.12-py3\n", ((1, 8), (1, 8))),
        ("docker_files/Dockerfile", "FROM nvcr.io/nvidia/pytorch:20.12-py3\n", ((1, 8), (1, 8))),
        ("Dockerfiles/gpu.Dockerfile", "FROM nvcr.io/nvidia/pytorch:20.12-py3\n", ((1, 8), (1, 8))),
        ("Dockerfile.gpu", 'ARG PYTORCH="1.6.0"\nFROM pytorch/pytorch:${PYTORCH}\n', ((1, 6),) * 2),
        ("Dockerfile", "# FROM pytorch/pytorch:1.1\nRUN pip install torch==1.4\n", ((1, 4),) * 2),
        (".github/workflows/ci.yml", "run: |\n  pip install 'torch>=1.4,<2'\n", ((1, 4), (1, 99))),
        (".gitlab-ci.yml", "image: pytorch/pytorch:2.1.0-cuda12.1\n", ((2, 1), (2, 1))),
        ("Dockerfile", "FROM python:3.8-slim\n", (None, (2, 4))),
    ],
)
def test_images_declare_where_nothing_else_does(
    tmp_path: Path, name: str, text: str, admitted: tuple[object, object]
) -> None:
    path = _written(tmp_path, {name: text})
    assert Versions().torch(path) == admitted
    requirements = tmp_path / "requirements.txt"
    requirements.write_text("torch>=1.2\npython_requires='>=3.6'\n", "utf-8")
    (tmp_path / "setup.py").write_text("setup(python_requires='>=3.6')\n", "utf-8")
    versions = Versions()
    assert versions.torch(path) == Admitted((1, 2), None)
    assert versions.stated_torch(path).admitted == admitted


@pytest.mark.parametrize(
    ("name", "text", "place"),
    [
        ("README.md", "# Model\n\nNeeds PyTorch 1.4.\n", "README.md:3"),
        ("docs/INSTALL.md", "PyTorch 1.4\n", "docs/INSTALL.md:1"),
        (
            "setup.sh",
            "#!/bin/sh\n# torch==1.1\nconda install pytorch=1.4 -c pytorch\n",
            "setup.sh:3",
        ),
        ("scripts/env.sh", "pip install torch==1.4\n", "scripts/env.sh:1"),
    ],
)
def test_statements_declare_nothing(tmp_path: Path, name: str, text: str, place: str) -> None:
    path, versions = _written(tmp_path, {name: text}), Versions()
    assert versions.torch(path) == OPEN
    assert versions.stated_torch(path).admitted == Admitted((1, 4), (1, 4))
    assert versions.told(tmp_path) == [f"stated: torch 1.4, by {place}"]


@pytest.mark.parametrize("name", ["install.sh", "README.md", "Dockerfile"])
@pytest.mark.parametrize(
    ("toolkit", "newest"), [("9.0", (1, 1)), ("9.2", (1, 7)), ("10.0", (1, 4))]
)
def test_an_old_cuda_has_no_newer_torch(
    tmp_path: Path, name: str, toolkit: str, newest: tuple[int, int]
) -> None:
    text = f"conda install pytorch torchvision cudatoolkit={toolkit} -c pytorch\n"
    path, versions = _written(tmp_path, {name: text}), Versions()
    assert versions.stated_torch(path).admitted == Admitted(None, newest)


@pytest.mark.parametrize(
    "text",
    [
        "conda install pytorch cudatoolkit=11.3 -c pytorch\n",
        "conda install cudatoolkit=9.0\npip install torch\n",
    ],
)
def test_a_toolkit_that_says_nothing(tmp_path: Path, text: str) -> None:
    versions = Versions()
    assert versions.stated_torch(_written(tmp_path, {"setup.sh": text})).admitted == OPEN


def test_the_toolkit_says_more_than_what_should_do(tmp_path: Path) -> None:
    files = {"README.md": "PyTorch 1.0 or later", "a.sh": "conda install pytorch cudatoolkit=9.0"}
    path, versions = _written(tmp_path, files), Versions()
    assert versions.stated_torch(path).admitted == Admitted(None, (1, 1))


def test_a_version_beside_the_toolkit_decides(tmp_path: Path) -> None:
    text = "conda install pytorch=1.0 cudatoolkit=9.0 -c pytorch\n"
    versions = Versions()
    path = _written(tmp_path, {"setup.sh": text})
    assert versions.stated_torch(path).admitted == Admitted((1, 0), (1, 0))


def test_statements_are_taken_together(tmp_path: Path) -> None:
    files = {"README.md": "PyTorch 0.4\nPyTorch 1.2\n", "setup.sh": "pip install torch==1.7\n"}
    path, versions = _written(tmp_path, files), Versions()
    assert versions.stated_torch(path).admitted == Admitted((0, 4), (1, 7))
    assert versions.told(tmp_path) == ["stated: torch 0.4 to 1.7, by setup.sh:1, README.md:1, 2"]


def test_what_was_installed_says_more_than_what_should_do(tmp_path: Path) -> None:
    text = "We need pytorch >= 1.7.0.\n\n    conda install pytorch==1.7.1\n"
    path, versions = _written(tmp_path, {"README.md": text}), Versions()
    assert versions.stated_torch(path).admitted == Admitted((1, 7), (1, 7))
    assert versions.told(tmp_path) == ["stated: torch 1.7, by README.md:3"]


def test_the_statement_of_a_subproject_counts_there_alone(tmp_path: Path) -> None:
    path = _written(tmp_path, {"README.md": "PyTorch 2.1\n", "package/README.md": "PyTorch 0.4\n"})
    versions = Versions()
    assert versions.stated_torch(path).admitted == Admitted((0, 4), (0, 4))
    other = str(tmp_path / "other" / "train.py")
    assert versions.stated_torch(other).admitted == Admitted((2, 1), (2, 1))


def test_a_python_that_is_spoken_of_has_no_newer_torch(tmp_path: Path) -> None:
    taken = Versions().stated_torch(_written(tmp_path, {"README.md": "Python 3.6\n"}))
    assert taken.admitted == Admitted(None, (1, 10))
    assert [mention.title for mention in taken.mentions] == ["Python"]


@pytest.mark.parametrize(
    ("declared", "stated", "likely"),
    [
        (">=3.8", "python=3.8", ((3, 8), (3, 8))),
        (">=3.8", "", ((3, 8), None)),
        (">=3.10", "python=3.8", ((3, 10), None)),
        (">=3.8", "Python 3.8+", ((3, 8), None)),
    ],
)
def test_the_python_of_the_environment_is_likely(
    tmp_path: Path, declared: str, stated: str, likely: tuple[object, object]
) -> None:
    text = f'[project]\nrequires-python = "{declared}"\n'
    files = {"pyproject.toml": text, "README.md": f"conda create -n x {stated}\n"}
    assert Versions().likely_python(_written(tmp_path, files)) == likely


@pytest.mark.parametrize(
    ("admitted", "text"),
    [
        (Admitted((1, 7), (1, 7)), "1.7"),
        (Admitted((1, 5), (1, 13)), "1.5 to 1.13"),
        (Admitted((2, 0), None), "2.0 or newer"),
        (Admitted(None, (0, 3)), "0.3 or older"),
        (Admitted((1, 0), (1, 99)), "1.x"),
        (Admitted((1, 8), (1, 99)), "1.8 to 1.x"),
        (OPEN, "any version"),
    ],
)
def test_versions_in_words(admitted: Admitted, text: str) -> None:
    assert admitted.in_words == text


def test_of_folders_that_are_not_there_none_is_looked_into(tmp_path: Path) -> None:
    (tmp_path / "docker").mkdir()
    with asked.noting() as notes:
        assert Folder(tmp_path).texts(Kind.IMAGE) == {}
    listed = {look[1] for look in notes.looks if look[0] == "names"}
    assert listed == {str(tmp_path), str(tmp_path / "docker")}
