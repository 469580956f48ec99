"""What the psychoanalysis finds, against R's numbers and against what was put into the data."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from pydantic import ValidationError

from reportgen.errors import StudyError
from reportgen.rendering.results_json import plain
from reportgen.sections.psychoanalysis import Options, applies
from reportgen.sections.psychoanalysis.result import (
    LevelSplit,
    NumericSplit,
    Psychoanalysis,
    TreeSupport,
    Untestable,
)
from reportgen.sections.psychoanalysis.tree import recurrence
from reportgen.stats.subsamples import SubsampleSupport
from reportgen.stats.worths.bradley_terry import fit
from reportgen.stats.worths.comparisons import compare, count
from reportgen.study.manifest import load_study
from reportgen.warehouse import Warehouse, no_characteristics
from tests.builders import warehouse_of
from tests.sections.psychoanalysis.making import (
    TRIO,
    analysed,
    reference_study,
    sampled,
    study,
    varied,
)
from tests.sections.reading import ACCURACY, ERROR

EXACT = 1e-6


@pytest.fixture(scope="module")
def broken() -> Psychoanalysis:
    """Return a study with a break at i2r.fcc = 0.5."""
    return analysed(study(24, step=0.05))


def test_worths_are_those_of_r(uci621_warehouse: Warehouse, reference: Path) -> None:
    numbers = json.loads((reference / "golden" / "bt.json").read_text())
    found = analysed(uci621_warehouse)
    assert found.bradley_terry is not None
    models = {"pooled": found.bradley_terry.pooled, **found.bradley_terry.datasets}
    assert found.n_samples == numbers["pooled"]["n"]
    for name in ("pooled", *found.bradley_terry.datasets):
        if models[name].is_separated or "undecided_model" not in numbers.get(name, {}):
            continue
        theirs = numbers[name]["undecided_model"]
        coefficients = dict(theirs["coef"])
        assert models[name].log_nu == pytest.approx(coefficients.pop("(undecided)"), abs=EXACT)
        ours = {k: models[name].log_worths[k] for k in coefficients}
        assert ours == pytest.approx(coefficients, abs=EXACT)
        assert models[name].log_likelihood == pytest.approx(theirs["logLik"], abs=EXACT)
        covariance = np.array(theirs["vcov"]["data"])
        assert np.array(models[name].covariance) == pytest.approx(covariance, abs=EXACT)
    assert found.untested == "no-characteristics"


def test_rows_as_units_are_the_tree_of_r(reference: Path, tmp_path: Path) -> None:
    numbers = json.loads((reference / "golden" / "bttree.json").read_text())["toy"]["nodes"]
    warehouse = reference_study(reference / "data", "bttree_toy", tmp_path)
    found = analysed(warehouse, cluster="none", min_size=20)
    assert found.tree is not None
    assert [node.number for node in found.tree.walk()] == [1, 2, 3]
    for node in found.tree.walk():
        theirs = numbers[f"node{node.number}"]
        statistics, p_values = (
            dict(zip(theirs["sctest"]["cols"], row, strict=True))
            for row in theirs["sctest"]["data"]
        )
        for test in node.tests:
            assert test.statistic == pytest.approx(statistics[test.characteristic], abs=EXACT)
            assert test.p_value == pytest.approx(p_values[test.characteristic], abs=EXACT)
        for name, log_worth in theirs["coef"].items():
            if name in node.log_worths:
                assert node.log_worths[name] == pytest.approx(log_worth, abs=EXACT)
    assert isinstance(found.tree.split, LevelSplit)
    assert found.tree.split.characteristic == "kind"
    assert found.tree.split.same == ("fcc",)
    assert found.stands_for_datasets


def test_separation_is_said_and_no_number_is_huge(reference: Path, tmp_path: Path) -> None:
    warehouse = reference_study(reference / "data", "bttree_toy_separated", tmp_path)
    found = analysed(warehouse, cluster="none", min_size=20)
    assert found.tree is not None
    (leaf,) = [leaf for leaf in found.tree.leaves if leaf.is_separated]
    assert (leaf.falling, leaf.ending) == (("lda",), "separated")
    assert max(map(abs, leaf.log_worths.values())) < 20
    assert found.bradley_terry is not None
    assert [n for n, m in found.bradley_terry.datasets.items() if m.is_separated] == ["ds2"]


def test_a_break_between_data_sets_is_found(broken: Psychoanalysis) -> None:
    tree = broken.tree
    assert tree is not None
    assert isinstance(tree.split, NumericSplit)
    assert tree.split.characteristic == "i2r.fcc"
    assert 0.45 < tree.split.cutpoint < 0.55
    low, high = tree.children
    assert (low.order[0], high.order[0]) == ("cara", "anna")
    assert low.n + high.n == 24 == broken.n_units
    assert not set(low.datasets) & set(high.datasets)
    assert {c.characteristic for c in high.conditions} == {"i2r.fcc"}
    assert high.conditions[0].above == tree.split.cutpoint == low.conditions[0].up_to
    assert broken.stability is not None
    assert broken.stability.root["i2r.fcc"] >= 0.8
    assert broken.recurrence is not None
    assert broken.recurrence == SubsampleSupport(broken.stability.root["i2r.fcc"], 10, 15, 24)
    assert broken.is_reportable
    assert tree.tests[0].target == "domain"
    assert tree.tests[0].statistic > tree.tests[0].critical_value


def noise(seed: int, n_datasets: int = 20) -> Warehouse:
    """Return data sets that differ at random, with twelve characteristics of no meaning."""
    rng = np.random.default_rng([5, seed])
    means = 0.3 + 0.05 * rng.normal(size=(n_datasets, 3))
    cube = {f"d{m}": x + 0.02 * rng.normal(size=(10, 3)) for m, x in enumerate(means)}
    table = study(n_datasets, step=0.0).characteristics
    traits = {f"z{i}": rng.normal(size=n_datasets) for i in range(12)}
    return replace(warehouse_of({ERROR: cube}, TRIO), characteristics=table.assign(**traits))


@pytest.mark.slow
def test_trees_of_noise_do_not_return() -> None:
    # With a level of nine tenths the trees nearly always divide.
    found = [analysed(noise(seed), alpha=0.9, permutations=49, resamples=10) for seed in range(5)]
    divided = [own for own in found if own.tree is not None and own.tree.split is not None]
    assert len(divided) >= 4
    assert all(own.recurrence is not None for own in divided)
    assert not any(own.is_reportable for own in found)


@pytest.mark.slow
def test_the_tree_returns_with_its_first_characteristic_in_all_subsamples() -> None:
    found = analysed(noise(1), resamples=4)
    assert found.tree is not None
    split = NumericSplit("a", 0.5, 0.01, True, (), ())
    root = replace(found.tree, split=split)
    own = replace(found.stability, n_trees=8, n_failed=2, root={"a": 0.75, "b": 0.25})
    assert recurrence(root, own, 21) == SubsampleSupport(0.6, 10, 13, 21)  # six of ten
    assert recurrence(replace(root, split=None), own, 21) is None
    assert recurrence(root, None, 21) is None


@pytest.mark.slow
@pytest.mark.parametrize(
    ("n_datasets", "is_assessed"),
    [(4, False), (5, False), (6, True)],  # three data sets are too few to test two parameters
)
def test_few_data_sets_do_not_tell_whether_a_tree_returns(
    n_datasets: int, is_assessed: bool
) -> None:
    found = analysed(noise(2, n_datasets), resamples=3)
    assert found.n_parameters == 2
    assert (found.stability is not None) == is_assessed


@pytest.mark.slow
def test_trees_of_subsamples_change_no_p_value() -> None:
    bare, found = (analysed(noise(3), resamples=n) for n in (0, 5))
    assert bare.stability is None
    assert bare.tree is not None
    assert found.tree is not None
    assert [t.p_value for t in bare.tree.tests] == [t.p_value for t in found.tree.tests]


def test_learning_samples_are_drawn_with_their_data_sets() -> None:
    found = analysed(study(8, step=0.05), cluster="none", min_size=5, resamples=6)
    assert found.recurrence is not None
    assert (found.recurrence.size, found.recurrence.n_units) == (5, 8)
    assert found.n_units == 80
    few = analysed(study(2, step=0.05), cluster="none", min_size=5, resamples=6)
    assert few.stability is None  # one data set in a subsample is no sample of data sets


@pytest.mark.slow
def test_data_sets_that_differ_at_random_are_not_divided() -> None:
    values = {f"d{m}": 0.3 + 0.05 * np.random.default_rng(m).normal(size=3) for m in range(20)}
    cube = {
        d: means + 0.02 * np.random.default_rng([9, i]).normal(size=(10, 3))
        for i, (d, means) in enumerate(values.items())
    }
    table = study(20, step=0.0).characteristics
    warehouse = replace(warehouse_of({ERROR: cube}, TRIO), characteristics=table)
    as_datasets = analysed(warehouse)
    assert as_datasets.tree is not None
    assert as_datasets.tree.split is None
    as_rows = analysed(warehouse, cluster="none", min_size=10)
    assert as_rows.tree is not None
    assert as_rows.tree.split is not None


@pytest.mark.slow
def test_larger_may_be_better() -> None:
    warehouse = study(24, step=0.05)
    cubes = {
        d: 1 - warehouse.performances(d, "misclassification").values for d in warehouse.datasets
    }
    turned = replace(
        warehouse_of({ACCURACY: cubes}, TRIO), characteristics=warehouse.characteristics
    )
    ours, theirs = analysed(warehouse), analysed(turned)
    assert ours.tree is not None
    assert theirs.tree is not None
    assert ours.tree.worths == pytest.approx(theirs.tree.worths)


def test_ties_lie_within_epsilon() -> None:
    warehouse = study(4, step=0.0)
    found = analysed(warehouse, epsilon=0.05)
    values = np.vstack([warehouse.performances(d, ERROR.name).values for d in warehouse.datasets])
    expected = fit(count(compare(values, epsilon=0.05)))
    assert found.bradley_terry is not None
    assert found.bradley_terry.pooled.log_nu == pytest.approx(expected.log_nu)
    assert analysed(warehouse).bradley_terry.pooled.log_nu == -np.inf  # type: ignore[union-attr]


def test_samples_with_gaps_are_left_out() -> None:
    warehouse = study(4, step=0.0)
    frame = warehouse.frame.copy()
    frame.loc[(frame["dataset"] == "d1") & (frame["replication"] == 3), "value"] = np.nan
    found = analysed(replace(warehouse, frame=frame))
    assert (found.n_samples, found.n_dropped) == (39, 1)
    assert found.dropped == {"d1": 1}
    frame.loc[(frame["dataset"] == "d2") & (frame["replication"] != 3), "value"] = np.nan
    frame.loc[(frame["dataset"] == "d2") & (frame["candidate"] == "cara"), "value"] = np.nan
    frame.loc[frame["dataset"] == "d3", "value"] = np.nan
    found = analysed(replace(warehouse, frame=frame))
    # cara has no value on d2, so that the one sample with both others is complete
    assert found.dropped == {"d1": 1, "d2": 9, "d3": 10}
    assert found.empty == ("d3",)


def test_sizes_are_counted_in_units() -> None:
    assert analysed(study(12, step=0.05), min_size=7).tree.split is None  # type: ignore[union-attr]
    rows = analysed(study(4, step=0.05), cluster="none")
    assert rows.min_size == 20  # twice the replications
    assert rows.n_units == 40


def test_samples_vary_around_their_data_set() -> None:
    found = analysed(sampled(study(8, step=0.05)))
    rows = [v for v in found.variation if v.characteristic == "i2r.fcc"]
    assert len(rows) == 8
    assert all(v.low < v.lower < v.middle < v.upper < v.high for v in rows)  # type: ignore[operator]
    assert max(abs(v.middle) for v in rows if v.middle is not None) < 0.06
    fixed = next(v for v in found.variation if v.characteristic == "var.n")
    assert (fixed.sd, fixed.middle, fixed.whole) == (0.0, 0.0, 4.0)
    trait = found.trait("i2r.fcc")
    own = sampled(study(8, step=0.05)).characteristics
    samples = own[own["replication"].notna() & (own["dataset"] == "d0")]
    assert trait.values["d0"] == pytest.approx(samples["i2r.fcc"].mean())


def test_it_is_said_why_nothing_is_tested() -> None:
    warehouse = study(4, step=0.05)
    assert analysed(warehouse).untested is None  # enough for two parameters
    assert analysed(study(3, step=0.05)).untested == "too-few-units"
    bare = replace(warehouse, characteristics=no_characteristics())
    assert analysed(bare).untested == "no-characteristics"
    assert not applies(bare)
    assert applies(warehouse)
    same = warehouse.characteristics[["dataset", "replication", "scheme", "var.n"]]
    assert analysed(replace(warehouse, characteristics=same)).untested == "no-variation"


def test_one_candidate_is_not_compared() -> None:
    cube = {"d0": np.ones((5, 1)), "d1": np.ones((5, 1))}
    found = analysed(warehouse_of({ERROR: cube}, ("anna",)))
    assert found.unavailable == "one-candidate"
    assert found.tree is None
    assert plain(found)["bradley_terry"] is None


def test_adding_a_characteristic_changes_no_other_test(broken: Psychoanalysis) -> None:
    warehouse = study(24, step=0.05)
    more = warehouse.characteristics.assign(extra=np.arange(24.0))
    found = analysed(replace(warehouse, characteristics=more))
    assert found.tree is not None
    assert broken.tree is not None
    alone = {t.characteristic: t.p_value_alone for t in found.tree.tests}
    for test in broken.tree.tests:
        assert alone[test.characteristic] == test.p_value_alone


def test_trees_of_what_was_learnt_speak_of_these_data_sets() -> None:
    learning = {"scheme": "bootstrap", "assessment": "learning"}
    found = analysed(replace(study(24, step=0.05), resampling=learning), resamples=0)
    assert found.tree is not None
    assert found.tree.tests[0].target == "conditional"


def test_what_a_study_varies_is_a_characteristic() -> None:
    found = analysed(varied(24, step=0.05), resamples=0)
    assert found.bases == {"line": 24}
    assert found.n_bases == 1
    assert found.factors == ("x", "way")  # n is the same everywhere
    assert found.tree is not None
    assert found.tree.split is not None
    assert found.tree.split.characteristic == "x"
    assert found.tree.tests[0].target == "conditional"
    assert found.trait("way").kind == "categorical"
    assert found.trait("way").values["d2"] == "out"
    assert not found.shares_observations


def test_only_chosen_characteristics_are_tested() -> None:
    found = analysed(study(12, step=0.05), characteristics=("obs.n", "not-there"))
    assert [t.name for t in found.characteristics] == ["obs.n"]


def test_floating_noise_is_no_characteristic() -> None:
    warehouse = study(12, step=0.05)
    noisy = warehouse.characteristics.assign(noise=1 + 1e-13 * np.arange(12.0))
    found = analysed(replace(warehouse, characteristics=noisy))
    assert found.tree is not None
    assert "noise" not in {t.characteristic for t in found.tree.tests}


def test_options_say_what_is_wrong() -> None:
    with pytest.raises(ValidationError):
        Options(cluster="rows")  # type: ignore[arg-type]
    (fault,) = Options(measure="missclassification").faults_among(["misclassification"])
    assert fault.near == "misclassification"
    options = Options.model_validate_json('{"schemes": [{"scheme": "bootstrap"}]}')
    assert options.wanted_characteristics.schemes == (("bootstrap", None),)


def test_a_former_option_says_what_became_of_it(tmp_path: Path) -> None:
    path = tmp_path / "study.yaml"
    path.write_text("results: r.csv\nsections:\n  - psychoanalysis: {prune: bic}\n")
    with pytest.raises(StudyError, match=r"found a key that is gone .*the tests decide.*allowed"):
        load_study(path, {"psychoanalysis": Options})


def test_a_tree_knows_whether_its_parts_agree() -> None:
    tree = analysed(study(24, step=0.05)).tree
    assert tree is not None
    low, high = tree.children
    assert (low.ranks[0], high.ranks[0]) == (("cara",), ("anna",))
    assert not tree.leads_alike
    assert tree.n_orders == 2
    assert tree.leaders == (("cara",), ("anna",))
    same = replace(tree, children=(low, replace(high, order=low.order, worths=low.worths)))
    assert same.leads_alike
    assert (same.n_orders, same.leaders) == (1, (("cara",),))
    assert not replace(tree, children=()).leads_alike


def test_trees_of_subsamples_are_counted() -> None:
    root = {"obs.n": 0.25, "i2r.fcc": 0.55}
    found = TreeSupport(20, 0, 0.632, root, root, {1: 4, 2: 16}, {})
    assert (found.first, found.n_first("i2r.fcc"), found.n_first("obs.n")) == ("i2r.fcc", 11, 5)
    assert found.n_first("var.n") == 0
    assert replace(found, root={}).first is None
    assert replace(found, root={"obs.n": 0.0}).first is None


def test_characteristics_without_a_test_are_sorted_by_the_reason() -> None:
    found = analysed(study(24, step=0.05))
    assert (found.untestable.same, found.untestable.unknown) == (("var.n",), ())
    traits = {t.name: t for t in found.characteristics}
    few = replace(traits["var.n"], name="few", n_values=2)
    none = replace(traits["var.n"], name="none", n_values=0)
    more = replace(found, characteristics=(*found.characteristics, few, none))
    assert more.untestable == Untestable(("var.n",), ("none",), ("few",))
    assert found.within == ()
    assert found.bradley_terry is not None
    own = found.bradley_terry.datasets
    assert [d for d in own if own[d].rising or own[d].falling] == list(found.separated)
    assert found.n_kept == round(0.632 * 24)
