"""Samples that the default collate function of torch cannot make a batch of, or makes lists of."""

from __future__ import annotations

from dlint.library_facts.torchvision import Effect

COUNTED = {
    "torchvision.datasets.CocoDetection": "annotations",
    "torchvision.datasets.CocoCaptions": "captions",
    "torchvision.datasets.VOCDetection": "objects",
    "torchvision.datasets.WIDERFace": "faces",
    "torchvision.datasets.Kitti": "objects",
}
"""Data sets whose targets hold as many of these as there are in the picture."""

_PUBLISHED = (
    "ImageNet Food101 Flowers102 OxfordIIITPet StanfordCars FGVCAircraft Country211 DTD Caltech101 "
    "Caltech256 SUN397 GTSRB INaturalist LSUN CocoDetection CocoCaptions VOCDetection "
    "VOCSegmentation WIDERFace SBDataset Flickr8k Flickr30k"
)
PUBLISHED = frozenset(f"torchvision.datasets.{name}" for name in _PUBLISHED.split())
"""Data sets whose pictures are known to differ in height and width."""

FOLDERS = frozenset({"torchvision.datasets.ImageFolder"})
"""Data sets of whatever pictures lie in a folder."""

_SIZED = "MNIST FashionMNIST KMNIST EMNIST QMNIST CIFAR10 CIFAR100 SVHN STL10 USPS"
PICTURES = PUBLISHED | FOLDERS | {f"torchvision.datasets.{name}" for name in _SIZED.split()}
"""Data sets that give a PIL image where no transform makes something else of it."""

TRANSFORM_POSITIONS = {
    "ImageFolder": 1,
    **dict.fromkeys(("MNIST", "FashionMNIST", "KMNIST", "CIFAR10", "CIFAR100", "SVHN", "USPS"), 2),
    "STL10": 3,
}
"""Where data sets take their transform by position (torchvision 0.28, their signatures)."""

OTHER_PICTURES = frozenset({"transforms", "loader"})
MORE = OTHER_PICTURES | {"target_transform"}
"""Arguments that may change a picture, or with it a target, in ways that are not looked at."""

KEEPS_SIZE = frozenset(
    {Effect.NOTHING, Effect.TENSOR, Effect.BYTES, Effect.CONVERT, Effect.GRAY, Effect.PAD}
)
MAKES_TENSOR = frozenset({Effect.TENSOR, Effect.BYTES})

LISTS = frozenset({"builtins.list", "builtins.sorted"})
"""Functions that give a list."""

TOKENIZERS = "transformers."
"""The library whose tokenizers give lists of numbers for each text."""

TOKENS = frozenset({"input_ids", "attention_mask", "token_type_ids", "labels", "decoder_input_ids"})
"""What tokenizers call those lists."""

IDS = "input_ids"
"""The one of them that each tokenizer gives."""

TOKEN_COLUMNS = TOKENS | {"label", "decoder_attention_mask", "position_ids", "special_tokens_mask"}
"""The columns of a batch that come of a tokenizer, with the one that data sets call the label."""

ENCODING = frozenset({"encode", "encode_plus", "batch_encode_plus"})
"""Methods of tokenizers that give token ids, as calling one does (transformers 4)."""

_OF_TEXTS = (
    "DataCollatorForLanguageModeling DataCollatorForWholeWordMask DataCollatorWithFlattening "
    "DataCollatorForPermutationLanguageModeling DataCollatorForTokenClassification"
)
OF_TEXTS = frozenset(
    f"transformers.{room}{name}"
    for name in _OF_TEXTS.split()
    for room in ("", "data.", "data.data_collator.")
)
"""Collate functions that pad or mask token ids."""

OF_SAME_TYPE = frozenset(
    {
        "torch.stack",
        "torch.cat",
        "torch.concat",
        "torch.tensor",
        "torch.as_tensor",
        "torch.nn.utils.rnn.pad_sequence",
    }
)
"""Functions whose result holds numbers of the type of those that it is made of."""

KEEPING_TYPE = frozenset(
    {"clone", "contiguous", "copy", "cpu", "numpy", "flip", "roll", "clamp", "pin_memory"}
)
"""Methods of tensors that give numbers of the same type; views do so, too."""

FORMATS = frozenset({"set_format", "set_transform"})
"""Methods by which rows of a Hugging Face data set come as something else from then on."""

FINDING = {
    "loadAnns": "annotations",
    "findall": "?elements of a file",
    "iterfind": "?elements of a file",
    "iter": "?elements of a file",
    "getElementsByTagName": "?elements of a file",
}
"""Methods that give as many elements as there are: of a picture, or (`?`) of a file."""

PARSING = frozenset({"json.load", "json.loads", "orjson.loads", "ujson.load", "ujson.loads"})
"""Functions that read JSON."""

_XML = ("xml.etree.", "lxml.etree.", "defusedxml.", "xml.dom.")
FOUND_IN = {
    "loadAnns": ("pycocotools.coco.COCO",),
    "findall": _XML,
    "iterfind": _XML,
    "iter": _XML,
    "getElementsByTagName": _XML,
}
"""The libraries of whose objects they are methods."""

CONVERTING = frozenset(
    {
        "torch.tensor",
        "torch.as_tensor",
        "torch.from_numpy",
        "torch.FloatTensor",
        "torch.LongTensor",
        "torch.Tensor",
        "torch.stack",
        "numpy.array",
        "numpy.asarray",
        "numpy.stack",
    }
)
"""Functions that make an array with a row for each element of a list."""

KEEPING_ROWS = frozenset(
    {"reshape", "view", "float", "long", "int", "to", "type", "astype", "clone", "copy", "clamp"}
)
"""Methods of arrays that leave the number of rows alone."""

GROUPING, ONE_GROUP = "groupby", "get_group"
"""The methods of pandas that divide a table into groups of rows, and give the rows of one."""

HOLDING_ITEMS = frozenset({"builtins.list", "builtins.tuple", "builtins.iter"})
"""Functions that give the items of what they are given."""

KEEPING_RECORDS = frozenset(
    {"to_numpy", "tolist", "map", "astype", "copy", "reset_index", "sort_values", "fillna"}
)
"""Methods of tables and columns that leave the number of rows alone."""

STACKING = frozenset(
    {
        "torch.utils.data.default_collate",
        "torch.utils.data.dataloader.default_collate",
        "torch.utils.data._utils.collate.default_collate",
        "transformers.default_data_collator",
        "transformers.data.default_data_collator",
        "transformers.data.data_collator.default_data_collator",
    }
)
"""Collate functions that stack samples, which must have one shape (torch 2.13, transformers 4)."""

STACK = frozenset({"torch.stack", "numpy.stack"})
"""Functions that make one array of several, which must have one shape."""

PADDING = frozenset(
    {
        "torch.nn.utils.rnn.pad_sequence",
        "torch.nn.utils.rnn.pack_sequence",
        "torch.nn.functional.pad",
        "numpy.pad",
    }
)
"""Functions that make arrays as large as others."""

UNPINNED = frozenset({"dgl.batch", "dgl.batch_hetero", "dgl.merge"})
"""What makes one graph of several that has no `pin_memory` which gives a pinned one, as torch asks
for (torch/utils/data/_utils/pin_memory.py): DGL's `pin_memory_` pins a graph in place."""
