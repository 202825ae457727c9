"""Small projects that are known to be read, from the pages: what mutations start from."""

from __future__ import annotations

import json
from collections.abc import Mapping
from functools import cache
from pathlib import Path

from dlint import rule_docs
from dlint.rule_docs.examples import examples

_DOCS = Path(__file__).parents[2] / "docs"
_CONFIGS = (".yaml", ".yml", ".json", ".toml")
LOADER = "\nfrom torch.utils.data import DataLoader\nDataLoader([], timeout=5)\n"
"""What makes a file one that matters, at its end."""
SCRIPT = """\
#!/bin/bash
set -e
export OMP_NUM_THREADS=1 NCCL_DEBUG=INFO
WORKERS=${WORKERS:-0}
for seed in 1 2 3; do
    python train.py --num_workers $WORKERS --batch-size=8 \\
        --pin_memory False  # as before
done
if [ -z "$1" ]; then torchrun --nproc_per_node=2 train.py --num_workers 0; fi
docker run --gpus all -v "$PWD":/w image python /w/train.py --num_workers=4
cat <<EOF2 | python train.py --num_workers "$(nproc)"
text
EOF2
"""
TRAIN = """\
import argparse
from torch.utils.data import DataLoader

parser = argparse.ArgumentParser()
parser.add_argument("--num_workers", type=int, default=2)
parser.add_argument("--batch-size", type=int, default=2)
parser.add_argument("--pin_memory", type=bool, default=True)
args = parser.parse_args()
for batch in DataLoader(data, args.batch_size, num_workers=args.num_workers):
    batch = batch.cuda(non_blocking=True)
"""

_ROW = "DataLoader([], timeout=5)"
MEASURED = json.dumps(
    {
        "schema": 1,
        "rule": "invalid-loader-arguments",
        "fix": "invalid-loader-arguments",
        "verdict": "confirmed",
        "program": "train.py",
        "machine": "CPU",
        "torch": "2.13.0",
        "when": "2026-11-21T10:00:00+00:00",
        "speedup": 1.5,
        "low": 1.4,
        "high": 1.6,
        "observable": "seconds a step",
        "step": 1.2,
        "places": [["train.py", _ROW]],
    }
)


@cache
def projects() -> tuple[Mapping[str, str], ...]:
    """The examples of all rules' pages, and of the page on configs."""
    texts = [rule_docs.read(name) for name in sorted(rule_docs.summaries())]
    texts.append((_DOCS / "configs.md").read_text("utf-8"))
    return tuple(example.files for text in texts for example in examples(text))


@cache
def with_configs() -> tuple[Mapping[str, str], ...]:
    """Those that hold a config, and one with a shell script."""
    found = [p for p in projects() if any(name.endswith(_CONFIGS) for name in p)]
    return (*found, {"run.sh": SCRIPT, "train.py": TRAIN})


def notebook(cells: list[str]) -> dict[str, object]:
    """A notebook of these cells as its JSON."""
    return {
        "cells": [
            {
                "cell_type": "code",
                "execution_count": None,
                "metadata": {},
                "outputs": [],
                "source": text.splitlines(keepends=True),
            }
            for text in cells
        ],
        "metadata": {"kernelspec": {"name": "python3", "language": "python"}},
        "nbformat": 4,
        "nbformat_minor": 5,
    }


def as_text(notebook_data: object) -> str:
    return json.dumps(notebook_data, indent=1) + "\n"
