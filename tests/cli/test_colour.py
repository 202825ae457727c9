"""Colours: the flag, then the environment, then the terminal."""

from __future__ import annotations

import io

import pytest

from dlint.cli.colour import wanted, wants_links, width


class _Terminal(io.StringIO):
    def isatty(self) -> bool:
        return True


@pytest.fixture(autouse=True)
def _plain_environment(monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("NO_COLOR", "FORCE_COLOR", "CLICOLOR_FORCE"):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setenv("TERM", "xterm")


def test_the_flag_wins(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("NO_COLOR", "1")
    assert wanted("always", io.StringIO())
    assert not wanted("never", _Terminal())


def test_a_terminal_gets_colours() -> None:
    assert wanted("auto", _Terminal())
    assert not wanted("auto", io.StringIO())


def test_a_dumb_terminal_gets_none(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("TERM", "dumb")
    assert not wanted("auto", _Terminal())


@pytest.mark.parametrize("name", ["FORCE_COLOR", "CLICOLOR_FORCE"])
def test_the_environment_can_force_colours(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv(name, "1")
    assert wanted("auto", io.StringIO())


def test_no_color_wins_over_force_color(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("NO_COLOR", "1")
    monkeypatch.setenv("FORCE_COLOR", "1")
    assert not wanted("auto", _Terminal())


def test_links_are_for_terminals_alone(monkeypatch: pytest.MonkeyPatch) -> None:
    assert wants_links("auto", _Terminal())
    assert not wants_links("never", _Terminal())
    assert not wants_links("always", io.StringIO())
    monkeypatch.setenv("FORCE_COLOR", "1")
    assert not wants_links("auto", io.StringIO())
    monkeypatch.setenv("TERM", "dumb")
    assert not wants_links("always", _Terminal())


def test_the_width_is_that_of_a_terminal(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("COLUMNS", "72")
    assert width(_Terminal()) == 72
    assert width(io.StringIO()) is None
    monkeypatch.setenv("COLUMNS", "many")
    assert width(_Terminal()) is None  # it has no file whose size could be asked for
