"""The arguments of a call given another way: the function is called with the same values."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import libcst as cst

from tests.laws.api import signatures
from tests.laws.facts import Kind, dotted_name
from tests.laws.program import Module, Program
from tests.laws.quiet import has_comment, may_swap
from tests.laws.rewriting import Edits, PerModule

_COMMA = cst.Comma(whitespace_after=cst.SimpleWhitespace(" "))
_NONE = cst.SimpleWhitespace("")


class _Calls(PerModule):
    """Changes the arguments of calls."""

    def edit(self, module: Module, program: Program) -> str | None:
        edits = Edits(module)
        for call in calls(module.tree):
            if not has_comment(call):
                new = self.arguments(call, module, program)
                if new is not None:
                    edits.change(call, _with(call, new))
        return edits.code()

    def arguments(
        self, call: cst.Call, module: Module, program: Program
    ) -> Sequence[cst.Arg] | None:
        """The new arguments; None if they stay."""
        raise NotImplementedError


def _with(call: cst.Call, args: Sequence[cst.Arg]):  # type: ignore[no-untyped-def]
    """A change that gives a call these arguments, with what was changed within them."""
    places = {arg.value: i for i, arg in enumerate(call.args)}

    def change(updated: cst.Call) -> cst.Call:
        new = []
        for i, arg in enumerate(args):
            at = places.get(arg.value)
            value = arg.value if at is None else updated.args[at].value
            comma = _COMMA if i < len(args) - 1 else cst.MaybeSentinel.DEFAULT
            after = _NONE
            new.append(arg.with_changes(value=value, comma=comma, whitespace_after_arg=after))
        return updated.with_changes(args=new, whitespace_before_args=_NONE)

    return change


def calls(tree: cst.CSTNode) -> list[cst.Call]:
    """All calls in a tree."""
    found = []

    class Visitor(cst.CSTVisitor):
        def visit_Call(self, node: cst.Call) -> None:  # noqa: N802
            found.append(node)

    tree.visit(Visitor())
    return found


def _keyword(name: str, value: cst.BaseExpression) -> cst.Arg:
    equal = cst.AssignEqual(whitespace_before=_NONE, whitespace_after=_NONE)
    return cst.Arg(value=value, keyword=cst.Name(name), equal=equal)


def signature(call: cst.Call, module: Module, program: Program) -> tuple[str, ...] | None:
    """The names of the parameters that a call may give by position; None if not known."""
    qualified = module.facts.qualified(call.func)
    if qualified in signatures() and not program.is_own(module, qualified):
        return signatures()[qualified]
    if isinstance(call.func, cst.Name):
        return _own_signature(call.func.value, module, program)
    return None


def _own_signature(name: str, module: Module, program: Program) -> tuple[str, ...] | None:
    """The parameters of the one function or class that the word means in the whole program."""
    if program.is_strange or not program.kinds(name) <= {Kind.FUNCTION, Kind.CLASS, Kind.IMPORT}:
        return None
    found = list(_definitions(name, program))
    if len(found) != 1 or not _reaches(name, module, program, found[0][0]):
        return None
    return _positional(found[0][1])


def _definitions(
    name: str, program: Program
) -> Iterator[tuple[Module, cst.FunctionDef | cst.ClassDef]]:
    for module in program.modules.values():
        for node in module.statements:
            if isinstance(node, cst.FunctionDef | cst.ClassDef) and node.name.value == name:
                yield module, node


def _reaches(name: str, module: Module, program: Program, home: Module) -> bool:
    """Whether the word in a module is the definition of another."""
    if module is home:
        return module.facts.bound[name] <= {Kind.FUNCTION, Kind.CLASS}
    origins = module.facts.imports.get(name, set())
    return any(
        program.imported(module, d.rpartition(".")[0]) == home.path and d.rpartition(".")[2] == name
        for d in origins
    )


def _positional(node: cst.FunctionDef | cst.ClassDef) -> tuple[str, ...] | None:
    if node.decorators:
        return None
    if isinstance(node, cst.FunctionDef):
        parameters = node.params
        return None if parameters.posonly_params else tuple(p.name.value for p in parameters.params)
    inits = [
        i
        for i in node.body.body
        if isinstance(i, cst.FunctionDef) and i.name.value in ("__init__", "__new__")
    ]
    if len(inits) != 1 or node.keywords or inits[0].name.value == "__new__":
        return None
    return (_positional(inits[0]) or ())[1:] or None


def _has_stars(call: cst.Call) -> bool:
    return any(arg.star for arg in call.args)


class KeywordsToPositions(_Calls):
    """Keywords that come next in the signature, given by position; what is left stays."""

    name = "keywords-to-positions"

    def arguments(
        self, call: cst.Call, module: Module, program: Program
    ) -> Sequence[cst.Arg] | None:
        names = signature(call, module, program)
        if names is None or _has_stars(call) or not may_swap(a.value for a in call.args):
            return None
        args = [a for a in call.args if a.keyword is None]
        rest = {a.keyword.value: a for a in call.args if a.keyword is not None}
        for name in names[len(args) :]:
            if name not in rest:
                break
            args.append(cst.Arg(rest.pop(name).value))
        is_changed = len(rest) < sum(a.keyword is not None for a in call.args)
        return [*args, *rest.values()] if is_changed else None


class PositionsToKeywords(_Calls):
    """Every argument by its keyword, also `dataset=`; the order of evaluation stays."""

    name = "positions-to-keywords"

    def arguments(
        self, call: cst.Call, module: Module, program: Program
    ) -> Sequence[cst.Arg] | None:
        names = signature(call, module, program)
        positional = [a for a in call.args if a.keyword is None]
        if names is None or _has_stars(call) or not 0 < len(positional) <= len(names):
            return None
        given = [_keyword(n, a.value) for n, a in zip(names, positional, strict=False)]
        return [*given, *call.args[len(positional) :]]


class KeywordOrder(_Calls):
    """Keywords the other way round, where at most one of them is more than a name.

    For every call: what a function gets by `**` may be in another order, which only a function of
    the program could notice, so its own functions with `**` are left alone.
    """

    name = "keyword-order"

    def arguments(
        self, call: cst.Call, module: Module, program: Program
    ) -> Sequence[cst.Arg] | None:
        keywords = [a for a in call.args if a.keyword is not None]
        if len(keywords) < 2 or _has_stars(call) or not may_swap(a.value for a in keywords):
            return None
        if dotted_name(call.func) in ("dict", "OrderedDict", "print"):
            return None
        return [*(a for a in call.args if a.keyword is None), *reversed(keywords)]


class OptionsInDict(_Calls):
    """`**{"batch_size": 8}` for `batch_size=8`: evaluated at the same place in the same order."""

    name = "options-in-dict"
    keeps_fix = False

    def arguments(
        self, call: cst.Call, module: Module, program: Program
    ) -> Sequence[cst.Arg] | None:
        keywords = [a for a in call.args if a.keyword is not None]
        qualified = module.facts.qualified(call.func) or ""
        if qualified.rpartition(".")[2] not in ("DataLoader", "DistributedSampler"):
            return None
        if not keywords or _has_stars(call):
            return None
        items = [f"{a.keyword.value!r}: None" for a in keywords if a.keyword]
        new = cst.parse_expression("{" + ", ".join(items).replace("'", '"') + "}")
        assert isinstance(new, cst.Dict)
        elements = [
            e.with_changes(value=a.value) for e, a in zip(new.elements, keywords, strict=True)
        ]
        arg = cst.Arg(new.with_changes(elements=elements), star="**")
        return [*(a for a in call.args if a.keyword is None), arg]


class CopiesByPosition(_Calls):
    """`x.to(device, None, True)` and `x.cuda(None, True)` for `non_blocking=True`."""

    name = "copies-by-position"
    keeps_fix = False

    def arguments(
        self, call: cst.Call, module: Module, program: Program
    ) -> Sequence[cst.Arg] | None:
        if not isinstance(call.func, cst.Attribute) or len(call.args) > 2:
            return None
        name = call.func.attr.value
        if name not in ("to", "cuda") or Kind.METHOD in program.kinds(name) or not call.args:
            return None
        *before, last = call.args
        if last.keyword is None or last.keyword.value != "non_blocking":
            return None
        if any(a.keyword is not None or a.star for a in before):
            return None
        if name == "to" and not (len(before) == 1 and _is_device(before[0].value)):
            return None
        fill = [cst.Arg(cst.Name("None"))] if name == "to" or not before else []
        return [*before, *fill, cst.Arg(last.value)]


def _is_device(node: cst.BaseExpression) -> bool:
    """Whether the first argument of `to` is a device, and no dtype or tensor."""
    dotted = dotted_name(node) or ""
    return dotted.endswith("device") or isinstance(node, cst.SimpleString)


ARGUMENTS = (
    KeywordsToPositions(),
    PositionsToKeywords(),
    KeywordOrder(),
    OptionsInDict(),
    CopiesByPosition(),
)
