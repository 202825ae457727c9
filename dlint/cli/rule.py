"""`dlint rule`: what a rule means, as text, JSON or Markdown; without a name, all rules."""

from __future__ import annotations

import argparse
import json
import sys

from dlint import rule_docs
from dlint.cli.colour import CHOICES, wanted
from dlint.findings.controls import visible
from dlint.findings.words import either
from dlint.workspace.errors import UsageError


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """The arguments of `dlint rule`."""
    parser.add_argument(
        "rule",
        nargs="?",
        metavar="NAME|CODE",
        help="the rule to explain; the beginning of codes lists those rules, nothing all of them",
    )
    parser.add_argument("--all", action="store_true", help="explain every rule")
    formats = ("text", "json", "markdown")
    parser.add_argument(
        "--output-format", choices=formats, default="text", help="default: %(default)s"
    )
    parser.add_argument("--color", choices=CHOICES, default="auto", help="default: %(default)s")


def run(namespace: argparse.Namespace) -> int:
    """Print what was asked for. Raises UsageError for a request that makes no sense."""
    if namespace.rule is not None and namespace.all:
        raise UsageError("give the name of a rule or --all, not both")
    for problem in rule_docs.catalogue().problems:
        sys.stderr.write(f"warning: {visible(problem)}\n")
    sys.stdout.write(_text(namespace))
    return 0


def _text(namespace: argparse.Namespace) -> str:
    if namespace.rule is None and not namespace.all:
        return _list(list(rule_docs.summaries().values()), namespace.output_format)
    colour = wanted(namespace.color, sys.stdout)
    if namespace.all:
        return _pages(list(rule_docs.summaries()), namespace.output_format, colour)
    summary = rule_docs.resolve(namespace.rule)
    if summary is None:
        of_prefix = rule_docs.with_prefix(namespace.rule)
        if not of_prefix:
            raise UsageError(_unknown(namespace.rule))
        return _list(of_prefix, namespace.output_format)
    return _page(summary.name, namespace.output_format, colour)


def _page(name: str, output_format: str, colour: bool) -> str:
    from dlint.cli import pages

    page = rule_docs.load(name)
    if output_format == "json":
        return _json(pages.data(page))
    return pages.markdown(page) if output_format == "markdown" else pages.text(page, colour)


def _pages(names: list[str], output_format: str, colour: bool) -> str:
    from dlint.cli import pages

    if output_format == "json":
        return _json([pages.data(rule_docs.load(name)) for name in names])
    return "\n".join(_page(name, output_format, colour) for name in names)


def _list(summaries: list[rule_docs.Summary], output_format: str) -> str:
    from dlint.cli import pages

    if output_format == "json":
        return _json([pages.summary_data(summary) for summary in summaries])
    if output_format == "markdown":
        return pages.markdown_table(summaries)
    return pages.text_table(summaries)


def _json(value: object) -> str:
    return json.dumps(value, indent=2, ensure_ascii=False) + "\n"


def _unknown(name: str) -> str:
    guesses = rule_docs.close_to(name)
    hint = f"did you mean {either(guesses)}?" if guesses else "`dlint rule` lists all rules"
    return f"there is no rule `{name}`: {hint}"
