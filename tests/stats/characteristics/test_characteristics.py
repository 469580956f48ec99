"""Characteristics of data sets."""

from __future__ import annotations

import numpy as np
import pytest
from scipy.stats import kurtosis, skew

from reportgen.stats.characteristics import (
    FURTHER,
    TABLE_5_1,
    Characterisation,
    characterise,
    histogram,
    quantile,
)
from reportgen.stats.characteristics.maps import (
    Sample,
    canonical_correlations,
    class_imbalance,
    intrinsic_dimension,
    kurtoses,
    missing_share,
)

NOTHING = np.zeros((60, 0))
NO_CODES = np.zeros((60, 0), dtype=np.int64)


def sample(seed: int = 1) -> Sample:
    """Draw three classes with four continuous and two nominal inputs."""
    rng = np.random.default_rng(seed)
    classes = np.arange(60) % 3
    continuous = rng.standard_normal((60, 4)) + classes[:, None] * [1.0, 0.5, 0.0, -1.0]
    nominal = np.c_[classes == 0, (classes + rng.integers(0, 2, 60)) % 3].astype(np.int64)
    return Sample(continuous, nominal, classes.astype(np.int64))


def test_table_5_1_has_sixteen_names() -> None:
    assert len({c.name for c in TABLE_5_1}) == 16
    assert all(np.isfinite(x) for x in characterise(sample()).values())


def test_counts_and_moments_are_those_of_the_sample() -> None:
    data = sample()
    found = characterise(data)
    assert [found[k] for k in ("obs.n", "var.n", "nvar.n", "nvar.bin", "cvar.n", "resp.cl")] == [
        60, 6, 2, 1, 4, 3,
    ]  # fmt: skip
    assert found["cvar.skew"] == pytest.approx(np.abs(skew(data.continuous)).mean())
    assert found["cvar.kurt"] == pytest.approx(kurtosis(data.continuous, fisher=False).mean())
    upper = np.triu_indices(4, 1)
    correlations = np.abs(np.corrcoef(data.continuous.T))[upper]
    assert found["cvar.mac"] == pytest.approx(correlations.mean())


def test_entropies_and_information_are_known_in_small() -> None:
    nominal = np.array([[0, 0], [0, 1], [1, 0], [1, 1]])
    found = characterise(Sample(np.zeros((4, 0)), nominal, np.array([0, 0, 1, 1])))
    assert found["nvar.entropy"] == pytest.approx(1.0)
    assert found["resp.entropy"] == pytest.approx(1.0)
    assert found["i2r.mi"] == pytest.approx(0.5)  # 1 bit by the first input, 0 by the second
    assert found["i2r.envar"] == pytest.approx(2.0)
    assert found["i2r.nsratio"] == pytest.approx(1.0)


def test_canonical_correlations_are_the_roots_of_the_ratio_of_scatter() -> None:
    data = sample()
    x = data.continuous - data.continuous.mean(axis=0)
    means = np.array([x[data.classes == c].mean(axis=0) for c in range(3)])
    between = 20 * means.T @ means
    roots = np.sort(np.linalg.eigvals(np.linalg.solve(x.T @ x, between)).real)[::-1][:2]
    assert canonical_correlations(data) ** 2 == pytest.approx(roots)
    assert characterise(data)["i2r.frac1"] == pytest.approx(roots[0] / roots.sum())


def test_constant_and_collinear_inputs_add_nothing() -> None:
    data = sample()
    more = np.c_[data.continuous, np.ones(60), data.continuous @ [1.0, 2.0, 0.0, 0.0]]
    wider = Sample(more, data.nominal, data.classes)
    assert canonical_correlations(wider) == pytest.approx(canonical_correlations(data))
    constant = Sample(np.ones((60, 2)), data.nominal, data.classes)
    found = characterise(constant)
    assert all(np.isnan(found[k]) for k in ("cvar.mac", "cvar.skew", "cvar.kurt", "i2r.fcc"))


