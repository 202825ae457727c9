"""How each libcst node is written: its fields and tokens in the order of the text."""

from __future__ import annotations

import dataclasses
from collections.abc import Callable, Iterator
from typing import Any, Final, NamedTuple

import libcst as cst

OPERATORS: Final = {
    "Add": "+",
    "BitAnd": "&",
    "BitInvert": "~",
    "BitOr": "|",
    "BitXor": "^",
    "Divide": "/",
    "Equal": "==",
    "FloorDivide": "//",
    "GreaterThan": ">",
    "GreaterThanEqual": ">=",
    "In": "in",
    "Is": "is",
    "IsNot": "is not",
    "LeftShift": "<<",
    "LessThan": "<",
    "LessThanEqual": "<=",
    "MatrixMultiply": "@",
    "Minus": "-",
    "Modulo": "%",
    "Multiply": "*",
    "Not": "not",
    "NotEqual": "!=",
    "NotIn": "not in",
    "Plus": "+",
    "Power": "**",
    "RightShift": ">>",
    "Subtract": "-",
}
"""What Python writes for the operators that libcst has a class for."""

_LAYOUTS: Final = """
Annotation: annotation
AnnAssign: target annotation value
Arg: star keyword value
AsName: as name
Assert: assert test msg
Assign: targets value
AssignEqual: =
AssignTarget: target
Asynchronous: async
Attribute: value attr
AugAssign: target operator value
Await: await expression
BinaryOperation: left operator right
BooleanOperation: left operator right
And: and
Or: or
Break: break
Call: func ( args )
ClassDef: decorators class name type_parameters lpar bases keywords rpar body
Colon: :
CompFor: asynchronous for target in iter ifs inner_for_in
CompIf: if test
Comparison: left comparisons
ComparisonTarget: operator comparator
ConcatenatedString: left right
Continue: continue
Decorator: @ decorator
Del: del target
Dict: { elements }
DictComp: { key value for_in }
DictElement: key value
Element: value
Ellipsis: ...
Else: else body
ExceptHandler: except type name body
ExceptStarHandler: except type name body
Expr: value
Finally: finally body
Float: value
For: asynchronous for target in iter body orelse
FormattedString: start parts end
FormattedStringExpression: { expression equal conversion format_spec }
FormattedStringText: value
From: from item
FunctionDef: decorators asynchronous def name type_parameters params returns body
GeneratorExp: elt for_in
Global: global names
If: if test body orelse
IfExp: body if test else orelse
Imaginary: value
Import: import names
ImportAlias: name asname
ImportFrom: from module import names rpar
ImportStar: *
IndentedBlock: body
Index: star value
Integer: value
Lambda: lambda params body
LeftParen: (
LazyImport: lazy import names
LazyImportFrom: lazy from module import names rpar
List: [ elements ]
ListComp: [ elt for_in ]
Match: match subject cases
MatchAs: pattern as name
MatchCase: case pattern guard body
MatchClass: cls ( patterns kwds )
MatchKeywordElement: key pattern
MatchList: lbracket patterns rbracket
MatchMapping: { elements rest }
MatchMappingElement: key pattern
MatchOr: patterns
MatchOrElement: pattern
MatchSequenceElement: value
MatchSingleton: value
MatchStar: * name
MatchTuple: patterns
MatchValue: value
Module: body
Name: value
NameItem: name
NamedExpr: target value
Nonlocal: nonlocal names
Param: star name annotation default
ParamSpec: ** name
Parameters: posonly_params params star_arg kwonly_params star_kwarg
Pass: pass
Raise: raise exc cause
Return: return value
RightParen: )
LeftSquareBracket: [
RightSquareBracket: ]
Set: { elements }
SetComp: { elt for_in }
SimpleStatementLine: body
SimpleStatementSuite: body
SimpleString: value
Slice: lower first_colon upper second_colon step
StarredDictComp: { ** value for_in }
StarredDictElement: ** value
StarredElement: * value
Subscript: value [ slice ]
SubscriptElement: slice
TemplatedString: start parts end
TemplatedStringExpression: { expression equal conversion format_spec }
TemplatedStringText: value
Try: try body handlers orelse finalbody
TryStar: try body handlers orelse finalbody
Tuple: elements
TypeAlias: type name type_parameters value
TypeParam: param default
TypeParameters: [ params ]
TypeVar: name bound
TypeVarTuple: * name
UnaryOperation: operator expression
While: while test body orelse
With: asynchronous with lpar items rpar body
WithItem: item asname
Yield: yield value
"""
"""A class, then its fields and, where a word is no field of it, the tokens it is written with."""


_SINGLE_PARENTHESIS: Final = ("ClassDef", "ImportFrom", "LazyImportFrom", "With")


Step = tuple[bool, str]
"""Is it a field, and its name or the token itself."""


class Layout(NamedTuple):
    """One class of nodes."""

    enclosed: bool
    """Whether its nodes may stand in any number of parentheses."""
    steps: tuple[Step, ...]


def _layouts() -> dict[type, Layout]:
    lines = dict(line.split(": ", 1) for line in _LAYOUTS.strip().splitlines())
    lines.update(OPERATORS)
    lines.update({f"{name}Assign": f"{token}=" for name, token in OPERATORS.items()})
    kinds = {name: getattr(cst, name, None) for name in lines}
    return {kind: _layout(kind, lines[name]) for name, kind in kinds.items() if kind is not None}


def _layout(kind: type[cst.CSTNode], line: str) -> Layout:
    fields = {field.name for field in dataclasses.fields(kind)}
    steps = tuple([(word in fields, word) for word in line.split()])
    return Layout("lpar" in fields and kind.__name__ not in _SINGLE_PARENTHESIS, steps)


LAYOUTS: Final = _layouts()
"""By class; one that this libcst does not have is left out."""


def _function(node: cst.FunctionDef) -> tuple[Step, ...]:
    steps = LAYOUTS[cst.FunctionDef].steps
    return steps if node.returns is None else (*steps[:-2], (False, "->"), *steps[-2:])


def _tuple(node: cst.Tuple) -> tuple[Step, ...]:
    trailing = node.elements and isinstance(node.elements[-1].comma, cst.Comma)
    return ((True, "elements"), (False, "," if trailing else ""))


def _capture(node: cst.MatchAs) -> tuple[Step, ...]:
    name = (False, "_") if node.name is None else (True, "name")
    return (name,) if node.pattern is None else ((True, "pattern"), (False, "as"), name)


def _capture_rest(node: cst.MatchStar) -> tuple[Step, ...]:
    return ((False, "*"), (False, "_") if node.name is None else (True, "name"))


VARIABLE_LAYOUTS: Final[dict[type, Callable[[Any], tuple[Step, ...]]]] = {
    cst.FunctionDef: _function,
    cst.Tuple: _tuple,
    cst.MatchAs: _capture,
    cst.MatchStar: _capture_rest,
}
"""Classes whose steps depend on the node."""


def children(node: cst.CSTNode) -> Iterator[cst.CSTNode]:
    """The parts of a node in the order of the text, blanks and most punctuation left out."""
    for is_field, name in LAYOUTS[type(node)].steps:
        part = getattr(node, name) if is_field else None
        for child in part if isinstance(part, list | tuple) else (part,):
            if type(child) in LAYOUTS:
                yield child
