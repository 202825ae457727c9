"""Shell scripts, as calls: arguments of transformers' trainer, and containers that are started."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from dlint.frontends import container_commands, records
from dlint.frontends.keyed import HUGGING_FACE
from dlint.frontends.shell import Given, Started, started
from dlint.ir import expressions as ex
from dlint.ir.module import Evaluate, ModuleIndex, Scope
from dlint.library_facts import config_keys as known

if TYPE_CHECKING:
    from dlint.workspace.source import Source

_TRUE = frozenset({"yes", "true", "t", "y", "1"})
_FALSE = frozenset({"no", "false", "f", "n", "0"})
_NUMBERS = frozenset({"dataloader_num_workers", "dataloader_prefetch_factor"})


def lower_shell(source: Source) -> ModuleIndex:
    """The arguments of each run, as a call where the script is named, and each container's run."""
    index = ModuleIndex(source.path)
    index.body = Scope("module", "<module>", "<module>", (0, len(source.text)), index)
    index.scopes.append(index.body)
    for one in filter(lambda one: one.is_certain, started(source.text)):
        arguments = list(filter(None, (_argument(one, key) for key in sorted(_keys(one)))))
        if arguments and len(known.TRAINING_KEYS & _names(one)) > 1:
            index.dialect = HUGGING_FACE
            _add(index.body, one, arguments)
    container_commands.add_runs(index, source.text)
    return index


def value_of(one: Started, key: str) -> Given | None:
    """The word that an argument is given; that of its flag where there is no other."""
    given = one.value(frozenset({f"--{key}", f"--{key.replace('_', '-')}"}))
    return None if given is None else given[1] or given[0]


def _names(one: Started) -> frozenset[str]:
    flags = ((word.text or word.begins).partition("=")[0] for word in one.given)
    return frozenset(flag[2:].replace("-", "_") for flag in flags if flag.startswith("--"))


def _keys(one: Started) -> frozenset[str]:
    return frozenset(filter(known.TRAINING_KEY.fullmatch, _names(one)))


def _argument(one: Started, key: str) -> ex.Argument | None:
    word = value_of(one, key)
    if word is None:
        return ex.Argument(one.span, ex.Opaque(one.span), key)
    return ex.Argument(word.span, _value(key, word), key)


def _value(key: str, word: Given) -> ex.Expression:
    text, span = (word.text or "").lower(), word.span
    if key in _NUMBERS:
        is_number = re.fullmatch("[0-9]{1,6}", text)
        return ex.Constant(span, int(text)) if is_number else ex.Opaque(span)
    if text.startswith("--") or text in _TRUE:
        return ex.Constant(span, True)
    return ex.Constant(span, False) if text in _FALSE else ex.Opaque(span)


def _add(scope: Scope, one: Started, arguments: list[ex.Argument]) -> None:
    statement = Evaluate(one.span, ex.Opaque(one.span), scope.body)
    given = [*arguments, records.rest(one.span)]
    call = records.add_call(known.TRAINING_ARGUMENTS, one.span, given, scope, statement)
    statement.value = call
    scope.body.statements.append(statement)
