"""Transfers: copies of batches to a device."""

from __future__ import annotations

from collections.abc import Iterator, Set
from dataclasses import dataclass
from functools import cached_property
from itertools import dropwhile, islice
from typing import TYPE_CHECKING

from dlint.analyses.binding import bind
from dlint.analyses.callees import is_self
from dlint.analyses.calls import is_call_to, library_callees
from dlint.analyses.control.narrowing import is_certainly
from dlint.analyses.running_calls import calls_named
from dlint.analyses.written_arguments import written
from dlint.findings.places import Place
from dlint.ir import expressions as ex
from dlint.ir import walk
from dlint.ir.module import Bind, Scope, Statement
from dlint.library_facts import tensors
from dlint.model.loops.given_loaders import LoadersGiven
from dlint.model.machines.hardware import mentions_cuda
from dlint.model.transfers.device_tests import DeviceTests
from dlint.model.transfers.devices import (
    Device,
    devices,
    is_cpu_for_class,
    is_mps_by_choice,
    of_value,
)
from dlint.model.transfers.model_devices import devices_of_model
from dlint.semantics.names.dtypes import is_dtype
from dlint.semantics.values.conditional_value import Absent, ConditionalValue, ordered
from dlint.semantics.values.values import (
    FALSE,
    TRUE,
    AllocationSite,
    Batch,
    External,
    Literal,
    library_path,
)

if TYPE_CHECKING:
    from dlint.analyses.context import AnalysisContext
    from dlint.model.loading.loader import Loader

_CUDA_TYPES = "torch.cuda."
_FLAG = "non_blocking"


@dataclass(eq=False)
class Transfer:
    """One copy of a batch, or of a part of it, to a device.

    `batches` are the batches that may be copied here; `device` is None where the method names it
    (`.cuda()`).
    """

    context: AnalysisContext
    call: ex.Call
    batches: tuple[Batch, ...]
    device: ex.Expression | None
    non_blocking: ex.Expression | None
    takes_flag: bool = True
    """Whether the call has a `non_blocking` argument at all."""

    @property
    def place(self) -> Place:
        """Where the copy is made."""
        return self.context.place_of(self.call)

    @property
    def function_name(self) -> str | None:
        """The name of the function that makes the copy; None where it has none."""
        name = self.call.scope.name
        return name if name.isidentifier() else None

    @property
    def source(self) -> ex.Expression:
        """What is copied."""
        callee = self.call.function
        is_method = isinstance(callee, ex.Attribute) and self.call.name in tensors.COPIES
        if isinstance(callee, ex.Attribute) and (is_method or self.call.name == "type"):
            return callee.value
        bound = _of_library(self.context, self.call)
        given = written(self.call, 0, "src") if bound is None else bound[0]
        return self.call if given is None else given

    @property
    def names_dtype(self) -> bool:
        """Whether the copy is asked for a dtype, too.

        What has another one is converted on the CPU first, into a tensor that is not pinned
        (aten/src/ATen/native/cuda/Copy.cu, `copy_requires_temporaries`).
        """
        return self.call.name == "to" and written(self.call, 1, "dtype") is not None

    @cached_property
    def devices(self) -> frozenset[Device]:
        """Where the copy may go."""
        if self.device is None:
            return frozenset({Device.CUDA})
        if is_cpu_for_class(self.context, self.device, self.call.scope):
            return frozenset({Device.CPU})
        found = devices(self.context, self.device, self.call.scope)
        if found == {Device.OTHER}:
            return devices_of_model(self.context, self.device, self.call.scope) or found
        return found

    @property
    def is_to(self) -> bool:
        """Whether the copy is made by the method `to`."""
        return self.call.name == "to"

    @property
    def is_mps_by_choice(self) -> bool:
        """Whether the device is MPS only where somebody asks for it."""
        device = self.device or self.call
        return is_mps_by_choice(self.context, device, self.call.scope)

    @property
    def may_reach_cuda(self) -> bool:
        """Whether the device is CUDA on some path; an unnamed one is, where the text says so."""
        if Device.CUDA in self.devices:
            return True
        if Device.OTHER not in self.devices or self.follows_output:
            return False
        return mentions_cuda(self.context, self.place.path)

    @property
    def follows_output(self) -> bool:
        """Whether the device is that of what was computed from a batch (`out.device`)."""
        device = self.device
        if not isinstance(device, ex.Attribute) or not isinstance(device.value, ex.Reference):
            return False
        definition = device.value.definition
        made = None if definition is None else definition.value
        return isinstance(made, ex.Call) and any(
            isinstance(value, Batch)
            for argument in made.arguments
            for value in self.context.values(argument.value, made.scope)
        )

    def goes_to_cpu(self, loader: Loader) -> bool:
        """Whether the device is the CPU on every path that makes this loader.

        So it is for a loader that is made only where a test says that there is no CUDA.
        """
        if self.context[DeviceTests].exclude("cuda", loader.call):
            return True
        if self.device is None or self.devices <= {Device.CPU}:
            return self.device is not None
        frame = self.context.solver.root(self.call.scope)
        found = self.context.evaluator.of(self.device, frame)
        possible = (a.value for a in found if loader.is_possible(a) and self._is_of(a, loader))
        kinds = {of_value(value) for value in possible if not isinstance(value, Absent)}
        return kinds - {None} == {Device.CPU}

    def _is_of(self, alternative: ConditionalValue, loader: Loader) -> bool:
        """Whether an alternative holds in a call that is given this loader, or none at all."""
        calls = (c.outcome for c in alternative.path_condition if isinstance(c.outcome, ex.Call))
        given = (self.context[LoadersGiven].to(call) for call in calls)
        return all(not loaders or loader.made in loaders for loaders in given)

    @property
    def is_read_at_once(self) -> bool:
        """Whether the host waits for the copy before it does anything else with it.

        `x.cuda().sum().item()`, or `x = x.cuda()` where `int(x.sum())` is the first use of `x`.
        """
        statement = self.call.statement
        if any(inner is self.call for read in _reads(statement) for inner in walk.walk(read)):
            return True
        bound = statement.definitions if isinstance(statement, Bind) else ()
        return any(d.value is self.call and _is_read_first(statement, d) for d in bound)

    def copies_pinned(self, made: AllocationSite) -> bool:
        """Whether a batch of this loader is copied as it came, not after a CPU operation."""
        if self.is_scattered:
            return False
        return any(batch.loader == made for batch in self.batches if not batch.fresh)

    @property
    def is_scattered(self) -> bool:
        """Whether what is copied lies in memory in pieces: `x[:, :k]`, but not `x[:k]`, `x[0, :k]`.

        torch puts it together on the CPU first, in memory that is not pinned (`copy_kernel_cuda` of
        aten/src/ATen/native/cuda/Copy.cu: `copy_requires_temporaries`).
        """
        return _is_scattered(ex.unnamed(self.source))

    @property
    def is_blocking(self) -> bool:
        """Whether the copy certainly waits: no `non_blocking`, or a literal False."""
        if self.non_blocking is None:
            return True
        return self.context.values(self.non_blocking, self.call.scope) == {FALSE}

    @property
    def never_blocks(self) -> bool:
        """Whether `non_blocking` is certainly on."""
        flag = self.non_blocking
        return flag is not None and self.context.values(flag, self.call.scope) == {TRUE}


