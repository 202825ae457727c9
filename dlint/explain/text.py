"""An explanation as text, and as data for JSON."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING, Any

from dlint.explain.answer import Verdict, rule_code
from dlint.findings.controls import in_one_line

if TYPE_CHECKING:
    from dlint.explain.answer import Explanation, RuleAnswer
    from dlint.explain.objects import Seen
    from dlint.explain.values import ToldValue
    from dlint.findings.places import Place
    from dlint.reports.view import View

_TOLD = (Verdict.REPORTED, Verdict.HIDDEN, Verdict.FAILED, Verdict.SILENT)
_WIDEST = 70
"""Characters of a line of code that are shown."""


def as_text(found: Explanation, view: View) -> str:
    """What a person reads."""
    lines = [*found.notes, *([""] if found.notes else [])]
    for seen in found.seen:
        lines += [*_object(seen, view), ""]
    if found.rules:
        lines += [*_rules(found.rules, view)]
    if not found.seen:
        lines += _nothing(found, view)
    return "\n".join(map(in_one_line, lines)).rstrip() + "\n"


def _object(seen: Seen, view: View) -> Iterator[str]:
    yield _head(seen, view)
    width = max((len(argument.name) for argument in seen.arguments), default=0)
    for argument in seen.arguments:
        for number, value in enumerate(argument.values):
            name = argument.name if number == 0 else "or"
            yield f"  {name:<{width}}  {_value(value, view)}"
    yield from (f"  {fact}" for fact in seen.facts)
    yield from (f"  {view.where(r.place)}: {r.message}" for r in seen.related)


def _head(seen: Seen, view: View) -> str:
    return f"{view.where(seen.place)}: {seen.kind}  {_line(view, seen.place)}"


def _value(value: ToldValue, view: View) -> str:
    parts = [value.text]
    if value.default_of is not None:
        parts.append(f"by the {value.default_of}")
    if value.place is not None:
        parts.append(f"({view.where(value.place)})")
    text = " ".join(parts)
    if value.why is None:
        return text
    place = None if value.why_place == value.place else value.why_place
    where = "" if place is None else f" ({view.where(place)})"
    return f"{text}: {value.why}{where}"


def _line(view: View, place: Place) -> str:
    """The first line of a place."""
    source = view.source(place.path)
    text = "" if source is None else source.text[place.start : place.end].split("\n")[0].strip()
    return text if len(text) <= _WIDEST else f"{text[: _WIDEST - 1]}…"


def _rules(answers: list[RuleAnswer], view: View) -> Iterator[str]:
    yield "rules"
    for verdict in _TOLD:
        told = (a for a in answers if a.verdict is verdict and (a.reason or a.finding))
        yield from (_rule(answer, view) for answer in told)
    plain = [a.name for a in answers if a.verdict is Verdict.SILENT and not a.reason]
    if plain:
        yield f"  silent    as what they look for is not there: {', '.join(plain)}"
    apart = sum(answer.verdict is Verdict.APART for answer in answers)
    if apart:
        yield f"  {apart} other rules asked nothing about what stands here"


def _rule(answer: RuleAnswer, view: View) -> str:
    head = f"  {answer.verdict:<8}  {answer.name} ({rule_code(answer.name)})"
    off = "" if answer.is_on else " [not selected]"
    if answer.finding is None:
        return f"{head}{off}: {answer.reason}"
    finding = answer.finding
    why = f" [{answer.reason}]" if answer.reason else ""
    where = view.where(finding.place)
    return f"{head}{why}: {finding.severity} at {where}: {finding.message}"


def _nothing(found: Explanation, view: View) -> Iterator[str]:
    yield "no loader, sampler, loop over batches or copy of a batch is seen here"
    if found.others:
        yield "in this file there are:"
    yield from dict.fromkeys(f"  {_head(seen, view)}" for seen in found.others)


# -- JSON


def as_data(found: Explanation, view: View) -> dict[str, Any]:
    """What a program reads."""
    return {
        "notes": found.notes,
        "objects": [_object_data(seen, view) for seen in found.seen],
        "elsewhere": [_head_data(seen, view) for seen in found.others],
        "rules": [_rule_data(answer, view) for answer in found.rules],
    }


def _head_data(seen: Seen, view: View) -> dict[str, Any]:
    return {"kind": seen.kind, **_place(seen.place, view)}


def _object_data(seen: Seen, view: View) -> dict[str, Any]:
    return {
        **_head_data(seen, view),
        "arguments": {
            argument.name: [_value_data(value, view) for value in argument.values]
            for argument in seen.arguments
        },
        "facts": list(seen.facts),
        "related": [{"message": r.message, **_place(r.place, view)} for r in seen.related],
    }


def _value_data(value: ToldValue, view: View) -> dict[str, Any]:
    why = None if value.why is None else {"text": value.why, **_place(value.why_place, view)}
    return {
        "value": value.text,
        "known": value.is_known,
        "default_of": value.default_of,
        **_place(value.place, view),
        "why_unknown": why,
    }


def _rule_data(answer: RuleAnswer, view: View) -> dict[str, Any]:
    finding = answer.finding
    return {
        "code": rule_code(answer.name),
        "name": answer.name,
        "selected": answer.is_on,
        "verdict": str(answer.verdict),
        "reason": answer.reason or None,
        "finding": None
        if finding is None
        else {
            "severity": str(finding.severity),
            "message": finding.message,
            **_place(finding.place, view),
        },
    }


def _place(place: Place | None, view: View) -> dict[str, Any]:
    """A place by its file and position, as `dlint check` gives them."""
    if place is None:
        return {"filename": None, "cell": None, "location": None}
    row, column = view.position(place)
    location = {"row": row, "column": column}
    return {"filename": place.path, "cell": view.cell(place), "location": location}
