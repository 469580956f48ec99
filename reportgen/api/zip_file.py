"""Zip files with a digest of each member: the same content gives the same bytes.

`pack` writes one. `unpack` reads one of anybody: what leads outside, links, claims a wrong size,
grows without measure or differs from its digest is refused.
"""

from __future__ import annotations

import errno
import logging
import stat
import zipfile
from collections.abc import Mapping
from hashlib import file_digest, sha256
from pathlib import Path, PurePosixPath
from typing import IO
from unicodedata import normalize

from reportgen.errors import StudyError, WarehouseError
from reportgen.file_reading import kind_fault
from reportgen.file_writing import replacement
from reportgen.study.errors import message_of, shown

log = logging.getLogger(__name__)
DIGESTS = "SHA256SUMS"
"""The member with the digests, as `sha256sum --check` reads it."""

MOST_BYTES = 4_000_000_000  # unpacked: a small file may claim any size
MOST_RATIO = 200  # of unpacked to packed bytes; text has up to 30
LEAST_BYTES = 50_000_000  # that may have any ratio
MOST_MEMBERS = 100_000
BLOCK = 1 << 20
DATE = (1980, 1, 1, 0, 0, 0)  # the first that a zip file can have
MODE = stat.S_IFREG | 0o644
ENCRYPTED = 0x1
DRIVE = ":"
NO_PLACE = (errno.EEXIST, errno.EISDIR, errno.ENOTDIR, errno.ENAMETOOLONG)
"""Errors of names: two that are folder and file, or one that is too long."""


def pack(files: Mapping[str, Path | bytes], destination: Path) -> Path:
    """Write files, and the digest of each, into a zip file.

    Parameters
    ----------
    files : mapping of str to Path or bytes
        By path within the zip file, with slashes.
    destination : Path
        What was there stays if something fails.

    Raises
    ------
    StudyError
        If `unpack` would refuse the name of a file.
    """
    names = sorted(files)
    for name in names:
        if _name_fault(name, name):
            raise StudyError(
                f"{destination}: found the name {shown(name)}; allowed in a zip file are names "
                "without colons, backslashes and control characters"
            )
    lines = (f"{_digest(files[name])}  {name}\n" for name in names)
    with (
        replacement(destination) as temporary,
        zipfile.ZipFile(temporary, "w", zipfile.ZIP_DEFLATED) as archive,
    ):
        _add(archive, DIGESTS, "".join(lines).encode())
        for name in names:
            content = files[name]
            _add(archive, name, content if isinstance(content, bytes) else content.read_bytes())
    return destination


def _add(archive: zipfile.ZipFile, name: str, content: bytes) -> None:
    """Add a member without the date, the owner and the system of its file."""
    entry = zipfile.ZipInfo(name, DATE)
    entry.create_system = 3  # else that of the writing system
    entry.external_attr = MODE << 16
    entry.compress_type = zipfile.ZIP_DEFLATED
    archive.writestr(entry, content)


def _digest(content: Path | bytes) -> str:
    if isinstance(content, bytes):
        return sha256(content).hexdigest()
    with content.open("rb") as file:
        return file_digest(file, "sha256").hexdigest()


def unpack(path: Path, folder: Path, allowed: str) -> None:
    """Unpack a zip file, and compare its members with their digests.

    Parameters
    ----------
    path : Path
        Of whatever origin.
    folder : Path
        An empty one.
    allowed : str
        What an error says is allowed.

    Raises
    ------
    StudyError
        If it is no zip file, is damaged or is not safe to unpack.
    WarehouseError
        If a member is not what it was when the file was written.
    """
    if fault := kind_fault(path):  # a pipe would be waited for
        raise StudyError(f"load: found {path} ({fault}); allowed {allowed}")
    try:
        with zipfile.ZipFile(path) as archive:
            members = [entry for entry in archive.infolist() if not entry.is_dir()]
            fault = _outer_fault(archive) or _fault(members, path.stat().st_size)
            digests = {} if fault else _extract_all(archive, members, folder)
    except Exception as error:  # what is damaged raises errors of zlib, of lzma, of anything
        if isinstance(error, OSError) and error.errno not in NO_PLACE and error.filename:
            raise
        fault = getattr(error, "strerror", None) or message_of(error) or type(error).__name__
    if fault:
        raise StudyError(f"load: found {path} ({fault}); allowed {allowed}")
    if DIGESTS in digests:
        _check(path, folder / DIGESTS, digests)
    else:
        log.warning(
            "%s: without %s, as of version 0.1: what has been changed is not found", path, DIGESTS
        )


