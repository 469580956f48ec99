"""Plans: power by a second way, designs and their costs, guesses, the command line, refusals."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest
from click.testing import CliRunner
from scipy.stats import nct
from scipy.stats import t as t_law

import reportgen
from reportgen.api.study import BenchmarkStudy
from reportgen.cli import main
from reportgen.errors import StudyError
from reportgen.performance_measure import Measure
from reportgen.sections.expectations.power import skewed_units_for, units_for
from reportgen.sections.expectations.result import Family
from reportgen.sections.plan.analysis import Pilot, guessed, make_plan, parse_size, scaled_pilot
from reportgen.stats.pairs.paired_max_t import difference_intervals
from reportgen.stats.pairs.pilot import drawn_intervals

NOISE = 0.05  # of a share of 1,000 studies: three standard errors, and that of the pilot
ROLES = {"fold": "cv", "seed": "run_seed"}


def frame(n_datasets: int = 8, seed: int = 3) -> pd.DataFrame:
    rng = np.random.default_rng(seed)
    rows = [
        (f"d{m}", name, f, s, 0.3 + 0.01 * k + own + rng.normal(0, 0.01))
        for m in range(n_datasets)
        for k, name in enumerate("ab")
        for own in [rng.normal(0, 0.01)]
        for f in range(4)
        for s in range(3)
    ]
    columns = ["dataset", "candidate", "cv", "run_seed", "misclassification"]
    return pd.DataFrame(rows, columns=columns)


def plan(pilot: Pilot, detect: float = 0.01, **options: Any) -> Any:
    given: dict[str, Any] = {
        "measure": "misclassification",
        "pair": ("", ""),
        "measured": Measure("misclassification"),
        "told": "",
        "power": 0.8,
        "alpha": 0.05,
        "n_comparisons": 1,
        "costs": {"fit": 1.0},
        "cost_unit": "values",
        "n_candidates": 2,
        "rng": np.random.default_rng(1),
    }
    return make_plan(pilot, detect=detect, **{**given, **options})


@pytest.fixture(scope="module")
def study() -> BenchmarkStudy:
    return reportgen.compare(frame(), replication=ROLES)


def test_a_known_error_needs_what_the_noncentral_t_says() -> None:
    """Of 100 observations with a standard error of .01 on 60 degrees of freedom."""
    found = plan(scaled_pilot("observations", 100, 0.01, 60.0), detect=0.02)
    limit = t_law.ppf(0.975, 60)
    n = int(found.enough)
    power = [nct.sf(limit, 60, 0.02 / (0.01 * (100 / k) ** 0.5)) for k in (n, 0.95 * n)]
    assert power[0] >= 0.8 > power[1] - 0.01
    assert found.now.half_width == pytest.approx(limit * 0.01)


def test_more_of_what_varies_inside_needs_fewer_data_sets() -> None:
    pilot = Pilot("data sets", 0, {("dataset",): 1.0, ("seed",): 4.0}, {"seed": 1})
    found = plan(pilot, detect=1.0)
    needed = {d.counts["seed"]: d.n for d in found.designs}
    assert needed[1] > needed[2] > needed[5]
    for design in found.designs:
        assert design.cost == 2 * design.n * design.counts["seed"]
        assert design.power >= 0.8
    assert [d.cost for d in found.designs] == sorted(d.cost for d in found.designs)


def test_costly_data_sets_have_more_seeds() -> None:
    pilot = Pilot("data sets", 0, {("dataset",): 1.0, ("seed",): 4.0}, {"seed": 1})
    cheap = plan(pilot, detect=1.0).designs[0].counts["seed"]
    dear = plan(pilot, detect=1.0, costs={"fit": 1.0, "unit": 1000.0}).designs[0].counts["seed"]
    assert dear > cheap


def test_drawn_studies_have_the_power_of_the_law() -> None:
    """A large pilot of normal differences: as the law itself, judged alike."""
    rng = np.random.default_rng(5)
    pilot = rng.normal(size=4000)
    lower, _ = drawn_intervals(pilot, 0.6, 30, 0.05, rng, 1000)
    direct, _ = difference_intervals(rng.normal(size=(30, 4000)) + 0.6, 0.05)
    assert (lower > 0).mean() == pytest.approx((direct > 0).mean(), abs=NOISE)


def test_noise_of_draws_adds_its_variance() -> None:
    rng = np.random.default_rng(5)
    quiet = drawn_intervals(rng.normal(size=2000), 0.6, 30, 0.05, rng, 1000)[0]
    noisy = drawn_intervals(rng.normal(size=2000) / 2, 0.6, 30, 0.05, rng, 1000, noise=0.75**0.5)[0]
    assert (quiet > 0).mean() == pytest.approx((noisy > 0).mean(), abs=NOISE)


def test_a_tail_towards_no_difference_takes_more_units() -> None:
    rng = np.random.default_rng(7)
    d = 1 - rng.exponential(size=60)
    own = {("unit",): float(d.var(ddof=1))}
    towards = plan(Pilot("items", 60, own, {}, d), detect=0.8, n_comparisons=10)
    away = plan(Pilot("items", 60, own, {}, -d), detect=0.8, n_comparisons=10)
    assert towards.enough > 1.2 * away.enough
    assert towards.safe > towards.enough


def test_skewed_units_reach_what_normal_ones_do_not() -> None:
    family = Family(0.05, 10)
    rng = np.random.default_rng(9)
    powers = []
    for n in (units_for(0.8, family) or 0, int(skewed_units_for(0.8, family))):
        lower, _ = difference_intervals(1.8 - rng.exponential(size=(n, 4000)), 0.005)
        powers.append(float((lower > 0).mean()))
    assert powers[0] < 0.5
    assert powers[1] == pytest.approx(0.8, abs=NOISE)


@pytest.mark.slow
def test_a_study_plans_by_its_components(study: BenchmarkStudy) -> None:
    found = study.plan("1pp")
    assert (found.unit, found.now.n) == ("data sets", 8)
    assert dict(found.now.counts) == {"split": 4, "seed": 3}
    assert found.is_drawn
    assert found.enough < found.safe
    widths = [width for _, width in found.curves["data sets"]]
    assert widths == sorted(widths, reverse=True)
    assert study.plan("2pp").enough < found.enough
    assert study.plan(0.01).enough == found.enough
    assert len(found.to_frame()) == len(found.designs)
    assert str(found).startswith("misclassification: to detect 1pp between a and b")


def test_battles_are_planned() -> None:
    folder = Path(__file__).parents[3] / "studies" / "battles"
    found = reportgen.compare(pd.read_csv(folder / "battles.csv")).plan("50")
    assert found.now.n < found.enough < np.inf


@pytest.mark.slow
def test_the_figure_is_drawn(study: BenchmarkStudy, tmp_path: Path) -> None:
    found = study.plan("1pp")
    assert "<svg" in found.figure(tmp_path / "plan.svg").read_text(encoding="utf-8")
    with pytest.raises(StudyError, match=r"plan\.txt"):
        found.figure(tmp_path / "plan.txt")


@pytest.mark.slow
def test_the_command_line(tmp_path: Path) -> None:
    file = tmp_path / "results.csv"
    names = {"cv": "fold", "run_seed": "seed"}
    frame().rename(columns=names).to_csv(file, index=False)
    options = ["--detect", "1pp", "--figure", str(tmp_path / "p.png"), "--cost", "fit=2"]
    told = CliRunner().invoke(main, ["plan", str(file), *options])
    assert told.exit_code == 0, told.output
    assert "costs least: " in told.stdout
    assert (tmp_path / "p.png").stat().st_size > 1000


@pytest.mark.parametrize("number", ["1e999", "nan", "-inf", "x", ""])
@pytest.mark.parametrize("option", ["--cost", "--sd"])
def test_numbers_that_are_not_finite_are_refused(tmp_path: Path, option: str, number: str) -> None:
    file = tmp_path / "results.csv"
    frame().to_csv(file, index=False)
    words = ["plan", str(file), "--detect", "1pp", option, f"fit={number}"]
    told = CliRunner().invoke(main, words)
    assert told.exit_code == 2
    assert f"{option}: found 'fit={number}'; allowed NAME=NUMBER" in told.stderr


def test_guesses_on_results_have_their_names_and_settings(tmp_path: Path) -> None:
    file = tmp_path / "results.csv"
    values = pd.DataFrame({"candidate": [*"abc"] * 6, "accuracy": np.linspace(0.2, 0.8, 18)})
    values.assign(replication=np.repeat(np.arange(6), 3)).to_csv(file, index=False)
    words = ["plan", str(file), "--detect", "1pp", "--sd", "replication=0.02"]
    told = CliRunner().invoke(main, [*words, "--set", "analysis.alpha=0.01"])
    assert told.stdout.startswith("accuracy: to detect 1pp with a probability of 80%, at 1% over 3")
    for option, value in (("--pair", "a,b"), ("--dataset", "d")):
        refused = CliRunner().invoke(main, [*words, option, value])
        assert refused.exit_code == 2
        assert f"{option}: found with --sd; allowed with a pilot alone" in refused.stderr


def test_guesses_take_the_place_of_a_pilot() -> None:
    found = plan(guessed({"dataset": 0.02, "seed": 0.01}), detect=0.01)
    assert found.now is None
    assert found.enough == pytest.approx(len(_enough_by_law(0.02**2 + 0.01**2, 0.01)), rel=0.1)


def _enough_by_law(variance: float, detect: float) -> range:
    """Return as many as Student's t takes, by scipy."""
    n = 6
    while nct.sf(t_law.ppf(0.975, n - 1), n - 1, detect * (n / variance) ** 0.5) < 0.8:
        n += 1
    return range(n)


