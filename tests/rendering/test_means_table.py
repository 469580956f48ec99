"""The table of a paper: its numbers, bold, signs, order, and what its words say."""

from __future__ import annotations

import re
from dataclasses import replace
from typing import Any

import numpy as np
import pandas as pd
import pytest
from numpy.typing import NDArray
from scipy import stats

import reportgen as rg
from reportgen.api.study import BenchmarkStudy
from reportgen.errors import StudyError
from reportgen.pipeline import analyse
from reportgen.rendering.latex import means_file, write_paper
from reportgen.rendering.latex_text import escape_latex
from reportgen.study.schema import LatexEntry
from tests.rendering.conftest import FOLDERS, HOSTILE

pytestmark = pytest.mark.usefixtures("blanks_as_figures")

NAMES = ["lda", "rpart", "svm"]
BOLD = re.compile(r"\\textbf\{(\d+)\}\\rlap\{\\textbf\{(\.\d+)\}\}\\phantom\{[^}]*\}")
PHANTOM = re.compile(r"\\phantom\{(?:[^{}]|\{[^{}]*\})*\}")


def _study(values: NDArray[np.float64], names: list[str] = NAMES, **more: Any) -> BenchmarkStudy:
    return rg.compare(values, measure="misclassification", candidates=names, name="toys", **more)


@pytest.fixture(scope="module")
def values() -> NDArray[np.float64]:
    return np.random.default_rng(1).normal([0.3, 0.28, 0.2], 0.02, size=(8, 12, 3))


@pytest.fixture(scope="module")
def study(values: NDArray[np.float64]) -> BenchmarkStudy:
    return _study(values)


def _rows(text: str) -> dict[str, list[str]]:
    """Return the cells of each row; bold ones stand in stars."""
    body = text.partition(r"\midrule")[2].partition(r"\bottomrule")[0]
    plain = PHANTOM.sub("", BOLD.sub(r"*\1\2*", body))
    plain = re.sub(r"\\textbf\{([^}]*)\}", r"*\1*", plain).replace("{\\scriptsize{}", "")
    plain = plain.replace(r"\midrule", "").replace(r"\addlinespace[2pt]", "")
    plain = re.sub(r"\\rlap\{\\,([^}]*)\}", r"\1", plain).replace(r"\,", "")
    lines = [line for line in re.split(r"\\\\(?:\*\[-2pt\])?", plain) if line.strip()]
    cells = [[cell.strip() for cell in line.split("&")] for line in lines]
    return {row[0]: row[1:] for row in cells}


def _numbers(cell: str) -> list[float]:
    return [float(x) for x in re.findall(r"\d+\.\d+", cell)]


def _heads(text: str) -> list[str]:
    head = text.partition(r"\toprule")[2].partition(r"\midrule")[0]
    return [cell.strip() for cell in head.replace(r"\\", "").split("&")]


def test_cells_are_means_and_standard_deviations(
    study: BenchmarkStudy, values: NDArray[np.float64]
) -> None:
    text = study.to_latex("means")
    assert _heads(text) == ["Data~set", *NAMES]
    rows = _rows(text)
    for m in range(8):
        for k, cell in enumerate(rows[f"toys {m + 1}"]):
            own = 100 * values[m, :, k]
            assert _numbers(cell) == [round(own.mean(), 2), round(own.std(ddof=1), 2)]
    assert [_numbers(cell)[0] for cell in rows["Mean"]] == [
        round(x, 2) for x in 100 * values.mean(axis=(0, 1))
    ]


def test_an_interval_is_students(study: BenchmarkStudy, values: NDArray[np.float64]) -> None:
    text = study.to_latex("means", spread="interval")
    assert r"95\% t intervals below" in text
    body = text.partition(r"\midrule")[2]
    own = 100 * values[0, :, 0]
    low, high = stats.t.interval(0.95, 11, own.mean(), stats.sem(own))
    assert f"{low:.2f} to {high:.2f}" in body.split(r"\\")[1]


def test_standard_errors_and_nothing_are_others(study: BenchmarkStudy) -> None:
    text = study.to_latex("means", spread="error")
    assert r"mean $\pm$ standard error over replications" in text
    bare = study.to_latex("means", spread="none")
    assert r"\pm" not in bare
    assert "means over replications" in bare


