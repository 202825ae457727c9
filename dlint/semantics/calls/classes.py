"""Classes of the project: their ancestors, descendants and methods.

Question: what does a class derive from, who derives from it, and which method does an object of
exactly this class have? Bases are resolved by name alone, so that a lineage is known before any
value flows; bases that are computed are left out. Each class is looked at once.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Iterator

from dlint.ir.expressions import Attribute, Expression, Reference
from dlint.ir.module import Class, Scope
from dlint.semantics.names.names import Names
from dlint.semantics.project import Facts, Project
from dlint.semantics.values.values import ClassObject, External

_MOST_ANCESTORS = 200
_DICTS = frozenset({"builtins.dict", "collections.OrderedDict"})
_HANDED_ON = ("star", "starstar")
"""Parameters of a constructor that hands all it is given to that of `dict`."""
_PLAIN = frozenset(
    {
        *("__init__", "__getattr__", "__setattr__", "__delattr__", "__repr__", "__str__"),
        *("__dir__", "__getstate__", "__setstate__", "__copy__", "__deepcopy__", "copy"),
    }
)
"""Methods by which a dict holds nothing else than what it is given."""


class Classes:
    """Lineages over the loaded modules."""

    def __init__(self, project: Project, names: Names) -> None:
        self._project = project
        self._names = names
        self._lineages: dict[Class, tuple[ClassObject | External, ...]] = {}
        self._ancestors: dict[Class, tuple[Class, ...]] = {}
        self._children: dict[Class, list[Class]] = {}
        self._descendants: dict[Class, list[Class]] = {}
        self._seen = 0
        self._cut: set[Class] = set()
        """Classes with more ancestors than are looked at."""

    def lineage(self, cls: Class) -> tuple[ClassObject | External, ...]:
        """The class and its ancestors, nearest first; library classes by their paths."""
        known = self._lineages.get(cls)
        if known is None:
            self._lineages[cls] = ()
            known = self._lineages[cls] = tuple(self._walk(cls))
            own = [base.cls for base in known if isinstance(base, ClassObject)]
            self._ancestors[cls] = tuple(own)
        return known

    def _walk(self, cls: Class) -> Iterator[ClassObject | External]:
        queue: list[ClassObject | External] = [ClassObject(cls)]
        seen: set[ClassObject | External] = set()
        while queue:
            ancestor = queue.pop(0)
            if ancestor in seen:
                continue
            if len(seen) == _MOST_ANCESTORS:
                self._cut.add(cls)
                return
            seen.add(ancestor)
            yield ancestor
            if isinstance(ancestor, ClassObject):
                queue += [base for b in ancestor.cls.bases for base in self._bases(b, ancestor.cls)]

    def _bases(self, base: Expression, cls: Class) -> list[ClassObject | External]:
        found = self._names.static(base, cls.body.parent)
        return [value for value in found if isinstance(value, ClassObject | External)]

    def is_whole(self, cls: Class) -> bool:
        """Whether every base of the class and of its ancestors in the project is known."""
        return cls not in self._cut and all(
            self._bases(base, ancestor)
            for ancestor in self.ancestors(cls)
            for base in ancestor.bases
        )

    def is_iterator(self, cls: Class) -> bool:
        """Whether its objects are only gone through, and take nothing from a library's class."""
        library = (path.partition(".")[0] for path in self.externals(cls))
        return (
            any(self.method(cls, name) is not None for name in ("__iter__", "__next__", "next"))
            and self.method(cls, "__getitem__") is None
            and all(root in ("builtins", "typing", "abc", "collections") for root in library)
        )

    def is_attribute_dict(self, cls: Class) -> bool:
        """Whether its objects are dicts whose items are attributes too, and do no more than that.

        `class AttrDict(dict): __getattr__ = dict.get`, or with `self.__dict__ = self`.
        """
        if not _DICTS.intersection(self.externals(cls)) or not self.is_whole(cls):
            return False
        classes = self.ancestors(cls)
        names = {name for c in classes for name in _bound_in(c)}
        makers = [c.methods["__init__"] for c in classes if "__init__" in c.methods]
        if any(spec.kind not in _HANDED_ON for m in makers for spec in m.parameters[1:]):
            return False
        shared = any(_shares_attributes(scope) for scope in makers)
        return ("__getattr__" in names or shared) and names <= _PLAIN

    def externals(self, cls: Class) -> list[str]:
        """Paths of the library classes among the ancestors."""
        return [base.path for base in self.lineage(cls) if isinstance(base, External)]

    def ancestors(self, cls: Class) -> tuple[Class, ...]:
        """The class itself and its ancestors in the project."""
        if cls not in self._ancestors:
            self.lineage(cls)
        return self._ancestors.get(cls, ())

    def descendants(self, cls: Class) -> list[Class]:
        """Classes of loaded modules that derive from `cls`, without itself."""
        self._index_children()
        known = self._descendants.get(cls)
        if known is None:
            found: dict[Class, None] = {}
            queue = deque(self._children.get(cls, ()))
            while queue:
                child = queue.popleft()
                if child not in found:
                    found[child] = None
                    queue.extend(self._children.get(child, ()))
            known = self._descendants[cls] = list(found)
        return known

    def are_siblings(self, cls: Class, other: Class) -> bool:
        """Whether two classes derive from one, and no object of the project is of both."""
        if other in self.family(cls):
            return False
        shared = set(self.ancestors(cls)) & set(self.ancestors(other))
        return bool(shared) and not set(self.descendants(cls)) & set(self.descendants(other))

    def family(self, cls: Class) -> list[Class]:
        """Ancestors, the class itself and descendants."""
        return [*self.ancestors(cls), *self.descendants(cls)]

    def are_related(self, one: Class, other: Class) -> bool:
        """Whether one of two classes derives from the other, or is it."""
        return other in self.ancestors(one) or one in self.ancestors(other)

    def _index_children(self) -> None:
        loaded = self._project.loaded
        while self._seen < len(loaded):
            self._descendants.clear()
            self._seen += 1
            self._add_children(loaded[self._seen - 1])

    def _add_children(self, facts: Facts) -> None:
        for cls in facts.module.classes:
            for base in cls.bases:
                for value in self._bases(base, cls):
                    if isinstance(value, ClassObject):
                        self._children.setdefault(value.cls, []).append(cls)

    def method(self, cls: Class, name: str) -> Scope | None:
        """The method `name` as an object of exactly this class has it."""
        for ancestor in self.ancestors(cls):
            if name in ancestor.methods:
                return ancestor.methods[name]
        return None


def _bound_in(cls: Class) -> list[str]:
    """The methods of a class, and what else it binds."""
    return [*cls.methods, *(definition.name for definition in cls.body.definitions)]


def _shares_attributes(scope: Scope) -> bool:
    """`self.__dict__ = self`."""
    return any(
        isinstance(store.target, Attribute)
        and store.target.name == "__dict__"
        and isinstance(store.value, Reference)
        and store.value.name == scope.parameters[0].name
        for store in scope.stores
    )
