"""The kinds of cases: each makes one from choices in an empty folder, and says which laws break."""

from __future__ import annotations

import contextlib
import io
import os
import sysconfig
from collections.abc import Callable, Iterable, Iterator, Mapping
from functools import cache
from pathlib import Path

from dlint.cli.main import main
from dlint.workspace import kinds
from tests.fuzz.choices import Choices
from tests.fuzz.fixing import broken_fixes, dressed
from tests.fuzz.laws import broken_laws, report, written
from tests.fuzz.mutations import mutated
from tests.fuzz.programs import program
from tests.fuzz.seeds import LOADER, MEASURED, SCRIPT, TRAIN, projects, with_configs
from tests.fuzz.texts import altered, notebook_of, odd_json, settings_files

Kind = Callable[[Choices, Path], Iterator[str]]
SOURCES: list[Path] = []
"""Real files that `mutants` start from; those of the standard library where nobody names others."""
_LARGEST = 12_000


def programs(choices: Choices, folder: Path) -> Iterator[str]:
    """Generated programs: one report however it is made."""
    files = written(folder / "program", program(choices))
    yield from broken_laws(folder / "program", files, folder / "cache")


def mutants(choices: Choices, folder: Path) -> Iterator[str]:
    """Real files with a loader at their end, and with tokens and lines moved about, are read."""
    path = choices.one_of(SOURCES or _standard())
    text = mutated(path.read_text("utf-8", "surrogateescape"), choices)
    report(folder, written(folder, {"main.py": text + LOADER}))
    yield from ()


@cache
def _standard() -> list[Path]:
    return small(Path(sysconfig.get_path("stdlib")).glob("*.py"))


def small(paths: Iterable[Path]) -> list[Path]:
    """The files that are read fast, in order."""
    return [p for p in sorted(paths) if p.is_file() and p.stat().st_size < _LARGEST]


def pages(choices: Choices, folder: Path) -> Iterator[str]:
    """Examples of the pages, moved about: one report however it is made."""
    files = dict(choices.one_of(projects()))
    name = choices.one_of(sorted(files))
    if name.endswith(".py"):
        files[name] = mutated(files[name], choices)
    paths = written(folder / "program", files)
    yield from broken_laws(folder / "program", paths, folder / "cache")


def fixes(choices: Choices, folder: Path) -> Iterator[str]:
    """Generated programs, examples and mutants of them, fixed as far as it goes."""
    files = dict(choices.one_of((program, _example))(choices))
    name = choices.one_of(sorted(files))
    if name.endswith(".py") and choices.one_of((False, True)):
        files[name] = mutated(files[name], choices)
    paths = written(folder, files)
    for path in paths:
        dressed(Path(path), choices)
    yield from broken_fixes(folder, paths)


def _example(choices: Choices) -> Mapping[str, str]:
    return choices.one_of(projects())


def configs(choices: Choices, folder: Path) -> Iterator[str]:
    """Configs of each dialect, and shell scripts."""
    files = dict(choices.one_of(with_configs()))
    for name in [name for name in files if not name.endswith(".py")]:
        is_odd = name.endswith(".json") and choices.one_of((False, True))
        files[name] = (odd_json if is_odd else _altered(name))(files[name], choices)
    paths = written(folder / "program", files)
    yield from broken_laws(folder / "program", paths, folder / "cache")
    yield from broken_fixes(folder / "program", paths)


def _altered(name: str) -> Callable[[str, Choices], str]:
    return lambda text, choices: altered(name, text, choices) if kinds.is_config(name) else text


def shell(choices: Choices, folder: Path) -> Iterator[str]:
    """Scripts that start a program."""
    files = {"run.sh": altered("run.sh", SCRIPT, choices), "train.py": TRAIN}
    paths = written(folder / "program", files)
    yield from broken_laws(folder / "program", paths, folder / "cache")
    yield from broken_fixes(folder / "program", paths)


def notebooks(choices: Choices, folder: Path) -> Iterator[str]:
    """Generated programs and examples in the cells of a notebook."""
    text = choices.one_of((program, _example))(choices)
    modules = [text[name] for name in sorted(text) if name.endswith(".py")]
    longest = max(modules, key=len, default=TRAIN)
    paths = written(folder, {"n.ipynb": notebook_of(longest, choices)})
    report(folder, paths)
    yield from broken_fixes(folder, paths)


def settings(choices: Choices, folder: Path) -> Iterator[str]:
    """Settings, globs, ignore files and kept measurements, by the command itself."""
    flags = [choices.one_of(("--no-cache", "-v", "--show-files", "--show-settings", "--fix"))]
    if choices.one_of((False, True)):
        flags += ["--output-format", choices.one_of(("json", "sarif", "github", "junit"))]
    given = {k: v for k, v in settings_files(choices).items() if v or k[0] == "."}
    kept = {".dlint/measured/a.json": odd_json(MEASURED, choices)}
    written(folder, {"train.py": TRAIN + LOADER, **kept, **given})
    out, err = io.StringIO(), io.StringIO()
    with contextlib.chdir(folder), contextlib.redirect_stdout(out), contextlib.redirect_stderr(err):
        try:
            code = main(["check", *flags])
        finally:
            kinds.assign({})
    if code not in {0, 1, 2}:
        yield f"code {code}: {err.getvalue()[-500:]}"
    if code == 2 and not err.getvalue().strip():
        yield "an error without a word"
    if "\x1b" in out.getvalue() + err.getvalue():
        yield "an escape is printed"
    left = [name for _, _, names in os.walk(folder) for name in names if name.startswith(".dlint-")]
    if left:
        yield f"left over: {left}"


KINDS: Mapping[str, Kind] = {
    kind.__name__: kind
    for kind in (programs, mutants, pages, fixes, configs, shell, notebooks, settings)
}
