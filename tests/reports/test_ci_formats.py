"""The formats of CI systems: GitLab, JUnit, reviewdog, and JSON by lines.

The shapes are those of the systems' own documents: GitLab's "Code Quality report format", the
schema of Jenkins' xUnit plug-in (junit-10), and reviewdog's `reviewdog.proto`. What they leave
open is closed here, so that a misspelt key fails.
"""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any
from xml.etree import ElementTree as ET

import jsonschema
import pytest

from dlint.findings.diagnostic import Applicability, Diagnostic, Fix, Severity
from dlint.findings.links import rule_page
from dlint.findings.operations import SetArgument
from dlint.findings.places import Place
from dlint.reports import gitlab, json_lines, junit, rdjson
from dlint.reports import json as json_report
from dlint.reports.view import View
from dlint.workspace.reading import Sources
from dlint.workspace.source import Source


def _object(required: dict[str, object], **optional: object) -> dict[str, object]:
    return {
        "type": "object",
        "properties": required | optional,
        "required": list(required),
        "additionalProperties": False,
    }


TEXT = {"type": "string", "minLength": 1}
NUMBER = {"type": "integer", "minimum": 1}
_GITLAB_POINT = _object({"line": NUMBER}, column=NUMBER)
GITLAB = {
    "type": "array",
    "items": _object(
        {
            "description": TEXT,
            "check_name": TEXT,
            "fingerprint": TEXT,
            "severity": {"enum": ["info", "minor", "major", "critical", "blocker"]},
            "location": _object(
                {
                    "path": {"type": "string", "pattern": "^(?!\\./)"},
                    "positions": _object({"begin": _GITLAB_POINT, "end": _GITLAB_POINT}),
                }
            ),
        },
        type={"const": "issue"},
        categories={"type": "array", "items": {"enum": ["Bug Risk", "Performance"]}},
    ),
}
_RANGE = _object({"start": _object({"line": NUMBER, "column": NUMBER})})
_RANGE["properties"]["end"] = _RANGE["properties"]["start"]  # type: ignore[index]
_LOCATION = _object({"path": TEXT, "range": _RANGE})
RDJSON = _object(
    {
        "source": _object({"name": TEXT}, url=TEXT),
        "diagnostics": {
            "type": "array",
            "items": _object(
                {
                    "message": TEXT,
                    "location": _LOCATION,
                    "severity": {"enum": ["ERROR", "WARNING", "INFO"]},
                    "code": _object({"value": TEXT}, url=TEXT),
                },
                suggestions={
                    "type": "array",
                    "items": _object({"range": _RANGE, "text": {"type": "string"}}),
                },
                related_locations={
                    "type": "array",
                    "items": _object({"message": TEXT, "location": _LOCATION}),
                },
            ),
        },
    }
)
JUNIT = {
    "testsuites": ({"name", "tests", "failures", "errors"}, {"testsuite"}),
    "testsuite": ({"name", "tests", "failures", "errors"}, {"testcase"}),
    "testcase": ({"name", "classname"}, {"failure", "system-out"}),
    "failure": ({"type", "message"}, set()),
    "system-out": (set(), set()),
}
"""The attributes and children that an element may have, of those in the schema."""


def _one(path: str, text: str, marked: str, **changes: Any) -> tuple[View, Diagnostic]:
    """A finding at `marked` in a file, and how it is looked at."""
    start = text.index(marked)
    place = Place(path, start, start + len(marked))
    found = Diagnostic("DLT101", "missing-pin-memory", Severity.WARNING, "not pinned", place)
    view = View(Sources({path: Source(path, text)}), Path("/p"), frozenset())
    return view, found._replace(**changes)


def _gitlab(view: View, found: list[Diagnostic]) -> Any:
    report = json.loads(gitlab.render(view, found))
    jsonschema.validate(report, GITLAB)
    return report


def _rdjson(view: View, found: list[Diagnostic]) -> Any:
    report = json.loads(rdjson.render(view, found))
    jsonschema.validate(report, RDJSON)
    return report["diagnostics"]


