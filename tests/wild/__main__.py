"""`python -m tests.wild [--write] [WORD …]`: what dlint says of the variants that a word names.

`--write` writes into their files which are missed.
"""

from __future__ import annotations

import sys
import tempfile
from pathlib import Path

from tests.wild.variants import outcome, variants


def main(words: list[str], write: bool) -> None:
    """Print a line for each variant that is missed, or whose twin is not silent, and the counts."""
    said = shown = silent = total = 0
    for variant in variants():
        if words and not any(word in str(variant) for word in words):
            continue
        total += 1
        with tempfile.TemporaryDirectory(prefix="variant-") as folder:
            found = outcome(variant, Path(folder).resolve())
        said, shown = said + found.is_said, shown + found.by_default
        silent += not found.twin
        if write:
            variant.write_known(is_miss=not found.is_said)
        if not found.is_said:
            print(f"missed {variant.level} {variant}\n       instead: {' '.join(found.instead)}")
        for one in found.twin:
            print(f"twin   {variant}: {one.location.path.name}:{one.location.line} {one.rule}")
    print(f"{total} variants: {said} said, {shown} of them by default; {silent} twins silent")


if __name__ == "__main__":
    given = sys.argv[1:]
    main([word for word in given if word != "--write"], "--write" in given)
