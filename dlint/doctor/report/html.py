"""One page with pictures that opens from disk and loads nothing; every figure is of the values."""

from __future__ import annotations

import shlex
from collections.abc import Iterable, Iterator, Mapping, Sequence
from html import escape

from dlint.doctor.report import words
from dlint.doctor.report.words import Row, Values
from dlint.verify.report.html import STYLE, facts

_COLOURS = {
    "waiting": "#c4510c",
    "starting": "#e08e2b",
    "first": "#eab04a",
    "tail": "#f0cd7c",
    "host": "#6b7280",
    "copies": "#7b57c9",
    "compute": "#1f7a4d",
    "synchronisation": "#b0306a",
    "between": "#3b6fb6",
}
_OTHERS = ("#c4510c", "#3b6fb6", "#1f7a4d", "#7b57c9", "#e08e2b", "#b0306a", "#6b7280")
_WIDTH, _HEIGHT = 640, 120


def render(found: Values) -> str:
    """The page."""
    return "\n".join(_lines(found)) + "\n"


def lead(found: Values) -> str:
    """The ceiling and the time line, as the beginning of another page."""
    said = f"<p>{escape(words.answer(found))}</p>"
    return "\n".join([said, *_ceiling(found), *_time_line(found)])


def _lines(found: Values) -> Iterator[str]:
    title = f"dlint doctor {escape(found['program'])}"
    yield "<!doctype html>"
    yield f'<html lang="en"><head><meta charset="utf-8"><title>{title}</title>'
    yield '<meta name="viewport" content="width=device-width">'
    yield f"<style>{STYLE}</style></head><body><h1>{title}</h1>"
    yield f"<p><code>{escape(shlex.join(found['command'][1:]))}</code></p>"
    yield f'<p class="answer">{escape(words.answer(found))}</p>'
    yield from _ceiling(found)
    yield from _time_line(found)
    yield from _fetching(found)
    if (machine := words.machine(found)) is not None:
        yield f"<h2>Machine</h2><p>{escape(machine)}</p>"
    yield from _list("Too little", map(escape, found["tight"]))
    yield from _list("Hazards", (escape(words.hazard(one)) for one in found["hazards"]))
    if found["trial"] is not None:
        trial = f"<code>{escape(found['trial'])}</code>"
        yield from _list("Settings that these figures speak for", [trial])
    if found["tune"] is not None:
        yield from _list(
            "What looks for the best settings", [f"<code>{escape(found['tune'])}</code>"]
        )
    yield from _list("Findings, by what they can bring here", map(_remedy, found["remedies"]))
    if found["failure"] is not None:
        yield f"<h2>Failure</h2><pre>{escape(found['failure'])}</pre>"
    yield from _list("Notes", map(escape, found["notes"]))
    yield f"<p>{escape(words.scope(found))}</p>"
    yield '<h2>Environment</h2><table class="environment"><tbody>'
    for key, value in facts(found["environment"]):
        yield f"<tr><td>{escape(key)}</td><td>{escape(value)}</td></tr>"
    yield "</tbody></table></body></html>"


def _remedy(one: Values) -> str:
    return f"{escape(words.remedy(one))}<br><code>{escape(words.command(one))}</code>"


def _list(title: str, lines: Iterable[str]) -> Iterator[str]:
    items = "".join(f"<li>{line}</li>" for line in lines)
    if items:
        yield f"<h2>{title}</h2><ul>{items}</ul>"


def _ceiling(found: Values) -> Iterator[str]:
    most = found["ceiling"]
    if most is None:
        return
    yield f"<h2>The ceiling: {most['gain']:.2f}x</h2><p>{escape(words.ceiling(found) or '')}</p>"
    yield from (f"<p>{escape(caution)}</p>" for caution in words.cautions(found))
    longest = max(most["now"], most["free"]) or 1.0
    for name, value, kind in (("now", most["now"], "waiting"), ("free", most["free"], "compute")):
        label = f"{'a batch' if name == 'now' else 'if data were free'}: {words.seconds(value)}"
        yield _bar({label: value / longest}, [_COLOURS[kind]], name)


def _time_line(found: Values) -> Iterator[str]:
    if found["step"] is None:
        return
    shares = {name: row["share"] for name, row in found["step"]["stages"].items()}
    shares.update((name, row["share"]) for name, row in found["epoch"]["edges"].items())
    told = {name: share for name, share in shares.items() if share >= words.FELT}
    yield "<h2>Where the time goes</h2>"
    labels = {f"{words.LABELS[name]} {share:.0%}": share for name, share in told.items()}
    yield _bar(labels, [_COLOURS[name] for name in told])
    yield from _table(words.STEP, words.step_rows(found), words.step_remarks(found))
    yield from _table(("an epoch", *words.STEP[1:]), words.epoch_rows(found), ())


def _fetching(found: Values) -> Iterator[str]:
    fetching = found["fetching"]
    if fetching is None:
        return
    yield f"<h2>What a batch costs {escape(words.fetching_title(found))}</h2>"
    whole = sum(row["batch"] for row in fetching["stages"].values()) or 1.0
    parts = {name: row["batch"] / whole for name, row in fetching["stages"].items()}
    labels = {f"{name} {share:.0%}": share for name, share in parts.items()}
    yield _bar(labels, [_OTHERS[n % len(_OTHERS)] for n in range(len(labels))])
    yield from _table(words.FETCHING, words.fetching_rows(found), words.fetching_remarks(found))
    if found["queue"] is not None:
        yield _queue(found["queue"])


def _bar(shares: Mapping[str, float], colours: Sequence[str], kind: str = "") -> str:
    """Shares side by side, and what they are below."""
    parts, keys = [], []
    for (label, share), colour in zip(shares.items(), colours, strict=True):
        parts.append(f'<span style="width:{share:.2%};background:{colour}"></span>')
        keys.append(f'<li><i style="background:{colour}"></i>{escape(label)}</li>')
    told = escape(", ".join(shares))
    return (
        f'<div class="bar {kind}" role="img" aria-label="{told}">{"".join(parts)}</div>'
        f'<ul class="key">{"".join(keys)}</ul>'
    )


def _queue(queue: Values) -> str:
    """How many batches were ready, by step."""
    depths, most = queue["depths"], max(queue["most"], *queue["depths"], 1)
    across = _WIDTH / max(1, len(depths) - 1)
    points = " ".join(
        f"{number * across:.1f},{_HEIGHT - 4 - depth / most * (_HEIGHT - 20):.1f}"
        for number, depth in enumerate(depths)
    )
    caption = f"batches that were ready when one was asked for, of {queue['most']}"
    return (
        f'<figure><svg viewBox="0 0 {_WIDTH} {_HEIGHT}" role="img" aria-label="{caption}">'
        f'<polyline points="{points}" class="after-line"/></svg>'
        f"<figcaption>{caption}</figcaption></figure>"
    )


def _table(head: Row, rows: Iterable[Row], remarks: Iterable[str]) -> Iterator[str]:
    known = words.table(head, rows)
    if not known:
        return
    head, *known = known
    yield '<div class="wide"><table class="times"><thead><tr>'
    yield "".join(f"<th>{escape(cell)}</th>" for cell in head)
    yield "</tr></thead><tbody>"
    for row in known:
        yield f"<tr>{''.join(f'<td>{escape(cell)}</td>' for cell in row)}</tr>"
    yield "</tbody></table></div>"
    told = "".join(f"<li>{escape(remark)}</li>" for remark in remarks)
    yield f'<ul class="remark">{told}</ul>' if told else ""
