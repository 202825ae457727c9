"""What the text of one file names: modules, files, and classes.

Question: which other files may this one have to do with, by its own text? Followed: import
statements wherever they stand, words that end as files do (`python train.py`), and all words of
settings and scripts. A mention in a comment counts. Budget: one search through the text.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from typing import Any, NamedTuple

from dlint.findings.regexes import lazily
from dlint.workspace.kinds import is_config

_LETTER = rb"\w\x80-\xff"
"""A byte of a name, in any script."""
_FROM = lazily(
    rb"from[ \t\\]+(?P<dots>[.][.\s\\]*)?(?P<of>[" + _LETTER + rb"][" + _LETTER + rb".]*)?"
    rb"[ \t\\]*(?:\n[ \t]*)?import\b"
    rb"[ \t\\]*(?P<names>\([^)]{0,20000}\)|(?:[^\n\\]|\\\r?\n){0,2000})"
)
_IMPORT = lazily(rb"import[ \t]+(?P<plain>[" + _LETTER + rb"](?:[^\n\\]|\\\r?\n){0,2000})")
_DYNAMIC = lazily(
    rb"\b(?:import_module|__import__|runpy|spec_from_file_location|SourceFileLoader|walk_packages"
    rb"|iter_modules|find_module|execfile|imp\.load_source|exec|hydra\.utils)\b"
)
_CLASS = lazily(rb"class[ \t]+([" + _LETTER + rb"]+)\s*[(:\[]")
_APART = bytes(c if c > 127 or chr(c).isalnum() or c in b"_./-" else 32 for c in range(256))
_FILES = (b".py", b".yaml", b".yml", b".json", b".toml", b".sh")
_PACKAGING = ("/setup.py", "/conf.py", "/noxfile.py")
"""Files of tools that build, document or test a project: what they load is its version."""
_NAME = lazily(rb"[" + _LETTER + rb".]+")


class Named(NamedTuple):
    """One import statement: a module, the leading dots, and the members that are imported."""

    module: str
    level: int
    members: tuple[str, ...] = ()


class Mentions(NamedTuple):
    """What the text of a file names; plain data, in the order of the alphabet."""

    imports: tuple[Named, ...] = ()
    paths: tuple[str, ...] = ()
    """Words that end as the names of files do."""
    words: tuple[str, ...] = ()
    """Of settings and scripts, all words: they name modules and classes."""
    classes: tuple[str, ...] = ()
    """Of code, the names of its classes."""
    is_dynamic: bool = False
    """Whether modules may be imported that it names by a text."""

    @classmethod
    def of(cls, plain: Sequence[Any]) -> Mentions:
        """What is held by the same values in lists, as JSON has them."""
        imports, paths, words, classes, is_dynamic = plain
        named = (Named(module, level, tuple(members)) for module, level, members in imports)
        return cls(tuple(named), tuple(paths), tuple(words), tuple(classes), is_dynamic)


def mentions(path: str, text: bytes) -> Mentions:
    """What a file names."""
    words = set(text.translate(_APART).split())
    paths = _in_order(word for word in words if word.endswith(_FILES))
    if is_config(path):
        return Mentions(paths=paths, words=_in_order(words))
    return Mentions(
        tuple(sorted({*_plain(text), *_from(text)})),
        paths,
        classes=_in_order(set(_defined(text))),
        is_dynamic=not path.endswith(_PACKAGING) and _DYNAMIC.search(text) is not None,
    )


def _in_order(words: Iterable[bytes]) -> tuple[str, ...]:
    return tuple(sorted(map(_text, words)))


def _plain(text: bytes) -> Iterator[Named]:
    for match in _IMPORT.finditer(text):
        if b"from" in _before(text, match.start()):
            continue
        for name in match["plain"].split(b","):
            word = _NAME.match(name.strip(b" \t\r\n\\"))
            if word is not None:
                yield Named(_text(word[0]), 0)


def _from(text: bytes) -> Iterator[Named]:
    for match in _FROM.finditer(text):
        level = (match["dots"] or b"").count(b".")
        members = tuple(map(_text, _NAME.findall(match["names"])))
        yield Named(_text(match["of"] or b""), level, members)


def _defined(text: bytes) -> Iterator[bytes]:
    """The names of classes: of prose that speaks of a class, the next word is none."""
    for match in _CLASS.finditer(text):
        if not _before(text, match.start()).strip():
            yield match[1]


def _before(text: bytes, start: int) -> bytes:
    """What stands on a line before some place of it."""
    return text[text.rfind(b"\n", 0, start) + 1 : start]


def _text(word: bytes) -> str:
    return word.decode(errors="replace")