def test_what_is_not_there_is_missing_never_zero() -> None:
    data = sample()
    found = characterise(Sample(data.continuous, NO_CODES, data.classes))
    assert found["nvar.n"] == found["nvar.bin"] == 0
    for name in ("nvar.entropy", "i2r.mi", "i2r.envar", "i2r.nsratio"):
        assert np.isnan(found[name])
    found = characterise(Sample(NOTHING, data.nominal, data.classes))
    for name in ("cvar.mac", "cvar.skew", "cvar.kurt", "i2r.fcc", "i2r.frac1"):
        assert np.isnan(found[name])
    one_class = characterise(Sample(data.continuous, data.nominal, np.zeros(60, dtype=np.int64)))
    assert one_class["resp.cl"] == 1
    assert one_class["resp.entropy"] == 0
    for name in ("i2r.fcc", "i2r.frac1", "i2r.mi", "i2r.envar", "i2r.nsratio"):
        assert np.isnan(one_class[name])


def test_missing_values_are_left_out() -> None:
    data = sample()
    holes = data.continuous.copy()
    holes[:5, 0] = np.nan
    lost = data.nominal.copy()
    lost[7:10, 1] = -1
    full, part = characterise(data), characterise(Sample(holes, lost, data.classes))
    assert all(np.isfinite(x) for x in part.values())
    assert part["cvar.mac"] != full["cvar.mac"]
    shares = missing_share(Sample(holes, lost, data.classes))
    assert shares == pytest.approx([5 / 60, 0, 0, 0, 0, 3 / 60])


def test_a_numeric_response_has_a_multiple_correlation() -> None:
    data = sample()
    response = data.continuous @ [1.0, 1.0, 0.0, 0.0]
    found = characterise(Sample(data.continuous, data.nominal, response=response))
    assert found["i2r.fcc"] == pytest.approx(1.0)
    assert np.isnan(found["resp.cl"])


def test_more_can_be_said() -> None:
    data = sample()
    assert class_imbalance(data) == pytest.approx(0.0, abs=1e-12)
    flat = np.c_[data.continuous[:, :1], 2 * data.continuous[:, :1], -data.continuous[:, :1]]
    assert intrinsic_dimension(Sample(flat, NO_CODES, data.classes)).tolist() == [1.0]
    median = Characterisation("m", "", "", kurtoses, quantile(0.5))
    share = Characterisation("s", "", "", kurtoses, histogram(0.0, 100.0))
    found = characterise(data, [median, share])
    assert found["m"] == pytest.approx(np.median(kurtoses(data)))
    assert found["s"] == 1.0


def test_parts_must_belong_together() -> None:
    with pytest.raises(ValueError, match=r"\[3, 60\]"):
        characterise(Sample(NOTHING, NO_CODES, np.zeros(3, dtype=np.int64)))


def test_a_numeric_response_has_counterparts() -> None:
    rng = np.random.default_rng(5)
    response = rng.exponential(size=60)
    data = sample()
    found = characterise(
        Sample(data.continuous, data.nominal, response=response),
        [c for c in FURTHER if c.name.startswith(("resp.", "i2r."))],
    )
    assert found["resp.skew"] == pytest.approx(abs(skew(response)))
    assert found["resp.kurt"] == pytest.approx(kurtosis(response, fisher=False))
    correlations = [abs(np.corrcoef(x, response)[0, 1]) for x in data.continuous.T]
    assert found["i2r.mac"] == pytest.approx(np.mean(correlations))
    ratios = []
    for column in data.nominal.T:
        groups = [response[column == code] for code in np.unique(column)]
        between = sum(len(g) * (g.mean() - response.mean()) ** 2 for g in groups)
        ratios.append(between / ((response - response.mean()) ** 2).sum())
    assert found["i2r.eta"] == pytest.approx(np.mean(ratios))
    assert found["resp.levels"] == 1.0
    assert np.isnan(found["resp.imbalance"])


def test_copies_of_rows_keep_their_observation() -> None:
    data = sample()
    rows = np.array([3, 3, 7])
    drawn = data.take(rows)
    assert drawn.observations is not None
    assert drawn.observations.tolist() == [3, 3, 7]
    assert drawn.take(np.array([0, 2])).observations.tolist() == [3, 7]  # type: ignore[union-attr]
    assert (drawn.continuous[0] == drawn.continuous[1]).all()


def test_one_canonical_correlation_is_the_whole_sum() -> None:
    data = sample()
    two = Sample(data.continuous, data.nominal, (data.classes == 0).astype(np.int64))  # type: ignore[union-attr]
    assert characterise(two)["i2r.frac1"] == 1.0
