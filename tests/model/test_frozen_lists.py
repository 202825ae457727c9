"""Lists of packages that were written on Windows or a Mac, and what they say of a project."""

from __future__ import annotations

from pathlib import Path

import pytest

from dlint.model.machines.cpu_builds import has_no_cuda
from dlint.model.machines.frozen_lists import windows_list
from dlint.model.machines.platforms import Platforms
from dlint.model.versions.admitted import Versions
from tests.conftest import MakeProgram

FROZEN = "numpy==2.2.6\r\ntorch==2.9.1\r\ntqdm==4.67.1\r\n"


def _list(folder: Path, text: str, encoding: str = "utf-8", name: str = "requirements.txt") -> str:
    (folder / ".git").mkdir()
    (folder / name).write_bytes(text.encode(encoding))
    return str(folder / "train.py")


def test_a_list_of_powershell_is_read_and_speaks_for_windows(
    context: MakeProgram, tmp_path: Path
) -> None:
    path = _list(tmp_path, FROZEN, "utf-16")
    made = context({"train.py": "x = 1"})
    assert made[Versions].torch(path).in_words == "2.9"
    shown = made[Platforms].shown(path)
    assert shown is not None
    assert shown.in_words.startswith("on Windows: text in UTF-16")
    assert shown.in_words.endswith(" in requirements.txt:1")
    assert has_no_cuda(made, path)


@pytest.mark.parametrize("package", ["pywin32==310", "win32_setctime==1.2.0", "pywinpty==2.0"])
def test_a_package_of_windows_alone_speaks_for_it(
    package: str, context: MakeProgram, tmp_path: Path
) -> None:
    path = _list(tmp_path, f"numpy==2.2.6\n{package}\ntorch==2.9.1\n")
    made = context({"train.py": "x = 1"})
    shown = made[Platforms].shown(path)
    assert shown is not None
    assert shown.where == "requirements.txt:2"
    assert has_no_cuda(made, path)


def test_an_environment_of_conda_speaks_for_windows_and_for_no_build(
    context: MakeProgram, tmp_path: Path
) -> None:
    text = "dependencies:\n  - pytorch=2.5.1=py310\n  - vs2015_runtime=14.27.29016=h5e58377_2\n"
    path = _list(tmp_path, text, name="environment.yml")
    made = context({"train.py": "x = 1"})
    assert made[Platforms].shown(path) is not None
    assert not has_no_cuda(made, path)


@pytest.mark.parametrize(
    "text",
    [
        "torch==2.9.1\n",
        'torch==2.9.1\npywin32==310 ; sys_platform == "win32"\n',
        "torch==2.9.1\npywin32>=300\n",
        "torch==2.9.1\n# pywin32==310\n",
        "torch==2.9.1\ncolorama==0.4.6\n",
    ],
)
def test_lists_that_say_nothing_of_windows(text: str, context: MakeProgram, tmp_path: Path) -> None:
    _list(tmp_path, text)
    assert windows_list(context({"train.py": "x = 1"}), tmp_path) is None


@pytest.mark.parametrize(
    "text",
    [
        FROZEN.replace("2.9.1", "2.9.1+cu126"),
        FROZEN.replace("2.9.1", "1.7.0"),
        FROZEN + "certifi @ file:///C:/b/abs_36/work\r\n",
    ],
)
def test_a_torch_of_windows_that_may_have_cuda(
    text: str, context: MakeProgram, tmp_path: Path
) -> None:
    path = _list(tmp_path, text, "utf-16")
    made = context({"train.py": "x = 1"})
    assert windows_list(made, tmp_path) is not None
    assert not has_no_cuda(made, path)


@pytest.mark.parametrize("text", ["root = '/content/data'", "# run by sbatch\nroot = '/home/me'"])
def test_a_project_that_is_run_on_linux_too(
    text: str, context: MakeProgram, tmp_path: Path
) -> None:
    path = _list(tmp_path, FROZEN, "utf-16")
    made = context({"train.py": text})
    assert made[Platforms].shown(path) is None
    assert not has_no_cuda(made, path)


def test_the_nearest_folder_that_requires_torch_counts(
    context: MakeProgram, tmp_path: Path
) -> None:
    _list(tmp_path, FROZEN, "utf-16")
    made = context({"train.py": "x = 1"})
    (tmp_path / "sub").mkdir()
    assert windows_list(made, tmp_path / "sub") is not None
    (tmp_path / "sub/requirements.txt").write_text("torch\n")
    assert windows_list(made, tmp_path / "sub") is None


def test_a_path_outweighs_a_list_and_a_list_a_device(context: MakeProgram, tmp_path: Path) -> None:
    path = _list(tmp_path, FROZEN, "utf-16")
    at_device = context({"train.py": "d = 'mps'"})[Platforms].shown(path)
    assert at_device is not None
    assert at_device.platform == "Windows"
    by_path = context({"train.py": "root = 'C:/data'"})[Platforms].shown(path)
    assert by_path is not None
    assert by_path.where == "train.py:1"


@pytest.mark.parametrize(
    ("name", "text"),
    [
        ("requirements.txt", "appnope==0.1.4\ntorch==2.9.1\n"),
        (
            "environment.yml",
            "dependencies:\n  - appnope=0.1.2=py39h2804cbe_2\n  - pytorch=1.11.0\n",
        ),
    ],
)
def test_what_a_mac_has_written_speaks_for_no_cuda(
    name: str, text: str, context: MakeProgram, tmp_path: Path
) -> None:
    path = _list(tmp_path, text, name=name)
    assert has_no_cuda(context({"train.py": "x = 1"}), path)


@pytest.mark.parametrize(
    ("text", "program"),
    [
        ('appnope==0.1.4 ; sys_platform == "darwin"\ntorch==2.9.1\n', "x = 1"),
        ("appnope==0.1.4\npywin32==310\ntorch==2.9.1+cu126\n", "x = 1"),
        ("appnope==0.1.4\ntorch==2.9.1\n", "root = '/home/me/data'"),
    ],
)
def test_what_speaks_for_other_machines_as_well(
    text: str, program: str, context: MakeProgram, tmp_path: Path
) -> None:
    path = _list(tmp_path, text)
    assert not has_no_cuda(context({"train.py": program}), path)


OF_CPU = "pip install torch==1.3.1+cpu -f https://download.pytorch.org/whl/torch_stable.html\n"


@pytest.mark.parametrize(
    ("prose", "lacks"),
    [(OF_CPU, True), (f"With a GPU:\npip install torch torchvision\nWithout:\n{OF_CPU}", False)],
)
def test_prose_that_installs_a_build_for_cpus_and_no_other(
    prose: str, lacks: bool, context: MakeProgram, tmp_path: Path
) -> None:
    path = _list(tmp_path, prose, name="README.md")
    assert has_no_cuda(context({"train.py": "x = 1"}), path) is lacks
