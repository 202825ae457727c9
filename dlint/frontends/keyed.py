"""Mappings whose keys a framework hands on to a loader: recognised by the keys beside them."""

from __future__ import annotations

from typing import TYPE_CHECKING

import yaml

from dlint.frontends import records
from dlint.frontends.nodes import pairs, span
from dlint.ir import expressions as ex
from dlint.library_facts import config_keys as known

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from dlint.findings.places import Span
    from dlint.library_facts.config_keys import KeyedDialect

    Nodes = tuple[yaml.Node, ...]
    Value = Callable[[yaml.Node, Nodes], ex.Expression]

_LOADER = "torch.utils.data.DataLoader"
HUGGING_FACE = "TrainingArguments"


class Recognised:
    """A mapping that says how a loader is made, though not that one is."""

    def __init__(
        self, framework: str, path: str, node: yaml.Node, names: Mapping[str, str]
    ) -> None:
        self.framework = framework
        self.path = path
        """What is called with the keys."""
        self._given = [(k, v) for k, v in pairs(node) if k.value in names]
        self._names = names

    @property
    def span(self) -> Span:
        """The first of the keys that count, with its value."""
        key, value = self._given[0]
        return key.start_mark.index, span(value)[1]

    def arguments(self, around: Nodes, value: Value) -> list[ex.Argument]:
        """The arguments, under torch's names where the framework has others."""
        made: list[ex.Argument] = []
        for key, node in self._given:
            name = self._names[key.value]
            expression = value(node, around)
            if name == key.value:
                made.append(ex.Argument(span(node), expression, name))
            else:
                made.append(records.Renamed(span(node), expression, name, own=key.value))
        return [*made, records.rest(self.span)]


def recognised(
    node: yaml.MappingNode, given: dict[str, yaml.Node], keys: tuple[str, ...], is_hyper: bool
) -> Recognised | None:
    """What a mapping is, by its keys and by those that lead to it."""
    own = {key.value for key, _ in pairs(node)}
    if any(map(known.TRAINING_KEY.fullmatch, own)):
        names = {name: name for name in own if known.TRAINING_KEY.fullmatch(name)}
        is_one = len(known.TRAINING_KEYS & given.keys()) > 1
        return Recognised(HUGGING_FACE, known.TRAINING_ARGUMENTS, node, names) if is_one else None
    for dialect in (known.SPEECHBRAIN,) if is_hyper else known.KEYED:
        if own & dialect.arguments.keys() and _is_of(dialect, given, keys):
            return Recognised(dialect.framework, _LOADER, node, dialect.arguments)
    return None


def _is_of(dialect: KeyedDialect, given: dict[str, yaml.Node], keys: tuple[str, ...]) -> bool:
    if not dialect.required <= given.keys():
        return False
    if len(dialect.companions & given.keys()) < dialect.least:
        return False
    return not keys if dialect.under is None else any(map(dialect.under.fullmatch, keys))
