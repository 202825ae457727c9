"""How a project names the platforms on which workers start by `spawn`."""

from __future__ import annotations

CLASSIFIERS = {
    "Operating System :: Microsoft": "Windows",
    "Operating System :: MacOS": "macOS",
}
"""How the trove classifiers of a package begin (https://pypi.org/classifiers)."""

IMAGES = {
    "windows": "Windows",
    "visual studio": "Windows",
    "win": "Windows",
    "macos": "macOS",
    "osx": "macOS",
}
"""How CI names its machines: `windows-2022`, `macos-latest`, `os: osx`, `vmImage: windows-2022`."""

CI_FILES = (
    ".github/workflows/*.yml",
    ".github/workflows/*.yaml",
    ".travis.yml",
    "azure-pipelines.yml",
    "appveyor.yml",
    ".appveyor.yml",
)

ASKED = frozenset({"sys.platform", "os.name", "platform.system", "platform.platform"})
"""What tells a program on which platform it runs."""

BY_DEVICE = "the device `mps`"
SHOWING = (
    (r"mps(?::\d+)?\Z", "macOS", BY_DEVICE),
    (r"[A-Za-z]:[\\/]+(?:\w|\Z)", "Windows", "an absolute path"),
)
"""Constants that only one platform has, the platform, and what they are."""

_INSTALLED = r"(?:site-packages|lib|Library|AppData|Temp|ipykernel_\d+)"
PRINTED = (
    (r"WindowsPath\(|\bWDDM\b|(?m:^'?Windows-1[01]-)", "Windows"),
    (r"~\\AppData\\Local\\Temp\\ipykernel_", "Windows"),
    (rf"(?<![\w/\\])[A-Za-z]:\\(?:[^\\\n\"':]{{1,60}}\\){{1,8}}{_INSTALLED}\\", "Windows"),
    (r"(?m)^'[A-Za-z]:\\\\[^'\n]*'$", "Windows"),
    (rf"(?<![\w/.-])/Users/(?:[^/\n\"':]{{1,60}}/){{1,8}}{_INSTALLED}/", "macOS"),
    (r"/opt/homebrew/|/usr/local/Cellar/|/var/folders/\w\w/", "macOS"),
)
"""What Python and pip print of where they lie, and `%pwd` of where it was started, by platform.

Other paths may be part of the data, which somebody made elsewhere.
"""

BY_POWERSHELL = "text in UTF-16, as PowerShell writes it,"
OF_WINDOWS = (
    *("pywin32", "pypiwin32", "pywin32-ctypes", "pywinpty", "win32[-_]setctime", "windows-curses"),
    *("pyreadline3", "wincertstore", "win[-_]inet[-_]pton", "triton-windows"),
    *("vs2015_runtime", "vc14_runtime", "winpty"),
)
"""Packages of PyPI and conda that install on Windows alone, or that only Windows takes along."""

OF_MAC = (
    *("appnope", "pyobjc-core", "pyobjc-framework-[\\w-]+", "tensorflow-macos", "tensorflow-metal"),
    *("py-applescript", "mlx-metal"),
)
"""Packages of PyPI and conda that install on macOS alone, or that only macOS takes along."""

RAISING_WITHOUT_CUDA = frozenset(
    f"torch.cuda.{name}"
    for name in (
        *("synchronize", "current_device", "get_device_name", "get_device_properties"),
        *("get_device_capability", "mem_get_info", "current_stream", "default_stream"),
        *("set_device", "Stream", "Event", "reset_peak_memory_stats"),
    )
)
"""Calls that fail where torch has no CUDA, as on Apple's machines (torch/cuda/__init__.py)."""

JAX = frozenset({"jax", "flax", "optax", "equinox", "haiku"})
"""Packages of JAX, whose compiled functions take NumPy arrays and no tensors of torch.

Arguments of `jax.jit` are arrays, scalars and containers of them
(https://docs.jax.dev/en/latest/_autosummary/jax.jit.html).
"""
