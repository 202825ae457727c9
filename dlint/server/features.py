"""What an editor may tell and ask, each feature of the protocol by its name."""

from __future__ import annotations

from lsprotocol import types

from dlint.server import actions, hovers, notebooks
from dlint.server.open_files import OpenFile, OpenNotebook, path_of
from dlint.server.protocol import Server
from dlint.server.watched import watch

_ACTIONS = types.CodeActionOptions(
    [types.CodeActionKind.QuickFix, actions.FIX_ALL], resolve_provider=True
)


def server() -> Server:
    """A server with all its features."""
    made = Server()
    _begin_and_end(made)
    _files(made)
    _notebooks(made)
    _outside(made)
    _questions(made)
    return made


def _begin_and_end(server: Server) -> None:
    @server.feature(types.INITIALIZE)
    def initialize(params: types.InitializeParams) -> None:
        server.take_settings(params.initialization_options)

    @server.feature(types.INITIALIZED)
    def initialized(params: types.InitializedParams) -> None:
        del params
        watch(server)

    @server.feature(types.SHUTDOWN)
    def shutdown(params: None) -> None:
        del params
        server.schedule.interrupt()


def _files(server: Server) -> None:
    @server.feature(types.TEXT_DOCUMENT_DID_OPEN)
    def opened(params: types.DidOpenTextDocumentParams) -> None:
        item = params.text_document
        path = path_of(item.uri)
        if path is not None:
            file = OpenFile(item.uri, path, item.version, item.language_id, item.text)
            server.open_files.put(file)
            server.schedule.edited(path)

    @server.feature(types.TEXT_DOCUMENT_DID_CHANGE)
    def changed(params: types.DidChangeTextDocumentParams) -> None:
        one = server.open_files.get(params.text_document.uri)
        if isinstance(one, OpenFile):
            version, changes = params.text_document.version, params.content_changes
            server.open_files.put(one.changed(version, changes, server.positions))
            server.schedule.edited(one.path)

    @server.feature(types.TEXT_DOCUMENT_DID_SAVE)
    def saved(params: types.DidSaveTextDocumentParams) -> None:
        del params
        server.schedule.touched()

    @server.feature(types.TEXT_DOCUMENT_DID_CLOSE)
    def closed(params: types.DidCloseTextDocumentParams) -> None:
        _close(server, params.text_document.uri)


def _notebooks(server: Server) -> None:
    @server.feature(types.NOTEBOOK_DOCUMENT_DID_OPEN)
    def opened(params: types.DidOpenNotebookDocumentParams) -> None:
        path = path_of(params.notebook_document.uri)
        if path is not None:
            server.open_files.put(notebooks.opened(path, params))
            server.schedule.edited(path)

    @server.feature(types.NOTEBOOK_DOCUMENT_DID_CHANGE)
    def changed(params: types.DidChangeNotebookDocumentParams) -> None:
        one = server.open_files.get(params.notebook_document.uri)
        if isinstance(one, OpenNotebook):
            new = notebooks.after(one, params, server.positions)
            server.withdraw(uri for uri in one.uris if uri not in new.uris)
            server.open_files.put(new)
            server.schedule.edited(one.path)

    @server.feature(types.NOTEBOOK_DOCUMENT_DID_CLOSE)
    def closed(params: types.DidCloseNotebookDocumentParams) -> None:
        _close(server, params.notebook_document.uri)


def _close(server: Server, uri: str) -> None:
    one = server.open_files.close(uri)
    if one is not None:
        server.withdraw(one.uris)
        server.schedule.closed(one.path)


def _outside(server: Server) -> None:
    @server.feature(types.WORKSPACE_DID_CHANGE_WATCHED_FILES)
    def changed(params: types.DidChangeWatchedFilesParams) -> None:
        del params
        server.schedule.touched()

    @server.feature(types.WORKSPACE_DID_CHANGE_WORKSPACE_FOLDERS)
    def moved(params: types.DidChangeWorkspaceFoldersParams) -> None:
        del params
        server.schedule.touched()

    @server.feature(types.WORKSPACE_DID_CHANGE_CONFIGURATION)
    def configured(params: types.DidChangeConfigurationParams) -> None:
        if isinstance(params.settings, dict) and "dlint" in params.settings:
            server.take_settings(params.settings)
        server.schedule.touched()


def _questions(server: Server) -> None:
    about = hovers.Hovers(server)

    @server.feature(types.TEXT_DOCUMENT_CODE_ACTION, _ACTIONS)
    async def offered(params: types.CodeActionParams) -> list[types.CodeAction]:
        return await actions.offered(server, params)

    @server.feature(types.CODE_ACTION_RESOLVE)
    async def resolved(action: types.CodeAction) -> types.CodeAction:
        return await actions.resolved(server, action)

    @server.feature(types.TEXT_DOCUMENT_HOVER)
    async def told(params: types.HoverParams) -> types.Hover | None:
        return await about.told(params)
