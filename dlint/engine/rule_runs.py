"""The rules, run over one part of a project."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from typing import TYPE_CHECKING

from dlint import rule_docs
from dlint.findings.diagnostic import Diagnostic
from dlint.workspace.errors import DlintCrash

if TYPE_CHECKING:
    from dlint.analyses.context import AnalysisContext
    from dlint.engine.answer import Answer
    from dlint.engine.parts import Part
    from dlint.engine.request import Request
    from dlint.findings.finding import Finding
    from dlint.frontends.modules import Modules
    from dlint.ir.module import ModuleIndex
    from dlint.rule_docs import Summary
    from dlint.semantics.project import Project
    from dlint.workspace.texts import Kept

Contexts = Callable[["Project", Sequence[str], list[str]], Iterator["AnalysisContext"]]
Watch = Callable[["AnalysisContext"], None]


class RuleRuns:
    """What the rules of a request say of its parts."""

    def __init__(
        self,
        request: Request,
        modules: Modules,
        said: Kept,
        bystanders: Callable[[], Iterable[str]],
        own_code: Callable[[], Iterable[str]],
        watch: Watch | None,
        told: Callable[[Part], Callable[[str], bool]],
    ) -> None:
        """`told` says of which files of a part findings are wanted; others may be left out."""
        self._request = request
        self._told = told
        self._ended: AnalysisContext | None = None
        """Whose findings are told, but which is still there."""
        self._modules = modules
        self._said = said
        self._bystanders = bystanders
        self._own_code = own_code
        self._watch = watch

    def over(self, part: Part) -> Answer:
        """What they find in one. Raises DlintCrash for what no rule is to blame for."""
        from dlint.analyses.context import analysis_contexts

        return self._over(part, analysis_contexts)

    def over_whole(self, part: Part) -> Answer:
        """The same; nothing where it is not looked at as a whole (`Answer.is_apart`)."""
        from dlint.analyses.context import whole_context

        return self._over(part, whole_context)

    def over_apart(self, part: Part) -> Answer:
        """What they find where each module that it begins with is looked at by itself."""
        from dlint.analyses.context import contexts_apart

        return self._over(part, contexts_apart)

    def _over(self, part: Part, contexts: Contexts) -> Answer:
        from dlint.engine.answer import Answer
        from dlint.engine.crashes import blamed
        from dlint.rules.registry import checks

        names = [name for name in checks() if name in self._request.rules]
        answer, told = Answer(), self._told(part)
        made = contexts(self._project(part), part.seeds, answer.cut)
        self.let_go()
        while True:
            with blamed():
                context = next(made, None)
            self._modules.end_help()
            if context is None:
                return answer
            if self._request.overrides:  # else notes tell of all that the rules look at
                context.told = told
            for name in names:
                self._request.pause()
                try:
                    answer.diagnostics += found_by(name, context, told)
                except DlintCrash as crash:
                    answer.crashes.append(crash)
            if self._watch is not None:
                self._watch(context)
            answer.notes += [*context.project.notes, *self._versions(context)]
            if self._watch is None:
                self.let_go()
                self._ended = context

    def let_go(self) -> None:
        """Have what was asked about forgotten, once its findings are told."""
        if self._ended is not None:
            self._ended.let_go()
            self._ended = None

    def _project(self, part: Part) -> Project:
        from dlint.frontends.documents import Documents
        from dlint.semantics.project import Project
        from dlint.workspace.spelling import spelled

        return Project(
            part.files,
            self._module,
            self._modules.text,
            documents=Documents(spelled(self._request.root), self._modules.source),
            searched=part.searched,
            bystanders=self._bystanders,
            own_code=self._own_code,
            around=part.words,
            kept=self._said,
            expect=self._modules.expect,
            entered=self._modules.watch,
        )

    def _module(self, path: str) -> ModuleIndex | None:
        self._request.pause()
        if self._request.progress is not None:
            self._request.progress.modules += 1
        return self._modules.get(path)

    def _versions(self, context: AnalysisContext) -> list[str]:
        """Which versions of packages were taken, and from where."""
        from dlint.model.versions.admitted import Versions

        return context[Versions].told(self._request.root)


def everywhere(_: str) -> bool:
    """Findings are wanted of every file."""
    return True


def found_by(
    name: str, context: AnalysisContext, told: Callable[[str], bool] = everywhere
) -> list[Diagnostic]:
    """What one rule finds in the files of which `told` holds: others are not weighed."""
    from dlint.engine.crashes import blamed
    from dlint.rules.registry import load

    rule = rule_docs.summaries()[name]
    with blamed(name):
        findings = load(name)(context)
        if rule.package is not None:
            from dlint.engine.own_rules import sound

            findings = map(sound, findings)
        found = [d for d in _in_versions(findings, rule, context) if told(d.place.path)]
        return _weighed(found, rule, context) if found else []


def _weighed(found: list[Diagnostic], rule: Summary, context: AnalysisContext) -> list[Diagnostic]:
    """The findings that are worth telling, each as it is told."""
    from dlint.analyses.idle.failing_imports import FailingImports
    from dlint.analyses.idle.idleness import IdleCode
    from dlint.engine.answer import told_once
    from dlint.model.loading.config_origins import with_settings

    found = [d for d in found if context[FailingImports].can_run(d.place.path)]
    idle, speed = context[IdleCode], rule.is_about_speed
    found = [idle.weighed(d, is_about_speed=speed) for d in found if idle.is_told(d)]
    if speed:
        found = [_with_scripts(d, context) for d in found if _is_waited_for(d, context)]
    return [with_settings(d, context) for d in told_once(found)]


def _in_versions(
    findings: Iterable[Finding], rule: Summary, context: AnalysisContext
) -> Iterator[Diagnostic]:
    """The findings that hold in versions of torch that their projects admit."""
    from dlint.library_facts.torch_versions import FACTS
    from dlint.model.versions.version_facts import in_versions
    from dlint.model.versions.version_specifiers import window_of

    always = [] if rule.torch == "all" else [window_of(rule.torch)]
    for finding in findings:
        diagnostic = finding.diagnostic(rule.name, rule.code)
        windows = [*always, *(FACTS[fact] for fact in finding.needs)]
        kept = in_versions(context, diagnostic, windows) if windows else diagnostic
        if kept is not None:
            yield kept


def _is_waited_for(diagnostic: Diagnostic, context: AnalysisContext) -> bool:
    """Whether a finding about speed is worth telling: of what only tries itself out, none is."""
    from dlint.findings.diagnostic import Severity
    from dlint.model.loading.smoke_tests import tries_out

    return diagnostic.severity is not Severity.INFO or not tries_out(context, diagnostic.place)


def _with_scripts(diagnostic: Diagnostic, context: AnalysisContext) -> Diagnostic:
    """The finding with the scripts by which it can be measured."""
    from dlint.model.machines.entry_points import EntryPoints

    places = [diagnostic.place, *(related.place for related in diagnostic.related)]
    return diagnostic._replace(scripts=tuple(context[EntryPoints].scripts_for(places)))
