"""YAML files that say which objects to make: Hydra's `_target_`, LightningCLI's `class_path`.

Each such mapping becomes a call of what it names. What it does not say may come from another file
or from whoever makes the object. Everything else in the file is data that nobody asks about.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import yaml

from dlint.dialects import containers, records
from dlint.dialects.yaml_nodes import constant, documents, merged, span, text_at
from dlint.index import expressions as ex
from dlint.index.model import Evaluate, ModuleIndex, Scope

if TYPE_CHECKING:
    from dlint.source import Source

HYDRA = "Hydra"
CLI = "LightningCLI"
_HIDDEN = frozenset({"_target_", "_partial_", "_recursive_", "_convert_", "_args_", "_mode_"})
_MONAI = {"DataLoader": "monai.data.DataLoader"}
"""MONAI bundles may name a class alone; Hydra asks for the whole path."""
_DEPTH = 40

Nodes = tuple[yaml.Node, ...]


def lower_yaml(source: Source) -> ModuleIndex:
    """The objects that a file says to make, as calls at the top level of a module."""
    index = ModuleIndex(source.path)
    index.body = Scope("module", "<module>", "<module>", (0, len(source.text)), index)
    index.scopes.append(index.body)
    lowering = _Lowering(index)
    for document in documents(source.text):
        lowering.visit(document, ())
        containers.add_runs(index, document)
    return index


class _Lowering:
    def __init__(self, index: ModuleIndex) -> None:
        self._index = index
        self._scope = index.body
        self._seen: set[int] = set()

    def visit(self, node: yaml.Node, parents: Nodes) -> None:
        """Add the objects that are described in a node."""
        if len(parents) > _DEPTH or id(node) in self._seen:
            return
        self._seen.add(id(node))
        if isinstance(node, yaml.SequenceNode):
            for item in node.value:
                self.visit(item, parents)
        elif isinstance(node, yaml.MappingNode) and not self._made(node, parents):
            for value in merged(node).values():
                self.visit(value, (*parents, node))

    def _made(self, node: yaml.MappingNode, parents: Nodes) -> bool:
        given = merged(node)
        target = text_at(given, "_target_")
        if target is not None:
            call = self._target(node, target, given, parents)
            return call is not None
        path = text_at(given, "class_path")
        if path is None or len(parents) > 1 or "." not in path:
            return False
        arguments = merged(given["init_args"]) if "init_args" in given else {}
        self._index.dialect = CLI
        around = (*parents, node, given.get("init_args", node))
        keywords = self._keywords(arguments, around)
        self._call(path, node, [*keywords, records.rest(span(node))])
        return True

    def _target(
        self, node: yaml.MappingNode, target: str, given: dict[str, yaml.Node], parents: Nodes
    ) -> ex.Call | None:
        path = _MONAI.get(target, target)
        if not all(part.isidentifier() for part in path.split(".")) or "." not in path:
            return None
        keywords = {name: value for name, value in given.items() if name not in _HIDDEN}
        arguments = self._keywords(keywords, (*parents, node))
        arguments.append(records.rest(span(node)))
        self._index.dialect = self._index.dialect or HYDRA
        return self._call(path, node, arguments)

    def _call(self, path: str, node: yaml.Node, arguments: list[ex.Argument]) -> ex.Call:
        statement = Evaluate(span(node), ex.Opaque(span(node)), self._scope.body)
        call = records.add_call(path, span(node), arguments, self._scope, statement)
        statement.value = call
        self._scope.body.statements.append(statement)
        return call

    def _keywords(self, given: dict[str, yaml.Node], around: Nodes) -> list[ex.Argument]:
        return [
            ex.Argument(span(value), self._value(value, around), name)
            for name, value in given.items()
        ]

    def _value(self, node: yaml.Node, around: Nodes) -> ex.Expression:
        if isinstance(node, yaml.ScalarNode):
            return constant(node, around)
        if isinstance(node, yaml.MappingNode) and len(around) < _DEPTH:
            given = merged(node)
            target = text_at(given, "_target_")
            call = None if target is None else self._target(node, target, given, around)
            if call is not None:
                return call
            self.visit(node, around)
        return ex.Opaque(span(node))
