"""What is said of each part of a project: kept from an earlier run, or found now."""

from __future__ import annotations

import gc
from collections.abc import Callable, Container, Iterable, Iterator, Mapping
from typing import TYPE_CHECKING, Any

from dlint.engine.kept.files import News
from dlint.engine.kept.keeping import Kept
from dlint.engine.parts import Part
from dlint.engine.processes import can_fork, side_by_side
from dlint.frontends.modules import Helpers, Modules
from dlint.workspace import asked
from dlint.workspace.asked import Asked

if TYPE_CHECKING:
    from dlint.engine.answer import Answer
    from dlint.engine.lowering_beside import Named
    from dlint.engine.request import Progress
    from dlint.engine.rule_runs import RuleRuns

Json = Any
Found = tuple["Answer", Asked]
"""An answer, with what was asked for it."""
MANY_OBJECTS = 2_000_000
"""Objects, of some hundred bytes each."""
_FEW = 20
"""Files for whose analysis no memory need be freed: to look for it takes longer."""
_WORTH = 100_000
"""Bytes of text beside those of the largest part that another process is worth its start for."""


class Answering:
    """Asks the rules about parts of which nothing that holds is kept."""

    def __init__(
        self,
        rules: Callable[[], RuleRuns],
        modules: Modules,
        kept: Kept,
        jobs: int,
        progress: Progress | None,
        meanwhile: Callable[[], object],
        named: Callable[[Part], Named],
    ) -> None:
        """`meanwhile` is done while other processes find the answers; `named` gives the files of a
        part that one has to do with by its own text.
        """
        self._progress = progress
        self._has_found = False
        self._rules = rules
        self._modules = modules
        self._kept = kept
        self._jobs = jobs if can_fork() else 1
        self._meanwhile = meanwhile
        self._named = named

    def about(self, parts: Iterable[Part]) -> Iterator[tuple[Part, Answer]]:
        """The answers about some parts, in their order."""
        if self._jobs == 1:
            for part in parts:
                yield part, self._one(part)
            return
        known = [(part, self._kept.get(part)) for part in parts]
        todo = [part for part, answer in known if answer is None]
        found = self._all(todo) if todo else iter(())
        for part, answer in known:
            yield part, self._noted(next(found) if answer is None else answer)

    def _all(self, parts: list[Part]) -> Iterator[Answer]:
        """The answers about some parts of which none is kept, found by several processes."""
        from dlint.engine.looked_at_apart import may_be_shared
        from dlint.engine.lowering_ahead import lower_ahead
        from dlint.engine.lowering_beside import helped

        lower_ahead(parts, self._modules, self._jobs)
        with helped(parts, self._modules, self._jobs, self._named) as helpers:
            if not helpers and not self._is_worth(parts):
                for part in parts:
                    yield self._put(part, self._found(part))
                return
            apart = {part for part in helpers if may_be_shared(part, self._modules)}
            found = self._beside(parts, helpers, apart)
            for part in parts:
                yield self._put(part, self._checked(part, next(found), part in apart))

    def _is_worth(self, parts: list[Part]) -> bool:
        sizes = sorted(sum(len(self._modules.text(p)) for p in part.files) for part in parts)
        return sum(sizes[:-1]) > _WORTH

    def _beside(
        self, parts: list[Part], helpers: Mapping[Part, Helpers], apart: Container[Part]
    ) -> Iterator[Found | None]:
        """The answers of processes, in the order of the parts; the largest ones begin first.

        Those that may be looked at apart are tried as a whole only.
        """
        order = sorted(range(len(parts)), key=lambda number: -len(parts[number].files))

        def found(number: int) -> tuple[Found, list[News]]:
            part, rules = parts[order[number]], self._rules()
            over = rules.over_whole if part in apart else rules.over
            self._kept.files.news()
            return self._found(part, over, helpers.get(part)), self._kept.files.news()

        results = side_by_side(found, len(parts), self._jobs, self._meanwhile)
        waiting: dict[int, Found | None] = {}
        for number in range(len(parts)):
            while number not in waiting:
                waiting[order[len(waiting)]] = self._learned(next(results))
            yield waiting[number]

    def _learned(self, told: tuple[Found, list[News]] | None) -> Found | None:
        """What a process found, once it is known what it read of files on the way."""
        if told is None:
            return None
        found, news = told
        self._kept.files.learn(news)
        return found

    def _one(self, part: Part) -> Answer:
        answer = self._kept.get(part)
        return self._noted(self._put(part, self._found(part)) if answer is None else answer)

    def _checked(self, part: Part, found: Found | None, is_whole: bool) -> Found:
        """What processes found; where they found nothing, or a rule failed, it is found here."""
        if is_whole and found is not None and found[0].is_apart and not found[0].crashes:
            found = self._shared(part, found)
        if found is None or found[0].crashes:
            return self._found(part)
        return found

    def _shared(self, part: Part, whole: Found) -> Found | None:
        from dlint.engine.looked_at_apart import shared

        over = self._rules().over_apart
        return shared(part, whole, lambda one: self._found(one, over), self._jobs)

    def _put(self, part: Part, found: Found) -> Answer:
        """An answer that was found now."""
        from dlint.engine.answer import told_once

        answer, noted = found
        answer.diagnostics = told_once(answer.diagnostics)
        self._kept.put(part, answer, noted)
        return answer

    def _noted(self, answer: Answer) -> Answer:
        """An answer, once it is noted which of the files asked for were no modules."""
        self._modules.problems.update(answer.problems)
        self._modules.oversized.update(answer.oversized)
        if self._progress is not None:
            self._progress.programs += 1
        return answer

    def _looked_at(self, paths: Iterable[str]) -> Json:
        """What was read of some modules, and which names they were asked for."""
        looked = self._modules.looked_at(paths)
        if not looked:
            return None
        from dlint.ir.looked_at import NAMES

        return [looked, *NAMES.to_json()]

    def _found(
        self,
        part: Part,
        over: Callable[[Part], Answer] | None = None,
        helpers: Helpers | None = None,
    ) -> Found:
        """What the rules say, with what was asked for it."""
        is_large = len(part.files) > _FEW
        if is_large and self._has_found and gc.get_count()[0] > MANY_OBJECTS:
            gc.collect()  # what the part before has left, which nobody asks again
        self._has_found = True
        problems, oversized = self._modules.problems, self._modules.oversized
        self._modules.begin_help(helpers)
        with asked.noting() as noted:
            answer = (over or self._rules().over)(part)
        noted.looked = self._looked_at(noted.modules)
        answer.problems = {path: problems[path] for path in noted.texts & problems.keys()}
        answer.oversized = sorted(noted.texts & oversized)
        return answer, noted
