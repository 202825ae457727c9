"""A process on another machine than the first one: what it is told there, and where it keeps what
it says until that is sent."""

# ruff: noqa: PTH103, PTH105, PTH110, PTH118
# (pathlib would be imported into every process of the program)
from __future__ import annotations

import base64
import json
import os
import tempfile
import time
import zlib
from typing import Any

VARIABLE = "PYTHON_DLINT_PROBE"
"""What holds the configuration itself, for machines that do not see its file. DeepSpeed takes
variables to other machines whose names begin so (`EXPORT_ENVS` in its `launcher/runner.py`)."""


def packed(config: dict[str, Any], texts: dict[str, str]) -> str:
    """A configuration, with the edited texts by their paths, as one word."""
    whole = json.dumps({**config, "texts": texts}).encode()
    return base64.b64encode(zlib.compress(whole, 9)).decode()


def unpacked(word: str) -> dict[str, Any]:
    """The configuration, as it holds on this machine: with a folder of its own, in which the edited
    texts are."""
    config: dict[str, Any] = json.loads(zlib.decompress(base64.b64decode(word)))
    post = config["post"]
    folder = os.path.join(tempfile.gettempdir(), f"dlint-{post['token'][:12]}-{post['run']}")
    os.makedirs(folder, mode=0o700, exist_ok=True)
    config.update(out=folder, distant=True, gate=None, redirect=None, layered=False, board=None)
    config["launched"] = time.time()  # clocks of machines differ
    edited = {}
    for number, (path, text) in enumerate(sorted(config.pop("texts").items())):
        edited[path] = os.path.join(folder, f"text{number}.py")
        if not os.path.exists(edited[path]):
            with open(f"{edited[path]}.{os.getpid()}", "w", encoding="utf-8", newline="") as file:
                file.write(text)
            os.replace(f"{edited[path]}.{os.getpid()}", edited[path])
    config["edited"] = edited
    return config
