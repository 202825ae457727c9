"""What library calls read: the payload of samples, a lazy handle on it, or an index of it."""

from __future__ import annotations

import re
from dataclasses import dataclass
from enum import StrEnum
from typing import NamedTuple

from dlint.findings.regexes import lazily
from dlint.library_facts import handles


def _words(text: str) -> frozenset[str]:
    return frozenset(text.split())


class Form(StrEnum):
    """What the payload is held as; workers share or copy each of these in another way."""

    TENSOR = "tensor"
    ARRAY = "array"
    OBJECT = "object"


class Kind(StrEnum):
    """What a reader gives."""

    PAYLOAD = "payload"
    """The decoded contents."""
    IMAGE = "image"
    """A `PIL.Image` whose file is not decoded yet."""
    HDF5 = "hdf5"
    """A file, group or dataset of h5py or PyTables."""
    VOLUME = "volume"
    """A nibabel or SimpleITK image whose voxels are not read yet."""
    RASTER = "raster"
    """An open rasterio dataset."""
    FILE = "file"
    """A file opened for reading bytes."""
    HANDLE = "handle"
    """A file opened for reading text, an archive, a database: nothing is told of what it reads."""
    ARCHIVE = "archive"
    """A file of several arrays, of which one is read when it is asked for by its name."""
    DATASET = "dataset"
    """A library dataset that reads a sample when it is indexed."""


@dataclass(frozen=True, slots=True)
class Reader:
    """One library callable that reads a file."""

    kind: Kind
    form: Form
    packed: bool = False
    """It returns a tuple whose first part is the payload (`wave, rate`)."""
    whole: bool = False
    """One file may well hold all samples: read once, it is worth a look."""
    lazy_if: frozenset[str] = frozenset()
    """Arguments that leave the payload on disk."""
    boxed_if: frozenset[str] = frozenset()
    """Arguments that are asked for by files of Python objects, which cannot be mapped."""


_IMAGE = Reader(Kind.PAYLOAD, Form.ARRAY)
_SOUND = Reader(Kind.PAYLOAD, Form.ARRAY, packed=True)
_TENSOR = Reader(Kind.PAYLOAD, Form.TENSOR)
_PICKLE = Reader(Kind.PAYLOAD, Form.OBJECT)
_TABLE = Reader(Kind.PAYLOAD, Form.OBJECT, whole=True)
_DATASET = Reader(Kind.DATASET, Form.OBJECT)

READERS: dict[str, Reader] = {
    "PIL.Image.open": Reader(Kind.IMAGE, Form.OBJECT),
    "cv2.imread": _IMAGE,
    "cv2.imdecode": _IMAGE,
    "imageio.imread": _IMAGE,
    "imageio.v2.imread": _IMAGE,
    "imageio.v3.imread": _IMAGE,
    "skimage.io.imread": _IMAGE,
    "tifffile.imread": _IMAGE,
    "torchvision.io.read_image": _TENSOR,
    "torchvision.io.decode_image": _TENSOR,
    "torchvision.io.decode_jpeg": _TENSOR,
    "torchvision.io.decode_png": _TENSOR,
    "torchvision.io.read_video": Reader(Kind.PAYLOAD, Form.TENSOR, packed=True),
    "torchvision.io.image.read_image": _TENSOR,
    "torchvision.io.image.decode_image": _TENSOR,
    "torchvision.datasets.folder.default_loader": _PICKLE,
    "torchvision.datasets.folder.pil_loader": _PICKLE,
    "rasterio.open": Reader(Kind.RASTER, Form.ARRAY),
    "pydicom.dcmread": Reader(
        Kind.PAYLOAD, Form.OBJECT, lazy_if=frozenset({"stop_before_pixels", "defer_size"})
    ),
    "pydicom.read_file": Reader(
        Kind.PAYLOAD, Form.OBJECT, lazy_if=frozenset({"stop_before_pixels", "defer_size"})
    ),
    "nibabel.load": Reader(Kind.VOLUME, Form.ARRAY),
    "SimpleITK.ReadImage": _PICKLE,
    "librosa.load": _SOUND,
    "librosa.core.load": _SOUND,
    "torchaudio.load": Reader(Kind.PAYLOAD, Form.TENSOR, packed=True),
    "soundfile.read": _SOUND,
    "numpy.load": Reader(
        Kind.PAYLOAD,
        Form.ARRAY,
        whole=True,
        lazy_if=frozenset({"mmap_mode"}),
        boxed_if=frozenset({"allow_pickle"}),
    ),
    "numpy.fromfile": _IMAGE,
    "torch.load": Reader(Kind.PAYLOAD, Form.TENSOR, whole=True, lazy_if=frozenset({"mmap"})),
    "pandas.read_parquet": _TABLE,
    "h5py.File": Reader(Kind.HDF5, Form.ARRAY),
    "pickle.load": _PICKLE,
    "_pickle.load": _PICKLE,
    "cPickle.load": _PICKLE,
    "dill.load": _PICKLE,
    "joblib.load": _PICKLE,
    "torchvision.datasets.ImageFolder": _DATASET,
    "torchvision.datasets.DatasetFolder": _DATASET,
    "torchvision.datasets.folder.ImageFolder": _DATASET,
    "torchvision.datasets.ImageNet": _DATASET,
    "torchvision.datasets.CelebA": _DATASET,
    "torchvision.datasets.CocoDetection": _DATASET,
    "torchvision.datasets.CocoCaptions": _DATASET,
    "torchvision.datasets.VOCDetection": _DATASET,
    "torchvision.datasets.VOCSegmentation": _DATASET,
    "torchvision.datasets.Places365": _DATASET,
    "torchaudio.datasets.LIBRISPEECH": _DATASET,
    "torchaudio.datasets.SPEECHCOMMANDS": _DATASET,
}
"""Library callables that read samples, by path. `open` is one where its mode is binary."""

