"""An edited program behaves as if its files had been edited, and nothing is written."""

from __future__ import annotations

import json
import os
from collections.abc import Callable
from pathlib import Path

import pytest

from dlint.verify.probe.dlint_probe.overlay import Overlay
from dlint.verify.run import live
from dlint.verify.run.runner import Run

Launch = Callable[..., Run]


SHOW = """
import inspect, json, os, sys
import helper

def mark():
    return VALUE

facts = dict(
    value=VALUE, helper=helper.VALUE, argv=sys.argv, path=sys.path[:2], file=__file__,
    name=__name__, spec=__spec__ is None, package=__package__, cwd=os.getcwd(),
    source=inspect.getsource(mark), data=open("data.txt").read(),
    beside=open(os.path.join(os.path.dirname(__file__), "data.txt")).read(),
    loader=type(__loader__).__name__, flags=sys.flags.dont_write_bytecode,
)
if __name__ == "__main__":
    json.dump(facts, open(sys.argv[1], "w"))
"""
MAIN = "VALUE = 'old'\n" + SHOW
EDITED = "# one line more\nVALUE = 'new'\n" + SHOW
FILES = {"main.py": MAIN, "helper.py": "VALUE = 'old'\n", "data.txt": "data"}


def _facts(path: Path) -> dict[str, object]:
    found: dict[str, object] = json.loads(path.read_text())
    return found


def test_the_script_sees_what_an_unedited_one_sees(launch: Launch, tmp_path: Path) -> None:
    assert launch(FILES, "plain.json", "--flag").code == 0
    run = launch(FILES, "edited.json", "--flag", edited={"main.py": EDITED})
    assert run.code == 0, run.stderr
    assert run.injected
    plain, edited = _facts(tmp_path / "plain.json"), _facts(tmp_path / "edited.json")
    assert (plain["value"], edited["value"]) == ("old", "new")
    assert edited["argv"] == ["main.py", "edited.json", "--flag"]
    same = set(plain) - {"value", "argv"}
    assert {k: edited[k] for k in same} == {k: plain[k] for k in same}


def test_edited_imports_are_seen_and_leave_no_bytecode(launch: Launch, tmp_path: Path) -> None:
    run = launch(FILES, "facts.json", edited={"helper.py": "VALUE = 'new'\n"})
    assert run.code == 0, run.stderr
    facts = _facts(tmp_path / "facts.json")
    assert (facts["value"], facts["helper"]) == ("old", "new")
    assert not list(tmp_path.rglob("__pycache__"))
    assert (tmp_path / "helper.py").read_text() == "VALUE = 'old'\n"


def test_a_module_started_by_name(launch: Launch, tmp_path: Path) -> None:
    files = {
        "package/__init__.py": "",
        "package/part.py": "VALUE = 'old'\n",
        "package/run.py": "import sys\nfrom package.part import VALUE\nopen(sys.argv[1], 'w')"
        ".write(f'{VALUE} {__package__} {TEXT}')\n".replace("{TEXT}", "old"),
    }
    edited = {
        "package/part.py": "VALUE = 'new'\n",
        "package/run.py": files["package/run.py"].replace(" old", " new"),
    }
    assert launch(files, "out.txt", module="package.run", edited=edited).code == 0
    assert (tmp_path / "out.txt").read_text() == "new package new"


def test_modules_that_are_added_are_found(launch: Launch, tmp_path: Path) -> None:
    files = {
        "package/__init__.py": "",
        "package/part.py": "VALUE = 'old'\n",
        "main.py": "import sys\nfrom package.part import VALUE\n"
        "open(sys.argv[1], 'w').write(VALUE)\n",
    }
    edited = {
        "package/part.py": "from added import VALUE as a\nfrom package.new import VALUE as b\n"
        "import inspect, package.new\nVALUE = a + b + inspect.getsource(package.new)\n",
        "package/new.py": "VALUE = 'second'\n",
        "added.py": "VALUE = 'first'\n",
    }
    run = launch(files, "out.txt", edited=edited)
    assert run.code == 0, run.stderr
    assert (tmp_path / "out.txt").read_text() == "firstsecondVALUE = 'second'\n"
    assert not (tmp_path / "added.py").exists()
    assert not run.unloaded


FINDER = """
import sys
from importlib.util import spec_from_file_location


class Finder:
    def find_spec(name, path=None, target=None):
        if name != "package":
            return None
        return spec_from_file_location(name, PACKAGE + "/__init__.py")


def install():
    sys.meta_path.append(Finder)
"""


