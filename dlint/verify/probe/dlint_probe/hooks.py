"""The places of torch that the probe listens at. All exist from torch 2.2 to 2.15."""

from __future__ import annotations

import atexit
import functools
import os
import sys
import time
from collections.abc import Callable
from types import TracebackType
from typing import Any, NoReturn

from . import content, overriding, window, workers
from .device_clock import DeviceClock
from .record import finish
from .state import Config, Loader, State, clock, stack, synchronise

_OWN = "_dlint_loader"
"""The attribute of an iterator that names its loader's record."""
_NUMBERED = 8
"""Steps of optimizers at which it is asked what kind of numbers they train."""
_TF32 = 2.0**-10
_states: list[State] = []
"""The one of this process, once torch is there."""


def install(config: Config) -> None:
    """Listen in this process, and in what it forks."""
    import torch
    from torch.utils.data import dataloader

    config["installed_at"] = time.time()
    state = State(config)
    _states.append(state)
    if config.get("seed") is not None and not _is_child():
        content.seed_everything(config["seed"])
    workers.listen(state)
    listen_to_loaders(dataloader.DataLoader)
    if config.get("doctor"):
        from . import doctor

        doctor.install(state, config["doctor"])
    _listen_to_iterators(state, dataloader)
    _listen_to_training(state, torch)
    _listen_to_datasets(state, dataloader)
    if config.get("epoch_cap"):
        _cap_epochs(state, dataloader._BaseDataLoaderIter, config["epoch_cap"])
    _listen_to_the_end(state)


def _is_child() -> bool:
    """Whether this is a worker: torch seeds it itself."""
    process = sys.modules.get("multiprocessing.process")
    return process is not None and process.parent_process() is not None


def listen_to_loaders(cls: Any) -> None:
    """Note each loader of a class that is constructed."""
    original, (state,) = cls.__init__, _states

    @functools.wraps(original)
    def init(self: Any, *args: Any, **named: Any) -> None:
        if (
            state.here
            and state.config.get("set")
            and overriding.is_meant(state.config.get("set_at"))
        ):
            args, named = overriding.overridden(original, self, args, named, state.config["set"])
        original(self, *args, **named)
        if state.here:
            state.add(self, stack())

    cls.__init__ = init


def _listen_to_iterators(state: State, module: Any) -> None:
    base = module._BaseDataLoaderIter
    known = {module._MultiProcessingDataLoaderIter, module._SingleProcessDataLoaderIter}
    for cls in known:
        _listen_to_leaf(state, cls)
    original, following = base.__init__, base.__next__

    @functools.wraps(original)
    def init(self: Any, loader: Any, *args: Any, **named: Any) -> None:
        if state.here:
            record = state.loader(loader)
            setattr(self, _OWN, record)
            if state.doctor is not None:
                state.doctor.starting(record)
            record.begin("new", clock())
            if type(self) not in known and not issubclass(type(self), tuple(known)):
                known.add(type(self))
                _listen_to_leaf(state, type(self))
        original(self, loader, *args, **named)

    base.__init__ = init
    following = following if state.doctor is None else state.doctor.feeding(following, _OWN)
    base.__next__ = functools.wraps(following)(_measured(state, following))
    if state.config["look"]:
        _listen_to_order(state, base)


def _measured(state: State, following: Callable[[Any], Any]) -> Callable[[Any], Any]:
    """`next()` that notes how long the program waited. It is called for each batch: what a batch
    in the midst of a window does not need is not asked. Where epochs are timed, a mark tells when
    the device came to that batch."""
    now, looks, marks = clock, state.config["look"], state.config.get("by_epoch")

    def following_batch(self: Any) -> Any:
        loader: Loader | None = getattr(self, _OWN, None)
        if loader is None or not state.here:
            return following(self)
        entered = now()
        if loader is not state.train or loader.batches >= state.due or entered >= state.until:
            window.enter(state, loader, entered)
            entered = now()
        if marks:
            loader.device = loader.device or DeviceClock()
            loader.device.mark()
        try:
            batch = following(self)
        except StopIteration:
            if marks:
                loader.device.forget()
            loader.ended(entered)
            raise
        given = now()
        loader.took(entered, given)
        state.current = loader
        if looks or state.first_batch is None:
            _look(state, loader, batch)
        return batch

    return following_batch


