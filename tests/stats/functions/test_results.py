"""What functions of arrays return: columns, short texts, and numbers of other sources."""

from __future__ import annotations

import inspect
import re
from collections.abc import Callable
from dataclasses import FrozenInstanceError
from itertools import permutations
from typing import Any

import numpy as np
import pytest
from scipy.stats import f as f_law
from scipy.stats import friedmanchisquare, ttest_rel, wilcoxon

from reportgen import stats
from reportgen.stats.archetypal_analysis.archetypes import archetypes
from reportgen.stats.frame import MOST_ROWS, Tabular
from tests.stats.demsar import AUC, CANDIDATES

CLOSED_FORM = 1e-12  # relative
PRINTED = 5e-3  # half of the last digit that Demšar prints

RNG = np.random.default_rng(3)
VALUES = RNG.normal(0.3, 0.05, size=(60, 4)) + np.array([0, 0, 0.05, 0.1])
DOMAIN = RNG.normal(0.3, 0.05, size=(8, 10, 4)) + np.array([0, 0, 0.05, 0.1])
RIGHT = (VALUES > 0.35).astype(float)
NAMES = ("lda", "svm", "nnet", "rf")
N_PAIRS = 6

RESULTS: dict[str, Callable[[], Any]] = {
    "archetypes": lambda: stats.archetypes(VALUES, 3, NAMES, starts=2, most=3),
    "bayesian_signed_rank": lambda: stats.bayesian_signed_rank(VALUES, NAMES, n_draws=200),
    "bootstrap_ratio": lambda: stats.bootstrap_ratio(VALUES, NAMES, relevance=1.1),
    "bradley_terry": lambda: stats.bradley_terry(VALUES, NAMES),
    "brunner_munzel": lambda: stats.brunner_munzel(VALUES, NAMES),
    "compare_battles": lambda: stats.compare_battles(
        ["lda", "svm", "nnet", "rf"] * 10,
        ["svm", "nnet", "rf", "lda"] * 10,
        ["tie", "svm", "rf", "lda"] * 10,
    ),
    "compare_families": lambda: stats.compare_families(
        VALUES, NAMES, families=np.arange(60) // 4, relevance=0.01
    ),
    "compare_items": lambda: stats.compare_items(RIGHT, NAMES, relevance=0.01),
    "compare_pairs": lambda: stats.compare_pairs(VALUES, NAMES, relevance=(-0.01, 0.01)),
    "compare_samples": lambda: stats.compare_samples(VALUES, NAMES, relevance=(-0.01, 0.01)),
    "consensus": lambda: stats.consensus([[1, 2, 3, 4], [2, 1, 3, 4]], NAMES),
    "compare_new_data": lambda: stats.compare_new_data(VALUES, 0.1, NAMES, relevance=(-0.01, 0.01)),
    "crossed_components": lambda: stats.crossed_components(
        VALUES[:, 0], {"split": np.arange(60) // 6, "seed": np.arange(60) % 6}
    ),
    "domain_model": lambda: stats.domain_model(DOMAIN, NAMES),
    "friedman": lambda: stats.friedman(VALUES, NAMES),
    "nemenyi": lambda: stats.nemenyi(VALUES, NAMES),
    "paired_proportions": lambda: stats.paired_proportions(RIGHT, NAMES),
    "sequential_combination_test": lambda: stats.sequential_combination_test(
        VALUES, NAMES, stage=20
    ),
    "sequential_e_process": lambda: stats.sequential_e_process(VALUES, NAMES),
    "sequential_group_test": lambda: stats.sequential_group_test(VALUES, NAMES, stage=20),
    "signed_rank": lambda: stats.signed_rank(VALUES, NAMES),
    "worth_tree": lambda: stats.worth_tree(DOMAIN, {"size": np.arange(8)}, NAMES, permutations=99),
}
N_ROWS = {
    "archetypes": 3 * 4,
    "bradley_terry": 4,
    "consensus": None,
    "crossed_components": 3,
    "domain_model": 4,
    "friedman": 2,
    "worth_tree": None,
}


def test_every_function_has_a_case() -> None:
    assert sorted(RESULTS) == stats.__all__


@pytest.mark.parametrize("name", RESULTS)
def test_frames(name: str) -> None:
    result = RESULTS[name]()
    frame = result.to_frame()
    columns = result.to_columns()
    assert list(frame.columns) == list(columns)
    expected = N_ROWS.get(name, N_PAIRS)
    assert len(frame) == expected or (expected is None and len(frame) % len(NAMES) == 0)
    documented = re.findall(r"`(\w+)`", inspect.getdoc(type(result).to_columns) or "")
    extra = set(getattr(result, "extra", ()))
    assert set(columns) - extra <= set(documented)
    function = inspect.getdoc(getattr(stats, name)) or ""
    below = set(re.findall(r"`(\w+)`", function)) | set(
        re.findall(r"`(\w+)`", str(stats.compare_pairs.__doc__))
    )
    assert extra <= below


@pytest.mark.parametrize("name", RESULTS)
def test_results_are_frozen_and_short(name: str) -> None:
    result = RESULTS[name]()
    assert isinstance(result, Tabular)
    with pytest.raises((FrozenInstanceError, TypeError, AttributeError)):
        result.candidates = ()
    lines = repr(result).splitlines()
    assert lines[0].startswith(f"{type(result).__name__}: ")
    assert len(lines) <= MOST_ROWS + 3
    assert max(map(len, lines)) <= 120


@pytest.mark.parametrize("name", stats.__all__)
def test_docstrings_are_whole(name: str) -> None:
    text = inspect.getdoc(getattr(stats, name)) or ""
    for part in ("Parameters", "Returns", "Raises", "References", "Examples"):
        assert f"\n{part}\n---" in text, part
    for parameter in inspect.signature(getattr(stats, name)).parameters:
        assert re.search(rf"^(?:\w+, )*{parameter}(?:, \w+)*(?: :|$)", text, re.MULTILINE), (
            parameter
        )
    assert ">>> from reportgen import stats" in text


def test_names_that_would_break_a_line_do_not() -> None:
    lines = repr(stats.bradley_terry(VALUES, ["a\nb", "\x1b[31m", "c", "d"])).splitlines()
    assert len(lines) == 6
    assert all(line.isprintable() for line in lines)


# ----------------------------------------------------------------------- numbers of other sources


def test_friedman_is_scipys_and_demsars() -> None:
    found = stats.friedman(AUC, CANDIDATES, better="larger")
    expected = friedmanchisquare(*AUC.T)
    assert found.statistic == pytest.approx(expected.statistic, rel=CLOSED_FORM)
    assert found.p_value == pytest.approx(expected.pvalue, rel=CLOSED_FORM)
    assert found.average_ranks.tolist() == pytest.approx([3.143, 2.000, 2.893, 1.964], abs=PRINTED)
    df1, df2 = 3, 39
    f = found.iman_davenport
    assert (f.df1, f.df2) == (df1, df2)
    assert f.p_value == pytest.approx(f_law.sf(f.statistic, df1, df2), rel=1e-9)


def test_nemenyi_is_demsars() -> None:
    """Section 3.2.2: the critical difference is 1.25, and nothing is found at that level."""
    found = stats.nemenyi(AUC, CANDIDATES, better="larger")
    assert found.critical_difference == pytest.approx(1.25, abs=PRINTED)
    assert found.critical_value == pytest.approx(2.569, abs=5e-4)
    assert not found.to_frame()["significant"].any()
    assert found.groups == (("C4.5+m+cf", "C4.5+m", "C4.5+cf", "C4.5"),)


def test_signed_rank_is_scipys() -> None:
    frame = stats.signed_rank(VALUES, NAMES).to_frame()
    for row in frame.to_dict("records"):
        i, j = NAMES.index(row["first"]), NAMES.index(row["second"])
        expected = wilcoxon(VALUES[:, i], VALUES[:, j], method="exact")
        assert row["p_value"] == pytest.approx(expected.pvalue, rel=1e-9)
        assert row["mean_difference"] == pytest.approx(VALUES[:, i].mean() - VALUES[:, j].mean())
    worst = frame["p_value"].sort_values().to_numpy() * np.arange(N_PAIRS, 0, -1)
    expected = np.minimum(1, np.maximum.accumulate(worst))
    assert np.sort(frame["adjusted_p_value"]).tolist() == pytest.approx(np.sort(expected).tolist())


def test_corrected_t_without_shared_data_is_the_paired_t() -> None:
    frame = stats.compare_new_data(VALUES, 0, NAMES).to_frame()
    expected = ttest_rel(VALUES[:, 0], VALUES[:, 2])
    row = frame.iloc[1]
    assert (row["first"], row["second"]) == ("lda", "nnet")
    assert row["p_value"] == pytest.approx(expected.pvalue, rel=1e-9)
    assert row["adjusted_p_value"] == pytest.approx(N_PAIRS * expected.pvalue, rel=1e-9)


def test_bayesian_signed_rank_by_hand() -> None:
    """One data set with a difference z, prior weight s: w of z is Beta(1, s).

    The mean of two differences lies below -z / 2 < -d only for both of z, with probability w^2:
    its mean is 2 / ((1 + s)(2 + s)). Differences most probably lie below where w^2 > 1/2, which
    has the probability (1 - 1 / sqrt(2))^s.
    """
    s, n_draws = 1.0, 40_000
    found = stats.bayesian_signed_rank(
        [[0.0, 1.0]], relevance=(-0.6, 0.6), prior_weight=s, n_draws=n_draws, rng=4
    )
    (row,) = found.to_frame().to_dict("records")
    assert row["mean_better"] == pytest.approx(2 / ((1 + s) * (2 + s)), rel=CLOSED_FORM)
    assert row["mean_worse"] == pytest.approx(0, abs=CLOSED_FORM)
    expected = (1 - 1 / np.sqrt(2)) ** s
    assert row["better"] == pytest.approx(expected, abs=4 * row["error"])
    assert row["error"] == pytest.approx(np.sqrt(expected * (1 - expected) / n_draws), rel=0.05)
    turned = stats.bayesian_signed_rank(
        [[0.0, 1.0]], better="larger", relevance=(-0.6, 0.6), prior_weight=s, n_draws=n_draws, rng=4
    )
    assert turned.to_frame()["worse"].tolist() == [row["better"]]


@pytest.mark.parametrize("seed", range(5))
def test_consensus_of_rankings_by_brute_force(seed: int) -> None:
    rng = np.random.default_rng(seed)
    rankings = np.array([rng.permutation(4) for _ in range(5)]) + 1
    found = stats.consensus(rankings, NAMES, order_class="linear")

    def disagreements(order: tuple[int, ...]) -> int:
        place = np.argsort(order)
        pairs = [(i, j) for i in range(4) for j in range(4) if place[i] < place[j]]
        return 2 * sum(int(r[i] > r[j]) for r in rankings for i, j in pairs)

    costs = {order: disagreements(order) for order in permutations(range(4))}
    least = min(costs.values())
    assert found.criterion == least
    best = {tuple(NAMES[k] for k in order) for order, cost in costs.items() if cost == least}
    frame = found.to_frame()
    listed = {tuple(rows.sort_values("level")["candidate"]) for _, rows in frame.groupby("order")}
    assert listed == best
    assert found.orders == tuple(tuple((name,) for name in own) for own in _in_order(frame))


def _in_order(frame: Any) -> list[tuple[str, ...]]:
    return [tuple(rows.sort_values("level")["candidate"]) for _, rows in frame.groupby("order")]


def test_consensus_of_rankings_is_that_of_their_relations() -> None:
    points = np.array([[3.0, 1, 1, np.nan], [2, 3, 1, 0]])
    better = np.nan_to_num(points, nan=np.nan)[:, :, None] > points[:, None, :]
    of_points = stats.consensus(points, NAMES, better="larger", weights=[1, 2])
    of_relations = stats.consensus(better, NAMES, weights=[1, 2])
    assert repr(of_points) == repr(of_relations)
    assert of_points.relations[0].tolist() == of_relations.relations[0].tolist()


def test_bradley_terry_by_hand() -> None:
    """Three of four comparisons won: worths 3/4 and 1/4; the log odds have variance 4 / 3."""
    values = np.array([[0.1, 0.2], [0.1, 0.3], [0.2, 0.4], [0.3, 0.1]])
    found = stats.bradley_terry(values, ["a", "b"])
    assert found.worths.tolist() == pytest.approx([0.75, 0.25], rel=1e-9)
    assert found.to_frame()["standard_error"].tolist() == pytest.approx([np.sqrt(4 / 3), 0])
    other = stats.bradley_terry(values, ["a", "b"], reference="a")
    assert other.to_frame()["standard_error"].tolist() == pytest.approx([0, np.sqrt(4 / 3)])
    assert other.log_worths.tolist() == pytest.approx([0, -np.log(3)])


def test_worth_tree_of_categories() -> None:
    kinds = np.array(
        ["text", "image", None, "text", "image", "image", "text", "text"], dtype=object
    )
    shift = np.where(kinds == "text", 0.3, -0.3)[:, None, None] * np.array([1, 0, 0, 0])
    tree = stats.worth_tree(DOMAIN + shift, {"kind": kinds, "same": np.ones(8)}, NAMES, rng=2)
    assert [c.name for c in tree.characteristics] == ["kind"]
    frame = tree.to_frame().drop_duplicates("node")
    assert frame["condition"].tolist() == ["", "kind in image", "kind in text"]
    assert frame["n_units"].tolist() == [8, 3, 5]
    assert frame["characteristic"].tolist()[0] == "kind"
    assert [leaf.number for leaf in tree.leaves] == [2, 3]


def test_archetypes_of_a_triangle() -> None:
    corners = np.array([[0.0, 0.0], [4.0, 0.0], [0.0, 4.0]])
    mixtures = np.random.default_rng(1).dirichlet(np.ones(3), size=40)
    found = stats.archetypes(np.vstack([corners, mixtures @ corners]))
    assert len(found.archetypes) == 3  # by the elbow
    shown = sorted(map(tuple, (found.archetypes.round(6) + 0.0).tolist()))
    assert shown == [(0, 0), (0, 4), (4, 0)]
    assert (found.mixtures @ found.archetypes)[3:] == pytest.approx(mixtures @ corners, abs=1e-6)
    weighted = archetypes(
        np.vstack([corners, [[9, 9]]]), 3, fit="weighted", row_weights=[1, 1, 1, 0]
    )
    assert weighted.archetypes.max() == pytest.approx(4)


def test_gaps_in_sequential_procedures() -> None:
    """A pair uses the replications that have both, at their places."""
    values = np.column_stack([np.zeros(30), np.linspace(0.9, 1.1, 30)])
    values[:5, 0] = np.nan
    process = stats.sequential_e_process(values, ["a", "b"])
    assert process.n.tolist() == [25]
    assert process.decided_at.tolist() == [5 + 7]
    group = stats.sequential_group_test(values, ["a", "b"], stage=15)
    assert group.decided_at.tolist() == [15]
    late = stats.sequential_group_test(values, ["a", "b"], stage=15, burn_in=12)
    assert late.decided_at.tolist() == [30]
