"""MONAI bundles: whether a file gives a reason for a loader without workers.

A dataset that keeps its samples, transforms that put them on a device and a loader of which one
batch is taken have nothing to gain from workers. (monai/data/dataset.py, monai/apps/datasets.py)
"""

from __future__ import annotations

from collections.abc import Iterator

import yaml

from dlint.findings.regexes import lazily
from dlint.frontends.nodes import merged, text_at

_REFERENCE = lazily(r"[@%](\w+(?:(?:#|::)\w+)*)")
_SEPARATOR = lazily("#|::")
_CACHING = lazily(r"Cache|(?:Decathlon|MedNIST|Tcia|CrossValidation)\w*$")
"""Classes that keep their samples unless `cache_rate` is 0."""
_MADE = lazily(r"\btorch\.|\bnp\.|\brand")


def needs_no_workers(given: dict[str, yaml.Node], root: yaml.Node) -> bool:
    """Whether a loader has a dataset that is not certain to read each sample in the loop."""
    scalars = (part for part in _parts(root) if isinstance(part, yaml.ScalarNode))
    loaders = (scalar.value for scalar in scalars if "first(@" in scalar.value)
    found = next(_referred(given.get("dataset"), root), None)
    if found is None or any(loaders):
        return True
    dataset = merged(found)
    target = text_at(dataset, "_target_") or ""
    rate = text_at(dataset, "cache_rate")
    if _CACHING.search(target) and (rate is None or float_of(rate) != 0):
        return True
    if _MADE.search(text_at(dataset, "data") or ""):
        return True
    return any(_places(part, root) for part in _referred(dataset.get("transform"), root))


def float_of(text: str) -> float | None:
    """The number that a text is."""
    try:
        return float(text)
    except ValueError:
        return None


def _referred(node: yaml.Node | None, root: yaml.Node) -> Iterator[yaml.Node]:
    """The nodes that a node stands for: itself, or those that its text names."""
    if not isinstance(node, yaml.ScalarNode):
        if node is not None:
            yield node
        return
    for path in _REFERENCE.findall(node.value):
        part: yaml.Node | None = root
        for name in _SEPARATOR.split(path):
            part = None if part is None else merged(part).get(name)
        if part is not None:
            yield part


def _places(node: yaml.Node, root: yaml.Node) -> bool:
    """Whether some transform is given a device, also in what its text refers to."""
    return any("device" in merged(part) for part in _parts(node, root))


def _parts(node: yaml.Node, root: yaml.Node | None = None) -> Iterator[yaml.Node]:
    """A node and all below it, each once; with a root also those that a text refers to."""
    waiting, seen = [node], {id(node)}
    while waiting:
        part = waiting.pop()
        yield part
        if isinstance(part, yaml.ScalarNode):
            inner = [] if root is None else [*_referred(part, root)]
        else:
            inner = part.value if isinstance(part, yaml.SequenceNode) else [*merged(part).values()]
        for one in inner:
            if id(one) not in seen:
                seen.add(id(one))
                waiting.append(one)
