"""What an editor says of a place: of the findings there, or why rules are silent."""

from __future__ import annotations

from collections.abc import Iterator
from functools import partial

from lsprotocol import types

from dlint import rule_docs
from dlint.cli.explain import Asked, explained
from dlint.explain.text import as_text
from dlint.findings.diagnostic import Diagnostic
from dlint.findings.places import Place
from dlint.reports import measure
from dlint.reports.view import View
from dlint.server.protocol import Server
from dlint.server.schedule import Pause
from dlint.server.session import Checked, Round

_SILENT = "What dlint sees here, and why its rules are silent"


class Hovers:
    """Answers, and knows what stands in the files that were asked about."""

    def __init__(self, server: Server) -> None:
        self._server = server
        self._objects: dict[str, tuple[Checked, frozenset[Place]]] = {}

    async def told(self, params: types.HoverParams) -> types.Hover | None:
        """What is told of a position; None where nothing of dlint's stands."""
        server, uri = self._server, params.text_document.uri
        one = server.open_files.get(uri)
        checked = None if one is None else await server.schedule.result(one.path)
        if checked is None:
            return None
        offset = server.sheets(checked).offset(checked.path, uri, params.position)
        if offset is None:
            return None
        text = of_findings(checked, offset)
        if text is None:
            text = await server.schedule.ask(partial(self._of_object, checked, offset))
        markdown = types.MarkupKind.Markdown
        return None if text is None else types.Hover(types.MarkupContent(markdown, text))

    def _of_object(self, checked: Checked, offset: int, pause: Pause) -> str | None:
        path = checked.path
        one = self._server.session.round(self._server.scene(), path)
        if one is None or not self._stands_at(checked, one, offset, pause):
            return None
        return of_objects(one, path, offset, pause)

    def _stands_at(self, checked: Checked, one: Round, offset: int, pause: Pause) -> bool:
        """Whether a loader, sampler, loop or copy holds an offset; found out once for a text."""
        state, places = self._objects.get(checked.path, (None, frozenset[Place]()))
        if state is not checked:
            asked = Asked(checked.path, None, None)
            found, _ = explained(asked, one.given, one.checker.policy, one.sources, pause)
            places = frozenset(seen.place for seen in found.seen)
            self._objects[checked.path] = checked, places
        return any(place.start <= offset <= place.end for place in places)


def of_findings(checked: Checked, offset: int) -> str | None:
    """The rules of the findings that hold an offset, as Markdown; None where there are none."""
    view = checked.view
    here = [d for d in checked.found if d.place.start <= offset <= d.place.end]
    if not here or view is None:
        return None
    return "\n\n---\n\n".join("\n\n".join(_rule(d, view)) for d in here)


def _rule(diagnostic: Diagnostic, view: View) -> Iterator[str]:
    address = rule_docs.url(diagnostic.name)
    name = f"`{diagnostic.name}` ({diagnostic.code})"
    yield f"**{name if address is None else f'[{name}]({address})'}**"
    yield f"{rule_docs.summaries()[diagnostic.name].summary}."
    for measured in view.measured(diagnostic):
        yield f"Measured: {measured.in_words()}"
    advice = measure.advice(view, diagnostic)
    if advice is not None:
        yield advice


def of_objects(one: Round, path: str, offset: int, pause: Pause) -> str | None:
    """What stands on the row of an offset and what each rule asked of it; None for nothing."""
    place = Place(path, offset, offset)
    asked = Asked(path, one.view.position(place)[0], one.view.cell(place))
    found, view = explained(asked, one.given, one.checker.policy, one.sources, pause)
    if not found.seen:
        return None
    return f"**{_SILENT}**\n\n```text\n{as_text(found, view)}```"
