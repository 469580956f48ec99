"""What fuzzing has found, case by case."""

from __future__ import annotations

import ast
import json
import re
import tracemalloc
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest
from click.testing import CliRunner

import reportgen
from reportgen.cli import main
from reportgen.errors import ExchangeError, ReportgenError, StudyError
from reportgen.exchange.files import read_table
from reportgen.exchange.readers.logs import read_bytes
from reportgen.exchange.tidy import read_results
from reportgen.sections.expectations.result import Contrast
from reportgen.stats.blocks.variances import variance_intervals
from reportgen.stats.items.clusters import cluster_means
from reportgen.study.manifest import load_study
from reportgen.study.schema import MeasureEntry
from tests.fuzz.outcome import answer, command

ROOT = Path(__file__).resolve().parents[2]
LOSS = MeasureEntry(name="loss")
HUGE = 10**400
LONG = "x" * 100_000
ALONE = " in this experiment"


# ------------------------------------------------------------------------------ manifests


def test_a_key_with_a_bar_is_unknown(tmp_path: Path) -> None:
    (tmp_path / "study.yaml").write_text('results: r.csv\n"|": 1\nanalysis: {"|a": 2}\n', "utf-8")
    with pytest.raises(StudyError, match="an unknown key") as caught:
        load_study(tmp_path / "study.yaml", {})
    assert r"analysis.|a" in str(caught.value)


def test_a_key_that_begins_as_a_tag_of_a_kind_is_unknown(tmp_path: Path) -> None:
    text = 'results: r.csv\n"\\0": 1\nanalysis: {"\\0count": 2}\n'
    (tmp_path / "study.yaml").write_text(text, "utf-8")
    with pytest.raises(StudyError, match="an unknown key") as caught:
        load_study(tmp_path / "study.yaml", {})
    assert r"study.yaml:2: '\x00': found" in str(caught.value)
    assert r"study.yaml:3: analysis.'\x00count': found" in str(caught.value)


def test_an_anchor_anew_is_the_last_before_its_alias(tmp_path: Path) -> None:
    text = "seed: &a 1\nstudy: {authors: [&a two], title: *a}\nresults: r.csv\n"
    (tmp_path / "study.yaml").write_text(text, "utf-8")
    (tmp_path / "r.csv").write_text("dataset,replication,a,b\nd,1,0.1,0.2\n", "utf-8")
    study = load_study(tmp_path / "study.yaml", {})
    assert (study.seed, study.title) == (1, "two")


def test_a_refusal_shows_no_control_character(tmp_path: Path) -> None:
    quick = ROOT / "studies" / "quickstart.yaml"
    setting = "\x1b[2J\u202e.seed=" + "x" * 100_000
    found = command("check", quick, "-o", tmp_path, "--set", setting, places=["--set"])
    assert r"\x1b[2J\u202e" in found.refusal
    assert len(found.refusal) < 1000


@pytest.mark.parametrize(
    ("verb", "option"),
    [
        (("check", "r.csv"), "--set"),
        (("predict", "run", "r.csv"), "--characteristic"),
        (("plan", "r.csv", "--detect", "1"), "--pair"),
        (("plan", "r.csv", "--detect", "1"), "--cost"),
        (("plan", "r.csv", "--detect", "1"), "--sd"),
        (("site", "output"), "--link"),
        (("import", "r.csv", "-o", "r.parquet"), "--epoch"),
        (("import", "r.csv", "-o", "r.parquet"), "--better"),
        (("import", "r.csv", "-o", "r.parquet"), "--column"),
    ],
)
def test_a_refusal_repeats_no_word_of_great_length(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, verb: tuple[str, ...], option: str
) -> None:
    (tmp_path / "output").mkdir()
    (tmp_path / "run").mkdir()
    (tmp_path / "r.csv").write_text("x\n1\n", "utf-8")
    monkeypatch.chdir(tmp_path)
    found = command(*verb, option, "x" * 100_000, places=[option])
    assert len(found.refusal) < 1000


