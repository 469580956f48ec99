"""Manifests are read, with defaults, sections and names of earlier versions."""

from __future__ import annotations

import logging
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from ruamel.yaml import YAML

from reportgen.errors import StudyError
from reportgen.sections import find_sections
from reportgen.study.manifest import Study, load_study
from reportgen.study.schema.options import AnalysisOptions
from tests.study.conftest import OPTIONS, Eda, Fail, Inference, Load

SETUP = """\
measures: [misclassification, {name: fit-time, relevance: [-0.1, 0.1]}]
setup:
  datasets:
    - monks3
    - {name: mine, file: data.csv, target: y, task: classification}
    - {name: tangled, generator: spirals, n: 200, options: {sd: 0.1}}
  candidates: [lda, {name: svm}]
"""
RESULTS = "results: results.csv\n"


def test_everything_that_the_contract_writes_is_read(load: Load, folder: Path) -> None:
    (folder / "refs.bib").touch()
    (folder / "chars.csv").touch()
    study = load("""\
    # yaml-language-server: $schema=manifest.json
    study:
      name: my-study
      title: Mine
      authors: [{name: A. Bee, affiliation: LMU, orcid: 0000-0001-2345-678X}, C. Dee]
      abstract: It is *short*.
      keywords: [benchmark]
    seed: 7
    measures:
      - misclassification
      - {name: cost, column: Cost, better: smaller, unit: EUR, relevance: [-0.5, 0.5]}
    results:
      file: results.csv
      columns: {candidate: algorithm}
      characteristics: chars.csv
      problem: simulation
      resampling: {scheme: bootstrap}
      n: {monks3: 554, 007: 100}
    execution: {jobs: 4, timeout: 10min, max_failures: 5%}
    analysis: {alpha: 0.01, reference: null, df: asymptotic}
    sections: [eda, inference]
    report: {formats: [html, pdf]}
    """)
    assert (study.name, study.title, study.seed) == ("my-study", "Mine", 7)
    assert [author.name for author in study.info.authors] == ["A. Bee", "C. Dee"]
    assert [m.name for m in study.measures] == ["misclassification", "cost"]
    assert study.results is not None
    assert study.results.n == {"monks3": 554, "007": 100}
    assert study.execution.jobs == 4
    assert study.execution.timeout == 600.0
    assert study.execution.max_failures.of(600) == 30
    assert study.analysis.relevance == {"cost": (-0.5, 0.5)}
    assert study.report.formats == ("html", "pdf")
    assert (study.folder, study.path.name) == (folder, "study.yaml")
    assert "It is *short*." in study.text


def test_keys_that_never_had_a_use_are_named(
    load: Load, folder: Path, caplog: pytest.LogCaptureFixture
) -> None:
    study = load(RESULTS + "report: {bibliography: refs.bib, language: de}\n")
    assert [record.getMessage().removeprefix(f"{folder}/") for record in caplog.records] == [
        f"study.yaml:2: report.{key}: a key that never had an effect, and is gone: leave it out"
        for key in ("language", "bibliography")
    ]
    assert set(type(study.report).model_fields) == {
        *("formats", "length", "html", "paper", "theme", "logo", "footer", "quarto", "latex")
    }


def test_defaults(load: Load) -> None:
    study = load(RESULTS)
    assert (study.name, study.title, study.seed) == ("study", "study", 2011)
    assert study.measures == ()
    assert study.sections is None
    assert study.execution.jobs == "auto"
    assert study.execution.timeout is None
    assert study.report.formats == ("html", "pdf")
    assert study.analysis == AnalysisOptions()


def test_empty_blocks_are_as_good_as_none(load: Load) -> None:
    study = load(RESULTS + "analysis:\n  # alpha: 0.01\nsections:\nreport:\n")
    assert study.analysis == AnalysisOptions()
    assert study.sections is None


def test_setup_by_names(load: Load) -> None:
    setup = load(SETUP).setup
    assert setup is not None
    assert [d.name for d in setup.datasets] == ["monks3", "mine", "tangled"]
    assert [c.name for c in setup.candidates] == ["lda", "svm"]
    assert (setup.resampling.scheme, setup.resampling.n_replications) == (None, 100)
    assert setup.problem == "real-world"


@pytest.mark.parametrize("written", ["10min", "600s", "600 s", "600.0s", "600000ms"])
def test_durations(written: str, load: Load) -> None:
    assert load(RESULTS + f"execution: {{timeout: {written}}}\n").execution.timeout == 600.0


@pytest.mark.parametrize(("written", "allowed"), [("5%", 12), ("5.2 %", 13), ("3", 3), ("0", 0)])
def test_failures_that_are_put_up_with(written: str, allowed: int, load: Load) -> None:
    limit = load(RESULTS + f"execution: {{max_failures: {written}}}\n").execution.max_failures
    assert limit.of(250) == allowed


