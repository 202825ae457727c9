"""Reads programs as JSON, writes their findings: run with a hash seed of its own."""

from __future__ import annotations

import json
import sys

from tests.laws.subject import findings


def main() -> None:
    """From standard input to standard output."""
    programs = json.load(sys.stdin)
    json.dump({name: findings(files) for name, files in programs}, sys.stdout)


if __name__ == "__main__":
    main()
