"""The record that goes with a report: versions that measured and versions that computed."""

from __future__ import annotations

import pytest

from reportgen.report import MeasuredWith, Provenance

NOW = {"Python": "3.11.7", "numpy": "2.4.0", "matplotlib": "3.11"}
SAME = MeasuredWith({"Python": "3.11.7", "numpy": "2.4.0"}, 3)
OLD = MeasuredWith({"Python": "3.11.7", "numpy": "2.1.0"}, 4)
UNKNOWN = MeasuredWith({}, 5)


@pytest.mark.parametrize(
    ("parts", "mixed", "n_unknown", "elsewhere"),
    [
        ((), (), 0, False),
        ((SAME,), (), 0, False),
        ((OLD,), (), 0, True),
        ((OLD, SAME), ("numpy",), 0, True),
        ((UNKNOWN, SAME), (), 5, False),
    ],
)
def test_what_is_told_of_versions(
    parts: tuple[MeasuredWith, ...], mixed: tuple[str, ...], n_unknown: int, elsewhere: bool
) -> None:
    origin = Provenance("", "", NOW, "", "", {}, measured_with=parts)
    assert origin.mixed_packages == mixed
    assert origin.n_unknown == n_unknown
    assert origin.is_measured_elsewhere == elsewhere
