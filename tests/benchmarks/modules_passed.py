"""How many of our modules a small file passes before its finding is said.

    python tests/benchmarks/modules_passed.py [--select RULE] [--list]

Counted by a profiler, until the check of the rule gives its first finding: the modules of which a
function is entered, these functions, and the calls that lead from one module into another. What
runs on import is not counted.
"""

from __future__ import annotations

import argparse
import os
import sys
import tempfile
from collections import Counter
from pathlib import Path
from types import FrameType

ROOT = Path(__file__).parent.parent.parent
PROGRAM = """\
import torch
from torch.utils.data import DataLoader, TensorDataset

dataset = TensorDataset(torch.randn(100000, 512))
loader = DataLoader(dataset, batch_size=64, num_workers=4)
model = torch.nn.Linear(512, 10).cuda()
for epoch in range(10):
    for (batch,) in loader:
        model(batch.cuda())
"""
_HIDDEN = ("<module>", "<lambda>", "<listcomp>", "<setcomp>", "<dictcomp>", "<genexpr>")


class Passage:
    """What a run passes of the package at `package`, until `rule` has said something."""

    def __init__(self, package: Path, rule: str) -> None:
        self._package = f"{package}{os.sep}"
        self._last = f"{os.sep}{rule.replace('-', '_')}.py"
        self.functions: Counter[tuple[str, str]] = Counter()
        self.switches = 0

    def __call__(self, frame: FrameType, event: str, argument: object) -> None:
        """Look at one call or return: what `sys.setprofile` is given."""
        path, name = frame.f_code.co_filename, frame.f_code.co_name
        if not path.startswith(self._package):
            return
        if event == "return" and name == "check" and path.endswith(self._last):
            if argument is not None:
                sys.setprofile(None)
        elif event == "call" and name not in _HIDDEN and not name[0].isupper():
            self._enter(frame, path)

    def _enter(self, frame: FrameType, path: str) -> None:
        if _is_importing(frame):
            return
        self.functions[path, frame.f_code.co_qualname] += 1
        caller = frame.f_back
        before = "" if caller is None else caller.f_code.co_filename
        self.switches += before.startswith(self._package) and before != path

    @property
    def modules(self) -> list[str]:
        """The modules in the order in which they are entered."""
        paths = dict.fromkeys(path for path, _ in self.functions)
        return [path.removeprefix(self._package).removesuffix(".py") for path in paths]


def _is_importing(frame: FrameType) -> bool:
    """Whether the body of a module has called this."""
    outer = frame.f_back
    while outer is not None and "importlib" not in outer.f_code.co_filename:
        outer = outer.f_back
    return outer is not None


def passage(rule: str) -> Passage:
    """What one check of the program passes."""
    from dlint.cli.main import main as check

    found = Passage(ROOT / "dlint", rule)
    home = Path.cwd()
    with tempfile.TemporaryDirectory() as folder:
        (Path(folder) / "train.py").write_text(PROGRAM)
        os.chdir(folder)
        sys.setprofile(found)
        try:
            check(["check", ".", "--no-cache", "--select", rule, "--output-format", "json"])
        finally:
            sys.setprofile(None)
            os.chdir(home)
    return found


def main() -> None:
    """Print the counts."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--select", default="missing-pin-memory")
    parser.add_argument("--list", action="store_true", help="the modules, too")
    given = parser.parse_args()
    found = passage(given.select)
    if given.list:
        print("\n".join(found.modules))
    print(
        f"{len(found.modules)} modules, {len(found.functions)} functions, "
        f"{found.switches} calls from one module into another"
    )


if __name__ == "__main__":
    sys.path.insert(0, str(ROOT))
    main()
