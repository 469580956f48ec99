"""The false discovery rate beside the verdict on one data set of many candidates."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pandas as pd
import pytest
from scipy.stats import false_discovery_control

import reportgen

N_ITEMS = 80


def frame_of(k: int) -> pd.DataFrame:
    rng = np.random.default_rng(4)
    values = rng.normal(size=(N_ITEMS, k)) + np.linspace(0, 1.2, k)
    names = [f"c{j}" for j in range(k)]
    wide = pd.DataFrame(values, columns=names).rename_axis("item").reset_index()
    return wide.melt("item", var_name="candidate", value_name="score")


@pytest.mark.slow
@pytest.mark.parametrize("reference", [None, "c0"])
def test_many_candidates_have_it_beside_the_verdict(reference: str | None, tmp_path: Path) -> None:
    more = {"reference": reference, "comparisons": "reference"} if reference else {}
    study = reportgen.compare(frame_of(10), unit="item", better="larger", **more)
    pairs = study.pairs()
    assert len(pairs) == (9 if reference else 45)
    wanted = false_discovery_control(pairs.p_value)
    assert pairs.fdr_p_value.to_numpy() == pytest.approx(wanted)
    decided = pairs.significant.to_numpy(bool)
    assert (pairs.fdr_p_value[decided] <= 0.05).all()
    study.report(tmp_path, formats="md")
    text = (tmp_path / "report.md").read_text(encoding="utf-8")
    n = (pairs.fdr_p_value <= 0.05).sum()
    if not reference:
        assert n > decided.sum()
        assert f"By the false discovery rate {n} of 45 differences are significant" in text
    assert "By the false discovery rate" in text
    assert "rather than any with a probability of 5%. It decides nothing here." in text


def test_few_candidates_have_none() -> None:
    assert "fdr_p_value" not in reportgen.compare(frame_of(9), unit="item", better="larger").pairs()
