"""Any zip file in place of a bundle: what was saved, or a refusal; no file elsewhere."""

from __future__ import annotations

import json
import stat
import warnings
import zipfile
from hashlib import sha256
from io import BytesIO
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import reportgen
from reportgen.api.zip_file import DIGESTS
from reportgen.errors import ReportgenError
from reportgen.provenance import DIGEST
from tests.fuzz.executions import FUZZ
from tests.fuzz.manifests import HOSTILE
from tests.fuzz.names import names
from tests.fuzz.outcome import answer, command, leaves
from tests.fuzz.trees import as_json, changed

Members = dict[str, bytes]
DISGUISES = (
    *("../out.txt", "/tmp/out.txt", "a/../../out.txt", "C:\\out.txt", "a\\..\\..\\out.txt", "con"),
    *("results.json/x", "report.html", "a" * 300, "a/" * 200, "\x00", "\u202e", "manifest.yaml"),
    *("~/.profile", "templates/html/report.html.j2", "plugin.py", "sitecustomize.py", "."),
)
"""Names of members that lead elsewhere, or that something may read."""
MODES = (stat.S_IFREG | 0o644, stat.S_IFLNK | 0o777, stat.S_IFREG | 0o4755, stat.S_IFIFO, 0)
COMPRESSIONS = (zipfile.ZIP_STORED, zipfile.ZIP_DEFLATED, zipfile.ZIP_BZIP2, zipfile.ZIP_LZMA)


