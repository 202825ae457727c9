"""What may be shown of a command, and of what a program writes: nothing that could be a secret."""

from __future__ import annotations

import os
import re
from collections.abc import Iterator, Mapping, Sequence
from itertools import pairwise
from typing import Any, NamedTuple
from urllib.parse import unquote

SIGN = "…"
"""Stands for what is not shown."""
_PLAIN = re.compile(r"[-+]?[\d_]{0,12}(\.\d{0,12})?([eE][-+]?\d{1,3})?|true|false|none|auto", re.I)
_SCRIPT = re.compile(r"[\w./+ -]+\.py")
"""The name of a file of Python, which stands in every traceback."""
_SHOWN = frozenset(
    (
        *("arch", "backbone", "backend", "config", "data", "dataset", "device", "m", "mode"),
        *("model", "optim", "optimizer", "precision", "sampler", "scheduler", "split", "task"),
    )
)
"""Words in options whose values say what was trained, and where."""
_SECRET = frozenset(
    (
        *("apikey", "auth", "credential", "credentials", "key", "passphrase", "passwd"),
        *("jwt", "password", "pat", "pwd", "secret", "token"),
    )
)
_ENDS = ("apikey", "passphrase", "passwd", "password", "secret", "token")
"""Of names that are written as one word."""
_HIDDEN = _SECRET | {"login", "user", "username"}
_OPTION = re.compile(r"[-+~]{0,2}[A-Za-z_][\w./@\[\]-]*|-+")
_NAME = re.compile(r"[\w./:+,~ -]*")
"""What a value consists of that names something."""
_ADDRESS = re.compile(r"([A-Za-z][\w+.-]*://)(.*)", re.S)
_ACCOUNT = re.compile(r"(?<=://)[^\s/@'\"]+@")
_PIECE = re.compile(r"[A-Za-z0-9]{16,}")
_HEX = re.compile(r"[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}", re.I)
_TURNS = 6
"""Changes between large and small letters from which on a word is none."""
_FEWEST = 6
"""Signs from which on a value is told from words that happen to be equal."""
_HARMLESS = re.compile(
    r"_|.*PATH|.*HOME|.*DIR|HOST(NAME|TYPE)?|LANG|LS_COLORS|PS\d|SHELL|TERM.*|TZ|"
    r"(ASCEND|CONDA|CUDA|DLINT|GPG|HIP|KUBERNETES|LC|LESS|MKL|NCCL|NVIDIA|OMP|PBS|PYTORCH|"
    r"PYTEST|ROCR|SLURM|TORCH|TORCHINDUCTOR|XDG|ZE)_.*|CUDA|PYTHON.*|VIRTUAL_ENV.*"
)
"""Environment variables that say how a machine is set up."""


_REPEATED = frozenset({"error", "message", "odd", "unkept", "usual"})
"""Fields of records that hold messages of the program, or what its samples were like."""


class Shown(NamedTuple):
    """A word of a command."""

    text: str
    """As it may be shown."""
    kept: tuple[str, ...] = ()
    """What of it may not."""


def shown(command: Sequence[str]) -> list[str]:
    """A command for reports: of its words only those that cannot hold a secret."""
    return [word.text for word in _words(command)]


def looks_secret(value: str) -> bool:
    """Whether something in it reads as a token does: long, and of mixed signs."""
    return _HEX.search(value) is not None or any(map(_is_mixed, _PIECE.findall(value)))


def _is_mixed(piece: str) -> bool:
    turns = sum(a.islower() != b.islower() for a, b in pairwise(piece))
    return any(sign.isdigit() for sign in piece) or turns >= _TURNS