@pytest.mark.parametrize(
    "words", [("run", "r.csv", "--jobs", LONG), ("history", "add", f"--{LONG}"), (LONG,)]
)
def test_nor_does_one_of_a_word_that_no_option_is(words: tuple[str, ...]) -> None:
    found = CliRunner().invoke(main, words)
    assert found.exit_code == 2
    assert "xxx…" in found.stderr
    assert len(found.stderr) < 500


@pytest.mark.parametrize("words", [("run", "r.csv", "--set", f"{LONG}=1"), ("run", LONG)])
def test_nor_does_one_of_a_key_or_a_path(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, words: tuple[str, ...]
) -> None:
    (tmp_path / "r.csv").write_text("candidate,replication,cost\na,1,2\nb,1,3\n", "utf-8")
    monkeypatch.chdir(tmp_path)
    found = CliRunner().invoke(main, words)
    assert found.exit_code in (1, 2)
    assert "xxx…" in found.stderr
    assert len(found.stderr) < 1000


@pytest.mark.parametrize("number", ["7" * 200_000, "-0x" + "f" * 200_000, "7." + "7" * 200_000])
def test_a_number_of_very_many_digits_is_told_by_their_count(tmp_path: Path, number: str) -> None:
    (tmp_path / "study.yaml").write_text(f"seed: {number}\n", "utf-8")
    found = command("check", tmp_path / "study.yaml", places=["study.yaml:1: seed: "])
    assert "found a number of 200,00" in found.refusal
    assert "allowed one of at most 1,000" in found.refusal


@pytest.mark.parametrize("form", ["csv", "json"])
def test_so_is_one_of_a_table(tmp_path: Path, form: str) -> None:
    rows = [{"candidate": c, "replication": r, "cost": "N"} for c in "ab" for r in (1, 2)]
    header = "candidate,replication,cost\n"
    text = header + "a,1,N\nb,1,2\n" if form == "csv" else json.dumps(rows).replace('"N"', "N")
    table = tmp_path / f"r.{form}"
    table.write_text(text.replace("N", "7" * 200_000), "utf-8")
    said = "of 200,000 characters" if form == "csv" else "a whole number of more than 4,300 digits"
    assert said in command("check", table, places=[f"r.{form}"]).refusal


def test_so_is_one_of_an_argument() -> None:
    values = {"a": [1, 2, 3], "b": [2, 3, 4]}
    for keywords in ({"seed": 7**100_000}, {"alpha": -(7**100_000)}):
        with pytest.raises(ReportgenError, match="found a whole number of about 84,509 digits"):
            reportgen.compare(values, **keywords)
    with pytest.raises(ReportgenError, match="found a whole number of more digits than Python"):
        reportgen.compare(values, sections=[7**100_000])
    with pytest.raises(ReportgenError, match="found a whole number of about 84,509 digits"):
        reportgen.compare({**values, "c": [1, 2, 7**100_000]})


@pytest.mark.parametrize("area", [HUGE, -HUGE, [-HUGE, HUGE], [0, HUGE]])
@pytest.mark.parametrize("is_alone", [True, False])
def test_an_area_beyond_double_precision(tmp_path: Path, area: Any, is_alone: bool) -> None:
    quick = ROOT / "studies" / "quickstart.yaml"
    written = repr(area if is_alone else {"misclassification": area})
    words = ["check", quick, "-o", tmp_path, "--set", f"analysis.relevance={written}"]
    assert "allowed two numbers" in command(*words, places=["--set"]).refusal


