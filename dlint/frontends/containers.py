"""Compose and Kubernetes files: each container that runs a script in the default /dev/shm.

It becomes a call that names the script, what the command says of workers, and whose file it is.
"""

from __future__ import annotations

import shlex
from itertools import pairwise
from typing import TYPE_CHECKING

import yaml

from dlint.findings.regexes import lazily
from dlint.frontends import records
from dlint.frontends.nodes import merged, span
from dlint.ir import expressions as ex
from dlint.ir.module import Evaluate
from dlint.library_facts.containers import (
    COMMANDS,
    COMPOSE,
    DECIDING,
    DECIDING_POD,
    KUBERNETES,
    RUN,
    SHARED,
)
from dlint.library_facts.shells import LAUNCHER

if TYPE_CHECKING:
    from collections.abc import Iterator

    from dlint.findings.places import Span
    from dlint.ir.module import ModuleIndex

    Mapping = dict[str, yaml.Node]

_WORKERS = lazily(r"(?:--?|\+)?(?:[\w.]*[._-])?(?:num[_-])?workers(?:=(\d+))?")


def add_runs(index: ModuleIndex, document: yaml.Node) -> None:
    """Add the containers of a document that run scripts."""
    top = merged(document)
    if "services" in top:
        for service in merged(top["services"]).values():
            given = merged(service)
            if ("image" in given or "build" in given) and not DECIDING & given.keys():
                _add(index, service, COMPOSE)
    elif "apiVersion" in top and "kind" in top:
        for pod in _pods(document):
            for container in _items(pod["containers"]):
                _add(index, container, KUBERNETES)


def _pods(document: yaml.Node) -> Iterator[Mapping]:
    """The specifications of pods, wherever a resource has them, without a decision of their own."""
    waiting, seen = [document], {id(document)}
    while waiting:
        node = waiting.pop()
        if isinstance(node, yaml.SequenceNode):
            inner = list(node.value)
        else:
            given = merged(node)
            inner = list(given.values())
            if "containers" in given and not DECIDING_POD & given.keys():
                yield given
        new = [part for part in inner if id(part) not in seen]
        seen.update(map(id, new))
        waiting += reversed(new)


def _add(index: ModuleIndex, described: yaml.Node, kind: str) -> None:
    container, (start, _) = merged(described), span(described)
    if any(SHARED in scalar.value for value in container.values() for scalar in _scalars(value)):
        return
    scalars = [s for key in COMMANDS if key in container for s in _scalars(container[key])]
    words = [(word, scalar) for scalar in scalars for word in words_of(scalar.value)]
    workers = workers_of([word for word, _ in words])
    is_open = any("$" in word for word, _ in words)
    before = ["", *(word for word, _ in words)]
    for (word, scalar), last in zip(words, before, strict=False):
        is_module = last == "-m" and LAUNCHER.match(word) is None
        script = f"{word.replace('.', '/')}.py" if is_module else word
        if script.endswith(".py") and "$" not in script:
            add_run(
                index,
                span(scalar),
                script,
                workers,
                kind,
                is_open=is_open,
                described=(start, start),
            )


def add_run(
    index: ModuleIndex,
    place: Span,
    script: str,
    workers: int | None,
    kind: str,
    *,
    is_open: bool,
    described: Span | None = None,
) -> None:
    """Add the call that stands for a script in a container.

    `workers` is None where its command does not say how many; `is_open`: more words may say it;
    `described`: where the container is described, if not by its command alone.
    """
    scope = index.body
    given = {"script": script, "workers": workers, "kind": kind, "is_open": is_open}
    arguments = [ex.Argument(place, ex.Constant(place, v), k) for k, v in given.items()]
    if described is not None:
        arguments.append(ex.Argument(described, ex.Constant(described, None), "described"))
    statement = Evaluate(place, ex.Opaque(place), scope.body)
    statement.value = records.add_call(RUN, place, arguments, scope, statement)
    scope.body.statements.append(statement)


def _items(node: yaml.Node) -> list[yaml.Node]:
    return node.value if isinstance(node, yaml.SequenceNode) else []


def _scalars(node: yaml.Node) -> Iterator[yaml.ScalarNode]:
    """The scalars in a node, in order, each once."""
    waiting, seen = [node], {id(node)}
    while waiting:
        part = waiting.pop()
        if isinstance(part, yaml.ScalarNode):
            yield part
        elif isinstance(part, yaml.CollectionNode):
            pairs = (inner if isinstance(inner, tuple) else (inner,) for inner in part.value)
            new = [one for pair in pairs for one in pair if id(one) not in seen]
            seen.update(map(id, new))
            waiting += reversed(new)


def words_of(text: str) -> Iterator[str]:
    """The words of a command, also of one that a shell is given as a whole."""
    try:
        words = shlex.split(text)
    except ValueError:
        return
    for word in words:
        yield from word.split() if " " in word else (word,)


def workers_of(words: list[str]) -> int | None:
    """What a command says of the number of workers; None where it says nothing."""
    for word, following in pairwise([*words, ""]):
        named = _WORKERS.fullmatch(word)
        number = named and (named[1] or following)
        if number and number.isdigit():
            return int(number)
    return None
