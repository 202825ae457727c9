"""What depends on a version of torch is not said where no torch of the project has it."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from pathlib import Path

import pytest

from dlint import rule_docs
from dlint.engine.analyse import analyse
from dlint.engine.request import Request
from dlint.findings.diagnostic import Applicability, Diagnostic, Severity
from dlint.findings.operations import SetArgument, SetKey
from dlint.library_facts.torch_versions import ARGUMENTS, FACTS
from dlint.model.versions.version_specifiers import Admitted, window_of
from dlint.rule_docs.examples import Example
from dlint.workspace.kinds import suffixes
from dlint.workspace.reading import Sources

OLD = "torch==0.2.0\n"
DECLARED = {"requirements.txt": OLD}
STATED = {"README.md": "# Model\n\n1. PyTorch 0.2.0\n"}

LOADER = """
from torch.utils.data import DataLoader

def train(dataset, model):
    loader = DataLoader(dataset, batch_size=64, num_workers=8)
    for epoch in range(90):
        for images, labels in loader:
            model(images, labels).backward()
"""
COPIES = """
from torch.utils.data import DataLoader

def train(dataset, model):
    loader = DataLoader(dataset, batch_size=64, num_workers=8, pin_memory=True)
    for images, labels in loader:
        model(images.cuda(), labels.cuda()).backward()
"""
PLAIN = """
from torch.utils.data import DataLoader
from torchvision.datasets import ImageFolder
from torchvision.transforms import ToTensor

def train(model):
    loader = DataLoader(ImageFolder("images", ToTensor()), batch_size=64)
    for epoch in range(90):
        for images, labels in loader:
            model(images.cuda(), labels.cuda()).backward()
"""
SAMPLER = """
from torch.utils.data import Sampler

class Mine(Sampler):
    def __init__(self, data):
        super().__init__(data)
"""
SIX = "from torch._six import string_classes\nprint(string_classes)\n"
NEXT = """
from torch.utils.data import DataLoader

def first(data):
    return iter(DataLoader(data, 64)).next()
"""
SUBSET = """
from torch.utils.data import Subset

class Mine(Subset):
    def __getitem__(self, index):
        return index
