"""How a study shows itself, its claims, its figures and its tables."""

from __future__ import annotations

import inspect
import re
import subprocess
import sys
from base64 import b64decode
from pathlib import Path

import numpy as np
import pandas as pd
import pytest

import reportgen
from reportgen.api.study import BenchmarkStudy
from reportgen.errors import StudyError
from reportgen.study.claims import Names, read_claim

MOST_BYTES = 400_000


@pytest.fixture(scope="module")
def study() -> BenchmarkStudy:
    rng = np.random.default_rng(3)
    block = rng.normal(0.3, 0.02, 80)
    errors = {
        "lda": block + rng.normal(0.05, 0.01, 80),
        "random forest": block + rng.normal(0.001, 0.01, 80),
        "svm": block + rng.normal(0, 0.01, 80),
    }
    return reportgen.compare(errors, measure="misclassification", relevance=0.01, name="monks")


@pytest.fixture(scope="module")
def domain() -> BenchmarkStudy:
    rng = np.random.default_rng(4)
    values = rng.normal(0.2, 0.01, (8, 6, 3)) + np.array([0.05, 0, 0])
    return reportgen.compare(values, better="smaller", candidates=["a", "b", "c"])


def test_text_is_a_dozen_lines(study: BenchmarkStudy, domain: BenchmarkStudy) -> None:
    for shown in (repr(study), repr(domain)):
        assert 8 <= len(shown.splitlines()) <= 20
        assert max(map(len, shown.splitlines())) <= 100
        assert not re.search(r"\*\*|&\w+;", shown)
    assert "80 replications x 3 candidates" in repr(study)
    assert repr(study).count("\nlda ") == 1


def test_one_candidate_and_one_replication_are_shown() -> None:
    alone = reportgen.compare({"lda": [0.1, 0.2, 0.3]}, better="smaller")
    assert "1 candidate" in repr(alone)
    by_dataset = {"a": {"lda": [0.1, 0.2]}, "b": {"lda": [0.2, 0.3]}}
    for one in (alone, reportgen.compare(by_dataset, better="smaller")):
        assert "There is no other candidate to compare it with." in " ".join(repr(one).split())
        assert "There is no other candidate to compare it with." in one._repr_html_()
    once = reportgen.compare({"lda": [0.1], "svm": [0.2]}, better="smaller")
    assert "1 replication" in repr(once)
    for shown in (alone, once):
        assert "<div" in shown._repr_html_()


def test_html_is_small_and_by_itself(study: BenchmarkStudy, domain: BenchmarkStudy) -> None:
    for shown in (study, domain):
        page = shown._repr_html_()
        assert len(page.encode()) <= MOST_BYTES
        assert "<script" not in page
        without_names = page.replace("http://www.w3.org/2000/svg", "")
        assert not re.search(r"https?:|url\((?!data:|#)", without_names)
        rules = re.search(r"<style>(.*)</style>", page, re.DOTALL)
        assert rules
        style = re.sub(r"@font-face\{.*?\}", "", rules[1])
        style = style.replace("@media (prefers-color-scheme:dark){", "")
        for selectors in re.findall(r"([^{}]+)\{", style):
            for selector in selectors.split(","):
                assert ".reportgen-view" in selector, selector
        assert page.count("<svg") == 1


def test_views_on_one_page_have_their_own_clips(
    study: BenchmarkStudy, domain: BenchmarkStudy
) -> None:
    first, second = (re.findall(r'\bid="(.*?)"', s._repr_html_()) for s in (study, domain))
    assert first
    assert second
    assert not set(first) & set(second)


def test_a_bundle_has_text_for_programs_without_html(study: BenchmarkStudy) -> None:
    bundle = study._repr_mimebundle_()
    assert bundle["text/plain"] == repr(study)
    assert bundle["text/html"].startswith("<div class='reportgen-view'>")


