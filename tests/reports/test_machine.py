"""The formats that other programs read."""

from __future__ import annotations

import gzip
import json
import random
from pathlib import Path
from typing import Any, get_args

import jsonschema
import pytest

from dlint.findings.diagnostic import Applicability, Diagnostic, Fix
from dlint.findings.links import SITE, rule_page
from dlint.findings.places import Place
from dlint.reports import FORMATS, github, load, sarif, sarif_limits, statistics, summary
from dlint.reports import json as json_report
from dlint.workspace.reading import Sources
from dlint.workspace.settings_table import OutputFormat
from dlint.workspace.source import Source

# The schema of the standard, as the sarif-sdk project (MIT licence) ships it.
SCHEMA = Path(__file__).parent.parent / "data/sarif-2.1.0.schema.json"


def test_json(finder: Any, pinning: Diagnostic) -> None:
    (found,) = json.loads(json_report.render(finder.view(), [pinning]))
    train = "/work dir/project/train.py"
    point = {"row": 3, "column": 43}
    assert list(found) == [
        "code",
        "name",
        "severity",
        "message",
        "filename",
        "location",
        "end_location",
        "cell",
        "argument",
        "url",
        "related",
        "fix",
        "measure",
        "measured",
        "measure_by",
    ]
    assert found == {
        "code": "DLT101",
        "name": "missing-pin-memory",
        "severity": "warning",
        "message": "batches are copied from pageable memory",
        "filename": train,
        "location": {"row": 3, "column": 10},
        "end_location": {"row": 3, "column": 44},
        "cell": None,
        "argument": None,
        "url": rule_page("missing-pin-memory"),
        "related": [
            {
                "filename": train,
                "cell": None,
                "location": {"row": 7, "column": 17},
                "message": "copied here",
            }
        ],
        "fix": {
            "applicability": "safe",
            "message": "Pin",
            "edits": [
                {
                    "filename": train,
                    "cell": None,
                    "content": ", pin_memory=True",
                    "location": point,
                    "end_location": point,
                }
            ],
        },
        "measure": None,
        "measured": [],
        "measure_by": [],
    }


def test_json_says_which_argument_is_at_fault(finder: Any, pinning: Diagnostic) -> None:
    argument = pinning.place._replace(start=pinning.place.end - 2, end=pinning.place.end - 1)
    (found,) = json.loads(json_report.render(finder.view(), [pinning._replace(argument=argument)]))
    row, column = found["end_location"]["row"], found["end_location"]["column"]
    assert found["argument"] == {
        "cell": None,
        "location": {"row": row, "column": column - 2},
        "end_location": {"row": row, "column": column - 1},
    }


def test_json_without_findings_is_an_empty_array(finder: Any) -> None:
    assert json_report.render(finder.view(), []) == "[]\n"


def test_json_holds_unsafe_fixes_too_and_null_where_there_is_none(
    finder: Any, blocking: Diagnostic, eager: Diagnostic
) -> None:
    unsafe, without = json.loads(json_report.render(finder.view(), [blocking, eager]))
    assert unsafe["fix"]["applicability"] == "unsafe"
    assert without["fix"] is None


def test_github(finder: Any, pinning: Diagnostic, blocking: Diagnostic, eager: Diagnostic) -> None:
    train, data = "/work dir/project/train.py", "/work dir/project/pkg/data.py"
    assert github.render(finder.view(), [pinning, blocking, eager]).splitlines() == [
        (
            f"::warning title=dlint (DLT101 missing-pin-memory),file={train},line=3,endLine=3,"
            "col=10,endColumn=44::train.py:3:10: DLT101 batches are copied from pageable memory"
            "%0A  train.py:7:17: copied here%0A  help: Pin"
        ),
        (
            f"::error title=dlint (DLT301 missing-non-blocking),file={train},line=7,endLine=7,"
            "col=17,endColumn=29::train.py:7:17: DLT301 the copy blocks: 100%25, really"
            "%0A  help: Do not block"
        ),
        (
            f"::notice title=dlint (DLT401 eager-load-in-init),file={data},line=3,endLine=3,col=18,"
            "endColumn=24::pkg/data.py:3:18: DLT401 reads everything at once"
            "%0A  train.py:6:18: iterated here"
        ),
    ]


