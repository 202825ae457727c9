"""The lines of docs/editors.md, in the editors that are installed here."""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

import dlint
from tests.server.projects import BAD, FIXED

CHECKOUT = Path(dlint.__file__).parent.parent
PAGE = (CHECKOUT / "docs" / "editors.md").read_text("utf-8")

ASK_NEOVIM = """
local found = function() return vim.diagnostic.get(0) end
vim.cmd.edit('train.py')
assert(vim.wait(60000, function() return #found() == 2 end, 50), 'no findings')
for _, one in ipairs(found()) do
  io.stdout:write(one.source, ' ', one.code, ' ', one.lnum + 1, '\\n')
end
vim.api.nvim_buf_set_lines(0, 0, 0, false, { '', '' })
assert(vim.wait(60000, function()
  return #found() == 2 and math.min(found()[1].lnum, found()[2].lnum) == 7
end, 50), 'they did not move')
vim.api.nvim_buf_set_lines(0, 0, 2, false, {})
vim.cmd.write()
assert(vim.wait(60000, function() return #found() == 0 end, 50), 'they are not fixed')
vim.cmd.quit({ bang = true })
"""
ASK_EMACS = """
(require 'eglot)
(require 'flymake)
(setq eglot-connect-timeout 60 eglot-sync-connect 60 flymake-no-changes-timeout 0.1)
(find-file "train.py")
(defun wait-until (holds)
  (let ((end (+ (float-time) 60)))
    (while (and (not (funcall holds)) (< (float-time) end))
      (accept-process-output nil 0.1))
    (unless (funcall holds) (error "waited in vain"))))
(eglot-ensure)
(call-interactively #'eglot)
(flymake-start)
(wait-until (lambda () (flymake-start) (= 2 (length (flymake-diagnostics)))))
(dolist (one (flymake-diagnostics))
  (princ (format "%s %d\\n" (flymake-diagnostic-text one)
                 (line-number-at-pos (flymake-diagnostic-beg one)))))
"""


def _blocks(language: str) -> str:
    found = re.findall(rf"^```{language}\n(.*?)^```$", PAGE, re.M | re.S)
    assert found
    return "\n".join(found)


@pytest.fixture
def project(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A project, and a `dlint` that is this one."""
    command = tmp_path / "bin" / "dlint"
    command.parent.mkdir()
    command.write_text(f'#!/bin/sh\nexec "{sys.executable}" -m dlint "$@"\n')
    command.chmod(0o755)
    monkeypatch.setenv("PATH", f"{command.parent}{os.pathsep}{os.environ['PATH']}")
    monkeypatch.setenv("PYTHONPATH", str(CHECKOUT))
    monkeypatch.setenv("HOME", str(tmp_path))
    folder = tmp_path / "project"
    folder.mkdir()
    (folder / "pyproject.toml").touch()
    (folder / "train.py").write_text(BAD)
    return folder


def _run(project: Path, *command: str) -> str:
    done = subprocess.run(
        command, cwd=project, capture_output=True, text=True, timeout=200, check=False
    )
    assert done.returncode == 0, done.stdout + done.stderr
    return done.stdout + done.stderr


def _neovim() -> str | None:
    """A Neovim that has `vim.lsp.config`."""
    for name in ("nvim", os.environ.get("NVIM", "")):
        path = shutil.which(name)
        asked = [path, "--headless", "-c", "lua assert(vim.lsp.config)", "-c", "q"]
        if path is not None and subprocess.run(asked, capture_output=True).stderr == b"":
            return path
    return None


@pytest.mark.slow
@pytest.mark.skipif(_neovim() is None, reason="there is no Neovim 0.11")
def test_neovim(project: Path, tmp_path: Path) -> None:
    init, ask = tmp_path / "init.lua", tmp_path / "ask.lua"
    init.write_text(_blocks("lua"))
    ask.write_text(ASK_NEOVIM)
    told = _run(project, str(_neovim()), "--headless", "-u", str(init), "-l", str(ask))
    assert sorted(told.split("\n")[:2]) == ["dlint DLT201 6", "dlint DLT301 12"]
    assert (project / "train.py").read_text() == FIXED


@pytest.mark.slow
@pytest.mark.skipif(shutil.which("emacs") is None, reason="there is no Emacs")
def test_emacs(project: Path, tmp_path: Path) -> None:
    init, ask = tmp_path / "init.el", tmp_path / "ask.el"
    init.write_text(_blocks("elisp"))
    ask.write_text(ASK_EMACS)
    told = _run(
        project, "emacs", "-batch", "-f", "package-initialize", "-l", str(init), "-l", str(ask)
    )
    assert "DataLoader raises ValueError" in told
    assert re.search(r"\b6$", told, re.M)
    assert re.search(r"\b12$", told, re.M)
