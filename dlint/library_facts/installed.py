"""Libraries that what has their name in a repository does not shadow.

A folder without `__init__.py` is a namespace package, which Python takes only where nothing else of
that name is on the path (importlib/_bootstrap_external.py, `PathFinder.find_spec`). Names that
projects commonly give to folders of their own (`datasets`, `streaming`) are left out.
"""

from __future__ import annotations

INSTALLED = frozenset(
    {
        "PIL",
        "accelerate",
        "albumentations",
        "composer",
        "cv2",
        "deepspeed",
        "fastai",
        "ffcv",
        "h5py",
        "horovod",
        "hydra",
        "ignite",
        "lightning",
        "lightning_fabric",
        "lmdb",
        "monai",
        "numpy",
        "omegaconf",
        "pandas",
        "pytorch_lightning",
        "tokenizers",
        "torch",
        "torch_xla",
        "torchaudio",
        "torchdata",
        "torchvision",
        "transformers",
        "webdataset",
        "zarr",
    }
)
"""Not shadowed by a folder without `__init__.py`."""

PUBLISHED = INSTALLED | {
    "datasets",
    "detectron2",
    "diffusers",
    "evaluate",
    "fairseq",
    "mmcv",
    "mmdet",
    "mmengine",
    "peft",
    "streaming",
    "timm",
    "trl",
}
"""Not shadowed by what another project of the same repository holds: a copy that is on the path of
that project alone.
"""
