"""Rules of other packages: used like dlint's own, and apart where they are wrong."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

import jsonschema
import pytest

from dlint import rule_docs
from dlint.rule_docs import own
from dlint.testing import cases, check_page
from tests.own_rules.conftest import TRAIN, Install, shown_files

Run = Callable[..., tuple[int, str, str]]
RULE = "loader-without-timeout"
MODULE = "acme_dlint/loader_without_timeout.py"
RULE_PAGE = "acme_dlint/loader-without-timeout.md"
SCHEMA = Path(__file__).parent.parent / "data" / "sarif-2.1.0.schema.json"


_WRONG_PARTS = """
from dlint.own_rules import Finding

def check(context):
    yield Finding("bad", "a message", context.modules)
"""


@pytest.fixture
def acme(install: Install) -> dict[str, str]:
    """The package that the page shows, installed."""
    files = shown_files()
    install(files)
    return files


def _with(files: Mapping[str, str], name: str, old: str, new: str) -> dict[str, str]:
    assert old in files[name]
    return {**files, name: files[name].replace(old, new)}


@pytest.mark.parametrize("selector", [RULE, "ACME001", "acme001", "ACME", "ALL"])
def test_it_is_selected_like_any_other(acme: object, dlint: Run, selector: str) -> None:
    code, out, err = dlint("check", "-q", "--select", selector, "--output-format", "concise")
    assert (code, err) == (1, "")
    assert "train.py:5:12: warning: ACME001 loader-without-timeout a worker that hangs" in out


def test_it_runs_by_default_and_can_be_left_out(acme: object, dlint: Run) -> None:
    assert "ACME001" in dlint("check")[1]
    assert "ACME001" not in dlint("check", "--ignore", "ACME")[1]


def test_a_comment_suppresses_it_by_name_and_by_code(acme: object, dlint: Run) -> None:
    for comment in (f"dlint: ignore[{RULE}]", "noqa: ACME001"):
        Path("train.py").write_text(f"{TRAIN.rstrip()}  # {comment}\n")
        assert dlint("check", "-q", "--select", "ACME,DLT9") == (0, "", "")


def test_its_fix_is_applied(acme: object, dlint: Run) -> None:
    assert dlint("check", "--select", "ACME", "--fix", "--unsafe-fixes")[0] == 0
    assert "num_workers=4, timeout=300)" in Path("train.py").read_text()


def test_it_stands_in_json(acme: object, dlint: Run) -> None:
    (found,) = json.loads(dlint("check", "--select", "ACME", "--output-format", "json")[1])
    assert (found["code"], found["name"], found["url"]) == ("ACME001", RULE, None)
    assert found["fix"]["applicability"] == "unsafe"


def test_it_stands_in_sarif_with_its_page(acme: object, dlint: Run) -> None:
    log = json.loads(dlint("check", "--select", "ACME", "--output-format", "sarif")[1])
    jsonschema.validate(log, json.loads(SCHEMA.read_text("utf-8")))
    (rule,) = log["runs"][0]["tool"]["driver"]["rules"]
    assert rule["id"] == "ACME001"
    assert "Reads of our network drive" in rule["help"]["markdown"]
    assert "helpUri" not in rule


def test_its_page_is_shown(acme: object, dlint: Run) -> None:
    code, out, _ = dlint("rule", "ACME001")
    assert code == 0
    assert out.startswith(f"{RULE} (ACME001)\n")
    assert "package   acme-dlint" in out
    assert "ACME001  loader-without-timeout" in dlint("rule")[1]
    listed = json.loads(dlint("rule", "--output-format", "json")[1])
    assert (listed[-1]["name"], listed[-1]["package"]) == (RULE, "acme-dlint")


def test_its_page_may_have_an_address(install: Install, dlint: Run) -> None:
    url = "https://acme.example/rules"
    install(_with(shown_files(), RULE_PAGE, "claim: none", f"claim: none\nurl: {url}"))
    assert json.loads(dlint("rule", RULE, "--output-format", "json")[1])["url"] == url
    (found,) = json.loads(dlint("check", "--select", "ACME", "--output-format", "json")[1])
    assert found["url"] == url


def test_its_examples_are_held_to(acme: object, tmp_path: Path) -> None:
    check_page(RULE)
    for number, case in enumerate(cases(RULE)):
        case.test(tmp_path / str(number))


@pytest.mark.parametrize(
    ("old", "new", "told"),
    [
        ("    # warning: [loader-without-timeout] unsafe fix\n", "", "findings differ"),
        ("unsafe fix\n", "safe fix\n", "findings differ"),
        ("timeout=300)", "timeout=5)", "after the fix differ"),
        ("timeout=60", "drop_last=True", "findings differ"),
    ],
)
def test_an_example_that_is_wrong_fails(
    install: Install, tmp_path: Path, old: str, new: str, told: str
) -> None:
    install(_with(shown_files(), RULE_PAGE, old, new))
    with pytest.raises(AssertionError, match=told):  # noqa: PT012
        for number, case in enumerate(cases(RULE)):
            case.test(tmp_path / str(number))


@pytest.mark.parametrize(
    ("old", "new", "told"),
    [
        ("## Why it matters", "## Why", "its headings are others"),
        ("# loader-without-timeout\n", "# another\n", "its title is not"),
        ("fix: unsafe", "fix: none", "disagree"),
    ],
)
def test_a_page_that_is_not_whole_fails(install: Install, old: str, new: str, told: str) -> None:
    install(_with(shown_files(), RULE_PAGE, old, new))
    with pytest.raises(AssertionError, match=told):
        check_page(RULE)


def test_a_rule_that_is_not_installed_cannot_be_tested() -> None:
    with pytest.raises(LookupError, match="is the package that brings it installed"):
        cases("no-such-rule")


@pytest.mark.parametrize(
    ("old", "new", "told"),
    [
        ("code: ACME001", "code: DLT101", "its code DLT101 is not letters other than DLT"),
        ("code: ACME001", "code: acme", "its code acme is not letters"),
        ("code: ACME001\n", "", "lacks the key 'code'"),
        ("claim: none", "claim: much", "much is none of throughput, "),
        ("severity: warning", "severity: grave", "'grave' is not a valid Severity"),
        ("code: ACME001", "code: ACME001\naliases: [zero-workers]", "names `zero-workers` (DLT108"),
        ("---\ncode", "code", "front matter"),
    ],
)
def test_a_rule_that_cannot_be_used_is_told_and_the_others_run(
    install: Install, dlint: Run, old: str, new: str, told: str
) -> None:
    install(_with(shown_files(), RULE_PAGE, old, new))
    code, out, err = dlint("check", "--select", "missing-pin-memory", "train.py")
    assert (code, out) == (0, "All checks passed!\n")
    assert err.startswith("warning: the rule `loader-without-timeout` of `acme-dlint` is not used:")
    assert told in err
    assert dlint("rule", "zero-workers")[2] == err
    assert dlint("check", "-q", "--select", "zero-workers")[2] == ""


def test_of_two_packages_with_one_code_the_first_has_it(install: Install, dlint: Run) -> None:
    files = shown_files()
    other = {name.replace("acme_dlint", "acme_two"): text for name, text in files.items()}
    install(other, "acme-two", "acme_two")
    install(files)
    code, out, err = dlint("check", "--select", "ACME", "--output-format", "concise")
    assert code == 1
    assert out.count("ACME001") == 1
    assert (
        "warning: the rule `loader-without-timeout` of `acme-two` is not used: `acme001` names "
        "`loader-without-timeout` (ACME001) of `acme-dlint` already\n"
    ) in err


@pytest.mark.parametrize(
    ("text", "told"),
    [
        ("1 / 0", "ZeroDivisionError: division by zero"),
        ("def check(context):\n    raise SystemExit(3)", "SystemExit: 3"),
        ("def check(context):\n    yield 7", "TypeError: a check yields findings, not int"),
        ("def check(context):\n    return None", "TypeError"),
        ("", "AttributeError: module 'acme_dlint.loader_without_timeout' has no attribute 'check'"),
        (_WRONG_PARTS, "TypeError: a finding takes"),
    ],
)
def test_a_rule_that_fails_is_told_and_ends_nothing(
    install: Install, dlint: Run, text: str, told: str
) -> None:
    install({**shown_files(), MODULE: f"{text}\n"})
    Path("train.py").write_text(TRAIN.replace("num_workers=4", "num_workers=-1"))
    for flags in ((), ("--fix",)):
        code, out, err = dlint("check", *flags)
        assert code == 1
        assert "invalid-loader-arguments" in out
        assert err.count("the rule `loader-without-timeout` of `acme-dlint` failed") == 1
        assert told in err
    assert "Traceback" not in err
    assert "Traceback" in dlint("check", "-v")[2]


def test_what_a_failed_rule_would_have_found_stays_suppressed(install: Install, dlint: Run) -> None:
    install({**shown_files(), MODULE: "1 / 0\n"})
    Path("train.py").write_text(f"{TRAIN.rstrip()}  # dlint: ignore[{RULE}]\n")
    assert dlint("check", "-q", "--select", "ACME,unused-suppression")[:2] == (0, "")


@pytest.mark.parametrize("package", ["acme_missing", "acme_dlint.no_part", "acme_broken"])
def test_a_package_that_cannot_be_read_is_told(install: Install, dlint: Run, package: str) -> None:
    install({"acme_broken.py": "1 / 0\n"}, package=package)
    code, _, err = dlint("check", "--select", "missing-pin-memory", "train.py")
    assert code == 0
    assert "warning: the rules of `acme-dlint` are not used: its entry point `acme`" in err


def test_the_working_directory_brings_no_rules(
    install: Install, site: Path, dlint: Run, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(site)
    install(shown_files())
    assert own.installed().pages == ()


def test_metadata_is_imported_only_where_rules_are_brought(
    site: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setitem(__import__("sys").modules, "importlib.metadata", None)
    (site / "other-1.0.dist-info").mkdir()
    (site / "other-1.0.dist-info" / "entry_points.txt").write_text("[console_scripts]\na = b:c\n")
    assert own.find([str(site)]).pages == ()


def test_a_page_with_a_wrong_fact_can_still_be_shown(install: Install, dlint: Run) -> None:
    install(_with(shown_files(), RULE_PAGE, "category: correctness", "category: ours\nmore: 1"))
    assert dlint("rule", RULE)[0] == 0
    assert dlint("check", "--output-format", "sarif")[0] == 1
    with pytest.raises(ValueError, match="category"):
        check_page(RULE)


def test_dlint_has_no_rules_of_others_without_them() -> None:
    found: Any = rule_docs.catalogue()
    assert not found.own_pages
