"""YAML, JSON and TOML files that say which objects to make, or with which loaders to train.

Named are those under `_target_` (Hydra, MONAI), `class_path` (LightningCLI) and the tags of
hyperpyyaml; other mappings are recognised by their keys. Each becomes a call of what it stands
for. What it does not say may come from another file or from whoever makes the object. Everything
else in the file is data that nobody asks about.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import yaml

from dlint.findings.regexes import lazily
from dlint.frontends import containers, keyed, monai, records
from dlint.frontends.nodes import constant, documents, merged, span, text_at
from dlint.frontends.settings_files import Interpolated
from dlint.ir import expressions as ex
from dlint.ir.module import Evaluate, ModuleIndex, Scope
from dlint.library_facts.config_keys import CPUS_OF_A_RANK, LAUNCHER

if TYPE_CHECKING:
    from dlint.findings.places import Span
    from dlint.workspace.source import Source

HYDRA = "Hydra"
CLI = "LightningCLI"
HYPER = "hyperpyyaml"
_HIDDEN = frozenset({"_target_", "_partial_", "_recursive_", "_convert_", "_args_", "_mode_"})
_MONAI = {name: f"monai.data.{name}" for name in ("DataLoader", "ThreadDataLoader")}
"""MONAI bundles may name a class alone; Hydra asks for the whole path."""
_TAGS = ("!new:", "!name:", "!apply:")
_TEXTS = frozenset({"pin_memory_device", "multiprocessing_context"})
"""Arguments that are given words. Elsewhere a text may stand for what something makes of it."""
_ABSOLUTE = lazily(r"\$\{(\w+(?:\.\w+)*)\}")
_PLAIN = lazily(r"[a-z]+(?::\d+)?")
_DEPTH = 40
_MOST = 2_000
"""Objects of one file; aliases of aliases may stand for many more."""

Nodes = tuple[yaml.Node, ...]


def lower_config(source: Source) -> ModuleIndex:
    """The objects that a file says to make, as calls at the top level of a module."""
    index = ModuleIndex(source.path)
    index.body = Scope("module", "<module>", "<module>", (0, len(source.text)), index)
    index.scopes.append(index.body)
    is_hyper = any(mark in source.text for mark in (*_TAGS, "!ref "))
    lowering = _Lowering(index, is_hyper)
    for document in documents(source.path, source.text):
        lowering.visit(document, (), ())
        containers.add_runs(index, document)
    return index


class _Lowering:
    def __init__(self, index: ModuleIndex, is_hyper: bool) -> None:
        self._index = index
        self._scope = index.body
        self._is_hyper = is_hyper
        self._seen: set[int] = set()
        self._left = _MOST

    def visit(self, node: yaml.Node, parents: Nodes, keys: tuple[str, ...]) -> None:
        """Add the objects that are described in a node."""
        if len(parents) > _DEPTH or id(node) in self._seen:
            return
        self._seen.add(id(node))
        if isinstance(node, yaml.SequenceNode):
            for item in node.value:
                self.visit(item, parents, keys)
        elif isinstance(node, yaml.MappingNode):
            given = merged(node)
            if not self._made(node, given, parents):
                self._recognised(node, given, parents, keys)
                for key, value in given.items():
                    self.visit(value, (*parents, node), (*keys, key))

    def _made(self, node: yaml.MappingNode, given: dict[str, yaml.Node], parents: Nodes) -> bool:
        target = _target(node, given)
        if target is not None:
            return self._target(node, target, given, parents) is not None
        path = text_at(given, "class_path")
        if path is None or len(parents) > 1 or not path.replace(".", "").isidentifier():
            return False
        arguments = merged(given["init_args"]) if "init_args" in given else {}
        self._index.dialect = CLI
        around = (*parents, node, given.get("init_args", node))
        keywords = self._keywords(arguments, around)
        self._call(path, span(node), [*keywords, records.rest(span(node))])
        return True

    def _recognised(
        self,
        node: yaml.MappingNode,
        given: dict[str, yaml.Node],
        parents: Nodes,
        keys: tuple[str, ...],
    ) -> None:
        self._launcher(given, (*parents, node))
        found = keyed.recognised(node, given, keys, self._is_hyper)
        if found is not None:
            self._index.dialect = self._index.dialect or found.framework
            arguments = found.arguments((*parents, node), self._scalar)
            self._call(found.path, found.span, arguments)

    def _launcher(self, given: dict[str, yaml.Node], around: Nodes) -> None:
        """Add what a launcher is told of the CPUs of each rank."""
        node = given.get(CPUS_OF_A_RANK)
        if isinstance(node, yaml.ScalarNode):
            cpus = ex.Argument(span(node), constant(node, around), CPUS_OF_A_RANK)
            self._call(LAUNCHER, span(node), [cpus])

    def _target(
        self, node: yaml.MappingNode, target: str, given: dict[str, yaml.Node], parents: Nodes
    ) -> ex.Call | None:
        self._left -= 1
        path = _MONAI.get(target, target)
        named = "." in path and all(part.isidentifier() for part in path.split("."))
        if not named or self._left < 0:
            return None
        keywords = {name: value for name, value in given.items() if name not in _HIDDEN}
        self._index.dialect = self._index.dialect or (HYPER if self._is_hyper else HYDRA)
        arguments = self._keywords(keywords, (*parents, node))
        if target in _MONAI and monai.needs_no_workers(given, (*parents, node)[0]):
            arguments = [records.reasoned(a, "num_workers") for a in arguments]
        arguments.append(records.rest(span(node)))
        return self._call(path, span(node), arguments)

    def _call(self, path: str, place: Span, arguments: list[ex.Argument]) -> ex.Call:
        statement = Evaluate(place, ex.Opaque(place), self._scope.body)
        call = records.add_call(path, place, arguments, self._scope, statement)
        statement.value = call
        self._scope.body.statements.append(statement)
        return call

    def _keywords(self, given: dict[str, yaml.Node], around: Nodes) -> list[ex.Argument]:
        return [
            ex.Argument(span(value), self._value(value, around, name), name)
            for name, value in given.items()
        ]

    def _value(self, node: yaml.Node, around: Nodes, key: str) -> ex.Expression:
        if key in _TEXTS and isinstance(node, yaml.ScalarNode) and _PLAIN.fullmatch(node.value):
            return ex.Constant(span(node), node.value)
        if isinstance(node, yaml.MappingNode) and len(around) < _DEPTH:
            given = merged(node)
            target = _target(node, given)
            call = None if target is None else self._target(node, target, given, around)
            if call is not None:
                return call
            self.visit(node, around, (key,))
        return self._scalar(node, around)

    def _scalar(self, node: yaml.Node, around: Nodes) -> ex.Expression:
        if not isinstance(node, yaml.ScalarNode):
            return ex.Opaque(span(node))
        value = constant(node, around)
        names = _ABSOLUTE.fullmatch(node.value) if isinstance(value, ex.Opaque) else None
        if names is None or self._index.dialect != HYDRA:
            return value
        return Interpolated(span(node), (), self._index.path, tuple(names[1].split(".")))


def _target(node: yaml.MappingNode, given: dict[str, yaml.Node]) -> str | None:
    """The path of what a mapping says to make."""
    for tag in _TAGS:
        if node.tag.startswith(tag):
            return node.tag.removeprefix(tag)
    return text_at(given, "_target_")