def test_bold_is_what_the_reports_own_table_marks(study: BenchmarkStudy) -> None:
    found = study._contents.table("datasets", None, None).table
    marked = {(found.rows[i][0], name.removeprefix("mean ")) for i, name in found.marked}
    rows = _rows(study.to_latex("means"))
    bold = {
        (name, NAMES[k])
        for name, cells in rows.items()
        for k, cell in enumerate(cells)
        if cell.startswith("*") and name.startswith("toys")
    }
    assert bold == marked
    assert 0 < len(bold) < 24


@pytest.mark.parametrize("reference", NAMES)
def test_signs_are_the_decisions_against_the_reference(
    study: BenchmarkStudy, reference: str
) -> None:
    text = study.to_latex("means", reference=reference)
    assert f"$\\circ$, $\\bullet$: significantly better, worse than {reference}." in text
    decided = {"better": r"$\circ$", "worse": r"$\bullet$"}
    rows = _rows(text)
    counts = dict.fromkeys(NAMES, (0, 0))
    for m in range(8):
        name = f"toys {m + 1}"
        pairs = study.pairs(dataset=name)
        for k, candidate in enumerate(NAMES):
            own = pairs[(pairs["first"] == candidate) & (pairs["second"] == reference)]
            other = pairs[(pairs["second"] == candidate) & (pairs["first"] == reference)]
            wanted = ""
            if len(own):
                wanted = decided.get(own["decision"].iloc[0].split(",")[0], "")
            if len(other):
                opposite = {"better": "worse", "worse": "better"}
                found = other["decision"].iloc[0].split(",")[0]
                wanted = decided.get(opposite.get(found, ""), "")
            cell = rows[name][k]
            assert (re.search(r"\$\\(?:circ|bullet)\$", cell) or [""])[0] == wanted
            better, worse = counts[candidate]
            counts[candidate] = (
                better + (wanted == decided["better"]),
                worse + (wanted == decided["worse"]),
            )
    written = [
        "--" if name == reference else f"{better}/{worse}"
        for name, (better, worse) in counts.items()
    ]
    assert rows[r"$\circ$/$\bullet$"] == written


def test_no_reference_has_no_sign(study: BenchmarkStudy) -> None:
    for text in (study.to_latex("means"), study.to_latex("means", reference=False)):
        assert r"\circ" not in text
        assert r"\bullet" not in text


@pytest.mark.slow
def test_the_reference_of_the_analysis_is_the_usual_one(values: NDArray[np.float64]) -> None:
    own = _study(values, analysis={"reference": "svm"})
    assert r"$\bullet$: significantly better, worse than svm." in own.to_latex("means")
    assert r"\bullet" not in own.to_latex("means", reference=False)
    alone = _study(values, analysis={"reference": "svm", "comparisons": "reference"})
    text = alone.to_latex("means")
    assert r"Bold: not significantly worse than svm" in text
    assert "Tests of all pairs with svm on each data set" in text
    with pytest.raises(StudyError, match=r"only pairs with 'svm' are decided on; allowed 'svm'"):
        alone.to_latex("means", reference="lda")


def test_candidates_stand_by_name_or_by_their_means(values: NDArray[np.float64]) -> None:
    report = _study(values, ["m10", "m2", "m3"])._brief
    design = replace(
        report.design,
        candidates=tuple(reversed(report.design.candidates)),
    )
    performances = tuple(reversed(report.performances))
    report = replace(report, design=design, performances=performances)

    def heads_and_rows(sort: str) -> tuple[list[str], list[str]]:
        options = LatexEntry.model_validate({"means": {"sort": sort}})
        text = means_file(report, FOLDERS, options, "misclassification")
        return _heads(text)[1:], [name for name in _rows(text) if name != "Mean"]

    numbered = [f"toys {i}" for i in range(1, 9)]
    assert heads_and_rows("study") == (["m10", "m3", "m2"], numbered[::-1])
    assert heads_and_rows("name") == (["m2", "m3", "m10"], numbered)
    assert heads_and_rows("best") == (["m3", "m2", "m10"], numbered[::-1])


