"""File names: how the name of a file ends that some code reads.

Question: does the name end so, whichever file it is? Followed: paths that are put together, what a
call gives to a parameter, what the function wrote to an attribute, and what is gone through of a
search by a pattern (`sorted(glob("*.npz"))`). Given up on: names that other functions list.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from dlint.analyses.calls import library_callees
from dlint.analyses.value_parts import origin_of
from dlint.analyses.written_arguments import positional
from dlint.ir import expressions as ex
from dlint.library_facts import readers
from dlint.semantics.values.values import UNKNOWN

if TYPE_CHECKING:
    from dlint.analyses.context import AnalysisContext
    from dlint.semantics.calls.call_contexts import CallContext

_Located = tuple[ex.Expression, "CallContext"]
_STEPS = 20


def is_named(
    context: AnalysisContext, file: ex.Expression | None, suffix: str, frame: CallContext
) -> bool:
    """Whether a file is known to have a name that ends so."""
    found = [] if file is None else context.evaluator.of(*_last(context, (file, frame)))
    names = [getattr(one.value, "value", None) for one in found]
    return bool(names) and all(isinstance(n, str) and n.endswith(suffix) for n in names)


def _last(context: AnalysisContext, path: _Located) -> _Located:
    """The last part of a path that is put together, or of the pattern that its name fits."""
    for _ in range(_STEPS):
        further = _behind(context, origin_of(path[0]), path[1])
        if further is None:
            break
        path = further
    return path


def _behind(context: AnalysisContext, path: ex.Expression, frame: CallContext) -> _Located | None:
    """What the end of a path comes from: by `+`, `/`, formatting, joining, a search, a call.

    A text that is formatted ends as it is written, but for what is put in there.
    """
    match path:
        case ex.Binary(operator="+" | "/"):
            return path.right, frame
        case (
            ex.Binary(operator="%", left=text)
            | ex.Call(name="format", function=ex.Attribute(value=ex.Constant() as text))
        ):
            return text, frame
        case ex.Format(parts=(*_, part)):
            return part, frame
        case ex.Call(arguments=(*_, last)) if _is_one_of(context, path, readers.JOINING_PATHS):
            return last.value, frame
        case ex.Parameter():
            return frame.given(path.name)
        case ex.Element():
            return _pattern(context, path.source, frame)
    return None


def _pattern(
    context: AnalysisContext, listed: ex.Expression, frame: CallContext
) -> _Located | None:
    """The pattern of a search for files, also in order or kept by the object."""
    for _ in range(_STEPS):
        origin = origin_of(listed)
        given = positional(origin) if isinstance(origin, ex.Call) else []
        if isinstance(origin, ex.Call) and given:
            if _is_one_of(context, origin, readers.SEARCHING):
                return given[0], frame
            if _is_one_of(context, origin, readers.ORDERING):
                listed = given[0]
                continue
        kept = [s.value for s in frame.scope.stores if ex.dotted(s.target) == ex.dotted(origin)]
        if not isinstance(origin, ex.Attribute) or len(kept) != 1:
            return None
        listed = kept[0]
    return None


def _is_one_of(context: AnalysisContext, call: ex.Call, known: readers.Naming) -> bool:
    """Whether a call is of one of these functions, or of such a method of no other library."""
    paths = library_callees(context, call)
    if not isinstance(call.function, ex.Attribute) or call.name not in known.methods:
        return bool(paths) and known.functions.issuperset(paths)
    if paths:
        return all(path in known.functions or path.startswith("pathlib.") for path in paths)
    return context.values(call.function, call.scope) <= {UNKNOWN}
