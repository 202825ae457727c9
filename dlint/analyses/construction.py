"""The making of one object: the constructor of its class, and all methods that this calls."""

from __future__ import annotations

from collections.abc import Iterator
from functools import cached_property
from typing import TYPE_CHECKING

from dlint.analyses.callees import is_self, method_scope
from dlint.analyses.data_taint import DataTaint
from dlint.findings.places import Span
from dlint.ir import expressions as ex
from dlint.ir.module import Class, Scope, Store
from dlint.semantics.calls.call_contexts import CallContext
from dlint.semantics.values.values import Instance

if TYPE_CHECKING:
    from dlint.analyses.context import AnalysisContext


class Construction:
    """One constructor, followed through the methods and functions that it calls."""

    def __init__(self, context: AnalysisContext, cls: Class, init: Scope) -> None:
        self.cls = cls
        self.carriers = DataTaint(context, cls)
        self.root = CallContext(
            init, closure=context.solver.root(init.parent or init), receiver=Instance(cls)
        )
        self._constructing = {self.root}
        self._activate(self.root)

    @property
    def activations(self) -> list[CallContext]:
        """The activations of methods on the object, its constructors first."""
        return self.carriers.activations

    def _activate(self, frame: CallContext) -> None:
        """Collect the activations of methods on the object, its base constructors included."""
        self.activations.append(frame)
        for call in frame.scope.calls:
            for entered in self.carriers.targets.entered(call, frame):
                own = entered.receiver is not None or method_scope(entered.scope) is not None
                if own and entered not in self.activations:
                    if entered.scope.name == "__init__" and frame in self._constructing:
                        self._constructing.add(entered)
                    self._activate(entered)

    @cached_property
    def stores(self) -> tuple[tuple[Store, CallContext], ...]:
        """What is written to attributes of the object, with the activation that writes."""
        return tuple(
            (store, frame)
            for frame in self.activations
            for store in frame.scope.stores
            if isinstance(store.target, ex.Attribute) and is_self(store.target.value, frame.scope)
        )

    def written_to(self, attribute: str) -> Iterator[tuple[Store, CallContext]]:
        """The writes to one attribute of the object."""
        return (
            (store, frame)
            for store, frame in self.stores
            if isinstance(store.target, ex.Attribute) and store.target.name == attribute
        )

    def entry(self, span: Span, frame: CallContext) -> tuple[Scope, Span] | None:
        """Where in a constructor the way to a place of an activation begins."""
        while frame not in self._constructing:
            if frame.call is None or frame.caller is None:
                return None
            span, frame = frame.call.span, frame.caller
        return frame.scope, span
