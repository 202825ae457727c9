"""`dlint server`: the language server, over standard input and output."""

from __future__ import annotations

import argparse

from dlint.workspace.errors import UsageError

EXTRA = "dataloader-lint[server]"


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """The arguments of `dlint server`: none, but for what every editor passes to a server."""
    parser.epilog = "An editor starts it; how, says docs/editors.md."
    parser.add_argument(
        "--stdio", action="store_true", help="speak over standard input and output (it always does)"
    )


def run(namespace: argparse.Namespace) -> int:
    """Serve until the editor ends it. Raises UsageError where pygls is missing."""
    del namespace
    try:
        import pygls  # noqa: F401
    except ModuleNotFoundError as error:
        raise UsageError(
            f"`dlint server` needs pygls, which is not installed: pip install '{EXTRA}'"
        ) from error
    from dlint.server.features import server

    server().start_io()
    return 0
