"""No interval that has a width is written as two equal numbers."""

from __future__ import annotations

import random
import re
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
from click.testing import CliRunner

from reportgen.cli import main
from reportgen.notation import MOST_MORE, RATIOS, NumberFormat, number, number_format
from reportgen.performance_measure import Measure
from tests.builders import COLUMNS

N = 4000
TIME = Measure("fit-time", unit_symbol="s")
BOUND = r"[−\d][\d.,]*(?:e−?\d+)?"
INTERVAL = re.compile(rf"(?<![\w.])({BOUND}) to ({BOUND})(?![\w])")


def draw_interval(rng: random.Random) -> tuple[float, float]:
    """Return bounds of any size that differ by more than rounding."""
    lower = rng.choice([-1.0, 0.0, 1.0, 1.0]) * 10 ** rng.uniform(-40, 40)
    width = 10 ** rng.uniform(-8.9, 3) * (abs(lower) or 10 ** rng.uniform(-40, 40))
    return lower, lower + width


@pytest.mark.parametrize("is_ratio", [False, True])
def test_bounds_that_differ_are_written_so(is_ratio: bool) -> None:
    rng = random.Random(4)
    for _ in range(N):
        at = NumberFormat(10.0 ** rng.randint(-3, 3), "", "", rng.randint(0, 12), is_ratio)
        lower, upper = draw_interval(rng)
        for text in (at.interval(lower, upper), at.difference_interval(lower, upper)):
            first, second = text.split(" to ")
            assert first != second


def test_bounds_that_do_not_differ_have_the_digits_of_the_scale() -> None:
    at = NumberFormat(100.0, "%", "pp", 2)
    assert at.interval(0.1, 0.1) == "10.00 to 10.00"
    assert at.interval(0.1, 0.1 * (1 + 1e-12)) == "10.00 to 10.00"
    assert at.interval(0.1, None) == "10.00 to –"
    assert RATIOS.difference_interval(1.5, 1.5) == "1.50 to 1.50"


def test_the_scale_follows_the_intervals() -> None:
    usual = number_format(TIME, (10.2, 140.0))
    assert usual.value(10.2) == "10"
    narrow = number_format(TIME, (10.2, 140.0), intervals=[(10.1, 10.3), (130.0, 150.0)])
    assert (narrow.value(10.2), narrow.interval(10.1, 10.3)) == ("10.2", "10.1 to 10.3")
    assert number_format(TIME, (10.2, 140.0), intervals=[(8.0, 12.0)]) == usual
    assert number_format(TIME, (10.2, 140.0), intervals=[(10.2, 10.2)]) == usual
    finest = number_format(TIME, (10.2, 140.0), intervals=[(10.2, 10.2 + 10**-MOST_MORE)])
    assert finest.decimals == usual.decimals + MOST_MORE
    assert (
        number_format(TIME, (10.2, 140.0), intervals=[(10.2, 10.2000001)]) == usual
    )  # has its own


def narrow_results(file: Path, n_replications: int) -> Path:
    """Write three candidates whose times differ much and vary little, as does one's error."""
    rng = np.random.default_rng(5)
    rows = []
    for name, error, time in (("a", 0.2, 10.2), ("b", 0.25, 140.1), ("c", 0.3, 1400.3)):
        for r in range(n_replications):
            rows.append(("d", r + 1, name, "misclassification", error + rng.normal(0, 1e-5)))
            rows.append(("d", r + 1, name, "fit-time", time + rng.normal(0, 0.05)))
    pd.DataFrame(rows, columns=COLUMNS).to_csv(file, index=False)
    return file


@pytest.mark.slow
@pytest.mark.parametrize("n_replications", [6, 25])
def test_no_interval_of_a_report_has_equal_ends(n_replications: int, tmp_path: Path) -> None:
    file = narrow_results(tmp_path / "narrow.csv", n_replications)
    words = ["run", str(file), "--output", str(tmp_path), "--format", "html,md"]
    answer = CliRunner().invoke(main, [*words, "--length", "full"], catch_exceptions=False)
    assert answer.exit_code == 0, answer.stderr
    text = (tmp_path / "narrow" / "report.html").read_text(encoding="utf-8")
    body = re.sub(r"<style.*?</style>|<script.*?</script>", "", text, flags=re.DOTALL)
    plain = re.sub(r"<[^>]+>", " ", body)
    found = INTERVAL.findall(plain)
    assert len(found) > 10
    assert [pair for pair in found if pair[0] == pair[1] and pair[0] != number(1.0)] == []
