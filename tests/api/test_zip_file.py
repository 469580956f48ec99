"""Zip files: the same bytes for the same content, and refusals of what is not safe."""

from __future__ import annotations

import os
import stat
import zipfile
from collections.abc import Callable
from hashlib import sha256
from pathlib import Path

import pytest

from reportgen.api import zip_file
from reportgen.api.zip_file import DIGESTS, pack, unpack
from reportgen.errors import StudyError, WarehouseError

FILES: dict[str, Path | bytes] = {"a.txt": b"one", "b/c.txt": b"two" * 1000}


def entry(name: str, mode: int = stat.S_IFREG | 0o644) -> zipfile.ZipInfo:
    """Return a member with a mode."""
    found = zipfile.ZipInfo(name)
    found.external_attr = mode << 16
    return found


def rewritten(source: Path, target: Path, **changes: bytes | None) -> Path:
    """Copy a zip file with other contents of some members, by their stems; None leaves out."""
    with zipfile.ZipFile(source) as old, zipfile.ZipFile(target, "w") as new:
        for name in old.namelist():
            content = changes.get(Path(name).stem, old.read(name))
            if content is not None:
                new.writestr(name, content)
    return target


def test_what_is_packed_is_unpacked_and_has_its_digests(tmp_path: Path) -> None:
    file = pack(FILES, tmp_path / "x.zip")
    unpack(file, tmp_path / "out", "it")
    assert (tmp_path / "out/b/c.txt").read_bytes() == b"two" * 1000
    listed = (tmp_path / "out" / DIGESTS).read_text(encoding="utf-8")
    expected = {name: sha256(bytes(data)).hexdigest() for name, data in FILES.items()}  # type: ignore[arg-type]
    assert listed == "".join(f"{digest}  {name}\n" for name, digest in expected.items())


def test_a_file_of_version_0_1_without_digests_is_unpacked(tmp_path: Path) -> None:
    file = rewritten(pack(FILES, tmp_path / "x.zip"), tmp_path / "old.zip", SHA256SUMS=None)
    unpack(file, tmp_path / "out", "it")
    assert {path.name for path in (tmp_path / "out").iterdir()} == {"a.txt", "b"}


def test_a_name_that_claims_to_be_long_is_not_repeated(tmp_path: Path) -> None:
    file = pack(FILES, tmp_path / "x.zip")
    content = bytearray(file.read_bytes())
    content[27] ^= 8  # of the length of the first name
    file.write_bytes(content + bytes(4096))
    with pytest.raises(StudyError, match="File name in directory") as caught:
        unpack(file, tmp_path / "out", "it")
    assert len(str(caught.value)) < 500


@pytest.mark.parametrize(
    ("end", "fault"), [(b"  a.txt\n", "a file twice"), (b" *a.txt\n", "a line without a file")]
)
def test_a_file_with_two_digests_is_refused_and_a_digest_of_none(
    tmp_path: Path, end: bytes, fault: str
) -> None:
    file = pack(FILES, tmp_path / "x.zip")
    with zipfile.ZipFile(file) as archive:
        listing = archive.read(DIGESTS)
    odd = rewritten(file, tmp_path / "odd.zip", SHA256SUMS=b"0" * 64 + end + listing)
    with pytest.raises(WarehouseError, match=f"found {fault} in SHA256SUMS"):
        unpack(odd, tmp_path / "out", "it")


def test_neither_date_nor_order_nor_place_changes_a_byte(tmp_path: Path) -> None:
    place = tmp_path / "other"
    place.write_bytes(b"one")
    first = pack(FILES, tmp_path / "x.zip").read_bytes()
    second = pack({"b/c.txt": b"two" * 1000, "a.txt": place}, tmp_path / "y.zip").read_bytes()
    assert first == second


def _write(path: Path, *members: tuple[zipfile.ZipInfo | str, bytes]) -> None:
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, content in members:
            archive.writestr(name, content)


def _lie(path: Path, size: int) -> None:
    """Let a member claim another size, in both of its headers."""
    _write(path, ("a.txt", b"abcdefgh" * 64))
    data = path.read_bytes()
    true, claimed = (n.to_bytes(4, "little") for n in (512, size))
    assert data.count(true) == 2
    path.write_bytes(data.replace(true, claimed))


def _comment(path: Path) -> None:
    with zipfile.ZipFile(path, "a") as archive:
        archive.comment = b"hello"


def _double(path: Path, before: bytes) -> None:
    """Put bytes before a zip file, or the file itself."""
    content = pack(FILES, path).read_bytes()
    path.write_bytes((before or content) + content)


