"""One page with pictures that opens from disk and loads nothing."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from html import escape
from typing import Any

from dlint.verify.judge.results import Outcome, Result
from dlint.verify.judge.tuned import Tuning
from dlint.verify.plan.claims import Observable
from dlint.verify.report import pictures, tuned, words
from dlint.verify.report.json import fix as fix_data

STYLE = """
:root { color-scheme: light dark; --ink: #1a1a1a; --paper: #fff; --soft: #8882; }
@media (prefers-color-scheme: dark) { :root { --ink: #eee; --paper: #161616; } }
body { font: 15px/1.5 system-ui, sans-serif; color: var(--ink); background: var(--paper);
  max-width: 64rem; margin: 2rem auto; padding: 0 1rem; }
h1 { overflow-wrap: anywhere; } h2 { margin: 2rem 0 .3rem; font-size: 1.2rem; }
table { border-collapse: collapse; width: 100%; font-variant-numeric: tabular-nums; }
th, td { text-align: left; padding: .3rem .6rem; border-bottom: 1px solid var(--soft); }
td { overflow-wrap: anywhere; } .environment td:first-child { width: 12rem; opacity: .8; }
.pictures { display: grid; grid-template-columns: repeat(auto-fill, minmax(min(100%, 26rem), 1fr));
  gap: 1rem; margin: 1rem 0; }
figure { margin: 0; } svg { display: block; width: 100%; background: var(--soft); }
figcaption, .remark { font-size: .85rem; opacity: .8; overflow-wrap: anywhere; }
ul { padding-left: 1.2rem; } .wide { overflow-x: auto; } .wide td { overflow-wrap: normal; }
.verdict { padding: .05rem .5rem; border-radius: .6rem; background: var(--soft); }
.confirmed, .mends-crash, .mends-fault { background: #1e8e3e33; }
.slower, .changes-results, .failed { background: #d9302533; }
.key-before { color: #d9730d; } .key-after { color: #1a73e8; }
text { font-size: 11px; fill: currentColor; }
.before { fill: #d9730d; fill-opacity: .55; } .after { fill: #1a73e8; fill-opacity: .55; }
.before-line, .after-line { fill: none; stroke-width: 2; }
.before-line { stroke: #d9730d; } .after-line { stroke: #1a73e8; }
.band { fill: #1a73e8; fill-opacity: .15; } .rule { stroke: currentColor; stroke-dasharray: 4; }
.wait { fill: #8a4b08; } .work { fill: #8886; }
pre { overflow-x: auto; background: var(--soft); padding: .6rem; }
.answer { font-size: 1.25rem; font-weight: 600; margin: .5rem 0; }
.bar { display: flex; height: 2rem; border-radius: .3rem; overflow: hidden;
  background: var(--soft); }
.bar span { display: block; min-width: 1px; }
.key { display: flex; flex-wrap: wrap; gap: .2rem 1rem; padding: 0; margin: .4rem 0 1rem;
  list-style: none; font-size: .85rem; }
.key i { display: inline-block; width: .8rem; height: .8rem; border-radius: .2rem;
  margin-right: .35rem; vertical-align: -.05rem; }
.free { margin-top: .3rem; }
.times td:not(:first-child), .times th:not(:first-child) { text-align: right;
  white-space: nowrap; }
code { overflow-wrap: anywhere; } .settings td:nth-child(3) { white-space: nowrap; }
.diff .added { color: #1e8e3e; } .diff .removed { color: #d93025; }
@media (max-width: 40rem) {
  .results thead { display: none; }
  .results tr { display: block; padding: .5rem 0; border-bottom: 1px solid var(--soft); }
  .results td { display: flex; gap: .6rem; border: 0; padding: .1rem 0; overflow-wrap: anywhere; }
  .results td::before { content: attr(data-name); flex: 0 0 5rem; opacity: .7; }
  .results td:empty { display: none; } .environment td:first-child { width: 8rem; }
  .answer { font-size: 1.1rem; }
  .times { font-size: .8rem; } .times th, .times td { padding: .25rem .2rem; }
}
@media print {
  body { margin: 0; max-width: none; } h2 { break-after: avoid; }
  .bar span, .key i, .verdict, svg { print-color-adjust: exact;
    -webkit-print-color-adjust: exact; }
  figure, .bar, .key { break-inside: avoid; } details, details > * { display: block; }
  details::details-content { content-visibility: visible; height: auto; }
}
"""


_CODE = re.compile(r"`([^`]*)`")
_LINES = {"+": "added", "-": "removed"}


def render(outcome: Outcome) -> str:
    """The page."""
    return "\n".join(_lines(outcome)) + "\n"


def _lines(outcome: Outcome) -> Iterator[str]:
    title = f"dlint verify {escape(outcome.program)}"
    yield "<!doctype html>"
    yield f'<html lang="en"><head><meta charset="utf-8"><title>{title}</title>'
    yield '<meta name="viewport" content="width=device-width">'
    yield f"<style>{STYLE}</style></head><body><h1>{title}</h1>"
    scope = _CODE.sub(r"<code>\1</code>", escape(words.scope(outcome)))
    yield f"<p>{scope}</p>"
    if outcome.tuning is not None:
        yield from _tuning(outcome.tuning)
    yield '<div class="wide"><table class="results"><thead><tr>'
    yield "".join(f"<th>{column}</th>" for column in words.COLUMNS)
    yield "</tr></thead><tbody>"
    for result in outcome.results:
        yield _row(result)
    yield "</tbody></table></div>"
    for result in outcome.results:
        yield from _section(result)
    yield from (f"<p>{escape(note)}</p>" for note in outcome.notes)
    if outcome.not_tried:
        yield "<h2>Not tried</h2><ul>"
        for left in outcome.not_tried:
            place = f"{left.spot.filename}:{left.spot.row}"
            yield f"<li>{escape(left.name)} at {escape(place)}: {escape(left.why)}</li>"
        yield "</ul>"
    yield from _told("Environment", outcome.environment)
    yield from _told("Method", outcome.method)
    yield "</body></html>"


def _tuning(tuning: Tuning) -> Iterator[str]:
    yield f'<p class="answer">{escape(tuned.advice(tuning))}</p>'
    yield "".join(f"<p>{escape(said)}</p>" for said in (*tuning.written, *tuning.ideas))
    yield tuning.lead
    yield '<h2>Settings</h2><div class="wide"><table class="results settings"><thead><tr>'
    yield "".join(f"<th>{column}</th>" for column in tuned.COLUMNS)
    yield "</tr></thead><tbody>"
    for row in tuned.rows(tuning):
        named = zip(tuned.COLUMNS, row, strict=True)
        cells = "".join(f'<td data-name="{name}">{escape(cell)}</td>' for name, cell in named)
        yield f"<tr>{cells}</tr>"
    yield "</tbody></table></div><h2>The best, against the present setting</h2>"


def _told(title: str, given: Mapping[str, Any]) -> Iterator[str]:
    yield f'<h2>{title}</h2><table class="environment"><tbody>'
    for key, value in facts(given):
        yield f"<tr><td>{escape(key)}</td><td>{escape(value)}</td></tr>"
    yield "</tbody></table>"


def facts(given: Mapping[str, Any], above: str = "") -> Iterator[tuple[str, str]]:
    """What is known, one line each, in words."""
    for key, value in given.items():
        name = above + key.replace("_", " ")
        if isinstance(value, Mapping):
            yield from facts(value, f"{name}: ")
        elif isinstance(value, bool):
            yield name, "yes" if value else "no"
        elif isinstance(value, list):
            yield name, ", ".join(map(str, value))
        elif value is not None:
            yield name, str(value)


def _row(result: Result) -> str:
    cells = [escape(cell) for cell in words.row(result)]
    cells[2] = f'<span class="verdict {result.verdict.value}">{cells[2]}</span>'
    named = zip(words.COLUMNS, cells, strict=True)
    row = "".join(f'<td data-name="{name}">{cell}</td>' for name, cell in named)
    return f"<tr>{row}</tr>"


def _section(result: Result) -> Iterator[str]:
    label = words.LABELS[result.verdict]
    badge = f'<span class="verdict {result.verdict.value}">{escape(label)}</span>'
    yield f"<h2>{escape(words.title(result))} {badge}</h2>"
    yield f'<p class="remark">{escape(words.detail(result))}</p>'
    remarks = "".join(f"<li>{escape(remark)}</li>" for remark in words.remarks(result))
    yield f"<ul>{remarks}</ul>" if remarks else ""
    yield from _diff(result.diff)
    if result.measured is not None:
        data = fix_data(result)
        drawn = [pictures.pairs, pictures.steps, pictures.parts]
        if result.candidates[0].observable is Observable.MEMORY:
            drawn.append(pictures.memory)
        yield f'<div class="pictures">{"".join(draw(data) for draw in drawn)}</div>'
    if result.stderr:
        yield f"<pre>{escape(result.stderr[-2000:])}</pre>"


def _diff(text: str) -> Iterator[str]:
    """What was tried, to be opened."""
    if not text:
        return
    yield '<details class="diff"><summary>what was changed</summary><pre>'
    for line in text.splitlines():
        kind = _LINES.get(line[:1]) if line[:3] not in {"+++", "---"} else None
        yield escape(line) if kind is None else f'<span class="{kind}">{escape(line)}</span>'
    yield "</pre></details>"
