"""States of classes in programs that tests write."""

from __future__ import annotations

from collections.abc import Callable, Mapping

import pytest

from dlint.analyses.context import AnalysisContext
from dlint.analyses.object_state.state import ObjectState, ObjectStates

MakeProgram = Callable[[str | Mapping[str, str]], AnalysisContext]

HEAD = """
import csv, h5py, json, nibabel, threading
import numpy as np
import cv2, rasterio, torch
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field
from PIL import Image
from tqdm import tqdm
from torch.utils.data import Dataset
"""


@pytest.fixture
def state(context: MakeProgram) -> Callable[..., ObjectState]:
    """The state of the class `Rows` of a program, which may have more files."""

    def make(text: str, **more: str) -> ObjectState:
        files = {"main.py": HEAD + text} | {f"{name}.py": body for name, body in more.items()}
        analysed = context(files)
        classes = [c for f in analysed.modules for c in f.module.classes if c.name == "Rows"]
        return analysed[ObjectStates].of(classes[0])

    return make


@pytest.fixture
def made(state: Callable[..., ObjectState]) -> Callable[..., ObjectState]:
    """The state of a class with a constructor of this body, and more code around it."""

    def make(body: str, more: str = "", **files: str) -> ObjectState:
        inner = body.replace("\n", "\n        ")
        head = "class Rows(Dataset):\n    def __init__(self, path, paths, rows):"
        return state(f"{head}\n        {inner}\n{more}", **files)

    return make
