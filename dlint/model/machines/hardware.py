"""Which devices the text of a project speaks of: CUDA, other accelerators, Apple's MPS."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from dlint.findings.regexes import lazily
from dlint.library_facts.platforms import JAX
from dlint.model.machines.entry_points import EntryPoints

if TYPE_CHECKING:
    from dlint.analyses.context import AnalysisContext

_CUDA = lazily(rb"cuda|nccl|[\"']gpu[\"']|torch\.accelerator|torch\.xpu|torch_npu|GradScaler")
_LAUNCHED = lazily(
    rb"\bgpus\s*=\s*(?!0\b|None\b)|\b(?:mixed_precision|precision)\s*=\s*[\"']?(?:fp16|bf16|16|fp8)"
    rb"|\b(?:fp16|bf16)\s*=\s*True\b"
)
"""How a framework is asked for GPUs, or for half precision, of which a CPU has no use."""
_ACCELERATORS = ("cuda", "nccl", "accelerator", "xpu", "torch_npu", "GradScaler", "mps")
_GRAPHS = lazily(rb"CUDAGraph|cuda\.graph\(|make_graphed_callables")
_MPS = lazily(rb"[\"']mps[\"']|backends\.mps")
_MAC = lazily(rb"(?m)^[^#\n]*[\"']/Users/\w")
_UNIX = rb"[\"'](?:/(?:home|mnt|media|content|kaggle|root|scratch|workspace|data)/%b)"
_ON_UNIX = lazily(_UNIX % b"")
_ELSEWHERE = lazily(_UNIX % rb"|[A-Za-z]:[\\/]")
"""Absolute paths of people's files on macOS, and on machines that may have a GPU."""
_JAX = lazily(rb"(?m)^[ \t]*(?:import|from)[ \t]+(?:%b)\b" % "|".join(sorted(JAX)).encode())
_PLACES = ("home", "mnt", "media", "content", "kaggle", "root", "scratch", "workspace", "data")
_CLUSTERS = ("SBATCH", "sbatch", "srun", "qsub")


def mentions_cuda(context: AnalysisContext, path: str) -> bool:
    """Whether a file speaks of CUDA or another accelerator."""
    return context.project.says(path, _CUDA)


def mentions_mps(context: AnalysisContext, path: str) -> bool:
    """Whether a file speaks of Apple's MPS device."""
    return context.project.says(path, _MPS)


def captures_graphs(context: AnalysisContext, path: str) -> bool:
    """Whether a file records CUDA graphs, which fix the addresses they copy from."""
    return context.project.says(path, _GRAPHS)


def graph_importers(context: AnalysisContext) -> frozenset[str]:
    """The files that record CUDA graphs, and those of the project that import one of them."""
    project = context.project
    recording = (path for path in project.files if project.says(path, _GRAPHS))
    return frozenset(project.graph.importers(recording))


def may_capture_graphs(context: AnalysisContext, path: str) -> bool:
    """Whether a file, or one of the project's that it imports, records CUDA graphs."""
    return path in context[graph_importers]


def targets_accelerator(context: AnalysisContext, path: str) -> bool:
    """Whether a program that runs the file at `path` speaks of CUDA or another accelerator."""
    return any(
        mentions_cuda(context, other) or context.project.says(other, _LAUNCHED)
        for other in _run_with(context, path)
    )


def may_use_mps(context: AnalysisContext, path: str) -> bool:
    """Whether a program that runs the file at `path` chooses Apple's MPS device."""
    return any(mentions_mps(context, other) for other in _run_with(context, path))


def may_use_mps_beside(context: AnalysisContext, path: str) -> bool:
    """Whether a file that imports a module chooses MPS, beside the notebook of this program."""
    if not context[_holds_notebook]:
        return False
    speaking = context[_speaking_of_mps]
    return bool(speaking) and not speaking.isdisjoint(context.project.graph.importers({path}))


def _holds_notebook(context: AnalysisContext) -> bool:
    """Whether a program is one of a notebook: nothing else loads one."""
    return any(facts.module.is_notebook for facts in context.modules)


def _speaking_of_mps(context: AnalysisContext) -> frozenset[str]:
    """The files of a program that speak of MPS, be they loaded or not."""
    return frozenset(path for path in context.project.files if mentions_mps(context, path))


def _run_with(context: AnalysisContext, path: str) -> list[str]:
    """The files of the programs that run a file."""
    programs = context[EntryPoints].run_with(path)
    return [f.module.path for f in context.modules if f.module.path in programs]


def computes_with_jax(context: AnalysisContext, path: str) -> bool:
    """Whether a program that runs the file at `path` imports JAX, or a library built on it."""
    return any(context.project.says(other, _JAX) for other in _run_with(context, path))


def lives_on_mac(context: AnalysisContext, path: str) -> bool:
    """Whether a program that runs the file at `path` holds a path of a Mac, which has no CUDA.

    Not so where the project writes out paths of other machines, or speaks of a scheduler.
    """
    said = (context.project.says(other, _MAC) for other in _run_with(context, path))
    return any(said) and not context[is_elsewhere_too]


def is_elsewhere_too(context: AnalysisContext) -> bool:
    """Whether a project is run on other machines than somebody's own Mac too."""
    return _writes_out(context, _ELSEWHERE)


def is_on_unix_too(context: AnalysisContext) -> bool:
    """Whether a project is run on Linux too: on a cluster, or where its paths lie."""
    return _writes_out(context, _ON_UNIX)


def _writes_out(context: AnalysisContext, paths: re.Pattern[bytes]) -> bool:
    """Whether a project speaks of a scheduler, or writes out paths that a pattern takes."""
    project = context.project
    if project.speaks_of(_CLUSTERS):
        return True
    others = {path for place in _PLACES for path in project.words.holders(place.encode())}
    others |= {facts.module.path for facts in context.modules}
    return any(project.says(path, paths) for path in sorted(others))


def stays_on_cpu(context: AnalysisContext) -> bool:
    """Whether nothing in the whole project speaks of another device."""
    paths = [module.path for module in context.reached_modules]
    if any(mentions_cuda(context, path) or mentions_mps(context, path) for path in paths):
        return False
    return not context.project.speaks_of(_ACCELERATORS)
