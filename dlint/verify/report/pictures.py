"""Pictures of a result as SVG, drawn from the values that the JSON report has too."""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from typing import Any

_WIDTH, _HEIGHT = 460, 150
_LEFT, _BOTTOM = 46, 24
_BINS = 40
_LINE = 14
"""The height of a line of text."""
_TICKS = 4
"""Steps of an axis, about."""
_MOST_RATIOS = 12
_USUAL = 0.98
"""The share of steps that a histogram shows; the others are in its last bar."""
_FAR = 1.0
"""How far behind the pairs an interval is drawn, as a logarithm."""
_KEY = '<b class="key-before">before</b> and <b class="key-after">after</b>'


def pairs(fix: dict[str, Any]) -> str:
    """The speedup of each pair, with the interval as a band and 1x as a line, on a logarithmic
    axis: half as fast lies as far from the line as twice as fast."""
    ratios = fix["samples"]["log_ratios"]
    if not ratios:
        return ""
    known = [math.log(v) for v in (fix["low"], fix["high"]) if v is not None]
    low, high = min([0.0, *ratios, *known]), max([0.0, *ratios, *known])
    low, high = max(low, min(ratios) - _FAR), min(high, max(ratios) + _FAR)
    pad = (high - low) * 0.1 or 0.05
    scale = _Scale(low - pad, high + pad, _HEIGHT - _BOTTOM, 8)
    step = (_WIDTH - _LEFT - 10) / len(ratios)
    body = []
    if len(known) == 2:
        top, bottom = (scale(min(max(v, low - pad), high + pad)) for v in known[::-1])
        body.append(_rect(_LEFT, top, _WIDTH - _LEFT - 10, bottom - top, "band"))
    body.append(_line(_LEFT, scale(0.0), _WIDTH - 10, scale(0.0), "rule"))
    for number, ratio in enumerate(ratios):
        x = _LEFT + step * (number + 0.5)
        body.append(f'<circle cx="{x:.1f}" cy="{scale(ratio):.1f}" r="4" class="after"/>')
    marks = _apart([0.0, *map(math.log, ratio_ticks(low - pad, high + pad))], scale)
    body += [_label(4, scale(v) + 4, f"{math.exp(v):.3g}x") for v in marks]
    return _svg(body, "speedup of each pair of runs; the band is the interval")


def _apart(values: Iterable[float], scale: _Scale) -> list[float]:
    """Values whose labels do not lie on each other; earlier ones count more."""
    kept: list[float] = []
    for value in values:
        if all(abs(scale(value) - scale(other)) >= _LINE for other in kept):
            kept.append(value)
    return kept


def steps(fix: dict[str, Any]) -> str:
    """How long steps took before and after: two histograms on one axis, which ends where a few
    steps are longer; those are counted in its last bin."""
    sides = [fix["samples"][side]["steps"] for side in ("before", "after")]
    if not all(sides):
        return ""
    everything = sorted(1000 * seconds for seconds in sides[0] + sides[1])
    usual = everything[int((len(everything) - 1) * _USUAL)] or everything[-1] or 1e-3
    ticks = round_ticks(usual)
    top = ticks[-1]
    counts = [_histogram([1000 * seconds for seconds in side], top) for side in sides]
    most = max(max(c) for c in counts) or 1.0
    width = (_WIDTH - _LEFT - 10) / _BINS
    body = []
    for name, count in zip(("before", "after"), counts, strict=True):
        for number, value in enumerate(count):
            height = value / most * (_HEIGHT - _BOTTOM - 8)
            x = _LEFT + number * width
            body.append(_rect(x, _HEIGHT - _BOTTOM - height, width - 0.5, height, name))
    longer = sum(value > top for value in everything)
    body += _axis(ticks, "ms")
    ones = "one is" if longer == 1 else "ones are"
    rest = f"; {longer} longer {ones} in the last bar" if longer else ""
    return _svg(body, "time of a step, before and after", f"time of a step, {_KEY}{rest}")


def parts(fix: dict[str, Any]) -> str:
    """What a mean step is made of: waiting for data, and the rest."""
    rows = []
    for side in ("before", "after"):
        sample = fix["samples"][side]
        if not sample["steps"] or not sample["waits"]:
            return ""
        whole = sum(sample["steps"]) / len(sample["steps"])
        rows.append((side, whole, sum(sample["waits"]) / len(sample["steps"])))
    longest = max(whole for _, whole, _ in rows) or 1.0
    body = []
    for number, (side, whole, wait) in enumerate(rows):
        y = 18 + number * 60
        scale = (_WIDTH - _LEFT - 20) / longest
        body.append(_label(2, y + 18, side))
        body.append(_rect(_LEFT, y, min(wait, whole) * scale, 28, "wait"))
        rest = max(0.0, whole - wait) * scale
        body.append(_rect(_LEFT + min(wait, whole) * scale, y, rest, 28, "work"))
        told = f"{whole * 1000:.2f} ms, {wait * 1000:.2f} ms of it waiting"
        body.append(_label(_LEFT, y + 42, told + _device(fix["details"].get(side))))
    return _svg(body, "a mean step: waiting for data (dark), then everything else")


