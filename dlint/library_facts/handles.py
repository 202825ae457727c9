"""Open files and databases: what happens to them when workers start."""

from __future__ import annotations

from typing import NamedTuple


class Handle(NamedTuple):
    """A kind of open file or database.

    `what` is said of it, `forked` what comes of it in workers that are started by fork;
    `breaks_forked` says that samples are wrong or workers hang then, rather than that its library
    forbids it; `is_picklable` that a pickled copy opens the file anew.
    """

    what: str
    forked: str
    breaks_forked: bool = False
    is_picklable: bool = False


_OFFSET = "share its one file offset and read from where another has moved it"
_HDF5 = Handle("an HDF5 file", "share a handle that HDF5 does not support across fork")
_LMDB = Handle("an LMDB environment", "use an environment that LMDB forbids to take across fork")
_SQLITE = Handle("an SQLite connection", "use a connection that SQLite forbids to take across fork")
_PYSAM = Handle("an open pysam file", _OFFSET, breaks_forked=True)
_VIDEO = Handle("an open video", _OFFSET, breaks_forked=True)
_DECODED = Handle(
    "an open video", "wait for threads of its decoder that a fork does not copy", breaks_forked=True
)
_ZIP = Handle("an open zip archive", _OFFSET, breaks_forked=True)

_POOL = "share its open connections"
_CONNECTION = Handle("a database connection", "share its socket and read one another's answers")

FILE = Handle("an open file", _OFFSET, breaks_forked=True)

ARCHIVE = Handle("an open `.npz` archive", _OFFSET, breaks_forked=True)
"""What `numpy.load` gives of several arrays: a zip archive that is read by the name of an array."""

HANDLES: dict[str, Handle] = {
    "builtins.open": FILE,
    "io.open": FILE,
    "gzip.open": FILE,
    "bz2.open": FILE,
    "lzma.open": FILE,
    "codecs.open": FILE,
    "zipfile.ZipFile": _ZIP,
    "zarr.ZipStore": _ZIP._replace(is_picklable=True),
    "zarr.storage.ZipStore": _ZIP._replace(is_picklable=True),
    "tarfile.open": Handle("an open tar archive", _OFFSET, breaks_forked=True),
    "tarfile.TarFile": Handle("an open tar archive", _OFFSET, breaks_forked=True),
    "tarfile.TarFile.open": Handle("an open tar archive", _OFFSET, breaks_forked=True),
    "h5py.File": _HDF5,
    "tables.open_file": _HDF5,
    "netCDF4.Dataset": _HDF5,
    "h5netcdf.File": _HDF5,
    "pandas.HDFStore": _HDF5,
    "lmdb.open": _LMDB,
    "lmdb.Environment": _LMDB,
    "sqlite3.connect": _SQLITE,
    "rasterio.open": Handle("an open raster file", "share one handle and its file offset"),
    "cv2.VideoCapture": _DECODED,
    "decord.VideoReader": _DECODED,
    "decord.AVReader": _DECODED,
    "av.open": _VIDEO,
    "pysam.AlignmentFile": _PYSAM,
    "pysam.FastaFile": _PYSAM,
    "pysam.VariantFile": _PYSAM,
    "psycopg2.connect": _CONNECTION,
    "psycopg.connect": _CONNECTION,
    "pymysql.connect": _CONNECTION,
    "MySQLdb.connect": _CONNECTION,
    "mysql.connector.connect": _CONNECTION,
    "pymongo.MongoClient": Handle("a MongoDB client", _POOL),
    "pymongo.mongo_client.MongoClient": Handle("a MongoDB client", _POOL),
    "boto3.client": Handle("an AWS client", _POOL),
}
"""What opens a handle, by path.

Seen with CPython 3.11, h5py 3.16, PyTables 3.11, netCDF4 1.7, h5netcdf 1.8, pandas 3.1, rasterio
1.4, OpenCV 5.0, decord 0.6, PyAV 18.1, pysam 0.24, py-lmdb 1.7 and 3.0, zarr 3.1: none but zarr's
can be pickled. In forked workers files, archives, pysam's and PyAV's files gave wrong samples;
OpenCV's and decord's readers, used before the fork, hung."""

HOLDING = frozenset({"zarr.group", "zarr.open", "zarr.open_group", "zarr.open_array"})
"""Functions whose result holds on to the handle that it is given."""

GROUPS = frozenset({"zarr.group", "zarr.open_group", "netCDF4.Dataset", "h5netcdf.File"})
"""Functions whose result gives arrays by their names, each of which holds on to the handle and
reads when it is sliced."""

PARTS = frozenset({"begin", "cursor"})
"""Methods of a handle that give a part of it, with the same bounds."""
