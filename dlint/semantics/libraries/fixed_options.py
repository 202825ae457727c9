"""argparse options that hold the same whether they are given or not.

Question: can a command line change an option? `store_true` with `default=True` and `store_false`
with `default=False` leave nothing to change. Followed: all declarations of the option that count.
Given up on, so that the answer is yes: options that some module writes (`args.name = …`), parsers
that `set_defaults(**…)`, a namespace that is handed to the parser, and modules on the way that may
write attributes by their names (`setattr`, `vars`, `__dict__`). Budget: that of the levels of
imports which are handed in.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING

from dlint.findings.regexes import lazily
from dlint.semantics.calls.attributes import written_on_self
from dlint.semantics.libraries.option_declarations import action
from dlint.semantics.values.values import FALSE, TRUE

if TYPE_CHECKING:
    from dlint.ir.expressions import Call
    from dlint.semantics.project import Project
    from dlint.semantics.values.conditional_value import ConditionalValues
    from dlint.semantics.values.values import Namespace

_BY_NAME = lazily(
    rb"\bset_defaults\s*\(|\bsetattr\s*\(|=\s*vars\s*\(|=\s*[\w.]+\.__dict__[ \t]*\n"
    rb"|(?:\bvars\s*\([\w.]*\)|__dict__)\s*"
    rb"(?:\[[^\n=]*\]\s*[-+*/|&]*=(?!=)|\.(?:update|pop|setdefault)\b)"
)
"""How a module writes options without spelling them as attributes."""
_REPLACED = lazily(rb"\b(?!self\b)\w+\.__dict__\s*=(?!=)")
"""How a module puts other options in the place of all: `args.__dict__ = read(path)`."""
_GIVEN = {"store_true": TRUE, "store_false": FALSE}
"""What an option holds where it is given, by its action."""


def is_fixed(option: Call, defaults: ConditionalValues) -> bool:
    """Whether an option holds by default what it holds when it is given."""
    given = _GIVEN.get(action(option))
    return bool(defaults) and all(a.value == given and a.assumed is None for a in defaults)


def may_be_written(
    project: Project, namespace: Namespace, name: str, near: Iterable[frozenset[str]]
) -> bool:
    """Whether something but the command line may give another value to an option."""
    if any(written_on_self(store) is None for store in project.writing(name)):
        return True
    return writes_by_name(project, namespace, near)


def writes_by_name(project: Project, namespace: Namespace, near: Iterable[frozenset[str]]) -> bool:
    """Whether options may be written otherwise than as attributes that are spelled out."""
    if any(a.keyword == "namespace" or a.star for a in namespace.call.arguments):
        return True
    modules = frozenset[str]().union(*near)
    by_name = any(project.says(path, _BY_NAME) for path in sorted(modules))
    return by_name or are_replaced(project, [modules])


def are_replaced(project: Project, near: Iterable[frozenset[str]]) -> bool:
    """Whether a module on the way puts all options anew, as of what a file holds."""
    modules = frozenset[str]().union(*near)
    return any(project.says(path, _REPLACED) for path in sorted(modules))