def test_results_file_stands_for_a_study_with_all_defaults(folder: Path) -> None:
    study = load_study(folder / "results.csv", OPTIONS)
    assert study.name == "results"
    assert study.text == ""
    assert study.results is not None
    assert study.folder / study.results.file == folder / "results.csv"


def test_names_keep_their_spelling(load: Load) -> None:
    study = load("""\
    measures: [error]
    setup:
      datasets: [{name: 'My <b>data</b>: 001', file: data.csv, target: y}]
      candidates: ['001', "SVM (größer)"]
    """)
    assert study.setup is not None
    assert study.setup.datasets[0].name == "My <b>data</b>: 001"
    assert [c.name for c in study.setup.candidates] == ["001", "SVM (größer)"]


def test_yaml_is_1_2(load: Load) -> None:
    study = load(RESULTS + "study: {title: no, keywords: [on, 1:30, 2011-01-01]}\n")
    assert study.info.title == "no"
    assert study.info.keywords == ("on", "1:30", "2011-01-01")


def test_measures_are_named_as_the_catalogue_names_them(load: Load) -> None:
    study = load(RESULTS + "measures: [Misclassification, mtime]\n"
                 "analysis: {relevance: {error: [-0.01, 0.01]}}\n")  # fmt: skip
    assert [m.name for m in study.measures] == ["misclassification", "fit-time"]
    assert study.analysis.relevance == {"misclassification": (-0.01, 0.01)}


# -- sections -----------------------------------------------------------------------


def test_sections_keep_their_order_and_have_their_own_options(load: Load) -> None:
    study = load(RESULTS + "sections: [inference, {eda: {sort: max, m_worst: 3}}]\n")
    assert study.sections is not None
    assert [choice.name for choice in study.sections] == ["inference", "eda"]
    assert study.sections[0].options == Inference()
    assert study.sections[1].options == Eda(sort="max", m_worst=3)


def test_analysis_lies_under_the_entry_s_own_keys(load: Load) -> None:
    study = load(
        RESULTS
        + "analysis: {alpha: 0.1, df: asymptotic, relevance: {error: [-1, 1], time: [-2, 2]}}\n"
        + "sections: [eda, {inference: {alpha: 0.01, relevance: {misclassification: [-3, 3]}}}]\n"
    )
    eda, inference = study.choices(OPTIONS)
    assert (eda.options.alpha, eda.options.df) == (0.1, "asymptotic")
    assert (inference.options.alpha, inference.options.df) == (0.01, "asymptotic")
    assert eda.options.relevance == {"misclassification": (-1.0, 1.0), "time": (-2.0, 2.0)}
    assert inference.options.relevance == {"misclassification": (-3.0, 3.0), "time": (-2.0, 2.0)}


def test_entry_can_return_to_a_default(load: Load) -> None:
    study = load(RESULTS + "analysis: {df: asymptotic}\nsections: [{inference: {df: exact}}]\n")
    assert study.choices(OPTIONS)[0].options.df == "exact"


def test_sections_left_out_are_all_with_the_analysis_merged_in(load: Load) -> None:
    study = load(RESULTS + "analysis: {alpha: 0.2}\n")
    assert [(c.name, c.options) for c in study.choices(OPTIONS)] == [
        ("eda", Eda(alpha=0.2)),
        ("inference", Inference(alpha=0.2)),
    ]


def test_measures_own_relevance_reaches_the_sections(load: Load) -> None:
    study = load(SETUP + "analysis: {relevance: {misclassification: [-0.01, 0.01]}}\n")
    assert study.choices(OPTIONS)[1].options.relevance == {
        "misclassification": (-0.01, 0.01),
        "fit-time": (-0.1, 0.1),
    }


def test_names_in_the_analysis_are_checked_against_results(load: Load) -> None:
    study = load(
        RESULTS + "analysis: {relevance: {error: [-1, 1]}}\n"
        "sections: [eda, {inference: {relevance: {mse: [-2, 2]}}}]\n"
    )
    study.check_names(["misclassification", "mse"])
    with pytest.raises(StudyError) as caught:
        study.check_names(["time"])
    assert [line.split(":", 1)[1] for line in str(caught.value).splitlines()] == [
        "2: analysis.relevance.misclassification: found 'misclassification'; allowed time",
        "3: sections.inference.relevance.mse: found 'mse'; allowed time",
    ]


# -- --set --------------------------------------------------------------------------


def test_command_line_replaces_and_adds(load: Load) -> None:
    study = load(
        SETUP,
        seed="3",
        analysis__relevance="{misclassification: [-0.02, 0.02]}",
        setup__resampling__replications="10",
        setup__candidates="[lda, rf]",
        measures__misclassification__relevance="[-0.02, 0.02]",
    )
    assert study.seed == 3
    assert study.setup is not None
    assert study.setup.resampling.replications == 10
    assert [c.name for c in study.setup.candidates] == ["lda", "rf"]
    assert study.analysis.relevance["misclassification"] == (-0.02, 0.02)
    assert study.analysis.relevance["fit-time"] == (-0.1, 0.1)