_RASTERS = ("osgeo.gdal.Open()", "gdal.Open()")


def gives_array(path: str) -> bool:
    """Whether a method of an open file returns the numbers in it, by its path (GDAL 3)."""
    return path.startswith(_RASTERS) and path.endswith(".ReadAsArray")


OPENERS = frozenset({"builtins.open", "io.open", "gzip.open", "bz2.open", "lzma.open"})
FILE = Reader(Kind.FILE, Form.OBJECT)
"""What they give when they are asked for bytes."""
HANDLE = Reader(Kind.HANDLE, Form.OBJECT)
"""What they give otherwise; archives and databases too."""

ARCHIVE = Reader(Kind.ARCHIVE, Form.ARRAY)
ARCHIVES = {"numpy.load": ".npz"}
"""What opens an archive of arrays, by path, where the name of the file ends so (NumPy 2.4)."""
ARRAYS = ".npy"
"""How the names of files of one array end, which are no archives."""


class Naming(NamedTuple):
    """Callables that do the same to names of files: functions by path, methods by name."""

    functions: frozenset[str]
    methods: frozenset[str] = frozenset()


JOINING_PATHS = Naming(
    _words(
        "os.path.join posixpath.join ntpath.join os.fspath builtins.str pathlib.Path "
        "pathlib.PurePath pathlib.PosixPath pathlib.PurePosixPath pathlib.WindowsPath"
    ),
    _words("joinpath"),
)
"""Callables whose result ends as their last argument does."""

SEARCHING = Naming(_words("glob.glob glob.iglob"), _words("glob rglob"))
"""Callables that look for files by a pattern, their first argument."""

ORDERING = Naming(_words("builtins.sorted builtins.list builtins.tuple natsort.natsorted"))
"""Callables that give the elements of their first argument, perhaps in order."""

INDEX_READERS = _words(
    "pandas.read_csv pandas.read_table pandas.read_json pandas.read_excel json.load "
    "json.loads csv.reader csv.DictReader yaml.load yaml.safe_load toml.load "
    "numpy.loadtxt numpy.genfromtxt xml.etree.ElementTree.parse pycocotools.coco.COCO"
)
"""Readers of tables and annotations: what they give is an index, never payload."""

READING_METHODS: dict[Kind, frozenset[str]] = {
    Kind.IMAGE: _words(
        "load convert resize rotate transpose crop copy thumbnail filter tobytes getdata "
        "quantize point split transform reduce"
    ),
    Kind.HDF5: frozenset({"read", "read_direct"}),
    Kind.VOLUME: frozenset({"get_fdata", "get_data", "get_array"}),
    Kind.RASTER: frozenset({"read"}),
    Kind.FILE: frozenset({"read", "readall"}),
}
"""Methods of a handle that read what it stands for."""

READING_ATTRIBUTES: dict[Kind, frozenset[str]] = {Kind.HDF5: frozenset({"value"})}

HANDLE_PARTS: dict[Kind, frozenset[str]] = {
    Kind.HDF5: frozenset({"get", "root", "astype", "asstr"}),
    Kind.VOLUME: frozenset({"dataobj", "slicer"}),
    Kind.HANDLE: handles.PARTS,
}
"""Methods and attributes of a handle that give a handle again."""

EXHAUSTING = _words("list tuple set frozenset dict sorted next")
"""Builtins that read a file to its end, or to its next line, and do not keep it."""

