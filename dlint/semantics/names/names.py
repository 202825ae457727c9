"""Names resolved without evaluation: classes, functions, modules and library paths.

Question: what does a name, dotted name or import stand for, whatever runs? Followed: scopes,
imports, re-exports, `import *` of project modules, both sides of a choice. Anything that is
computed stands for nothing. `_DEPTH` steps deep.
"""

from __future__ import annotations

import builtins
import re
from collections.abc import Iterator

from dlint.ir.expressions import (
    Attribute,
    ClassValue,
    Conditional,
    Definition,
    Expression,
    FunctionValue,
    Imported,
    Join,
    Reference,
    Subscript,
)
from dlint.ir.module import Scope
from dlint.ir.walk import bindings_of
from dlint.semantics.names.replaced_functions import replaced_around, seen_globals
from dlint.semantics.project import Facts, Project
from dlint.semantics.values.values import (
    ClassObject,
    External,
    FunctionObject,
    ModuleValue,
    Package,
)

BUILTINS = frozenset(dir(builtins))
_DEPTH = 12

StaticValue = External | ClassObject | FunctionObject | ModuleValue | Package


class Names:
    """Follows names through scopes, imports and re-exports."""

    def __init__(self, project: Project) -> None:
        self._project = project

    def static(
        self, expression: Expression, scope: Scope | None, depth: int = 0
    ) -> list[StaticValue]:
        """What a name, dotted name or conditional import stands for; [] where it is not static."""
        if depth > _DEPTH:
            return []
        match expression:
            case Reference():
                return self._reference(expression, scope, depth)
            case Attribute():
                owners = self.static(expression.value, scope, depth + 1)
                return [v for o in owners for v in self.member(o, expression.name, depth + 1)]
            case Subscript():
                return self.static(expression.value, scope, depth + 1)
            case ClassValue():
                return [ClassObject(expression.cls)]
            case FunctionValue():
                return [FunctionObject(expression.function, None)]
            case Imported() if scope is not None:
                return self.imported(expression, scope.module.path, depth + 1)
            case Conditional():
                return self._all((expression.then, expression.otherwise), scope, depth)
            case Join():
                return self._all(expression.alternatives, scope, depth)
        return []

    def _all(
        self, parts: tuple[Expression, ...], scope: Scope | None, depth: int
    ) -> list[StaticValue]:
        return [v for part in parts for v in self.static(part, scope, depth + 1)]

    def _reference(
        self, expression: Reference, scope: Scope | None, depth: int
    ) -> list[StaticValue]:
        if expression.definition is not None:
            definition = expression.definition
            return self.static(definition.value, definition.scope, depth + 1)
        reader = scope
        while scope is not None and scope.kind != "module":
            found = bindings_of(scope, expression.name)
            if found and scope.kind != "class":
                return self._definitions(found, depth)
            scope = scope.parent
        if scope is None or reader is None:
            return []
        facts = self._project.load(scope.module.path)
        if facts is not None and replaced_around(facts, reader) is not None:
            return self._definitions(seen_globals(facts, reader, expression.name), depth)
        return self.exported(scope.module.path, expression.name, depth)

    def _definitions(self, found: list[Definition], depth: int) -> list[StaticValue]:
        return [v for d in found for v in self.static(d.value, d.scope, depth + 1)]

    def exported(self, path: str, name: str, depth: int = 0) -> list[StaticValue]:
        """What `name` stands for at the top level of the module at `path`."""
        facts = self._project.load(path)
        if facts is None or depth > _DEPTH:
            return []
        if name in facts.globals:
            return self._definitions(facts.globals[name], depth)
        for target in self.star_targets(facts):
            if isinstance(target, str) and (found := self.exported(target, name, depth + 1)):
                return found
        return [External(f"builtins.{name}")] if name in BUILTINS else []

    def star_targets(self, facts: Facts) -> Iterator[str | External]:
        """Files (or library modules) whose names a module takes over with `import *`."""
        for star in facts.module.star_imports:
            path = self._project.imports.resolve(facts.module.path, star.module, star.level)
            yield path if path is not None else External(star.module)

    def imported(self, imported: Imported, path: str, depth: int = 0) -> list[StaticValue]:
        """What an import statement in the module at `path` binds."""
        if not imported.module and not imported.level and imported.name is not None:
            return self._only_class(imported.name, depth)
        target = self._project.imports.resolve(path, imported.module, imported.level)
        if target is None or not target.endswith(".py"):
            own = self._of_itself(imported, path, depth)
            if own or (target is None and imported.level):
                return own
        if target is None:
            name = imported.module if imported.name is None else self._join(imported)
            return [External(name)]
        if imported.name is None:
            return self._module(target)
        submodule = self._project.imports.member(path, imported.name) if target == path else None
        if submodule is not None:
            return self._module(submodule)  # `from . import data`, as a package says of itself
        found = self._module_member(target, imported.name, depth)
        return found or ([] if imported.level else [External(self._join(imported))])

    def _only_class(self, name: str, depth: int) -> list[StaticValue]:
        """The one class of the project with a name, as LightningCLI finds one that is imported."""
        mark = re.compile(rb"^class %s\b" % name.encode(), re.M)
        holders = self._project.words.holders(name.encode())
        homes = [path for path in sorted(holders) if self._project.says(path, mark)]
        return self.exported(homes[0], name, depth + 1) if len(homes) == 1 else []

    def _of_itself(self, imported: Imported, path: str, depth: int) -> list[StaticValue]:
        """What a script defines and imports from itself, so that new processes can find it."""
        facts = self._project.load(path)
        itself = not imported.level and path.endswith(f"/{imported.module}.py")
        if facts is None or imported.name is None or not itself:
            return []
        found = facts.globals.get(imported.name, [])
        return self._definitions(found, depth) if all(map(_is_defined, found)) else []

    @staticmethod
    def _join(imported: Imported) -> str:
        return f"{imported.module}.{imported.name}"

    def _module(self, path: str) -> list[StaticValue]:
        if not path.endswith(".py"):
            return [Package(path)]
        facts = self._project.load(path)
        return [] if facts is None else [ModuleValue(facts.module)]

    def _module_member(self, path: str, name: str, depth: int) -> list[StaticValue]:
        if path.endswith(".py") and (found := self.exported(path, name, depth + 1)):
            return [v for v in found if v != External(f"builtins.{name}")] or found
        submodule = self._project.imports.member(path, name)
        return [] if submodule is None else self._module(submodule)

    def member(self, owner: StaticValue, name: str, depth: int = 0) -> list[StaticValue]:
        """The attribute `name` of a module, package, class or library path."""
        match owner:
            case External():
                return [External(f"{owner.path}.{name}")]
            case ModuleValue():
                return self._module_member(owner.module.path, name, depth)
            case Package():
                return self._module_member(owner.folder, name, depth)
            case ClassObject():
                if name in owner.cls.methods:
                    return [FunctionObject(owner.cls.methods[name], None)]
                return self._definitions(bindings_of(owner.cls.body, name), depth)
        return []


def _is_defined(definition: Definition) -> bool:
    return isinstance(definition.value, FunctionValue | ClassValue)