# --------------------------------------------------------------------------------- tables


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("dataset,a\tb,c\nd,1,2\n", r"found the column 'a\\tb'; allowed a printable name"),
        ("item,a,b\nq1,1,2\nq2,1,2\nq1,3,4\n", "row 4: found an item, or a run of it, of one"),
        ("dataset,replication,a,b\nd,1,1,2\nd,1,3,4\n", "row 3: found .* a second time"),
    ],
)
def test_wide_tables(tmp_path: Path, text: str, said: str) -> None:
    (tmp_path / "wide.csv").write_text(text, "utf-8")
    with pytest.raises(ExchangeError, match=said):
        read_results(tmp_path / "wide.csv", measures=(LOSS,), wide=True)


def test_names_of_columns_that_differ_by_blanks(tmp_path: Path) -> None:
    frame = pd.DataFrame({"dataset": ["d"], "a": [1.0], "a ": [2.0]})
    frame.to_parquet(tmp_path / "wide.parquet")
    with pytest.raises(ExchangeError, match="found the columns 'a' and 'a '; allowed names that"):
        read_results(tmp_path / "wide.parquet", measures=(LOSS,), wide=True)


def test_a_measure_of_a_column_has_a_name_without_blanks(tmp_path: Path) -> None:
    frame = pd.DataFrame({"candidate": ["a", "b"], "replication": [1, 1], " loss": [0.1, 0.2]})
    frame.to_parquet(tmp_path / "blank.parquet")
    assert [m.name for m in read_results(tmp_path / "blank.parquet").measures] == ["loss"]
    frame.rename(columns={" loss": "lo\x07ss"}).to_parquet(tmp_path / "bell.parquet")
    with pytest.raises(ExchangeError, match=r"found the measure 'lo\\x07ss'; allowed"):
        read_results(tmp_path / "bell.parquet")


def test_a_header_without_end_is_told(tmp_path: Path) -> None:
    """The line ends of old systems."""
    (tmp_path / "old.csv").write_bytes(b"candidate,loss\ra,1\rb,2\r")
    with pytest.raises(ExchangeError, match=r"old\.csv: found a carriage return alone in line 1"):
        read_table(tmp_path / "old.csv")


def test_a_row_behind_a_very_long_cell_has_a_number(tmp_path: Path) -> None:
    text = f"candidate,replication,note,loss\na,1,{'x' * 200_000},0.1\nb,1,y,z\n"
    (tmp_path / "long.csv").write_text(text, "utf-8")
    with pytest.raises(ExchangeError, match="row 3, column loss: found 'z'"):
        read_results(tmp_path / "long.csv", measures=(LOSS,))


def test_a_small_file_takes_little_memory(tmp_path: Path) -> None:
    (tmp_path / "small.json").write_bytes(b"[]")
    tracemalloc.start()
    try:
        assert read_bytes(tmp_path / "small.json") == b"[]"
        assert tracemalloc.get_traced_memory()[1] < 1_000_000
    finally:
        tracemalloc.stop()


@pytest.mark.parametrize(
    ("results", "said"),
    [
        ({"\ud800": [0.1], "b": [0.2]}, "data: found .*half of a pair of surrogates; allowed"),
        (pd.DataFrame(), "data: found .*; allowed"),
        (pd.DataFrame({"candidate": [0.5, {}], "b": [10**30, -1.0]}), "data: found no table"),
        (pd.DataFrame({"x" * 10**5: ["y"]}), "data: found a column's name of 100,000 ch.{0,120}$"),
    ],
)
def test_objects(results: Any, said: str) -> None:
    with pytest.raises(ExchangeError, match=said):
        reportgen.compare(results)


def test_a_list_within_a_list_of_values(tmp_path: Path) -> None:
    (tmp_path / "nested.json").write_text('{"d": {"a": [[0.1], 0.2]}, "e": {"a": [1, 2]}}', "utf-8")
    found = command("check", tmp_path / "nested.json", "-o", tmp_path, places=["nested.json"])
    assert found.exit_code == 2


# ------------------------------------------------------------------------------- analyses


