"""What the appendix lists, and what it says of it."""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import reportgen
from reportgen.catalogue.measures import find_measure
from reportgen.exchange.odd_values import WORDS as ODD_VALUES
from reportgen.fit_issues import Failure, FitWarning, HyperparameterChoice
from reportgen.measures import MEASURE_WORDS
from reportgen.performance_measure import target_exponent
from reportgen.rendering.appendix import MOST_ROWS, appendix_tables
from reportgen.rendering.composition import Composition, compose
from reportgen.rendering.render_context import HTML, RenderContext
from reportgen.report import DatasetDesign, MeasuredWith, Report
from tests.rendering.test_composition import EXTRAS

Edit = Callable[..., Report]
PACKAGE = Path(reportgen.__file__).parent


def _several(n: int) -> tuple[DatasetDesign, ...]:
    return tuple(DatasetDesign(f"d{i}", 25, 0) for i in range(n))


def _composed(report: Report, folders: tuple[Path, ...]) -> Composition:
    contents = (replace(report.contents[0], dataset=report.design.datasets[0].name),)
    return compose(RenderContext(replace(report, contents=contents), HTML, folders, EXTRAS))


def _words(markup: object) -> str:
    return " ".join(re.sub(r"<[^>]*>", " ", str(markup)).split())


def test_data_sets_with_the_same_message_share_a_row(edited: Edit) -> None:
    failures = (
        Failure("d0", "rf", "failed", "fit", "E: x", 2),
        Failure("d1", "rf", "failed", "fit", "E: x", 3),
        Failure("d1", "svm", "failed", "measure", "brier: none", 25),
        Failure("d2", "rf", "failed", "fit", "E: y", 1),
    )
    design = edited(datasets=_several(3), failures=failures).design
    table = appendix_tables(design)[0].table
    assert table.rows == (  # in the candidates' order: svm, rf, lda
        ("svm", ("d1",), "measure", None, "brier: none", 25),
        ("rf", ("d0", "d1"), "fit", "failed", "E: x", 5),
        ("rf", ("d2",), "fit", "failed", "E: y", 1),
    )


def test_a_single_data_set_is_not_named(edited: Edit) -> None:
    warned = (FitWarning("monks", "rf", "W", 2),)
    chosen = (HyperparameterChoice("monks", "rf", "k", 3, 2, 2, 1, 3.0, 3.0, 3.0),)
    for listing in appendix_tables(edited(warnings=warned, choices=chosen).design):
        assert "Data set" not in [column.label for column in listing.table.columns]


def test_columns_that_hold_nothing_are_left_out(edited: Edit) -> None:
    failures = (Failure("monks", "svm", "failed", "measure", "brier: none", 25),)
    chosen = (HyperparameterChoice("monks", "rf", "kernel", "rbf", 2, 3, 2),)
    tables = [t.table for t in appendix_tables(edited(failures=failures, choices=chosen).design)]
    names = [[column.name for column in table.columns] for table in tables]
    assert names == [
        ["candidate", "stage", "message", "count"],
        [],
        ["candidate", "parameter", "mode", "count", "n"],
    ]
    assert tables[0].rows == (("svm", "measure", "brier: none", 25),)


def test_the_rows_with_the_most_fits_are_kept(edited: Edit) -> None:
    warned = tuple(FitWarning("monks", "rf", f"W{i}", i + 1) for i in range(MOST_ROWS + 5))
    listing = appendix_tables(edited(warnings=warned).design)[1]
    assert listing.n_left_out == 5
    assert sorted(row[-1] for row in listing.table.rows) == list(range(6, MOST_ROWS + 6))


def test_a_parameters_data_sets_stand_together(edited: Edit) -> None:
    chosen = tuple(
        HyperparameterChoice(d, k, p, None, 1, 5, 5, 1.0, 2.0, 3.0)
        for d in ("d0", "d1")
        for k in ("lda", "svm")
        for p in ("C", "a")
    )
    table = appendix_tables(edited(datasets=_several(2), choices=chosen).design)[2].table
    assert [row[:3] for row in table.rows] == [
        (k, p, d) for k in ("svm", "lda") for p in ("C", "a") for d in ("d0", "d1")
    ]
    assert table.rows[0][3:] == (5, 1.0, 2.0, 3.0)  # no value was chosen twice