def _look(state: State, loader: Loader, batch: Any) -> None:
    """What is noted of the first batch, and of each where contents are compared. What the device
    has to do is waited for before: beside hashes it would take no time."""
    if state.first_batch is None:
        state.first_batch = time.time() - state.config["launched"]
    if state.config["look"]:
        synchronise()
        begun = clock()
        content.note(loader, batch)
        state.hashing += clock() - begun


def _listen_to_leaf(state: State, cls: Any) -> None:
    """The outermost `__init__` and `_reset` of an iterator class: workers start in there."""
    original, reset = cls.__init__, cls.__dict__.get("_reset")

    @functools.wraps(original)
    def init(self: Any, *args: Any, **named: Any) -> None:
        original(self, *args, **named)
        record: Loader | None = getattr(self, _OWN, None)
        if record is not None and state.here:
            if hasattr(self, "_shutdown_workers"):
                state.iterators.add(self)
                record.worker_pids += [w.pid for w in getattr(self, "_workers", ())]
            if record.epochs:
                record.epochs[-1]["ready"] = clock()

    cls.__init__ = init
    if reset is None or not hasattr(cls, "_shutdown_workers"):
        return

    @functools.wraps(reset)
    def reset_epoch(self: Any, loader: Any, first_iter: bool = False, **named: Any) -> Any:
        record: Loader | None = getattr(self, _OWN, None)
        again = record is not None and not first_iter and state.here
        if again and record is not None:
            record.begin("reset", clock())
            self._dlint_capped = 0
        if again and state.config.get("align"):
            _draw_base_seed(loader)
        found = reset(self, loader, first_iter, **named)
        if again and record is not None and record.epochs:
            record.epochs[-1]["ready"] = clock()
        return found

    cls._reset = reset_epoch


def _draw_base_seed(loader: Any) -> None:
    """What a new iterator draws and a kept one does not: it shifts the order of later epochs."""
    torch: Any = sys.modules["torch"]
    torch.empty((), dtype=torch.int64).random_(generator=loader.generator)


def _listen_to_order(state: State, base: Any) -> None:
    original = base._next_index

    def next_index(self: Any) -> Any:
        indices = original(self)
        record: Loader | None = getattr(self, _OWN, None)
        if record is not None and state.here and record.order:
            kept = [_plain(i) for i in indices] if isinstance(indices, list) else _plain(indices)
            record.order[-1].append(kept)
        return indices

    base._next_index = next_index


def _plain(index: Any) -> Any:
    if isinstance(index, (int, str)) or index is None:
        return index
    return int(index) if hasattr(index, "__index__") else repr(index)


def _cap_epochs(state: State, base: Any, most: int) -> None:
    """End each epoch of the training after some batches, at the sampler, so that workers drain as
    they do. A validation is as long as it is: its time is a part of an epoch."""
    original = base._next_index

    def next_index(self: Any) -> Any:
        loader = getattr(self, _OWN, None)
        trains = state.train is None or loader is state.train or state.config["look"]
        if loader is not None and state.here and trains:
            drawn = getattr(self, "_dlint_capped", 0)
            if drawn >= most:
                raise StopIteration
            self._dlint_capped = drawn + 1
        return original(self)

    base._next_index = next_index


def _listen_to_training(state: State, torch: Any) -> None:
    from torch.optim.optimizer import register_optimizer_step_post_hook

    def after_step(optimizer: Any, args: Any, named: Any) -> None:
        state.optimizer_steps += 1
        if looks and state.here and state.optimizer_steps <= _NUMBERED:
            state.precision = max(state.precision, *_precisions(torch, optimizer))
        if state.current is not state.train and state.here:
            window.stepped(state)
        elif state.current is None and state.here:
            window.stepped_without(state)

    register_optimizer_step_post_hook(after_step)
    original, looks = torch.Tensor.backward, state.config["look"]

    @functools.wraps(original)
    def backward(self: Any, *args: Any, **named: Any) -> Any:
        if state.here:
            window.went_back(state)
            if looks and self.numel() == 1 and not _is_captured(torch, self):
                state.losses.append(float(self.detach()))
                state.precision = max(state.precision, _precision(torch, self.dtype))
                state.streams.append(content.streams())
            if not looks and state.train is not None and torch.Tensor.backward is backward:
                torch.Tensor.backward = original  # it has nothing more to say
        return original(self, *args, **named)

    torch.Tensor.backward = backward
    if looks:
        _listen_to_autocast(state, torch)