def test_command_line_reaches_into_short_forms(load: Load) -> None:
    study = load(
        RESULTS + "sections: [eda, inference]\n",
        sections__eda__sort="max",
        results__problem="simulation",
    )
    assert study.choices(OPTIONS)[0].options == Eda(sort="max")
    assert study.results is not None
    assert (study.results.file, study.results.problem) == ("results.csv", "simulation")


def test_command_line_works_beside_a_results_file(folder: Path) -> None:
    study = load_study(folder / "results.csv", OPTIONS, {"analysis.alpha": "0.01"})
    assert study.analysis.alpha == 0.01


# -- robustness ---------------------------------------------------------------------

WORDS = ["results", "results.csv", "setup", "eda", "alpha", "name", "measures", "time", "sections"]
SCALARS = st.none() | st.booleans() | st.integers() | st.floats() | st.sampled_from(WORDS)
VALUES = st.recursive(
    SCALARS | st.text(max_size=5),
    lambda inner: (
        st.lists(inner, max_size=3) | st.dictionaries(st.sampled_from(WORDS), inner, max_size=3)
    ),
    max_leaves=8,
)
BLOCKS = st.sampled_from(
    ["study", "seed", "measures", "setup", "results", "execution", "analysis", "sections", "report"]
)


@given(st.text(alphabet="ab:-[]{}&*!|>'\"#\n \t%@,?\x00é", max_size=40))
def test_any_text_gives_a_study_or_an_error_of_ours(tmp_path: Path, text: str) -> None:
    (tmp_path / "study.yaml").write_text(text, "utf-8")
    with pytest.raises(StudyError):
        load_study(tmp_path / "study.yaml", OPTIONS)


@given(st.dictionaries(BLOCKS, VALUES, max_size=4))
def test_any_values_give_a_study_or_an_error_of_ours(
    tmp_path: Path, blocks: dict[str, Any]
) -> None:
    path = tmp_path / "study.yaml"
    with path.open("w", encoding="utf-8") as file:
        YAML(typ="safe", pure=True).dump(blocks, file)
    try:
        named = load_study(path, OPTIONS).path
    except StudyError as error:
        named = Path(str(error).split(":")[0])
    assert named == path


def test_wrong_manifest_of_the_tests_is_right_where_it_is_not_wrong(fail: Fail) -> None:
    """Guard the others: an error of one line means that nothing else was wrong."""
    assert fail(SETUP + "analysis: {alpha: 2}\n").count("\n") == 0


# -------------------------------------------------------------------------------- former names


def read(tmp_path: Path, text: str, **overrides: str) -> Study:
    """Read a manifest of results that exist."""
    (tmp_path / "r.csv").write_text("candidate,replication,error\na,1,0.1\n", "utf-8")
    path = tmp_path / "study.yaml"
    path.write_text(f"results: r.csv\n{text}", "utf-8")
    return load_study(path, {n: s.options for n, s in find_sections().items()}, overrides)


@pytest.mark.parametrize(
    ("text", "overrides", "place"),
    [
        ("analysis: {variance: pairwise}", {}, "study.yaml:2: analysis.variance"),
        (
            "sections: [eda, {inference: {variance: pairwise}}]",
            {},
            "study.yaml:2: sections.inference.variance",
        ),
        (
            "sections: [inference]",
            {"analysis.variance": "pairwise"},
            "--set analysis.variance=pairwise: analysis.variance",
        ),
    ],
)
def test_pairwise_variances_are_own_ones(
    tmp_path: Path,
    text: str,
    overrides: dict[str, str],
    place: str,
    caplog: pytest.LogCaptureFixture,
) -> None:
    with caplog.at_level(logging.WARNING):
        study = read(tmp_path, text, **overrides)
    (message,) = caplog.messages
    assert message.removeprefix(f"{tmp_path}/") == (
        f"{place}: pairwise is called own now, and is read so"
    )
    chosen = {c.name: c.options.variance for c in study.sections or ()}
    assert chosen.get("inference", study.analysis.variance) == "own"
    assert ("pairwise" in study.text) is not bool(overrides)  # what is published is what was read


def test_todays_names_need_no_notice(tmp_path: Path, caplog: pytest.LogCaptureFixture) -> None:
    with caplog.at_level(logging.WARNING):
        study = read(tmp_path, "analysis: {variance: own}\nsections: [{inference: {alpha: 0.1}}]")
    assert study.analysis.variance == "own"
    assert not caplog.messages


def test_blocks_of_another_form_are_faults_as_ever(tmp_path: Path) -> None:
    with pytest.raises(StudyError, match="analysis: found 'pairwise'; allowed"):
        read(tmp_path, "analysis: pairwise\nsections: {inference: {variance: pairwise}}")
