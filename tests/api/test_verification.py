"""A run against its report and its fits, and the bundle of it."""

from __future__ import annotations

import json
import re
import shutil
import zipfile
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from click.testing import CliRunner

import reportgen
from reportgen import provenance
from reportgen.api.verification import (
    EnvironmentChange,
    ValueChange,
    _compare_values,
    describe_fits,
    environment_changes,
)
from reportgen.api.zip_file import DIGESTS, pack, unpack
from reportgen.cli import main
from reportgen.errors import WarehouseError
from reportgen.execution.outcome import Cell, Outcome
from reportgen.performance_measure import Measure
from reportgen.pipeline import Job, template_folders
from reportgen.provenance import computing_versions, machine
from reportgen.rendering.templates import TemplateFolders
from reportgen.report import MeasuredWith, Provenance
from tests.builders import few_results, warehouse_of

pytestmark = pytest.mark.usefixtures("blanks_as_figures")

ALLOWED = "--allow-templates"
THEME = ":root { --ink: #102030 }"


@pytest.fixture(scope="module")
def run(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Return the folder of a run with a theme and a template of its own."""
    place = tmp_path_factory.mktemp("study")
    few_results(place / "few.csv")
    (place / "mine").mkdir()
    (place / "mine/variables.css").write_text(THEME, encoding="utf-8")
    (place / "templates/sections").mkdir(parents=True)
    (place / "templates/sections/eda.md.j2").write_text(
        '{% extends "house/sections/eda.md.j2" %}\n{% block title %}My own{% endblock %}\n',
        encoding="utf-8",
    )
    (place / "few.yaml").write_text(
        "results: few.csv\nreport: {theme: mine, formats: [html, md]}\n"
        "sections: [eda, inference]\n",
        encoding="utf-8",
    )
    done = CliRunner().invoke(
        main, ["run", str(place / "few.yaml"), "--output", str(place / "out"), "-q", ALLOWED]
    )
    assert done.exit_code == 0, done.output
    return place / "out/few"


def call(*words: str | Path) -> tuple[int, str]:
    """Run a verb, and return its exit code and what it prints."""
    done = CliRunner().invoke(main, [*map(str, words), "-q"])
    return done.exit_code, done.output


def copied(run: Path, folder: Path) -> Path:
    """Copy a study with its run; return the study's file."""
    shutil.copytree(run.parent.parent, folder)
    return folder / "few.yaml"


@pytest.mark.slow
def test_a_report_is_that_of_its_warehouse(run: Path, tmp_path: Path) -> None:
    study = copied(run, tmp_path / "s")
    code, text = call("verify", study, "--output", tmp_path / "s/out", ALLOWED)
    assert code == 0, text
    assert "compared, all equal byte by byte" in text
    assert "environment: as the report states it" in text


def test_each_file_that_differs_is_named(run: Path, tmp_path: Path) -> None:
    study = copied(run, tmp_path / "s")
    folder = tmp_path / "s/out/few"
    page = folder / "report.html"
    text = page.read_text(encoding="utf-8")
    page.write_text(text[:5000] + "!" + text[5001:], encoding="utf-8")
    gone, *_ = sorted((folder / "figures").glob("*.svg"))
    gone.unlink()
    (folder / "tables/more.csv").write_text("x", encoding="utf-8")
    code, text = call("verify", study, "--output", tmp_path / "s/out", ALLOWED)
    assert code == 1
    lines = [line.strip() for line in text.splitlines()[1:4]]
    assert text.splitlines()[0].endswith("3 not equal")
    assert lines == [
        f"figures/{gone.name}: is missing",
        f"report.html: differs from byte {5000 + text_offset(page):,} on",
        "tables/more.csv: is not of this report",
    ]


def test_a_page_that_no_report_has_is_told(run: Path, tmp_path: Path) -> None:
    study = copied(run, tmp_path / "s")
    (tmp_path / "s/out/few/login.html").write_text("<form>", encoding="utf-8")
    code, text = call("verify", study, "--output", tmp_path / "s/out", ALLOWED)
    assert code == 0
    assert "login.html: not looked at, no file of a report" in text.replace("'", "")


def test_a_file_in_a_bundle_that_is_no_part_of_a_run_is_told(run: Path, tmp_path: Path) -> None:
    place = tmp_path / "few.zip"
    assert call("bundle", run, "--to", place)[0] == 0
    unpack(place, tmp_path / "few", "it")
    files = {p.relative_to(tmp_path / "few").as_posix(): p for p in (tmp_path / "few").rglob("*.*")}
    more: dict[str, Path | bytes] = {f"study/x{i}.py": b"x" for i in range(11)}
    pack({**files, **more, ".git/config": b"x"}, place)
    code, text = call("verify", place, ALLOWED)
    assert code == 0
    assert "  .git/config: not looked at, no file of a report" in text.replace("'", "")
    assert "  2 more files not looked at" in text


def test_provenance_of_other_results_is_refused(run: Path, tmp_path: Path) -> None:
    copied(run, tmp_path / "s")
    folder = tmp_path / "s/out/few"
    file = folder / "warehouse/provenance.json"
    known = provenance.read(file)
    file.write_text(provenance.as_text(replace(known, warehouse="0" * 64)), encoding="utf-8")
    for words in (["report"], ["bundle"], ["diff", run], ["verify"]):
        code, text = call(*words, folder)
        assert code == 2
        assert "found the provenance of other results than those that are stored" in text


def text_offset(page: Path) -> int:
    """Return by how many bytes the 5000th character lies behind its number."""
    return len(page.read_text(encoding="utf-8")[:5000].encode()) - 5000


def test_a_manifest_that_has_changed_gives_another_report(run: Path, tmp_path: Path) -> None:
    study = copied(run, tmp_path / "s")
    text = study.read_text(encoding="utf-8")
    study.write_text(f"{text}analysis: {{alpha: 0.2}}\n", encoding="utf-8")
    code, text = call("verify", study, "--output", tmp_path / "s/out", ALLOWED)
    assert code == 1
    assert "results.json: differs" in text


def test_a_report_of_some_sections_is_verified_by_these(tmp_path: Path) -> None:
    few_results(tmp_path / "few.csv")
    out = tmp_path / "out"
    words = ("--format", "md", "--sections", "eda", "--output", out)
    assert call("run", tmp_path / "few.csv", *words)[0] == 0
    code, text = call("verify", out / "few")
    assert (code, text.partition("\n")[0].endswith("all equal byte by byte")) == (0, True)


@pytest.mark.slow
def test_the_study_of_a_run_is_found_with_its_theme(run: Path, tmp_path: Path) -> None:
    study = copied(run, tmp_path / "s")
    (tmp_path / "s/CITATION.cff").write_text("authors: [{family-names: Cited}]\n", encoding="utf-8")
    assert call("report", study, "--output", tmp_path / "s/out", ALLOWED)[0] == 0
    assert "Cited" in (tmp_path / "s/out/few/report.html").read_text(encoding="utf-8")
    code, text = call("verify", tmp_path / "s/out/few", ALLOWED)
    assert code == 0, text
    study.rename(tmp_path / "s/other.yaml")
    code, text = call("verify", tmp_path / "s/out/few")
    assert code == 2
    assert "report.theme: found 'mine'" in text


def test_a_report_with_its_files_beside_it_is_verified_as_such(run: Path, tmp_path: Path) -> None:
    study, out = copied(run, tmp_path / "s"), tmp_path / "s/out"
    before = (out / "few/results.json").read_bytes()
    words = ("--format", "html", "--layout", "folder", "--output", out, ALLOWED)
    assert call("report", study, *words)[0] == 0
    assert (out / "few/report_files/style.css").exists()
    assert (out / "few/results.json").read_bytes() == before
    assert (out / "few/report.md").exists()
    code, text = call("verify", out / "few", ALLOWED)
    assert code == 0, text
    (out / "few/report_files/style.css").write_text("p{}", encoding="utf-8")
    assert "report_files/style.css: differs from byte" in call("verify", out / "few", ALLOWED)[1]


def test_a_folder_without_a_run_is_told(tmp_path: Path) -> None:
    code, text = call("verify", tmp_path)
    assert code == 2
    assert "found no warehouse; allowed the folder of a run" in text
    assert "found no such file" in call("verify", tmp_path / "x.zip")[1]
    assert "found no warehouse" in call("export", tmp_path)[1]
    (tmp_path / "x.zip").write_bytes(b"PK\x03\x04")
    assert "(`reportgen report` takes what" in call("run", tmp_path / "x.zip")[1]


# ------------------------------------------------------------------------------------- bundle


@pytest.fixture(scope="module")
def bundle(run: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Return a bundle of the run."""
    file = tmp_path_factory.mktemp("bundle") / "few.zip"
    study = run.parent.parent / "few.yaml"
    code, text = call("bundle", study, "--output", run.parent, "-o", file)
    assert (code, text.strip()) == (0, str(file))
    return file


def test_a_bundle_is_rendered_elsewhere_as_it_was(bundle: Path, run: Path, tmp_path: Path) -> None:
    file = Path(shutil.copy(bundle, tmp_path / "renamed.zip"))
    code, text = call("report", file, "-o", tmp_path / "out", ALLOWED)
    assert code == 0, text
    names = ("report.html", "report.md", "results.json")
    for name in names:
        assert (tmp_path / "out/few" / name).read_bytes() == (run / name).read_bytes()
    assert "My own" in (tmp_path / "out/few/report.html").read_text(encoding="utf-8")
    assert "#102030" in (tmp_path / "out/few/report.html").read_text(encoding="utf-8")
    assert call("verify", file, ALLOWED)[0] == 0


@pytest.mark.slow
def test_templates_of_a_bundle_are_not_rendered_without_leave(
    bundle: Path, tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    file = Path(shutil.copy(bundle, tmp_path / "few.zip"))
    paths = reportgen.load(file).report(tmp_path / "loaded", formats=("html", "md"))
    assert call("report", file, "-o", tmp_path / "out")[0] == 0
    for page in (paths[1], tmp_path / "out/few/report.html"):
        assert page.name == "report.html"
        assert "My own" not in page.read_text(encoding="utf-8")
        assert "#102030" in page.read_text(encoding="utf-8")  # colours are data
    for results in (paths[0], tmp_path / "out/few/results.json"):
        assert ALLOWED not in results.read_text(encoding="utf-8")
    told = [r.getMessage() for r in caplog.records if "templates/sections/eda.md.j2" in r.message]
    assert told
    assert all("not used" in text and "allowed by --allow-templates" in text for text in told)
    for study, leave in (
        (reportgen.load(file, allow_templates=True), {}),
        (reportgen.load(file), {"allow_templates": True}),
    ):
        *_, page = study.report(tmp_path / "allowed", formats="html", **leave)
        assert "My own" in page.read_text(encoding="utf-8")
        results = (tmp_path / "allowed/results.json").read_text(encoding="utf-8")
        assert json.loads(results)["provenance"]["command"].endswith(ALLOWED)


def test_what_is_not_rendered_is_not_verified(bundle: Path) -> None:
    code, text = call("verify", bundle)
    lines = text.splitlines()
    assert code == 1
    assert lines[0].startswith("report: ")
    assert lines[0].endswith("files compared, all equal byte by byte")
    assert lines[1:3] == [
        (
            "  1 file not compared: made by other templates than the program's, and "
            "templates/sections/eda.md.j2 is not rendered (allowed by --allow-templates)"
        ),
        "  report.html: is not compared",
    ]


@pytest.mark.slow
def test_a_report_without_its_templates_is_verified_without_them(run: Path, tmp_path: Path) -> None:
    study, out = copied(run, tmp_path / "s"), tmp_path / "s/out"
    assert call("report", study, "--output", out)[0] == 0
    code, text = call("verify", study, "--output", out)
    assert (code, "not compared" in text) == (0, False), text
    assert call("verify", study, "--output", out, ALLOWED)[0] == 1


@pytest.mark.slow
def test_no_verb_renders_templates_of_a_study_without_leave(run: Path, tmp_path: Path) -> None:
    study, out = copied(run, tmp_path / "s"), tmp_path / "s/out"
    words = "{% block title %}{{ 1 // 0 }}{% endblock %}"
    (tmp_path / "s/templates/sections/eda.md.j2").write_text(words, encoding="utf-8")
    (tmp_path / "s/mine/html").mkdir()
    (tmp_path / "s/mine/html/report.html.j2").write_text("{{ 1 // 0 }}", encoding="utf-8")
    for verb in (
        ("run", study, "--output", out, "--fresh"),
        ("report", out / "few"),
        ("export", out / "few", "--format", "latex,md"),
        ("check", study, "--output", out),
        ("gate", out / "few", "--expect", "new better than old", "--on-undecided", "warn"),
        ("bundle", out / "few", "-o", tmp_path / "b.zip"),
        ("site", out, "-o", tmp_path / "site"),
        ("diff", out / "few", out / "few", "--format", "html", "-o", tmp_path / "d.html"),
        ("history", "add", out / "few", "-o", tmp_path / "h.parquet"),
        ("history", "report", tmp_path / "h.parquet", "-o", tmp_path / "history"),
    ):
        code, text = call(*verb)
        assert "ZeroDivision" not in text, text
        assert code in (0, 1), text
    assert "few" in str(reportgen.load(out / "few"))
    code, text = call("report", out / "few", ALLOWED)
    assert code == 4
    assert "ZeroDivisionError" in text


def test_all_formats_of_a_command_share_one_budget_of_templates(
    run: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    study = copied(run, tmp_path / "s")
    made: list[TemplateFolders] = []

    def found(job: Job) -> TemplateFolders:
        made.append(template_folders(job))
        return made[-1]

    monkeypatch.setattr("reportgen.pipeline.template_folders", found)
    formats = ("--format", "html,md", "--sections", "eda")
    assert call("report", study, "--output", tmp_path / "s/out", *formats, ALLOWED)[0] == 0
    (folders,) = made
    summary = (tmp_path / "s/out/few/report.md").read_text(encoding="utf-8")
    assert folders.total.characters > 2 * len(summary)
    assert folders.total.seconds > 0


@pytest.mark.slow
def test_rules_of_a_theme_are_used_with_leave_alone(run: Path, tmp_path: Path) -> None:
    """They decide what a page shows: `.abstract { display: none }`."""
    study, out = copied(run, tmp_path / "s"), tmp_path / "s/out"
    rules = ".abstract { display: none }"
    (tmp_path / "s/mine/rules.css").write_text(rules, encoding="utf-8")
    page = out / "few/report.html"
    assert call("report", study, "--output", out)[0] == 0
    text = page.read_text(encoding="utf-8")
    assert rules not in text
    assert "--ink:#102030" in text
    assert call("report", study, "--output", out, ALLOWED)[0] == 0
    assert rules in page.read_text(encoding="utf-8")
    code, text = call("verify", study, "--output", out)
    assert code == 1
    assert "report.html: is not compared" in text
    assert call("verify", study, "--output", out, ALLOWED)[0] == 0


@pytest.mark.parametrize(
    "sections", ["", '"sections": 1,', '"sections": ["eda"],', '"sections": {"eda": {}', "[" * 9999]
)
def test_a_report_without_sections_is_told(run: Path, tmp_path: Path, sections: str) -> None:
    study, out = copied(run, tmp_path / "s"), tmp_path / "s/out"
    file = out / "few/results.json"
    provenance = json.dumps(json.loads(file.read_text(encoding="utf-8"))["provenance"])
    file.write_text(f'{{{sections}"provenance": {provenance}}}', encoding="utf-8")
    code, text = call("verify", study, "--output", out)
    assert code == WarehouseError.exit_code
    assert "results.json: found" in text


def test_a_bundle_is_loaded_and_can_be_asked_otherwise(bundle: Path, tmp_path: Path) -> None:
    study = reportgen.load(bundle)
    assert study.candidates == ("new", "old")
    words = ("--format", "md", "--set", "analysis.alpha=0.2")
    assert call("report", bundle, *words, "-o", tmp_path)[0] == 0
    found = json.loads((tmp_path / "few/results.json").read_text(encoding="utf-8"))
    assert found["design"]["alpha"] == 0.2
    assert found["provenance"]["command"].endswith("--set analysis.alpha=0.2")


def test_a_bundle_has_no_data_and_no_place_and_always_the_same_bytes(
    bundle: Path, run: Path, tmp_path: Path
) -> None:
    study = copied(run, tmp_path / "elsewhere")
    again = tmp_path / "again.zip"
    call("bundle", study, "--output", tmp_path / "elsewhere/out", "-o", again)
    assert again.read_bytes() == bundle.read_bytes()
    with zipfile.ZipFile(bundle) as archive:
        names = archive.namelist()
        texts = [archive.read(name) for name in names]
    assert "study/few.yaml" in names
    assert {"study/mine/variables.css", "study/templates/sections/eda.md.j2"} <= {*names}
    assert not any(name.endswith(("few.csv", "journal")) for name in names)
    assert not any(str(run.parent.parent).encode() in text for text in texts)


def test_a_bundle_that_names_files_of_its_reader_is_refused(bundle: Path, tmp_path: Path) -> None:
    with zipfile.ZipFile(bundle) as archive:
        files: dict[str, Path | bytes] = {
            name: archive.read(name) for name in archive.namelist() if name != DIGESTS
        }
    settings = json.loads(bytes(files["study.json"]))  # type: ignore[arg-type]
    for key, value in (("logo", "../../secret.png"), ("theme", "/etc")):
        other = settings | {"data": settings["data"] | {"report": {key: value}}}
        files["study.json"] = json.dumps(other).encode()
        file = pack(files, tmp_path / "hostile.zip")
        for verb in ("report", "verify"):
            code, text = call(verb, file, "-o", tmp_path)
            assert (code, f"report.{key} outside" in text) == (2, True)


def test_what_is_saved_has_its_theme(bundle: Path, tmp_path: Path) -> None:
    file = reportgen.load(bundle).save(tmp_path / "saved.zip")
    paths = reportgen.load(file).report(tmp_path / "out", formats="html")
    assert "#102030" in paths[-1].read_text(encoding="utf-8")


def test_a_run_of_results_alone_is_put_into_a_bundle(tmp_path: Path) -> None:
    few_results(tmp_path / "few.csv")
    out = tmp_path / "out"
    assert call("run", tmp_path / "few.csv", "--format", "md", "--output", out)[0] == 0
    assert call("bundle", out / "few", "-o", tmp_path / "few.zip")[0] == 0
    with zipfile.ZipFile(tmp_path / "few.zip") as archive:
        assert not any(name.startswith("study/") for name in archive.namelist())
    code, text = call("report", tmp_path / "few.zip", "-o", tmp_path / "again", "--format", "md")
    assert code == 0, text
    again = (tmp_path / "again/few/report.md").read_bytes()
    assert again == (out / "few/report.md").read_bytes()


def test_the_name_of_a_bundle_ends_in_zip(run: Path, tmp_path: Path) -> None:
    study = run.parent.parent / "few.yaml"
    code, text = call("bundle", study, "--output", run.parent, "-o", tmp_path / "x.tar")
    assert code == 2
    assert "allowed a name that ends in .zip" in text


# --------------------------------------------------------------------------------------- fits


def test_values_are_compared_one_by_one() -> None:
    error, time = Measure("misclassification", "smaller", "share"), Measure("t", "smaller", "s")
    values = np.array([[0.1, 0.2], [0.3, np.nan]])
    stored = warehouse_of({error: values, time: values}, ("a", "b"))
    outcomes = {
        Cell("d", 1, "a"): Outcome("ok", {"misclassification": 0.1, "t": 9.0}),
        Cell("d", 1, "b"): Outcome("ok", {"misclassification": 0.2 * (1 + 1e-12), "t": 9.0}),
        Cell("d", 2, "a"): Outcome("ok", {"misclassification": 0.31}),
        Cell("d", 2, "b"): Outcome("failed"),
    }
    found = _compare_values(stored, outcomes, 40)
    assert (found.n_fits, found.n_all, found.n_equal, found.n_rounded) == (4, 40, 2, 1)
    assert found.changes == (ValueChange("d", 2, "a", "misclassification", 0.3, 0.31),)
    assert describe_fits(found).splitlines() == [
        "fits: 4 of 40 done again, 2 values equal, 1 equal up to rounding, 1 different",
        "  d, replication 2, a, misclassification: 0.3 stored, 0.31 now",
    ]


def test_a_difference_of_the_environment_has_its_effect() -> None:
    now = computing_versions()
    here = machine()
    same = Provenance("", "", now, here["platform"], here["processor"], {})
    assert environment_changes(same) == ()
    other = replace(
        same,
        versions={**now, "matplotlib": "1.0"},
        processor="abacus",
        execution={"linear_algebra": "openblas 0.1 Nehalem"},
        measured_with=(MeasuredWith({**now, "numpy": "1.0"}, 3), MeasuredWith({}, 2)),
    )
    found = environment_changes(other)
    assert found[0] == EnvironmentChange("numpy", "1.0", now["numpy"], "fits")
    assert found[1] == EnvironmentChange("matplotlib", "1.0", now["matplotlib"], "report")
    assert [(c.name, c.effect) for c in found[2:]] == [
        ("linear algebra", "fits"),
        ("processor", "times"),
    ]


@pytest.mark.slow  # starts workers
def test_fits_are_done_again(tmp_path: Path) -> None:
    (tmp_path / "s.yaml").write_text(
        "setup:\n  datasets: [iris]\n  candidates: [lda, knn]\n"
        "  resampling: {scheme: bootstrap, replications: 3}\n"
        "measures: [misclassification, fit-time]\nreport: {formats: [json]}\n",
        encoding="utf-8",
    )
    out = tmp_path / "out"
    assert call("run", tmp_path / "s.yaml", "--output", out, "--jobs", "1")[0] == 0
    code, text = call("verify", out / "s", "--refit", "0.5", "--jobs", "1")
    assert code == 0, text
    assert "fits: 3 of 6 done again, 3 values equal, 0 different" in text
    code, text = call("verify", out / "s", "--refit", "1.5")
    assert code == 2


def test_a_bundle_has_nothing_that_a_report_does_not_read(run: Path, tmp_path: Path) -> None:
    study = copied(run, tmp_path / "s")
    (tmp_path / "token.txt").write_text("secret")
    (tmp_path / "s/CITATION.cff").symlink_to(tmp_path / "token.txt")
    file = tmp_path / "b.zip"
    text = study.read_text(encoding="utf-8")
    study.write_text(re.sub(r"theme: \w+", "theme: ..", text), encoding="utf-8")
    code, text = call("bundle", study, "--output", tmp_path / "s/out", "-o", file)
    assert code == 0, text
    with zipfile.ZipFile(file) as archive:
        assert not any(b"secret" in archive.read(name) for name in archive.namelist())
    assert reportgen.load(file).candidates


def test_errors_name_the_file_and_not_where_it_was_unpacked(tmp_path: Path) -> None:
    file = pack({"warehouse/provenance.json": b"[" * 100_000}, tmp_path / "x.zip")
    with pytest.raises(WarehouseError, match=r"/x\.zip/warehouse/provenance\.json: .* too deeply"):
        reportgen.load(file)
