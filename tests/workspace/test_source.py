"""Texts and where things stand in them."""

from __future__ import annotations

import codecs
import sys
from pathlib import Path

import pytest

from dlint.workspace.reading import Sources, decode, read
from dlint.workspace.source import Source, UnreadableError


@pytest.mark.parametrize(
    ("raw", "encoding", "text"),
    [
        (b"x = 1\n", "utf-8", "x = 1\n"),
        ("é".encode(), "utf-8", "é"),
        (codecs.BOM_UTF8 + "é".encode(), "utf-8", "é"),
        (b"# -*- coding: latin-1 -*-\n\xe9", "iso-8859-1", "# -*- coding: latin-1 -*-\né"),
        (b"#!python\n# vim: set fileencoding=cp1252\n\x80", "cp1252", None),
        (b"\n\n# coding: latin-1\n", "utf-8", None),
        (b"encoding = 1\n", "utf-8", None),
    ],
)
def test_encodings(raw: bytes, encoding: str, text: str | None) -> None:
    source = decode("a.py", raw)
    assert source.encoding == encoding
    assert text is None or source.text == text
    assert source.encode(source.text) == raw


@pytest.mark.parametrize(
    ("raw", "message"),
    [
        (b"a\nb\xff", "cannot decode a.py: line 2: 'utf-8' codec can't decode byte 0xff"),
        (b"# coding: nothing\n", "cannot decode a.py: unknown encoding"),
        (codecs.BOM_UTF8 + b"\n\xff", "cannot decode a.py: line 2: 'utf-8' codec"),
    ],
)
def test_what_cannot_be_decoded(raw: bytes, message: str) -> None:
    with pytest.raises(UnreadableError, match=message):
        decode("a.py", raw)


def test_one_long_line_is_read_quickly() -> None:
    assert decode("a.py", b"x" * 1_000_000 + b"codin").encoding == "utf-8"


@pytest.mark.parametrize("newline", ["\n", "\r\n", "\r"])
def test_positions(newline: str) -> None:
    source = Source("a.py", newline.join(["ab", "\tc", ""]))
    assert source.newline == newline
    assert source.row_count == 2
    assert source.line(2) == "\tc"
    for offset in range(len(source.text) + 1):
        assert source.offset(*source.position(offset)) == offset
    assert source.position(source.text.index("c")) == (2, 2)


def test_another_text_of_the_same_file() -> None:
    source = decode("a.py", codecs.BOM_UTF8 + b"x")
    other = source.with_text("é\ud800")
    assert (other.path, other.bom, other.raw) == ("a.py", True, source.raw)
    assert other.searchable == "é\ud800".encode("utf-8", "surrogatepass")
    assert source.searchable == b"x"


def test_a_source_is_read_once(tmp_path: Path) -> None:
    path = tmp_path / "a.py"
    path.write_text("x")
    sources = Sources({"b.py": Source("b.py", "y")})
    first = sources.get(str(path))
    path.unlink()
    assert sources.get(str(path)) is first
    changed = sources.with_changes({"b.py": Source("b.py", "z")})
    assert changed.get(str(path)) is first
    assert (changed.get("b.py").text, sources.get("b.py").text) == ("z", "y")


def test_a_file_that_is_not_there() -> None:
    with pytest.raises(UnreadableError, match=r"cannot read .*nowhere\.py: No such file"):
        read(f"{sys.prefix}/nowhere.py")


def test_of_a_text_in_utf_8_the_bytes_are_kept_once() -> None:
    raw = "é = 1\n".encode()
    assert decode("a.py", raw).searchable is raw
    assert decode("a.py", codecs.BOM_UTF8 + raw).searchable == raw
    latin = b"# coding: latin-1\n\xe9 = 1\n"
    assert decode("a.py", latin).searchable == "# coding: latin-1\né = 1\n".encode()
    assert decode("a.py", raw).with_text("b").searchable == b"b"


def test_a_text_that_is_only_searched_is_not_decoded() -> None:
    source = decode("a.py", b"x = 1\n")
    assert (source.searchable, source.passing_text) == (b"x = 1\n", "x = 1\n")
    assert "text" not in vars(source)
    assert (source.text, source.passing_text) == ("x = 1\n", "x = 1\n")
    assert decode("a.py", "x = 'ä'\n".encode()).passing_text == "x = 'ä'\n"