def _reads(statement: Statement) -> list[ex.Call]:
    """The calls of a statement that bring a value to the host."""
    parts = (part for e in walk.expressions(statement) for part in walk.walk(e))
    return [p for p in parts if isinstance(p, ex.Call) and p.name in tensors.HOST_READS]


def _is_read_first(statement: Statement, made: ex.Definition) -> bool:
    """Whether the first statement behind that uses a name reads it on the host.

    So does one that reads what a method of it has just been asked for: `n = x.sum()`, `int(n)`.
    """
    following = dropwhile(lambda s: s is not statement, statement.block.statements)
    names = {made}
    for current in islice(following, 1, None):
        uses = [u for e in walk.expressions(current) for u in walk.walk(e) if _is_use(u, names)]
        result = _result_of(current)
        if uses and result is None:
            read = {part for call in _reads(current) for part in walk.walk(call)}
            return all(use in read for use in uses)
        if any(walk.blocks(current)):
            return False
        names |= {result} if uses and result is not None else set()
    return False


def _is_use(part: ex.Expression, names: Set[ex.Definition]) -> bool:
    return isinstance(part, ex.Reference) and part.definition in names


def _result_of(statement: Statement) -> ex.Definition | None:
    """The one name of what methods of another name return, given nothing: `n` of `n = x.sum()`."""
    if not isinstance(statement, Bind) or len(statement.definitions) != 1 or _reads(statement):
        return None
    value = statement.value
    while isinstance(value, ex.Call) and isinstance(value.function, ex.Attribute):
        if value.arguments:
            return None
        value = value.function.value
    named = isinstance(value, ex.Reference) and value is not statement.value
    return statement.definitions[0] if named else None


def transfers(context: AnalysisContext) -> Iterator[Transfer]:
    """Every copy of a batch to a device, in the order of their places."""
    for call in calls_named(context, *sorted(tensors.COPIES), "type", "copy_", *_mover_names()):
        transfer = _transfer(context, call)
        if transfer is not None and transfer.batches:
            yield transfer


def _mover_names() -> list[str]:
    return sorted({path.rpartition(".")[2] for path in tensors.MOVERS})


def _transfer(context: AnalysisContext, call: ex.Call) -> Transfer | None:
    callee = call.function
    if isinstance(callee, ex.Attribute) and call.name in tensors.COPIES:
        device, flag = (of_to if call.name == "to" else of_cuda)(call)
        if call.name == "to" and (device is None or _is_dtype(context, device, call.scope)):
            return None
        if is_certainly(context, call, callee.value, tensors.NO_BATCHES):
            return None
        return Transfer(context, call, _batches(context, callee.value, call), device, flag)
    if isinstance(callee, ex.Attribute) and call.name == "type":
        if not _is_cuda_type(context, call):
            return None
        batches = _batches(context, callee.value, call)
        return Transfer(context, call, batches, None, written(call, 1, _FLAG))
    if isinstance(callee, ex.Attribute) and call.name == "copy_":
        return _of_copy(context, call, callee)
    return _of_mover(context, call)


