"""Library callables that take time for each sample: reading, decoding, transforming, tokenizing."""

from __future__ import annotations

from dlint.library_facts.readers import READERS, Kind

_READING = frozenset(path for path, reader in READERS.items() if reader.kind is not Kind.DATASET)
_MORE_READING = frozenset(
    {
        "cv2.VideoCapture",
        "decord.VideoReader",
        "av.open",
        "lmdb.open",
        "imageio.get_reader",
        "matplotlib.pyplot.imread",
        "matplotlib.image.imread",
        "scipy.misc.imread",
        "scipy.io.loadmat",
        "scipy.io.wavfile.read",
        "wave.open",
        "zipfile.ZipFile",
        "tarfile.open",
        "linecache.getline",
        "requests.get",
        "urllib.request.urlopen",
        "torchvision.io.decode_image",
        "torchvision.io.VideoReader",
        "torchvision.io.read_file",
        "mmcv.imread",
        "pandas.read_csv",
        "json.load",
        "xml.etree.ElementTree.parse",
        "numpy.loadtxt",
        "trimesh.load",
    }
)
_TRANSFORMING = (
    "torchvision.transforms.",
    "torchvision.transforms",
    "albumentations.",
    "torchaudio.transforms.",
    "torchaudio.compliance.",
    "torchaudio.sox_effects.",
    "torchaudio.functional.resample",
    "torchaudio.functional.spectrogram",
    "monai.transforms.",
    "imgaug.",
    "skimage.",
    "scipy.ndimage.",
    "volumentations.",
    "elasticdeform.",
    "librosa.",
    "kornia.augmentation.",
    "timm.data.",
    "PIL.ImageOps.",
    "PIL.ImageEnhance.",
)
_CV2_NAMES = (
    "resize warpAffine warpPerspective cvtColor remap GaussianBlur blur medianBlur filter2D "
    "copyMakeBorder fillPoly flip"
)
_CV2 = frozenset(f"cv2.{name}" for name in _CV2_NAMES.split())
_TOKENIZING = ("from_pretrained", "from_file")
_SPLITTING = frozenset({"nltk.word_tokenize", "nltk.tokenize.word_tokenize", "spacy.load"})

_MEDIA_NAMES = (
    "PIL cv2 imageio skimage tifffile torchvision rasterio osgeo gdal pydicom nibabel SimpleITK "
    "librosa torchaudio soundfile wave decord av matplotlib mmcv albumentations volumentations "
    "imgaug kornia monai elasticdeform"
)
_MEDIA_LIBRARIES = frozenset(_MEDIA_NAMES.split())
_MEDIA = ("scipy.ndimage.", "scipy.misc.", "scipy.io.wavfile.", "timm.data.")
_PREPARING = ("Processor", "FeatureExtractor")
_OF_VOLUMES = frozenset(
    ["nibabel", "SimpleITK", "volumentations", "elasticdeform", "monai", "decord", "av"]
)
_OF_FRAMES = frozenset(
    {"cv2.VideoCapture", "torchvision.io.VideoReader", "torchvision.io.read_video"}
)


def is_of_media(path: str) -> bool:
    """Whether a library callable reads, transforms or prepares pictures, sound or volumes."""
    library = path.partition(".")[0]
    if library == "transformers":
        return any(word in path for word in _PREPARING)
    return library in _MEDIA_LIBRARIES or path.startswith(_MEDIA)


def is_of_volumes(path: str) -> bool:
    """Whether a library callable reads or transforms volumes or films: one of them is large."""
    return path.partition(".")[0] in _OF_VOLUMES or path in _OF_FRAMES


_FILE_NAMES = (
    "LSUN Food101 Flowers102 OxfordIIITPet StanfordCars FGVCAircraft Country211 DTD Caltech101 "
    "Caltech256 Cityscapes INaturalist Kinetics HMDB51 UCF101 SUN397 GTSRB SBDataset Flickr8k "
    "Flickr30k LFWPeople LFWPairs WIDERFace EuroSAT PCAM Imagenette Omniglot"
)
READING_DATASETS = frozenset(path for path, r in READERS.items() if r.kind is Kind.DATASET) | {
    f"torchvision.datasets.{name}" for name in _FILE_NAMES.split()
}
"""Library datasets that read and decode a file for each sample."""

