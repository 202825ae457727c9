"""Configuration files: which governs, what they set, what is said of a wrong one."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

from dlint.workspace.errors import UsageError
from dlint.workspace.settings import Configuration, Settings
from dlint.workspace.settings_table import line_of, valid_keys


def _governing(directory: Path) -> Settings:
    return Configuration().governing(directory)


def test_defaults_without_a_file(tmp_path: Path) -> None:
    settings = _governing(tmp_path)
    assert settings.path is None
    assert settings.select is None
    assert settings.respect_gitignore


def test_every_key(tmp_path: Path) -> None:
    (tmp_path / "pyproject.toml").write_text(
        """
[tool.dlint]
select = ["DLT1"]
ignore = ["missing-set-epoch"]
extend-select = ["ALL"]
exclude = ["gen"]
fail-on = "error"
respect-gitignore = false
force-exclude = true
cache-dir = ".cache/dlint"
output-format = "concise"
unsafe-fixes = true
extension = { hparams = "yaml" }
severity = { DLT1 = "error" }
extend-safe-fixes = ["DLT101"]
extend-unsafe-fixes = ["DLT102"]
unfixable = ["DLT103"]
[tool.dlint.per-file-ignores]
"scripts/**" = ["DLT101"]
[[tool.dlint.overrides]]
files = ["sub"]
ignore = ["DLT1"]
[[tool.dlint.overrides]]
files = ["old/**"]
severity = { ALL = "info" }
"""
    )
    settings = _governing(tmp_path)
    assert settings.select == ("DLT1",)
    assert settings.ignore == ("missing-set-epoch",)
    assert settings.extend_select == ("ALL",)
    assert settings.exclude is not None
    assert settings.exclude.matches(str(tmp_path / "gen"))
    assert settings.fail_on == "error"
    assert not settings.respect_gitignore
    assert settings.force_exclude
    assert settings.cache_dir == tmp_path / ".cache/dlint"
    assert settings.output_format == "concise"
    assert settings.unsafe_fixes
    assert settings.extension == (("hparams", "yaml"),)
    ((area, names),) = settings.per_file_ignores
    assert names == ("DLT101",)
    assert area.holds(str(tmp_path / "scripts/a.py"))
    assert settings.severity == (("DLT1", "error"),)
    assert settings.extend_safe_fixes == ("DLT101",)
    assert settings.extend_unsafe_fixes == ("DLT102",)
    assert settings.unfixable == ("DLT103",)
    first, second = settings.overrides
    assert first.area.holds(str(tmp_path / "sub/a.py"))
    assert first.settings.ignore == ("DLT1",)
    assert second.area.holds(str(tmp_path / "old/a/b.py"))
    assert second.settings.severity == (("ALL", "info"),)


def test_the_nearest_file_governs_and_nothing_is_merged(tmp_path: Path) -> None:
    (tmp_path / "dlint.toml").write_text('select = ["DLT1"]\nignore = ["DLT2"]\n')
    inner = tmp_path / "a/b"
    inner.mkdir(parents=True)
    (tmp_path / "a/.dlint.toml").write_text('ignore = ["DLT3"]\n')
    assert _governing(inner).ignore == ("DLT3",)
    assert _governing(inner).select is None
    assert _governing(tmp_path).ignore == ("DLT2",)


def test_dlint_toml_wins_over_pyproject(tmp_path: Path) -> None:
    (tmp_path / "pyproject.toml").write_text('[tool.dlint]\nignore = ["DLT1"]\n')
    (tmp_path / ".dlint.toml").write_text('ignore = ["DLT2"]\n')
    assert _governing(tmp_path).ignore == ("DLT2",)
    (tmp_path / "dlint.toml").write_text('ignore = ["DLT3"]\n')
    assert _governing(tmp_path).ignore == ("DLT3",)


def test_a_pyproject_without_the_table_does_not_govern(tmp_path: Path) -> None:
    (tmp_path / "dlint.toml").write_text('ignore = ["DLT1"]\n')
    inner = tmp_path / "a"
    inner.mkdir()
    (inner / "pyproject.toml").write_text('[project]\nname = "uses-dlint"\n')
    assert _governing(inner).ignore == ("DLT1",)


def test_an_unknown_key_is_named_with_its_line_and_the_valid_keys(tmp_path: Path) -> None:
    path = tmp_path / "pyproject.toml"
    path.write_text('[tool.ruff]\nignroe = 1\n\n[tool.dlint]\nselect = []\nignroe = ["DLT1"]\n')
    with pytest.raises(UsageError) as caught:
        _governing(tmp_path)
    message = str(caught.value)
    assert message.startswith(f"{path}:6: unknown key `ignroe`, did you mean `ignore`?\n")
    assert message.endswith(f"\n  valid keys: {', '.join(valid_keys())}")


def test_keys_are_written_with_hyphens(tmp_path: Path) -> None:
    (tmp_path / "dlint.toml").write_text("unsafe_fixes = true\n")
    with pytest.raises(UsageError, match="did you mean `unsafe-fixes`"):
        _governing(tmp_path)


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ('select = "DLT1"', ':1: `select`: input should be a list: `["DLT1"]`'),
        ("select = 1", ":1: `select`: input should be a list"),
        ("select = [1]", ":1: `select`: input should be a string, in quotes"),
        ("\nunsafe-fixes = 1", ":2: `unsafe-fixes`: input should be true or false"),
        ("extension = 1", ":1: `extension`: input should be a table"),
        ('output-format = "xml"', ":1: `output-format`: input should be 'full', 'concise'"),
        (
            '[per-file-ignores]\n"tests/*" = "DLT1"',
            ':2: `per-file-ignores."tests/*"`: input should be a list: `["DLT1"]`',
        ),
    ],
)
def test_a_wrong_type_is_named_with_its_line(tmp_path: Path, text: str, expected: str) -> None:
    (tmp_path / "dlint.toml").write_text(text)
    with pytest.raises(UsageError) as caught:
        _governing(tmp_path)
    assert f"{tmp_path / 'dlint.toml'}{expected}" in str(caught.value)


OVERRIDES = """
[[overrides]]
files = ["a"]
ignore = ["DLT1"]
[[overrides]]
files = ["b"]
"""


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("ignroe = []", ":7: unknown key `ignroe`, did you mean `ignore`?\n  valid keys: extend-"),
        ("fail-on = 'error'", ":7: `fail-on` holds for whole runs: it cannot stand in `overrides`"),
        ("unfixable = 1", ":7: `overrides.unfixable`: input should be a list"),
        ("severity = { DLT1 = 'off' }", ":7: `overrides.severity.DLT1`: input should be 'error', "),
        ("[[overrides]]\nfiles = []", ":8: `overrides.files`: list should have at least 1 item"),
        ("[[overrides]]\nignore = []", ":7: `overrides.files` is missing"),
    ],
)
def test_a_fault_among_overrides(tmp_path: Path, text: str, expected: str) -> None:
    (tmp_path / "dlint.toml").write_text(f"{OVERRIDES}{text}\n")
    with pytest.raises(UsageError) as caught:
        _governing(tmp_path)
    assert f"{tmp_path / 'dlint.toml'}{expected}" in str(caught.value)


def test_several_faults_are_all_told(tmp_path: Path) -> None:
    (tmp_path / "dlint.toml").write_text("selct = []\nignore = 1\n")
    with pytest.raises(UsageError) as caught:
        _governing(tmp_path)
    assert "dlint.toml:1: unknown key `selct`" in str(caught.value)
    assert "dlint.toml:2: `ignore`" in str(caught.value)


def test_a_table_that_is_none(tmp_path: Path) -> None:
    (tmp_path / "pyproject.toml").write_text('[tool]\ndlint = "yes"\n')
    with pytest.raises(UsageError, match="the table"):
        _governing(tmp_path)


def test_a_file_that_is_no_toml(tmp_path: Path) -> None:
    (tmp_path / "dlint.toml").write_text("\nselect = x\n")
    with pytest.raises(UsageError, match=r"cannot parse .*dlint\.toml: .*line 2"):
        _governing(tmp_path)


def test_a_broken_pyproject_that_does_not_speak_of_dlint_is_none_of_ours(tmp_path: Path) -> None:
    (tmp_path / "pyproject.toml").write_text("[project\n")
    assert _governing(tmp_path).path is None


def test_a_byte_order_mark_is_accepted(tmp_path: Path) -> None:
    (tmp_path / "dlint.toml").write_text('\ufeffignore = ["DLT1"]\n', "utf-8")
    assert _governing(tmp_path).ignore == ("DLT1",)


@pytest.mark.parametrize(
    ("text", "table", "keys", "expected"),
    [
        ("[tool]\ndlint.select = 1\n", ("tool", "dlint"), ["select"], 2),
        ("tool.dlint = {select = 1}\n", ("tool", "dlint"), ["select"], 1),
        ('[tool."dlint"]\n"select" = 1\n', ("tool", "dlint"), ["select"], 2),
        ("[tool.dlint] # here\n", ("tool", "dlint"), ["select"], 1),
        ("[other]\nselect = 1\n", ("tool", "dlint"), ["select"], None),
    ],
)
def test_line_of(text: str, table: tuple[str, ...], keys: list[str], expected: int | None) -> None:
    assert line_of(text, table, keys) == expected


def test_pydantic_is_imported_only_for_a_file_that_speaks_of_dlint(tmp_path: Path) -> None:
    (tmp_path / "pyproject.toml").write_text('[project]\nname = "x"\n')
    code = (
        "import sys; from pathlib import Path; from dlint.workspace.settings import Configuration;"
        f"Configuration().governing(Path({str(tmp_path)!r}));"
        "assert not {'pydantic', 'tomllib'} & sys.modules.keys()"
    )
    subprocess.run([sys.executable, "-c", code], check=True)
