"""Library callables that read a settings file, and those by which a path is put together."""

from __future__ import annotations

from dlint.findings.regexes import lazily

READERS = frozenset(
    {
        "omegaconf.OmegaConf.load",
        "omegaconf.omegaconf.OmegaConf.load",
        "yaml.safe_load",
        "yaml.full_load",
        "yaml.unsafe_load",
        "yaml.load",
        "ruamel.yaml.YAML().load",
        "ruamel.yaml.safe_load",
        "ruamel.yaml.load",
        "json.load",
        "json.loads",
        "tomllib.load",
        "tomllib.loads",
        "tomli.load",
        "tomli.loads",
        "toml.load",
        "toml.loads",
    }
    | {
        f"{module}.Config.fromfile"
        for module in ("mmengine", "mmengine.config", "mmcv", "mmcv.utils")
    }
)
"""Callables whose first argument is a path, an open file or its text."""

KINDS = {"omegaconf": ".yaml", "yaml": ".yaml", "ruamel": ".yaml", "json": ".json"} | dict.fromkeys(
    ("tomllib", "tomli", "toml"), ".toml"
)
KINDS |= {"mmengine": ".py", "mmcv": ".py"}
"""The kind of file that a library's readers are given, by the first name of their paths."""

INTERPOLATING = "omegaconf."
"""What the paths of those begin with that follow `${a.b}`."""

MERGE = "omegaconf.OmegaConf.merge"
COMMAND_LINE = frozenset({"from_cli", "from_dotlist"})
"""OmegaConf's functions that take settings from the command line."""

HYDRA_MAIN = {
    "hydra.main": ("config_path", "config_name", "version_base"),
    "dora.hydra_main": ("config_name", "config_path"),
    "dora.hydra.hydra_main": ("config_name", "config_path"),
}
"""Decorators that give a function its settings, with their parameters by position."""
HYDRA_NAMES = frozenset({"main", "hydra_main"})
HYDRA_COMPOSE = frozenset({"hydra.compose", "hydra.experimental.compose"})
INSTANTIATE = frozenset(
    f"{module}.{name}"
    for module in ("hydra.utils", "hydra._internal.instantiate._instantiate2")
    for name in ("instantiate", "call")
)
"""Functions that make the object which a node of a config stands for."""
INSTANTIATING = frozenset({"instantiate"})
"""Their names, as far as loaders are looked for by them."""
OLD_BASES = frozenset({"1.0", "1.1"})
"""Values of `version_base` with which a missing `config_path` means the folder of the module."""

PARAMETERS = {
    "hydra.compose": ("config_name", "overrides"),
    "initialize": ("config_path", "job_name"),
    "initialize_config_dir": ("config_dir", "job_name"),
}
"""The parameters of hydra's functions, by position."""

SAME_FILE = frozenset(
    {"Path", "PurePath", "PosixPath", "str", "abspath", "realpath", "expanduser", "normpath"}
    | {"fspath", "to_absolute_path", "StringIO"}
)
"""Functions whose result names the file that their first argument names."""
SAME_OBJECT = frozenset(
    {"resolve", "absolute", "expanduser", "as_posix", "open", "read", "read_text", "read_bytes"}
)
"""Methods whose result names the file that their object names, or holds its text."""
OPENING = frozenset({"io", "codecs", "fsspec", "smart_open"})
"""Modules whose `open` takes the path first."""
HERE = frozenset({"getcwd", "cwd", "get_original_cwd"})
"""Functions that name the folder in which the program was started."""
PROJECT_ROOT = frozenset({"setup_root", "find_root"})
"""Functions of rootutils and pyrootutils that name the folder at the top of the project."""

NAME = lazily(r"(?i)cfg|conf|args|opts?\b|hparams|params\b|settings|\bhp\b")
"""Names under which settings are handed on."""
WRITTEN = (
    rb"(?i)(?:cfg|conf|args|\bopts?|hparams|params|settings|\bhp)\w*(?:\.\w+|\[[\"']\w+[\"']\])*?"
    rb"(?:\.%(key)s|\[[\"']%(key)s[\"']\])\s*(?:[-+*/|]|//)?=(?!=)"
)
"""What the text of a file that writes to a key of settings looks like."""
UPDATES = frozenset({"update", "merge_with", "merge_update", "merge_from_file", "merge_from_list"})
"""Methods that write any number of settings."""
