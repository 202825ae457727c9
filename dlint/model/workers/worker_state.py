"""What workers of a loader build up for themselves, and lose when they are shut down."""

from __future__ import annotations

from typing import TYPE_CHECKING

from dlint.model.data.given_datasets import given_datasets
from dlint.semantics.calls import attributes
from dlint.semantics.values.values import UNKNOWN, ClassObject

if TYPE_CHECKING:
    from dlint.ir.module import Class
    from dlint.model.loading.loader import Loader

_MAKING = frozenset({"__init__", "__post_init__", "__new__"})


def may_keep_state(loader: Loader) -> bool:
    """Whether workers may keep something of their own: opened files, caches, what they are set up
    with; also where nothing is known of the data set."""
    if loader.gives("worker_init_fn"):
        return True
    given = list(given_datasets(loader))
    if not given or UNKNOWN in loader.values("dataset"):
        return True
    classes = [cls for value in given if (cls := attributes.project_class(value)) is not None]
    return any(_keeps_state(loader, cls) for cls in classes)


def _keeps_state(loader: Loader, cls: Class) -> bool:
    """Whether a method other than those that make an object writes into it."""
    lineage = loader.context.solver.classes.lineage(cls)
    known = (c.cls for c in lineage if isinstance(c, ClassObject))
    methods = (m for c in known for name, m in c.methods.items() if name not in _MAKING)
    return any(attributes.written_on_self(store) is not None for m in methods for store in m.stores)