@pytest.mark.parametrize("finds", [False, True], ids=["a path", "a finder"])
def test_packages_installed_to_be_edited(launch: Launch, tmp_path: Path, finds: bool) -> None:
    source = tmp_path / "src"
    finder = f"PACKAGE = {str(source / 'package')!r}\n{FINDER}"
    files = {
        "src/package/__init__.py": "VALUE = 'old'\nfrom package import part\n",
        "src/package/part.py": "VALUE = 'old'\n",
        "site/editable_finder.py": finder,
        "site/package.pth": "import editable_finder; editable_finder.install()\n"
        if finds
        else f"{source}\n",
        "main.py": "import site, sys\nsite.addsitedir('site')\nimport package\n"
        "open(sys.argv[1], 'w').write(package.VALUE + package.part.VALUE + package.__file__)\n",
    }
    edited = {name: text.replace("old", "new") for name, text in files.items() if "src/" in name}
    run = launch(files, "out.txt", edited=edited)
    assert run.code == 0, run.stderr
    assert (tmp_path / "out.txt").read_text() == f"newnew{source}/package/__init__.py"
    assert not list(source.rglob("__pycache__"))


def test_scripts_that_import_themselves_and_links(launch: Launch, tmp_path: Path) -> None:
    (tmp_path / "real.py").write_text("VALUE = 'old'\n")
    (tmp_path / "helper.py").symlink_to(tmp_path / "real.py")
    files = {
        "main.py": "import sys, helper\nprint(helper.VALUE)\n"
        "if __name__ == '__main__':\n    import main\n    open(sys.argv[1], 'w').write(main.X)\n"
        "X = helper.VALUE\n"
    }
    run = launch(files, "out.txt", edited={"real.py": "VALUE = 'new'\n"})
    assert run.code == 0, run.stderr
    assert (tmp_path / "out.txt").read_text() == "new"


@pytest.mark.parametrize("method", ["spawn", "forkserver", "fork"])
def test_children_see_the_edit(launch: Launch, tmp_path: Path, method: str) -> None:
    text = f"""
    import multiprocessing, sys
    from pathlib import Path
    VALUE = 'old'
    class Thing:
        pass
    def work(path, thing):
        Path(path).write_text(VALUE + " " + type(thing).__name__)
    if __name__ == "__main__":
        context = multiprocessing.get_context("{method}")
        child = context.Process(target=work, args=(sys.argv[1], Thing()))
        child.start()
        child.join()
        raise SystemExit(child.exitcode)
    """
    run = launch({"main.py": text}, "out", edited={"main.py": text.replace("'old'", "'new'")})
    assert run.code == 0, run.stderr
    assert (tmp_path / "out").read_text() == "new Thing"


def test_a_project_that_is_reached_through_a_link_gets_no_bytecode(tmp_path: Path) -> None:
    (tmp_path / "here" / "pkg").mkdir(parents=True)
    (tmp_path / "link").symlink_to(tmp_path / "here")
    overlay = Overlay({}, str(tmp_path / "here"), str(tmp_path))
    assert overlay.owns(str(tmp_path / "link" / "pkg" / "x.py"))
    assert not overlay.owns(str(tmp_path / "other.py"))


def test_edited_files_that_no_process_loads_are_named(launch: Launch, tmp_path: Path) -> None:
    texts = {"main.py": "import loaded\n", "loaded.py": "", "other.py": ""}
    run = launch(texts, edited=texts)
    assert run.unloaded == {str((tmp_path / "other.py").resolve())}


def test_a_hidden_sitecustomize_still_runs(
    launch: Launch, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "site").mkdir()
    (tmp_path / "site" / "sitecustomize.py").write_text("import os; os.environ['SEEN'] = 'yes'\n")
    monkeypatch.setenv("PYTHONPATH", str(tmp_path / "site"), prepend=os.pathsep)
    text = "import os, sys\nopen(sys.argv[1], 'w').write(os.environ.get('SEEN', 'no'))\n"
    assert launch({"main.py": text}, "out", edited={"main.py": text}).code == 0
    assert (tmp_path / "out").read_text() == "yes"


def test_errors_name_the_lines_of_the_edited_text(launch: Launch) -> None:
    run = launch({"main.py": "x = 1\n"}, edited={"main.py": "x = 1\nraise ValueError('so')\n"})
    assert run.code == 1
    assert 'main.py", line 2, in <module>' in run.stderr
    assert "raise ValueError('so')" in run.stderr
    assert "runpy" not in run.stderr


def test_an_isolated_python_is_not_waited_for(
    launch: Launch, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(live, "_REACH_SECONDS", 0.5)
    run = launch({"main.py": "import time\ntime.sleep(60)\n"}, launcher="python -E")
    assert run.over == "the measurement did not reach it"
    assert not run.injected
    assert run.seconds < 30
    run = launch({}, launcher="bash -c 'sleep 1' {script}")
    assert run.over is None


def test_an_isolated_python_is_noticed(launch: Launch) -> None:
    run = launch({"main.py": "x = 1\n"}, launcher="python -I")
    assert run.code == 0
    assert not run.injected
