"""Names changed, everywhere at once.

A word is changed as a whole: each variable, parameter and import of it in all files. What was the
same name stays the same name and what were two stay two, so the program does what it did, as long
as nothing outside it knows the word: no library, no string, no config file.
"""

from __future__ import annotations

import builtins
import re
from collections.abc import Iterator, Mapping
from typing import ClassVar

import libcst as cst

from tests.laws.api import CALLED_BY_KEYWORD, KNOWN_BASES
from tests.laws.facts import Kind, dotted_name, words
from tests.laws.instructions import same_instructions
from tests.laws.program import Module, Program
from tests.laws.rewriting import Edits, PerModule, Rewriting

_FIRST = frozenset({"self", "cls", "_", "super", "__class__"})
_PARTS = re.compile(r"[A-Z]?[a-z]+|[A-Z]+(?![a-z])")
EVIDENCE = frozenset(
    words("""
    train training trainer val valid validation dev eval evaluation evaluate test testing
    infer inference predict validate
""")
)
"""Words that say what a loader is for. They are changed by a rewriting of their own."""


def is_evidence(word: str) -> bool:
    """Whether a name says what something is for."""
    return any(part.lower() in EVIDENCE for part in _PARTS.findall(word))


class _Renaming(Rewriting):
    """Changes the words that a subclass chooses."""

    speaks: ClassVar[bool] = False
    """Whether it changes words that are evidence, or those that are not."""

    def apply(self, program: Program) -> Mapping[str, str] | None:
        if program.is_strange:
            return None
        bound = dict.fromkeys(w for m in program.modules.values() for w in m.facts.bound)
        chosen = [
            w
            for w in bound
            if is_evidence(w) == self.speaks
            and not _is_reserved(w)
            and self.takes(w, program)
            and _is_inside(w, program)
        ]
        mapping = dict(zip(chosen, program.fresh(), strict=False))
        return self._renamed({k: self.form(v) for k, v in mapping.items()}, program)

    def takes(self, word: str, program: Program) -> bool:
        """Whether a word is of the kind that is changed and nothing outside knows it."""
        raise NotImplementedError

    def form(self, word: str) -> str:
        """The new name as it is written for this kind."""
        return word

    def _renamed(self, mapping: Mapping[str, str], program: Program) -> dict[str, str] | None:
        files = dict(program.files)
        for path, module in program.modules.items():
            edits = Edits(module)
            for name in _variables(mapping, module, program):
                edits.replace(name, name.with_changes(value=mapping[name.value]))
            text = edits.code()
            if text is not None:
                same_instructions(module.text, text, mapping, self.name)
                files[path] = text
        return files


def _is_reserved(word: str) -> bool:
    return word in _FIRST or word.startswith("__") or hasattr(builtins, word) or word in _TOP_LEVEL


_TOP_LEVEL = frozenset({"main", "setup", "teardown", "config", "cfg", "conf", "args", "parser"})
"""Words that tools and people know; `args` is left since options are often told by it."""


def _is_inside(word: str, program: Program) -> bool:
    """Whether the keyword arguments of this name are all parameters of the program's own."""
    if Kind.PARAMETER not in program.kinds(word):
        return True
    if word in program.strings or word in program.foreign_words:
        return False
    return all(
        _whose(call, module, program, word) is not None
        for module in program.modules.values()
        for _, call in module.facts.keywords.get(word, [])
    )


def _whose(call: cst.Call, module: Module, program: Program, word: str) -> bool | None:
    """Whether a call is one of the program's own functions; None if that is not known."""
    dotted = dotted_name(call.func)
    if dotted is None:
        return None
    qualified = module.facts.qualified(call.func)
    if qualified is not None and not program.is_own(module, qualified):
        return False if qualified.partition(".")[0] not in _PASSING_ON else None
    kinds = program.kinds(dotted)
    if dotted in vars(builtins) and not kinds:
        return False
    if kinds <= {Kind.FUNCTION, Kind.IMPORT} and Kind.FUNCTION in kinds:
        return _has_parameter(dotted, word, program)
    return None


_PASSING_ON = frozenset({"functools", "threading", "multiprocessing", "hydra"})
"""Modules that hand keyword arguments on to a function of the program."""