def test_texts_for_paper_have_verdict_and_numbers(
    study: BenchmarkStudy, domain: BenchmarkStudy
) -> None:
    for own in (study, domain):
        means = re.findall(r"  (\S+) +\d+ of \d+$", repr(own), re.MULTILINE)
        assert means
        bundle = own._repr_mimebundle_()
        markdown, latex = bundle["text/markdown"], bundle["text/latex"]
        assert all(f"| {mean} |" in markdown for mean in means)
        assert all(f"& {mean.replace('%', chr(92) + '%')} &" in latex for mean in means)
        assert not re.search("[\ue000-\ue00f]", markdown + latex)
        words = re.findall(r"[a-z]{4,}", repr(own).split("\n\n")[1])
        assert set(words) <= set(re.findall(r"[a-z]{4,}", markdown))
        assert set(words) <= set(re.findall(r"[a-z]{4,}", latex))


def test_pages_show_one_figure_and_documents_the_picture(
    study: BenchmarkStudy, monkeypatch: pytest.MonkeyPatch
) -> None:
    shown: list[dict[str, str]] = []
    monkeypatch.setattr("IPython.display.display", lambda data, raw: shown.append(data))
    study._ipython_display_()
    view, figure = shown
    assert view["text/html"].count("<figure>") == 1
    assert "<svg" not in figure["text/html"]
    assert b64decode(figure["image/png"]).startswith(b"\x89PNG")
    assert "text/latex" not in figure  # which would come before the picture


@pytest.mark.parametrize(
    ("claim", "outcome"),
    [
        ("svm better than lda", "holds"),
        ("lda better than svm", "fails"),
        ("svm is better than random forest", "undecided"),
        ("random forest within 0.01 of svm", "holds"),
        ("lda is within 0.01 of svm", "fails"),
        ("lda within 0.0505 of svm", "undecided"),
        ("random forest not worse than svm by 0.01", "holds"),
        ("lda not worse than svm by 0.02", "fails"),
        ("svm not worse than lda by 0", "holds"),
    ],
)
def test_claims(study: BenchmarkStudy, claim: str, outcome: str) -> None:
    checks = study.check(f"{claim} in this experiment")
    (found,) = checks
    assert found.outcome == outcome
    assert bool(checks) is (outcome == "holds")
    pair = study.result("inference")["misclassification"].pairs.between(found.first, found.second)
    assert pair.lower < found.lower < found.estimate < found.upper < pair.upper  # of all pairs


def test_a_check_names_its_family(study: BenchmarkStudy) -> None:
    here = "in this experiment"
    one = study.check(f"svm better than lda {here}", f"lda better than svm {here}")
    both = study.check(f"svm better than lda {here}", f"svm within 1 of random forest {here}")
    assert "95% interval: " in repr(one)
    assert "95% interval for 2 contrasts at once: " in repr(both)
    assert both[0].lower < one[0].lower < one[0].upper < both[0].upper
    assert one.to_frame()[["level", "n_contrasts", "n_stages"]].iloc[0].tolist() == [0.95, 1, 1]


def test_all_claims_have_to_hold(study: BenchmarkStudy) -> None:
    checks = study.check(
        "svm better than lda in this experiment", "lda better than svm in this experiment"
    )
    assert not checks
    assert [c.outcome for c in checks] == ["holds", "fails"]
    assert checks.to_frame()["outcome"].tolist() == ["holds", "fails"]
    assert "95% interval" in repr(checks)


def test_a_claim_of_the_larger_side_is_turned() -> None:
    rng = np.random.default_rng(5)
    values = {"old": rng.normal(0.8, 0.01, 60), "new": rng.normal(0.75, 0.01, 60)}
    study = reportgen.compare(values, measure="accuracy")
    here = "in this experiment"
    assert not study.check(f"new not worse than old by 0.02 {here}")
    assert study.check(f"old not worse than new by 0.02 {here}", f"old better than new {here}")


