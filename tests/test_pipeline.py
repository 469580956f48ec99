"""The whole way: a study in, files out."""

from __future__ import annotations

import json
import re
import shutil
from functools import partial, wraps
from hashlib import sha256
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest
from click.testing import CliRunner, Result

from reportgen import crew
from reportgen.cli import main
from reportgen.errors import RenderingError
from reportgen.rendering import pdf

MANIFEST = """
study: {name: tiny, title: A tiny study}
seed: 7
measures: [misclassification, fit-time]
setup:
  datasets: [iris, wine]
  candidates: [lda, rpart, knn]
  resampling: {scheme: bootstrap, replications: 6}
"""

SMALL = MANIFEST.replace(", wine", "").replace(", fit-time", "")  # a quarter of the drawings

EXACT = 1e-12  # the same arithmetic on the same machine


def call(*arguments: str | Path) -> Result:
    """Run the command line in this process."""
    return CliRunner().invoke(main, [str(a) for a in arguments])


@pytest.fixture
def study(tmp_path: Path) -> Path:
    """A manifest that takes a second."""
    path = tmp_path / "tiny.yaml"
    path.write_text(MANIFEST, encoding="utf-8")
    return path


@pytest.fixture(scope="module")
def whole(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, Result]:
    """The tiny study with all sections, run once: the folder, and what was said."""
    folder = tmp_path_factory.mktemp("whole")
    manifest = folder / "tiny.yaml"
    manifest.write_text(MANIFEST, encoding="utf-8")
    return folder, call("run", manifest, "--output", folder / "out", "--format", "html,md")


