"""What an editor offers to do about findings: fix them, or suppress them."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from difflib import SequenceMatcher

from lsprotocol import types

from dlint.cli.fixing import confined
from dlint.findings.diagnostic import Applicability, Diagnostic
from dlint.findings.edits import Edit
from dlint.fixes.apply import fix_all
from dlint.server.diagnostics import shown
from dlint.server.protocol import Server
from dlint.server.schedule import Pause
from dlint.server.session import Checked, Round
from dlint.server.sheets import Sheets, TextEdits
from dlint.suppression.add_ignores import DEFAULT_REASON, add_ignores
from dlint.workspace.source import Source, UnreadableError

FIX_ALL = f"{types.CodeActionKind.SourceFixAll.value}.dlint"
_MARKS = {
    Applicability.SAFE: "",
    Applicability.UNSAFE: " (unsafe fix: look at it before you keep it)",
}


async def offered(server: Server, params: types.CodeActionParams) -> list[types.CodeAction]:
    """What can be done about the findings in a range, of the kinds that are asked for."""
    uri, only = params.text_document.uri, params.context.only
    one = server.open_files.get(uri)
    if one is None:
        return []
    found: list[types.CodeAction] = []
    if _is_wanted(types.CodeActionKind.QuickFix.value, only):
        found += await _quick_fixes(server, one.path, uri, params.range)
    if _is_wanted(FIX_ALL, only):
        fix_all = types.CodeAction("Apply all fixes of dlint", FIX_ALL, data={"uri": one.uri})
        resolves = server.can("text_document.code_action.resolve_support")
        found.append(fix_all if resolves else await resolved(server, fix_all))
    return found


def _is_wanted(kind: str, only: Sequence[types.CodeActionKind | str] | None) -> bool:
    """Whether a kind, or one that holds it, is among those that are asked for."""
    names = [one.value if isinstance(one, types.CodeActionKind) else one for one in only or ()]
    return only is None or any(kind == name or kind.startswith(f"{name}.") for name in names)


async def _quick_fixes(
    server: Server, path: str, uri: str, asked: types.Range
) -> list[types.CodeAction]:
    checked = await server.schedule.result(path)
    if checked is None:
        return []
    sheets = server.sheets(checked)

    def work(pause: Pause) -> list[types.CodeAction]:
        pause()
        checked.assign_kinds()
        return list(quick_fixes(checked, sheets, uri, asked, versioned=server.takes_versions))

    return await server.schedule.ask(work) or []


async def resolved(server: Server, action: types.CodeAction) -> types.CodeAction:
    """The action that applies all fixes, with its edit."""
    one = server.open_files.get(str((action.data or {}).get("uri")))
    checked = None if one is None else await server.schedule.result(one.path)
    if one is None or checked is None:
        return action
    scene, sheets = server.scene(), server.sheets(checked)

    def work(pause: Pause) -> TextEdits | None:
        round_ = server.session.round(scene, one.path)
        return None if round_ is None else fixed(round_, one.path, sheets, pause)

    edits = await server.schedule.ask(work) or {}
    action.edit = workspace_edit(edits, sheets, versioned=server.takes_versions)
    return action


def quick_fixes(
    checked: Checked, sheets: Sheets, uri: str, asked: types.Range, *, versioned: bool
) -> Iterator[types.CodeAction]:
    """The fix of each finding in a range, safe ones first, and a comment that suppresses it."""
    here = list(_in_range(checked, sheets, uri, asked))
    order = [Applicability.SAFE, Applicability.UNSAFE]
    for applicability in order:
        for diagnostic, told in here:
            if diagnostic.fix is not None and diagnostic.fix.applicability is applicability:
                yield from _fix(checked, diagnostic, told, sheets, versioned)
    for diagnostic, told in here:
        yield from _suppression(checked, diagnostic, told, sheets, versioned)


def _in_range(
    checked: Checked, sheets: Sheets, uri: str, asked: types.Range
) -> Iterator[tuple[Diagnostic, types.Diagnostic]]:
    for diagnostic in checked.found:
        where, told = shown(diagnostic, sheets)
        if where == uri and told.range.start <= asked.end and asked.start <= told.range.end:
            yield diagnostic, told


def _fix(
    checked: Checked,
    diagnostic: Diagnostic,
    told: types.Diagnostic,
    sheets: Sheets,
    versioned: bool,
) -> Iterator[types.CodeAction]:
    lowered = None if checked.view is None else checked.view.edits(diagnostic)
    edits = None if lowered is None else sheets.edits(lowered)
    if edits is None or diagnostic.fix is None:
        return
    applicability = diagnostic.fix.applicability
    yield types.CodeAction(
        f"{diagnostic.fix.message}{_MARKS[applicability]}",
        types.CodeActionKind.QuickFix,
        [told],
        is_preferred=applicability is Applicability.SAFE,
        edit=workspace_edit(edits, sheets, versioned=versioned),
    )


def _suppression(
    checked: Checked,
    diagnostic: Diagnostic,
    told: types.Diagnostic,
    sheets: Sheets,
    versioned: bool,
) -> Iterator[types.CodeAction]:
    try:
        source = checked.sources.get(checked.path)
    except UnreadableError:
        return
    added = add_ignores(source, [diagnostic], DEFAULT_REASON)
    edits = sheets.edits(added.edits) if added.edits else None
    if edits is not None:
        yield types.CodeAction(
            f"Suppress `{diagnostic.name}` here",
            types.CodeActionKind.QuickFix,
            [told],
            edit=workspace_edit(edits, sheets, versioned=versioned),
        )


def fixed(one: Round, path: str, sheets: Sheets, pause: Pause) -> TextEdits | None:
    """The edits that make of a file what `--fix` makes of it, where it is the only one changed."""
    checker, applicability = one.checker, one.view.applicable
    checker.pause = pause
    analyse = confined(checker.analyse, frozenset({path}))
    result = fix_all(analyse, one.sources, applicability)
    if path not in result.texts:
        return None
    before = one.sources.get(path)
    after = before.with_text(result.texts[path])
    return sheets.edits(_differences(before, after))


def _differences(before: Source, after: Source) -> Iterator[Edit]:
    """The rows that differ, a text at a time: the cells of a notebook stay apart."""
    for old, new in zip(before.parts(), after.parts(), strict=True):
        yield from _between(before.path, old.start, old.source.text, new.source.text)


def _between(path: str, start: int, old: str, new: str) -> Iterator[Edit]:
    before, after = old.splitlines(keepends=True), new.splitlines(keepends=True)
    offsets = [start]
    for line in before:
        offsets.append(offsets[-1] + len(line))
    for kind, i, j, k, m in SequenceMatcher(None, before, after, autojunk=False).get_opcodes():
        if kind != "equal":
            yield Edit(path, offsets[i], offsets[j], "".join(after[k:m]))


def workspace_edit(edits: TextEdits, sheets: Sheets, *, versioned: bool) -> types.WorkspaceEdit:
    """Edits as the client takes them: where it can, for the versions they were made for."""
    if not versioned:
        return types.WorkspaceEdit(changes=dict(edits))
    return types.WorkspaceEdit(document_changes=list(_documents(edits, sheets)))


def _documents(
    edits: Mapping[str, Sequence[types.TextEdit]], sheets: Sheets
) -> Iterator[types.TextDocumentEdit]:
    for uri, of_text in edits.items():
        text = types.OptionalVersionedTextDocumentIdentifier(uri, sheets.version(uri))
        yield types.TextDocumentEdit(text, list(of_text))
