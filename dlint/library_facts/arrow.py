"""Hugging Face datasets: how they are opened, and what is done to them before rows are taken.

Read in datasets 4 (arrow_dataset.py): rows lie in Arrow files, and are decoded when they are taken.
"""

from __future__ import annotations

OPENING = frozenset({"datasets.load_dataset", "datasets.load.load_dataset"})
"""Library functions that open a dataset, or a dict of them by split."""

LIBRARY = "datasets."
"""What the paths of the library begin with."""

SELECTING = frozenset(
    {
        "cast",
        "cast_column",
        "class_encode_column",
        "filter",
        "flatten_indices",
        "remove_columns",
        "rename_column",
        "rename_columns",
        "select",
        "select_columns",
        "shard",
        "shuffle",
        "sort",
        "train_test_split",
        "with_format",
    }
)
"""Methods that leave it to the reader of a row to decode it; `map` may have done it before."""

TRANSFORMING = frozenset({"with_transform"})
"""Methods that return a dataset with a function that is applied to rows when they are taken."""

SETTING = frozenset({"set_transform"})
"""Methods that give the dataset itself such a function."""

NARROWING = frozenset({"remove_columns", "select_columns"})
"""Methods that leave columns out."""

KEEPING = SELECTING - {"cast", "cast_column"}
"""Methods after which a column holds what it held, and none holds pictures that none held."""
