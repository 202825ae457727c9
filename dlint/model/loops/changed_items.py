"""Items of dicts, such as settings, that the code of an epoch may change.

Question: may an epoch write the item under a text that an expression reads? Followed: what the loop
and the functions that it enters write under that text, or under a key that is not seen, in whatever
dict, and methods that change a dict of the same name. Given up on, as written: keys that are no
text, and those that are named for what counts, as of epochs.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from dlint.analyses.control.call_paths import entered_by
from dlint.analyses.control.order import is_inside
from dlint.ir import expressions as ex
from dlint.library_facts.varying import EPOCH_NAME
from dlint.model.loops.batch_loops import calls_in

if TYPE_CHECKING:
    from dlint.analyses.context import AnalysisContext
    from dlint.ir.module import Scope
    from dlint.model.loops.epochs import EpochLoop

_CHANGING = frozenset({"update", "setdefault", "pop", "popitem", "clear", "__setitem__"})


def is_item_written(context: AnalysisContext, epoch: EpochLoop, item: ex.Subscript) -> bool:
    """Whether an epoch may write the item that an expression reads, or this is not known."""
    key, name = _text(item.index), _own_name(item.value)
    if key is None or name is None or EPOCH_NAME.search(key):
        return True
    calls = calls_in(epoch.loop.body)
    entered = {*entered_by(context, calls)}
    if any(_changes(call, name) for call in (*calls, *(c for s in entered for c in s.calls))):
        return True
    return any(_text(index) in (key, None) for index in _written(epoch, entered))


def _written(epoch: EpochLoop, entered: set[Scope]) -> list[ex.Expression]:
    """The keys and indices under which an epoch writes items."""
    stores = [s for s in epoch.scope.stores if is_inside(s.statement, epoch.loop)]
    stores += [store for scope in entered for store in scope.stores]
    targets = [store.target for store in stores]
    return [target.index for target in targets if isinstance(target, ex.Subscript)]


def _changes(call: ex.Call, name: str) -> bool:
    """Whether a call is of a method that changes a dict of this name."""
    callee = call.function
    is_method = isinstance(callee, ex.Attribute) and callee.name in _CHANGING
    return is_method and isinstance(callee, ex.Attribute) and _own_name(callee.value) == name


def _text(key: ex.Expression) -> str | None:
    """A key that is a text as it stands."""
    found = ex.constant(key)
    return found.value if found is not None and isinstance(found.value, str) else None


def _own_name(holder: ex.Expression) -> str | None:
    """The last name of a dict, or of what holds it: `config` of `self.config["data"]`."""
    while isinstance(holder, ex.Subscript):
        holder = holder.value
    return holder.own_name if isinstance(holder, ex.Reference | ex.Attribute) else None
