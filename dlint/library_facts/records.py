"""What gives one Python object, or several, for each record of a file."""

from __future__ import annotations

from enum import StrEnum


class Records(StrEnum):
    """What a dataset keeps for each of its samples, in the words of a message."""

    JSON = "parsed JSON"
    LINES = "lines of a text file"
    ROWS = "rows of a table"
    ARRAY = "a NumPy array of objects"


READERS = {
    "json.load": Records.JSON,
    "json.loads": Records.JSON,
    "ujson.load": Records.JSON,
    "orjson.loads": Records.JSON,
    "csv.reader": Records.ROWS,
    "csv.DictReader": Records.ROWS,
    "jsonlines.open": Records.JSON,
    "builtins.open": Records.LINES,
    "io.open": Records.LINES,
    "codecs.open": Records.LINES,
    "gzip.open": Records.LINES,
}
"""Library callables whose result, or whose elements, are records."""

LAZY = frozenset({"csv.reader", "csv.DictReader", "jsonlines.open"}) | frozenset(
    path for path, records in READERS.items() if records is Records.LINES
)
"""Those that have to be run through before anything is kept."""

METHODS = {"readlines": Records.LINES, "splitlines": Records.LINES, "to_dict": Records.ROWS}
"""Methods of files, texts and tables that give a list of records."""

COLLECTING = frozenset({"builtins.list", "builtins.tuple", "builtins.sorted", "builtins.dict"})
OBJECT_ARRAYS = frozenset({"numpy.array", "numpy.asarray"})
"""Functions that make an array of Python objects where `dtype` asks for one."""

TAKING_ALL = frozenset({"extend", "update"})
"""Methods of containers that run through what they are given."""

HANDING_ON = frozenset({"builtins.enumerate", "builtins.iter", "tqdm.tqdm", "tqdm.auto.tqdm"})

COMPACT = frozenset({"torch", "numpy", "PIL", "cv2", "pandas", "pyarrow"})
"""Libraries that make one buffer of a record: its pages stay shared."""

CONVERTING = frozenset({"long", "float", "half", "double", "numpy", "to_numpy"})
"""Methods of tensors, arrays and tables that give a tensor or an array."""

NUMBERS = frozenset({"builtins.int", "builtins.float", "builtins.bool", "builtins.len"})