SLICED = frozenset({Kind.HDF5, Kind.VOLUME})
"""Handles that read when they are sliced."""

REDUCING = _words(
    "shape size ndim dtype device nbytes itemsize numel dim stride mean std var sum "
    "min max amin amax argmin argmax median quantile percentile histogram bincount "
    "count_nonzero nonzero any all unique item isnan isinf isfinite allclose "
    "array_equal norm trace ptp close flush keys histc searchsorted save imwrite dump "
    "exists isfile digitize info getsize"
)
"""Attributes, methods and functions that keep a number or two of the payload, or nothing of it."""

FILE_WRITERS = _words(
    "open imwrite imsave save save_image savefig savez savez_compressed "
    "savetxt write_video write_png write_jpeg to_csv to_filename dump write_bytes write_text"
)
"""Methods and functions that write a file of the name that they are given."""

PAYLOAD_ATTRIBUTES = frozenset({"T", "mT", "data", "values", "pixel_array", "real", "imag", "iloc"})
"""Attributes of a payload that are payload again."""

ARRAY_LIBRARIES = _words(
    "numpy torch torchvision torchaudio cv2 PIL scipy skimage librosa einops "
    "albumentations monai imgaug kornia jax pandas nibabel"
)
"""Libraries whose functions make new payload from the payload they are given."""

JOINING = _words(
    "stack vstack hstack dstack column_stack concatenate concat cat array asarray "
    "tensor as_tensor from_numpy row_stack"
)
"""Functions that make one array or tensor of a list of them."""

JOINING_END_TO_END = _words("concatenate concat cat hstack")
"""Those by which rows of all files become rows of one: a sample is no file any more."""

CONTAINERS = _words("list tuple set frozenset dict sorted reversed iter next enumerate zip filter")
"""Builtins that hand on the elements of what they are given."""

MAPPING_METHODS = _words(
    "map imap imap_unordered map_async starmap apply parallel_apply progress_map"
)
"""Methods that call their first argument for every element: pools, executors, data frames."""

MAPPING_FUNCTIONS = frozenset(
    {
        "builtins.map",
        "tqdm.contrib.concurrent.thread_map",
        "tqdm.contrib.concurrent.process_map",
    }
)

MUTATORS = frozenset({"append", "extend", "insert", "add", "update", "appendleft", "setdefault"})
"""Methods by which a container takes something in."""

RESIZERS = MUTATORS | {"pop", "popitem", "remove", "clear", "discard", "resize", "resize_"}
"""Methods by which something comes to be of another size."""

IN_MEMORY_BASES = frozenset({"InMemoryDataset", "CacheDataset", "TensorDataset"})
"""Classes that keep all samples in memory by name and purpose: PyG, MONAI, torch."""

OF_DATASETS = frozenset({"functions", "register_function", "register_datapipe_as_function"})
"""Attributes that torch's `Dataset` has had."""

MAP_STYLE_BASES = frozenset(
    {
        "torch.utils.data.Dataset",
        "torch.utils.data.dataset.Dataset",
        "typing.Generic",
        "abc.ABC",
        "builtins.object",
    }
)
"""Bases of data sets that take samples by index, none of which says how."""
_DATASET_BASES = frozenset(
    {
        "torch.utils.data.Dataset",
        "torch.utils.data.IterableDataset",
        "torch.utils.data.dataset.Dataset",
        "torch.utils.data.dataset.IterableDataset",
        "torch_geometric.data.Dataset",
        "torch_geometric.data.dataset.Dataset",
        "monai.data.Dataset",
        "monai.data.dataset.Dataset",
    }
)
_BY_METHOD = {
    "torch_geometric.data.Dataset": "get",
    "torch_geometric.data.dataset.Dataset": "get",
}


def sample_method(path: str) -> str | None:
    """The method by which the `__getitem__` of a library's data set takes a sample.

    torch_geometric 2.8: `Dataset.__getitem__` returns `self.get(self.indices()[idx])` after its
    transform (torch_geometric/data/dataset.py).
    """
    return _BY_METHOD.get(path)


_DATASET_PACKAGES = ("torchvision.datasets.", "torchaudio.datasets.")


def is_dataset_base(path: str) -> bool:
    """Whether a library class is one whose objects a loader takes."""
    return path in _DATASET_BASES or path.startswith(_DATASET_PACKAGES)


SMALL = lazily(r"mnist|cifar|^_?(?:toy|dummy|fake|synthetic|random|iris)", re.I)
"""Names of classes whose data are small and fixed, or made up."""

SCALING = _words("resize thumbnail")
"""Functions and methods that make an image smaller: of PIL, OpenCV and scikit-image."""
