"""The protocol of pygls without its own copies of texts: `open_files` keeps them."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

from lsprotocol import types
from pygls.protocol import LanguageServerProtocol, lsp_method

_Call = tuple[Callable[..., Any], tuple[Any, ...], None]
"""What pygls is to call, and with what."""


class OwnTexts(LanguageServerProtocol):
    """Hands changes on as they come.

    pygls would apply them first, with lines that end at form feeds too, and would move positions
    that lie behind the end of such a line.
    """

    @lsp_method(types.TEXT_DOCUMENT_DID_CHANGE)
    def lsp_text_document__did_change(
        self, params: types.DidChangeTextDocumentParams
    ) -> Iterator[_Call]:
        """A text has changed."""
        yield from self._handed_on(types.TEXT_DOCUMENT_DID_CHANGE, params)

    @lsp_method(types.NOTEBOOK_DOCUMENT_DID_CHANGE)
    def lsp_notebook_document__did_change(
        self, params: types.DidChangeNotebookDocumentParams
    ) -> Iterator[_Call]:
        """A notebook has changed."""
        yield from self._handed_on(types.NOTEBOOK_DOCUMENT_DID_CHANGE, params)

    def _handed_on(self, method: str, params: object) -> Iterator[_Call]:
        handler = self.fm.features.get(method)
        if handler is not None:
            yield handler, (params,), None