def _junit(view: View, found: list[Diagnostic]) -> ET.Element:
    text = junit.render(view, found)
    assert text.startswith('<?xml version="1.0" encoding="utf-8"?>\n<testsuites ')
    assert text.isascii()
    root = ET.fromstring(text)
    for element in root.iter():
        attributes, children = JUNIT[element.tag]
        assert set(element.keys()) == attributes
        assert {child.tag for child in element} <= children
    return root


def test_json_lines_are_the_objects_of_json(
    finder: Any, pinning: Diagnostic, eager: Diagnostic
) -> None:
    found = [pinning, eager]
    lines = json_lines.render(finder.view(), found).splitlines()
    assert [json.loads(line) for line in lines] == json.loads(
        json_report.render(finder.view(), found)
    )
    assert json_lines.render(finder.view(), []) == ""


def test_gitlab(finder: Any, pinning: Diagnostic, blocking: Diagnostic, eager: Diagnostic) -> None:
    first, second, third = _gitlab(finder.view(), [pinning, blocking, eager])
    assert first == {
        "type": "issue",
        "check_name": "missing-pin-memory",
        "description": "DLT101 batches are copied from pageable memory",
        "categories": ["Performance"],
        "severity": "minor",
        "fingerprint": first["fingerprint"],
        "location": {
            "path": "train.py",
            "positions": {"begin": {"line": 3, "column": 10}, "end": {"line": 3, "column": 44}},
        },
    }
    assert [second["severity"], third["severity"]] == ["critical", "info"]
    assert _gitlab(finder.view(), []) == []


def test_gitlab_knows_equal_findings_by_different_fingerprints(
    finder: Any, pinning: Diagnostic
) -> None:
    first, second = _gitlab(finder.view(), [pinning, pinning])
    assert first["fingerprint"] != second["fingerprint"]


def test_reviewdog(
    finder: Any, pinning: Diagnostic, blocking: Diagnostic, eager: Diagnostic
) -> None:
    first, second, third = _rdjson(finder.view(), [pinning, blocking, eager])
    point = {"line": 3, "column": 43}
    assert first == {
        "message": "batches are copied from pageable memory",
        "location": {
            "path": "train.py",
            "range": {"start": {"line": 3, "column": 10}, "end": {"line": 3, "column": 44}},
        },
        "severity": "WARNING",
        "code": {"value": "DLT101", "url": rule_page("missing-pin-memory")},
        "related_locations": [
            {
                "message": "copied here",
                "location": {
                    "path": "train.py",
                    "range": {"start": {"line": 7, "column": 17}, "end": {"line": 7, "column": 29}},
                },
            }
        ],
        "suggestions": [
            {"range": {"start": point, "end": point}, "text": ", pin_memory=True"},
        ],
    }
    assert second["severity"] == "ERROR"
    assert "Unsafe fix: Do not block" in second["message"]
    assert "suggestions" not in third


def test_reviewdog_counts_bytes() -> None:
    view, found = _one("/p/a.py", "é = '数据'; DataLoader(ds)\n", "DataLoader(ds)")
    fix = Fix(Applicability.SAFE, "Pin", (SetArgument(found.place, "pin_memory", "True"),))
    (seen,) = _rdjson(view, [found._replace(fix=fix)])
    before = len("é = '数据'; ".encode())
    assert seen["location"]["range"]["start"] == {"line": 1, "column": before + 1}
    at = {"line": 1, "column": before + 1 + len("DataLoader(ds")}
    assert seen["suggestions"][0]["range"] == {"start": at, "end": at}


@pytest.mark.parametrize("other", ["pkg/data.py", "train.py"])
def test_a_fix_that_is_no_single_suggestion_is_none(
    finder: Any, pinning: Diagnostic, other: str
) -> None:
    """One part alone of a fix of two files, or of far places, could be applied."""
    far = "DataLoader(a)\n" + "x = 1\n" * 20 + "read()\n"
    texts = {"train.py": far, "pkg/data.py": "read()\n"}
    finder.sources = Sources(
        {f"/work dir/project/{n}": Source(f"/work dir/project/{n}", t) for n, t in texts.items()}
    )
    first, second = finder.place("train.py", "DataLoader(a)"), finder.place(other, "read()")
    operations = SetArgument(first, "pin_memory", "True"), SetArgument(second, "lazy", "True")
    fix = Fix(Applicability.SAFE, "Fix", operations)
    (seen,) = _rdjson(finder.view(), [pinning._replace(place=first, related=(), fix=fix)])
    assert "suggestions" not in seen


