"""JUnit's XML, which most CI systems show as a list of tests: a file a suite, a finding a test."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import groupby
from xml.etree import ElementTree as ET

from dlint.findings.controls import in_one_line, visible
from dlint.findings.diagnostic import Diagnostic
from dlint.findings.regexes import lazily
from dlint.reports.identity import Identities
from dlint.reports.view import View

_HEADER = '<?xml version="1.0" encoding="utf-8"?>\n'
_NO_XML = lazily("[\ud800-\udfff\ufffe\uffff]")
"""What no XML document may hold, besides control characters."""


def render(view: View, diagnostics: Sequence[Diagnostic]) -> str:
    """All suites; without a finding one test that has passed. ASCII, whatever the terminal's."""
    identities = Identities(view)
    by_file = groupby(diagnostics, lambda d: d.place.path)
    suites = [_suite(view, identities.path(path), list(found)) for path, found in by_file]
    root = ET.Element("testsuites", {"name": "dlint"})
    root.extend(suites or [_clean()])
    for count in ("tests", "failures", "errors"):
        root.set(count, str(sum(int(suite.get(count, "0")) for suite in root)))
    ET.indent(root)
    return f"{_HEADER}{ET.tostring(root, encoding='us-ascii').decode('ascii')}\n"


def _suite(view: View, path: str, found: Sequence[Diagnostic]) -> ET.Element:
    failures = sum(d.severity in view.failing for d in found)
    suite = _suite_of(_text(in_one_line(path)), len(found), failures)
    suite.extend(_test(view, suite.get("name", ""), diagnostic) for diagnostic in found)
    return suite


def _clean() -> ET.Element:
    suite = _suite_of("dlint", 1, 0)
    ET.SubElement(suite, "testcase", {"name": "no findings", "classname": "dlint"})
    return suite


def _suite_of(name: str, tests: int, failures: int) -> ET.Element:
    counts = {"tests": str(tests), "failures": str(failures), "errors": "0"}
    return ET.Element("testsuite", {"name": name} | counts)


def _test(view: View, path: str, diagnostic: Diagnostic) -> ET.Element:
    """A finding that makes the run fail is a failure; another is a passed test that says so."""
    row, column = view.physical(diagnostic.place)[0]
    name = f"{diagnostic.code} {diagnostic.name} ({row}:{column})"
    test = ET.Element("testcase", {"name": name, "classname": path})
    text = _text(_details(view, diagnostic))
    if diagnostic.severity in view.failing:
        message = _text(in_one_line(diagnostic.message))
        attributes = {"type": diagnostic.severity.value, "message": message}
        ET.SubElement(test, "failure", attributes).text = text
    else:
        ET.SubElement(test, "system-out").text = text
    return test


def _details(view: View, diagnostic: Diagnostic) -> str:
    where = view.where(diagnostic.place)
    lines = [f"{where}: {diagnostic.severity.value}: {diagnostic.code} {diagnostic.message}"]
    lines += [f"{view.where(related.place)}: {related.message}" for related in diagnostic.related]
    if diagnostic.fix is not None and view.edits(diagnostic) is not None:
        lines.append(f"help: {diagnostic.fix.message}")
    return "\n".join(lines)


def _text(text: str) -> str:
    return _NO_XML.sub(lambda found: f"\\u{ord(found[0]):04x}", visible(text))
