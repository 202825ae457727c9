"""Edited sources served in place of the files on disk, under the files' own paths."""

# ruff: noqa: PTH100, PTH110, PTH114, PTH118, PTH119, PTH120
# (pathlib would be imported into every process of the program)
from __future__ import annotations

import importlib.abc
import linecache
import os
import runpy
import sys
import traceback
from importlib.machinery import FileFinder, ModuleSpec, SourceFileLoader
from types import CodeType, ModuleType, TracebackType
from typing import Any


class Overlay:
    """The edited files of one variant.

    `edited` maps the real path of a file to the path of its edited text. No bytecode of a file
    below `project` is written, so a measured run leaves the project's folders as they are. For each
    text that is used, a sign is left in the folder `out`.
    """

    def __init__(self, edited: dict[str, str], project: str, out: str) -> None:
        self._edited = edited
        self._out = out
        self._names = {os.path.basename(path) for path in edited}
        self._project = project.rstrip(os.sep) + os.sep if project else ""

    def install(self) -> None:
        """Serve the texts to imports, `-m`, spawned children and the main script."""
        self._patch_loader()
        self._patch_finder()
        self._patch_runpy()
        script = sys.argv[0] if sys.argv else ""
        if script not in ("-c", "-m") and self.text_path(script) is not None:
            Main(self, os.path.abspath(script)).install()

    def text_path(self, path: str) -> str | None:
        """Where the edited text of a file is; None for a file that is not edited."""
        if os.path.basename(path) not in self._names:
            link = os.path.islink(path)
            if not link:
                return None
        return self._edited.get(os.path.realpath(path))

    def data(self, path: str) -> bytes | None:
        """The edited text of a file, as bytes in the file's encoding."""
        text_path = self.text_path(path)
        if text_path is None:
            return None
        with open(text_path, "rb") as file:
            return file.read()

    def code(self, path: str, name: str = "__main__") -> CodeType | None:
        """The compiled edited text; tracebacks and `inspect` find its lines too."""
        data = self.data(path)
        if data is None:
            return None
        from importlib.util import decode_source

        self._leave_sign(path)
        text = decode_source(data)
        linecache.cache[path] = (len(text), None, text.splitlines(True), path)
        return SourceFileLoader(name, path).source_to_code(data, path)

    def _leave_sign(self, path: str) -> None:
        text_path = self.text_path(path) or ""
        sign = os.path.join(self._out, f"loaded.{os.path.basename(text_path)}")
        if not os.path.exists(sign):
            open(sign, "w").close()

    def _patch_loader(self) -> None:
        overlay, loader = self, SourceFileLoader
        get_code, get_data, write = loader.get_code, loader.get_data, loader._cache_bytecode  # type: ignore[attr-defined]

        def edited_code(self: Any, fullname: str) -> CodeType | None:
            code = overlay.code(self.get_filename(fullname), fullname)
            return get_code(self, fullname) if code is None else code

        def edited_data(self: Any, path: str) -> bytes:
            data = overlay.data(path)
            return get_data(self, path) if data is None else data

        def cache_bytecode(self: Any, source_path: str, cache_path: str, data: Any) -> None:
            if not overlay.owns(source_path):
                write(self, source_path, cache_path, data)

        loader.get_code = edited_code  # type: ignore[method-assign]
        loader.get_data = edited_data  # type: ignore[method-assign]
        loader._cache_bytecode = cache_bytecode  # type: ignore[attr-defined]

    def _patch_finder(self) -> None:
        """Find the modules that a variant adds to a folder."""
        overlay, find_spec = self, FileFinder.find_spec

        def find_added(self: Any, fullname: str, target: Any = None) -> ModuleSpec | None:
            spec = find_spec(self, fullname, target)
            if spec is not None and spec.loader is not None:
                return spec
            path = os.path.join(self.path, fullname.rpartition(".")[2] + ".py")
            if overlay.text_path(path) is None:
                return spec
            from importlib.util import spec_from_file_location

            return spec_from_file_location(fullname, path)

        FileFinder.find_spec = find_added  # type: ignore[method-assign]

    def owns(self, path: str) -> bool:
        """Whether a file is one of the project's own."""
        project = self._project
        if not project or not any(p.startswith(project) for p in (path, os.path.realpath(path))):
            return False
        return "site-packages" not in path and "dist-packages" not in path

    def _patch_runpy(self) -> None:
        original = runpy._get_code_from_file  # type: ignore[attr-defined]

        def get_code_from_file(*given: str) -> Any:
            """Python up to 3.11 gives a run name too, and wants the path back."""
            code = self.code(os.fspath(given[-1]))
            if code is None:
                return original(*given)
            return code if len(given) == 1 else (code, given[-1])

        runpy._get_code_from_file = get_code_from_file  # type: ignore[attr-defined]


class Main(importlib.abc.Loader):
    """Serves the main script, which Python itself reads past every import hook.

    Python asks the path hooks whether the script is an archive; answering yes makes runpy ask us
    for the code of `__main__`.
    """

    def __init__(self, overlay: Overlay, script: str) -> None:
        self._overlay = overlay
        self._script = script
        self._given = ""

    def install(self) -> None:
        """Wait for the one question about the script."""
        sys.path_hooks.insert(0, self._hook)

    def _hook(self, entry: str) -> Main:
        if os.path.realpath(entry) != os.path.realpath(self._script):
            raise ImportError
        sys.path_hooks.remove(self._hook)
        self._given = entry
        self._run_code = runpy._run_code  # type: ignore[attr-defined]
        runpy._run_code = self._run  # type: ignore[attr-defined]
        return self

    def find_spec(self, name: str, target: ModuleType | None = None) -> ModuleSpec | None:
        """The spec of `__main__`."""
        if name != "__main__":
            return None
        return ModuleSpec(name, self, origin=self._script)

    def get_code(self, name: str) -> CodeType | None:
        """The code of `__main__`."""
        return self._overlay.code(self._given)

    def create_module(self, spec: ModuleSpec) -> ModuleType | None:
        """The module is there already."""
        return None

    def exec_module(self, module: ModuleType) -> None:
        """Never called: runpy runs the code."""

    def _run(self, code: CodeType, names: dict[str, Any], *rest: Any) -> dict[str, Any]:
        """Run the script with the globals and the path that `python script` gives it."""
        runpy._run_code = self._run_code  # type: ignore[attr-defined]
        sys.path_importer_cache.pop(self._given, None)
        sys.path[:] = [entry for entry in sys.path if entry != self._given]
        if not getattr(sys.flags, "safe_path", False):
            sys.path.insert(0, os.path.dirname(os.path.realpath(self._script)))
        names.update(
            __name__="__main__",
            __file__=self._given,
            __cached__=None,
            __doc__=None,
            __loader__=SourceFileLoader("__main__", self._given),
            __package__=None,
            __spec__=None,
        )
        if sys.excepthook is sys.__excepthook__:
            sys.excepthook = _print
        exec(code, names)
        return names


def _print(kind: type[BaseException], error: BaseException, trace: TracebackType | None) -> None:
    """What Python itself prints, but with the edited lines and without the frames of the start."""
    first = trace
    while first is not None and first.tb_frame.f_code is not Main._run.__code__:
        first = first.tb_next
    traceback.print_exception(kind, error, trace if first is None else first.tb_next)
