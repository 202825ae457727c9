"""What is no Python, moved about: configs, notebooks, shell scripts, settings, patterns."""

from __future__ import annotations

import json
from collections.abc import Mapping

from dlint.workspace.settings_table import valid_keys
from tests.fuzz.choices import Choices
from tests.fuzz.mutations import moved, replaced
from tests.fuzz.seeds import as_text, notebook

_YAML = (
    *("&a ", "*a", "<<: *a", "!!python/object/apply:os.system [x]", "!name:torch.utils.data.x"),
    *("{", "}", "[", "]", "- ", ": ", "? ", "|\n", ">\n", "%YAML 9.9\n", "---\n", "...\n", "\t"),
    *("${a.b}", "${oc.env:X}", "${", "null", "~", "1e999", "0x", "1_000", "'", '"', "\\", "#"),
)
_TOML = ("[", "]", "[[", "]]", "=", ".", "'''", '"""', "{", "}", "1e999", "\\", "#", "nan", ",")
_JSON = ("{", "}", "[", "]", ",", ":", "null", "NaN", "1e999", '"', "\\u0000", "\\ud800", "//")
_SHELL = (
    *("$(", ")", "`", "${", "}", "<<E\n", "\\\n", "'", '"', ";", "&&", "|", "&", "#", "$'\\x"),
    *("if ", "fi\n", "do\n", "done\n", "{", "((", "--num_workers", "=", "$@", "${x:-", "function "),
)
_SIGNS = {".yaml": _YAML, ".yml": _YAML, ".toml": _TOML, ".json": _JSON, ".sh": _SHELL}
_ODD_VALUES: tuple[object, ...] = (
    *(None, True, 0, -1, 10**40, 1e308, "", "\x00", "a\x1b[2J", "\ud800", "\r\n", "\u2028"),
    *([], {}, [[]], {"": {}}, ["a", 1, None], "DataLoader", "x" * 3_000, [None] * 300),
)
_MAGICS = (
    *("%pip install torch\n", "!python train.py --num_workers 0\n", "%%bash\npython a.py\n"),
    *("%%time\n", "?x\n", "x?\n", "%run a.py\n", "!ls {x}\n", "%%writefile a.py\nx = (\n"),
)
_PATTERNS = ("*", "**", "?", "[", "]", "!", "/", "\\", "a", "b.py", "-", "^", "{", "}", " ", "#")
_NAMES = ("a.py", "b.yaml", "sub/c.py", "sub/d.ipynb", "[x].py", "é.py", "-rf.py", "::x.py")


def altered(name: str, text: str, choices: Choices) -> str:
    """The text of a config or script after a few changes."""
    signs = _SIGNS[name[name.rfind(".") :]]
    for _ in range(choices.number(1, 4)):
        match choices.one_of(("lines", "tokens", "tokens", "often")):
            case "lines":
                text = moved(text, choices)
            case "tokens":
                text = replaced(text, choices, signs)
            case _:
                text = _often(text, choices)
    return text


def _often(text: str, choices: Choices) -> str:
    """A part of a line many times over."""
    lines = text.splitlines(keepends=True) or [""]
    at = choices.number(0, len(lines) - 1)
    start = choices.number(0, len(lines[at]))
    part = lines[at][start : start + choices.number(1, 12)]
    lines[at] = lines[at][:start] + part * choices.one_of((2, 30, 800)) + lines[at][start:]
    return "".join(lines)


def odd_json(text: str, choices: Choices) -> str:
    """JSON with some of its values replaced by others of any type."""
    try:
        tree = json.loads(text)
    except ValueError:
        return text
    for _ in range(choices.number(1, 3)):
        tree = _odd(tree, choices)
    return json.dumps(tree, indent=choices.one_of((None, 1)))


def _odd(tree: object, choices: Choices) -> object:
    """The tree with one value replaced, somewhere on a way down."""
    if isinstance(tree, dict) and tree and choices.number(0, 5):
        key = choices.one_of(sorted(tree))
        return {**tree, key: _odd(tree[key], choices)}
    if isinstance(tree, list) and tree and choices.number(0, 5):
        at = choices.number(0, len(tree) - 1)
        return [*tree[:at], _odd(tree[at], choices), *tree[at + 1 :]]
    return choices.one_of(_ODD_VALUES)


def notebook_of(program: str, choices: Choices) -> str:
    """A program in cells, with magics, and with the notebook's own values moved about."""
    lines = program.splitlines(keepends=True)
    ends = sorted({choices.number(0, len(lines)) for _ in range(choices.number(0, 6))})
    cells = ["".join(lines[a:b]) for a, b in zip([0, *ends], [*ends, len(lines)], strict=True)]
    for _ in range(choices.number(0, 2)):
        cells.insert(choices.number(0, len(cells)), choices.one_of(_MAGICS))
    text = as_text(notebook(cells))
    return odd_json(text, choices) if choices.one_of((False, True)) else text


def pattern(choices: Choices) -> str:
    """A line of an ignore file, or a glob."""
    return "".join(choices.one_of(_PATTERNS) for _ in range(choices.number(1, 12)))


def settings_files(choices: Choices) -> Mapping[str, str]:
    """Settings with right and wrong values, and ignore files."""
    likely = ("exclude", "exclude", "per-file-ignores", "overrides")
    keys = {choices.one_of((*likely, *sorted(valid_keys()))) for _ in range(choices.number(0, 4))}
    lines = [f"{key} = {_in_toml(_setting(key, choices))}\n" for key in sorted(keys)]
    name, head = choices.one_of((("dlint.toml", ""), ("pyproject.toml", "[tool.dlint]\n")))
    ignored = "".join(f"{pattern(choices)}\n" for _ in range(choices.number(0, 5)))
    text = head + "".join(lines)
    if choices.number(0, 9) == 9:
        text = replaced(text, choices, _TOML)
    return {name: text, ".gitignore": ignored, choices.one_of(_NAMES): "x = 1\n"}


def _setting(key: str, choices: Choices) -> object:
    """A value that a key takes; seldom one of any type."""
    globs = [pattern(choices) for _ in range(choices.number(0, 4))]
    rules = [choices.one_of(("ALL", "DLT1", "DLT101", "missing-pin-memory"))]
    if choices.number(0, 9) == 9:
        return choices.one_of((True, 0, "", "\x1b[2J", "../x", [0], {"x": 1}, ["no-such-rule"]))
    match key:
        case "exclude":
            return globs
        case "per-file-ignores":
            return dict.fromkeys(globs, rules)
        case "severity":
            return dict.fromkeys(rules, choices.one_of(("info", "warning", "error")))
        case "overrides":
            return [{"files": globs or ["*"], "ignore": rules}]
        case "extension":
            return {choices.one_of(("x", "py", "toml", "[")): choices.one_of(("yaml", "python"))}
        case "output-format" | "fail-on" | "baseline" | "cache-dir":
            return choices.one_of(("json", "info", "warning", "full"))
        case "preview" | "force-exclude" | "respect-gitignore" | "unsafe-fixes":
            return choices.one_of((True, False))
        case _:
            return rules


def _in_toml(value: object) -> str:
    """A value as TOML spells it."""
    if isinstance(value, dict):
        pairs = (f"{json.dumps(key)} = {_in_toml(inner)}" for key, inner in value.items())
        return "{" + ", ".join(pairs) + "}"
    if isinstance(value, list):
        return "[" + ", ".join(map(_in_toml, value)) + "]"
    return json.dumps(value)