@pytest.mark.slow
def test_of_more_than_eight_the_best_and_the_reference_stand_there() -> None:
    rng = np.random.default_rng(2)
    names = [f"m{i}" for i in range(10)]
    own = _study(rng.normal(np.linspace(0.2, 0.4, 10)[::-1], 0.01, size=(6, 10, 10)), names)
    assert _heads(own.to_latex("means"))[1:] == names[2:]
    text = own.to_latex("means", reference="m0", sort="best")
    assert _heads(text)[1:] == [*names[:2:-1], "m0"]
    assert "of eight candidates" in text
    assert "Of 10 candidates these have the best means, m0 apart." in text


def test_of_one_data_set_candidates_are_rows(values: NDArray[np.float64]) -> None:
    own = _study(values[0])
    text = own.to_latex("means", reference="lda")
    assert [*_rows(text)] == NAMES
    assert r"error (\%)" in text
    assert "Misclassification error of three candidates on toys" in text
    assert r"Bold: no other candidate is significantly better." in text
    assert "Last row" not in text
    bold = [name for name, cells in _rows(text).items() if cells[0].startswith("*")]
    assert bold == ["svm"]


def test_a_candidate_without_the_main_measure_stands_last() -> None:
    rng = np.random.default_rng(3)
    rows = [
        (i, name, measure, rng.normal(mean, 0.01))
        for i in range(8)
        for name, mean in (("a", 0.7), ("b", 0.8), ("c", 0.6))
        for measure in ("accuracy", "auc")
        if (name, measure) != ("c", "accuracy")
    ]
    frame = pd.DataFrame(rows, columns=["replication", "candidate", "measure", "value"])
    text = rg.compare(frame, name="toys").to_latex("means", sort="best")
    assert [*_rows(text)] == ["b", "a", "c"]


def test_without_a_test_the_best_is_bold_and_a_note_says_so() -> None:
    rng = np.random.default_rng(2)
    own = _study(rng.normal([0.3, 0.28, 0.2], 0.01, size=(8, 1, 3)))
    text = own.to_latex("means", reference="lda")
    assert r"Bold: the best of the row." in text
    assert "No test was made on any data set" in text
    assert r"\pm" not in text
    rows = _rows(text)
    assert all(cells[2].startswith("*") for cells in rows.values())
    assert not any("circ" in cell for name in rows if name != "Mean" for cell in rows[name])
    assert r"$\circ$" in rows["Mean"][2]
    assert "worse than lda" in text
    with pytest.raises(StudyError, match="no two values of a candidate on a data set; allowed"):
        own.to_latex("means", spread="sd")


def test_where_no_test_was_made_on_some_data_sets_a_sign_says_so(
    values: NDArray[np.float64],
) -> None:
    own = rg.compare(
        {
            f"d{m}": {c: v[: 12 if m else 3, k] for k, c in enumerate(NAMES)}
            for m, v in enumerate(values[:3])
        },
        measure="misclassification",
    )
    text = own.to_latex("means")
    assert r"d0$^{\dagger}$" in text
    assert r"d1$^{\dagger}$" not in text
    assert r"$^{\dagger}$: no test was made" in text


@pytest.mark.slow
def test_gaps_are_told(values: NDArray[np.float64]) -> None:
    gappy = values.copy()
    gappy[0, :4, 0] = np.nan
    gappy[1, :, 1] = np.nan
    text = _study(gappy).to_latex("means", reference="lda")
    assert "lda on toys 1 has 8 of 12." in text
    assert "gaps counted as the worst there" in text
    rows = _rows(text)
    assert rows["toys 2"][1] == "--"
    assert "--: no value." in text
    assert _numbers(rows["toys 1"][0])[0] == round(100 * float(np.nanmean(gappy[0, :, 0])), 2)


def test_items_have_intervals_and_clusters_count_together() -> None:
    rng = np.random.default_rng(3)
    answers = rng.random((2, 40, 2)) < [0.8, 0.4]
    rows = [
        {"task": f"t{m}", "item": i, "model": f"c{k}", "accuracy": float(answers[m, i, k])}
        for m in range(2)
        for i in range(40)
        for k in range(2)
    ]
    frame = pd.DataFrame(rows).rename(columns={"task": "dataset", "model": "candidate"})
    own = rg.compare(frame)
    text = own.to_latex("means")
    assert "Accuracy in per cent of two candidates on two tasks" in text
    assert r"95\% t intervals below" in text
    assert "they speak of items like these" in text


