"""Every way to write a wrong manifest that we know, with what its author is told."""

from __future__ import annotations

import re
from pathlib import Path

import pytest
from ruamel.yaml import YAML

from reportgen.errors import StudyError
from reportgen.study.manifest import load_study
from reportgen.study.yaml_source import MOST_BYTES
from tests.study.conftest import OPTIONS, Fail

SETUP = """\
measures: [misclassification]
setup:
  datasets: [monks3]
  candidates: [lda, svm]
"""
RESULTS = "results: results.csv\n"

CASES = YAML(typ="safe", pure=True).load(Path(__file__).with_name("wrong_manifests.yaml"))


@pytest.mark.parametrize("case", CASES, ids=[case["case"] for case in CASES])
def test_author_is_told(case: dict[str, str], fail: Fail) -> None:
    assert fail(case["manifest"]) == case["error"]


def test_cases_are_many_and_differ() -> None:
    assert len({case["case"] for case in CASES}) == len(CASES) >= 40
    assert len({case["error"] for case in CASES}) >= 40


def test_bytes_that_are_no_utf8(fail: Fail) -> None:
    assert fail(b"results: results.csv\nstudy: {title: \xe9t\xe9}\n") == (
        "study.yaml:2: found the byte 0xe9, which is not UTF-8; allowed text in UTF-8: save the "
        "file in that encoding"
    )


def test_a_file_that_is_larger_than_any_manifest_is_read_no_further(tmp_path: Path) -> None:
    file = tmp_path / "study.yaml"
    with file.open("wb") as written:
        written.truncate(MOST_BYTES + 1)
    with pytest.raises(StudyError, match=r"study\.yaml: found more than 16 MiB; allowed less$"):
        load_study(file, {})


def test_control_character(fail: Fail) -> None:
    assert fail(RESULTS + "study: {title: a\x01b}\n") == (
        "study.yaml:2: found the control character '\\x01'; allowed printable text"
    )


def test_one_error_names_all_faults_in_the_order_of_the_file(fail: Fail) -> None:
    text = """\
    measures: [misclassification]
    setup:
      datasets: [monks3, monks3]
      candidates: [{name: svm, tuen: published}]
      resampling: {scheme: bootstrap, replications: many}
    analysis: {alpha: 2}
    sections: [edda]
    """
    lines = fail(text).splitlines()
    assert [line.split(": found")[0] for line in lines] == [
        "study.yaml:3: setup.datasets.monks3",
        "study.yaml:4: setup.candidates.svm.tuen",
        "study.yaml:5: setup.resampling.replications",
        "study.yaml:6: analysis.alpha",
        "study.yaml:7: sections.edda",
    ]


def test_unknown_names_are_told_beside_other_faults(fail: Fail) -> None:
    text = """\
    seed: many
    measures: [misclasification, Recall]
    setup:
      datasets: [monsk3, openml:61, {name: own, generator: spirlas}, {file: data.csv, target: y}]
      candidates:
        - svn
        - {name: ldaa, options: 3}
        - {name: rf, estimator: sklearn.ensemble.RandomForestClassifier}
        - {name: mine, estimator: knnn}
    """
    lines = [re.split("; did you|; allowed", line)[0] for line in fail(text).splitlines()]
    assert lines == [
        "study.yaml:1: seed: found 'many'",
        "study.yaml:2: measures.misclasification: found the unknown measure 'misclasification'",
        "study.yaml:4: setup.datasets[4].name: found nothing",
        "study.yaml:4: setup.datasets.monsk3: found the unknown data set 'monsk3'",
        "study.yaml:4: setup.datasets.own: found the unknown data set 'spirlas'",
        "study.yaml:6: setup.candidates.svn: found the unknown candidate 'svn'",
        "study.yaml:7: setup.candidates.ldaa.options: found 3",
        "study.yaml:9: setup.candidates.mine: found the unknown candidate 'knnn'",
    ]


