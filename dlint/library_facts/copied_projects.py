"""Projects whose code is often copied into others, and how a folder shows that it holds one."""

from __future__ import annotations

LIBRARIES = frozenset(
    {"albumentations", "allennlp", "basicsr", "detectron", "detectron2", "espnet", "espnet2"}
    | {"fairseq", "fastreid", "gluonts", "groundingdino", "lavis", "llava", "maskrcnn_benchmark"}
    | {"mmaction", "mmcls", "mmcv", "mmdet", "mmdet3d", "mmengine", "mmpose", "mmpretrain", "mmseg"}
    | {"nnunet", "nnunetv2", "open_clip", "pcdet", "pytorch_lightning", "recbole", "s3prl", "sam2"}
    | {"segment_anything", "speechbrain", "torch_geometric", "torchmetrics", "torchreid"}
    | {"torchvision", "ultralytics", "yolox"}
)
"""Packages of libraries that train, by the name of their folder; no words that others use."""

SCRIPTS = (
    frozenset({"coco_eval.py", "coco_utils.py", "group_by_aspect_ratio.py"}),
    frozenset({"presets.py", "sampler.py", "train_quantization.py"}),
    frozenset({"coco_utils.py", "presets.py", "v2_extras.py"}),
)
"""Files that lie together in the reference scripts of torchvision, for detection, classification
and segmentation (https://github.com/pytorch/vision/tree/main/references), and in copies of them."""

OF_SCRIPTS = frozenset[str]().union(*SCRIPTS) | {
    "engine.py",
    "train.py",
    "transforms.py",
    "utils.py",
}
"""All that these scripts consist of; what else lies beside them is somebody's own."""
