"""Functions that a parser's `set_defaults` keeps, and what `args.run(args)` gives to them."""

from __future__ import annotations

import pytest

from tests.semantics.asked import denoted, evaluated

COMMANDS = """
def train(args, size):
    reveal(args.rows)
    reveal(size)
def register(commands):
    parser = commands.add_parser("train")
    parser.add_argument("--rows", type=int, default=3)
    parser.set_defaults(run=train)
"""
MAIN = """
import argparse
from commands import register
def main():
    parser = argparse.ArgumentParser()
    register(parser.add_subparsers())
    args = parser.parse_args()
    {call}
main()
"""


@pytest.mark.parametrize(
    "call",
    ["args.run(args, 7)", "run = args.run\n    run(args, 7)", "args.run(size=7, args=args)"],
)
def test_the_function_of_a_subcommand_is_called(call: str) -> None:
    """Kept by the module that parses, or by one that it imports."""
    alone = COMMANDS + MAIN.format(call=call).replace("from commands import register", "")
    assert evaluated(alone) == [{"~3"}, {"7"}]
    assert evaluated({"commands.py": COMMANDS, "main.py": MAIN.format(call=call)}) == [
        {"~3"},
        {"7"},
    ]


def test_a_lambda_is_called_too() -> None:
    text = """
import argparse
parser = argparse.ArgumentParser()
parser.set_defaults(run=lambda args, size: reveal(size))
args = parser.parse_args()
args.run(args, 7)
"""
    assert denoted(text) == [{"7"}]


@pytest.mark.parametrize(
    "call", ["other.run(args, 7)", "Runner().run(args, 7)", "args.go(args, 7)"]
)
def test_another_function_of_the_name_is_not(call: str) -> None:
    text = f"{COMMANDS}\nclass Runner:\n    def run(self, args, size): ...\nother = Runner()\n"
    text += MAIN.format(call=call).replace("from commands import register", "")
    assert evaluated(text) == [{"?"}, {"?"}]


def test_two_subcommands_are_called_by_one_call() -> None:
    second = (
        "\ndef test(args, size):\n    reveal(size)\ndef more(p):\n    p.set_defaults(run=test)\n"
    )
    main = MAIN.format(call="args.run(args, 7)")
    assert evaluated({"commands.py": COMMANDS + second, "main.py": main}) == [
        {"~3"},
        {"7"},
        {"7"},
    ]


OTHER = """
import argparse
def own():
    parser = argparse.ArgumentParser()
    parser.set_defaults(kept=1)
    return parser.parse_args()
def shared(parser):
    parser.set_defaults(extra=2)
"""


@pytest.mark.parametrize(("name", "expected"), [("kept", {"?"}), ("extra", {"2"})])
def test_what_an_imported_module_presets(name: str, expected: set[str]) -> None:
    """What it presets for a parser of its own says nothing."""
    main = f"""
import argparse
import other
parser = argparse.ArgumentParser()
other.shared(parser)
args = parser.parse_args()
reveal(args.{name})
"""
    assert evaluated({"main.py": main, "other.py": OTHER}) == [expected]
