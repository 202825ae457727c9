"""An editor for tests: a client of the real protocol, over pipes to a real `dlint server`."""

from __future__ import annotations

import asyncio
import sys
from collections.abc import AsyncIterator, Awaitable, Callable, Iterable, Mapping, Sequence
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

from lsprotocol import types
from pygls.lsp.client import LanguageClient

COMMAND = (sys.executable, "-m", "dlint", "server")
"""What editors start."""
SERVER: Sequence[str] = COMMAND
"""What is started, if nothing else is said."""
PATIENCE = 60.0
"""Seconds after which nothing more is waited for."""
UTF16 = types.PositionEncodingKind.Utf16


class Editor:
    """What an editor knows: its texts, their versions, and what was published of them."""

    def __init__(self, client: LanguageClient) -> None:
        self.client = client
        self.texts: dict[str, str] = {}
        self.versions: dict[str, int] = {}
        self.published: dict[str, types.PublishDiagnosticsParams] = {}
        self.messages: list[str] = []
        self.registered: list[str] = []
        self._news = asyncio.Event()
        self._listen()

    def _listen(self) -> None:
        @self.client.feature(types.TEXT_DOCUMENT_PUBLISH_DIAGNOSTICS)
        def publish(params: types.PublishDiagnosticsParams) -> None:
            self.published[params.uri] = params
            self._news.set()

        @self.client.feature(types.WINDOW_SHOW_MESSAGE)
        def show(params: types.ShowMessageParams) -> None:
            self.messages.append(params.message)
            self._news.set()

        @self.client.feature(types.WINDOW_LOG_MESSAGE)
        def log(params: types.LogMessageParams) -> None:
            del params

        @self.client.feature(types.CLIENT_REGISTER_CAPABILITY)
        def register(params: types.RegistrationParams) -> None:
            self.registered += [one.method for one in params.registrations]

    def open(self, path: Path, text: str | None = None, language: str = "python") -> str:
        """Open a file, with another text than it has on disk. Its address."""
        uri = path.as_uri()
        self.texts[uri] = path.read_text("utf-8") if text is None else text
        self.versions[uri] = 1
        item = types.TextDocumentItem(uri, language, 1, self.texts[uri])
        self.client.text_document_did_open(types.DidOpenTextDocumentParams(item))
        return uri

    def change(self, uri: str, text: str) -> None:
        """Have a file hold another text."""
        self._changed(uri, text, types.TextDocumentContentChangeWholeDocument(text))

    def edit(self, uri: str, span: types.Range, new: str, text: str) -> None:
        """Change a part of a file; `text` is all of it afterwards."""
        self._changed(uri, text, types.TextDocumentContentChangePartial(span, new))

    def _changed(self, uri: str, text: str, change: types.TextDocumentContentChangeEvent) -> None:
        self.texts[uri] = text
        self.versions[uri] += 1
        version = types.VersionedTextDocumentIdentifier(self.versions[uri], uri)
        self.client.text_document_did_change(types.DidChangeTextDocumentParams(version, [change]))

    def save(self, uri: str) -> None:
        """Tell that a file was saved."""
        self.client.text_document_did_save(
            types.DidSaveTextDocumentParams(types.TextDocumentIdentifier(uri))
        )

    def close(self, uri: str) -> None:
        """Close a file."""
        self.client.text_document_did_close(
            types.DidCloseTextDocumentParams(types.TextDocumentIdentifier(uri))
        )

    def configure(self, table: Mapping[str, object]) -> None:
        """Tell of other settings of the editor."""
        self.client.workspace_did_change_configuration(
            types.DidChangeConfigurationParams({"dlint": table})
        )

    def touch(self, path: Path) -> None:
        """Tell that a file changed on disk."""
        event = types.FileEvent(path.as_uri(), types.FileChangeType.Changed)
        self.client.workspace_did_change_watched_files(types.DidChangeWatchedFilesParams([event]))

    async def found(self, uri: str) -> list[types.Diagnostic]:
        """What is published of a file as it is now."""
        await self.until(lambda: self._version(uri) == self.versions[uri])
        return list(self.published[uri].diagnostics)

    def _version(self, uri: str) -> int | None:
        return self.published[uri].version if uri in self.published else None

    async def codes(self, uri: str) -> list[str | int | None]:
        """The codes of what is published of a file as it is now."""
        return [found.code for found in await self.found(uri)]

    async def until(self, holds: Callable[[], bool]) -> None:
        """Wait until something is so."""
        async with asyncio.timeout(PATIENCE):
            while not holds():
                self._news.clear()
                await self._news.wait()

    async def becomes(self, uri: str, codes: Iterable[str]) -> None:
        """Wait until exactly these codes are published of a text."""
        wanted = list(codes)
        await self.until(
            lambda: (
                uri in self.published
                and [found.code for found in self.published[uri].diagnostics] == wanted
            )
        )

    async def actions(self, uri: str, span: types.Range, *only: str) -> Sequence[types.CodeAction]:
        """What is offered for a range."""
        context = types.CodeActionContext([], only=[*only] or None)
        text = types.TextDocumentIdentifier(uri)
        params = types.CodeActionParams(text, span, context)
        found = await self.client.text_document_code_action_async(params)
        return [one for one in found or () if isinstance(one, types.CodeAction)]

    async def resolve(self, action: types.CodeAction) -> types.CodeAction:
        """An action with its edit."""
        return await self.client.code_action_resolve_async(action)

    async def hover(self, uri: str, line: int, character: int) -> str | None:
        """What is told of a position, as Markdown."""
        text, position = types.TextDocumentIdentifier(uri), types.Position(line, character)
        found = await self.client.text_document_hover_async(types.HoverParams(text, position))
        if found is None:
            return None
        assert isinstance(found.contents, types.MarkupContent)
        return found.contents.value


