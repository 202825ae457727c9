"""Files outside of the editor whose changes matter: what is read, settings, and ignore files."""

from __future__ import annotations

from lsprotocol import types
from pygls.capabilities import get_capability
from pygls.lsp.server import LanguageServer

from dlint.workspace import ignore_files, kinds
from dlint.workspace.settings import FILE_NAMES

_NAMES = (*FILE_NAMES, ignore_files.NAME)


def watch(server: LanguageServer) -> None:
    """Ask the client to tell of them, where it can; what it does not tell is seen by its stat."""
    can = "workspace.did_change_watched_files.dynamic_registration"
    if not get_capability(server.client_capabilities, can, False):
        return
    globs = [*(f"**/*{suffix}" for suffix in kinds.suffixes()), *(f"**/{n}" for n in _NAMES)]
    options = types.DidChangeWatchedFilesRegistrationOptions(
        [types.FileSystemWatcher(glob) for glob in globs]
    )
    method = types.WORKSPACE_DID_CHANGE_WATCHED_FILES
    registration = types.Registration("dlint-files", method, options)
    server.client_register_capability(types.RegistrationParams([registration]))
