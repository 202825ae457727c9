"""What a script does to the disk is gone when its run is over."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Iterator, Sequence
from pathlib import Path

import pytest

from dlint.verify.run.view import kernel
from dlint.verify.run.view.choice import View, choose, named_folders
from dlint.verify.run.view.cover import Cover, address, path_of
from dlint.verify.run.view.enter import own_folders
from dlint.verify.run.view.layers import keep
from dlint.verify.run.view.mounts import holds_files, inside, mounted
from dlint.verify.run.view.removal import remove
from tests.verify import spoiler

PROBE = Path(spoiler.__file__).parent.parent.parent / "dlint" / "verify" / "probe"
ENDED = Path(spoiler.__file__).parent.parent / "benchmarks" / "verify_files.py"
PLAIN = ("setpriv", "--bounding-set", "-sys_admin", "--inh-caps", "-sys_admin")
"""Takes the rights away that mounting needs outside of a user namespace."""


@pytest.fixture
def scratch(tmp_path: Path) -> Iterator[Path]:
    folder = tmp_path / "scratch"
    folder.mkdir()
    yield folder
    remove(folder)


@pytest.fixture
def laid_out(tmp_path: Path) -> tuple[Path, Path]:
    return spoiler.lay_out(tmp_path / "top")


def _view(kind: str, scratch: Path, cwd: Path) -> View:
    view = choose(scratch, cwd, (kind,))
    if view.kind != kind:
        pytest.skip(f"no {kind} on this machine")
    return view


def _run(
    view: View, words: Sequence[str], cwd: Path, before: Sequence[str] = ()
) -> subprocess.CompletedProcess[str]:
    """Run a command in a view, under the probe."""
    folder = view.scratch / f"{len(list(view.scratch.iterdir()))}"
    for name in ("out", "tmp"):
        (folder / name).mkdir(parents=True)
    redirect, layered = view.redirection(folder), view.kind == "overlay"
    facts = {"out": str(folder / "out"), "launched": 0.0, "project": str(cwd)}
    config = folder / "probe.json"
    config.write_text(json.dumps({**facts, "redirect": redirect, "layered": layered}))
    ours = {"PYTHONPATH": str(PROBE), "DLINT_PROBE": str(config), "TMPDIR": str(folder / "tmp")}
    return subprocess.run(
        [*before, *view.command(words, folder, cwd)],
        cwd=cwd,
        env={**os.environ, **ours},
        capture_output=True,
        text=True,
        check=False,
    )


@pytest.mark.parametrize(
    ("kind", "ways"), [("overlay", ["native"]), ("landlock", ["native"]), ("redirect", [])]
)
def test_nothing_is_lost(
    kind: str, ways: list[str], scratch: Path, laid_out: tuple[Path, Path]
) -> None:
    project, other = laid_out
    view = _view(kind, scratch, project)
    before = spoiler.tree(project.parent)
    done = _run(view, [sys.executable, spoiler.__file__, str(other), *ways], project)
    assert done.returncode == 0, done.stderr
    assert not spoiler.changed(before, spoiler.tree(project.parent))
    assert not (Path.home() / "dlint-spoiler").exists()


def test_nothing_is_lost_without_the_rights_of_an_administrator(
    scratch: Path, laid_out: tuple[Path, Path]
) -> None:
    project, other = laid_out
    if shutil.which(PLAIN[0]) is None or os.geteuid() != 0:
        pytest.skip("there are no rights to be taken away")
    view = _view("overlay", scratch, project)
    before = spoiler.tree(project.parent)
    words = [sys.executable, spoiler.__file__, str(other), "native"]
    done = _run(view, words, project, PLAIN)
    assert done.returncode == 0, done.stderr
    assert not spoiler.changed(before, spoiler.tree(project.parent))


def test_a_folder_of_ones_own_inside_of_a_foreign_one(
    scratch: Path, laid_out: tuple[Path, Path]
) -> None:
    project, other = laid_out
    if shutil.which(PLAIN[0]) is None or os.geteuid() != 0:
        pytest.skip("there are no rights to be taken away, and no other user")
    view = _view("overlay", scratch, project)
    os.chown(project.parent, 1000, 1000)
    os.chown(other, 1000, 1000)
    project.parent.chmod(0o777)
    before = spoiler.tree(project.parent)
    assert own_folders([str(project), str(project / "tree")]) == [str(project)]
    done = _run(view, ["sh", "-c", "echo x > log.csv; mkdir new; touch new/file"], project, PLAIN)
    assert done.returncode == 0, done.stderr
    assert _run(view, ["touch", str(other / "new")], project, PLAIN).returncode != 0
    assert not spoiler.changed(before, spoiler.tree(project.parent))
    trusted = view._replace(named=(str(project), str(other)))
    assert _run(trusted, ["touch", str(other / "new")], project, PLAIN).returncode == 0
    assert not spoiler.changed(before, spoiler.tree(project.parent))


@pytest.mark.parametrize("kind", ["overlay", "landlock"])
def test_programs_that_are_no_python_reach_nothing(
    kind: str, scratch: Path, laid_out: tuple[Path, Path]
) -> None:
    project, other = laid_out
    view = _view(kind, scratch, project)
    before = spoiler.tree(project.parent)
    words = (
        f"echo x >> log.csv; rm best.pt; mv tree {other}; touch {other}/new; > linked/inside.txt"
    )
    _run(view, ["sh", "-c", words], project)
    assert not spoiler.changed(before, spoiler.tree(project.parent))


def test_shared_memory_and_the_scratch_folder_are_the_real_ones(
    scratch: Path, laid_out: tuple[Path, Path]
) -> None:
    project, _ = laid_out
    view = _view("overlay", scratch, project)
    shared = Path("/dev/shm", f"dlint-{os.getpid()}")
    words = f"touch {shared} {scratch}/written; pwd"
    done = _run(view, ["sh", "-c", words], project)
    assert done.stdout == f"{project}\n"
    assert shared.exists()
    assert (scratch / "written").exists()
    shared.unlink()


def test_libraries_that_open_paths_themselves(scratch: Path, laid_out: tuple[Path, Path]) -> None:
    project, other = laid_out
    for name, text in {
        "safetensors": "def serialize_file(tensors, filename, metadata=None):\n",
        "cv2": "def imwrite(filename, image):\n",
    }.items():
        (project / f"{name}.py").write_text(f"import os\n{text}    os.system(f'> {{filename}}')\n")
    code = (
        "import cv2, safetensors\n"
        f"cv2.imwrite('new.png', 1)\nsafetensors.serialize_file(1, filename='{other}/inside.txt')\n"
        "import os\nassert os.path.exists('new.png')\n"
        f"assert os.path.getsize('{other}/inside.txt') == 0\n"
    )
    view = _view("redirect", scratch, project)
    before = spoiler.tree(project.parent)
    words = [sys.executable, "-B", "-c", code]
    done = _run(view, words, project)
    assert done.returncode == 0, done.stderr
    assert not spoiler.changed(before, spoiler.tree(project.parent))


def test_a_file_that_is_too_large_to_copy_is_not_changed(
    scratch: Path, laid_out: tuple[Path, Path]
) -> None:
    project, _ = laid_out
    with (project / "large").open("wb") as file:
        file.truncate(300 << 20)
    view = _view("redirect", scratch, project)
    before = (project / "large").stat()
    code = "open('large', 'r+').write('x')"
    done = _run(view, [sys.executable, "-c", code], project)
    if done.returncode:  # else its file system shares blocks
        assert "its 300 MB are not copied: 'large'" in done.stderr
    assert (project / "large").stat().st_mtime_ns == before.st_mtime_ns
    assert _run(view, [sys.executable, "-c", "open('large', 'w')"], project).returncode == 0
    assert (project / "large").stat().st_size == before.st_size


def test_a_script_is_not_run_where_writing_cannot_be_led_elsewhere(
    scratch: Path, laid_out: tuple[Path, Path]
) -> None:
    project, _ = laid_out
    view = View("redirect", scratch)
    (scratch / "0").mkdir()
    (scratch / "0" / "view").write_text("no folder")
    (scratch / "0").rename(scratch / "1")
    done = _run(view, [sys.executable, "-c", "open('best.pt', 'w')"], project)
    assert done.returncode == 86
    assert "dlint: the view of the disk: NotADirectoryError" in done.stderr
    assert (project / "best.pt").read_text() == "precious"


def test_a_folder_in_which_something_is_mounted(scratch: Path, laid_out: tuple[Path, Path]) -> None:
    project, _ = laid_out
    view = _view("overlay", scratch, project)
    script = "ls tree; touch new tree/new; echo x > log.csv; rm tree/data; cat best.pt"
    words = view.command(["sh", "-c", script], scratch, project)
    outer = f'mount -t tmpfs none {project}/tree && touch {project}/tree/data && "$@"; ls tree'
    done = subprocess.run(
        ["unshare", "--mount", "sh", "-c", outer, "sh", *words],
        cwd=project,
        capture_output=True,
        text=True,
        check=False,
    )
    if "unshare" in done.stderr or "mount:" in done.stderr:
        pytest.skip("nothing may be mounted here")
    assert done.stdout == "data\npreciousdata\n", done.stderr
    assert not (project / "new").exists()
    assert (project / "log.csv").read_text() == "old\n"


def test_what_others_remove_while_a_view_is_made(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    top, upper = tmp_path / "top", tmp_path / "upper"
    for folder in (top / "gone", top / "stays", top / "mounted", upper):
        folder.mkdir(parents=True)
    shown: list[str] = []

    def mount(source: str, target: str, *_: object, **__: object) -> None:
        if target == str(top):
            (top / "gone").rmdir()
        if not Path(source).stat().st_nlink:
            raise FileNotFoundError(2, "No such file or directory", target)
        shown.append(Path(target).name)

    monkeypatch.setattr(kernel, "mount", mount)
    monkeypatch.setattr("dlint.verify.run.view.cover.overlay", lambda *_: None)
    cover = Cover({str(top / "mounted"): "tmpfs"}, str(upper))
    cover._folder(str(top))
    cover._folder(str(top / "gone"))
    assert shown == ["top", "stays"]
    assert (cover.partly, cover.over) == ([str(top)], [str(top / "stays")])
    assert cover.refused == []


def test_a_view_that_does_not_hold_is_not_taken(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("dlint.verify.run.view.choice._entered", lambda spec, words: list(words))
    assert choose(tmp_path, tmp_path).kind == "redirect"
    assert not list(tmp_path.iterdir())


def test_the_table_of_mounts() -> None:
    table = (
        "22 27 0:21 / /proc rw - proc proc rw\n"
        "31 27 0:9 / /mnt/my\\040disk rw - nfs4 server:/ rw\n"
        "27 1 254:0 / / rw - ext4 /dev/vda rw\n"
    )
    found = mounted(table)
    assert found == {"/": "ext4", "/mnt/my disk": "nfs4", "/proc": "proc"}
    assert inside("/mnt", found) == ["/mnt/my disk"]
    assert inside("/mnt/my disk", found) == []
    assert holds_files("/mnt/my disk", "nfs4")
    assert holds_files("/tmp", "tmpfs")
    assert not holds_files("/dev/shm", "tmpfs")
    assert not holds_files("/proc", "proc")


def test_places_of_folders_are_told_apart() -> None:
    names = {address(path) for path in ("/a/b", "/a%2Fb", "/a", "/", "/a%b")}
    assert len(names) == 5
    assert not any("/" in name for name in names)
    assert all(path_of(address(path)) == path for path in ("/a/b", "/a%2Fb", "/", "/a%b"))


def test_the_folders_that_a_script_is_told_of(tmp_path: Path) -> None:
    for name in ("here", "data", "out"):
        (tmp_path / name).mkdir()
    (tmp_path / "out" / "last.pt").touch()
    here = tmp_path / "here"
    words = ["--data", str(tmp_path / "data"), f"--out={tmp_path}/out/last.pt", "--lr", "0.1", "x"]
    assert named_folders(here, here, words) == [tmp_path / "data", here, tmp_path / "out"]


def test_what_nobody_may_read_is_removed_too(tmp_path: Path) -> None:
    (tmp_path / "a" / "work").mkdir(parents=True)
    (tmp_path / "a" / "work").chmod(0)
    remove(tmp_path / "a")
    assert not (tmp_path / "a").exists()


def test_what_was_prepared_before_the_training_is_kept(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    home, layer = tmp_path / "home", tmp_path / "layer"
    monkeypatch.setenv("HOME", str(home))
    (home / "runs").mkdir(parents=True)
    (home / "there.bin").touch()
    upper = tmp_path / "changes" / address(str(tmp_path)) / "changes" / "home"
    large = "x" * (1 << 20)
    texts = {"data/cifar/batch": large, "data/cifar/meta": "m", "runs/log.txt": "log"}
    texts |= {".cache/hub/small": "s", "there.bin": large, "package/__pycache__/a.pyc": "c"}
    for name, text in texts.items():
        (upper / name).parent.mkdir(parents=True, exist_ok=True)
        (upper / name).write_text(text)
    began = (upper / "package/__pycache__/a.pyc").stat().st_mtime + 1
    (home / "package").mkdir()
    (upper / "late").mkdir()
    (upper / "late" / "best.pt").write_text(large)
    os.utime(upper / "late" / "best.pt", (began + 9, began + 9))
    layer.mkdir()
    assert keep(tmp_path / "changes", layer, began)
    kept = layer / address(str(tmp_path)) / "changes" / "home"
    found = sorted(str(path.relative_to(kept)) for path in kept.rglob("*") if path.is_file())
    assert found == [
        *(".cache/hub/small", "data/cifar/batch", "data/cifar/meta"),
        "package/__pycache__/a.pyc",
    ]
    assert not keep(tmp_path / "changes", layer, began)


def test_layers_lie_below_later_runs(scratch: Path, tmp_path: Path) -> None:
    with tempfile.TemporaryDirectory(dir="/var/tmp") as top:  # no layer may lie inside of it
        project, _ = spoiler.lay_out(Path(top) / "top")
        _check_layers(_view("overlay", scratch, project), project)
    project, _ = spoiler.lay_out(tmp_path / "top")
    view = _view("overlay", scratch, project)
    words = view.command(["touch", "new"], scratch, project, [scratch])
    assert subprocess.run(words, check=False).returncode == 0


def _check_layers(view: View, project: Path) -> None:
    code = "head -c 2000000 /dev/zero > data; rm gone.txt; echo x > log.csv; mkdir small"
    first, second, layer = (view.scratch / name for name in ("first", "second", "layer"))
    for folder in (first, second, layer):
        folder.mkdir()
    subprocess.run(view.command(["sh", "-c", code], first, project), check=True)
    assert keep(first / "view", layer, (first / "view").stat().st_mtime + 60)
    words = view.command(["sh", "-c", "ls; cat log.csv"], second, project, [layer])
    done = subprocess.run(words, capture_output=True, text=True, check=True)
    before = {path.name for path in project.iterdir()}
    assert set(done.stdout.split()) == {*before, "data", "old"}


@pytest.mark.slow
def test_a_verification_that_is_ended_changes_no_file() -> None:
    """Four random moments, one for each way to end it; the benchmark tries fifty."""
    words = [sys.executable, str(ENDED), "--count", "4", "--seed", "3", "--latest", "12"]
    done = subprocess.run(words, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stdout + done.stderr
    assert '"ended": 4' in done.stdout


def test_other_systems_have_neither(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setattr("platform.system", lambda: "Darwin")
    assert kernel.landlock_version() == 0
    with pytest.raises(OSError, match="landlock"):
        kernel.allow_writing_below([str(tmp_path)])
    with pytest.raises(OSError, match="unshare"):
        kernel.unshare(kernel.NEW_MOUNTS)
