"""Defaults of functions whose decorators may give them other arguments."""

from __future__ import annotations

import pytest

from tests.semantics.asked import denoted, evaluated

LIBRARY = """
import gin

@gin.configurable
def build(workers=0):
    reveal(workers)

build()
"""
BOUND = LIBRARY.replace("@gin.configurable", "@gin.configurable('build')")
OF_CLASS = """
import gin

@gin.configurable
class Data:
    def __init__(self, workers=0):
        reveal(workers)

Data()
"""
FROM_SETTINGS = """
import functools

def configurable(make):
    def decorate(function):
        @functools.wraps(function)
        def wrapped(*args, **kwargs):
            if args:
                chosen = make(args[0])
                return function(**chosen)
            return function(*args, **kwargs)
        return wrapped
    return decorate

def settings(cfg):
    return {"workers": cfg.WORKERS}

@configurable(settings)
def build(workers=0):
    reveal(workers)

build()
"""
CHANGED = """
def with_settings(function):
    def wrapped(**kwargs):
        kwargs.setdefault("workers", 4)
        return function(**kwargs)
    return wrapped

@with_settings
def build(workers=0):
    reveal(workers)

build()
"""
HANDING_ON = """
import functools
import time

def timed(function):
    @functools.wraps(function)
    def wrapped(*args, **kwargs):
        begin = time.time()
        result = function(*args, **kwargs)
        print(time.time() - begin)
        return result
    return wrapped

@timed
def build(workers=0):
    reveal(workers)

build()
"""
REGISTERED = """
LOADERS = {}

def register(name):
    def decorate(function):
        LOADERS[name] = function
        return function
    return decorate

@register("plain")
def build(workers=0):
    reveal(workers)

build()
"""


@pytest.mark.parametrize("text", [LIBRARY, BOUND, OF_CLASS, FROM_SETTINGS, CHANGED])
def test_a_decorator_that_fills_in_arguments_leaves_defaults_unknown(text: str) -> None:
    assert denoted(text) == evaluated(text) == [{"?"}]


@pytest.mark.parametrize("text", [HANDING_ON, REGISTERED])
def test_a_decorator_that_hands_arguments_on_leaves_defaults_alone(text: str) -> None:
    assert denoted(text) == [{"0"}]
    assert evaluated(text) == [{"~0"}]


def test_what_a_call_gives_is_known_all_the_same() -> None:
    text = LIBRARY.replace("build()", "build(workers=2)")
    assert denoted(text) == evaluated(text) == [{"2"}]