_FOLDERS = frozenset({"ImageFolder", "DatasetFolder", "ImageNet", "EuroSAT", "Imagenette"})

_ARRAY_NAMES = (
    "MNIST FashionMNIST KMNIST EMNIST QMNIST CIFAR10 CIFAR100 SVHN STL10 USPS SEMEION "
    "mnist.MNIST mnist.FashionMNIST cifar.CIFAR10 cifar.CIFAR100"
)
CONVERTING_DATASETS = frozenset(f"torchvision.datasets.{name}" for name in _ARRAY_NAMES.split())
"""Library datasets that keep arrays in memory and make a PIL image of each sample."""
_GRAPH_NAMES = (
    "TUDataset MoleculeNet ZINC AQSOL QM7b QM9 PCQM4Mv2 GNNBenchmarkDataset LRGBDataset "
    "MalNetTiny MNISTSuperpixels ModelNet ShapeNet GeometricShapes"
)
GRAPH_DATASETS = frozenset(f"torch_geometric.datasets.{name}" for name in _GRAPH_NAMES.split())
"""Data sets of PyG of many graphs, none of which belongs to the one before
(torch_geometric 2.6, datasets/)."""
_TINY = frozenset(["MNIST", "FashionMNIST", "KMNIST", "EMNIST", "QMNIST", "USPS"])


def is_tiny(path: str) -> bool:
    """Whether the images of such a dataset are grey, of 28 pixels or less a side."""
    return path.rpartition(".")[2] in _TINY


_CONVERTING_NAMES = (
    "ToTensor PILToTensor ToImage ToDtype ToPILImage ConvertImageDtype Normalize "
    "to_tensor pil_to_tensor to_image to_dtype to_pil_image convert_image_dtype normalize"
)
_CONVERTING = frozenset(_CONVERTING_NAMES.split())


def keeps_loader(path: str) -> bool:
    """Whether a data set of torchvision keeps what it reads a file by as `loader`.

    `DatasetFolder.__init__`, torchvision 0.29, datasets/folder.py.
    """
    return path.startswith("torchvision.datasets.") and path.rpartition(".")[2] in _FOLDERS


def is_dataset(path: str) -> bool:
    """Whether it is a data set whose samples take some work."""
    return path in READING_DATASETS or path in CONVERTING_DATASETS


def only_converts(path: str) -> bool:
    """Whether a transform gives a picture another form or scale: short, for one in memory."""
    return path.startswith("torchvision.transforms.") and path.rpartition(".")[2] in _CONVERTING


def verb(path: str) -> str | None:
    """What a library callable does to a sample, as one verb; None where it costs little."""
    if path in _READING or path in _MORE_READING:
        return "read"
    if path in _CV2 or path.startswith(_TRANSFORMING):
        return "transformed"
    if path in _SPLITTING:
        return "tokenized"
    return None


def is_done_in_memory(path: str) -> bool:
    """Whether a library callable transforms what it is given, or draws a number for that."""
    return verb(path) == "transformed" or path.startswith(
        ("random.", "numpy.random.", "torch.rand")
    )


def makes_transform(path: str) -> bool:
    """Whether a library callable makes an object that transforms a sample when it is called."""
    last = path.rpartition(".")[2]
    made = last[:1].isupper() or "transform" in last
    return made and "()" not in path and verb(path) == "transformed"


def is_tokenizer(path: str) -> bool:
    """Whether calling what a library callable returns tokenizes text."""
    root, _, rest = path.partition(".")
    last = rest.rpartition(".")[2]
    return (
        root in ("transformers", "tokenizers") and "Tokenizer" in rest and last in _TOKENIZING
    ) or path in _SPLITTING