@pytest.mark.parametrize("text", ["0", "-1pp", "much", "5%", "1 kg", ""])
def test_sizes_that_are_none(text: str) -> None:
    with pytest.raises(StudyError, match="--detect: found"):
        parse_size(text, Measure("misclassification", unit_symbol="share"), is_ratio=False)


@pytest.mark.parametrize(
    ("call", "message"),
    [
        ({"detect": "1pp", "power": 1.0}, "plan(power=…): found 1.0"),
        ({"detect": 10**400}, "plan(detect=…): found '1000"),
        ({"detect": float("inf")}, "plan(detect=…): found 'inf'; allowed a finite number"),
        ({"detect": [None]}, "plan(detect=…): found '[None]'"),
        ({"detect": "1pp", "pair": ("a", "a")}, "plan(pair=…)"),
        ({"detect": "1pp", "pair": ("a", "zeal")}, "zeal"),
        ({"detect": "1pp", "measure": "auc"}, "auc"),
        ({"detect": "1pp", "costs": {"tea": 1.0}}, "plan(costs=…)"),
        ({"detect": "wide"}, "--detect: found 'wide'"),
    ],
)
def test_refused(study: BenchmarkStudy, call: dict[str, Any], message: str) -> None:
    with pytest.raises(StudyError) as caught:
        study.plan(**call)
    assert message in str(caught.value)


def test_guesses_that_are_none() -> None:
    odd: tuple[dict[str, float], ...] = ({}, {"seed": 1.0}, {"dataset": -1.0}, {"item": 1e200})
    for components in (*odd, {"dataset": 1.0, "item": 1.0}):
        with pytest.raises(StudyError, match="--sd: found"):
            guessed(components)


def test_a_table_has_no_plan(tmp_path: Path) -> None:
    """As it has no claims: its rows are no replications of an experiment."""
    with pytest.raises(StudyError, match="plan: found a table"):
        reportgen.run(Path(__file__).parents[3] / "studies/skeletons.yaml", output=tmp_path).plan(
            1.0
        )


def test_whole_numbers_of_values_have_no_decimals() -> None:
    text = str(reportgen.compare(rows_of_two()).plan(1.0))
    assert "(12 values, power 100%" in text


def rows_of_two() -> pd.DataFrame:
    rng = np.random.default_rng(1)
    values = 0.2 + 0.01 * rng.normal(size=(12, 2))
    frame = pd.DataFrame(values, columns=["a", "b"]).rename_axis("dataset").reset_index()
    return frame.melt("dataset", var_name="candidate", value_name="misclassification")
