"""trajectory.h5 as read by Scree's own readers: with its journal, and also while a run writes to it."""

from __future__ import annotations

import io
import os
import struct
import time
import zlib
from pathlib import Path
from typing import Any, Callable, Dict, Optional, Tuple, TypeVar

from .errors import ReadError

_T = TypeVar("_T")
_PAGE = 4096
_HEAD = struct.Struct("=8sQQ")  # magic, number of pages, CRC-32 of the rest; native byte order
_ENTRY = 8 + _PAGE  # number of a page in the file, and the page
_AT_REST = 10.0  # s: a file without changes for this time is damaged
_PATIENCE = 1.0  # s: a frame is written within milliseconds


def read(path: Path, reading: Callable[[Any], _T]) -> _T:
    """The result of a function that reads the file. The file is opened for it and closed again. If a run is just
    writing a frame, the function is called again. Raises ReadError if the file is missing or damaged."""
    try:
        import h5py
    except ImportError as error:
        raise ImportError("results need h5py (Debian: python3-h5py; pip: h5py)") from error
    if not path.exists():
        raise ReadError(f"{path} is missing: the scene has output.hdf5 = false")
    started, pause, attempts = time.monotonic(), 0.001, 0
    while True:
        attempts += 1
        try:
            with open(path, "rb") as plain:
                pages = pages_of_journal(path)
                with h5py.File(_WithPages(plain, pages) if pages else path, "r") as file:
                    return reading(file)
        except (OSError, RuntimeError, KeyError, ValueError, IndexError) as error:
            at_rest = not path.exists() or time.time() - path.stat().st_mtime > _AT_REST
            if attempts >= 2 and (at_rest or time.monotonic() - started > _PATIENCE):
                words = error.args[0] if isinstance(error, KeyError) and error.args else error
                raise ReadError(f"cannot read {path}: {words}") from error
        time.sleep(pause)
        pause = min(2 * pause, 0.064)


def stamp(path: Path) -> Optional[Tuple[int, ...]]:
    """A value that changes when the file or its journal does; None if there is no file."""
    try:
        file = path.stat()
    except FileNotFoundError:
        return None
    try:
        journal = Path(f"{path}.journal").stat()
    except FileNotFoundError:
        return (file.st_mtime_ns, file.st_size)
    return (file.st_mtime_ns, file.st_size, journal.st_mtime_ns, journal.st_size)


def pages_of_journal(path: Path) -> Dict[int, bytes]:
    """The pages that a killed run had not yet written into its file, by their numbers. Empty if the journal is
    incomplete: then the file was not changed (io/files/journaled_file.cpp)."""
    try:
        data = Path(f"{path}.journal").read_bytes()
    except FileNotFoundError:
        return {}
    if len(data) < _HEAD.size:
        return {}
    magic, count, checksum = _HEAD.unpack_from(data)
    body = memoryview(data)[_HEAD.size:]
    if magic != b"ScreeJ01" or len(body) != count * _ENTRY or zlib.crc32(body) != checksum:
        return {}
    starts = range(0, len(body), _ENTRY)
    return {struct.unpack_from("=Q", body, start)[0]: bytes(body[start + 8:start + _ENTRY]) for start in starts}


class _WithPages(io.RawIOBase):
    """A file with some pages replaced."""

    def __init__(self, file: io.BufferedReader, pages: Dict[int, bytes]):
        self._file, self._pages, self._at = file, pages, 0
        self._size = os.fstat(file.fileno()).st_size

    def readable(self) -> bool:
        return True

    def seekable(self) -> bool:
        return True

    def seek(self, offset: int, whence: int = os.SEEK_SET) -> int:
        self._at = offset + {os.SEEK_SET: 0, os.SEEK_CUR: self._at, os.SEEK_END: self._size}[whence]
        return self._at

    def tell(self) -> int:
        return self._at

    def readinto(self, into: Any) -> int:
        view = memoryview(into).cast("B")
        size = max(min(len(view), self._size - self._at), 0)
        data = bytearray(os.pread(self._file.fileno(), size, self._at))
        end = self._at + len(data)
        for number in range(self._at // _PAGE, (end + _PAGE - 1) // _PAGE):
            page = self._pages.get(number)
            if page is not None:
                start, stop = max(self._at, number * _PAGE), min(end, (number + 1) * _PAGE)
                data[start - self._at:stop - self._at] = page[start - number * _PAGE:stop - number * _PAGE]
        view[:len(data)] = data
        self._at = end
        return len(data)


def whole_frames(offset: Any, frames: int, rows: int) -> Any:
    """The ends of the lists of the first frames, [frame + 1]. A killed run may leave frames with incomplete lists, or
    with ends that are not written yet and so are zero: these frames are cut off."""
    offset = offset[:frames + 1]
    if offset.any():
        offset = offset[:int(offset.nonzero()[0][-1]) + 1]
    while len(offset) > 1 and offset[-1] > rows:
        offset = offset[:-1]
    return offset
