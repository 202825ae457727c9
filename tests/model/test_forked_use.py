"""What the main process uses before a loader forks its workers, and workers use again."""

from __future__ import annotations

import pytest

from dlint.analyses.calls import calls_anywhere
from dlint.model.workers.forked_use import forked_uses
from tests.analyses.control.programs import MakeProgram

_TEXT = """
from lib import use
from torch.utils.data import DataLoader


class Rows:
    def batch(self, rows):
        return use(rows)

    def loader(self, rows):
        {inside}
        return DataLoader(rows, num_workers=4, collate_fn=self.batch)


def main(rows):
    {before}
    for batch in Rows().loader(rows):
        print(batch)


if __name__ == "__main__":
    main([])
"""


@pytest.mark.parametrize(
    ("before", "inside", "found"),
    [
        ("use(rows)", "pass", 1),
        ("pass", "use(rows)", 1),
        ("rows = [row for row in rows if use(row)]", "pass", 1),
        ("pass", "rows = [row for row in rows if use(row) > 3]", 1),
        ("rows = [row for row in rows if row and use(row)]", "pass", 0),
        ("rows = [use(row) for row in rows if row]", "pass", 0),
        ("if rows: use(rows)", "pass", 0),
        ("pass", "pass", 0),
    ],
)
def test_what_is_used_before_the_fork(
    context: MakeProgram, before: str, inside: str, found: int
) -> None:
    analysed = context(_TEXT.format(before=before, inside=inside))
    uses = list(calls_anywhere(analysed, "use"))
    assert len(list(forked_uses(analysed, uses))) == found
