"""What is found in designs whose answer is known."""

from __future__ import annotations

import json
from types import MappingProxyType

import numpy as np
import pytest
from scipy import stats

from reportgen.rendering.results_json import plain
from reportgen.sections import domain
from reportgen.sections.datasets import settings_of
from reportgen.sections.sensitivity import applies
from reportgen.sections.sensitivity.analysis import Sensitivity, label_of
from reportgen.stats.pairs.paired_max_t import paired_max_t
from tests.sections.reading import ACCURACY
from tests.sections.sensitivity.making import SCHEMES, TURNING, design, find

EXACT = 1e-12  # sums of a few numbers


@pytest.fixture(scope="module")
def turning() -> Sensitivity:
    return find(design(TURNING))["misclassification"]["line"]


@pytest.fixture(scope="module")
def schemes() -> Sensitivity:
    made = design(SCHEMES, n_blocks=(12, 12, 1), sd=(0.014, 0.028, 0.014))
    return find(made)["misclassification"]["line"]


def test_factors_have_their_levels_in_order(turning):
    assert [(f.name, f.levels) for f in turning.factors] == [
        ("b2", (0.0, 0.1, 1.0)),
        ("n", (50, 150)),
    ]
    assert [row.label for row in turning.settings[:2]] == ["b2 = 0, n = 50", "b2 = 0, n = 150"]
    assert turning.is_balanced
    assert turning.is_whole


def test_pairs_turn_where_they_were_made_to(turning):
    changes = {(p.first, p.second): p.change for p in turning.pairs}
    always = {("anna", "cara"): "always", ("bert", "cara"): "always"}
    assert changes == {("anna", "bert"): "reversed", **always}
    (pair,) = turning.changed("reversed")
    assert [turning.setting(d).levels["b2"] for d in pair.where("better")] == [0.0, 0.0]
    assert [turning.setting(d).levels["b2"] for d in pair.where("undecided")] == [0.1, 0.1]
    assert [turning.setting(d).levels["b2"] for d in pair.where("worse")] == [1.0, 1.0]
    assert pair.has_both_signs
    assert pair.estimates[pair.where("better")[0]] == pytest.approx(-0.1, abs=EXACT)


def test_larger_is_better_turns_the_verdicts():
    found = find(design(TURNING[:2], measure=ACCURACY))["accuracy"]["line"]
    verdicts = {(p.first, p.second): set(p.verdicts.values()) for p in found.pairs}
    assert verdicts["anna", "bert"] == {"worse"}
    assert verdicts["anna", "cara"] == {"worse"}
    assert {row.best for row in found.settings} == {("cara",)}


def test_settings_with_the_same_relation_stand_together(turning):
    assert [len(part) for part in turning.orders] == [2, 2, 2]
    orders = {turning.setting(part[0]).order for part in turning.orders}
    assert (("anna", "bert"), ("cara",)) in orders
    assert (("bert",), ("anna",), ("cara",)) in orders


def test_levels_are_averaged_over_all_else(turning):
    first, middle, last = turning.of_factor("b2")
    assert first.means == pytest.approx({"anna": 0.2, "bert": 0.3, "cara": 0.5}, abs=EXACT)
    assert (first.n_settings, first.n_pairs, first.n_distinguished) == (2, 6, 6)
    assert (middle.n_distinguished, last.n_distinguished) == (4, 6)
    small = turning.of_factor("n")[0]
    assert small.n_settings == 3
    assert small.means["bert"] == pytest.approx(0.2, abs=EXACT)


def test_intervals_of_means_are_of_the_block_model(turning):
    """Of balanced blocks the variance of a mean is (sd_block^2 + sd^2) / B."""
    row = turning.settings[0]
    lower, upper = row.intervals["anna"]
    assert (lower + upper) / 2 == pytest.approx(row.means["anna"], abs=EXACT)
    error = np.sqrt((0.02**2 + (0.03**2 - 0.02**2 / 3)) / 12)
    least, most = (stats.t.ppf(0.975, df) * error for df in (1e6, 11))
    assert least * 0.98 <= (upper - lower) / 2 <= most * 1.02


def test_half_widths_are_those_of_the_simultaneous_intervals(turning):
    made = design(TURNING)
    values = made.performances(made.datasets[0], "misclassification").values
    table = paired_max_t(values, 0.05, np.random.default_rng(1))
    width = float((table.upper - table.lower).mean() / 2)
    assert turning.settings[0].half_width == pytest.approx(width, rel=1e-9)


def test_schemes_are_compared_with_the_first(schemes):
    folds, one = schemes.schemes
    assert (folds.scheme, folds.reference) == ("5 × 10-fold", "bootstrap")
    means = {"anna": -0.02, "bert": -0.06, "cara": -0.04}
    assert folds.differences == pytest.approx(means, abs=EXACT)
    assert folds.difference == pytest.approx(-0.04, abs=EXACT)
    assert folds.width_ratio == pytest.approx(2.0, rel=1e-9)
    assert folds.sd_ratio > 1.1  # most of the spread is that of the blocks
    assert (folds.n_compared, folds.n_changed, folds.n_reversed) == (3, 1, 0)
    assert (one.n_compared, one.width_ratio, one.sd_ratio) == (0, None, None)
    assert [row.is_dependent for row in schemes.settings] == [False, True, False]
    assert [row.share_learned for row in schemes.settings] == [0.63, 0.9, 0.63]


def test_a_setting_without_tests_has_no_say_in_decisions(schemes):
    assert [row.n_pairs for row in schemes.settings] == [3, 3, None]
    assert len(schemes.related) == 2
    assert all(len(pair.verdicts) == 2 for pair in schemes.pairs)


def test_it_applies_to_designs_with_factors_and_the_domain_to_others():
    varied, mixed, none = design(TURNING), design(TURNING, more=["iris"]), design(TURNING[:1])
    assert [applies(w) for w in (varied, mixed, none)] == [True, True, False]
    assert [domain.applies(w) for w in (varied, mixed)] == [False, True]
    assert list(settings_of(mixed)) == ["line"]
    found = find(mixed)["misclassification"]
    assert list(found) == ["line"]
    assert not found["line"].is_whole


def test_results_are_json(turning):
    written = json.loads(json.dumps(plain({"line": turning}), allow_nan=False))["line"]
    assert written["settings"][0]["levels"] == {"b2": 0.0, "n": 50}
    assert written["pairs"][0]["change"] == "reversed"
    assert "measure" not in written


def test_labels_name_numbers_and_not_texts():
    assert label_of(MappingProxyType({"n": 150, "resampling": "bootstrap"})) == "n = 150, bootstrap"
