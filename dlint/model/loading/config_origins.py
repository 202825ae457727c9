"""Values that stand in a settings file which Python reads: where, and how they are changed."""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING

from dlint.findings.diagnostic import Diagnostic, Related
from dlint.findings.operations import Operation, ReplaceExpression
from dlint.findings.places import Place
from dlint.frontends.settings_files import Setting
from dlint.semantics.libraries.config_files import ConfigFiles

if TYPE_CHECKING:
    from dlint.analyses.context import AnalysisContext
    from dlint.semantics.values.conditional_value import ConditionalValue


def with_settings(diagnostic: Diagnostic, context: AnalysisContext) -> Diagnostic:
    """The finding with the places of the settings that its message names."""
    consulted = context.solver[ConfigFiles].consulted
    if not consulted:
        return diagnostic
    named = (_here(setting) for label, setting in consulted.items() if label in diagnostic.message)
    return diagnostic._replace(related=tuple(dict.fromkeys((*diagnostic.related, *named))))


def sources(found: Iterable[ConditionalValue]) -> tuple[Related, ...]:
    """Where settings files give these values."""
    return tuple(_here(a.source) for a in found if isinstance(a.source, Setting))


def _here(setting: Setting) -> Related:
    text = f"`{'.'.join(setting.keys)}` is set here"
    return Related(Place(setting.path, *setting.span), text)


def restated(alternative: ConditionalValue, text: str) -> Operation | None:
    """Another value where a settings file gives this one; None where no such file does."""
    setting = alternative.source
    if not isinstance(setting, Setting) or setting.document.among > 1:
        return None
    return ReplaceExpression(Place(setting.path, *setting.span), text)