SET = {
    ("a\tb", "1"): (
        r"--set 'a\tb'=1: 'a\tb': found an unknown key; allowed study, seed, plugins, measures, "
        "setup, results, execution, analysis, expect, on_undecided, sections, report"
    ),
    ("seed", "many"): ("--set seed=many: seed: found 'many'; allowed a whole number"),
    ("analysis.alhpa", "0.1"): (
        "--set analysis.alhpa=0.1: analysis.alhpa: found an unknown key; allowed alpha, "
        "relevance, reference, comparisons, plan, df, family, variance, target, costs, "
        "missing_by_design, missing; did you mean alpha?"
    ),
    ("analyses.alpha", "0.1"): (
        "--set analyses.alpha=0.1: analyses: found an unknown key; allowed study, seed, "
        "plugins, measures, setup, results, execution, analysis, expect, on_undecided, "
        "sections, report; did you mean "
        "analysis?"
    ),
    ("setup.candidates.ldaa.name", "x"): (
        "--set setup.candidates.ldaa.name=x: setup.candidates.ldaa: found an unknown "
        "entry; allowed lda, svm; did you mean lda?"
    ),
    ("seed.first", "1"): (
        "--set seed.first=1: seed: found a single value; allowed a new value for seed "
        "itself: it has no keys"
    ),
    ("analysis.missing_by_design", "0.02"): (
        "--set analysis.missing_by_design=0.02: analysis.missing_by_design: "
        "found 0.02; allowed a mapping of keys to values"
    ),
    ("sections", "[eda"): (
        "--set sections=[eda:1: found what is no YAML (while parsing a flow sequence, "
        "expected ',' or ']', but got '<stream end>'); allowed YAML"
    ),
    ("", "1"): (
        "--set =1: found an empty key; allowed keys with a dot between them, such as analysis.alpha"
    ),
}


def test_a_setting_of_very_many_keys_is_told(fail: Fail) -> None:
    told = fail(SETUP + "seed: 1\n", **{"a." * 2000 + "b": "1"})
    assert told.endswith("a: found 2,001 keys within one another; allowed up to 50")


@pytest.mark.parametrize(("key", "value"), SET)
def test_user_of_the_command_line_is_told(key: str, value: str, fail: Fail) -> None:
    assert fail(SETUP + "seed: 1\n", **{key: value}) == SET[key, value]


def test_missing_file_names_the_nearest(tmp_path: Path) -> None:
    (tmp_path / "study.yaml").write_text(RESULTS, "utf-8")
    told = r"stduy.yaml: found no such file; allowed a manifest or .*; did you mean .*study"
    with pytest.raises(StudyError, match=told):
        load_study(tmp_path / "stduy.yaml", OPTIONS)
    (tmp_path / "mine.yaml").touch()
    with pytest.raises(StudyError, match=r"found a folder; allowed a .* did you mean .*mine\.yaml"):
        load_study(tmp_path, OPTIONS)


def test_missing_results_file_is_an_error(tmp_path: Path) -> None:
    with pytest.raises(StudyError, match=r"results.file: found 'none.csv', where there is no file"):
        load_study(tmp_path / "none.csv", OPTIONS)


@pytest.mark.skipif(not Path("/dev/zero").is_char_device(), reason="needs a device without end")
def test_a_device_is_no_file_and_not_asked_for_again(fail: Fail) -> None:
    message = fail("results: {file: /dev/zero}", name="study.yaml")
    assert "found '/dev/zero', where there is a device; allowed a file" in message
    assert "did you mean" not in message


def test_stem_that_is_no_folder_name_asks_for_a_name(fail: Fail) -> None:
    message = fail(RESULTS, name="what?.yaml")
    assert message.startswith("what?.yaml:1: study.name: found no study name, and the file's own")


def test_aliases_cannot_make_a_manifest_endless(fail: Fail) -> None:
    bomb = "a: &a [x, x, x, x, x, x, x, x, x, x]\n"
    for before, name in zip("abcdef", "bcdefg", strict=True):
        bomb += f"{name}: &{name} [{', '.join([f'*{before}'] * 10)}]\n"
    assert "found an alias without end" in fail(bomb)


@pytest.mark.parametrize("depth", [25, 250, 600])
def test_deep_nesting_is_an_error_not_a_crash(depth: int, fail: Fail) -> None:
    assert "nested too deep" in fail("results: " + "[" * depth + "]" * depth)


def test_markup_of_a_manifest_is_shown_as_text(fail: Fail) -> None:
    message = fail(RESULTS + 'sections: ["\\e[31mred"]\n')
    assert "\x1b" not in message
    assert "'\\x1b[31mred'" in message
