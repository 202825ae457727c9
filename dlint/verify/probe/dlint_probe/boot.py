"""What happens before the program's first line: edited sources are served, torch is awaited."""

# ruff: noqa: PTH110, PTH118
# (pathlib would be imported into every process of the program)
from __future__ import annotations

import importlib.abc
import importlib.util
import json
import os
import sys
import time
from collections.abc import Callable, Sequence
from types import ModuleType
from typing import Any

Config = dict[str, Any]
After = Callable[[ModuleType], None]


_STATEFUL = "torchdata.stateful_dataloader.stateful_dataloader"


def start(path: str) -> None:
    """Begin with the configuration in the file at `path`; on another machine, with that in the
    environment."""
    config = _read(path)
    config["booted"] = time.time()
    _leave_sign(config)
    if config.get("edited") or config.get("project"):
        from .overlay import Overlay

        edited, project = config.get("edited") or {}, config.get("project") or ""
        Overlay(edited, project, config["out"]).install()
    written: dict[str, After] = {}
    if config.get("redirect"):
        written = _redirect(**config["redirect"])
    elif config.get("layered"):
        from . import renames

        renames.install()
    hooks: dict[str, After] = {
        **written,
        "torch": lambda module: _install(config, written.get("torch")),
        _STATEFUL: _listen,
    }
    if config.get("board"):
        from . import loggers

        hooks["torch.utils.tensorboard.writer"] = lambda m: loggers.redirect(m, config["board"])
        hooks["tensorboardX.writer"] = hooks["torch.utils.tensorboard.writer"]
    sys.meta_path.insert(0, AfterImport(hooks))


def _read(path: str) -> Config:
    try:
        with open(path, encoding="utf-8") as file:
            found: Config = json.load(file)
    except FileNotFoundError:
        from . import distant

        if distant.VARIABLE not in os.environ:
            raise
        found = distant.unpacked(os.environ[distant.VARIABLE])
    return found


def _redirect(changes: str, scratch: str) -> dict[str, After]:
    """A program that writes must not run where this fails."""
    try:
        from . import redirect

        return redirect.install(changes, scratch)
    except BaseException as error:
        sys.stderr.write(f"dlint: the view of the disk: {type(error).__name__}: {error}\n")
        sys.stderr.flush()
        os._exit(86)


def _leave_sign(config: Config) -> None:
    """An empty file: it says that the injection reached a process of this run."""
    sign = os.path.join(config["out"], "injected")
    if not os.path.exists(sign):
        open(sign, "w").close()


def _install(config: Config, before: After | None) -> None:
    from . import hooks

    if before is not None:
        before(sys.modules["torch"])
    hooks.install(config)


def _listen(module: ModuleType) -> None:
    """A loader that does not call the constructor of its base; its module has imported torch."""
    from . import hooks

    hooks.listen_to_loaders(module.StatefulDataLoader)


class AfterImport(importlib.abc.MetaPathFinder):
    """Calls a function after the import of each module that it names, once."""

    def __init__(self, hooks: dict[str, After]) -> None:
        self._hooks = hooks
        self._searching = False

    def find_spec(
        self, name: str, path: Sequence[str] | None = None, target: ModuleType | None = None
    ) -> importlib.machinery.ModuleSpec | None:
        """The spec that the other finders give, with a loader that calls the function."""
        if self._searching or name not in self._hooks:
            return None
        self._searching = True
        try:
            spec = importlib.util.find_spec(name)
        finally:
            self._searching = False
        if spec is not None and spec.loader is not None:
            self._attach(spec.loader, name)
        return spec

    def _attach(self, loader: Any, name: str) -> None:
        """Wait for the module to run: a spec is often asked for by who only wants to know whether
        there is such a module."""
        execute = loader.exec_module

        def exec_module(module: ModuleType) -> None:
            execute(module)
            after = self._hooks.pop(name, None)
            if after is not None:
                after(module)

        loader.exec_module = exec_module
