"""NumPy calls that join the samples of a batch, and those that leave what was joined an array."""

from __future__ import annotations

import re

from dlint.findings.regexes import lazily

JOINING = frozenset(
    f"numpy.{name}" for name in ("stack", "vstack", "hstack", "dstack", "concatenate")
)
"""Library callables that make one array of many."""

GATHERING = frozenset({"numpy.array", "numpy.asarray"})
"""Library callables that make one array of a list: of arrays, if it holds them."""

KEEPING = frozenset({"astype", "copy", "reshape", "transpose", "squeeze", "swapaxes", "clip"})
"""Methods whose result is an array again, of as many numbers."""

SMALL = lazily(
    r"(^|_)(label|target|class|id|idx|ind|index|indice|len|length|size|shape|score|name|offset|"
    r"count|num|mask|reward|done|action|lens|ids|time|path|file|filename|url|text|caption)"
    r"(s|es)?($|_)",
    re.I,
)
"""Names of parts of a batch that hold a number or two, or a text, for each sample."""