def test_github_escapes_names_of_files(pinning: Diagnostic, finder: Any) -> None:
    odd = "/a,b:c%.py"
    view = finder.view()
    view.sources = Sources({odd: Source(odd, "x\ny\n")})
    found = pinning._replace(place=Place(odd, 0, 3), related=(), fix=None)
    text = github.render(view, [found])
    assert "file=/a%2Cb%3Ac%25.py,line=1,endLine=2::/a,b:c%25.py:1:1" in text


def _sarif(finder: Any, found: list[Diagnostic]) -> Any:
    log = json.loads(sarif.render(finder.view(), found))
    jsonschema.validate(log, json.loads(SCHEMA.read_text("utf-8")))
    return log["runs"][0]


def test_sarif_is_valid_and_tells_all(
    finder: Any, pinning: Diagnostic, blocking: Diagnostic, eager: Diagnostic
) -> None:
    run = _sarif(finder, [pinning, blocking, eager])
    assert run["tool"]["driver"]["name"] == "dlint"
    assert [rule["id"] for rule in run["tool"]["driver"]["rules"]] == ["DLT101", "DLT301", "DLT401"]
    assert run["tool"]["driver"]["informationUri"] == SITE
    helps = [rule["helpUri"] for rule in run["tool"]["driver"]["rules"]]
    assert helps == [rule_page(found.name) for found in (pinning, blocking, eager)]
    assert "## What it does" in run["tool"]["driver"]["rules"][0]["help"]["markdown"]
    first, _second, third = run["results"]
    assert first["ruleId"] == "DLT101"
    assert [r["level"] for r in run["results"]] == ["warning", "error", "note"]
    assert first["locations"][0]["physicalLocation"] == {
        "artifactLocation": {"uri": "train.py", "uriBaseId": "%SRCROOT%"},
        "region": {"startLine": 3, "startColumn": 10, "endLine": 3, "endColumn": 44},
    }
    assert first["relatedLocations"][0]["message"]["text"] == "copied here"
    (change,) = first["fixes"][0]["artifactChanges"]
    assert change["replacements"][0]["insertedContent"]["text"] == ", pin_memory=True"
    assert third["relatedLocations"][0]["physicalLocation"]["artifactLocation"]["uri"] == "train.py"
    assert "fixes" not in third


def test_sarif_marks_fixes(finder: Any, pinning: Diagnostic, blocking: Diagnostic) -> None:
    trial = pinning._replace(fix=Fix(Applicability.TRIAL, "Try", pinning.fix.operations))  # type: ignore[union-attr]
    safe, unsafe, tried = _sarif(finder, [pinning, blocking, trial])["results"]
    (fix,) = safe["fixes"]
    assert fix["properties"] == {"applicability": "safe"}
    assert fix["description"] == {"text": "Pin"}
    (fix,) = unsafe["fixes"]
    assert fix["properties"] == {"applicability": "unsafe"}
    assert fix["description"]["text"].startswith("Do not block (unsafe fix")
    assert "fixes" not in tried


def test_sarif_messages_hold_no_links(finder: Any, eager: Diagnostic) -> None:
    found = eager._replace(message="`x[0]` [see](https://e.x) [[a](1)", related=())
    (result,) = _sarif(finder, [found])["results"]
    assert result["message"]["text"] == "`x[0]` \\[see](https://e.x) [\\[a](1)"