def _has_parameter(function: str, word: str, program: Program) -> bool | None:
    """True if every function of this name has the parameter; None if one takes any keyword."""
    found = [
        any(p.name.value == word for p in [*d.params.params, *d.params.kwonly_params])
        and d.params.star_kwarg is None
        and not d.decorators
        for module in program.modules.values()
        for d in module.statements
        if isinstance(d, cst.FunctionDef) and d.name.value == function
    ]
    return True if found and all(found) else None


def _variables(mapping: Mapping[str, str], module: Module, program: Program) -> Iterator[cst.Name]:
    """The names of a module that change."""
    facts = module.facts
    for word in mapping:
        yield from facts.variables.get(word, [])
        for arg, call in facts.keywords.get(word, []):
            is_parameter = Kind.PARAMETER in program.kinds(word)
            if is_parameter and _whose(call, module, program, word) and arg.keyword:
                yield arg.keyword
    for _, alias in facts.imported:
        if isinstance(alias.name, cst.Name) and alias.name.value in mapping:
            yield alias.name
        given = alias.asname.name if alias.asname else None
        if isinstance(given, cst.Name) and given.value in mapping:
            yield given


def _is_only(word: str, program: Program, kinds: set[Kind], needed: set[Kind]) -> bool:
    found = program.kinds(word)
    return found <= kinds and bool(found & needed)


class LocalNames(PerModule):
    """Variables of functions: nothing outside a function can name them.

    A word is changed where it is nothing but such a variable in the whole module.
    """

    name = "local-names"
    speaks: ClassVar[bool] = False

    def edit(self, module: Module, program: Program) -> str | None:
        facts = module.facts
        if facts.reads_locals:
            return None
        chosen = [
            word
            for word, kinds in facts.bound.items()
            if kinds == {Kind.LOCAL}
            and is_evidence(word) == self.speaks
            and not _is_reserved(word)
            and word not in facts.deferred
        ]
        mapping = dict(zip(chosen, program.fresh(), strict=False))
        edits = Edits(module)
        for word, new in mapping.items():
            for name in facts.variables.get(word, []):
                edits.replace(name, name.with_changes(value=new))
        text = edits.code()
        if text is not None:
            same_instructions(module.text, text, mapping, self.name)
        return text


class ParameterNames(_Renaming):
    """Parameters and what is called like them, with the keywords of the calls.

    Not those of methods whose class a library may call by keyword, nor of functions that one is
    handed to do so, and not where a decorator may read the signature.
    """

    name = "parameter-names"
    _KINDS: ClassVar = {Kind.LOCAL, Kind.PARAMETER, Kind.GLOBAL}

    def takes(self, word: str, program: Program) -> bool:
        if not _is_only(word, program, self._KINDS, {Kind.PARAMETER}):
            return False
        if Kind.GLOBAL in program.kinds(word) and _is_known_outside(word, program):
            return False
        return not any(word in _fixed_parameters(m) for m in program.modules.values())


def _fixed_parameters(module: Module) -> set[str]:
    """The parameters of functions that something else may call by keyword."""
    found: set[str] = set()
    given = (arg.value for k in CALLED_BY_KEYWORD for arg, _ in module.facts.keywords.get(k, ()))
    handed = {value.value for value in given if isinstance(value, cst.Name)}

    class Visitor(cst.CSTVisitor):
        def visit_FunctionDef(self, node: cst.FunctionDef) -> None:  # noqa: N802
            plain = {"staticmethod", "classmethod"}
            is_decorated = any(dotted_name(d.decorator) not in plain for d in node.decorators)
            if is_decorated or node.name.value in handed:
                found.update(_parameters(node))

        def visit_ClassDef(self, node: cst.ClassDef) -> None:  # noqa: N802
            if not has_known_bases(node, module):
                for item in node.body.body:
                    if isinstance(item, cst.FunctionDef):
                        found.update(_parameters(item))

    module.tree.visit(Visitor())
    return found


def _parameters(node: cst.FunctionDef) -> Iterator[str]:
    every = [*node.params.params, *node.params.kwonly_params, *node.params.posonly_params]
    yield from (p.name.value for p in every)


