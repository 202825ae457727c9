"""Settings that Python reads from a file of the project: the values that stand there.

Questions: which file does a reader, `@hydra.main` or `hydra.compose` read, and what stands under a
key? Followed: paths (`paths`), Hydra's compositions, objects that are made of settings, `_NESTED`
deep. Whatever code may write to a setting after it was read makes it unknown; so does a path that
names one of several files. Where nothing is known of a path, or it is the default of an option and
no such file is there, the project's own files of that kind say what may stand there, beside
Unknown: each of them counts.
"""

from __future__ import annotations

import posixpath
import re
from collections.abc import Collection, Iterator, Sequence
from functools import cached_property

from dlint.frontends.settings_files import Document, Group, Keys, Setting, Settings
from dlint.ir import expressions as ex
from dlint.ir.module import Scope, Store
from dlint.library_facts import config_files as known
from dlint.semantics.calls.binding import (
    BoundArgument,
    BoundArguments,
    bind,
    library_signature,
)
from dlint.semantics.calls.call_contexts import CallArguments, CallContext
from dlint.semantics.libraries import paths
from dlint.semantics.libraries.config_trees import ConfigTrees
from dlint.semantics.libraries.whole_parsers import lacks
from dlint.semantics.project import Facts
from dlint.semantics.values.conditional_value import ABSENT, ConditionalValue, ConditionalValues
from dlint.semantics.values.conditions import Condition
from dlint.semantics.values.evaluator import Evaluator
from dlint.semantics.values.solver import ConstraintNode, Solver
from dlint.semantics.values.values import UNKNOWN, Container, External, Literal, Value

_NESTED = 4