def test_what_is_not_known_beyond_an_experiment_is_undecided(study: BenchmarkStudy) -> None:
    checks = study.check("svm better than lda")
    assert (checks[0].outcome, checks[0].target) == ("undecided", "experiment")
    assert "declare `resampling` where it is not said, or say 'in this experiment'" in repr(checks)


def test_claims_over_data_sets_and_on_one(domain: BenchmarkStudy) -> None:
    (over,) = domain.check("b better than a")
    assert (over.outcome, over.dataset) == ("holds", None)
    assert "over all data sets" in repr(domain.check("b better than a"))
    (on,) = domain.check("b better than a", dataset="data 1")
    assert on.dataset == "data 1"


def test_a_claim_about_few_data_sets_says_why_it_is_undecided() -> None:
    values = np.random.default_rng(8).normal([0.1, 0.9], 0.001, size=(3, 9, 2))
    study = reportgen.compare(values, measure="misclassification", candidates=["a", "b"])
    for claim in ("a better than b", "a within 1 of b"):
        checks = study.check(claim)
        assert checks[0].outcome == "undecided"
        words = "declare `resampling` where it is not said, or say 'in this experiment'"
        assert repr(checks).endswith(words)
        (found,) = study.check(f"{claim} in this experiment")
        assert found.outcome == "holds"


def test_claims_of_ratios_are_factors() -> None:
    rng = np.random.default_rng(6)
    seconds = {"old": rng.lognormal(0, 0.05, 60), "new": rng.lognormal(0.02, 0.05, 60)}
    study = reportgen.compare(seconds, measure="fit-time")
    assert study.check("new within 1.1 of old", "new not worse than old by 1.1")
    with pytest.raises(StudyError, match=r"found 0.1; allowed a factor above 1"):
        study.check("new within 0.1 of old")


@pytest.mark.parametrize(
    "claim",
    ["svm beats lda", "svm better than", "svm within of lda", "", "smv better than lda"],
)
def test_what_is_no_claim_is_told(study: BenchmarkStudy, claim: str) -> None:
    with pytest.raises(StudyError, match="check: "):
        study.check(claim)
    with pytest.raises(StudyError, match="found a list; allowed texts, one a claim"):
        study.check([claim])  # type: ignore[arg-type]
    with pytest.raises(StudyError, match="found no claim"):
        study.check()
    with pytest.raises(StudyError, match="allowed two candidates"):
        study.check("svm better than svm")


def test_names_may_have_the_words_of_claims() -> None:
    names = Names(("old", "better than nothing", "a within 2 of b"))
    found = read_claim("old better than better than nothing", names)
    assert (found.first, found.second) == ("old", "better than nothing")


@pytest.mark.slow
def test_an_assertion_that_fails_prints_the_interval(tmp_path: Path) -> None:
    (tmp_path / "test_new.py").write_text(
        """
import numpy as np, reportgen

def test_new_is_as_good():
    rng = np.random.default_rng(1)
    values = {"main": rng.normal(0.8, 0.01, 60), "new": rng.normal(0.7, 0.01, 60)}
    study = reportgen.compare(values, measure="accuracy", name="ci")
    assert study.check("new not worse than main by 0.02 in this experiment")
""",
        encoding="utf-8",
    )
    command = [sys.executable, "-m", "pytest", "-p", "no:cacheprovider", "-c", "/dev/null"]
    found = subprocess.run(
        [*command, str(tmp_path)], capture_output=True, text=True, timeout=120, check=False
    )
    assert found.returncode == 1
    assert re.search(
        r"fails      new not worse than main by 0\.02 in this experiment  "
        r"accuracy on ci in this experiment: new − main = −\d+\.\d+ pp "
        r"\(95% interval: −\d+\.\d+ to −\d+\.\d+\)",
        found.stdout,
    )


