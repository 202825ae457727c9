"""Parts of samples that torch's collate function refuses, whatever they hold.

Question: is a value certainly an object of a type that makes no batch: a path of `pathlib`, a
picture of PIL, a set, an object of a class of the project that derives from nothing? Lattice: what
it is and how many lists lie around it, None for what is not known; values that differ join to None.
Followed: the steps of a backward slice, displays, comprehensions, items, paths that are joined or
listed. Where a parameter is a path by its annotation alone, what `/` or a method of paths gives is
one for certain, for a text has neither. Budget: that of the slice.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING, NamedTuple

from dlint.analyses.backward import Question, Slice
from dlint.analyses.calls import library_callees
from dlint.analyses.control.completions import is_dead
from dlint.analyses.written_arguments import written
from dlint.findings.places import Place
from dlint.ir import expressions as ex
from dlint.ir import walk
from dlint.ir.module import Return
from dlint.library_facts import collation as known
from dlint.semantics.calls import attributes
from dlint.semantics.libraries.declared import is_dataclass
from dlint.semantics.values.values import External

if TYPE_CHECKING:
    from dlint.analyses.context import AnalysisContext
    from dlint.ir.module import Class, Scope
    from dlint.semantics.calls.call_contexts import CallContext


class Refused(NamedTuple):
    """What a value is, as messages call it, or the elements of lists that are `depth` deep."""

    what: str
    depth: int = 0

    def of_depth(self, change: int) -> Refused | None:
        """The same inside or around a list; None outside the outermost one."""
        return None if self.depth + change < 0 else Refused(self.what, self.depth + change)


class RefusedPart(NamedTuple):
    """Where a sample gets a part that is refused, and what it is."""

    place: Place
    what: str


def refused_parts(context: AnalysisContext, method: Scope) -> Iterator[RefusedPart]:
    """The parts that are refused, where each sample that a method returns has one."""
    frame, slice_ = context.solver.root(method), Slice(context, _QUESTION)
    returned = (s for s in walk.statements(method.body) if isinstance(s, Return))
    found = [
        [RefusedPart(Place(method.module.path, *part.span), kind.what) for part, kind in parts]
        for statement in returned
        if statement.value is not None and not is_dead(statement)
        for parts in [list(_refused(slice_, statement.value, frame))]
    ]
    if found and all(found):
        yield from (part for parts in found for part in parts)


def _refused(
    slice_: Slice[Refused | None], sample: ex.Expression, frame: CallContext
) -> Iterator[tuple[ex.Expression, Refused]]:
    whole = ex.unnamed(sample)
    inside: list[ex.Expression]
    if isinstance(whole, ex.Sequence) and whole.kind != "set":
        inside = [item for item in whole.items if not isinstance(item, ex.Starred)]
    elif isinstance(whole, ex.Mapping):
        inside = [value for key, value in whole.items if key is not None]
    else:
        found = slice_.of(sample, frame)
        if found is not None:
            yield sample, found
        return
    for part in inside:
        yield from _refused(slice_, part, frame)


# -- the transfer table

Kind = Refused | None


def _join(found: Sequence[Kind]) -> Kind:
    return found[0] if len(set(found)) == 1 else None


def _of_call(slice_: Slice[Kind], call: ex.Call, frame: CallContext) -> Kind:
    paths, first = library_callees(slice_.context, call), written(call, 0)
    made = {known.REFUSED.get(path) for path in paths}
    what = made.pop() if len(made) == 1 else None
    if what is not None:
        return Refused(what)
    if paths and known.LISTS_AND_TUPLES.issuperset(paths):
        return None if first is None else slice_.of(first, frame)
    return _of_method(slice_, call, frame) or _of_class(slice_.context, call, frame)


def _of_method(slice_: Slice[Kind], call: ex.Call, frame: CallContext) -> Kind:
    """`path.with_suffix(".png")`, `folder.glob("*")`, `image.convert("RGB")`."""
    callee = call.function
    if not isinstance(callee, ex.Attribute):
        return None
    if callee.name in known.KEEPING_PICTURE:
        found = slice_.of(callee.value, frame)
        return found if found == Refused(known.PICTURE) else None
    if callee.name in known.KEEPING_PATH | known.LISTING_PATHS:
        of_path = _is_path(slice_, callee.value, frame)
        return Refused(known.PATH, int(callee.name in known.LISTING_PATHS)) if of_path else None
    return None


def _of_class(context: AnalysisContext, call: ex.Call, frame: CallContext) -> Kind:
    """An object of a class of the project, by its name."""
    classes = {attributes.project_class(value) for value in context.solver.values(call, frame)}
    cls = classes.pop() if len(classes) == 1 else None
    return Refused(f"an object of `{cls.name}`") if cls and _is_plain(context, cls) else None


def _is_plain(context: AnalysisContext, cls: Class) -> bool:
    """Whether a class has nothing of libraries that torch may know how to collate."""
    classes = context.solver.classes
    return (
        classes.is_whole(cls)
        and not classes.externals(cls)
        and classes.method(cls, "__new__") is None
        and all(_is_undecorated(one) for one in classes.ancestors(cls))
    )


def _is_undecorated(cls: Class) -> bool:
    return not cls.decorators or (len(cls.decorators) == 1 and is_dataclass(cls))


def _of_binary(slice_: Slice[Kind], binary: ex.Binary, frame: CallContext) -> Kind:
    """`folder / name`, and lists put together."""
    sides = (binary.left, binary.right)
    if binary.operator == "/":
        return Refused(known.PATH) if any(_is_path(slice_, x, frame) for x in sides) else None
    found = _join([slice_.of(side, frame) for side in sides]) if binary.operator == "+" else None
    return found if found is not None and found.depth else None


def _is_path(slice_: Slice[Kind], expression: ex.Expression, frame: CallContext) -> bool:
    """Whether it is a path, if what annotations say is true."""
    if slice_.of(expression, frame) == Refused(known.PATH):
        return True
    return Slice(slice_.context, _ANNOTATED).of(expression, frame)


def _is_annotated(slice_: Slice[bool], parameter: ex.Parameter, frame: CallContext) -> bool:
    spec = next((s for s in frame.scope.parameters if s.name == parameter.name), None)
    if spec is None or spec.annotation is None:
        return False
    scope = frame.scope.parent or frame.scope
    values = slice_.context.values(spec.annotation, scope)
    return bool(values) and all(
        isinstance(v, External) and known.REFUSED.get(v.path) == known.PATH for v in values
    )


def _of_attribute(slice_: Slice[Kind], part: ex.Attribute, frame: CallContext) -> Kind:
    is_parent = part.name == known.PARENT and _is_path(slice_, part.value, frame)
    return Refused(known.PATH) if is_parent else None


def _of_display(slice_: Slice[Kind], display: ex.Sequence, frame: CallContext) -> Kind:
    if display.kind == "set":
        return Refused(known.SET)
    found = _join([slice_.of(item, frame) for item in display.items]) if display.items else None
    return None if found is None else found.of_depth(1)


def _of_comprehension(slice_: Slice[Kind], made: ex.Comprehension, frame: CallContext) -> Kind:
    if made.kind == "set":
        return Refused(known.SET)
    found = slice_.of(made.element, frame) if made.kind != "dict" else None
    return None if found is None else found.of_depth(1)


def _of_subscript(slice_: Slice[Kind], part: ex.Subscript, frame: CallContext) -> Kind:
    found = slice_.of(part.value, frame)
    if found is None or isinstance(ex.unnamed(part.index), ex.Slice):
        return found
    return found.of_depth(-1)


def _of_element(slice_: Slice[Kind], element: ex.Element, frame: CallContext) -> Kind:
    found = slice_.of(element.iterable, frame)
    return None if found is None else found.of_depth(-1)


_QUESTION: Question[Kind] = Question(
    None,
    _join,
    {
        ex.Call: _of_call,
        ex.Binary: _of_binary,
        ex.Attribute: _of_attribute,
        ex.Sequence: _of_display,
        ex.Comprehension: _of_comprehension,
        ex.Subscript: _of_subscript,
        ex.Element: _of_element,
    },
)
"""What a value is that torch makes no batch of."""

_ANNOTATED: Question[bool] = Question(False, all, {ex.Parameter: _is_annotated})
"""Whether annotations say that a value is a path."""