class ConfigFiles:
    """The settings files that the code of one project reads."""

    def __init__(self, solver: Solver) -> None:
        self._solver = solver
        self.consulted: dict[str, Setting] = {}
        """The settings that were asked for, by how a message names them."""
        self._changed: dict[tuple[Document, Keys], bool] = {}
        self._updates: dict[Document, list[tuple[ex.Call | Store, Keys]]] = {}

    # -- reading, while values flow

    def read(
        self, path: str, expression: ex.Call, frame: CallContext, node: ConstraintNode
    ) -> None:
        """What a library function reads flows into `node`."""
        given = next((a.value for a in expression.arguments if not a.star), None)
        interpolates = path.startswith(known.INTERPOLATING)
        module = frame.scope.module.path

        def give(named: paths.Named) -> None:
            document = self._file(module, named, interpolates=interpolates)
            self._solver.add(node, self._value(document))
            if self._is_left_to_callers(module, named):
                found = self._one_of_several(module, path)
                if found is not UNKNOWN:
                    self._solver.add(node, found)

        if given is None or self._solver.project.documents is None:
            self._solver.add(node, UNKNOWN)
        else:
            paths.follow(self._solver, given, frame, give)

    def _is_left_to_callers(self, module: str, named: paths.Named) -> bool:
        """Whether whoever runs the program names the file: no path is known, or a default is one of
        a file that is not there."""
        documents = self._solver.project.documents
        if named.path is None or documents is None:
            return True
        return named.is_default and documents.is_missing(module, named.path)

    def _file(self, module: str, named: paths.Named, *, interpolates: bool) -> Document | None:
        documents = self._solver.project.documents
        if named.path is None or documents is None:
            return None
        path = documents.find(module, named.path)
        if path is None:
            return None
        return documents.file(path, is_default=named.is_default, interpolates=interpolates)

    def _one_of_several(self, module: str, reader: str) -> Value:
        """What a reader gives whose path is not known, as far as the project's own files say."""
        documents = self._solver.project.documents
        kind = known.KINDS.get(reader.partition(".")[0])
        if documents is None or kind is None:
            return UNKNOWN
        interpolates = reader.startswith(known.INTERPOLATING)
        return self._value(documents.among(module, kind, interpolates=interpolates))

    def _value(self, document: Document | None) -> Value:
        if document is None or not isinstance(document.root, Group):
            return UNKNOWN
        return Container(document.root, self._solver.root(document.scope))

    def merge(self, expression: ex.Call, frame: CallContext, node: ConstraintNode) -> bool:
        """`OmegaConf.merge(file, OmegaConf.from_cli())`: what the file says is a default."""
        given = [a.value for a in expression.arguments]
        if len(given) != 2 or not _is_command_line(given[1]):
            return False

        def watch(value: Value) -> None:
            group = _group(value)
            documents = self._solver.project.documents
            if group is None or group.keys or documents is None:
                self._solver.add(node, UNKNOWN)
                return
            again = documents.file(group.path, is_default=True, interpolates=True)
            self._solver.add(node, self._value(again))

        self._solver.watch(self._solver.evaluate(given[0], frame), watch)
        return True

    # -- hydra

    def of_main(self, scope: Scope) -> Value | None:
        """What `@hydra.main` gives to the function below it; None for another function."""
        for decorator in scope.decorators:
            if isinstance(decorator, ex.Call) and scope.parent is not None:
                if decorator.name not in known.HYDRA_NAMES:
                    continue
                for value in self._solver.names.static(decorator.function, scope.parent):
                    if isinstance(value, External) and value.path in known.HYDRA_MAIN:
                        bound = self._bound(decorator, known.HYDRA_MAIN[value.path])
                        return self._composed(bound, scope)
        return None

    def _bound(self, call: ex.Call, parameters: tuple[str, ...]) -> BoundArguments:
        passed = CallArguments.of(call.arguments, self._solver.root(call.scope))
        return bind(passed, library_signature(parameters))

    def _composed(self, bound: BoundArguments, scope: Scope) -> Value:
        name = self._named(bound["config_name"], scope)
        folder = self._named(bound["config_path"], scope)
        base = bound["version_base"]
        if bound["config_path"].is_absent:
            is_old = base.expression is not None and _text(base.expression[0]) in known.OLD_BASES
            folder = "" if base.is_absent or is_old else None
        if folder is not None and name is None and folder.endswith(".yaml"):
            folder, name = posixpath.split(folder)
        return self._at(folder, name, scope, base.given is not None)

    def _at(self, folder: str | None, name: str | None, scope: Scope, is_new: bool) -> Value:
        """What is composed of a config in a folder that is named beside a module.

        `is_new`: it is told a `version_base`, which Hydra takes since 1.2.
        """
        documents = self._solver.project.documents
        if name is None or folder is None or documents is None:
            return UNKNOWN
        home = scope.module.path.rpartition("/")[0]
        where = posixpath.join(home, folder)
        return self._value(documents.composed(where, name, is_own_last=is_new))

    def _named(self, bound: BoundArgument, scope: Scope) -> str | None:
        """The one file or folder that an argument names in a module."""
        found: list[paths.Named] = []
        if bound.expression is not None:
            frame = self._solver.root(scope.module.body)
            paths.follow(self._solver, bound.expression[0], frame, found.append)
        return found[0].path if len(found) == 1 and not found[0].is_default else None

    def compose(self, expression: ex.Call, node: ConstraintNode) -> None:
        """`hydra.compose(…)` behind the one `initialize(…)` of the module."""
        scope, project = expression.scope, self._solver.project
        facts = project.load(scope.module.path)
        begun = [
            (call, name)
            for name in ("initialize", "initialize_config_dir")
            for call in (facts.calls.get(name, ()) if facts is not None else ())
        ]
        bound = self._bound(expression, known.PARAMETERS["hydra.compose"])
        name = self._named(bound["config_name"], scope)
        plain = bound["overrides"].is_absent or _is_empty(bound["overrides"])
        folder, is_new = None, False
        if len(begun) == 1 and plain:
            parameters = known.PARAMETERS[begun[0][1]]
            given = self._bound(begun[0][0], parameters)
            folder = self._named(given[parameters[0]], scope)
            is_new = given["version_base"].given is not None
        self._solver.add(node, self._at(folder, name, scope, is_new))

    # -- asking, when all has flowed

    def reads(self, values: frozenset[Value]) -> bool:
        """Whether all of some values are settings, or objects made of settings.

        A reader of which the path is not known gives what the project's own files hold.
        """
        documents = [self._document(value, _NESTED) for value in values if value != UNKNOWN]
        if not documents or not all(documents):
            return False
        return UNKNOWN not in values or all(d is not None and d.among for d in documents)

    def settled(self, values: Sequence[Value]) -> list[Value]:
        """Some values, without Unknown and single files where one of all such files is read.

        Of readers of several kinds nobody knows which is meant: then Unknown stays.
        """
        groups = {value: group.document for value in values if (group := _group(value))}
        several = {document for document in groups.values() if document.among}
        if len(several) == 1:
            return [v for v in values if v != UNKNOWN and groups.get(v) in {None, *several}]
        return [v for v in values if groups.get(v) not in several]

    def is_one_of(self, values: Collection[Value]) -> bool:
        """Whether some values are settings of several files: nobody knows of which."""
        groups = filter(None, map(_group, values)) if len(values) > 1 else ()
        return len({group.document for group in groups}) > 1

    def _document(self, value: Value, depth: int) -> Document | None:
        """The settings that a value holds, also behind `EasyDict(…)` and the like."""
        group = _group(value)
        if group is not None:
            return group.document
        if depth == 0 or not isinstance(value, Container) or not isinstance(value.origin, ex.Call):
            return None
        for argument in value.origin.arguments:
            if argument.keyword is None:
                for inner in self._solver.values(argument.value, value.frame):
                    if (found := self._document(inner, depth - 1)) is not None:
                        return found
        return None

    def alternatives(self, setting: Setting) -> ConditionalValues:
        """The value of a setting, which is assumed; Unknown where code may write to it."""
        if self.is_changed(setting.document, setting.keys):
            return [ConditionalValue(UNKNOWN)]
        label = self.consult(setting)
        return [ConditionalValue(Literal.of(setting.value), assumed=label, source=setting)]

    def of_several(self, settings: Settings) -> ConditionalValues:
        """The value in each of several files; values of two files do not hold together."""
        return [
            alternative.under({Condition(("read", setting.document), setting.path)})
            for setting in settings.choices
            for alternative in self.alternatives(setting)
        ]

    def consult(self, setting: Setting, row: int | None = None) -> str:
        """Note that a setting is asked for. Returns how a message names it, by its row too."""
        label = self._label(setting) + ("" if row is None else f", row {row}")
        self.consulted[label] = setting
        return label

    def item(self, evaluator: Evaluator, group: Group, key: str, depth: int) -> ConditionalValues:
        """What a mapping of settings holds under a key.

        Of several files of which one is read, those that lack a key may be other programs'.
        """
        for name, value in group.items:
            if isinstance(name, ex.Constant) and name.value == key:
                return evaluator.of(value, self._solver.root(group.document.scope), depth)
        document = group.document
        is_open = group.is_open or (document.among and not group.keys)
        if is_open or self.is_changed(document, (*group.keys, key)):
            return [ConditionalValue(UNKNOWN)]
        return [ConditionalValue(ABSENT)]

    def _label(self, setting: Setting) -> str:
        kind = "default" if setting.document.is_default else "value"
        title = self._solver[ConfigTrees].title(setting.path)
        count = setting.document.among
        if count:
            kind, title = "value", title + (f", one of {count} such files" if count > 1 else "")
        return f"{kind} of `{'.'.join(setting.keys)}` in {title}"

    # -- what code writes to settings

    def is_changed(self, document: Document, keys: Keys) -> bool:
        """Whether code may write to a setting after it was read."""
        known_already = self._changed.get((document, keys))
        if known_already is None:
            self._changed[document, keys] = True  # while it is looked for
            known_already = any(self._is_written(document, key) for key in keys) or any(
                keys[: len(above)] == above and _may_write(self._solver, update, keys)
                for update, above in self._dynamic(document)
            )
            self._changed[document, keys] = known_already
        return known_already

    def _is_written(self, document: Document, key: str) -> bool:
        """Whether code assigns to a key of this name, of these settings or of who knows what."""
        project = self._solver.project
        loaded = {facts.module.path for facts in project.loaded}
        word = key.encode()
        pattern = re.compile(known.WRITTEN % {b"key": re.escape(word)})
        for path in project.files - loaded:
            if project.holds(path, word) and project.says(path, pattern):
                return True
        return any(self._may_be(s.target.value, s.scope, document) for s in self._stores(key))

    def _stores(self, key: str) -> Iterator[Store]:
        for facts in self._solver.project.loaded:
            yield from facts.attributes.get(key, ())
            for store in facts.stores_at(None):
                index = store.target.index if isinstance(store.target, ex.Subscript) else None
                if isinstance(index, ex.Constant) and index.value == key:
                    yield store

    def _may_be(self, base: ex.Expression, scope: Scope, document: Document) -> bool:
        values = self._solver.values(base, self._solver.root(scope))
        if UNKNOWN in values and known.NAME.search(ex.spelled(base) or ""):
            return True
        return any(self._document(value, _NESTED) is document for value in values)

    def _dynamic(self, document: Document) -> list[tuple[ex.Call | Store, Keys]]:
        """Writes to these settings of which the key is not written out, with those above it."""
        if document not in self._updates:
            self._updates[document] = []
            self._updates[document] = [
                (write, group.keys if (group := _group(value)) is not None else ())
                for base, write, scope in self._writes
                for value in self._solver.values(base, self._solver.root(scope))
                if self._document(value, _NESTED) is document
            ]
        return self._updates[document]

    @cached_property
    def _writes(self) -> list[tuple[ex.Expression, ex.Call | Store, Scope]]:
        return [write for facts in self._solver.project.loaded for write in _dynamic_writes(facts)]