def test_battles_have_no_such_table() -> None:
    rng = np.random.default_rng(4)
    pairs = [rng.choice(["a", "b", "c"], 2, replace=False) for _ in range(200)]
    frame = pd.DataFrame(
        [(x, y, "model_a" if rng.random() < 0.6 else "model_b") for x, y in pairs],
        columns=["model_a", "model_b", "winner"],
    )
    own = rg.compare(frame)
    words = r"no table means of battles; allowed contenders, meetings, pairs"
    with pytest.raises(StudyError, match=words):
        own.to_latex("means")


@pytest.mark.parametrize(
    ("options", "words"),
    [
        ({"spread": "x"}, r"to_latex\(spread=…\): found 'x'; allowed sd, error, interval, none"),
        ({"sort": "x"}, r"to_latex\(sort=…\): found 'x'; allowed study, name, best"),
        ({"columns": 3}, r"to_latex\(columns=…\): found 3; allowed 1, 2"),
        ({"width": 10}, r"to_latex\(width=…\): found 10; allowed 250 to 600"),
        ({"reference": "x"}, r"found no candidate 'x'|'x'.*lda"),
        ({"dataset": "toys 1"}, r"dataset=…\): found 'toys 1' for the table means; allowed none"),
        ({"measure": "x"}, "x"),
    ],
)
def test_what_is_not_allowed_is_told(
    study: BenchmarkStudy, options: dict[str, Any], words: str
) -> None:
    with pytest.raises(StudyError, match=words):
        study.to_latex("means", **options)


def test_options_of_the_table_are_of_no_other(study: BenchmarkStudy) -> None:
    with pytest.raises(StudyError, match=r"sort=…\): found 'best' for the table 'pairs'; allowed"):
        study.to_latex("pairs", sort="best")


def test_a_wide_table_has_spreads_below_the_means_and_columns_take_one_or_both(
    values: NDArray[np.float64],
) -> None:
    rng = np.random.default_rng(5)
    names = [f"candidate {i}" for i in range(8)]
    own = _study(rng.normal(0.3, 0.02, size=(3, 8, 8)), names)
    text = own.to_latex("means")
    assert text.count(r"\\*[-2pt]") == 3
    assert "sidewaystable" not in text
    assert r"\begin{table*}" in own.to_latex("means", columns=2)
    assert r"\begin{table}" in _study(values).to_latex("means", columns=2, spread="none")


def test_names_are_as_they_are() -> None:
    rng = np.random.default_rng(5)
    names = [name for name in HOSTILE if name.isprintable()][:6]
    own = _study(rng.normal(0.3, 0.02, size=(3, 8, len(names))), names)
    text = own.to_latex("means", reference=names[0])
    heads = text.partition(r"\toprule")[2].partition(r"\midrule")[0]
    plain = re.sub(r"\\begin\{tabular\}\[b\]\{@\{\}r@\{\}\}|\\end\{tabular\}|\\allowbreak\{\}", "",
                   heads)  # fmt: skip
    plain = " ".join(plain.replace(r"\\{}", " ").replace(r"\\", " ").split())
    for name in names:
        written = " ".join(escape_latex(name).split())
        assert written.replace(" ", "") in plain.replace(" ", "")


@pytest.mark.slow
def test_an_export_has_the_table_of_every_measure(study: BenchmarkStudy, tmp_path: Any) -> None:
    report = analyse(*study.parts, formats=["json"])
    options = LatexEntry.model_validate({"means": {"sort": "best", "spread": "error"}})
    write_paper(report, tmp_path, FOLDERS, options)
    text = (tmp_path / "tables" / "means-misclassification.tex").read_text("utf-8")
    assert text == study.to_latex("means", sort="best", spread="error")
    main = (tmp_path / "main.tex").read_text("utf-8")
    assert r"% \input{tables/means-misclassification}" in main
