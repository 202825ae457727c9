"""Words of shell scripts: what opens and closes blocks, and what starts Python."""

from __future__ import annotations

import re

OPENING = {
    "if": "if",
    "for": "for",
    "while": "while",
    "until": "until",
    "case": "case",
    "select": "select",
    "{": "{",
}
CLOSING = frozenset({"fi", "done", "esac", "}"})
BETWEEN = frozenset({"then", "else", "elif", "do", "in", "!", "time", "function"})

NAMING = frozenset({"for", "select", "read", "getopts", "mapfile", "readarray", "unset", "let"})
"""Commands that give a value to the names behind them."""
DECLARING = frozenset({"export", "readonly", "declare", "local", "typeset"})
TALKING = frozenset(
    {"echo", "printf", "cat", "grep", "sed", "awk", "git", "pip", "pytest", "rm", "cp", "mv", "ls"}
)
"""Commands that do not start what is named behind them."""
RUNNING_TEXT = frozenset({"eval"})
HARMLESS = re.compile(r"activate|bashrc|profile|conda|modules|venv|cmd\.sh|path\.sh|parse_options")
"""What the name of a script looks like that sets up an environment, when it is read."""

RUNNER = re.compile(r"(?:.*/)?(?:i?python[\d.]*|pypy[\d.]*|torchrun|accelerate|deepspeed|composer)")
"""A program that starts a Python script."""
LAUNCHER = re.compile(
    r"torch\.distributed|accelerate|deepspeed|torch\.utils\.bottleneck|pdb|cProfile"
)
"""A module that starts a Python script."""

RANKS = frozenset(
    {"--nproc_per_node", "--nproc-per-node", "--num_processes", "--num-processes", "--num_gpus"}
)
"""Flags of launchers that say how many processes run the script on one machine."""
SLURM_CPUS = re.compile(r"^#SBATCH[ \t](?:.*[ \t])?(?:--cpus-per-task[= ]|-c ?)(\d+)\b", re.M)
"""What Slurm is told of the CPUs of each task."""

OPTIONS = re.compile(r"worker|pin_?mem|persist|prefetch|drop_?last|shuffle")
"""What the name of an option looks like that a loader may be given."""
IMPORT = re.compile(
    r"^[ \t]*(?:from[ \t]+(\.{0,9})([\w.]{0,200})[ \t]+import\b|import[ \t]+([\w.]{1,200}))", re.M
)
"""A line of Python that imports: its dots and its module, or the module alone."""
TRAINER = re.compile(rb"\b(?:HfArgumentParser|TrlParser|H4ArgumentParser)\b")
"""What the text of a script holds that reads the arguments of transformers' trainer."""
