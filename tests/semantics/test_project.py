"""Which files are read for the users of a definition."""

from __future__ import annotations

import re
from collections import Counter

from dlint.ir.lower import lower
from dlint.semantics.project import Project
from dlint.workspace.asked import noting
from dlint.workspace.source import Source

FILES = {
    "/p/pkg/__init__.py": "from .data import make\n",
    "/p/pkg/data.py": "def make(): ...\n",
    "/p/pkg/beside.py": "make\n",
    "/p/by_module.py": "import pkg.data\npkg.data.make()\n",
    "/p/by_package.py": "from pkg import make\n",
    "/p/unrelated.py": "def make(): ...\n",
    "/p/other.py": "from pkg import maker\n",
    "/p/é.py": "from pkg import données\n",
}


def _project(searched: frozenset[str] | None = None) -> Project:
    return Project(
        frozenset(FILES),
        lambda path: lower(Source(path, FILES[path])),
        lambda path: FILES[path].encode(),
        searched=searched,
    )


def _loaded(project: Project) -> set[str]:
    return {facts.module.path.removeprefix("/p/") for facts in project.loaded}


def test_users_name_the_definition_and_where_it_comes_from() -> None:
    project = _project()
    project.load_users("/p/pkg/data.py", "make")
    beside = {"pkg/__init__.py", "pkg/data.py", "pkg/beside.py"}
    assert _loaded(project) == {*beside, "by_module.py", "by_package.py"}


def test_users_hold_all_the_names() -> None:
    project = _project()
    project.load_users("/p/pkg/data.py", "make", "import")
    assert _loaded(project) == {"pkg/__init__.py", "by_module.py", "by_package.py"}


def test_users_that_are_loaded_next_are_told_beforehand() -> None:
    project, told = _project(), list[list[str]]()
    project.expect = lambda paths: told.append([*paths])
    project.load("/p/by_module.py")
    for _ in range(2):
        project.load_users("/p/pkg/data.py", "make")
    rest = ["/p/by_package.py", "/p/pkg/__init__.py", "/p/pkg/beside.py", "/p/pkg/data.py"]
    assert told == [rest, []]


def test_of_a_file_that_is_loaded_no_words_are_asked_for_users() -> None:
    project = _project()
    project.load("/p/by_module.py")
    with noting() as asked:
        project.load_users("/p/pkg/data.py", "make")
    assert (asked.words, asked.own_words, asked.user_words) == (set(), set(), {b"make"})
    assert "/p/by_module.py" not in set().union(*asked.terms.values())


def test_words_may_hold_any_letter() -> None:
    project = _project()
    project.load_users("/p/pkg/__init__.py", "données")
    assert _loaded(project) == {"é.py"}


def test_users_are_looked_for_in_some_files_only() -> None:
    project = _project(frozenset({"/p/by_module.py", "/p/other.py"}))
    project.load_users("/p/pkg/data.py", "make")
    assert _loaded(project) == {"by_module.py"}
    assert project.load("/p/unrelated.py") is not None


def test_a_text_is_searched_once_for_all_looks_at_a_project() -> None:
    read: Counter[str] = Counter()

    def text(path: str) -> bytes:
        read[path] += 1
        return FILES[path].encode()

    project = Project(frozenset(FILES), lambda _: None, text)
    looks = [project, *(project.unlinked() for _ in range(3))]
    assert [look.says("/p/other.py", re.compile(rb"maker$", re.M)) for look in looks] == [True] * 4
    assert read == {"/p/other.py": 1}
