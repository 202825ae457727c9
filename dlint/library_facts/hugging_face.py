"""Streams of Hugging Face `datasets`, and the trainers that ask for their length.

Read in transformers 4.0, 4.20, 4.44 and 5.23 (trainer.py, `Trainer.__init__`; trainer_utils.py,
`has_length`), trl 1.16 and datasets 5.2 (iterable_dataset.py).
"""

from __future__ import annotations


def _words(text: str) -> frozenset[str]:
    return frozenset(text.split())


_TRAINER = ("model", "args", "data_collator", "train_dataset", "eval_dataset")
_WITH_REFERENCE = ("model", "ref_model", "args", "data_collator", "train_dataset", "eval_dataset")

TRAINERS: dict[str, tuple[str, ...]] = {
    **dict.fromkeys(
        (
            "transformers.Trainer",
            "transformers.trainer.Trainer",
            "transformers.Seq2SeqTrainer",
            "transformers.trainer_seq2seq.Seq2SeqTrainer",
            "trl.SFTTrainer",
            "trl.trainer.SFTTrainer",
            "trl.trainer.sft_trainer.SFTTrainer",
            "trl.RewardTrainer",
            "trl.trainer.RewardTrainer",
        ),
        _TRAINER,
    ),
    **dict.fromkeys(
        ("trl.DPOTrainer", "trl.trainer.DPOTrainer", "trl.KTOTrainer", "trl.trainer.KTOTrainer"),
        _WITH_REFERENCE,
    ),
}
"""Trainers whose constructor raises for training data without a length where `max_steps` is not
set, each with its first parameters."""

RUNS = frozenset({"train", "evaluate", "predict"})
"""Methods of a trainer that read its data."""

ARGUMENTS = frozenset(
    {
        "transformers.TrainingArguments",
        "transformers.training_args.TrainingArguments",
        "transformers.Seq2SeqTrainingArguments",
        "transformers.training_args_seq2seq.Seq2SeqTrainingArguments",
        "trl.SFTConfig",
        "trl.trainer.SFTConfig",
        "trl.trainer.sft_config.SFTConfig",
        "trl.RewardConfig",
        "trl.DPOConfig",
        "trl.KTOConfig",
    }
)
"""Their configurations; in all of them `max_steps` is -1 by default."""

SETTERS = frozenset({"set_training"})
"""Methods of a configuration that may set `max_steps`."""

LOADERS = frozenset({"datasets.load_dataset", "datasets.load.load_dataset"})
LOADER_PARAMETERS = ("path", "name", "data_dir", "data_files", "split")
"""Calls that give a stream where `streaming=True`, one for each split unless `split` names one."""

_SOURCES = "generator file spark pandas polars dict list csv json parquet text"

MAKERS = frozenset(
    f"{package}.IterableDataset.from_{source}"
    for package in ("datasets", "datasets.iterable_dataset")
    for source in _words(_SOURCES)
)
"""Calls that always give a stream."""

CONVERSION = "to_iterable_dataset"
"""The method that makes a stream of a table."""

JOINING = frozenset(
    {
        "datasets.interleave_datasets",
        "datasets.combine.interleave_datasets",
        "datasets.concatenate_datasets",
        "datasets.combine.concatenate_datasets",
    }
)
"""Calls that give a stream where they are given a list of streams."""

PART = frozenset({"datasets.distributed.split_dataset_by_node"})
"""Calls that give one rank's part of what they are given first."""

CHAINS = _words(
    "map filter shuffle skip take repeat shard reshard batch add_column rename_column "
    "rename_columns remove_columns select_columns cast cast_column decode with_format"
)
"""Methods of a stream whose result is a stream; none of them has a length."""

STREAM_BASES = frozenset(
    {
        "torch.utils.data.IterableDataset",
        "torch.utils.data.dataset.IterableDataset",
        "typing.Generic",
        "abc.ABC",
        "builtins.object",
    }
)
"""Bases that give a class of the project no length."""

ENCODING_TAKES_FLAG = (4, 48)
"""The first transformers in which `BatchEncoding.to` and `BatchFeature.to` take `non_blocking`."""
