"""Open files and databases: what happens to them when workers start."""

from __future__ import annotations

from typing import NamedTuple


class Handle(NamedTuple):
    """A kind of open file or database.

    `what` is said of it, `forked` what comes of it in workers that are started by fork;
    `breaks_forked` says that samples are wrong then, rather than that its library forbids it.
    """

    what: str
    forked: str
    breaks_forked: bool = False


_OFFSET = "share its one file offset and read from where another has moved it"
_HDF5 = Handle("an HDF5 file", "share a handle that HDF5 does not support across fork")
_LMDB = Handle("an LMDB environment", "use an environment that LMDB forbids to take across fork")
_SQLITE = Handle("an SQLite connection", "use a connection that SQLite forbids to take across fork")
_PYSAM = Handle("an open pysam file", _OFFSET)
_VIDEO = Handle("an open video", "share one decoder's file and position")

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
    "zipfile.ZipFile": Handle("an open zip archive", _OFFSET, breaks_forked=True),
    "zarr.ZipStore": Handle("an open zip archive", _OFFSET, breaks_forked=True),
    "zarr.storage.ZipStore": Handle("an open zip archive", _OFFSET, breaks_forked=True),
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
    "cv2.VideoCapture": _VIDEO,
    "decord.VideoReader": _VIDEO,
    "decord.AVReader": _VIDEO,
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
"""What opens a handle, by path (CPython 3.11, h5py 3.16, py-lmdb 1.7 and 3.0: it cannot be
pickled; wrong samples were seen with files and archives only)."""

HOLDING = frozenset({"zarr.group", "zarr.open", "zarr.open_group", "zarr.open_array"})
"""Functions whose result holds on to the handle that it is given."""

PARTS = frozenset({"begin", "cursor"})
"""Methods of a handle that give a part of it, with the same bounds."""