def test_what_is_missing_is_counted_in_words(edited: Edit, folders: tuple[Path, ...]) -> None:
    failures = (
        Failure("monks", "rf", "failed", "fit", "E", 2),
        Failure("monks", "rf", "timed-out", "fit", "late", 1),
        Failure("monks", "lda", "skipped", "sample", "empty", 3),
        Failure("monks", "svm", "failed", "measure", "brier: …", 1, 1),
    )
    text = _words(_composed(edited(failures=failures, n_missing=7), folders).failures)
    assert text.startswith(
        "Of 75 fits 2 failed and 1 took longer than allowed; such fits have no value of any "
        "measure. 3 fits were left out, because no observation was left to test on. 1 value is "
        "missing though the fit went well (stage measure ); its other measures count."
    )
    assert "written as dots" not in text


def test_values_may_be_missing_though_no_fit_failed(
    edited: Edit, folders: tuple[Path, ...]
) -> None:
    failures = (Failure("monks", "svm", "failed", "measure", "brier: … of 7", 25, 4),)
    text = _words(_composed(edited(failures=failures, n_missing=25), folders).failures)
    assert text.startswith("No fit failed. 25 values are missing though the fit went well")
    assert "Numbers that differ from fit to fit are written as dots." in text


def test_nothing_is_missing(report: Report, folders: tuple[Path, ...]) -> None:
    composition = _composed(report, folders)
    assert not str(composition.failures).strip()  # which the design says
    assert "No value is missing." in _words(composition.design.text)
    assert not str(composition.warnings).strip()
    assert not str(composition.choices).strip()


def test_warnings_say_how_many_candidates_and_what_was_left_out(
    edited: Edit, folders: tuple[Path, ...]
) -> None:
    warned = tuple(FitWarning("monks", "rf", f"W{i}", 1) for i in range(MOST_ROWS + 2))
    text = _words(_composed(edited(warnings=warned), folders).warnings)
    assert text.startswith("One of three candidates warned of something.")
    assert f"The {MOST_ROWS} rows with the most fits are listed; 2 more are in results.json" in text


def test_choices_are_written_with_four_digits(edited: Edit, folders: tuple[Path, ...]) -> None:
    chosen = (
        HyperparameterChoice(
            "monks", "rf", "gamma", 2.0**-10, 3, 25, 4, 2.0**-10, 0.015625, 4096.0
        ),
        HyperparameterChoice("monks", "rf", "kernel", "<b>", 20, 25, 2),
        HyperparameterChoice("monks", "lda", "alpha", None, 1, 25, 25, 0.1, 0.2, 0.3),
    )
    composition = _composed(edited(choices=chosen), folders)
    text = _words(composition.choices)
    assert text.startswith("rf and lda chose hyperparameters in every learning sample anew")
    assert "Where every fit chose another value, there is no most frequent one." in text
    assert "gamma 0.0009766 3 25 0.0009766 0.01563 4,096" in text
    assert "kernel &lt;b&gt; 20 25 – – –" in text
    assert "alpha – – 25 0.1 0.2 0.3" in text


def test_many_data_sets_are_named_up_to_three(edited: Edit, folders: tuple[Path, ...]) -> None:
    warned = tuple(FitWarning(f"d{i}", "rf", "W", 1) for i in range(5))
    report = edited(datasets=_several(5), warnings=warned)
    made: Any = _composed(report, folders).warnings
    assert "d0 , d1 , d2 and 2 more W 5" in _words(made)


def test_every_computed_measure_is_defined(edited: Edit, folders: tuple[Path, ...]) -> None:
    names = [n for n in MEASURE_WORDS if target_exponent(n) is None and n not in ("primary", "elo")]
    measures = tuple(find_measure(name).measure for name in names)
    text = _words(_methods(edited(measures=measures, waiting={"anna": 1.0}), folders))
    assert "scikit-learn" not in text
    assert "fitting memory : the most by which the physical memory of the process that fits" in text
    definitions = re.findall(r" : (.*?)\.(?= )", text)
    assert len(set(definitions)) == len(definitions) == len(measures)
    assert "Times are seconds on the clock" in text
    assert "it is the system's account of that process" in text


def test_times_are_the_clocks_beside_what_the_processor_took(
    edited: Edit, folders: tuple[Path, ...]
) -> None:
    waiting = {"anna": 1.02, "bert": 12.34}
    measures = tuple(find_measure(name).measure for name in ("misclassification", "fit-time"))
    text = _words(_methods(edited(measures=measures, waiting=waiting), folders))
    assert "fitting time : seconds of the clock of the fit" in text
    assert "On average fits took at most 12.3 times the seconds of the processor ( bert )" in text
    assert "--jobs 1 measures them alone" in text
    report = edited(measures=measures, waiting=waiting)
    origin = replace(report.provenance, execution={"workers": 1})
    alone = _words(_methods(replace(report, provenance=origin), folders))
    assert "--jobs" not in alone
    earlier = _words(_methods(edited(measures=measures), folders))
    assert "fitting time : processor seconds of the fit" in earlier
    assert "Times are those of the processor" in earlier