def test_junit(finder: Any, pinning: Diagnostic, blocking: Diagnostic, eager: Diagnostic) -> None:
    root = _junit(finder.view(), [pinning, blocking, eager])
    assert (root.get("tests"), root.get("failures"), root.get("errors")) == ("3", "3", "0")
    assert [suite.get("name") for suite in root] == ["train.py", "pkg/data.py"]
    test = root[0][0]
    assert test.get("name") == "DLT101 missing-pin-memory (3:10)"
    assert test.get("classname") == "train.py"
    assert test[0].attrib == {
        "type": "warning",
        "message": "batches are copied from pageable memory",
    }
    assert test[0].text == (
        "train.py:3:10: warning: DLT101 batches are copied from pageable memory\n"
        "train.py:7:17: copied here\nhelp: Pin"
    )


def test_junit_without_findings_has_a_test_that_passed(finder: Any) -> None:
    root = _junit(finder.view(), [])
    assert (root.get("tests"), root.get("failures")) == ("1", "0")
    assert len(root[0][0]) == 0


def test_junit_fails_where_the_run_does(
    finder: Any, pinning: Diagnostic, blocking: Diagnostic
) -> None:
    view = finder.view()
    view.failing = frozenset({Severity.ERROR})
    (suite,) = _junit(view, [pinning, blocking])
    assert suite.get("failures") == "1"
    assert [test[0].tag for test in suite] == ["system-out", "failure"]


HOSTILE = "/p/\udcff]]>&lt;a\"'<x>\n::error::\x1b[2J\ufffe.py"


def test_junit_holds_what_no_xml_may_hold_spelled_out() -> None:
    message = "]]></failure><testcase name='x'/> \x00\x1b[31m \udc80 \uffff"
    view, found = _one(HOSTILE, "DataLoader(ds)\n", "DataLoader(ds)", message=message)
    root = _junit(view, [found])
    assert root.get("tests") == "1"
    assert len(list(root.iter("testcase"))) == 1
    failure = root[0][0][0]
    assert failure.get("message") == (
        "]]></failure><testcase name='x'/> \\x00\\x1b[31m \\udc80 \\uffff"
    )
    assert "\n" not in str(root[0].get("name"))


def test_paths_are_one_string_in_json() -> None:
    view, found = _one(HOSTILE, "DataLoader(ds)\n", "DataLoader(ds)")
    path = HOSTILE.removeprefix("/p/").replace("\udcff", "\\xff")
    assert _gitlab(view, [found])[0]["location"]["path"] == path
    assert _rdjson(view, [found])[0]["location"]["path"] == path


@pytest.mark.parametrize(
    ("message", "shown"),
    [
        ("`num_workers=0` and a_b", "`num_workers=0` and a\\_b"),
        ("`x` ![](http://e.x/?q) `y`", "`x` \\!\\[\\](http&#58;//e.x/?q) `y`"),
        ("@all <img src=x> #12 www.e.x", "&#64;all &lt;img src=x&gt; \\#12 www&#46;e.x"),
        ("an ` alone [a](b)", "an &#96; alone \\[a\\](b)"),
        ("a\n# heading\n\n- item", "a \\# heading - item"),
        ("&lt; \\* **b**", "&amp;lt; \\\\\\* \\*\\*b\\*\\*"),
        ("\x1b[2J", "\\\\x1b\\[2J"),
    ],
)
def test_messages_are_no_markdown_but_for_code(message: str, shown: str) -> None:
    view, found = _one("/p/a.py", "DataLoader(ds)\n", "DataLoader(ds)", message=message)
    assert _rdjson(view, [found])[0]["message"] == shown
