"""Texts that the tests of the server have open."""

from __future__ import annotations

BAD = """\
import torch
from torch.utils.data import DataLoader, RandomSampler, TensorDataset


def load(dataset: TensorDataset) -> DataLoader:
    return DataLoader(dataset, shuffle=True, sampler=RandomSampler(dataset))


def train(dataset: TensorDataset, model) -> None:
    loader = DataLoader(dataset, 8, num_workers=2, pin_memory=True)
    for x, y in loader:
        x, y = x.cuda(), y.cuda()
        loss = model(x, y)
        loss.backward()
"""
"""A call that raises, and copies that wait; both fixes are safe."""
RAISES, WAITS = "DLT201", "DLT301"
CALL, COPY, LOADER = 5, 11, 9
"""The lines of the call, of the copies, and of a loader with which nothing is wrong."""

FIXED = BAD.replace("shuffle=True, ", "").replace(".cuda()", ".cuda(non_blocking=True)")