class Secrets:
    """Texts that are never shown, found wherever they stand."""

    def __init__(
        self, command: Sequence[str] = (), environment: Mapping[str, str] | None = None
    ) -> None:
        """Those of a command that `shown` keeps back, and of variables of the environment; of six
        signs at least."""
        found = [text for word in _words(command) for text in word.kept]
        found += [
            text
            for name, value in (environment or {}).items()
            if _is_kept(name, value)
            for text in _parts(value)
        ]
        spelled = {form for text in found for form in (text, unquote(text), repr(text)[1:-1])}
        long = sorted((t for t in spelled if len(t) >= _FEWEST), key=len, reverse=True)
        self._pattern = re.compile("|".join(map(_spelling, long))) if long else None

    def fields(self, found: dict[str, Any]) -> dict[str, Any]:
        """What a probe wrote, with what it repeats of the program's words masked."""
        return {
            name: self.masked(value) if name in _REPEATED and isinstance(value, str) else value
            for name, value in found.items()
        }

    def masked(self, text: str) -> str:
        """A text with a sign in the place of each of them, and of accounts in addresses."""
        text = _ACCOUNT.sub(f"{SIGN}@", text)
        return text if self._pattern is None else self._pattern.sub(SIGN, text)


def _spelling(text: str) -> str:
    """A word is found as a word only: it may be a part of others by chance."""
    return rf"\b{text}\b" if text.isalpha() else re.escape(text)


def _is_kept(name: str, value: str) -> bool:
    if name in _PLACES or _PLAIN.fullmatch(value) or os.path.exists(value):  # noqa: PTH110
        return False
    if _names_secret(set(re.split(r"[^a-z]+", name.lower())), _SECRET):
        return True
    mixed = looks_secret(value) or _ACCOUNT.search(value) is not None
    return mixed and _HARMLESS.fullmatch(name) is None


_PLACES = frozenset({"OLDPWD", "PWD"})


def _names_secret(parts: set[str], words: frozenset[str]) -> bool:
    return bool(words & parts) or any(part.endswith(_ENDS) for part in parts)


def _words(command: Sequence[str]) -> Iterator[Shown]:
    before = ""
    for word in command:
        option, equals, value = word.partition("=")
        named = _OPTION.fullmatch(option) is not None and not looks_secret(option)
        if equals and named:
            given = _valued(option, value)
            yield given._replace(text=f"{option}={given.text}")
        elif not equals and named and word.startswith("-"):
            yield Shown(word)
        else:
            yield _valued(before, word)
        before = option if word.startswith("-") and named and not equals else ""


def _valued(option: str, value: str) -> Shown:
    """A value, or what may be shown of it."""
    parts = {part for part in re.split(r"[-_.+]", option.lower()) if part}
    if not value:
        return Shown(value)
    if _names_secret(parts, _HIDDEN):
        return Shown(SIGN, tuple(_parts(value)))
    if _PLAIN.fullmatch(value) or _SCRIPT.fullmatch(value) or os.path.exists(value):  # noqa: PTH110
        return Shown(value)
    if _SHOWN & parts:
        address = _ADDRESS.fullmatch(value)
        if address is not None:
            return _address(value, *address.groups())
        if _NAME.fullmatch(value) and not looks_secret(value):
            return Shown(value)
    return Shown(SIGN, tuple(_parts(value)))


def _address(value: str, scheme: str, rest: str) -> Shown:
    """An address without whose account it is, what is asked, and tokens in its path."""
    account, at, place = rest.rpartition("@")
    place, mark, _ = place.partition("?")
    place, fragment, _ = place.partition("#")
    if looks_secret(place):
        return Shown(SIGN, tuple(_parts(value)))
    text = f"{scheme}{SIGN + at if account else ''}{place}{(mark or fragment) and '?' + SIGN}"
    return Shown(text) if text == value else Shown(text, tuple(_parts(value)))


def _parts(value: str) -> Iterator[str]:
    """A value that is not shown, and what in it may stand alone elsewhere."""
    yield value
    address = _ADDRESS.search(value)
    if address is not None:
        account, _, place = address[2].rpartition("@")
        yield from filter(None, (account, *account.split(":", 1)[1:]))
        query = place.partition("?")[2]
        yield from (part.partition("=")[2] for part in query.split("&") if query)
    elif "@" in value:
        yield from value.rpartition("@")[0].split(":", 1)[1:]
    for token in re.split(r"[^\w+/.~-]+", value):
        if looks_secret(token) and not os.path.exists(token):  # noqa: PTH110
            yield token
