"""Settings that are read through `cfg`: their defaults, where one tree of the project has them.

Question: what does `cfg.DATA.WORKERS` hold by default, and what else is written to it? Followed:
trees of `CfgNode`s in any module of the project, found by the chain of names. Given up on: chains
that two trees have. Each file that builds a tree is read once.
"""

from __future__ import annotations

import posixpath
from collections import defaultdict
from collections.abc import Collection
from dataclasses import replace
from functools import cached_property

from dlint.ir.expressions import Attribute, Call, Expression, Reference
from dlint.ir.module import Scope, Store
from dlint.library_facts import config_nodes
from dlint.semantics.project import Facts
from dlint.semantics.values.conditional_value import ConditionalValues
from dlint.semantics.values.evaluator import Evaluator
from dlint.semantics.values.solver import Solver
from dlint.semantics.values.values import AllocationSite, ClassObject, External, Unknown, Value

Chain = tuple[str, ...]


class ConfigTrees:
    """The trees of `CfgNode`s that the modules of a project build."""

    def __init__(self, solver: Solver) -> None:
        self._solver = solver

    def default(self, chain: Chain) -> Store | None:
        """What the one tree that has this chain of names gives to it."""
        found = self._defaults.get(chain, [])
        return found[0] if len(found) == 1 else None

    def names(self, value: Value) -> bool:
        """Whether a value may be a tree: one of that class, or something that is not known."""
        match value:
            case Unknown():
                return True
            case External():
                return "CfgNode" in value.path
            case AllocationSite(origin=External(path=path)):
                return "CfgNode" in path
            case AllocationSite(origin=ClassObject()):
                return self._is_tree(value.origin)
        return False

    def title(self, path: str) -> str:
        """How a message names a file: by its folder too, unless it stands at the top."""
        return "/".join(path.removeprefix(self._top).split("/")[-2:])

    @cached_property
    def _top(self) -> str:
        folders = [path.rpartition("/")[0] for path in self._solver.project.files]
        return posixpath.commonpath(folders) + "/" if folders else ""

    @cached_property
    def _defaults(self) -> dict[Chain, list[Store]]:
        project = self._solver.project
        found: dict[Chain, list[Store]] = defaultdict(list)
        for path in sorted(project.files):
            if project.holds(path, config_nodes.MARK) and project.says(path, config_nodes.ROOT):
                facts = project.load(path)
                if facts is not None:
                    self._collect(facts, found)
        return found

    def _collect(self, facts: Facts, found: dict[Chain, list[Store]]) -> None:
        for scope in facts.module.scopes:
            roots = {d.name for d in scope.definitions if self._makes_tree(d.value, scope)}
            for store in scope.stores if roots else ():
                chain = names_of(store.target)
                if chain is not None and chain[0] in roots:
                    found[chain[1:]].append(store)

    def _makes_tree(self, value: Expression, scope: Scope) -> bool:
        if not isinstance(value, Call):
            return False
        return any(map(self._is_tree, self._solver.names.static(value.function, scope)))

    def _is_tree(self, value: object) -> bool:
        if isinstance(value, External):
            return value.path in config_nodes.CLASSES
        if isinstance(value, ClassObject):
            return not config_nodes.CLASSES.isdisjoint(self._solver.classes.externals(value.cls))
        return False


def names_of(expression: Expression) -> Chain | None:
    """The names of `cfg.DATA.WORKERS`, in order; None where it is no such chain."""
    names: list[str] = []
    while isinstance(expression, Attribute):
        names.append(expression.name)
        expression = expression.value
    return (expression.name, *reversed(names)) if isinstance(expression, Reference) else None


def _own_root(expression: Expression) -> str:
    """What the first name of a chain is called where it is imported from."""
    while isinstance(expression, Attribute):
        expression = expression.value
    return expression.own_name if isinstance(expression, Reference) else ""


def read(
    evaluator: Evaluator, expression: Attribute, bases: Collection[Value], depth: int
) -> ConditionalValues | None:
    """The default of a setting, assumed; None where no one tree has it."""
    chain = _chain(expression)
    trees = evaluator.solver[ConfigTrees]
    if chain is None or not bases or not all(map(trees.names, bases)):
        return None
    store = trees.default(chain)
    if store is None:
        return None
    found = [*_value(evaluator, store, depth)]
    for other in evaluator.solver.project.writing(chain[-1]):
        names = names_of(other.target)
        if other is not store and names is not None and names[-len(chain) :] == chain:
            found += evaluator.of(other.value, evaluator.solver.root(other.scope), depth)
    return found


def _value(evaluator: Evaluator, store: Store, depth: int) -> ConditionalValues:
    target = ".".join((names_of(store.target) or ())[1:])
    title = evaluator.solver[ConfigTrees].title(store.scope.module.path)
    label = f"default of `{target}` in {title}"
    found = evaluator.of(store.value, evaluator.solver.root(store.scope), depth)
    return [replace(a, assumed=label, source=store.value) for a in found]


def _chain(expression: Attribute) -> Chain | None:
    """The names below the tree: behind the last one that speaks of a config, or in capitals."""
    names = names_of(expression)
    if names is None:
        return None
    for index in range(len(names) - 2, -1, -1):
        spoken = (names[index], _own_root(expression)) if index == 0 else (names[index],)
        if any(map(config_nodes.NAME.search, spoken)):
            return names[index + 1 :]
    capitals = len(names) - 1
    while capitals > 1 and names[capitals - 1].isupper():
        capitals -= 1
    return names[capitals:] if names[-1].isupper() and len(names) - capitals > 1 else None
