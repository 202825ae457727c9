"""What `dlint check` costs in a repository before and after edits, beside another checkout of it.

    python tests/benchmarks/after_edit.py REPOSITORY FILE TEST [--other CHECKOUT] [--runs N]

`FILE` and `TEST` are paths in the repository: a file of the program, and one of its tests. The
repository is copied, and each checkout keeps its own answers. Each edit is made anew in each run,
then checked: user CPU of all processes, the least of the runs. `ruff check --no-cache` of the same
folder stands below, where there is one.
"""

from __future__ import annotations

import argparse
import os
import resource
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path

ROOT = Path(__file__).parent.parent.parent
START = "from dlint.cli.main import entry; entry()"
RUFF = ("ruff", "check", "--isolated", "--no-cache", "--quiet", ".")
KINDS = {".py", ".ipynb", ".yaml", ".yml", ".json", ".toml", ".sh", ".cfg", ".txt", ".md"}


def main() -> None:
    """Print the table."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("repository", type=Path)
    parser.add_argument("file")
    parser.add_argument("test")
    parser.add_argument("--other", type=Path, help="a checkout of another commit")
    parser.add_argument("--runs", type=int, default=3, help="of each (default: %(default)s)")
    given = parser.parse_args()
    trees = [ROOT, *([given.other.resolve()] if given.other else [])]
    with tempfile.TemporaryDirectory() as top:
        checks = [Checks(Path(top, str(n)), tree, given) for n, tree in enumerate(trees)]
        columns = [dict(one.rows()) for one in checks]
    print(f"{'seconds of user CPU':44} {'here':>7} {'there' if given.other else '':>7}")
    for what in columns[0]:
        print(f"{what:44} " + " ".join(f"{column[what]:7.2f}" for column in columns))


class Checks:
    """A copy of a repository, edited and checked by one checkout."""

    def __init__(self, top: Path, tree: Path, given: argparse.Namespace) -> None:
        self._folder, self._caches, self._runs = top / "repository", top / "caches", given.runs
        _copy(given.repository.resolve(), self._folder)
        self._file, self._test = self._folder / given.file, self._folder / given.test
        self._text = self._file.read_text("utf-8")
        kept = {k: v for k, v in os.environ.items() if k != "PYTHONDONTWRITEBYTECODE"}
        own = {"PYTHONPATH": str(tree), "XDG_CACHE_HOME": str(self._caches)}
        self._environment = {**kept, **own}
        self._one = (sys.executable, "-c", START, "check", "--exit-zero", "-q", given.file)
        self._all = (*self._one[:-1], ".")

    def rows(self) -> Iterator[tuple[str, float]]:
        """What each check takes, in an order in which none finds more than it should."""
        self._spent(self._one)  # compiles
        yield "all, from nothing", self._least(self._all, self._forget)
        yield "all, unchanged", self._least(self._all)
        yield "the file, unchanged", self._least(self._one)
        yield "the file, after a comment in it", self._least(self._one, self._comment)
        yield "all, after a comment in the file", self._least(self._all, self._comment)
        yield "the file, after a line of code in it", self._least(self._one, self._code)
        yield "all, when that is done", self._least(self._all, self._code, self._one)
        yield "all, after a line of code in the file", self._least(self._all, self._code)
        yield "the file, after a loader in it", self._least(self._one, self._loader)
        yield "all, after a line of code in a test", self._least(self._all, self._code_of_test)
        if shutil.which(RUFF[0]):
            yield "ruff check --no-cache", self._least(RUFF)

    def _least(
        self,
        command: Sequence[str],
        edit: Callable[[int], None] | None = None,
        first: Sequence[str] = (),
    ) -> float:
        found = []
        for number in range(self._runs):
            if edit is not None:
                edit(number)
            if first:
                self._spent(first)
            found.append(self._spent(command))
        return min(found)

    def _spent(self, command: Sequence[str]) -> float:
        before = resource.getrusage(resource.RUSAGE_CHILDREN).ru_utime
        subprocess.run(command, capture_output=True, cwd=self._folder, env=self._environment)
        return resource.getrusage(resource.RUSAGE_CHILDREN).ru_utime - before

    def _forget(self, _: int) -> None:
        shutil.rmtree(self._caches, ignore_errors=True)
        shutil.rmtree(self._folder / ".dlint_cache", ignore_errors=True)

    def _comment(self, number: int) -> None:
        self._file.write_text(f"# remark {number}\n{self._file.read_text('utf-8')}", "utf-8")

    def _code(self, number: int) -> None:
        _append(self._file, number)

    def _loader(self, number: int) -> None:
        """Of each edit, what is read of a module: the loader of the one before is taken away."""
        made = f"another_loader = torch.utils.data.DataLoader([{number}], batch_size=2)"
        self._file.write_text(f"{self._text}\nimport torch.utils.data\n{made}\n", "utf-8")

    def _code_of_test(self, number: int) -> None:
        _append(self._test, number)


def _append(path: Path, number: int) -> None:
    text = path.read_text("utf-8")
    path.write_text(f"{text}\nanother_name_{len(text)} = {number}\n", "utf-8")


def _copy(repository: Path, folder: Path) -> None:
    for path in repository.rglob("*"):
        if path.suffix in KINDS and path.is_file() and ".dlint_cache" not in path.parts:
            copy = folder / path.relative_to(repository)
            copy.parent.mkdir(parents=True, exist_ok=True)
            shutil.copy(path, copy)
    (folder / ".git").mkdir()


if __name__ == "__main__":
    main()
