"""`python -m tests.laws`: the laws on all programs, as a table.

`python -m tests.laws` tries every rewriting on every example of the pages, on probe and wild.
`python -m tests.laws repositories DIR...` tries those for whole files on repositories.
`python -m tests.laws runs` compares runs of one program: order, hash seed, cache, one file.
"""

from __future__ import annotations

import sys

from tests.laws.cli import main

if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