def test_a_scorer_is_said_to_be_one(edited: Edit, folders: tuple[Path, ...]) -> None:
    measures = (find_measure("misclassification").measure, find_measure("neg_log_loss").measure)
    report = edited(measures=measures, datasets=(DatasetDesign("monks", 25, 0, n_classes=2),))
    text = _words(_methods(report, folders))
    assert "neg_log_loss : scikit-learn’s scorer of that name" in text
    assert "the one that sorts last is the positive one" in text
    assert "Times are" not in text
    assert "Memory is" not in text


def test_results_that_existed_are_not_said_to_be_measured(
    edited: Edit, folders: tuple[Path, ...]
) -> None:
    anchors = [part.anchor for part in _composed(edited(source="x.csv"), folders).methods]
    assert anchors == ["methods-toy"]


def _methods(report: Report, folders: tuple[Path, ...]) -> object:
    part = _composed(report, folders).methods[0]
    assert part.anchor == "how-measured"
    return part.body


def test_fits_that_were_not_begun_are_told_of(edited: Edit, folders: tuple[Path, ...]) -> None:
    failures = (
        Failure("monks", "rf", "failed", "fit", "E", 13),
        Failure("monks", "lda", "skipped", "execution", "not begun: …", 12),
    )
    text = _words(_composed(edited(failures=failures, n_missing=25), folders).failures)
    assert "12 fits were not begun, because more had failed than execution.max_failures" in text
    assert "out of bag" not in text
    assert "left out" not in text


def test_a_manifest_that_the_command_overrules_says_so(
    report: Report, folders: tuple[Path, ...]
) -> None:
    def text(command: str) -> str:
        origin = replace(report.provenance, command=command, manifest="seed: 1")
        return _words(_composed(replace(report, provenance=origin), folders).rerun)

    said = "The manifest; the command’s --set overrules it"
    assert said in text("reportgen run s.yaml --set seed=7")
    assert said not in text("reportgen run s.yaml")
    assert "The manifest" in text("reportgen run s.yaml")


def test_versions_of_the_parts_are_told_where_they_differ(
    report: Report, folders: tuple[Path, ...]
) -> None:
    def text(*parts: MeasuredWith) -> str:
        origin = replace(report.provenance, measured_with=parts)
        made = _composed(replace(report, provenance=origin), folders)
        return f"{_words(made.provenance)} {_words(made.rerun)}"

    now = dict(report.provenance.versions)
    same, old = MeasuredWith(now, 6), MeasuredWith({**now, "Python": "3.10.1"}, 1)
    older = MeasuredWith({"Python": "3.9.0", "reportgen": "0.0.9"}, 2)
    assert "easured" not in text()
    assert "easured" not in text(same)
    told = text(old, same)
    assert "not all with the same version of Python : where results" in told
    assert (
        "Measured with 1 fit: Python 3.10.1, reportgen 0.1.0 "
        "6 fits: Python 3.11.7, reportgen 0.1.0 Computed with" in told
    )
    assert "same version of Python and reportgen : where" in text(older, same)
    told = text(old)
    assert "made with other versions than those that computed the report" in told
    assert "Measured with 1 fit: Python 3.10.1" in told
    told = text(MeasuredWith({}, 3), same)
    assert "Which versions made 3 fits is not known." in told
    assert "Measured with 3 fits: not known 6 fits: Python 3.11.7" in told


def test_what_was_decided_while_reading_is_told_in_words(
    edited: Edit, folders: tuple[Path, ...]
) -> None:
    written = "\n".join(path.read_text() for path in (PACKAGE / "exchange").rglob("*.py"))
    told = r"(?:decided\.append\(\(|decided = \[\(|else \[\(|_note\()\"([a-z-]+)\""
    kinds = {*re.findall(told, written), *ODD_VALUES}
    assert {"item-runs", "lost-runs", "left-out-log", "intervals", "odd-giants"} <= kinds
    for kind in kinds:
        text = _words(_composed(edited(readings=((kind, "up to 3"),)), folders).rerun)
        assert f"How it was read {kind.replace('-', ' ')}: up to 3" not in text