@pytest.mark.slow
def test_figures_are_those_of_matplotlib(study: BenchmarkStudy, tmp_path: Path) -> None:
    from matplotlib.figure import Figure

    figure = study.figure("intervals", measure="misclassification", dataset="monks")
    assert isinstance(figure, Figure)
    figure.savefig(tmp_path / "pairs.png")
    assert (tmp_path / "pairs.png").stat().st_size > 10_000
    names = study.figures()
    assert {"section", "name", "measure", "dataset"} == set(names.columns)
    for row in names.itertuples():
        drawing = study.figure(f"{row.section}-{row.name}", row.measure)
        assert len(drawing.get_children()) > 1
    assert "<svg" in figure._repr_svg_()  # type: ignore[attr-defined]


def test_densities_and_histograms_are_drawn_on_request(
    study: BenchmarkStudy, tmp_path: Path
) -> None:
    names = study.figures().query("section == 'eda'")["name"].tolist()
    assert names.index("distribution") < names.index("density") < names.index("histogram")
    n = len(study.candidates)
    density = study.figure("density", dataset="monks").axes[0]
    labels = density.get_legend_handles_labels()[1]
    assert sorted(labels) == sorted(study.candidates)
    assert len({line.get_linestyle() for line in density.get_lines()}) == min(n, 4)
    histograms = study.figure("histogram", dataset="monks").axes
    assert len({axes.get_xlim() for axes in histograms}) == 1
    assert len(histograms) == n
    folder = study.report(tmp_path, formats=["json"])[0].parent
    assert not [*folder.rglob("*density*"), *folder.rglob("*histogram*")]


@pytest.mark.slow
def test_a_figure_without_a_data_set_is_of_all(domain: BenchmarkStudy) -> None:
    values = domain.performances
    listed = reportgen.compare(values, better="smaller", sections=["inference", "domain"])
    assert listed.figure().get_size_inches().tolist() == domain.figure().get_size_inches().tolist()
    assert listed.to_latex() == domain.to_latex() != domain.to_latex(dataset="data 1")


def test_a_figure_takes_the_place_of_axes(study: BenchmarkStudy) -> None:
    from matplotlib.figure import Figure

    whole = Figure(figsize=(14, 5))
    left, right = whole.subplots(1, 2)
    assert study.figure(ax=left) is whole
    assert whole.axes[0] is right
    assert len(whole.subfigs[0].get_children()) > 1
    for ax in (Figure().add_axes((0, 0, 1, 1)), [right]):
        with pytest.raises(StudyError, match="allowed axes with a place in a grid"):
            study.figure(ax=ax)  # type: ignore[arg-type]


def test_tables_of_latex(study: BenchmarkStudy) -> None:
    text = study.to_latex("pairs")
    assert text.startswith("% tables/")
    assert r"\begin{tabular}" in text
    assert r"\caption{" in text
    assert text.count(r"\\") >= 4


def test_frames_have_documented_columns(study: BenchmarkStudy) -> None:
    for method in (study.summary, study.ranks, study.pairs, study.consensus, study.members):
        frame = method()
        assert isinstance(frame, pd.DataFrame)
        assert len(frame)
        documented = re.split(r"Returns\n\s*-+\n", inspect.getdoc(method) or "")[1]
        missing = [c for c in frame.columns if not re.search(rf"\b{c}\b", documented)]
        extra = {
            "skewness",
            "is_constant",
            "excluded_share",
            "tost_lower",
            "tost_upper",
        }  # of the method
        assert set(missing) <= extra, missing


def test_methods_that_do_not_apply_are_not_named() -> None:
    values = np.random.default_rng(1).normal(size=(12, 3))
    frame = pd.DataFrame(values, columns=list("abc"), index=[f"d{i}" for i in range(12)])
    study = reportgen.compare(frame, measure="loss", better="smaller")
    with pytest.raises(StudyError, match="does not apply"):
        study.summary()
    assert "Methods: domain(), figure()" in str(study)