def _device(side: dict[str, Any] | None) -> str:
    """What the device does meanwhile, as its profile says."""
    device = (side or {}).get("device")
    if not device:
        return ""
    copies = device["copying"] / (device["seconds"] or 1.0)
    busy = device["busy"] / (device["seconds"] or 1.0)
    if device["idle"] is None:
        return f" | GPU: copies {copies:.0%} of the time, kernels were not seen"
    idle = device["idle"]
    return f" | GPU: copies {copies:.0%} of the time, kernels {busy:.0%}, no kernel {idle:.0%}"


def memory(fix: dict[str, Any]) -> str:
    """Memory of all processes over a run, before and after."""
    traces = [fix["samples"][side]["memory"] for side in ("before", "after")]
    if not all(len(trace) > 1 for trace in traces):
        return ""
    times = round_ticks(max(trace[-1][0] for trace in traces) or 1.0)
    longest = times[-1]
    most = max(total for trace in traces for _, total in trace) or 1
    unit, name_of_unit = (2**30, "GiB") if most >= 2**30 else (2**20, "MiB")
    ticks = round_ticks(most / unit)
    scale = _Scale(0, ticks[-1] * unit, _HEIGHT - _BOTTOM, 8)
    body = []
    for name, trace in zip(("before", "after"), traces, strict=True):
        points = " ".join(
            f"{_LEFT + time / longest * (_WIDTH - _LEFT - 10):.1f},{scale(total):.1f}"
            for time, total in trace
        )
        body.append(f'<polyline points="{points}" class="{name}-line"/>')
    body += [_label(2, scale(v * unit) + 4, f"{v:g} {name_of_unit}") for v in ticks[1:]]
    body += _axis(times, "s")
    caption = "memory of all processes (proportional set size)"
    return _svg(body, caption, f"{caption}, {_KEY}")


def round_ticks(most: float) -> list[float]:
    """From zero to behind `most` in equal steps of one, two or five, and a power of ten."""
    rough = most / _TICKS
    power = 10.0 ** math.floor(math.log10(rough))
    step = next(f * power for f in (1, 2, 5, 10) if f * power >= rough * (1 - 1e-9))
    return [round(n * step, 10) for n in range(math.ceil(most / step - 1e-9) + 1)]


def ratio_ticks(low: float, high: float) -> list[float]:
    """Round ratios between two logarithms, the coarser ones first."""
    found: list[float] = []
    for step in (1.0, 0.5, 0.25, 0.1, 0.05, 0.02, 0.01, 0.005, 0.001):
        first, last = math.ceil(math.exp(low) / step), math.floor(math.exp(high) / step)
        if last - first < _MOST_RATIOS:
            found += [n * step for n in range(max(1, first), last + 1)]
    return found


def _axis(ticks: Sequence[float], unit: str) -> list[str]:
    """Labels below a picture, from its left to its right."""
    body = []
    for tick in ticks:
        x = _LEFT + tick / ticks[-1] * (_WIDTH - _LEFT - 10)
        anchor = "end" if tick == ticks[-1] else "start" if tick == 0 else "middle"
        text = f"{tick:g} {unit}" if tick == ticks[-1] else f"{tick:g}"
        body.append(f'<text x="{x:.1f}" y="{_HEIGHT - 6}" text-anchor="{anchor}">{text}</text>')
    return body


class _Scale:
    def __init__(self, low: float, high: float, bottom: float, top: float) -> None:
        self._low, self._span = low, (high - low) or 1.0
        self._bottom, self._top = bottom, top

    def __call__(self, value: float) -> float:
        return self._bottom - (value - self._low) / self._span * (self._bottom - self._top)


def _histogram(values: Sequence[float], top: float) -> list[float]:
    counts = [0.0] * _BINS
    for value in values:
        counts[min(_BINS - 1, int(value / top * _BINS))] += 1 / len(values)
    return counts


def _rect(x: float, y: float, width: float, height: float, kind: str) -> str:
    return (
        f'<rect x="{x:.1f}" y="{y:.1f}" width="{max(0.0, width):.1f}" '
        f'height="{max(0.0, height):.1f}" class="{kind}"/>'
    )


def _line(x: float, y: float, to_x: float, to_y: float, kind: str) -> str:
    return f'<line x1="{x:.1f}" y1="{y:.1f}" x2="{to_x:.1f}" y2="{to_y:.1f}" class="{kind}"/>'


def _label(x: float, y: float, text: str) -> str:
    return f'<text x="{x:.1f}" y="{y:.1f}">{text}</text>'


def _svg(body: Iterable[str], caption: str, shown: str | None = None) -> str:
    """A picture; `shown` is its caption with marks."""
    return (
        f'<figure><svg viewBox="0 0 {_WIDTH} {_HEIGHT}" role="img" aria-label="{caption}">'
        f"{''.join(body)}</svg><figcaption>{shown or caption}</figcaption></figure>"
    )
