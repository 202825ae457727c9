"""One editor's server: what is open in it, and what it is told."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable
from pathlib import Path

from lsprotocol import types
from pygls.capabilities import get_capability
from pygls.lsp.server import LanguageServer

from dlint import __version__
from dlint.api.settings import Settings
from dlint.cli.main import place_of_crash
from dlint.findings.controls import visible
from dlint.server.diagnostics import shown
from dlint.server.open_files import Open, OpenFiles, path_of
from dlint.server.options import settings_of
from dlint.server.own_texts import OwnTexts
from dlint.server.positions import Positions
from dlint.server.schedule import Schedule
from dlint.server.session import Checked, Results, Scene, Session
from dlint.server.sheets import Sheets
from dlint.workspace.errors import DlintCrash, UsageError

_NOTEBOOKS = types.NotebookDocumentSyncOptions(
    [
        types.NotebookDocumentFilterWithNotebook(
            types.NotebookDocumentFilterNotebookType("jupyter-notebook"),
            [types.NotebookCellLanguage("python")],
        )
    ]
)


class Server(LanguageServer):
    """Holds what is open, and publishes what is found there."""

    def __init__(self) -> None:
        super().__init__(
            "dlint", __version__, notebook_document_sync=_NOTEBOOKS, protocol_cls=OwnTexts
        )
        self.open_files = OpenFiles()
        self.session = Session()
        self.schedule = Schedule(self.session, self.scene, self.publish)
        self._settings = Settings()
        self._told: set[str] = set()

    @property
    def positions(self) -> Positions:
        """How this client counts."""
        return Positions(self.workspace.position_codec)

    def scene(self) -> Scene:
        """What is open now."""
        paths = map(path_of, self.workspace.folders)
        folders = tuple(Path(path) for path in paths if path is not None)
        return Scene(self.open_files.now(), folders, self._settings)

    def sheets(self, checked: Checked) -> Sheets:
        """Where the findings of a check stand in what is open."""
        return Sheets(checked.sources, self.open_files.now(), self.positions)

    def can(self, capability: str) -> bool:
        """Whether the client says that it can do something, by its path with dots."""
        return bool(get_capability(self.client_capabilities, capability, False))

    @property
    def takes_versions(self) -> bool:
        """Whether edits may say which version of a text they are for."""
        return self.can("workspace.workspace_edit.document_changes")

    def take_settings(self, given: object) -> None:
        """Check as the editor's settings say; those that it cannot know are told and left."""
        try:
            self._settings = settings_of(given)
        except UsageError as error:
            self._tell(types.MessageType.Error, str(error))

    def publish(self, results: Results) -> None:
        """Show what a check came to."""
        for checked in results.checked:
            self._publish_file(checked)
        for problem in results.problems:
            self._tell(types.MessageType.Error, problem)
        for crash in results.crashes:
            self._tell(types.MessageType.Error, _crashed(crash))
        for note in results.notes:
            params = types.LogMessageParams(types.MessageType.Info, visible(note))
            self.window_log_message(params)
        if not results.problems:
            self._told -= {text for text in self._told if not text.startswith("dlint crashed")}

    def withdraw(self, uris: Iterable[str]) -> None:
        """Show nothing any more where something is closed."""
        for uri in uris:
            self.text_document_publish_diagnostics(types.PublishDiagnosticsParams(uri, []))

    def _publish_file(self, checked: Checked) -> None:
        one = self.open_files.now()[checked.path]
        sheets = self.sheets(checked)
        found: defaultdict[str, list[types.Diagnostic]] = defaultdict(list)
        for diagnostic in checked.found:
            uri, told = shown(diagnostic, sheets)
            if not self.can("text_document.publish_diagnostics.related_information"):
                told.related_information = None
            found[uri].append(told)
        for uri in one.uris:
            params = types.PublishDiagnosticsParams(uri, found[uri], _version(one, uri))
            self.text_document_publish_diagnostics(params)

    def _tell(self, kind: types.MessageType, text: str) -> None:
        """Say something once, until it is no longer so."""
        if text not in self._told:
            self._told.add(text)
            self.window_show_message(types.ShowMessageParams(kind, visible(text)))


def _version(one: Open, uri: str) -> int | None:
    """The version of a file; cells have their own, which is not followed."""
    return one.version if one.uris == [uri] else None


def _crashed(crash: DlintCrash) -> str:
    return (
        f"dlint crashed{place_of_crash(crash)}: {crash.__cause__!r}. This is a fault of dlint, not "
        "of your code; what its other rules found is shown"
    )
