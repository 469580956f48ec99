"""How often a report calls our functions grows as data sets do, and not as their square."""

from __future__ import annotations

import cProfile
import pstats
from pathlib import Path

import pytest

import reportgen as rg
from benchmarks.growth import write_results

ROOT = Path(rg.__file__).parent
FEW = 2_000  # calls that cost nothing yet
MOST = 2.6  # times as many, of twice the data sets


def calls(shape: str, folder: Path) -> dict[str, int]:
    """Return how often a report of a shape calls each of our functions."""
    folder.mkdir()
    write_results(shape, folder / "results.csv")
    profile = cProfile.Profile()
    with profile:
        study = rg.run(folder / "results.csv", folder / "output")
        study.report(formats=["html", "json"])
    return {
        f"{Path(place).relative_to(ROOT)}:{line} {name}": n
        for (place, line, name), (_, n, *_) in vars(pstats.Stats(profile))["stats"].items()
        if Path(place).is_relative_to(ROOT)
    }


@pytest.mark.slow
def test_no_function_is_called_for_each_pair_of_data_sets(tmp_path: Path) -> None:
    before, after = calls("6x20x4", tmp_path / "20"), calls("6x40x4", tmp_path / "40")
    found = {name: (before.get(name, 0), n) for name, n in after.items() if n >= FEW}
    assert len(found) > 10
    assert not {k: (m, n) for k, (m, n) in found.items() if n > MOST * max(m, FEW / 2)}
