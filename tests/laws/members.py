"""Methods and attributes that change their names."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

import libcst as cst

from tests.laws.api import API_WORDS
from tests.laws.facts import Kind
from tests.laws.instructions import same_instructions
from tests.laws.names import has_known_bases, is_evidence
from tests.laws.program import Module, Program
from tests.laws.rewriting import Edits, Rewriting


class MemberNames(Rewriting):
    """Methods and attributes of the program's own classes, wherever they are spoken of.

    Not words that an object of a library may have, that stand in a string or a file of another
    kind, or that are a variable of a module.
    """

    name = "member-names"

    def apply(self, program: Program) -> Mapping[str, str] | None:
        if program.is_strange:
            return None
        chosen = [w for w in _own_members(program) if not is_evidence(w)]
        mapping = dict(zip(chosen, program.fresh(), strict=False))
        files = dict(program.files)
        for path, module in program.modules.items():
            edits = Edits(module)
            for word, new in mapping.items():
                for node in module.facts.attributes.get(word, []):
                    edits.replace(node.attr, cst.Name(new))
                for item in methods(module):
                    if item.name.value == word:
                        edits.replace(item.name, cst.Name(new))
            text = edits.code()
            if text is not None:
                same_instructions(module.text, text, mapping, self.name)
                files[path] = text
        return files


def methods(module: Module) -> Iterator[cst.FunctionDef]:
    """The methods of the classes at the top of a module."""
    for node in module.statements:
        if isinstance(node, cst.ClassDef):
            yield from (i for i in node.body.body if isinstance(i, cst.FunctionDef))


def _own_members(program: Program) -> list[str]:
    """The words that are methods or attributes of the program's classes, and nothing else."""
    words: dict[str, None] = {}
    for module in program.modules.values():
        classes = [s for s in module.statements if isinstance(s, cst.ClassDef)]
        if not all(has_known_bases(c, module) for c in classes):
            return []
        words |= dict.fromkeys(m.name.value for m in methods(module) if not m.decorators)
        for word, nodes in module.facts.attributes.items():
            if classes and all(_is_of_self(n) for n in nodes):
                words[word] = None
    return [word for word in words if _is_own_member(word, program)]


def _is_of_self(node: cst.Attribute) -> bool:
    return isinstance(node.value, cst.Name) and node.value.value == "self"


def _is_own_member(word: str, program: Program) -> bool:
    if word.startswith("__") or word in API_WORDS or word in program.strings:
        return False
    if word in program.foreign_words or not program.kinds(word) <= {
        Kind.METHOD,
        Kind.LOCAL,
        Kind.PARAMETER,
    }:
        return False
    if Kind.METHOD in program.kinds(word):
        return len(program.kinds(word)) == 1
    return all(
        _is_of_self(node)
        for module in program.modules.values()
        for node in module.facts.attributes.get(word, [])
    )


MEMBERS: tuple[Rewriting, ...] = (MemberNames(),)
