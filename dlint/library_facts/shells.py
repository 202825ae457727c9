"""Words of shell scripts: what opens blocks, and what starts Python."""

from __future__ import annotations

import re

from dlint.findings.regexes import lazily

OPENING = frozenset(
    {"if", "for", "while", "until", "case", "select", "{", "}", "function", "coproc"}
)
"""Words behind which a command may be run or not."""
BEFORE_COMMANDS = frozenset(
    {"if", "then", "elif", "else", "while", "until", "do", "!", "{", "time", "command", "builtin"}
)
"""Words behind which a command begins."""
LEAVING = frozenset({"exit", "return", "exec", "cd", "pushd", "popd"})
"""Commands behind which nothing is run, or in another folder."""
ENDS = frozenset({"\n", ";", "&", "&&", "||", "|", "|&"})
"""What ends a command that no bracket surrounds."""
PLAIN_ENDS = frozenset({"\n", ";", "&"})
"""Those behind which the next command is run whatever the one before does."""

ASSIGNING = frozenset(
    {
        ".",
        "alias",
        "declare",
        "eval",
        "getopts",
        "let",
        "local",
        "mapfile",
        "printf",
        "read",
        "readarray",
        "source",
        "trap",
        "typeset",
        "unset",
    }
)
"""Commands that may give a value to any variable."""
EXPORTING = frozenset({"export", "readonly"})
TALKING = frozenset(
    {
        "[",
        "[[",
        "awk",
        "cat",
        "cp",
        "echo",
        "git",
        "grep",
        "ls",
        "mv",
        "pgrep",
        "pip",
        "pkill",
        "printf",
        "pytest",
        "rm",
        "sed",
        "test",
        "type",
        "which",
    }
)
"""Commands that do not start what is named behind them."""
WRAPPERS = frozenset({"srun", "nohup", "time", "nice", "env", "exec"})
"""Commands that start what is named behind them, and their options, in the same folder."""

RUNNER = lazily(r"(?:.*/)?(?:i?python[\d.]*|pypy[\d.]*|torchrun|accelerate|deepspeed|composer)")
"""A program that starts a Python script."""
LAUNCHER = lazily(
    r"torch\.distributed|accelerate|deepspeed|torch\.utils\.bottleneck|pdb|cProfile|launch$"
)
"""A module that starts a Python script, or its command to do so."""

RANKS = frozenset({"--nproc_per_node", "--nproc-per-node", "--num_gpus"})
"""Flags of launchers that say how many processes run the script on one machine."""
SLURM_HEAD = lazily(r"(?:#[^\n]*\n|[ \t\r]*\n)*")
"""The part of a script in which Slurm looks for what it is told."""
SLURM_CPUS = lazily(r"^#SBATCH[ \t](?:.*[ \t])?(?:--cpus-per-task[= ]|-c ?)([0-9]{1,6})\b", re.M)
"""What Slurm is told of the CPUs of each task."""

OPTIONS = lazily(r"worker|pin_?mem|persist|prefetch|drop_?last|shuffle|epoch")
"""What the name of an option looks like that a loader may be given, or epochs are counted by."""
IMPORT = lazily(
    r"^[ \t]*(?:from[ \t]+(\.{0,9})([\w.]{0,200})[ \t]+import\b|import[ \t]+([\w.]{1,200}))", re.M
)
"""A line of Python that imports: its dots and its module, or the module alone."""
PARSER = lazily(
    rb"ArgumentParser\s*\(|OptionParser\s*\(|\bsys\.argv\b|^[ \t]*(?:import|from)[ \t]+"
    rb"(?:click|fire|typer|tyro|hydra|absl|docopt|jsonargparse)\b",
    re.M,
)
"""What the text of a module holds that may read the command line itself."""
SUBCOMMANDS = lazily(rb"add_subparsers|add_parser\s*\(")
"""What it holds where options belong to one word of the command line."""
TRAINER = lazily(rb"\b(?:HfArgumentParser|TrlParser|H4ArgumentParser)\b")
"""What the text of a script holds that reads the arguments of transformers' trainer."""
