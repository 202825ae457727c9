"""What a loader is given as its data set."""

from __future__ import annotations

from collections.abc import Callable, Mapping

from dlint.analyses.context import AnalysisContext
from dlint.model.data.given_datasets import given_datasets
from dlint.model.loading.loaders import Loaders
from dlint.semantics.values.values import Instance

MakeProgram = Callable[[str | Mapping[str, str]], AnalysisContext]


def test_data_sets_are_told_in_the_order_of_their_places(context: MakeProgram) -> None:
    names = [f"Data{i}" for i in range(9)]
    classes = "".join(f"class {name}:\n    def __getitem__(self, i): ...\n" for name in names)
    table = ", ".join(f"'{name}': {name}()" for name in reversed(names))
    text = (
        f"from torch.utils.data import DataLoader, Subset\n{classes}"
        f"for x in DataLoader(Subset({{{table}}}[which], [1])):\n    x.cuda()\n"
    )
    program = context(text)
    [[loader]] = program[Loaders].by_call().values()
    found = [v.cls.name for v in given_datasets(loader) if isinstance(v, Instance)]
    assert found == names