def _outer_fault(archive: zipfile.ZipFile) -> str:
    """Say what of a zip file is no member, which others may read; empty if nothing."""
    if archive.comment:
        return "a comment, which has no digest"
    if first := min((entry.header_offset for entry in archive.infolist()), default=0):
        return f"{first:,} bytes before its first file"
    return ""


def _fault(members: list[zipfile.ZipInfo], n_packed: int) -> str:
    """Say why members are not unpacked; empty where they can be."""
    if len(members) > MOST_MEMBERS:
        return f"{len(members):,} files, more than {MOST_MEMBERS:,}"
    n_bytes = sum(entry.file_size for entry in members)
    most = min(MOST_BYTES, max(LEAST_BYTES, MOST_RATIO * n_packed))
    if n_bytes > most:
        return f"{n_packed:,} bytes that become {n_bytes:,}, more than {most:,} bytes"
    places: set[str] = set()
    for entry in members:
        name = PurePosixPath(entry.filename)
        if fault := _name_fault(entry.filename, entry.orig_filename):
            return f"{shown(entry.orig_filename)} {fault}"
        if stat.S_IFMT(entry.external_attr >> 16) not in (0, stat.S_IFREG):
            return f"{shown(entry.filename)} is a link or no file"
        if entry.flag_bits & ENCRYPTED:
            return f"{shown(entry.filename)} is encrypted"
        place = normalize("NFC", str(name)).casefold()  # as some systems tell names apart
        if place in places:
            return f"{shown(entry.filename)} is there twice"
        places.add(place)
    return ""


def _name_fault(name: str, written: str) -> str:
    """Say why a name is not unpacked; empty where it can be."""
    path = PurePosixPath(name)
    if path.is_absolute() or ".." in path.parts or "\\" in written:
        return "leads outside"
    return "" if name.isprintable() and DRIVE not in name else "is no name of a file"


def _extract_all(
    archive: zipfile.ZipFile, members: list[zipfile.ZipInfo], folder: Path
) -> dict[str, str]:
    """Write all members, and return their digests."""
    digests = {}
    for entry in members:
        place = folder / entry.filename
        place.parent.mkdir(parents=True, exist_ok=True)
        with archive.open(entry) as source, place.open("wb") as target:
            digests[entry.filename] = _copy(source, target, entry)
    return digests


def _copy(source: IO[bytes], target: IO[bytes], entry: zipfile.ZipInfo) -> str:
    """Copy a member as far as its size goes, and return its digest."""
    digest, n_bytes = sha256(), 0
    while block := source.read(BLOCK):
        n_bytes += len(block)
        if n_bytes > entry.file_size:
            break
        digest.update(block)
        target.write(block)
    if n_bytes != entry.file_size:
        raise ValueError(f"{shown(entry.filename)} has another size than it claims")
    return digest.hexdigest()


def _check(path: Path, listing: Path, digests: Mapping[str, str]) -> None:
    """Compare the digests of members with those that were written down."""
    lines = listing.read_text(encoding="utf-8", errors="replace").splitlines()
    listed = {name: digest for digest, _, name in (line.partition("  ") for line in lines)}
    if "" in listed or len(listed) < len(lines):  # `sha256sum --check` would refuse one of two
        fault = "a line without a file" if "" in listed else "a file twice"
        raise WarehouseError(
            f"{path}: found {fault} in {DIGESTS}; allowed what bundle or save() has written"
        )
    for name, digest in digests.items():
        if name != DIGESTS and listed.get(name) != digest:
            change = "changed since" if name in listed else f"not in {DIGESTS}"
            raise WarehouseError(
                f"{path}: found {shown(name)}, which is {change}; allowed what bundle or save() "
                "has written"
            )
    if missing := [name for name in listed if name not in digests]:
        raise WarehouseError(
            f"{path}: {missing[0]}: found no such file; allowed all that {DIGESTS} lists"
        )
