"""No rule says the opposite of another about one loader, and no fix brings a new warning."""

from __future__ import annotations

from collections import Counter
from itertools import combinations, product
from pathlib import Path

import pytest

from dlint import rule_docs
from dlint.engine.analyse import analyse
from dlint.engine.request import Request
from dlint.engine.suppress import parted
from dlint.findings.diagnostic import Applicability, Diagnostic, Severity
from dlint.findings.operations import RemoveArgument, SetArgument, SetKey, place_of
from dlint.fixes.apply import fix_all, still_parses
from dlint.rule_docs.examples import Example, examples
from dlint.workspace.kinds import suffixes
from dlint.workspace.reading import Sources
from dlint.workspace.source import UnreadableError

PAGES = sorted((Path(__file__).parent.parent / "rules").glob("*.md"))
ANYONE = frozenset({Applicability.SAFE, Applicability.UNSAFE})
RULES = frozenset(rule_docs.summaries())

OPPOSITE = {
    frozenset(pair)
    for pair in [
        ("missing-persistent-workers", "workers-for-in-memory-data"),
        ("missing-persistent-workers", "loader-in-epoch-loop"),
        ("missing-persistent-workers", "worker-local-state"),
        ("zero-workers", "workers-for-in-memory-data"),
        ("zero-workers", "workers-beyond-cpus"),
        ("missing-pin-memory", "ineffective-pin-memory"),
        ("missing-non-blocking", "non-blocking-to-mps"),
        ("missing-shuffle", "shuffle-in-eval"),
        ("missing-shuffle", "shuffle-with-sampler"),
        ("dropped-eval-samples", "batchnorm-last-batch"),
        ("dropped-eval-samples", "uneven-batch-on-xla"),
    ]
}
"""Rules that would advise one loader to do a thing and to leave it."""


class _Checks:
    """Checks of one folder; the same texts are looked at once."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder
        self._found: dict[tuple[str, ...], list[Diagnostic]] = {}

    def __call__(self, sources: Sources) -> list[Diagnostic]:
        files = tuple(sorted(p for p in self._folder.rglob("*.*") if p.suffix in suffixes()))
        texts = tuple(_text(path, sources) for path in files)
        if texts not in self._found:
            self._found[texts] = _checked(self._folder, files, sources)
        return list(self._found[texts])


class _Apart:
    """Checks of programs of a file each; those that have changed are looked at together."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder
        self._files = tuple(sorted(folder.rglob("*.py")))
        self._texts: dict[Path, str] = {}
        self._found: dict[Path, list[Diagnostic]] = {}

    def __call__(self, sources: Sources) -> list[Diagnostic]:
        texts = {path: _text(path, sources) for path in self._files}
        changed = tuple(path for path in self._files if self._texts.get(path) != texts[path])
        self._texts = texts
        self._found.update({path: [] for path in changed})
        for diagnostic in _checked(self._folder, changed, sources) if changed else ():
            self._found[Path(diagnostic.place.path)].append(diagnostic)
        return [diagnostic for path in self._files for diagnostic in self._found[path]]


def _checked(folder: Path, files: tuple[Path, ...], sources: Sources) -> list[Diagnostic]:
    request = Request(folder, files, frozenset(map(str, files)), RULES)
    found = analyse(request, sources).diagnostics
    return parted(found, request.reported, lambda path: request.rules, sources).kept


def _text(path: Path, sources: Sources) -> str:
    try:
        return sources.get(str(path)).text
    except UnreadableError as error:
        return str(error)


def _write(folder: Path, files: dict[str, str]) -> None:
    for title, text in files.items():
        path = folder / title
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, "utf-8")


def _shown(found: list[Diagnostic]) -> Counter[str]:
    return Counter(d.name for d in found if d.severity is not Severity.INFO)


def _clashes(found: list[Diagnostic]) -> list[str]:
    """Pairs of findings at one place that want opposite things, by their names or their fixes."""
    clashes = []
    for one, other in combinations(found, 2):
        if frozenset({one.name, other.name}) in OPPOSITE and one.place == other.place:
            clashes.append(f"{one.name} against {other.name}")
        clashes += [
            f"{one.name} and {other.name}: {name}"
            for name, wanted in _wanted(one).items()
            if name in _wanted(other) and _wanted(other)[name] != wanted
        ]
    return clashes


def _wanted(diagnostic: Diagnostic) -> dict[tuple[object, str], str | None]:
    """What a fix gives to each argument of each call; None where it takes it out."""
    wanted: dict[tuple[object, str], str | None] = {}
    for operation in () if diagnostic.fix is None else diagnostic.fix.operations:
        match operation:
            case SetArgument(name=name, value=value) | SetKey(key=name, value=value):
                wanted[place_of(operation), name] = value
            case RemoveArgument(name=name):
                wanted[place_of(operation), name] = None
    return wanted


def _bad() -> list[object]:
    return [
        pytest.param(example, id=f"{page.stem}:{example.line}")
        for page in PAGES
        for example in examples(page.read_text("utf-8"))
        if example.marks
    ]


@pytest.mark.parametrize("example", _bad())
def test_pages_hold_no_contradiction_and_fixes_bring_no_warning(
    example: Example, tmp_path: Path
) -> None:
    _write(tmp_path, dict(example.files))
    check = _Checks(tmp_path)
    before = check(Sources())
    assert _clashes(before) == []
    fixed = fix_all(check, Sources(), ANYONE)
    for path, text in fixed.texts.items():
        assert still_parses(Sources().get(path), text)
    assert _shown(fixed.remaining) - _shown(before) == Counter()
    assert _clashes(fixed.remaining) == []


DATA = {
    "unknown": "data",
    "in memory": "TensorDataset(x, y)",
    "images": 'ImageFolder("train", ToTensor())',
    "digits": 'MNIST("digits", transform=ToTensor())',
}
ARGUMENTS = [
    ", num_workers=4",
    ", num_workers=0",
    ", pin_memory=True",
    ", persistent_workers=True",
    ", shuffle=True",
    ", drop_last=True",
]
PROGRAM = """
import torch
from torch.utils.data import DataLoader, TensorDataset
from torchvision.datasets import MNIST, ImageFolder
from torchvision.transforms import ToTensor

def train(data, x, y, model):
    loader = DataLoader({data}, batch_size=64{arguments})
    for epoch in range({epochs}):
        for a, b in loader:
            a = a.cuda()
            model(a, b.cuda()){step}
"""


def _subsets() -> list[str]:
    chosen = [c for n in range(3) for c in combinations(ARGUMENTS, n)]
    return ["".join(c) for c in chosen if not {ARGUMENTS[0], ARGUMENTS[1]} <= set(c)]


@pytest.mark.parametrize("data", DATA.values(), ids=list(DATA))
@pytest.mark.parametrize("step", [".backward()", ".item()"])
def test_rules_that_meet_on_one_loader_agree(data: str, step: str, tmp_path: Path) -> None:
    for number, (arguments, epochs) in enumerate(product(_subsets(), (3, 90))):
        text = PROGRAM.format(data=data, arguments=arguments, epochs=epochs, step=step)
        _write(tmp_path / str(number), {"main.py": text})
    check = _Apart(tmp_path)
    before = check(Sources())
    assert _clashes(before) == []
    fixed = fix_all(check, Sources(), ANYONE)
    assert _clashes(fixed.remaining) == []
    assert all(still_parses(Sources().get(p), text) for p, text in fixed.texts.items())
    assert _shown(fixed.remaining) - _shown(before) == Counter()