@pytest.fixture(scope="module")
def executed(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The tiny study, only executed, by one worker."""
    folder = tmp_path_factory.mktemp("executed")
    manifest = folder / "tiny.yaml"
    manifest.write_text(MANIFEST, encoding="utf-8")
    assert call("execute", manifest, "--output", folder, "--jobs", "1").exit_code == 0
    return folder


def performances(folder: Path) -> pd.DataFrame:
    """Return what was measured, times aside."""
    table = pd.read_parquet(folder / "warehouse" / "performances.parquet")
    return table[table["measure"] == "misclassification"].reset_index(drop=True)


@pytest.mark.slow
def test_run_writes_the_whole_folder(whole: tuple[Path, Result]) -> None:
    started, result = whole
    assert result.exit_code == 0, result.output
    assert result.stdout.startswith(
        "2 data sets x 6 replications x 3 candidates x 2 measures; 0 of 72 values missing\n"
    )
    folder = started / "out" / "tiny"
    for name in ("report.html", "report.md", "results.json", "warehouse/provenance.json"):
        assert (folder / name).stat().st_size > 0
    assert not (folder / "report.pdf").exists()
    assert len(list((folder / "tables").glob("*.csv"))) >= 4
    assert len(list((folder / "figures").glob("*.svg"))) >= 4
    results = json.loads((folder / "results.json").read_text(encoding="utf-8"))
    assert results["design"]["datasets"] == ["iris", "wine"]
    assert results["design"]["replications"] == {"iris": 6, "wine": 6}
    assert set(results["sections"]["eda"]["wine"]) == {"misclassification", "fit-time"}


def test_the_summary_refers_to_nothing_that_it_lacks(whole: tuple[Path, Result]) -> None:
    text = (whole[0] / "out" / "tiny" / "report.md").read_text(encoding="utf-8")
    label = r"(?:Table|Figure) S?\d+"
    captions = re.findall(rf"^\*\*({label})\.", text, re.MULTILINE)
    referred = set(re.findall(rf"\(({label})\)", text))
    assert captions
    assert referred <= set(captions)


@pytest.mark.slow
def test_again_renders_the_same_bytes(whole: tuple[Path, Result], tmp_path: Path) -> None:
    out = shutil.copytree(whole[0], tmp_path / "copy") / "out"
    files = [out / "tiny" / name for name in ("report.html", "report.md", "results.json")]
    first = [file.read_bytes() for file in files]
    for file in files:
        file.unlink()
    study = tmp_path / "copy" / "tiny.yaml"
    assert call("report", study, "--output", out, "--format", "html,md").exit_code == 0
    assert [file.read_bytes() for file in files] == first


@pytest.mark.slow
@pytest.mark.parametrize("jobs", ["2", "4"])
def test_workers_do_not_change_performances(
    study: Path, executed: Path, tmp_path: Path, jobs: str
) -> None:
    assert call("execute", study, "--output", tmp_path / jobs, "--jobs", jobs).exit_code == 0
    pd.testing.assert_frame_equal(
        performances(executed / "tiny"), performances(tmp_path / jobs / "tiny"), rtol=EXACT
    )


@pytest.mark.parametrize("verb", ["check", "run", "execute"])
def test_a_theme_that_is_not_there_is_told_before_the_first_fit(
    study: Path, tmp_path: Path, verb: str
) -> None:
    settings = ("--output", tmp_path, "--set", "report.theme=plane")
    result = call(verb, study, *settings)
    assert result.exit_code == 2
    assert "report.theme: found 'plane'; allowed house, plain" in result.output
    assert not (tmp_path / "tiny").exists()


@pytest.mark.parametrize(
    ("setting", "said"),
    [
        ("theme: plane", "theme: found 'plane'"),
        ("logo: r.csv", "logo: found 'r.csv'"),
        ("paper: {fonts: {serif: No such face}}", "paper.fonts.serif: found 'No such face'"),
    ],
)
def test_a_fault_of_the_layout_is_told_with_its_line(
    tmp_path: Path, setting: str, said: str
) -> None:
    (tmp_path / "r.csv").write_text("candidate,replication,mse\na,1,2\nb,1,3\n", "utf-8")
    manifest = f"measures: [mse]\nresults: {{file: r.csv}}\nreport:\n  {setting}\n"
    (tmp_path / "study.yaml").write_text(manifest, "utf-8")
    result = call("check", tmp_path / "study.yaml")
    assert result.exit_code == 2
    assert f"study.yaml:4: report.{said}" in result.output


def test_sections_and_settings_are_heeded(study: Path, tmp_path: Path) -> None:
    result = call(
        "run", study, "--output", tmp_path, "--format", "json", "--sections", "inference",
        "--set", "analysis.alpha=0.1", "--set", "setup.resampling.replications=4",
    )  # fmt: skip
    assert result.exit_code == 0, result.output
    results = json.loads((tmp_path / "tiny" / "results.json").read_text(encoding="utf-8"))
    assert list(results["sections"]) == ["inference"]
    assert results["sections"]["inference"]["iris"]["misclassification"]["alpha"] == 0.1
    assert results["design"]["replications"]["iris"] == 4


def test_check_prints_the_design_and_writes_nothing(study: Path, tmp_path: Path) -> None:
    result = call("check", study, "--output", tmp_path / "out")
    assert result.exit_code == 0
    cost = " ".join(result.stdout.split("\nreport: ")[1].split())
    assert cost.startswith("about ")
    assert " on one core and 0." in cost
    assert " GB (within a factor of two); expensive: rendering " in cost
    assert cost.endswith("; not counted: psychoanalysis")
    for text in ("2 data sets", "3 candidates", "6 replications", "2 measures", "36 fits"):
        assert text in result.stdout
    assert "\nresampling: bootstrap; seed: 7\n" in result.stdout
    # with two data sets, whose characteristics an execution computes
    sections = "domain, psychoanalysis, aggregate, eda, inference, frontier, preferences, consensus"
    assert f"\nsections: {sections}\nleft out:\n    expectations: wants claims" in result.stdout
    scheme = "setup.resampling={scheme: subsampling, fraction: 0.5, stratify: true}"
    told = call("check", study, "--output", tmp_path / "out", "--set", scheme).stdout
    drawn = "resampling: subsampling, a share of 0.5 to learn from, within classes; seed: 7"
    assert f"\nproblem: real-world\n{drawn}\ndata sets: iris (150 x 4)," in told
    ways = "setup.resampling=[{scheme: k-fold, folds: 3}, bootstrap]"
    told = call("check", study, "--output", tmp_path / "out", "--set", ways).stdout
    assert "4 data sets x 3 to 100 replications x" in told
    assert "\nresampling: k-fold, 3 folds; seed: 7; 3 replications\n" in told
    stages = "setup.resampling={replications: {max: 6, stage: 2, drop: decided, test: t}}"
    told = call("check", study, "--output", tmp_path / "out", "--set", stages).stdout
    assert "x at most 6 replications x" in told
    assert "\nat most 36 fits, about" in told
    assert "; 12 fits to run in this stage" in told
    on_one_line = " ".join(told.split())
    assert "in stages of 2 until all pairs are decided by misclassification (t, o" in on_one_line
    assert "; candidates are dropped when decided; seed: 7 data sets" in on_one_line
    stages = "setup.resampling={replications: {max: 30, stage: 10}}"
    told = call("check", study, "--output", tmp_path / "out", "--set", stages).stdout
    assert f"\nsections: {sections}\nafter enough stages: sequential\nleft out:\n    exp" in told
    assert max(map(len, told.splitlines())) <= 96
    assert not (tmp_path / "out").exists()


def test_results_that_exist_are_checked_too(tmp_path: Path) -> None:
    results = tmp_path / "results.csv"
    results.write_text("candidate,replication,mse\na,1,2.0\na,2,\nb,1,3.5\n", encoding="utf-8")
    told, _, cost = call("check", results).stdout.partition("report: ")
    assert cost.startswith("about ")
    assert told == (
        "results.csv: 1 data set x 2 replications x 2 candidates x 1 measure; "
        "2 of 4 values missing\n"
        "resampling: unknown; seed: 2011\n"
        "data sets: results\n"
        "candidates: a, b\n"
        "measures: mse (smaller is better, as the catalogue says)\n"
        "sections: inference, eda, preferences, consensus\n"
        "left out:\n"
        "    expectations: wants claims under expect\n"
        "    battles: wants battles of two candidates each\n"
        "    factors: wants candidates whose names are made of two columns\n"
        "    items: wants items that two candidates answered\n"
        "    run_time: wants runs of optimisers, with the evaluations at which they "
        "reached targets\n"
        "    agreement: wants battles of the same candidates under results: battles\n"
        "    domain: wants two data sets, which are no settings of one, and two candidates\n"
        "    psychoanalysis: wants characteristics of data sets, two data sets and two candidates\n"
        "    archetypes: wants three data sets and three candidates\n"
        "    sensitivity: wants a data set in two settings\n"
        "    aggregate: wants two data sets, which are no settings of one, and two candidates\n"
        "    variation: wants columns of two sources of variation, such as fold and seed\n"
        "    frontier: wants two measures, two candidates, and two replications of a data "
        "set or two data\n"
        "        sets, which are no settings of one\n"
        "    sequential: wants 20 replications of a data set and two candidates\n"
        "    plan: wants analysis: {plan: {detect: …}}\n"
    )


def test_who_says_which_way_is_better(tmp_path: Path) -> None:
    results, manifest = tmp_path / "r.csv", tmp_path / "study.yaml"
    results.write_text("model,fold,score,zeal\na,1,2,1\na,2,3,2\nb,1,3,2\nb,2,1,1\n")
    alone = call("run", results, "--output", tmp_path)
    assert alone.exit_code == 2
    assert '- {name: zeal, better: "???"}' in alone.stderr
    manifest.write_text(
        "study: {name: s}\nresults: r.csv\nmeasures: [score, {name: zeal, better: smaller}]\n"
    )
    told = call("check", manifest).stdout
    assert "measures: score (larger is better, as its name says), zeal (smaller is" in told
    assert " better, as the manifest\n    says)\nreplications: by fold\n" in told
    written = ("--output", tmp_path, "--format", "html", "--sections", "eda")
    assert call("run", manifest, *written).exit_code == 0
    page = re.sub(r"<[^>]+>", "", (tmp_path / "s" / "report.html").read_text("utf-8"))
    page = " ".join(page.split())
    assert "score (more is better, as its name says)" in page
    assert "zeal (less is better, as the manifest says)" in page
    assert "(told by fold)" in page


@pytest.mark.slow
def test_a_shuffled_file_gives_the_same_report(tmp_path: Path) -> None:
    rng = np.random.default_rng(5)
    grid = [(d, r, f, k) for d in ("d10", "d9") for r in (1, 2) for f in "ABC" for k in ("b", "A")]
    table = pd.DataFrame(grid, columns=["dataset", "repeat", "fold", "algorithm"])
    table = table.assign(loss=rng.random(len(table)))
    reports = []
    for seed in range(2):
        folder = tmp_path / str(seed)
        folder.mkdir()
        table.sample(frac=1, random_state=seed).to_csv(folder / "r.csv", index=False)
        done = call("run", folder / "r.csv", "--output", folder, "--format", "html,md")
        assert done.exit_code == 0
        digest = sha256((folder / "r.csv").read_bytes()).hexdigest()
        names = [path.relative_to(folder / "r") for path in (folder / "r").rglob("*.*")]
        texts = {
            name: (folder / "r" / name).read_text("utf-8").replace(digest[:8], "digest")
            for name in names
            if name.suffix in (".html", ".md", ".json", ".csv") and "warehouse" not in name.parts
        }
        reports.append({n: _undated(text.replace(digest[8:], "")) for n, text in texts.items()})
    assert {Path("report.html"), Path("report.md"), Path("results.json")} <= set(reports[0])
    assert reports[0] == reports[1]


def _undated(text: str) -> str:
    """Leave out the time of the analysis and the digest of the file, however they are written."""
    return re.sub(r"\d{4}-\d\d-\d\dT?[ \d:]*Z?|[0-9a-f]{8,}", "", text)


def test_dry_run_says_what_is_missing(study: Path, tmp_path: Path) -> None:
    dry = ("run", study, "--output", tmp_path, "--dry-run")
    told = call(*dry, "--sections", "consensus").stdout
    assert "36 fits to run" in told
    assert "\nsections: consensus\nreport: about " in told
    assert call("execute", study, "--output", tmp_path).exit_code == 0
    assert "; 0 fits to run" in call(*dry).stdout
    assert "; 36 fits to run" in call(*dry, "--fresh").stdout
    assert "12 fits to run" in call(*dry, "--set", "setup.resampling.replications=8").stdout


@pytest.mark.slow
def test_too_many_failures_leave_something_to_report(study: Path, tmp_path: Path) -> None:
    raw = "{name: raw, estimator: sklearn.neighbors.KNeighborsClassifier, prepare: false}"
    text = MANIFEST.replace("knn", raw).replace("wine", "titanic")  # which has texts
    study.write_text(text.replace("replications: 6", "replications: 20"))
    result = call("run", study, "--output", tmp_path, "--jobs", "1")
    assert result.exit_code == 3
    assert "7 of 120 fits failed, more than the 6 that execution.max_failures" in result.stderr
    assert (
        "were not begun; first raw on titanic, replication 1, at fit: ValueError" in result.stderr
    )
    folder = tmp_path / "tiny"
    assert not (folder / "report.html").exists()
    facts = json.loads((folder / "warehouse" / "provenance.json").read_text())["execution"]
    n_run = facts["fits"]
    assert 7 <= n_run < 120
    dry = ("run", study, "--output", tmp_path, "--dry-run", "--retry-failed")
    assert f"; {120 - n_run + 7} fits to run" in call(*dry).stdout
    eda = ("--sections", "eda")
    result = call("report", study, "--output", tmp_path, "--format", "html", *eda)
    assert result.exit_code == 0, result.output
    assert "analysing eda\ndrawing\nrendering html\n" in result.stderr
    text = " ".join((folder / "report.html").read_text("utf-8").split())
    assert f"{120 - n_run} fits were not begun" in text
    assert "no observation was left to test on" not in text
    more = ("run", study, "--output", tmp_path, "--format", "json", *eda, "--set")
    assert call(*more, "execution.max_failures=100%").exit_code == 0
    results = json.loads((folder / "results.json").read_text("utf-8"))
    assert results["provenance"]["execution"]["fits"] == 120 - n_run
    assert results["design"]["n_missing"] == 40  # both measures of 20 fits


def test_report_before_execute_is_an_error(study: Path, tmp_path: Path) -> None:
    result = call("report", study, "--output", tmp_path)
    assert result.exit_code == 2
    assert "reportgen run tiny.yaml" in result.stderr


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (("run", "missing.yaml"), "missing.yaml"),
        (
            ("run", "STUDY", "--format", "htm"),
            "--format: found 'htm'; allowed json, html, md, pdf, qmd, latex, quarto-html",
        ),
        (("run", "STUDY", "--sections", "edda"), "did you mean eda?"),
        (("run", "STUDY", "--set", "seed"), "key=value"),
        (("run", "STUDY", "--set", "sed=1"), "seed"),
    ],
)
def test_wrong_command_lines_end_with_2(
    study: Path, tmp_path: Path, arguments: tuple[str, ...], message: str
) -> None:
    given = [study if a == "STUDY" else a for a in arguments]
    result = call(*given, "--output", tmp_path / "out")
    assert result.exit_code == 2
    assert message in result.stderr
    assert "Traceback" not in result.stderr
    assert not (tmp_path / "out").exists()  # it is said before anything is done


@pytest.fixture
def crew_at_once(monkeypatch: pytest.MonkeyPatch) -> None:
    """Workers begin with the first task."""
    monkeypatch.setattr(crew, "parallel_mapper", partial(crew.parallel_mapper, patience=0.0))


@pytest.mark.parametrize("jobs", ["1", "2"])
@pytest.mark.usefixtures("crew_at_once")
def test_a_failing_back_end_leaves_the_rest(
    jobs: str, executed: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def fail(*_: object) -> None:
        raise RenderingError("no Pango")

    monkeypatch.setattr(pdf, "documents", fail)
    shutil.copytree(executed / "tiny", tmp_path / "tiny")
    asked = ("--format", "html,pdf", "--sections", "preferences", "--jobs", jobs)
    result = call("report", executed / "tiny.yaml", "--output", tmp_path, *asked)
    assert result.exit_code == 4
    assert "no Pango" in result.stderr
    assert (tmp_path / "tiny" / "report.html").exists()


@pytest.mark.slow
@pytest.mark.usefixtures("crew_at_once")
@pytest.mark.parametrize("is_reversed", [False, True])
def test_documents_that_workers_set_beside_the_page_have_the_same_bytes(
    is_reversed: bool, executed: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("SOURCE_DATE_EPOCH", "1761955200")
    here = []
    monkeypatch.setattr(pdf, "set_document", _noted(pdf.set_document, here))
    size = pdf.Manuscript.size.fget  # type: ignore[attr-defined]
    own = property(lambda m: -size(m) if is_reversed else size(m))  # whichever is the larger
    monkeypatch.setattr(pdf.Manuscript, "size", own)
    manifest, run = executed / "tiny.yaml", executed / "tiny"
    found = []
    for jobs in ("1", "2"):
        folder = tmp_path / jobs
        shutil.copytree(run, folder / "tiny")
        asked = ("--format", "html,pdf", "--sections", "preferences", "--jobs", jobs)
        result = call("report", manifest, "--output", folder, *asked)
        assert result.exit_code == 0, result.output
        names = (".written-report", "report.html", "report.pdf", "supplement.pdf")
        found.append([(folder / "tiny" / name).read_bytes() for name in names])
    assert found[0] == found[1]
    assert len(here) == 3  # both of one process, then one of them


def _noted(function: Any, calls: list[Any]) -> Any:
    """Return a function that takes down its calls, and can be sent to others as it is."""

    @wraps(function)
    def call_noted(manuscript: Any) -> Any:
        calls.append(manuscript)
        return function(manuscript)

    return call_noted


@pytest.mark.slow
def test_no_report_stays_beside_other_results_and_none_is_lost(study: Path, tmp_path: Path) -> None:
    study.write_text(SMALL, encoding="utf-8")
    folder = tmp_path / "tiny"

    def reports(*arguments: str) -> set[str]:
        result = call(*arguments, study, "--output", tmp_path, "--sections", "preferences")
        assert result.exit_code == 0, result.output
        return {path.name for path in folder.glob("report.*")}

    def moved() -> list[str]:
        return sorted(path.name for path in folder.glob("earlier/*/report.*"))

    assert reports("run", "--format", "html,md") == {"report.html", "report.md"}
    assert reports("report", "--format", "json") == {"report.html", "report.md"}  # the same
    other = ("--set", "analysis.alpha=0.1")
    assert not moved()
    page = (folder / "report.html").read_bytes()
    assert reports("report", "--format", "md", *other) == {"report.md"}
    assert moved() == ["report.html"]
    assert next(folder.glob("earlier/*/report.html")).read_bytes() == page
    assert reports("report", "--format", "json", "--clean") == set()
    assert moved() == ["report.html"]
    assert reports("report", "--format", "md", "--clean") == {"report.md"}
    assert reports("run", "--format", "json", *other) == set()
    assert moved() == ["report.html", "report.md"]


@pytest.mark.slow
def test_a_report_that_fails_leaves_no_earlier_one(
    study: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    study.write_text(SMALL, encoding="utf-8")
    from reportgen.errors import RenderingError
    from reportgen.rendering import markdown

    formats = ("--output", tmp_path, "--format", "html,md", "--sections", "preferences")
    assert call("run", study, *formats).exit_code == 0

    def fail(report: object, destination: Path, folders: object) -> Path:
        raise RenderingError("no words")

    monkeypatch.setattr(markdown, "render", fail)
    assert call("report", study, *formats, "--set", "analysis.alpha=0.1").exit_code == 4
    assert {path.name for path in (tmp_path / "tiny").glob("report.*")} == {"report.html"}


@pytest.mark.slow
def test_a_study_may_bring_templates(study: Path, tmp_path: Path) -> None:
    own = tmp_path / "templates" / "sections"
    own.mkdir(parents=True)
    (own / "eda.md.j2").write_text(
        "{% block title %}Mine{% endblock %}{% block body %}Only {{ dataset.name }}.{% endblock %}",
        encoding="utf-8",
    )
    asked = ("--format", "html", "--sections", "eda", "--allow-templates")
    result = call("run", study, "--output", tmp_path / "out", *asked)
    assert result.exit_code == 0, result.output
    text = (tmp_path / "out" / "tiny" / "report.html").read_text(encoding="utf-8")
    assert "Only iris." in text
    assert "Only wine." in text


@pytest.mark.slow
def test_stages_are_functions(study: Path, tmp_path: Path) -> None:
    from reportgen import pipeline

    job = pipeline.open_job(study, tmp_path)
    warehouse, origin = pipeline.measure(job, jobs=1)
    report = pipeline.analyse(job, warehouse, origin, sections=["eda"])
    assert {c.name for c in report.contents} == {"eda"}
    assert pipeline.render(job, report, ["md"])[-1].read_text("utf-8").startswith("# A tiny study")
