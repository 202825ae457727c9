"""What a run left in its folder."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

_TAIL = 4000


def unloaded(out: Path, texts: Mapping[str, str]) -> frozenset[str]:
    """The files whose texts left no sign that a process loaded them."""
    signs = {path.name for path in out.glob("loaded.*")}
    return frozenset(p for p, text in texts.items() if f"loaded.{Path(text).name}" not in signs)


def making(out: Path) -> dict[int, tuple[int, float]]:
    """By worker, how many batches it made behind its first one, and in how many seconds."""
    found = {}
    for path in out.glob("making.*"):
        whole = path.read_text("utf-8").split("\n")[:-1]  # it may have been ended while it wrote
        if whole:
            count, seconds = whole[-1].split()
            found[int(path.suffix[1:])] = (int(count), float(seconds))
    return found


def loaderless(out: Path) -> bool:
    """Whether it said that it trains without a loader of torch's."""
    return (out / "loaderless").exists()


def tail(path: Path) -> str:
    """The end of what a run wrote, without the expected remarks on its sudden end."""
    whole = path.read_bytes()
    lines = whole[-_TAIL:].decode("utf-8", "replace").splitlines()
    if len(whole) > _TAIL and len(lines) > 1:
        del lines[0]  # half a line may hold half a word that is to be known
    return "\n".join(line for line in lines if "leaked semaphore" not in line)