@asynccontextmanager
async def editing(
    *roots: Path,
    encodings: Sequence[types.PositionEncodingKind] = (UTF16,),
    options: object = None,
    resolves: bool = True,
    watches: bool = False,
    command: Sequence[str] = (),
) -> AsyncIterator[Editor]:
    """An editor that has some folders open."""
    client = LanguageClient("test", "1")
    editor = Editor(client)
    await client.start_io(*(command or SERVER), cwd=str(roots[0]))
    folders = [types.WorkspaceFolder(root.as_uri(), root.name) for root in roots]
    answer = await client.initialize_async(
        types.InitializeParams(
            capabilities(encodings, resolves=resolves, watches=watches),
            workspace_folders=folders,
            initialization_options=options,
        )
    )
    assert answer.capabilities.position_encoding == encodings[0]
    client.initialized(types.InitializedParams())
    try:
        yield editor
    finally:
        await client.shutdown_async(None)
        client.exit(None)
        await asyncio.wait_for(client.stop(), PATIENCE)


def capabilities(
    encodings: Sequence[types.PositionEncodingKind], *, resolves: bool, watches: bool
) -> types.ClientCapabilities:
    """What the editor can do."""
    resolve = types.ClientCodeActionResolveOptions(["edit"]) if resolves else None
    return types.ClientCapabilities(
        general=types.GeneralClientCapabilities(position_encodings=encodings),
        text_document=types.TextDocumentClientCapabilities(
            code_action=types.CodeActionClientCapabilities(resolve_support=resolve),
            publish_diagnostics=types.PublishDiagnosticsClientCapabilities(
                related_information=True
            ),
        ),
        workspace=types.WorkspaceClientCapabilities(
            workspace_edit=types.WorkspaceEditClientCapabilities(document_changes=True),
            did_change_watched_files=types.DidChangeWatchedFilesClientCapabilities(
                dynamic_registration=watches
            ),
        ),
    )


def applied(text: str, edit: types.WorkspaceEdit | None, uri: str) -> str:
    """A text of ASCII after the edits that are for it."""
    starts = [0]
    for line in text.splitlines(keepends=True):
        starts.append(starts[-1] + len(line))
    for start, end, new in sorted(_spans(edit, uri, starts), reverse=True):
        text = text[:start] + new + text[end:]
    return text


def _spans(
    edit: types.WorkspaceEdit | None, uri: str, starts: Sequence[int]
) -> Iterable[tuple[int, int, str]]:
    for change in (edit.document_changes if edit is not None else None) or ():
        if isinstance(change, types.TextDocumentEdit) and change.text_document.uri == uri:
            for one in change.edits:
                assert isinstance(one, types.TextEdit)
                begin, end = one.range.start, one.range.end
                where = (starts[at.line] + at.character for at in (begin, end))
                yield (*where, one.new_text)  # type: ignore[misc]


def run(test: Callable[[], Awaitable[Any]]) -> None:
    """Run a test that waits."""

    async def whole() -> None:
        await test()

    asyncio.run(whole())