def _precision(torch: Any, dtype: Any) -> float:
    """How far numbers of a kind lie apart, as a share."""
    return float(torch.finfo(dtype).eps)


def _precisions(torch: Any, optimizer: Any) -> list[float]:
    """The same of what is trained: a loss may be of finer numbers than the weights. On a device,
    single numbers may be multiplied as coarser ones (TF32)."""
    found = [0.0]
    for parameter in optimizer.param_groups[0]["params"][:1]:
        if not parameter.dtype.is_floating_point:
            continue
        found.append(_precision(torch, parameter.dtype))
        if parameter.is_cuda and _multiplies_coarsely(torch):
            found.append(_TF32)
    return found


def _multiplies_coarsely(torch: Any) -> bool:
    """Whether TF32 is allowed; a torch that was asked in two ways refuses to say."""
    try:
        return any(b.allow_tf32 for b in (torch.backends.cuda.matmul, torch.backends.cudnn))
    except (AttributeError, RuntimeError):
        return True


def _listen_to_autocast(state: State, torch: Any) -> None:
    """Note the kind of numbers that a part of the program computes with: its loss is of another."""
    original = torch.autocast.__enter__

    @functools.wraps(original)
    def enter(self: Any) -> Any:
        if state.here and getattr(self, "_enabled", False):
            state.precision = max(state.precision, _precision(torch, self.fast_dtype))
        return original(self)

    torch.autocast.__enter__ = enter


def _is_captured(torch: Any, loss: Any) -> bool:
    """Whether a CUDA graph records what is done: then there is no value yet, and to ask for one
    fails."""
    return bool(loss.is_cuda and torch.cuda.is_current_stream_capturing())


def _listen_to_datasets(state: State, module: Any) -> None:
    """Time the constructor of each dataset class that the program defines."""
    dataset = module.Dataset
    inherited = dataset.__init_subclass__

    def init_subclass(cls: Any, /, **named: Any) -> None:
        inherited.__func__(cls, **named)
        own = cls.__dict__.get("__init__")
        if own is not None:
            cls.__init__ = _timed(state, cls, own)

    dataset.__init_subclass__ = classmethod(init_subclass)


def _timed(state: State, cls: Any, original: Any) -> Any:
    @functools.wraps(original)
    def init(self: Any, *args: Any, **named: Any) -> Any:
        begun = clock()
        try:
            return original(self, *args, **named)
        finally:
            if state.here and type(self) is cls and len(state.datasets) < 100:
                made = {"class": cls.__qualname__, "seconds": clock() - begun}
                state.datasets.append(made)

    return init


def _listen_to_the_end(state: State) -> None:
    atexit.register(_end, state)
    if state.config.get("post") and not _is_child():
        from . import post

        post.listen_to_termination(state, _end)
    _listen_to_sudden_ends(state)
    original = sys.excepthook

    def excepthook(
        kind: type[BaseException], error: BaseException, traceback: TracebackType | None
    ) -> None:
        if state.here:
            state.error = _described(kind, error, traceback)
        original(kind, error, traceback)

    sys.excepthook = excepthook


def _listen_to_sudden_ends(state: State) -> None:
    """A program that leaves at once has trained all the same."""
    original = os._exit

    def leave_at_once(status: int) -> NoReturn:
        try:
            _end(state)
        finally:
            original(status)

    os._exit = leave_at_once


def _described(
    kind: type[BaseException], error: BaseException, traceback: TracebackType | None
) -> dict[str, Any]:
    frames = []
    while traceback is not None:
        frames.append([traceback.tb_frame.f_code.co_filename, traceback.tb_lineno])
        traceback = traceback.tb_next
    return {"type": kind.__name__, "message": str(error)[:500], "frames": frames[-20:]}


def _end(state: State) -> None:
    if state.here:
        if state.train is None and state.loaders:
            most = max(state.loaders, key=lambda loader: loader.batches)
            if most.batches:
                state.train = most
        window.close_early(state)
        if state.doctor is not None:
            state.doctor.close_early()
        finish(state, "exit")
