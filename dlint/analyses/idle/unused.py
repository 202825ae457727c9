"""Functions and classes of a program that nothing in the project uses.

Question: does a place lie in a function or class, defined at the top of its module, that the
module's own run does not come to and that no other file names. Asked of programs alone: scripts
that are started, and modules beside them that scripts import; what a package offers, or a packaging
file installs, is used by others. A module that is left out of a program is asked too (`left_out`).
So is a script that does nothing (`unstarted`).
Followed: references among the definitions of the module, from what runs when it is run or imported;
the words of every file that imports the module; names in configs, scripts and packaging files that
also name the module. What a package takes from the module counts where somebody may take it from
the package (`offered`). Given up on, so that the answer is no: notebooks, decorated definitions,
names that are looked up at run time. Where modules are imported by texts, whatever speaks of a name
uses it. Read off the module and the words of files, each module once.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING

from dlint.analyses.control.started import does_something, is_started
from dlint.analyses.idle.left_out import is_left_out
from dlint.analyses.idle.offered import Offered
from dlint.analyses.idle.own_lookups import looks_itself_up
from dlint.analyses.idle.spoken_names import (
    has_itself,
    is_spoken_of,
    may_take,
    parts_of,
    uses_name,
)
from dlint.analyses.idle.text_imports import TextImports
from dlint.analyses.idle.unstarted import ENTRY, is_unstarted
from dlint.findings.regexes import lazily
from dlint.ir import expressions as ex
from dlint.ir import walk
from dlint.ir.looked_at import told_by_code
from dlint.ir.module import Define, ModuleIndex, Scope
from dlint.library_facts.entry_names import (
    CALLED_BY_OTHERS,
    COMMAND_LIBRARIES,
    ENTRIES,
    HARMLESS_DECORATORS,
)
from dlint.semantics.names.import_graph import word_of
from dlint.workspace.asked import is_file
from dlint.workspace.kinds import is_config
from dlint.workspace.spelling import spelled
from dlint.workspace.texts import ALL_TAKEN

if TYPE_CHECKING:
    from dlint.analyses.context import AnalysisContext
    from dlint.findings.places import Place

_BY_TEXT = lazily(rb"(?<![\w.])(?<!def )(?:globals|eval)\b")
"""How whoever names it may; `model.eval()` is another thing."""
_ASKING = frozenset({b"getattr", b"vars", b"__dict__", b"inspect"})
"""Words by which one that has it as an object may."""
_STARTING = frozenset(name.encode() for name in COMMAND_LIBRARIES)
_PACKAGING = ("setup.py", "setup.cfg", "pyproject.toml")


class UnusedDefinitions:
    """The definitions of a program that nothing uses, each module looked at once."""

    def __init__(self, context: AnalysisContext) -> None:
        self._context = context
        self._project = context.project
        self._known: dict[str, dict[str, Scope]] = {}
        self._users: dict[str, list[str]] = {}

    def around(self, place: Place) -> Scope | None:
        """The unused function or class that holds a place; None where there is none."""
        if not self._project.is_loaded(place.path):
            return None
        return walk.first_around(self._unused(place.path).values(), place.start)

    def _unused(self, path: str) -> dict[str, Scope]:
        if path not in self._known:
            facts = self._project.load(path)
            users = [] if facts is None else self._importers(path)
            self._known[path] = {}
            if facts is not None and self._is_run_or_left(facts.module, users):
                by_text = self.is_imported_by_text(path)
                named = partial(self._is_named_elsewhere, path, users, by_text)
                self._known[path] = _unreached(facts.module, named)
        return self._known[path]

    # -- whose code it is

    def is_of_program(self, path: str) -> bool:
        """Whether nobody but the files of the project can use what a file holds."""
        facts = self._project.load(path)
        return facts is not None and self._is_of_program(facts.module, self._importers(path))

    def is_of_run_program(self, path: str) -> bool:
        """The same, where there is a program: something starts it, or it is left out of one."""
        facts = self._project.load(path)
        return facts is not None and self._is_run_or_left(facts.module, self._importers(path))

    def is_run(self, path: str) -> bool:
        """Whether a module is started, by itself or by what imports it."""
        facts = self._project.load(path)
        return facts is not None and self._is_started_by(facts.module, self._importers(path))

    def _is_of_program(self, module: ModuleIndex, users: list[str]) -> bool:
        """Whether nobody but the files of the project can use what a module holds."""
        path, project = module.path, self._project
        if not project.linked or project.searched is not None or project.is_cut_short:
            return False
        if module.is_notebook or module.dialect is not None or not path.endswith(".py"):
            return False
        if Path(path).name in CALLED_BY_OTHERS or path.endswith("__init__.py"):
            return False
        if project.words.among(path, _STARTING) or looks_itself_up(project, module):
            return False
        packaged = f"{path.rpartition('/')[0]}/__init__.py" in project.files
        if packaged and self._is_installed(path):
            return False
        if users or is_started(module):
            return True
        return self._is_left_out(path) or self._is_unstarted(module)

    def _is_run_or_left(self, module: ModuleIndex, users: list[str]) -> bool:
        """Whether a module is one of a program that there is, or left out of one."""
        if not self._is_of_program(module, users):
            return False
        if self._is_started_by(module, users) or self._is_left_out(module.path):
            return True
        return not users and self._is_unstarted(module)

    def _is_started_by(self, module: ModuleIndex, users: list[str]) -> bool:
        """Whether a module is started, or one that imports it, and so on: there is a program."""
        if is_started(module):
            return True
        waiting, seen = [*users], {module.path, *users}
        while waiting:
            user = self._project.lower(path := waiting.pop())
            if user is None or does_something(user):
                return True
            new = [other for other in self._importers(path) if other not in seen]
            seen.update(new)
            waiting += new
        return False

    def _is_left_out(self, path: str) -> bool:
        if self._is_installed(path) or self.is_imported_by_text(path):
            return False
        return is_left_out(self._project, path)

    def _is_unstarted(self, module: ModuleIndex) -> bool:
        """Whether a module is a script that does nothing, and that nobody can import by a text."""
        if self._is_installed(module.path) or self.is_imported_by_text(module.path):
            return False
        return is_unstarted(module)

    def is_imported_by_text(self, path: str) -> bool:
        """Whether some file imports a module by a text that may be the name of this one."""
        return self._context[TextImports].may_take(path)

    def _is_installed(self, path: str) -> bool:
        return any(is_file(folder / name) for folder in self._folders(path) for name in _PACKAGING)

    def _folders(self, path: str) -> Iterator[Path]:
        """The folders around a file, up to those of all files of the project.

        Where these all lie in one package, its packaging lies beside that.
        """
        top = min((p.rpartition("/")[0] for p in self._project.files), key=len)
        for folder in Path(path).parents:
            yield folder
            is_inside = spelled(folder).startswith(top + "/")
            if not is_inside and not is_file(folder / "__init__.py"):
                return

    def _importers(self, path: str) -> list[str]:
        """The files that import a module themselves, those that cannot be parsed too."""
        if path not in self._users:
            self._users[path] = self._found_importers(path)
        return self._users[path]

    def _found_importers(self, path: str) -> list[str]:
        stem = word_of(path)
        project = self._project
        holders = sorted(project.words.holders_in(project.files, stem) - {path})
        near = (p for p in holders if p.endswith(".py") and project.graph.may_import(p, path))
        return [p for p in near if path in project.graph.targets(p) or self._speaks_of(p, stem)]

    def _speaks_of(self, path: str, stem: bytes) -> bool:
        """Whether a file that cannot be parsed would import a module."""
        project = self._project
        imports = re.compile(rb"^[ \t]*(?:from|import)\b[^\n]*\b" + re.escape(stem) + rb"\b", re.M)
        is_said = not project.graph.targets(path) and project.says(path, imports)
        return is_said and project.lower(path) is None

    # -- who else names it

    def _is_named_elsewhere(self, path: str, users: list[str], by_text: bool, name: str) -> bool:
        """Whether a file that uses the module, or speaks of it in a text, holds a name.

        Where it may be imported by a text, any file that speaks of the name may use it.
        """
        if by_text and is_spoken_of(self._project, name, path):
            return True
        word, stem = name.encode(), Path(path).stem.encode()
        words = self._project.words
        if any(self._speaks(u, path, name) or self._may_take_any(u, path, name) for u in users):
            return True
        both = words.holders(word) & words.holders(stem) - {path}
        if any(is_config(other) or Path(other).name in _PACKAGING for other in both):
            return True
        others = (p for p in self._project.bystanders() if not _has_its_own(p, path))
        return any(may_take(self._project, other, path, name) for other in others)

    def _is_offered(self, package: str, path: str, name: str) -> bool:
        """Whether what a package takes from a module may be used by who has the package."""
        return self._is_installed(package) or self._context[Offered].holds(package, path, name)

    def _speaks(self, user: str, path: str, name: str) -> bool:
        """Whether a file does more with a name than to import it, or hands it on to others."""
        if Path(user).name == "__init__.py":
            return self._is_offered(user, path, name)
        word, words = name.encode(), self._project.words
        if not words.is_in(user, word):
            return False
        if any(words.is_in(other, word) for other in self._importers(user)):
            return True
        module = self._project.lower(user)
        return module is None or uses_name(module, name)

    def _hands_on(self, user: str, path: str, name: str) -> bool:
        """Whether a file that has all of a module offers a name to a file that speaks of it."""
        if Path(user).name == "__init__.py":
            return self._is_offered(user, path, name)
        return any(self._project.words.is_in(o, name.encode()) for o in self._importers(user))

    def _may_take_any(self, user: str, path: str, name: str) -> bool:
        """Whether a file takes all that a module holds and hands it on, or looks into the module.

        What it does with a name itself is said in `_speaks`.
        """
        project, stem = self._project, re.escape(Path(path).stem.encode())
        module = project.lower(user)
        if module is None:
            return project.says(user, ALL_TAKEN)
        stars = (project.imports.resolve(user, s.module, s.level) for s in module.star_imports)
        if path in stars and (looks_itself_up(project, module) or self._hands_on(user, path, name)):
            return True
        whole = rb"^[ \t]*(?:from[ \t]+[\w.]+[ \t]+)?import(?:[ \t]*\([^)]*|[ \t][\w,. \t]*)\b"
        if not project.says(user, re.compile(whole + stem + rb"\b", re.M)):
            return False
        asks = bool(project.words.among(user, _ASKING))
        return project.says(user, _BY_TEXT) or (asks and has_itself(module, path))


def _has_its_own(other: str, path: str) -> bool:
    """Whether a file that imports a module by its name finds another one beside itself."""
    beside = f"{other.rpartition('/')[0]}/{path.rpartition('/')[2]}"
    return beside != path and is_file(beside)


def _unreached(module: ModuleIndex, is_named: Callable[[str], bool]) -> dict[str, Scope]:
    """The functions and classes at the top of a module to which nothing comes.

    `is_named` says whether something outside the module names one.
    """
    defined = defined_at_top(module)
    entries = ENTRIES - {ENTRY} if is_unstarted(module) else ENTRIES
    used = {n for n, s in defined.items() if n in entries or is_handed_on(s) or is_named(n)}
    outside, inside = names_between(module)
    used.update(outside)
    waiting = [*used]
    while waiting:
        new = set(inside.get(waiting.pop(), ())) - used
        used |= new
        waiting += new
    return {name: scope for name, scope in defined.items() if name not in used}


@told_by_code
def names_between(module: ModuleIndex) -> tuple[list[str], dict[str, list[str]]]:
    """Which of the functions and classes at its top a module names outside of all of them, and
    which each of them names."""
    defined = defined_at_top(module)
    outside: set[str] = set()
    inside: dict[str, set[str]] = {name: set() for name in defined}
    for scope in module.scopes:
        holder = next((n for n, top in defined.items() if walk.is_within(scope, top)), None)
        (outside if holder is None else inside[holder]).update(_named(scope))
    own = {name: sorted(names & defined.keys()) for name, names in inside.items()}
    return sorted(outside & defined.keys()), own


@told_by_code
def defined_at_top(module: ModuleIndex) -> dict[str, Scope]:
    """The functions and classes that are defined once, and at the top."""
    found = [
        definition
        for statement in module.body.body.statements
        if isinstance(statement, Define)
        for definition in statement.definitions
    ]
    names = [definition.name for definition in module.body.definitions]
    scopes = {d.name: scope_of(d.value) for d in found if names.count(d.name) == 1}
    return {name: scope for name, scope in scopes.items() if scope is not None}


def scope_of(value: ex.Expression) -> Scope | None:
    match value:
        case ex.FunctionValue():
            return value.function
        case ex.ClassValue():
            return value.cls.body
    return None


def is_handed_on(scope: Scope) -> bool:
    """Whether a decorator may hand a definition to somebody."""
    cls = scope.owner if scope.kind == "class" else None
    decorators = scope.decorators if cls is None else cls.decorators
    return any(_last_name(decorator) not in HARMLESS_DECORATORS for decorator in decorators)


def _last_name(decorator: ex.Expression) -> str | None:
    if isinstance(decorator, ex.Call):
        return decorator.name
    return decorator.own_name if isinstance(decorator, ex.Reference | ex.Attribute) else None


def _named(scope: Scope) -> Iterator[str]:
    """The names that the code of one scope reads, also as a text of its own: `"module:name"`."""
    for part in parts_of(scope):
        if isinstance(part, ex.Reference):
            yield part.name
        elif isinstance(part, ex.Constant) and isinstance(part.value, str):
            yield part.value.rpartition(":")[2].rpartition(".")[2]