@pytest.mark.parametrize("power", [300, -300])
def test_means_of_clusters_have_the_unit_of_the_differences(power: int) -> None:
    d = np.random.default_rng(1).normal(0.1, 0.2, (12, 3))
    clusters = np.arange(12) // 3
    expected, found = cluster_means(d, clusters), cluster_means(np.ldexp(d, power), clusters)
    np.testing.assert_array_equal(found.estimate, np.ldexp(expected.estimate, power))
    np.testing.assert_array_equal(found.standard_error, np.ldexp(expected.standard_error, power))
    np.testing.assert_array_equal(found.df, expected.df)


def items(power: int = 0, *, lost: str = "") -> Any:
    """Return what the section finds for three candidates on two tasks of 24 items each.

    Two items are a cluster, and each has two epochs.
    """
    values = np.ldexp(np.random.default_rng(3).normal(0.3, 0.1, (2, 24, 2, 3)), power)
    rows = [
        (f"task {t}", f"q{i}", f"d{i // 2}", e, "abc"[k], values[t, i, e, k])
        for t, i, e, k in np.ndindex(2, 24, 2, 3)
        if (t, "abc"[k]) != (0, lost)
    ]
    names = ["dataset", "item", "cluster", "epoch", "candidate", "loss"]
    own = {"relevance": {"loss": [-(2.0 ** (power - 6)), 2.0 ** (power - 6)]}}
    return reportgen.compare(pd.DataFrame(rows, columns=names), **own).result("items")


@pytest.mark.parametrize("power", [300, -300])
def test_items_have_the_unit_of_the_values(power: int) -> None:
    expected, found = items(), items(power)
    pairs = zip(expected.verdict["loss"].pairs, found.verdict["loss"].pairs, strict=True)
    for mine, other in pairs:
        assert (other.p_value, other.decision) == (pytest.approx(mine.p_value), mine.decision)
        for key in ("estimate", "lower", "upper"):
            x = np.ldexp(getattr(mine, key), power)
            assert getattr(other, key) == pytest.approx(x, rel=1e-9, abs=0)
    for mine, other in zip(expected.tasks[0].pairs, found.tasks[0].pairs, strict=True):
        numbers = [(own.estimate, own.detectable, *own.these_items) for own in (mine, other)]
        np.testing.assert_allclose(numbers[1], np.ldexp(numbers[0], power), rtol=1e-9)
        assert other.correlation == pytest.approx(mine.correlation)
        assert other.noise_share == pytest.approx(mine.noise_share)


@pytest.mark.slow
@pytest.mark.parametrize("power", [-300, 300])
@pytest.mark.parametrize(
    ("n_sets", "told"),
    [(1, {"resampling": {"scheme": "bootstrap"}}), (3, {}), (7, {}), (1, {"target": "experiment"})],
)
def test_gates_have_the_unit_of_the_values(n_sets: int, told: dict[str, Any], power: int) -> None:
    """Squares of large values are no number, those of small ones 0."""
    values = np.random.default_rng(3).normal([0.3, 0.5, 0.31], 0.03, (n_sets, 12, 3))
    claims = ("a better than b", "c better than a", "a within 0.5 of b", "loss of a below 0.35")
    usual, other = (
        gates(values[0] if n_sets == 1 else values, claims, unit, told) for unit in (0, power)
    )
    for one, same in zip(usual, other, strict=True):
        assert (one.outcome, one.n) == (same.outcome, same.n)
        for name in ("estimate", "lower", "upper", "deviation"):
            expected = np.ldexp(getattr(one, name), power)
            assert getattr(same, name) == pytest.approx(expected, rel=1e-9), name


