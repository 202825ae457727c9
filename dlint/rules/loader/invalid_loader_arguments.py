"""invalid-loader-arguments: values, and combinations with `num_workers=0`, that torch refuses."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

from dlint.findings.diagnostic import Applicability, Fix, Related, Severity
from dlint.findings.finding import Finding
from dlint.findings.operations import Operation, RemoveArgument, SetArgument
from dlint.model.loading.config_origins import restated, sources
from dlint.model.loading.exclusive_arguments import is_idle, needing_workers, was_default
from dlint.model.loading.late_attributes import late_attributes
from dlint.model.loading.loader_conflicts import Conflict, is_expected
from dlint.model.loading.loader_generators import gpu_generator, shuffled_by_cpu
from dlint.model.loading.loaders import Loaders
from dlint.model.loading.refused_values import refused_default, refused_values
from dlint.model.loading.roles import is_left_alone
from dlint.model.loading.written import constant_text
from dlint.rules.loader._wanted_workers import is_costly, wants_workers

if TYPE_CHECKING:
    from dlint.analyses.context import AnalysisContext
    from dlint.model.loading.loader import Loader

_NEUTRAL = {"timeout": "0", "persistent_workers": "False"}
_WITHOUT_EFFECT = ("worker_init_fn", "in_order")
_CLASHES = {
    gpu_generator: (
        "`generator` is one of a GPU, but a DataLoader draws its seeds and indices on the CPU; "
        "make it with `torch.Generator()`"
    ),
    shuffled_by_cpu: (
        "a GPU is torch's default device by then, but `shuffle=True` draws with a generator of "
        "the CPU; leave the default device alone and move the model, or give "
        '`generator=torch.Generator(device="cuda")`, no workers and no pinning: '
        "tensors are then made on the GPU, which workers that fork cannot, and are not pinned"
    ),
}


def check(context: AnalysisContext) -> Iterator[Finding]:
    """Loaders that raise, those whose worker options do nothing, and attributes set too late."""
    told: set[object] = set()
    groups = context[Loaders].by_call().values()
    for group in sorted(groups, key=lambda loaders: loaders[0].place):
        for loader in group:
            found = _raising(loader) or _idle(loader)
            if found is not None:
                cause = refused_default(loader)
                if cause not in told:
                    yield found
                told |= {cause} - {None}
                break
    for late in late_attributes(context):
        if late.name == "shuffle":
            what = "a DataLoader takes no notice of `shuffle` after construction"
        else:
            what = f"DataLoader raises ValueError: `{late.name}` cannot be set after construction"
        yield Finding(Severity.ERROR, f"{what}; make a new loader with it", late.place)


def _raising(loader: Loader) -> Finding | None:
    if is_expected(loader):
        return None
    return _unknown(loader) or _refused(loader) or _workerless(loader) or _devices(loader)


def _unknown(loader: Loader) -> Finding | None:
    """A keyword that torch's constructor does not have."""
    for argument in loader.unknown:
        advice = f"write `{argument.meant}`" if argument.meant else "leave it out"
        message = f"DataLoader raises TypeError: it takes no `{argument.name}`; {advice}"
        at, related = argument.place, _passed_here(loader)
        return Finding(Severity.ERROR, message, loader.place, related, argument=at)
    return None


def _refused(loader: Loader) -> Finding | None:
    """A value that is wrong by itself."""
    for refused in refused_values(loader):
        how = f" (by the {refused.assumed})" if refused.assumed else ""
        tested = " and ".join(f"`{name}`" for name in refused.tested)
        fault = f": `{refused.name}` is {refused.value!r}{how}"
        if tested:
            fault = f" where a test of {tested} makes `{refused.name}` {refused.value!r}{how}"
        message = f"DataLoader raises {refused.error}{fault}; give {refused.wanted}"
        message = loader.in_words(message)
        at = loader.argument_place(refused.name)
        severity = Severity.ERROR if refused.default is None else Severity.INFO
        return Finding(severity, message, loader.place, _passed_here(loader), argument=at)
    return None


def _workerless(loader: Loader) -> Finding | None:
    """Arguments that only workers can serve, where there are none."""
    found = needing_workers(loader)
    if not found:
        return None
    met = next(iter(found.values()))
    names = " and ".join(f"`{name}`" for name in found)
    error = "ValueError" if found.keys() - {"timeout"} else "AssertionError at the first batch"
    severally = len(found) > 1
    message = (
        f"DataLoader {_raises(found)} {error}{_since(loader, found)}{_when(found)}: "
        f"{names} need{'' if severally else 's'} workers, "
        f"but `num_workers` {_zero(met)}; set `num_workers`, or leave "
        f"{'them' if severally else 'it'} out"
    )
    return Finding(
        Severity.ERROR,
        loader.in_words(message),
        loader.place,
        (*_passed_here(loader), *sources(met.second for met in found.values())),
        _restating(found) or _fix(loader, list(found)),
        loader.argument_place(*found),
    )