def test_sarif_rules_are_told_for_github(finder: Any, pinning: Diagnostic) -> None:
    (rule,) = _sarif(finder, [pinning])["tool"]["driver"]["rules"]
    assert len(rule["fullDescription"]["text"]) <= 1024
    assert len(rule["name"]) <= 255
    assert rule["properties"]["tags"] == ["throughput"]


def test_sarif_is_cut_where_github_would_refuse_it(
    finder: Any, pinning: Diagnostic, blocking: Diagnostic, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(sarif_limits, "MOST_RESULTS", 3)
    view = finder.view()
    found = [pinning, pinning, pinning, blocking]
    log = json.loads(sarif.render(view, found))
    jsonschema.validate(log, json.loads(SCHEMA.read_text("utf-8")))
    (run,) = log["runs"]
    assert [r["ruleId"] for r in run["results"]] == ["DLT101", "DLT101", "DLT301"]
    (notice,) = run["invocations"][0]["toolExecutionNotifications"]
    assert notice["message"]["text"].startswith("1 of 4 findings are left out")
    assert view.notes == [f"warning: {notice['message']['text']}"]
    jsonschema.validate(
        json.loads(sarif.render(view, found)), json.loads(SCHEMA.read_text("utf-8"))
    )


def test_sarif_is_cut_by_its_size_when_compressed(
    finder: Any, pinning: Diagnostic, monkeypatch: pytest.MonkeyPatch
) -> None:
    found = [pinning._replace(message=random.Random(n).randbytes(900).hex()) for n in range(8)]
    whole = sarif.render(finder.view(), found)
    monkeypatch.setattr(sarif_limits, "MOST_BYTES", len(gzip.compress(whole.encode())) - 20)
    view = finder.view()
    assert len(json.loads(sarif.render(view, found))["runs"][0]["results"]) == 4
    assert view.notes[0].startswith("warning: 4 of 8 findings are left out")


def test_sarif_tells_no_more_places_than_github_takes(
    finder: Any, pinning: Diagnostic, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(sarif_limits, "MOST_LOCATIONS", 3)
    found = pinning._replace(related=pinning.related * 5)
    (result,) = _sarif(finder, [found])["results"]
    assert len(result["locations"] + result["relatedLocations"]) == 3


def test_sarif_without_findings_is_valid(finder: Any) -> None:
    assert _sarif(finder, [])["results"] == []


def test_sarif_paths_are_relative_to_the_repository_and_quoted(
    tmp_path: Path, finder: Any, eager: Diagnostic
) -> None:
    (tmp_path / ".git").mkdir()
    (tmp_path / "sub").mkdir()
    path = str(tmp_path / "sub/a b.py")
    finder.sources = Sources({path: Source(path, "x")})
    found = eager._replace(place=Place(path, 0, 1), related=())
    view = finder.view()
    view.directory = tmp_path / "sub"
    run = json.loads(sarif.render(view, [found]))["runs"][0]
    artifact = run["results"][0]["locations"][0]["physicalLocation"]["artifactLocation"]
    assert artifact == {"uri": "sub/a%20b.py", "uriBaseId": "%SRCROOT%"}


def test_sarif_path_outside_of_the_repository(finder: Any, eager: Diagnostic) -> None:
    path = "/elsewhere/a.py"
    finder.sources = Sources({path: Source(path, "x")})
    run = _sarif(finder, [eager._replace(place=Place(path, 0, 1), related=())])
    location = run["results"][0]["locations"][0]["physicalLocation"]
    assert location["artifactLocation"] == {"uri": "file:///elsewhere/a.py"}


def _fingerprints(finder: Any, pinning: Diagnostic, text: str, count: int = 1) -> list[str]:
    path = pinning.place.path
    finder.sources = Sources({path: Source(path, text)})
    found = []
    start = -1
    for _ in range(count):
        start = text.index("DataLoader(", start + 1)
        place = Place(path, start, start + 10)
        found.append(pinning._replace(place=place, related=(), fix=None))
    results = _sarif(finder, found)["results"]
    return [r["partialFingerprints"]["primaryLocationLineHash"] for r in results]


def test_fingerprints_stay_when_lines_move_and_indentation_changes(
    finder: Any, pinning: Diagnostic
) -> None:
    before = _fingerprints(finder, pinning, "x = DataLoader(ds)\n")
    after = _fingerprints(finder, pinning, "import torch\n\nif a:\n    x  =  DataLoader(ds)\n")
    assert before == after
    assert before != _fingerprints(finder, pinning, "y = DataLoader(ds)\n")


def test_equal_lines_have_fingerprints_of_their_own(finder: Any, pinning: Diagnostic) -> None:
    text = "x = DataLoader(ds)\nx = DataLoader(ds)\n"
    assert len(set(_fingerprints(finder, pinning, text, count=2))) == 2


def test_every_format_can_be_loaded(finder: Any, pinning: Diagnostic) -> None:
    for name in FORMATS:
        text = load(name)(finder.view(), [pinning])
        assert "DLT101" in text or pinning.name in text


def test_settings_and_flags_know_the_same_formats() -> None:
    assert get_args(OutputFormat) == FORMATS


def test_statistics(finder: Any, pinning: Diagnostic, blocking: Diagnostic) -> None:
    found = [blocking, pinning, pinning._replace(fix=None), pinning]
    assert statistics.render(finder.view(), found, as_json=False) == (
        "3  DLT101  [-]  missing-pin-memory\n1  DLT301  [ ]  missing-non-blocking\n"
    )
    assert json.loads(statistics.render(finder.view(), found, as_json=True))[0] == {
        "count": 3,
        "code": "DLT101",
        "name": "missing-pin-memory",
        "fixable": 2,
    }


@pytest.mark.parametrize(
    ("names", "fixed", "unsafe", "expected"),
    [
        (
            ["pinning"],
            0,
            False,
            "Found 1 finding (1 warning).\n[*] 1 fixable with `--fix`.\n",
        ),
        (
            ["pinning", "blocking", "eager", "eager"],
            0,
            False,
            (
                "Found 4 findings (1 error, 1 warning, 2 infos).\n"
                "[*] 1 fixable with `--fix` (1 more with `--fix --unsafe-fixes`).\n"
            ),
        ),
        (
            ["blocking"],
            0,
            False,
            "Found 1 finding (1 error).\n1 fixable with `--fix --unsafe-fixes`.\n",
        ),
        (["blocking"], 0, True, "Found 1 finding (1 error).\n[*] 1 fixable with `--fix`.\n"),
        (
            ["pinning", "pinning", "blocking"],
            0,
            True,
            (
                "Found 3 findings (1 error, 2 warnings).\n"
                "[*] 3 fixable with `--fix` (2 safe, 1 unsafe).\n"
            ),
        ),
        (["eager"], 2, False, "Found 3 findings: 2 fixed, 1 left (1 info).\n"),
        ([], 2, False, "Found 2 findings, fixed all.\n"),
        ([], 1, False, "Found 1 finding, fixed it.\n"),
    ],
)
def test_summary(
    request: pytest.FixtureRequest,
    finder: Any,
    names: list[str],
    fixed: int,
    unsafe: bool,
    expected: str,
) -> None:
    found = [request.getfixturevalue(name) for name in names]
    assert summary.summary(finder.view(unsafe), found, fixed) == expected


def test_names_that_are_no_text_are_told_too(finder: Any, eager: Diagnostic) -> None:
    path = "/work dir/project/\udcff.py"
    finder.sources = Sources({path: Source(path, "x")})
    found = eager._replace(place=Place(path, 0, 1), related=())
    location = _sarif(finder, [found])["results"][0]["locations"][0]["physicalLocation"]
    assert location["artifactLocation"]["uri"] == "%FF.py"
    assert json.loads(json_report.render(finder.view(), [found]))[0]["filename"] == path