def has_known_bases(node: cst.ClassDef, module: Module) -> bool:
    """Whether a class has bases only whose protocol is known, and no decorator."""
    if node.decorators or node.keywords:
        return False
    for base in node.bases:
        value = base.value.value if isinstance(base.value, cst.Subscript) else base.value
        dotted = module.facts.qualified(value) or dotted_name(value) or ""
        if dotted.rpartition(".")[2] not in KNOWN_BASES:
            own = [s for s in module.statements if isinstance(s, cst.ClassDef)]
            if not any(o.name.value == dotted and has_known_bases(o, module) for o in own):
                return False
    return True


def _is_known_outside(word: str, program: Program) -> bool:
    """Whether a name at the top of a module may be read from elsewhere as text or attribute."""
    return (
        word in program.strings
        or word in program.foreign_words
        or any(word in m.facts.attributes for m in program.modules.values())
    )


def _comes_from_outside(word: str, program: Program) -> bool:
    """Whether some file imports the word from a library."""
    for module in program.modules.values():
        for dotted in module.facts.imports.get(word, set()):
            if program.imported(module, dotted.rpartition(".")[0]) is None:
                return True
    return any(
        isinstance(alias.name, cst.Name)
        and alias.name.value == word
        and program.imported(module, source) is None
        for module in program.modules.values()
        for source, alias in module.facts.imported
    )


def is_config(module: Module) -> bool:
    """Whether a module only sets variables, which something that runs it may read."""
    return not any(
        isinstance(node, cst.FunctionDef | cst.ClassDef | cst.For | cst.While | cst.If | cst.With)
        for node in module.statements
    ) and not any(isinstance(small, cst.Expr) for small in small_statements(module))


def small_statements(module: Module) -> list[cst.BaseSmallStatement]:
    """The simple statements at the top of a module."""
    lines = [s for s in module.statements if isinstance(s, cst.SimpleStatementLine)]
    return [small for line in lines for small in line.body]


class GlobalNames(_Renaming):
    """Variables at the top of modules, with the imports of them in other files.

    Not those of modules that only set variables: they are configs, which are read by their names.
    """

    name = "global-names"

    def takes(self, word: str, program: Program) -> bool:
        allowed = {Kind.GLOBAL, Kind.LOCAL, Kind.IMPORT}
        return (
            _is_only(word, program, allowed, {Kind.GLOBAL})
            and not _is_known_outside(word, program)
            and not _comes_from_outside(word, program)
            and not any(is_config(m) and word in m.facts.bound for m in program.modules.values())
        )


class FunctionNames(_Renaming):
    """Functions at the top of modules and within others, with the imports of them."""

    name = "function-names"
    _KIND: ClassVar = {Kind.FUNCTION, Kind.NESTED}

    def takes(self, word: str, program: Program) -> bool:
        return (
            _is_only(word, program, self._KIND | {Kind.IMPORT}, self._KIND)
            and not word.startswith("test")
            and not _is_known_outside(word, program)
            and not _comes_from_outside(word, program)
            and not any(_is_decorated(word, m) for m in program.modules.values())
        )


def _is_decorated(word: str, module: Module) -> bool:
    return any(
        isinstance(s, cst.FunctionDef) and s.name.value == word and s.decorators
        for s in module.statements
    )


class ClassNames(FunctionNames):
    """Classes of the program: an instance does what it did under another name."""

    name = "class-names"
    _KIND: ClassVar = {Kind.CLASS}

    def form(self, word: str) -> str:
        return word.title()


class LocalNamesThatSpeak(LocalNames):
    """Variables called `val_loader`, `test`, ...: their names are no part of what runs."""

    name = "speaking-local-names"
    speaks = True


class ParameterNamesThatSpeak(ParameterNames):
    """Parameters called `val_loader`, `test`, ..."""

    name = "speaking-parameter-names"
    speaks = True


class FunctionNamesThatSpeak(FunctionNames):
    """Functions called `train`, `evaluate`, ..."""

    name = "speaking-function-names"
    speaks = True


NAMES: tuple[Rewriting, ...] = (
    LocalNames(),
    ParameterNames(),
    GlobalNames(),
    FunctionNames(),
    ClassNames(),
    LocalNamesThatSpeak(),
    ParameterNamesThatSpeak(),
    FunctionNamesThatSpeak(),
)