def _dynamic_writes(facts: Facts) -> Iterator[tuple[ex.Expression, ex.Call | Store, Scope]]:
    for store in facts.stores_at(None):
        index = store.target.index if isinstance(store.target, ex.Subscript) else None
        if not isinstance(index, ex.Constant):
            yield store.target.value, store, store.scope
    for name in (*sorted(known.UPDATES), "setattr"):
        for call in facts.calls.get(name, ()):
            plain = [a.value for a in call.arguments if a.keyword is None]
            if name == "setattr" and plain:
                yield plain[0], call, call.scope
            elif isinstance(call.function, ex.Attribute):
                yield call.function.value, call, call.scope
                if name == "update" and plain and ex.dotted(call.function.value) == "OmegaConf":
                    yield plain[0], call, call.scope


def _may_write(solver: Solver, write: ex.Call | Store, keys: Keys) -> bool:
    """Whether a write may concern one of the keys: a dict that is written out has its own."""
    if not isinstance(write, ex.Call) or write.name != "update":
        return True
    for argument in write.arguments:
        if argument.keyword is not None:
            if argument.keyword in keys:
                return True
        elif all(lacks(solver, argument.value, solver.root(write.scope), key) for key in keys):
            continue
        elif not isinstance(argument.value, ex.Mapping) or any(
            not isinstance(name, ex.Constant) or name.value in keys
            for name, _ in argument.value.items
        ):
            return True
    return False


def _group(value: Value) -> Group | None:
    origin = value.origin if isinstance(value, Container) else None
    return origin if isinstance(origin, Group) else None


def _is_command_line(expression: ex.Expression) -> bool:
    if isinstance(expression, ex.Reference) and expression.definition is not None:
        expression = expression.definition.value
    return isinstance(expression, ex.Call) and expression.name in known.COMMAND_LINE


def _is_empty(bound: BoundArgument) -> bool:
    given = None if bound.expression is None else bound.expression[0]
    return isinstance(given, ex.Sequence) and not given.items


def _text(expression: ex.Expression | None) -> str | None:
    value = expression.value if isinstance(expression, ex.Constant) else None
    return value if isinstance(value, str) else None
