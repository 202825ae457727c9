"""`dlint rule`: what a rule means, as text, JSON or Markdown; without a name, all rules."""

from __future__ import annotations

import argparse
import json
import sys

from dlint import catalogue
from dlint.cli.colour import wanted

_CANNOT = 2


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """The arguments of `dlint rule`."""
    parser.add_argument(
        "rule", nargs="?", metavar="NAME|CODE", help="the rule to explain; without one, list all"
    )
    parser.add_argument("--all", action="store_true", help="explain every rule")
    formats = ("text", "json", "markdown")
    parser.add_argument(
        "--output-format", choices=formats, default="text", help="default: %(default)s"
    )


def run(namespace: argparse.Namespace) -> int:
    """Print what was asked for. Returns 0, or 2 for a request that makes no sense."""
    if namespace.rule is None:
        render = _pages if namespace.all else _list
        sys.stdout.write(render(list(catalogue.summaries()), namespace.output_format))
        return 0
    if namespace.all:
        return _refuse("give the name of a rule or --all, not both")
    summary = catalogue.resolve(namespace.rule)
    if summary is None:
        return _refuse(_unknown(namespace.rule))
    sys.stdout.write(_page(summary.name, namespace.output_format))
    return 0


def _page(name: str, output_format: str) -> str:
    from dlint.catalogue import render

    page = catalogue.load(name)
    if output_format == "json":
        return _json(render.data(page))
    if output_format == "markdown":
        return render.markdown(page)
    return render.text(page, wanted("auto", sys.stdout))


def _pages(names: list[str], output_format: str) -> str:
    from dlint.catalogue import render

    if output_format == "json":
        return _json([render.data(catalogue.load(name)) for name in names])
    return "\n".join(_page(name, output_format) for name in names)


def _list(names: list[str], output_format: str) -> str:
    from dlint.catalogue import render

    summaries = [catalogue.summaries()[name] for name in names]
    if output_format == "json":
        return _json([render.summary_data(summary) for summary in summaries])
    if output_format == "markdown":
        return render.markdown_table(summaries)
    return render.text_table(summaries)


def _json(value: object) -> str:
    return json.dumps(value, indent=2, ensure_ascii=False) + "\n"


def _unknown(name: str) -> str:
    guesses = " or ".join(f"`{guess}`" for guess in catalogue.close_to(name))
    hint = f"did you mean {guesses}?" if guesses else "`dlint rule` lists all rules"
    return f"there is no rule `{name}`: {hint}"


def _refuse(message: str) -> int:
    sys.stderr.write(f"error: {message}\n")
    return _CANNOT
