"""What an expression may denote. Values are small, hashable and know nothing of rules."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, TypeGuard

if TYPE_CHECKING:
    from dlint.ir.expressions import Call, Comprehension, Item, Mapping, Sequence
    from dlint.ir.module import Class, ModuleIndex, Scope
    from dlint.semantics.calls.call_contexts import CallContext


@dataclass(frozen=True, slots=True)
class Literal:
    """A constant. `kind` keeps `True` and `1` apart."""

    value: str | int | float | bool | None
    kind: str

    @classmethod
    def of(cls, value: str | int | float | bool | None) -> Literal:
        return cls(value, type(value).__name__)


@dataclass(frozen=True, slots=True)
class Unknown:
    """Something that cannot be known; one such value among others keeps a rule silent."""


@dataclass(frozen=True, slots=True)
class External:
    """A name of a library outside the project, by its full dotted path (`torch.utils.data`)."""

    path: str


@dataclass(frozen=True, slots=True)
class ModuleValue:
    """A module of the project; perhaps, if it is `one_of` those that fit a text."""

    module: ModuleIndex
    one_of: bool = False


@dataclass(frozen=True, slots=True)
class Package:
    """A folder of the project that is imported as a package without an `__init__.py`."""

    folder: str


@dataclass(frozen=True, slots=True)
class FunctionObject:
    """A function of the project; `closure` is the frame that it was defined in."""

    scope: Scope
    closure: CallContext | None


@dataclass(frozen=True, slots=True)
class Method:
    """A function of the project bound to a receiver."""

    scope: Scope
    receiver: Value


@dataclass(frozen=True, slots=True)
class ClassObject:
    """A class of the project."""

    cls: Class


@dataclass(frozen=True, slots=True)
class Instance:
    """An object of a project class; unless `exact`, perhaps of a subclass (a method's `self`)."""

    cls: Class
    exact: bool = False


@dataclass(frozen=True, slots=True)
class AllocationSite:
    """The object that one call makes: `origin` is a library callable, or a project class whose
    objects are told apart (loaders, samplers)."""

    call: Call
    frame: CallContext
    origin: ClassObject | External


@dataclass(frozen=True, slots=True)
class Partial:
    """`functools.partial(...)` as made by one call."""

    call: Call
    frame: CallContext


@dataclass(frozen=True, slots=True)
class Container:
    """A list, tuple, set or dict as made by one display, comprehension or `dict(...)` call.

    Also the list of what is left, which `first, *rest = values` makes.
    """

    origin: Sequence | Mapping | Comprehension | Call | Item
    frame: CallContext


@dataclass(frozen=True, slots=True)
class VarArgs:
    """What `*args` or `**kwargs` holds in one frame."""

    frame: CallContext
    name: str


@dataclass(frozen=True, slots=True)
class Zipped:
    """The iterable that `zip`, `enumerate` or `.items()` makes; its elements are `Row`s."""

    call: Call
    frame: CallContext


@dataclass(frozen=True, slots=True)
class Row:
    """One element of a `Zipped`."""

    of: Zipped


@dataclass(frozen=True, slots=True)
class Generated:
    """The iterator that calling a generator function of the project gives."""

    scope: Scope
    frame: CallContext


@dataclass(frozen=True, slots=True)
class Namespace:
    """What `parse_args()` of an argparse parser returns."""

    call: Call


@dataclass(frozen=True, slots=True)
class Hyperparameters:
    """What Lightning's `save_hyperparameters` keeps in the objects of a project class."""

    cls: Class


@dataclass(frozen=True, slots=True)
class WrappedLoader:
    """A loader that a framework has wrapped; `by` is the framework's name in the table."""

    loader: AllocationSite
    by: str


@dataclass(frozen=True, slots=True)
class Batch:
    """What a loader yields, or a part of it.

    `fresh`: a CPU operation made a new tensor of it, so pinning of the batch is lost.
    `moved`: it has been copied to a device already.
    """

    loader: AllocationSite
    fresh: bool = False
    moved: bool = False


Value = (
    Literal
    | Unknown
    | External
    | ModuleValue
    | Package
    | FunctionObject
    | Method
    | ClassObject
    | Instance
    | AllocationSite
    | Partial
    | Container
    | VarArgs
    | Zipped
    | Row
    | Generated
    | Namespace
    | Hyperparameters
    | WrappedLoader
    | Batch
)

UNKNOWN = Unknown()
NONE = Literal.of(None)
TRUE = Literal.of(True)
FALSE = Literal.of(False)


def library_path(value: object) -> str:
    """The full path of the library callable that made an object (`torch.Generator`); else empty."""
    origin = value.origin if isinstance(value, AllocationSite) else None
    return origin.path if isinstance(origin, External) else ""


def is_of_library(value: object) -> TypeGuard[AllocationSite]:
    """Whether a callable of a library made an object, and no class of the project."""
    return isinstance(value, AllocationSite) and isinstance(value.origin, External)