def _since(loader: Loader, found: dict[str, Conflict]) -> str:
    """From which version on, where the project admits an older one that lets it pass."""
    older = found.keys() == {"prefetch_factor"} and was_default(
        loader, "prefetch_factor", found["prefetch_factor"].second
    )
    return " since torch 2.0" if older else ""


def _raises(found: dict[str, Conflict]) -> str:
    """Whether it raises wherever the first value holds, or on some of the paths there."""
    partly = any(not met.always and not met.given for met in found.values())
    return "may raise" if partly else "raises"


def _when(found: dict[str, Conflict]) -> str:
    met = next(iter(found.values()))
    if not met.always and not met.first.assumed:
        return f" {'where' if _raises(found) == 'may raise' else 'whenever'} `num_workers` is 0"
    if len(found) == 1 and not met.given and not met.second.assumed:
        return f" wherever `{next(iter(found))}` is given"
    return ""


def _zero(met: Conflict) -> str:
    if met.first.assumed:
        return f"is 0 (by the {met.first.assumed})"
    if not met.always:
        return "may be 0"
    return "is 0 by default" if met.first.is_nothing else "is 0"


def _passed_here(loader: Loader) -> tuple[Related, ...]:
    return (Related(loader.context_place, "called here"),) if loader.has_context else ()


def _restating(found: dict[str, Conflict]) -> Fix | None:
    """Take what needs workers back in the settings file that asks for it."""
    changes = [restated(met.second, _NEUTRAL.get(name, "None")) for name, met in found.items()]
    known = tuple(change for change in changes if change is not None)
    if not known or len(known) < len(changes):
        return None
    certain = all(met.second.is_written for met in found.values())
    applicability = Applicability.SAFE if certain else Applicability.UNSAFE
    return Fix(applicability, "Do not ask for it in the settings", known)


def _fix(loader: Loader, names: list[str]) -> Fix | None:
    """Take the arguments out, or give them only where there are workers.

    Not where workers are what is missing: then zero-workers gives them.
    """
    if not loader.is_spelled_out or (wants_workers(loader) and is_costly(loader)):
        return None
    if loader.workers.is_constant:
        removals: list[Operation] = [
            RemoveArgument(
                loader.place,
                loader.keyword(name),
                loader.position(name),
                _NEUTRAL.get(name, "None"),
            )
            for name in names
        ]
        return Fix(Applicability.SAFE, "Leave out what needs workers", tuple(removals))
    workers = loader.workers.name
    guarded = [_guarded(loader, key, workers) for key in names]
    if workers is None or None in guarded:
        return None
    settings: list[Operation] = [
        SetArgument(loader.place, loader.keyword(key), text, loader.position(key))
        for key, text in zip(names, guarded, strict=True)
        if text is not None
    ]
    return Fix(Applicability.SAFE, "Ask for it only where there are workers", tuple(settings))


def _guarded(loader: Loader, name: str, workers: str | None) -> str | None:
    """The text of a constant argument that is given only where there are workers."""
    text = constant_text(loader, name)
    if text is None:
        return None
    if name == "persistent_workers":
        return f"{workers} > 0"
    return f"{text} if {workers} > 0 else {0 if name == 'timeout' else None}"


def _devices(loader: Loader) -> Finding | None:
    """A generator of one device, where seeds or indices are drawn on another."""
    if is_left_alone(loader):
        return None
    for find, what in _CLASHES.items():
        place = find(loader)
        if place is not None:
            message = f"the first batch raises RuntimeError: {what}"
            related = (Related(place, "the GPU is named here"),)
            needs = ("draws-with-a-generator",)
            return Finding(Severity.ERROR, message, loader.place, related, needs=needs)
    return None


def _idle(loader: Loader) -> Finding | None:
    """Arguments for workers that are taken without a word and never used."""
    for name in _WITHOUT_EFFECT:
        if is_idle(loader, name):
            message = (
                f"`{name}` does nothing: it concerns workers, and `num_workers` is 0; set "
                "`num_workers`, or leave it out"
            )
            return Finding(
                Severity.INFO, message, loader.place, argument=loader.argument_place(name)
            )
    return None