def _is_dtype(context: AnalysisContext, device: ex.Expression, scope: Scope) -> bool:
    """Whether what is given as a device is certainly a dtype, by its values."""
    paths = [v.path if isinstance(v, External) else "" for v in context.values(device, scope)]
    return bool(paths) and all(p.startswith("torch.") and p[6:] in tensors.DTYPES for p in paths)


def of_to(call: ex.Call) -> tuple[ex.Expression | None, ex.Expression | None]:
    """Device and flag of `.to(…)`; no device where only the dtype changes."""
    device = written(call, 0, "device")
    if device is not None and is_dtype(device):
        return None, written(call, 1, _FLAG)
    if any(a.star for a in call.arguments):
        return device, ex.Opaque(call.span)
    return device, written(call, 2, _FLAG)


def of_cuda(call: ex.Call) -> tuple[None, ex.Expression | None]:
    """The flag of `.cuda(…)`, which names its device itself."""
    return None, written(call, 1, _FLAG)


def _batches(context: AnalysisContext, receiver: ex.Expression, call: ex.Call) -> tuple[Batch, ...]:
    found = context.values(receiver, call.scope)
    batches = [v for v in found if isinstance(v, Batch) and not v.moved]
    own = [batch for batch in batches if not _is_of_sibling(context, batch, call, receiver)]
    return tuple(batch for batch in ordered(own) if isinstance(batch, Batch))


def _is_of_sibling(
    context: AnalysisContext, batch: Batch, call: ex.Call, receiver: ex.Expression
) -> bool:
    """Whether a batch is kept on `self` and of a loader that only a sibling of this class makes."""
    owner, maker = call.scope.owner, batch.loader.call.scope.owner
    if owner is None or maker is None or not _is_kept(receiver, call.scope):
        return False
    return context.solver.classes.are_siblings(owner, maker)


def _is_kept(part: ex.Expression, scope: Scope) -> bool:
    """Whether an expression is an attribute of `self`, or a part of one."""
    while isinstance(part, ex.Attribute | ex.Subscript):
        if is_self(part.value, scope):
            return True
        part = part.value
    return False


def _is_cuda_type(context: AnalysisContext, call: ex.Call) -> bool:
    """`x.type(torch.cuda.FloatTensor)`, also through an alias."""
    given = written(call, 0, "dtype")
    found = () if given is None else context.values(given, call.scope)
    return any(
        (isinstance(v, External) and v.path.startswith(_CUDA_TYPES))
        or (isinstance(v, Literal) and str(v.value).startswith(_CUDA_TYPES))
        for v in found
    )


def _of_copy(context: AnalysisContext, call: ex.Call, callee: ex.Attribute) -> Transfer | None:
    """`cuda_tensor.copy_(batch)`."""
    source = written(call, 0, "src")
    batches = () if source is None else _batches(context, source, call)
    if not batches:
        return None
    target = context.values(callee.value, call.scope)
    for value in target:
        if isinstance(value, AllocationSite) and _made_on_cuda(value):
            return Transfer(context, call, batches, None, written(call, 1, _FLAG))
    return None


def _made_on_cuda(value: AllocationSite) -> bool:
    if library_path(value).startswith(_CUDA_TYPES):
        return True
    device = written(value.call, None, "device")
    return isinstance(device, ex.Constant) and "cuda" in str(device.value)


def _of_mover(context: AnalysisContext, call: ex.Call) -> Transfer | None:
    """`send_to_device(batch, device)` and its like."""
    found = _of_library(context, call)
    if found is None:
        return None
    source, device, flag = found
    if source is None:
        return None
    return Transfer(context, call, _batches(context, source, call), device or call, flag)


def _of_library(
    context: AnalysisContext, call: ex.Call
) -> tuple[ex.Expression | None, ex.Expression | None, ex.Expression | None] | None:
    """What a library's function copies to a device, to which, and whether without waiting."""
    if not is_call_to(context, call, tensors.MOVERS):
        return None
    path = next(p for p in library_callees(context, call) if p in tensors.MOVERS)
    parameters = tensors.MOVERS[path]
    bound = bind(context, call, *parameters)
    return bound.get(parameters[0]), bound.get(parameters[1]), bound.get(_FLAG)


def _is_scattered(taken: ex.Expression) -> bool:
    if not isinstance(taken, ex.Subscript) or not isinstance(taken.index, ex.Sequence):
        return False
    rest = list(dropwhile(lambda item: not isinstance(item, ex.Slice), taken.index.items))
    return any(not isinstance(item, ex.Slice) or any(item.bounds) for item in rest[1:])