def test_large_values_have_one_scale_over_data_sets() -> None:
    """Report and gate compare by ratio, however large the unit."""
    levels = 10.0 ** np.linspace(35, 45, 8)[:, None, None]
    noise = np.random.default_rng(1).standard_normal((8, 10, 3))
    values = levels * (np.array([1, 1.2, 1.5]) + 0.02 * noise)
    study = reportgen.compare(values, measure="loss", candidates=["a", "b", "c"])
    assert set(study.pairs()["scale"]) == {"ratio"}
    assert study.check("a better than b")[0].outcome == "holds"
    (gate,) = study.gate("a better than b")
    assert (gate.outcome, gate.contrasts[0].scale) == ("holds", "ratio")


def gates(values: Any, claims: tuple[str, ...], power: int, told: dict[str, Any]) -> list[Contrast]:
    """Return the contrasts of claims on values, and limits, 2 to this power as large."""
    suffix = "" if "target" in told or len(values) == 7 or "resampling" in told else ALONE
    own = [
        re.sub(r"0\.\d+", lambda found: repr(float(np.ldexp(float(found[0]), power))), text)
        for text in claims
    ]
    study = reportgen.compare(
        np.ldexp(values, power), measure="loss", candidates=["a", "b", "c"], **told
    )
    found = study.gate(*(text + suffix for text in own))
    return [contrast for gate in found for contrast in gate.contrasts]


def test_a_candidate_that_lacks_a_task_has_no_place_over_the_tasks() -> None:
    found = items(lost="c").verdict["loss"]
    assert sorted(found.order) == ["a", "b"]
    assert [(pair.first, pair.second) for pair in found.best_first] == [found.order]


def test_a_candidate_that_lacks_a_data_set_costs_no_figure(tmp_path: Path) -> None:
    """The test that no figure is lost is that of all tests."""
    values = np.random.default_rng(1).random((7, 4, 3))
    values[0, :, 0] = np.nan
    study = reportgen.compare(values, measure="loss")
    study.report(tmp_path, formats=["json"], sections=["aggregate"])


def test_draws_without_a_value_leave_intervals_open(tmp_path: Path) -> None:
    rows = [("d", b, "a", 0.1 * b) for b in range(6)] + [("d", 1, "b", 0.3), ("e", 1, "b", 0.2)]
    rows += [("e", b, "a", 0.2 * b) for b in range(6)]
    frame = pd.DataFrame(rows, columns=["dataset", "replication", "candidate", "loss"])
    study = reportgen.compare(frame, better="smaller")
    study.report(tmp_path, formats=["json"], sections=["aggregate"])
    found = answer(next(tmp_path.rglob("results.json")).parent)["sections"]["aggregate"]
    scores = {own["candidate"]: own["interquartile_mean"] for own in found["candidates"]}
    assert scores["b"]["value"] is not None
    assert scores["b"]["interval"] in (None, [None, None])


def test_intervals_of_variances_at_a_level_near_0() -> None:
    values = np.random.default_rng(1).normal(size=(2, 2))
    found = variance_intervals(values, 1e-9)
    assert found.icc == (0.0, pytest.approx(1.0))
    with pytest.raises(ValueError, match="alpha is too small"):
        variance_intervals(values, 1e-200)


# ------------------------------------------------------------------------------- refusals

REFUSALS = {"ExchangeError", "StudyError", "SetupError", "WarehouseError", "AnalysisError"}
EVIDENT = ("no such file", "no YAML", "does not take", "has no value", "{found}", "needs classes")
"""What says itself what is allowed, or has it in a part that is made elsewhere."""


@pytest.mark.slow
def test_a_refusal_says_what_is_allowed() -> None:
    """In the code: where an error says what was found, it says what is allowed."""
    lacking = []
    for path in sorted((ROOT / "reportgen").rglob("*.py")):
        text = path.read_text("utf-8")
        for node in ast.walk(ast.parse(text)) if "Error(" in text else ():
            if isinstance(node, ast.Call) and getattr(node.func, "id", "") in REFUSALS:
                text = ast.unparse(node)
                if "found" in text and not any(part in text for part in ("allowed", *EVIDENT)):
                    lacking.append((path.name, node.lineno, text))
    assert not lacking
