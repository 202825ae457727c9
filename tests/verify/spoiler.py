"""A program that overwrites, appends, renames, deletes and makes files wherever it can, and checks
at each step that it sees what it did; and the folders that it does this to.

    python spoiler.py FOLDER [train] [native]

`FOLDER` is one elsewhere that it names by its absolute path; with `train` it trains and goes on
spoiling in the loop and in the workers; with `native` programs that are no Python spoil too.
"""

# ruff: noqa: PTH101, PTH102, PTH103, PTH104, PTH105, PTH107, PTH109, PTH110, PTH112, PTH116, PTH119
# ruff: noqa: PTH202, PTH207, PTH208, PTH211
# (both ways to name files are tried)
from __future__ import annotations

import glob
import os
import shutil
import sqlite3
import subprocess
import sys
import tempfile
from contextlib import suppress
from pathlib import Path

Tree = dict[str, tuple[object, ...]]


def lay_out(top: Path) -> tuple[Path, Path]:
    """The project and the folder elsewhere, made below `top`."""
    project, other = top / "project", top / "other"
    texts = {"best.pt": "precious", "log.csv": "old\n", "first.txt": "a", "gone.txt": "g"}
    texts |= {"long.txt": "trunc", "tree/deep/file": "f", "folder/name": "n"}
    texts |= {"../other/inside.txt": "inside", "../other/absolute.txt": "absolute"}
    other.mkdir(parents=True)
    for name, text in texts.items():
        (project / name).parent.mkdir(parents=True, exist_ok=True)
        (project / name).write_text(text)
    (project / "long.txt").chmod(0o640)
    (project / "linked").symlink_to(other)
    return project, other


def tree(top: Path) -> Tree:
    """All that is below a folder, but for dlint's own: kinds and rights, times, contents."""
    found: Tree = {}
    for path in (top, *sorted(top.rglob("*"))):
        facts = path.lstat()
        content = path.read_bytes() if path.is_file() and not path.is_symlink() else None
        link = str(path.readlink()) if path.is_symlink() else None
        if ".dlint" not in path.parts:
            found[str(path)] = (facts.st_mode, facts.st_mtime_ns, content, link)
    return found


def changed(before: Tree, after: Tree) -> list[str]:
    """What is not as it was. The project's own time changes where `.dlint` is made."""
    names = {*before, *after}
    return sorted(name for name in names if before.get(name) != after.get(name))


def overwrite() -> None:
    """Write to files that are there, and read them again."""
    Path("best.pt").write_text("new")
    assert Path("best.pt").read_text() == "new"
    with open("log.csv", "a") as log:
        log.write("more\n")
    assert Path("log.csv").read_text() == "old\nmore\n"
    with open("log.csv", "r+") as log:
        log.write("X")
    assert Path("log.csv").read_text() == "Xld\nmore\n"
    os.chmod("log.csv", 0o600)
    os.utime("log.csv", (1, 1))
    assert os.stat("log.csv").st_mtime == 1
    with open("long.txt") as opened:
        os.fchmod(opened.fileno(), 0o611)
        os.utime(opened.fileno(), (2, 2))
    assert os.stat("long.txt").st_mtime == 2
    assert os.stat("long.txt").st_mode & 0o777 == 0o611
    os.truncate("long.txt", 1)
    assert os.path.getsize("long.txt") == 1


def rename_and_remove() -> None:
    """Files and folders get other names, or go."""
    os.rename("first.txt", "second.txt")
    assert not os.path.exists("first.txt")
    assert Path("second.txt").read_text() == "a"
    os.remove("gone.txt")
    assert "gone.txt" not in os.listdir()
    with suppress(FileNotFoundError):
        os.remove("gone.txt")
        raise AssertionError
    shutil.rmtree("tree")
    os.makedirs("tree/deep")
    assert os.listdir("tree/deep") == []
    os.rename("folder", "moved")
    assert not os.path.isdir("folder")
    shutil.copy("second.txt", "third.txt")
    shutil.move("third.txt", "moved/third.txt")
    with os.scandir("moved") as entries:
        assert sorted(entry.name for entry in entries if entry.is_file()) == ["name", "third.txt"]


