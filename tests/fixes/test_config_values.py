"""Edits of YAML: only the named value differs afterwards, and every other byte stays."""

from __future__ import annotations

import pytest
import yaml

from dlint.findings.edits import apply_edits
from dlint.findings.operations import Operation, RemoveArgument, SetArgument
from dlint.findings.places import Place
from dlint.fixes.config_values import lower_config
from dlint.frontends.nodes import documents, merged, span
from dlint.workspace.source import Source

BLOCK = "a: 1  # one\nloader:\n    num_workers: 0 # none\n    keep: yes\n\n# end\nb: [2]\n"
FLOW = "loader: {num_workers: 0, keep: yes}  # both\n"
LAST = "loader:\r\n  num_workers: 0\r\n  keep: yes"


def _edited(text: str, make: type[SetArgument] | type[RemoveArgument], *values: str) -> str | None:
    node = merged(documents("c.yaml", text)[0])["loader"]
    place = Place("c.yaml", *span(node))
    operation: Operation = (
        SetArgument(place, *values)
        if make is SetArgument
        else RemoveArgument(place, values[0], None, values[1])
    )
    edits = lower_config(Source("c.yaml", text), [operation])
    return None if edits is None else apply_edits(text, edits)


@pytest.mark.parametrize("text", [BLOCK, FLOW, LAST])
@pytest.mark.parametrize(("value", "written"), [("4", "4"), ("True", "true"), ("None", "null")])
def test_a_scalar_is_replaced_where_it_stands(text: str, value: str, written: str) -> None:
    assert _edited(text, SetArgument, "num_workers", value) == text.replace(
        "num_workers: 0", f"num_workers: {written}"
    )


@pytest.mark.parametrize("text", [BLOCK, FLOW, LAST])
def test_a_key_is_added_and_nothing_else_changes(text: str) -> None:
    edited = _edited(text, SetArgument, "pin_memory", "True")
    assert edited is not None
    before, after = yaml.safe_load(text), yaml.safe_load(edited)
    before["loader"]["pin_memory"] = True
    assert after == before
    kept = [line for line in edited.splitlines() if "pin_memory" not in line]
    assert kept == [line for line in text.splitlines() if text != FLOW]


def test_what_is_taken_out_gets_its_neutral_value() -> None:
    assert _edited(BLOCK, RemoveArgument, "keep", "False") == BLOCK.replace("yes", "false")


@pytest.mark.parametrize("value", ["torch.cuda.is_available()", "n > 0", "[1]"])
def test_an_expression_of_python_is_no_value(value: str) -> None:
    assert _edited(BLOCK, SetArgument, "num_workers", value) is None


@pytest.mark.parametrize(
    "text",
    [
        'loader:\n  num_workers: "0"\n',
        "loader:\n  num_workers: &n 0\n",
        "n: &n 0\nloader:\n  num_workers: *n\n",
        "loader:\n  num_workers: !!int 0\n",
    ],
)
def test_a_quoted_tagged_or_shared_value_is_left_alone(text: str) -> None:
    assert _edited(text, SetArgument, "num_workers", "4") is None
