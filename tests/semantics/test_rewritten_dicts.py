"""Dicts inside others, or of objects, from which a key is taken out, or under which it is set."""

from __future__ import annotations

import pytest

from tests.semantics.asked import evaluated

NESTED = """
def main(other):
    settings = {{"loader": {{"size": 64, "more": 2}}, "size": 1}}
    {changed}
    reveal(settings["loader"]["size"])

main({{}})
"""
CHANGED = {
    "popped": "settings['loader'].pop('size')",
    "popped with a default": "settings['loader'].pop('size', None)",
    "deleted": "del settings['loader']['size']",
    "deleted under a test": "if other:\n        del settings['loader']['size']",
    "set": "settings['loader']['size'] = other",
    "merged": "settings['loader'].update(size=other)",
    "all of another merged": "settings['loader'].update(other)",
}
KEPT = {
    "another key popped": "settings['loader'].pop('more')",
    "another dict": "settings.pop('size')",
    "another key set": "settings['loader']['more'] = other",
    "another key merged": "settings['loader'].update(more=other)",
    "what a test decides on": "if other:\n        settings['loader'].update(other)",
    "what a loop decides on": "for part in other:\n        settings['loader'].update(part)",
}


@pytest.mark.parametrize("changed", CHANGED.values(), ids=CHANGED)
def test_what_a_dict_was_made_with_is_not_known_any_more(changed: str) -> None:
    (found,) = evaluated(NESTED.format(changed=changed))
    assert "64" not in found


@pytest.mark.parametrize("changed", KEPT.values(), ids=KEPT)
def test_what_concerns_another_key_changes_nothing(changed: str) -> None:
    (found,) = evaluated(NESTED.format(changed=changed))
    assert "64" in found


HANDED = """
def clean(kept, other):
    {helper}

def main(other):
    settings = {{"size": 64, "more": 2}}
    clean(settings, other)
    reveal(settings["size"])

main({{}})
"""
HIDING = {
    "popped": "kept.pop('size')",
    "deleted": "del kept['size']",
    "deleted under a test": "if other:\n        del kept['size']",
    "set": "kept['size'] = other",
}


@pytest.mark.parametrize("helper", HIDING.values(), ids=HIDING)
def test_a_function_that_names_the_key_hides_what_was_there(helper: str) -> None:
    (found,) = evaluated(HANDED.format(helper=helper))
    assert "64" not in found


@pytest.mark.parametrize("helper", ["kept.pop('more')", "kept.update(other)", "other['size'] = 1"])
def test_a_function_that_names_others_does_not(helper: str) -> None:
    (found,) = evaluated(HANDED.format(helper=helper))
    assert "64" in found


def test_of_an_object() -> None:
    (found,) = evaluated("""
class Run:
    def __init__(self):
        self.kept = {"size": 64, "more": 2}
        if self.kept["more"] == 2:
            del self.kept["size"]

    def given(self):
        reveal(self.kept["size"])

Run().given()
""")
    assert "64" not in found


ALIASED = """
def main(other):
    settings = {{"size": 64, "more": 2}}
    {changed}
    reveal({asked})

main({{}})
"""
BY_ANOTHER_NAME = {
    "set": "same = settings\n    same['size'] = other",
    "merged": "same = settings\n    same.update(size=other)",
    "popped": "same = settings\n    same.pop('size')",
}


@pytest.mark.parametrize("changed", BY_ANOTHER_NAME.values(), ids=BY_ANOTHER_NAME)
def test_by_another_name_for_the_dict(changed: str) -> None:
    (found,) = evaluated(ALIASED.format(changed=changed, asked="settings['size']"))
    assert "64" not in found
    (found,) = evaluated(ALIASED.format(changed=changed, asked="settings['more']"))
    assert found == {"2"}


def test_a_key_that_another_name_adds_may_be_there() -> None:
    added = "same = settings\n    same['rate'] = 3"
    (found,) = evaluated(ALIASED.format(changed=added, asked="dict(**settings).get('rate', 1)"))
    assert found != {"1"}
    (found,) = evaluated(ALIASED.format(changed="pass", asked="dict(**settings).get('rate', 1)"))
    assert found == {"1"}


def test_a_dict_of_its_own_is_changed_by_nobody_else() -> None:
    asked = "{'size': 64, 'more': 2}.pop('size')"
    assert evaluated(ALIASED.format(changed="pass", asked=asked)) == [{"64"}]


SETTINGS = """
OPTIONS = {"size": 64, "more": 2}

def make():
    reveal(OPTIONS["size"])
"""
ELSEWHERE = {
    "as an attribute": "import settings\n\ndef main(n):\n    settings.OPTIONS['size'] = n\n",
    "by its name": "from settings import OPTIONS\n\ndef main(n):\n    OPTIONS.update(size=n)\n",
    "at the top": "from settings import OPTIONS\nOPTIONS['size'] = int(input())\n",
    "under another": "from settings import OPTIONS as kept\ndel kept['size']\n",
}


@pytest.mark.parametrize("main", ELSEWHERE.values(), ids=ELSEWHERE)
def test_in_another_module(main: str) -> None:
    (found,) = evaluated({"settings.py": SETTINGS, "main.py": main})
    assert "64" not in found


def test_other_keys_in_another_module() -> None:
    main = "from settings import OPTIONS\nOPTIONS['more'] = int(input())\n"
    assert evaluated({"settings.py": SETTINGS, "main.py": main}) == [{"64"}]


def test_another_dict_of_another_module() -> None:
    main = "OPTIONS = {}\n\ndef main(n):\n    OPTIONS['size'] = n\n"
    assert evaluated({"settings.py": SETTINGS, "main.py": main}) == [{"64"}]
