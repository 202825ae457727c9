"""Attributes that a program adds to what argparse gave it: `args.cuda = torch.cuda.is_available()`.

Question: what does an attribute of a namespace hold that no parser declares? What the program
writes there, in any module that says so: whoever reads it before would fail. Given up on (Unknown):
what modules near the one that parses may write by its name (`setattr`, `vars(args)[…]`), and names
that are written to something that is not known. Budget: that of the files that hold the name.
"""

from __future__ import annotations

import re
from collections.abc import Iterable

from dlint.ir.module import Store
from dlint.semantics.calls.attributes import written_on_self
from dlint.semantics.calls.library_fields import LibraryFields
from dlint.semantics.libraries.fixed_options import writes_by_name
from dlint.semantics.values.conditional_value import ConditionalValues
from dlint.semantics.values.conditions import Condition
from dlint.semantics.values.evaluator import Evaluator
from dlint.semantics.values.solver import ConstraintNode, Solver
from dlint.semantics.values.values import UNKNOWN, Namespace

_Levels = Iterable[frozenset[str]]


def flow(
    solver: Solver, namespace: Namespace, name: str, node: ConstraintNode, near: _Levels
) -> None:
    """What is written to an attribute flows into `node`; Unknown where nothing is."""
    solver[_Writers].load(name)
    solver[LibraryFields].ask(namespace, name, node)
    if writes_by_name(solver.project, namespace, near):
        solver.add(node, UNKNOWN)
    solver.unless_filled(node)


def read(
    evaluator: Evaluator, namespace: Namespace, name: str, depth: int, near: _Levels
) -> ConditionalValues:
    """What is written to an attribute, each with the condition that it is the one."""
    solver = evaluator.solver
    solver[_Writers].load(name)
    if writes_by_name(solver.project, namespace, near):
        return []
    stores, is_known = _stores(solver, namespace, name)
    if not is_known:
        return []
    found: ConditionalValues = []
    for store in stores:
        values = evaluator.of(store.value, solver.root(store.scope), depth)
        of_store = {Condition(("option", namespace, name), store.value)}
        found += [a.under(of_store) for a in values] if len(stores) > 1 else values
    return found


def _stores(solver: Solver, namespace: Namespace, name: str) -> tuple[list[Store], bool]:
    """The writes to a namespace, and whether those to all other objects are known to be others."""
    stores = [s for s in solver.project.writing(name) if written_on_self(s) is None]
    owners = [solver.values(s.target.value, solver.root(s.scope)) for s in stores]
    written = [s for s, of in zip(stores, owners, strict=True) if namespace in of]
    return written, not any(UNKNOWN in of for of in owners)


class _Writers:
    """The modules that write attributes of a name: a query, since each name is asked once."""

    def __init__(self, solver: Solver) -> None:
        self._project = solver.project
        self._loaded: set[str] = set()

    def load(self, name: str) -> None:
        """Read the modules of which the text writes an attribute of this name."""
        if name in self._loaded:
            return
        self._loaded.add(name)
        writing = re.compile(rb"\.%s\s*(?:=[^=]|,|\+=)" % re.escape(name.encode()))
        for path in sorted(self._project.words.holders(name.encode())):
            if not self._project.is_loaded(path) and self._project.says(path, writing):
                self._project.load(path)