@pytest.fixture(scope="module")
def bundle(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Return a file with a small study of two data sets."""
    rng = np.random.default_rng(1)
    values = {name: {c: rng.random(6).tolist() for c in "abc"} for name in ("one", "two")}
    study = reportgen.compare(values, measure="misclassification")
    return study.save(tmp_path_factory.mktemp("bundle") / "study.zip")


def members_of(path: Path) -> Members:
    with zipfile.ZipFile(path) as archive:
        return {entry.filename: archive.read(entry) for entry in archive.infolist()}


def with_digests(members: Members) -> Members:
    """Return members with the digests that they have, as somebody else could write them."""
    rest = {name: content for name, content in members.items() if name != DIGESTS}
    lines = "".join(f"{sha256(content).hexdigest()}  {name}\n" for name, content in rest.items())
    return {DIGESTS: lines.encode("utf-8", "surrogatepass")} | rest


def packed(members: list[tuple[str, bytes, int, int]]) -> bytes:
    """Return a zip file; names may be twice, and modes those of links."""
    out = BytesIO()
    with zipfile.ZipFile(out, "w") as archive:
        for name, content, mode, compression in members:
            entry = zipfile.ZipInfo(name or "x")
            entry.external_attr = mode << 16
            entry.compress_type = compression
            with warnings.catch_warnings():
                warnings.filterwarnings(
                    "ignore", "Duplicate name"
                )  # also by what zip files cut off
                archive.writestr(entry, content)
    return out.getvalue()


def opened(content: bytes) -> dict[str, Any] | None:
    """Render what a file holds; None where it is refused. Nothing is written beside its folders."""
    with TemporaryDirectory() as name:
        place = Path(name)
        file = place / "in" / "study.zip"
        file.parent.mkdir()
        file.write_bytes(content)
        found = command("report", file, "-o", place / "out", "--format", "json", places=PLACES)
        assert {path.name for path in place.iterdir()} <= {"in", "out"}
        assert [*file.parent.iterdir()] == [file]
        if found.exit_code:
            return None
        folder = next((place / "out").rglob("results.json")).parent
        return answer(folder)


PLACES = (
    *("study.zip", "study.yaml", "provenance", "parquet", "manifest", "results", "sections."),
    *("analysis.", "report.", "measures", "data set", "measure "),
)


@pytest.mark.slow
@FUZZ
@given(st.data())
def test_changed_bytes(bundle: Path, data: st.DataObject) -> None:
    """Bytes that differ, are gone or are twice: the same study, or a refusal."""
    content = bytearray(bundle.read_bytes())
    for _ in range(data.draw(st.integers(1, 4))):
        at = data.draw(st.integers(0, max(len(content) - 1, 0)))
        match data.draw(st.sampled_from(("flip", "cut", "insert", "end", "copy"))):
            case "flip" if at < len(content):
                content[at] ^= 1 << data.draw(st.integers(0, 7))
            case "cut":
                del content[at : at + data.draw(st.integers(1, 100))]
            case "insert":
                content[at:at] = data.draw(st.binary(min_size=1, max_size=20))
            case "end":
                del content[max(at, 1) :]
            case "copy":
                content += content[at : at + 500]
    found = opened(bytes(content))
    if found is not None:
        whole = opened(bundle.read_bytes())
        assert whole is not None
        assert dict(leaves(found["sections"])) == dict(leaves(whole["sections"]))


@FUZZ
@given(st.data())
def test_other_members(bundle: Path, data: st.DataObject) -> None:
    """Members with other names, modes and contents, and the digests of these."""
    whole = members_of(bundle)
    own = list(whole)
    for _ in range(data.draw(st.integers(1, 3))):
        name = data.draw(st.sampled_from(DISGUISES) | st.sampled_from(own) | names)
        match data.draw(st.sampled_from(("add", "drop", "swap", "bytes"))):
            case "add":
                whole[name] = data.draw(st.sampled_from((b"", b"x", b"{}", b"\x00" * 10_000)))
            case "drop":
                whole.pop(name, None)
            case "swap":
                other = data.draw(st.sampled_from(own))
                whole[name] = members_of(bundle)[other]
            case "bytes":
                whole[name] = data.draw(st.binary(max_size=200))
    if data.draw(st.booleans()):
        whole = with_digests(whole)
    modes, kinds = st.sampled_from(MODES), st.sampled_from(COMPRESSIONS)
    listed = [
        (name, content, data.draw(modes) if k < 2 else MODES[0], data.draw(kinds))
        for k, (name, content) in enumerate(data.draw(st.permutations(list(whole.items()))))
    ]
    with np.errstate(all="raise"):
        opened(_packed_or_nothing(listed))


def _packed_or_nothing(listed: list[tuple[str, bytes, int, int]]) -> bytes:
    try:
        return packed(listed)
    except (UnicodeEncodeError, ValueError):  # names that no zip file holds
        return b""


@FUZZ
@given(st.data())
def test_other_contents(bundle: Path, data: st.DataObject) -> None:
    """JSON and YAML of a bundle with other values, and the digests of these."""
    whole = members_of(bundle)
    name = data.draw(st.sampled_from([n for n in whole if n.endswith((".json", ".yaml"))]))
    text = whole[name].decode()
    if name.endswith(".json"):
        whole[name] = as_json(data.draw(changed(_without_digest(json.loads(text)))))
    else:
        lines = text.splitlines(keepends=True)
        at = data.draw(st.integers(0, len(lines) - 1))
        key, colon, _ = lines[at].partition(": ")
        value = data.draw(st.sampled_from([repr(x) for x in HOSTILE]) | names)
        lines[at] = f"{key}: {value}\n" if colon else data.draw(st.text(max_size=30)) + "\n"
        whole[name] = "".join(lines).encode("utf-8", "surrogatepass")
    opened(packed([(n, c, MODES[0], 8) for n, c in with_digests(whole).items()]))


def _without_digest(tree: Any) -> Any:
    """Leave out the digest that a provenance has of itself, as those of version 0.1 do."""
    return {key: value for key, value in tree.items() if key != DIGEST}


def test_what_was_saved_is_what_is_opened(bundle: Path) -> None:
    """A file without a change has an answer, so that these tests do not try refusals alone."""
    assert opened(bundle.read_bytes()) is not None
    assert opened(packed([(n, c, MODES[0], 8) for n, c in members_of(bundle).items()])) is not None
    with pytest.raises(ReportgenError, match="allowed"):
        reportgen.load(bundle.parent / "nothing.zip")
