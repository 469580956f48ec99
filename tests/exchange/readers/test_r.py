"""Files of R: made by R 4.2.2 itself (files/make.R), and broken here in every way."""

from __future__ import annotations

import builtins
import gzip
import lzma
import tracemalloc
from contextlib import suppress
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from reportgen.errors import ExchangeError
from reportgen.exchange.importing import Reading, import_results
from reportgen.exchange.readers import r as r_file
from reportgen.warehouse import Warehouse

# What R prints of bench[, , "Misclassification", "monks3"], replication by candidate.
MONKS3 = [[0.266, 0.908], [0.372, np.nan], [0.573, 0.898]]
TABLES = ("array.RData", "turned.rds", "view.rds")


def _read(path: Path, item: str = "") -> Warehouse:
    return import_results([path], Reading(item=item))


@pytest.mark.parametrize("name", TABLES)
def test_the_same_however_r_has_stored_it(files: Path, name: str) -> None:
    """Four ways, four ways in another order, and as viewAlgorithmPerformance() shows it."""
    warehouse = _read(files / name)
    assert warehouse.datasets == ("monks3", "Güte")
    assert warehouse.candidates == ("lda", "svm")
    assert [(m.name, m.better) for m in warehouse.measures] == [
        ("misclassification", "smaller"),
        ("time", "smaller"),
    ]
    found = warehouse.performances("monks3", "misclassification")
    assert found.replications.tolist() == [1, 2, 3]
    assert np.array_equal(found.values, MONKS3, equal_nan=True)
    assert warehouse.performances("Güte", "time").values.shape == (3, 2)


def test_a_data_frame_of_several_objects(files: Path) -> None:
    with pytest.raises(ExchangeError, match=r"found the tables view, plain; .*object: view"):
        _read(files / "frames.rda")
    with pytest.raises(ExchangeError, match=r"no object 'viw'; allowed view, plain; .* view\?"):
        _read(files / "frames.rda", "viw")
    plain = _read(files / "frames.rda", "plain").performances("frames", "misclassification")
    assert np.array_equal(plain.values, [[0.1, np.nan], [0.2, 0.4]], equal_nan=True)
    assert _read(files / "frames.rda", "view").candidates == ("lda", "svm")


def test_a_sequence_that_r_has_not_written_out(files: Path, tmp_path: Path) -> None:
    path = tmp_path / "sequence.rds"
    content = (files / path.name).read_bytes()
    path.write_bytes(content.replace(b"err", b"mse"))
    values = _read(path).performances("sequence", "mse").values
    assert values.tolist() == [[float(i) for i in range(1, 11)]]


def test_text_is_refused(files: Path) -> None:
    with pytest.raises(ExchangeError, match="without ascii = TRUE"):
        _read(files / "plain.rds")


def test_what_is_no_table_is_told(files: Path) -> None:
    with pytest.raises(ExchangeError, match="found no table in compiled; allowed an array"):
        _read(files / "compiled.rds")
    with pytest.raises(ExchangeError, match="found no table in other"):
        _read(files / "array.RData", "other")


def test_without_rdata_the_line_to_install_it(files: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    real = builtins.__import__

    def no_rdata(name: str, *args: Any, **options: Any) -> Any:
        if name.startswith("rdata"):
            raise ImportError(name)
        return real(name, *args, **options)

    monkeypatch.setattr(builtins, "__import__", no_rdata)
    with pytest.raises(ExchangeError, match=r"pip install 'reportgen-benchmark\[r\]'"):
        _read(files / "array.RData")


# --- files that lie -----------------------------------------------------------------------


def test_a_bomb_is_not_unpacked(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(r_file, "MOST_BYTES", 1 << 20)
    zeros = b"RDX3\nX\n" + bytes(8 << 20)
    for name, pack in (("a.RData", gzip.compress), ("b.RData", lzma.compress)):
        path = tmp_path / name
        path.write_bytes(pack(zeros))
        assert path.stat().st_size < 20_000
        with pytest.raises(ExchangeError, match="when unpacked; allowed less"):
            _read(path)
    tracemalloc.start()
    with pytest.raises(ExchangeError):
        r_file.read_r_table(tmp_path / "a.RData")
    most = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert most < 4 << 20  # of the 8 MiB that are in it


def test_packed_twice_is_not_unpacked_twice(files: Path, tmp_path: Path) -> None:
    path = tmp_path / "twice.RData"
    path.write_bytes(gzip.compress((files / "array.RData").read_bytes()))
    with pytest.raises(ExchangeError, match="no binary file of R"):
        _read(path)


@pytest.mark.parametrize(
    ("name", "honest", "lie", "said"),
    [
        # the number of elements of 1:10, as a double
        ("sequence.rds", b"\x40\x24" + bytes(6), b"\x42\x60" + bytes(6), "a sequence of 5.49"),
        # the number of shared parts of a compiled function
        ("compiled.rds", b"\x15\0\0\0\x01", b"\x15\x7f\xff\xff\xff", "2147483647 shared parts"),
        # the length of a vector of texts
        ("sequence.rds", b"\x10\0\0\0\x0a", b"\x10\x7f\xff\xff\xff", "cannot be read"),
    ],
)
def test_claims_of_size_are_not_believed(
    files: Path, tmp_path: Path, name: str, honest: bytes, lie: bytes, said: str
) -> None:
    content = (files / name).read_bytes()
    assert honest in content
    path = tmp_path / name
    path.write_bytes(content.replace(honest, lie, 1))
    with pytest.raises(ExchangeError, match=said):
        _read(path)


def test_deep_nesting_ends(tmp_path: Path) -> None:
    path = tmp_path / "deep.rds"
    head = b"X\n" + bytes([0, 0, 0, 2, 0, 4, 2, 2, 0, 2, 3, 0])
    path.write_bytes(head + b"\0\0\0\x13\0\0\0\x01" * 100_000)
    with pytest.raises(ExchangeError, match="nested too deeply"):
        _read(path)


@given(data=st.data())
def test_damage_is_an_error_or_a_table(files: Path, tmp_path: Path, data: st.DataObject) -> None:
    """Whatever a byte becomes: an ExchangeError, or results; nothing else, and at once."""
    content = bytearray(gzip.decompress((files / "array.RData").read_bytes()))
    for _ in range(data.draw(st.integers(1, 3))):
        content[data.draw(st.integers(0, len(content) - 1))] = data.draw(st.integers(0, 255))
    cut = data.draw(st.one_of(st.just(len(content)), st.integers(0, len(content))))
    path = tmp_path / "damaged.RData"
    path.write_bytes(bytes(content[:cut]))
    with suppress(ExchangeError):
        assert isinstance(_read(path, "bench"), Warehouse)
