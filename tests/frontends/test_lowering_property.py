"""No config text is too odd: whatever stands under the keys that count, a file is lowered."""

from __future__ import annotations

import json
from typing import Any

import yaml
from hypothesis import given
from hypothesis import strategies as st

from dlint.frontends.config_files import lower_config
from dlint.library_facts import config_keys
from dlint.workspace.source import Source

_WORDS = sorted(
    {"_target_", "class_path", "init_args", "data", "train_loader", "datasets", "dataloader_opts"}
    | {"dataloader_num_workers", "dataloader_persistent_workers", "cpus_per_task", "<<"}
    | {key for dialect in config_keys.KEYED for key in (*dialect.arguments, *dialect.companions)}
    | {"num_workers", "name", "dataset", "output_dir", "learning_rate"}
)
_TEXTS = (
    "x DataLoader torch.utils.data.DataLoader my.DataModule .. spawn @data::x @num_workers "
    "${.x} ${a.b} ${num_workers}"
)
_SCALARS = st.sampled_from([None, 0, -1, True, False, 2.5, *_TEXTS.split()])
_DATA = st.recursive(
    _SCALARS,
    lambda inner: (
        st.lists(inner, max_size=3) | st.dictionaries(st.sampled_from(_WORDS), inner, max_size=8)
    ),
    max_leaves=30,
)


@given(_DATA, st.booleans())
def test_json_and_yaml_are_lowered(data: Any, is_hyper: bool) -> None:
    lower_config(Source("a.json", json.dumps(data)))
    text = yaml.safe_dump(data)
    lower_config(Source("a.yaml", f"x: !ref <num_workers>\n---\n{text}" if is_hyper else text))