def make() -> None:
    """New files, folders, links and databases."""
    os.mkdir("made")
    Path("made/one").write_text("x")
    assert list(Path("made").iterdir()) == [Path("made/one")]
    os.symlink("second.txt", "link")
    Path("link").write_text("through")
    assert Path("second.txt").read_text() == "through"
    assert sorted(glob.glob("*.txt")) == ["long.txt", "second.txt"]
    database = sqlite3.connect("data.sqlite")
    database.execute("create table t (x)")
    database.commit()
    database.close()
    os.chdir("made")
    assert os.path.basename(os.getcwd()) == "made"
    Path("two").touch()
    assert sorted(os.listdir(".")) == ["one", "two"]
    os.chdir("..")
    os.close(os.open("flag", os.O_CREAT | os.O_EXCL | os.O_WRONLY))
    with suppress(FileExistsError):
        os.open("flag", os.O_CREAT | os.O_EXCL | os.O_WRONLY)
        raise AssertionError
    with suppress(FileNotFoundError):
        Path("nowhere/file").write_text("x")
        raise AssertionError
    with tempfile.NamedTemporaryFile() as temporary:
        temporary.write(b"x")


def reach_out(other: str) -> None:
    """By a link, by an absolute path, in the home, and from another process."""
    Path("linked/inside.txt").write_text("changed")
    assert Path(other, "inside.txt").read_text() == "changed"
    os.replace(Path(other, "absolute.txt"), Path(other, "renamed.txt"))
    home = Path.home() / "dlint-spoiler"
    home.write_text("x")
    assert home.exists()
    code = "open('child.txt', 'w').write('c'); open('log.csv', 'a').write('child')"
    subprocess.run([sys.executable, "-c", code], check=True)
    assert Path("log.csv").read_text().endswith("child")
    code = "import os; assert os.listdir() == ['one', 'two']; open('three', 'w')"
    subprocess.run([sys.executable, "-c", code], check=True, cwd="made")
    assert Path("made/three").exists()


def spoil_natively(other: str) -> None:
    """Another program does; where it is refused, it goes on."""
    words = f"echo native >> log.csv; rm -f best.pt; touch native {other}/native"
    subprocess.run(words, shell=True, check=False, stderr=subprocess.DEVNULL)


def train() -> None:
    """A training that saves, logs and deletes at each step; its workers write, too."""
    import torch
    from torch.utils.data import DataLoader, Dataset

    class Rows(Dataset):  # type: ignore[type-arg]
        def __len__(self) -> int:
            return 400

        def __getitem__(self, index: int) -> object:
            with open(f"made/{index % 7}", "a") as file:
                file.write("row\n")
            return torch.full((4,), float(index)), index % 3

    torch.set_num_threads(1)
    model = torch.nn.Linear(4, 3)
    optimizer = torch.optim.SGD(model.parameters(), lr=0.01)
    for _ in range(1000):
        for number, (x, y) in enumerate(DataLoader(Rows(), 4, num_workers=2)):
            torch.nn.functional.cross_entropy(model(x), y).backward()
            optimizer.step()
            torch.save(model.state_dict(), "last.pt")
            os.replace("last.pt", "best.pt")
            shutil.copy("best.pt", f"linked/{number % 5}.pt")
            with open("log.csv", "a") as log:
                log.write(f"{number}\n")


def main() -> None:
    """Do it all."""
    other, *ways = sys.argv[1:]
    overwrite()
    rename_and_remove()
    make()
    reach_out(other)
    if "native" in ways:
        spoil_natively(other)
    if "train" in ways:
        train()


if __name__ == "__main__":
    main()
