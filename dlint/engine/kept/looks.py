"""What was read of the modules of a program: an edit of anything else ends no answer about it."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from dlint.ir.module import ModuleIndex
    from dlint.ir.unchanged import Read, Unchanged

Json = Any
Table = Mapping[str, Any]
TABLES = frozenset(
    {
        "dlint.analyses.loader_makers:handing_on",
        "dlint.model.loops.unread_names:read_names",
        "dlint.semantics.calls.keeping_decorators:decorations",
        "dlint.semantics.calls.picked_calls:kept_names",
        "dlint.semantics.calls.picked_calls:picking_calls",
        "dlint.semantics.project:imported_things",
        "dlint.semantics.values.rewrites:deleted_items",
    }
)
"""What is asked of modules by name beside `NamedThings`."""
QUESTIONS = frozenset(
    {
        "dlint.analyses.carrying_calls:carrying_calls",
        "dlint.analyses.control.absent_keys:stays_with",
        "dlint.analyses.control.absent_options:is_kept",
        "dlint.analyses.control.completions:completions",
        "dlint.analyses.control.completions:end_of",
        "dlint.analyses.control.order:next_in_block",
        "dlint.analyses.control.path_tests:calls_at_import",
        "dlint.analyses.control.path_tests:main_guards",
        "dlint.analyses.control.path_tests:tests_before",
        "dlint.analyses.control.started:does_something",
        "dlint.analyses.control.started:is_started",
        "dlint.analyses.idle.failing_code:passed",
        "dlint.analyses.idle.own_lookups:binds_own_names",
        "dlint.analyses.idle.own_lookups:finds_own_names",
        "dlint.analyses.idle.unused:defined_at_top",
        "dlint.analyses.idle.unused:names_between",
        "dlint.analyses.idle.unused_inner:unused_inner",
        "dlint.analyses.parameter_uses:parameters_given_on",
        "dlint.analyses.parameter_uses:put_into_parameters",
        "dlint.analyses.resizing:resizes",
        "dlint.ir.walk:bindings_of",
        "dlint.ir.walk:calls_in",
        "dlint.ir.walk:calls_with_arguments",
        "dlint.ir.walk:lasting_of",
        "dlint.model.loading.resumed_loaders:calls_what_skips",
        "dlint.model.loading.resumed_loaders:only_advances",
        "dlint.model.loading.roles:trainers_of",
        "dlint.model.loops.iterating_code:asking_calls",
        "dlint.model.loops.iterating_code:going_through",
        "dlint.model.machines.entry_points:evaluated_calls",
        "dlint.model.machines.entry_points:starting_calls",
        "dlint.model.machines.platforms:platform_names",
        "dlint.model.transfers.devices:setting_devices",
        "dlint.model.versions.code_versions:version_names",
        "dlint.semantics.calls.keeping_decorators:hands_back",
        "dlint.semantics.names.replaced_functions:bound_again",
        "dlint.semantics.values.contents:calls_given_names",
    }
)
"""What is asked of parts of modules, and answered by their code alone."""


class Looks:
    """What is kept of one answer, and brought up to date where a module changed elsewhere."""

    def __init__(self, kept: Callable[[], Json], compared: Callable[..., Unchanged | None]) -> None:
        """`compared` tells how what is kept of a module lies in it now (`Modules.unchanged`)."""
        self._find = kept
        self._kept: Json = None
        self._compared = compared
        self._found: dict[tuple[str, str], Unchanged | None] = {}
        self.is_new = False
        """Whether other fields of modules stand for those that were read."""

    @property
    def kept(self) -> Json:
        """All that is kept."""
        if self._kept is None:
            self._kept = self._find() or [{}, {}, {}, {}]
        return self._kept

    def moves(self, name: str, path: str) -> Mapping[int, int] | None:
        """Where the offsets that were read lie, of what was kept under a name, in a file now.

        None where what was read is not the same. Raises ValueError, TypeError or LookupError for
        what is kept of nothing.
        """
        if (name, path) not in self._found:
            self._found[name, path] = self._asked_again(name, path)
        found = self._found[name, path]
        return None if found is None else found.places

    def _asked_again(self, name: str, path: str) -> Unchanged | None:
        looked = self.kept[0].get(path)
        if looked is None:
            return None
        found = self._compared(
            name, path, looked, lambda *both: self._asked(path, *both), _answering
        )
        if found is not None:
            self.kept[0][path] = found.looked
            self.is_new = True
        return found

    def _asked(self, path: str, before: Read, after: Read) -> Iterator[tuple[Any, Any]]:
        """What was asked by name, of a module as it was and as it is."""
        _, asked, missed, everywhere = self.kept
        own = asked.get(path, {})
        for table in sorted({*own, *missed, *everywhere}):
            there = _tables(table)
            if there is None:
                yield None, 0
                return
            old, new = there(before.index), there(after.index)
            names = [*own.get(table, ()), *everywhere.get(table, ())]
            if None in names:
                yield dict(old), dict(new)
            else:
                yield [n for n in names if n in old], [n for n in names if n in new]
                yield from ((old[n], new[n]) for n in names if n in old and n in new)
                others = missed.get(table, ())
                yield [], [n for n in others if n in new and n not in old]


def _tables(table: str) -> Callable[[ModuleIndex], Table] | None:
    """What makes a table of a module; None for one that is not known."""
    if ":" not in table:
        from dlint.semantics.names.named_things import NamedThings

        return lambda module: getattr(NamedThings(module), table)
    return _function(table) if table in TABLES else None


def _answering(question: str) -> Callable[..., Any] | None:
    """What answers a question by code alone; None for one that is not known."""
    return _function(question) if question in QUESTIONS else None


def _function(name: str) -> Callable[..., Any]:
    home, _, own = name.partition(":")
    found: Callable[..., Any] = getattr(import_module(home), own)
    return found
