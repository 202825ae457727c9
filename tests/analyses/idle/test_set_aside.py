"""Which files a project says it has set aside."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

import pytest

from dlint.analyses.idle.set_aside import SetAside
from tests.analyses.control.programs import MakeProgram

CODE = "import torch\n"


def _is_aside(context: MakeProgram, folder: Path, files: Mapping[str, str]) -> bool:
    return context(files)[SetAside].reason(str(folder / next(iter(files)))) is not None


@pytest.mark.parametrize(
    "files",
    [
        {"archived/fed/train.py": CODE, "main.py": CODE},
        {"extra material/train.py": CODE, "main.py": CODE},
        {"old_code/train.py": CODE, "main.py": CODE},
        {"旧版本/train.py": CODE, "main.py": CODE},
        {"deprecated/train.py": CODE, "deprecated/run.py": "import train\n", "main.py": CODE},
        {"train.py": '"""Deprecated: use main.py."""\n' + CODE, "main.py": CODE},
        {
            "train.py": "# ____\n#\n# [Deprecated] Please use main.py.\n# ____\n" + CODE,
            "main.py": CODE,
        },
    ],
)
def test_a_file_that_is_set_aside(
    context: MakeProgram, tmp_path: Path, files: Mapping[str, str]
) -> None:
    assert _is_aside(context, tmp_path, files)


@pytest.mark.parametrize(
    "files",
    [
        {"fed/train.py": CODE, "main.py": CODE},
        {"oldenburg/train.py": CODE, "main.py": CODE},
        # all of the project lies there
        {"archived/train.py": CODE, "archived/main.py": CODE},
        {"legacy/train.py": CODE, "main.py": "from legacy.train import torch\n"},
        {"train.py": "# Deprecated: main.py\n" + CODE, "main.py": "import train\n"},
        {"train.py": '"""Trains. Deprecated options are gone."""\n' + CODE, "main.py": CODE},
        {"train.py": CODE + "# deprecated\n", "main.py": CODE},
    ],
)
def test_a_file_in_use(context: MakeProgram, tmp_path: Path, files: Mapping[str, str]) -> None:
    assert not _is_aside(context, tmp_path, files)