"""
PINNED = LOADER.replace("num_workers=8", "num_workers=8, pin_memory=True")
LASTING = COPIES.replace("pin_memory=True", "persistent_workers=True")
FINDINGS = [
    ("missing-persistent-workers", LOADER, "1.7"),
    ("missing-persistent-workers", PINNED, "1.8"),
    ("missing-pin-memory", LASTING, "1.8"),
    ("missing-non-blocking", COPIES, "0.4"),
    ("removed-api", SAMPLER, "2.10"),
    ("removed-api", SIX, "2.0"),
    ("removed-api", NEXT, "1.13"),
    ("broken-getitems", SUBSET, "2.1"),
]
"""Each rule that says what a version brought, and that version."""


def _check(folder: Path, files: Mapping[str, str], *rules: str) -> list[Diagnostic]:
    for name, text in files.items():
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        (folder / name).write_text(text, "utf-8")
    (folder / ".git").mkdir(exist_ok=True)
    found = tuple(sorted(p for p in folder.rglob("*.*") if p.suffix in suffixes()))
    asked = frozenset(rules or rule_docs.summaries())
    return analyse(Request(folder, found, frozenset(map(str, found)), asked), Sources()).diagnostics


def _before(version: str) -> str:
    major, _, minor = version.partition(".")
    return f"{major}.{int(minor) - 1}" if int(minor) else "1.13"


@pytest.mark.parametrize(("rule", "text", "since"), FINDINGS)
def test_nothing_is_said_where_no_version_has_it(
    rule: str, text: str, since: str, tmp_path: Path
) -> None:
    files = {"main.py": text, "requirements.txt": f"torch=={_before(since)}\n"}
    assert _check(tmp_path, files, rule) == []


@pytest.mark.parametrize(("rule", "text", "since"), FINDINGS)
def test_it_is_information_where_the_readme_speaks_of_older_ones(
    rule: str, text: str, since: str, tmp_path: Path
) -> None:
    (plain,) = _check(tmp_path / "plain", {"main.py": text}, rule)
    readme = f"# Model\n\nNeeds PyTorch {_before(since)}.\n"
    (stated,) = _check(tmp_path / "stated", {"main.py": text, "README.md": readme}, rule)
    assert plain.severity is not Severity.INFO
    assert stated.severity is Severity.INFO
    assert f"README.md:3 speaks of torch {_before(since)}" in stated.message
    assert stated.fix is None or stated.fix.applicability is not Applicability.SAFE


BESIDE = {
    "program.py": "import model.net\n" + LOADER,
    "model/__init__.py": "",
    "model/net.py": "import torch\n",
    "model/requirements.txt": OLD,
}


def test_it_is_information_where_only_a_list_beside_other_code_speaks_of_older_ones(
    tmp_path: Path,
) -> None:
    [found] = _check(tmp_path, BESIDE, "missing-persistent-workers")
    assert found.severity is Severity.INFO
    assert "requirements.txt:1 speaks of torch 0.2" in found.message


@pytest.mark.parametrize(
    "others",
    [
        {"requirements.txt": "numpy\n"},
        {"loss/__init__.py": "", "loss/requirements.txt": "torch==2.4\n"},
        {"program.py": LOADER},
    ],
    ids=["the project lists packages", "two lists", "no code of the program"],
)
def test_a_list_beside_other_code_says_nothing(others: dict[str, str], tmp_path: Path) -> None:
    files = {**BESIDE, **others}
    if "loss/__init__.py" in files:
        files["program.py"] = "import loss\n" + files["program.py"]
    [found] = _check(tmp_path, files, "missing-persistent-workers")
    assert found.severity is Severity.WARNING


@pytest.mark.parametrize(("rule", "text", "since"), FINDINGS)
@pytest.mark.parametrize("where", ["requirements.txt", "README.md"])
def test_it_is_said_where_they_speak_of_that_version(
    rule: str, text: str, since: str, where: str, tmp_path: Path
) -> None:
    plain = _check(tmp_path / "plain", {"main.py": text}, rule)
    (found,) = _check(tmp_path / "said", {"main.py": text, where: f"torch=={since}\n"}, rule)
    assert found.severity is plain[0].severity
    assert "does not hold" not in found.message


def test_a_declaration_outweighs_the_readme(tmp_path: Path) -> None:
    files = {"main.py": LOADER, "requirements.txt": "torch>=1.8\n", **STATED}
    (found,) = _check(tmp_path, files, "missing-persistent-workers")
    assert found.severity is Severity.WARNING


def test_code_outweighs_the_readme(tmp_path: Path) -> None:
    text = LOADER.replace(
        "def train", "import torch\nstep = torch.compile(lambda x: x)\n\ndef train"
    )
    (found,) = _check(tmp_path, {"main.py": text, **STATED}, "missing-persistent-workers")
    assert found.severity is Severity.WARNING


def test_what_some_admitted_versions_lack_is_told(tmp_path: Path) -> None:
    files = {"main.py": LOADER, "requirements.txt": "torch>=1.5.1\n"}
    (found,) = _check(tmp_path, files, "missing-persistent-workers")
    assert found.severity is Severity.WARNING
    assert found.message.endswith("(from torch 1.7 on; this project admits 1.5)")


def test_the_latest_of_several_versions_is_told(tmp_path: Path) -> None:
    files = {"main.py": PINNED, "requirements.txt": "torch>=1.5.1\n"}
    (found,) = _check(tmp_path, files, "missing-persistent-workers")
    assert found.message.endswith("(from torch 1.8 on; this project admits 1.5)")


def test_workers_that_would_crash_with_pinned_batches_are_not_given_with_others(
    tmp_path: Path,
) -> None:
    """In torch 1.7, workers that live on and pinned batches exclude each other."""
    files = {"main.py": PLAIN, "requirements.txt": "torch==1.7.1\n"}
    for version, lasting in (("1.7.1", False), ("1.8.0", True)):
        files["requirements.txt"] = f"torch=={version}\n"
        (found,) = _check(tmp_path, files, "zero-workers")
        given = found.fix.operations if found.fix is not None else ()
        names = {o.name for o in given if isinstance(o, SetArgument)}
        assert "pin_memory" in names
        assert ("persistent_workers" in names) is lasting


def test_code_of_long_ago_in_another_module_counts(tmp_path: Path) -> None:
    step = "def step(loss):\n    loss.backward()\n    return loss.data[0]\n"
    text = "from steps import step\n" + LOADER.replace(
        "model(images, labels).backward()", "step(model(images))"
    )
    started = "\nif __name__ == '__main__':\n    train([], print)\n"
    files = {"main.py": text, "steps.py": step, "other.py": LOADER + started}
    severities = {
        Path(d.place.path).name: d.severity
        for d in _check(tmp_path, files, "missing-persistent-workers")
    }
    assert severities == {"main.py": Severity.INFO, "other.py": Severity.WARNING}


def _pages() -> Iterator[object]:
    for name, summary in rule_docs.summaries().items():
        if summary.package is None:
            marked = [e for e in rule_docs.load(name).examples if e.marks]
            if marked:
                yield pytest.param(marked[0], id=name)


@pytest.mark.parametrize("example", list(_pages()))
def test_no_rule_advises_what_does_not_exist(example: Example, tmp_path: Path) -> None:
    """Over all rules: neither fixes nor messages bring an argument that torch 0.2 has not."""
    text = "".join(example.files.values())
    absent = [a for a, fact in ARGUMENTS.items() if not Admitted((0, 2), (0, 2)).ever(fact)]
    for diagnostic in _check(tmp_path, {**dict(example.files), **DECLARED}):
        operations = () if diagnostic.fix is None else diagnostic.fix.operations
        given = {o.name for o in operations if isinstance(o, SetArgument)}
        given |= {o.key for o in operations if isinstance(o, SetKey)}
        assert not [a for a in absent if a in given and a not in text], diagnostic
        assert not [a for a in absent if f"{a}=" in diagnostic.message and a not in text]


@pytest.mark.parametrize(
    "name", [n for n, s in rule_docs.summaries().items() if s.torch != "all" and s.package is None]
)
def test_a_page_says_in_which_versions_its_rule_holds(name: str, tmp_path: Path) -> None:
    window = window_of(rule_docs.summaries()[name].torch)
    assert window.first is not None
    older = f"torch=={_before('.'.join(map(str, window.first)))}\n"
    for number, example in enumerate(rule_docs.load(name).examples):
        if not all(title.endswith(".py") for title in example.files):
            continue  # it says itself which versions are admitted
        files = {**dict(example.files), "requirements.txt": older}
        assert _check(tmp_path / str(number), files, name) == []


def test_arguments_have_facts() -> None:
    assert set(ARGUMENTS.values()) <= set(FACTS)
