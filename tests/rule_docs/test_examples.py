"""Examples: how headings and fenced files become small projects."""

from __future__ import annotations

from dlint.rule_docs.examples import Mark, examples


def _fence(title: str, *lines: str) -> str:
    return "\n".join([f'```py title="{title}"', *lines, "```", ""])


def test_marks_are_taken_out_and_point_at_the_next_line() -> None:
    text = _fence("bad.py", "a = 1", "# error: [one]", "# info: [two] no fix", "b = 2", "c = 3")
    (example,) = examples(text)
    assert example.files == {"bad.py": "a = 1\nb = 2\nc = 3\n"}
    assert set(example.marks) == {
        Mark("bad.py", 2, "error", "one"),
        Mark("bad.py", 2, "info", "two", "no fix"),
    }
    assert example.fixed is None


def test_later_marks_count_lines_without_the_earlier_ones() -> None:
    text = _fence("bad.py", "# error: [one]", "a = 1", "if a:", "    # error: [one]", "    a = 2")
    assert [mark.row for mark in examples(text)[0].marks] == [1, 3]


def test_bad_and_good_of_a_group_are_projects_of_their_own() -> None:
    text = "### group\n" + _fence("bad.py", "# error: [one]", "a") + _fence("good.py", "b")
    bad, good = examples(text)
    assert (bad.group, bad.title, len(bad.marks)) == ("group", "bad.py", 1)
    assert (good.files, good.marks) == ({"good.py": "b\n"}, ())


def test_fixed_belongs_to_the_bad_of_its_name() -> None:
    files = ("bad.py", "a"), ("fixed.py", "b"), ("bad_two.py", "c"), ("fixed_two.py", "d")
    one, two = examples("".join(_fence(*file) for file in files))
    assert one.fixed == {"bad.py": "b\n"}
    assert two.fixed == {"bad_two.py": "d\n"}


def test_other_files_are_one_project() -> None:
    files = ("data.py", "a"), ("pkg/train.py", "b"), ("fixed/data.py", "c")
    (example,) = examples("".join(_fence(*file) for file in files))
    assert example.files == {"data.py": "a\n", "pkg/train.py": "b\n"}
    assert example.fixed == {"data.py": "c\n", "pkg/train.py": "b\n"}


def test_other_files_are_shared_by_bad_and_good() -> None:
    shared = _fence("data.py", "# error: [one]", "a")
    bad, good = examples(shared + _fence("bad.py", "b") + _fence("good.py", "c"))
    assert bad.files == {"data.py": "a\n", "bad.py": "b\n"}
    assert len(bad.marks) == 1
    assert good.files == {"data.py": "a\n", "good.py": "c\n"}
    assert good.marks == ()


def test_a_heading_begins_a_new_group() -> None:
    text = f"## One\n{_fence('data.py', 'a')}\n## Two\n{_fence('data.py', 'b')}"
    assert [example.group for example in examples(text)] == ["One", "Two"]


def test_fences_without_a_title_are_prose() -> None:
    assert examples("```text\nValueError\n```\n```py\na = 1\n```\n") == ()


def test_line_is_that_of_the_first_file() -> None:
    assert examples("# page\n\ntext\n\n" + _fence("bad.py", "a"))[0].line == 5