HOSTILE: dict[str, tuple[Callable[[Path], None], str]] = {
    "above": (lambda p: _write(p, ("../a", b"x")), "leads outside"),
    "absolute": (lambda p: _write(p, ("/etc/a", b"x")), "leads outside"),
    "program before": (lambda p: _double(p, b"#!/bin/sh\n"), "10 bytes before its first file"),
    "two in a row": (lambda p: _double(p, b""), "bytes before its first file"),
    "comment": (lambda p: _comment(pack(FILES, p)), "a comment, which has no digest"),
    "drive": (lambda p: _write(p, ("C:a", b"x")), "is no name of a file"),
    "backslash": (lambda p: _write(p, ("..\\a", b"x")), "leads outside"),
    "control": (lambda p: _write(p, ("a\nb", b"x")), "is no name of a file"),
    "link": (
        lambda p: _write(p, (entry("a", stat.S_IFLNK | 0o777), b"/etc/passwd")),
        "is a link or no file",
    ),
    "device": (lambda p: _write(p, (entry("a", stat.S_IFCHR | 0o666), b"")), "is a link or no"),
    "twice": (lambda p: _write(p, ("a.txt", b"1"), ("A.txt", b"2")), "is there twice"),
    "accent": (lambda p: _write(p, ("\u00e9", b"1"), ("e\u0301", b"2")), "is there twice"),
    "spelled": (lambda p: _write(p, ("a/b", b"1"), ("a/./b", b"2")), "is there twice"),
    "bomb": (lambda p: _write(p, ("a", bytes(60_000_000))), r"that become 60,000,000, more than"),
    "smaller": (lambda p: _lie(p, 100), "(CRC|another size)"),
    "larger": (lambda p: _lie(p, 5000), "(another size than it claims|CRC|truncated)"),
    "folder": (lambda p: _write(p, ("a", b"1"), ("a/b", b"2")), "File exists"),
    "long": (lambda p: _write(p, ("a" * 300, b"1")), "File name too long"),
    "none": (lambda p: p.write_bytes(b"PK none") and None, "not a zip file"),
}


@pytest.mark.parametrize("kind", HOSTILE)
def test_what_is_not_safe_is_refused_in_words(kind: str, tmp_path: Path) -> None:
    write, message = HOSTILE[kind]
    write(tmp_path / "x.zip")
    folder = tmp_path / "inner" / "out"
    folder.mkdir(parents=True)
    with pytest.raises(StudyError, match=rf"load: found .*x\.zip \((.*{message}.*)\); allowed it"):
        unpack(tmp_path / "x.zip", folder, "it")
    assert [path.name for path in (tmp_path / "inner").iterdir()] == ["out"]


def test_a_pipe_is_not_waited_for(tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "x.zip")
    with pytest.raises(StudyError, match=r"found .*x\.zip \(a pipe\); allowed it"):
        unpack(tmp_path / "x.zip", tmp_path / "out", "it")


def test_too_many_members_are_refused(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(zip_file, "MOST_MEMBERS", 2)
    with pytest.raises(StudyError, match="3 files, more than 2"):
        unpack(pack(FILES, tmp_path / "x.zip"), tmp_path / "out", "it")


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"a": b"other"}, r"found 'a\.txt', which is changed since"),
        ({"a": None}, r"a\.txt: found no such file"),
        ({"SHA256SUMS": b""}, r"which is not in SHA256SUMS"),
    ],
)
def test_what_has_changed_since_is_refused(
    change: dict[str, bytes | None], message: str, tmp_path: Path
) -> None:
    file = rewritten(pack(FILES, tmp_path / "x.zip"), tmp_path / "y.zip", **change)
    with pytest.raises(WarehouseError, match=message):
        unpack(file, tmp_path / "out", "it")


def test_what_was_there_stays_if_a_file_cannot_be_read(tmp_path: Path) -> None:
    file = tmp_path / "x.zip"
    file.write_bytes(b"old")
    with pytest.raises(FileNotFoundError):
        pack({"a": tmp_path / "none"}, file)
    assert file.read_bytes() == b"old"
    assert [path.name for path in tmp_path.iterdir()] == ["x.zip"]


def test_a_file_without_digests_is_told(tmp_path: Path, caplog: pytest.LogCaptureFixture) -> None:
    file = pack(FILES, tmp_path / "x.zip")
    unpack(file, tmp_path / "with", "it")
    assert not caplog.text
    unpack(rewritten(file, tmp_path / "y.zip", **{DIGESTS: None}), tmp_path / "out", "it")
    assert "without SHA256SUMS, as of version 0.1: what has been changed is not" in caplog.text
