"""What seeds and draws from the global random generators (torch 2.13.0, NumPy 2, CPython 3.11)."""

from __future__ import annotations

SEEDERS = {
    "numpy.random.seed": "numpy",
    "random.seed": "random",
    "torch.manual_seed": "torch",
    "torch.random.manual_seed": "torch",
}
"""Functions that seed a global generator, and whose it is."""

SEEDS = {"numpy": "seed", "random": "a", "torch": "seed"}
"""The parameters by which they are given their first argument."""

TORCH_SEEDERS = frozenset(path for path, library in SEEDERS.items() if library == "torch")

TORCH_RESTORERS = frozenset({"torch.set_rng_state", "torch.random.set_rng_state"})
"""Calls that put the global generator back as it was, or to another state."""

SEEDED_GENERATORS = frozenset(
    {
        "torch.Generator().manual_seed",
        "numpy.random.default_rng",
        "numpy.random.RandomState",
        "numpy.random.SeedSequence",
        "random.Random",
    }
)
"""Calls that give a generator of one's own, seeded by what they are given."""

EVERYTHING = frozenset(
    {
        "lightning.seed_everything",
        "lightning.pytorch.seed_everything",
        "lightning.fabric.seed_everything",
        "pytorch_lightning.seed_everything",
        "accelerate.utils.set_seed",
        "transformers.set_seed",
        "transformers.trainer_utils.set_seed",
        "monai.utils.set_determinism",
        "ignite.utils.manual_seed",
    }
)
"""Functions of other libraries that seed torch, NumPy and `random`."""

WORDS = frozenset(
    {
        "seed_everything",
        "set_seed",
        "set_determinism",
        "seed_all",
        "fix_seed",
        "set_random_seed",
        "setup_seed",
        "init_seeds",
        "fix_random_seeds",
    }
)
"""Words by which files speak of seeding everything."""

GET_STATE = "numpy.random.get_state"
FIRST_WORD = (1, 0)
"""Where its result holds the first word: 2**31 after every seed of several words, as torch's."""

SETTING_NUMPY = EVERYTHING | {"numpy.random.seed", "numpy.random.set_state"}
"""Functions that give NumPy another state."""

LIBRARY = {"numpy": "NumPy", "random": "`random`", "torch": "torch"}
"""How messages call them."""

FRESH = {"numpy": "torch.initial_seed() % 2**32", "random": "torch.initial_seed()"}
"""Seeds that differ from worker to worker and from epoch to epoch; NumPy takes 32 bits."""

_NOT_DRAWN = frozenset(
    [
        "seed",
        "default_rng",
        "RandomState",
        "Generator",
        "SeedSequence",
        "get_state",
        "set_state",
        "Random",
        "getstate",
        "setstate",
        "SystemRandom",
        "PCG64",
        "manual_seed",
        "initial_seed",
        "get_rng_state",
        "set_rng_state",
    ]
)
_TORCH_DRAWS = frozenset(
    [
        "rand",
        "randn",
        "randint",
        "randperm",
        "rand_like",
        "randn_like",
        "randint_like",
        "bernoulli",
        "multinomial",
        "normal",
        "poisson",
        "dropout",
    ]
)


_ONE_NUMBER = frozenset(
    f"{library}.{name}"
    for library in ("random", "numpy.random")
    for name in ("random", "uniform", "normal", "gauss", "normalvariate", "rand", "randn")
)
_COUNTED = frozenset({"torch.rand", "torch.randn", "numpy.random.rand", "numpy.random.randn"})
"""Functions of which positional arguments say how many numbers they draw."""


def draws_one_number(path: str, arguments: int, first: object) -> bool:
    """Whether a call draws one number, given so many positional arguments, and this first one."""
    if path in _COUNTED:
        return arguments == 0 or (arguments == 1 and first == 1)
    return path in _ONE_NUMBER and arguments <= 2


ALIKE = frozenset(
    f"{library}.{name}"
    for library, names in {
        "torch": ("rand", "randn", "randint", "rand_like", "randn_like", "randperm"),
        "numpy.random": ("rand", "randn", "randint", "random", "random_sample", "standard_normal"),
    }.items()
    for name in names
)
"""Functions that draw all elements of an array from one distribution."""
SPREAD = frozenset(f"numpy.random.{name}" for name in ("normal", "uniform"))
"""The same, where the first argument is one number, and no array of means or bounds."""


FORMED = frozenset(["rand_like", "randn_like", "randint_like"])
"""Functions that draw a number for each element of what they are given."""
SIZES = frozenset(["size", "shape"])
"""What parameters, attributes and methods that tell how many numbers are drawn are called."""


_PLAIN = frozenset(
    ["builtins", "numpy", "torch", "math", "os", "json", "h5py", "PIL", "cv2", "bisect", "zipfile"]
)
PLAIN_METHODS = frozenset(
    [
        "astype",
        "copy",
        "item",
        "nonzero",
        "sum",
        "mean",
        "split",
        "strip",
        "append",
        "format",
        "get",
        "open",
        "read",
        "startswith",
        "endswith",
    ]
)
"""Methods of tensors, arrays, texts, lists and dicts that draw nothing."""


def draws_nothing(path: str) -> bool:
    """Whether a call is of a library that draws only where its module or name says so."""
    return path.partition(".")[0] in _PLAIN and drawn_by(path) is None and "random" not in path


_TORCHVISION_DRAWS = ("Random", "ColorJitter")


def drawn_by(path: str) -> str | None:
    """The library whose global generator a call draws from."""
    owner, _, name = path.rpartition(".")
    if owner in ("numpy.random", "random"):
        return None if name in _NOT_DRAWN else owner.partition(".")[0]
    if path.startswith("torch.") and name in _TORCH_DRAWS:
        return "torch"
    drawing = owner.rpartition(".")[2] if name == "get_params" else name
    if path.startswith("torchvision.transforms") and drawing.startswith(_TORCHVISION_DRAWS):
        return "torch"
    return None


SEEDING_WORKERS = frozenset(
    f"{library}.seed_everything"
    for library in ("lightning", "lightning.pytorch", "pytorch_lightning", "lightning.fabric")
)
"""Calls that may have the workers of all loaders seeded."""
