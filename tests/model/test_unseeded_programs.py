"""Which splits each run of a program draws anew."""

from __future__ import annotations

import pytest

from dlint.model.data.splits import global_splits
from dlint.model.data.unseeded_programs import files_run_with, is_drawn_by_each_run
from tests.analyses.control.programs import MakeProgram

PARTS = """
import json
from torch.utils.data import random_split

def parts(data, path, size):
    {before}
    {indent}one, two = random_split(data, [size, 9])
    {after}
    return one, two
"""

TRAIN = """
import numpy as np
import random
import torch
from parts import parts
{first}
parts(data, path, 5)
"""


@pytest.mark.parametrize(
    ("first", "before", "after", "is_new"),
    [
        ("", "pass", "pass", True),
        ("np.random.seed(0); random.seed(0)", "pass", "pass", True),
        ("import numpy as n; n.random.seed(0)", "pass", "pass", True),
        ("from numpy.random import seed; seed(0)", "pass", "pass", True),
        ("from numpy.random import seed as fix; fix(0)", "pass", "pass", True),
        ("import torch as t; t.manual_seed(0)", "pass", "pass", False),
        ("from functools import partial; partial(torch.manual_seed, 0)()", "pass", "pass", False),
        ("# torch.manual_seed(0)", "pass", "pass", True),
        ("from apart import fix_seed; fix_seed(0)", "pass", "pass", True),
        ("from elsewhere import fix_seed as fix; fix(0)", "pass", "pass", False),
        ("torch.manual_seed(0)", "pass", "pass", False),
        ("torch.random.manual_seed(0)", "pass", "pass", False),
        ("seed_all(0)", "pass", "pass", False),
        ("torch.set_rng_state(state)", "pass", "pass", False),
        ("import seeding", "pass", "pass", False),
        ("import apart", "pass", "pass", True),
        ("SEED = 3", "pass", "pass", True),
        ("", "if not path.exists(): return", "pass", True),
        ("", "if size > 5:", "pass", True),
        ("", "if not path.exists():", "pass", False),
        ("", "pass", "json.dump({'one': one}, path)", False),
        ("", "pass", "two.to_csv(path)", False),
        ("", "pass", "json.dump({'one': len(one)}, path)", True),
        ("", "pass", "torch.save(two.indices, path)", False),
    ],
)
def test_splits_that_each_run_draws(
    context: MakeProgram, first: str, before: str, after: str, is_new: bool
) -> None:
    indent = "    " if before.endswith(":") else ""
    text = PARTS.format(before=before, after=after, indent=indent)
    files = {
        "parts.py": text,
        "train.py": TRAIN.format(first=first),
        "seeding.py": "import torch\ntorch.manual_seed(0)\n",
        "apart.py": "def fix_seed(seed):\n    print(seed)\n",
        "other.py": "import torch\nimport apart\ntorch.manual_seed(0)\n",
    }
    (split,) = context(files)[global_splits]
    assert is_drawn_by_each_run(split) == is_new


def test_the_files_of_the_programs_that_run_one(context: MakeProgram) -> None:
    files = {
        "data.py": "import sizes\n",
        "sizes.py": "SIZE = 3\n",
        "train.py": "import data\nimport seeds\n",
        "seeds.py": "",
        "other.py": "import sizes\n",
    }
    given = [("data.py",), ("sizes.py",), ("sizes.py", "seeds.py")]
    found = context(files)
    paths = {one.rpartition("/")[2]: one for one in found.project.files}
    run = [files_run_with(found, set(map(paths.get, names))) for names in given]
    assert [[one.rpartition("/")[2] for one in files] for files in run] == [
        ["data.py", "seeds.py", "sizes.py", "train.py"],
        ["data.py", "other.py", "seeds.py", "sizes.py", "train.py"],
        ["data.py", "seeds.py", "sizes.py", "train.py"],
    ]
