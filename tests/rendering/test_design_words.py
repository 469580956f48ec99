"""The sentence that says what an experiment is."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from reportgen.rendering import page
from reportgen.rendering.composition import compose
from reportgen.rendering.render_context import HTML, RenderContext
from reportgen.report import DatasetDesign
from reportgen.units import SAMPLE
from tests.rendering.conftest import make_report
from tests.rendering.test_composition import EXTRAS
from tests.sections.reading import faults, plain

BOOTSTRAP: dict[str, Any] = {"resampling": {"scheme": "bootstrap"}}
NO_SCHEME: dict[str, Any] = {"resampling": {}}


@pytest.mark.parametrize(
    ("datasets", "candidates", "n", "changes", "said"),
    [
        (
            "ab",
            "kl",
            36,
            NO_SCHEME | {"unit": SAMPLE},
            "measured in 10 to 12 measurements on each of two data",
        ),
        ("a", "kl", 25, BOOTSTRAP, "observations, so a replication is a block and differences"),
        (
            "a",
            "kl",
            1,
            BOOTSTRAP,
            "the same bootstrap sample of one data set and are judged on the",
        ),
        ("a", "kl", 1, BOOTSTRAP, "out-of-bag observations. No value"),
        ("a", "k", 25, BOOTSTRAP, "observations, so there is nothing to compare with it. No value"),
        ("a", "kl", 1, NO_SCHEME, "measured once on one data set. No value"),
        ("ab", "kl", 1, NO_SCHEME, "data sets, so a data set is a block. No value"),
        ("a", "k", 1, NO_SCHEME, "data set, so there is nothing to compare with it. No value"),
    ],
)
def test_what_is_compared_is_said(
    datasets: str, candidates: str, n: int, changes: Any, said: str, folders: tuple[Path, ...]
) -> None:
    own = (10, 12) if "unit" in changes else None
    designs = tuple(DatasetDesign(name, n, 0, n_measurements=own) for name in datasets)
    text = " ".join(plain(designed(designs, candidates, folders, **changes)).split())
    assert said in text
    assert faults(text) == []


def test_several_ways_need_leave_nothing_out(folders: tuple[Path, ...]) -> None:
    ways = ({"scheme": "k-fold", "folds": 10}, {"scheme": "bootstrap", "assessment": "learning"})
    designs = tuple(DatasetDesign(f"a{i}", 10, 0, resampling=own) for i, own in enumerate(ways))
    text = designed(designs, "kl", folders, **NO_SCHEME)
    assert "are judged on what each way tests on, so a replication is" in text
    assert "the test sample is what each way tests on" in text


def designed(
    datasets: tuple[DatasetDesign, ...], candidates: str, folders: tuple[Path, ...], **changes: Any
) -> str:
    """Return what a page has on an experiment, its table of facts included."""
    report = make_report(tuple(own.name for own in datasets), tuple(candidates))
    design = replace(report.design, datasets=datasets, n_missing=0, failures=(), **changes)
    whole = replace(report, design=design, length="full")
    context = RenderContext(whole, HTML, folders, EXTRAS)
    return context.insert_labels(str(compose(context).design.text))


@pytest.mark.parametrize(
    ("resampling", "n_test", "said"),
    [
        (
            {"scheme": "bootstrap"},
            110.0,
            "(300 learning observations and 110 test observations on average)",
        ),
        (
            {"scheme": "fresh", "assessment": "fresh"},
            1000.0,
            "(300 learning observations and 1,000",
        ),
        ({"scheme": "k-fold", "folds": 7}, 42.9, "and 43 test observations on average)"),
        (
            {"scheme": "bootstrap", "assessment": "fixed"},
            432.0,
            "190 of them distinct, and 432 test observations on average)",
        ),
        ({"scheme": "time-series"}, 12.0, "and 12 test observations on average)"),
    ],
)
def test_sizes_that_vary_are_averages(
    resampling: Any, n_test: float, said: str, folders: tuple[Path, ...], tmp_path: Path
) -> None:
    report = make_report(("a",), ("k", "l"))
    n_distinct = 189.6 if resampling.get("assessment") == "fixed" else None
    sized = DatasetDesign("a", 25, 0, n_learn=300.0, n_distinct=n_distinct, n_test=n_test)
    design = replace(report.design, datasets=(sized,), resampling=resampling)
    page.render(replace(report, design=design, length="full"), tmp_path / "report.html", folders)
    text = (tmp_path / "report.html").read_text(encoding="utf-8")
    assert said in " ".join(text.split())
