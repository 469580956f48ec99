"""A run of version 0.1, which is `fixtures/version-0.1`, is read, analysed anew and compared."""

from __future__ import annotations

import json
import shutil
import sys
from copy import deepcopy
from importlib.util import module_from_spec, spec_from_file_location
from pathlib import Path
from types import ModuleType
from typing import Any

import pandas as pd
import pytest
from click.testing import CliRunner, Result

from reportgen.cli import main
from reportgen.execution.journal import line, open_journal
from tests.test_architecture import PRIVATE

pytestmark = pytest.mark.usefixtures("blanks_as_figures")

OLD = Path(__file__).with_name("fixtures") / "version-0.1"
KEYS = (
    "first", "second", "estimate", "standard_error", "df", "statistic", "lower", "upper",
    "decision", "method", "target",
)  # fmt: skip


def call(*arguments: str | Path) -> Result:
    """Run the command line in this process."""
    return CliRunner().invoke(main, [str(a) for a in arguments])


@pytest.fixture(scope="module")
def tool() -> ModuleType:
    """Load the tool, which is no part of the package."""
    path = Path(__file__).parents[1] / "tools" / "compare_results.py"
    spec = spec_from_file_location("compare_results", path)
    assert spec is not None
    assert spec.loader is not None
    module = module_from_spec(spec)
    sys.modules[spec.name] = module  # dataclasses ask for it
    spec.loader.exec_module(module)
    return module


@pytest.fixture(scope="module")
def reported(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, Result]:
    """A report of a copy of the run: the copy, and what was said."""
    copy = shutil.copytree(OLD, tmp_path_factory.mktemp("old") / "copy")
    asked = ("report", copy / "small.yaml", "--output", copy, "--format", "json")
    return copy, call(*asked)


@pytest.fixture
def old() -> dict[str, Any]:
    """The results of version 0.1."""
    found: dict[str, Any] = json.loads((OLD / "small" / "results.json").read_text("utf-8"))
    return found


def test_nothing_of_the_machine_is_in_the_fixture() -> None:
    for path in OLD.rglob("*.parquet"):  # all that is text is looked through with the other files
        assert not PRIVATE.search(pd.read_parquet(path).to_csv())


def test_its_warehouse_is_reported_unchanged(reported: tuple[Path, Result]) -> None:
    copy, told = reported
    assert told.exit_code == 0, told.stderr
    for before in (OLD / "small" / "warehouse").iterdir():
        assert (copy / "small" / "warehouse" / before.name).read_bytes() == before.read_bytes()
    results = json.loads((copy / "small" / "results.json").read_text("utf-8"))
    assert results["schema_version"] == 3
    assert "variance: pairwise" in results["provenance"]["manifest"]
    measured = pd.read_parquet(OLD / "small" / "warehouse" / "performances.parquet")
    table = measured[measured["measure"] == "misclassification"]
    means = table.groupby(["dataset", "candidate"], observed=True)["value"].mean()
    for dataset, found in results["sections"]["eda"].items():
        for row in found["misclassification"]["summary"]:
            assert row["mean"] == pytest.approx(means[dataset, row["candidate"]], rel=1e-12)


def test_its_old_values_work_with_a_notice(reported: tuple[Path, Result]) -> None:
    stderr = reported[1].stderr
    assert "small.yaml:13: analysis.variance: pairwise is called own now" in stderr


def test_its_journal_is_read_and_nothing_measured_anew(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """By the scikit-learn that has measured it: other candidates are those of another version."""
    monkeypatch.setattr("sklearn.__version__", "1.9.1")
    copy = shutil.copytree(OLD, tmp_path / "copy")
    manifest = copy / "small.yaml"
    text = manifest.read_text("utf-8")
    for measure, n_left in (("fit-cpu-time", 0), ("fit-time", 72)):  # it measured processor time
        manifest.write_text(text.replace("fit-time", measure), "utf-8")
        told = call("run", manifest, "--output", copy, "--dry-run")
        assert told.exit_code == 0, told.stderr
        assert f"; {n_left} fits to run" in told.stdout


@pytest.mark.parametrize("verb", ["run", "report", "execute", "check", "export"])
def test_its_results_alone_are_refused_with_advice(verb: str, tmp_path: Path) -> None:
    told = call(verb, OLD / "small" / "results.json", "--output", tmp_path / "out")
    _is_refused(told)
    assert not (tmp_path / "out").exists()


@pytest.mark.parametrize(
    "arguments", [("import", "RESULTS", "-o", "x.parquet"), ("init", "x", "--from", "RESULTS")]
)
def test_its_results_are_no_other_tools(
    arguments: tuple[str, ...], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    results = shutil.copy(OLD / "small" / "results.json", tmp_path / "mine.json")
    monkeypatch.chdir(tmp_path)
    _is_refused(call(*(results if word == "RESULTS" else word for word in arguments)))
    (tmp_path / "study.yaml").write_text("results: mine.json\n")
    _is_refused(call("run", "study.yaml"))
    assert {path.name for path in tmp_path.iterdir()} == {"mine.json", "study.yaml"}


def _is_refused(told: Result) -> None:
    assert told.exit_code == 2
    assert (
        "found what a report says, not what was measured; allowed `reportgen report" in told.stderr
    )


def test_predictions_want_results_of_this_version() -> None:
    told = call("predict", OLD / "small", "iris")
    assert told.exit_code == 2
    found = "found results.json of schema_version 1; allowed 2 or 3: `reportgen report"
    assert found in told.stderr


@pytest.mark.parametrize("version", [1, 4, "2", None])
def test_numbers_of_another_schema_are_not_compared(
    version: object, old: dict[str, Any], tmp_path: Path
) -> None:
    file = _write(tmp_path / "results.json", {**old, "schema_version": version})
    told = call("diff", file, file)
    assert told.exit_code == 2
    found = f"{file}: found results.json of schema_version {version!r}; allowed 2 or 3"
    assert found in told.stderr


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (("diff", "RUN", "RUN"), "All values are unchanged, to the last bit."),
        (("history", "add", "RUN", "-o", "runs.parquet"), "runs: 1"),
        (("bundle", "RUN", "-o", "run.zip"), "run.zip"),
        (("gate", "RUN", "--expect", "lda better than dummy"), "holds      lda better than dummy"),
    ],
)
def test_its_folder_is_read_by_other_verbs(
    words: tuple[str, ...], said: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    run = shutil.copytree(OLD, tmp_path / "copy") / "small"
    monkeypatch.chdir(tmp_path)
    told = call(*(run if word == "RUN" else word for word in words))
    assert told.exit_code == 0, told.stderr
    assert said in told.stdout


def test_the_first_form_of_the_journal_is_kept_apart_and_measured_anew(tmp_path: Path) -> None:
    copy = shutil.copytree(OLD, tmp_path / "copy")
    journal = copy / "small" / "warehouse" / "journal"
    entry = {"family": "f", "dataset": "circle", "replication": 1, "candidate": "lda",
             "status": "ok", "values": {"misclassification": 0.25}}  # fmt: skip
    journal.write_bytes(first := line(entry))
    told = call("run", copy / "small.yaml", "--output", copy, "--dry-run")
    assert told.exit_code == 0, told.stderr
    assert "; 72 fits to run" in told.stdout
    assert "journal: 1 damaged lines do not count" in told.stderr
    with open_journal(journal) as opened:
        assert not opened.outcomes
    assert journal.with_name("journal.damaged").read_bytes() == first


# ----------------------------------------------------------------- tools/compare_results.py


def as_version_2(results: dict[str, Any]) -> dict[str, Any]:
    """Write results of version 1 in the shape of version 2."""
    found = deepcopy(results)
    found["schema_version"] = 2
    for measures in found["sections"]["inference"].values():
        for inference in measures.values():
            rows, roads = inference["pairs"], inference.pop("roads")
            deciding = [row for row in rows if row["primary"]]
            inference["pairs"] = [_row(row) for row in deciding]
            inference["methods"] = {
                road["name"]: {
                    **{key: road[key] for key in ("name", "controls", "law", "n_draws")},
                    "n_units": road["n_blocks"],
                    "pairs": [
                        _row(
                            next(
                                (r for r in rows if _is_of(road["name"], r, pair)),
                                {**pair, "method": road["name"]},
                            ),
                            p,
                        )
                        for pair, p in zip(deciding, road["p_values"], strict=True)
                    ],
                }
                for road in roads[1:]
            }
            for name in ("rank_pairs",):
                for row in inference[name]:
                    row["adjusted_p_value"], row["p_value"] = row["p_value"], None
                    row["estimate"] = row.pop("difference")
    domain = found["sections"]["domain"]
    domain["verdict"] = {}
    for measure, models in domain["mixed_model"].items():
        for model in models.values():
            model["pairs"] = [_row(row) for row in model["pairs"]]
        domain["verdict"][measure] = {"pairs": deepcopy(models["interaction"]["pairs"])}
    return found


METHODS = {"block-model": "tukey", "sign-flip": "sign-flip", "signed-rank-holm": "signed-rank-holm"}


def _is_of(road: str, row: dict[str, Any], pair: dict[str, Any]) -> bool:
    same = (row["first"], row["second"]) == (pair["first"], pair["second"])
    return same and row["method"] == METHODS.get(road)


def _row(row: dict[str, Any], p: float | None = None) -> dict[str, Any]:
    adjusted = row["p_value"] if p is None else p
    more = {key: row[key] for key in ("wins", "losses") if key in row}
    return {
        **{key: row.get(key) for key in KEYS},
        **more,
        "p_value": None,
        "adjusted_p_value": adjusted,
    }


def _write(path: Path, results: dict[str, Any]) -> str:
    path.write_text(json.dumps(results), "utf-8")
    return str(path)


def _said(tool: ModuleType, capsys: pytest.CaptureFixture[str], *arguments: str) -> list[str]:
    """Return the lines that the tool prints; the last one is the exit code."""
    code = tool.main(list(arguments))
    return [*capsys.readouterr().out.splitlines(), str(code)]


def test_the_shape_of_a_version_is_no_difference(
    tool: ModuleType, old: dict[str, Any], tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    one = _write(tmp_path / "1.json", old)
    two = _write(tmp_path / "2.json", as_version_2(old))
    assert _said(tool, capsys, one, one) == ["0 differences", "0"]
    assert _said(tool, capsys, two, two) == ["0 differences", "0"]
    *found, code = _said(tool, capsys, one, two)
    assert [line for line in found if "keys of pairs" not in line] == ["0 differences"], found
    assert "primary" in found[0]
    assert code == "0"


def test_every_doctored_number_is_found(
    tool: ModuleType, old: dict[str, Any], tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    new = as_version_2(old)
    sections = new["sections"]
    one = sections["inference"]["circle"]["misclassification"]
    one["pairs"][1]["upper"] *= 1 + 1e-6
    other = next(iter(one["methods"].values()))
    other["pairs"][0]["statistic"] += 1
    other["pairs"][2]["adjusted_p_value"] /= 2
    other["law"] = "t"
    sections["domain"]["verdict"]["fit-time"]["pairs"][0]["decision"] = "worse"
    sections["domain"]["mixed_model"]["fit-time"]["unstructured"]["pairs"][0]["df"] = 7
    sections["eda"]["ringnorm"]["fit-time"]["summary"][0]["n"] = 11
    del sections["consensus"]["circle"]["criterion"]
    new["provenance"]["date"] = "2024"
    paths = _write(tmp_path / "1.json", old), _write(tmp_path / "2.json", new)
    *found, _, _, count, code = _said(tool, capsys, *paths)
    circle = "sections.inference.circle.misclassification"
    tukey = "tukey, generating-process"
    assert {line.partition(": ")[0] for line in found} == {
        f"{circle}.verdict[dummy - lda].upper",
        f"{circle}.pairs[knn - lda, {tukey}].statistic",
        f"{circle}.pairs[dummy - knn, {tukey}].adjusted_p_value",
        f"{circle}.methods.block-model.adjusted_p_value[dummy - knn]",
        f"{circle}.methods.block-model.law",
        "sections.domain.fit-time.verdict[knn - lda].decision",
        "sections.domain.mixed_model.fit-time.unstructured.pairs[knn - lda, bonferroni, domain].df",
        "sections.eda.ringnorm.fit-time.summary[0].n",
        "sections.consensus.circle.criterion",
        "provenance.date",
    }
    assert 'sections.domain.fit-time.verdict[knn - lda].decision: "undecided" -> "worse"' in found
    assert (count, code) == ("10 differences", "1")
    loose = ("--tolerance", "1e-5", "--ignore", "provenance", "--ignore", "sections.consensus")
    assert _said(tool, capsys, *paths, *loose)[-2] == "7 differences"


def test_a_doctored_number_of_a_verdict_is_found(
    tool: ModuleType, old: dict[str, Any], tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    found = [as_version_2(old), as_version_2(old)]
    for results, high in zip(found, (0.3, 0.4), strict=True):
        results["sections"]["domain"]["verdict"]["fit-time"]["intervals"] = {"lda": [0.1, high]}
    paths = (_write(tmp_path / f"{i}.json", results) for i, results in enumerate(found))
    assert _said(tool, capsys, *paths) == [
        "sections.domain.verdict.fit-time.intervals.lda[1]: 0.3 -> 0.4", "1 difference", "1",
    ]  # fmt: skip


def test_pairs_are_the_same_whichever_comes_first(
    tool: ModuleType, old: dict[str, Any], tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    new = as_version_2(old)
    rows = new["sections"]["inference"]["circle"]["misclassification"]["pairs"]
    rows[0] = tool.reversed_row(rows[0])
    assert (rows[0]["first"], rows[0]["second"], rows[0]["decision"]) == (
        "knn", "lda", "better-relevant",
    )  # fmt: skip
    paths = _write(tmp_path / "1.json", old), _write(tmp_path / "2.json", new)
    assert _said(tool, capsys, *paths)[-2:] == ["0 differences", "0"]
    rows[0]["lower"] *= -1
    _write(tmp_path / "2.json", new)
    assert _said(tool, capsys, *paths)[-2:] == ["1 difference", "1"]


def test_verdicts_are_told_before_and_after(
    tool: ModuleType, old: dict[str, Any], tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    new = as_version_2(old)
    rows = new["sections"]["inference"]["ringnorm"]["misclassification"]["pairs"]
    rows[2] |= {"lower": -0.0625, "upper": 0.25, "decision": "undecided", "method": "max-t"}
    rows[0]["method"] = "max-t"  # which changes no decision
    paths = _write(tmp_path / "1.json", old), _write(tmp_path / "2.json", new)
    head, rule, *lines, code = _said(tool, capsys, *paths, "--verdicts")
    assert head.count("|") == rule.count("|") == 9
    assert len(lines) == 2 * 2 * 3 + 2 * 3
    (changed,) = (line for line in lines if line.endswith("| interval |"))
    assert changed == (
        "| ringnorm | misclassification | knn - dummy "
        "| -0.03125 (-0.04809 to -0.01441) | better (bonferroni) "
        "| -0.03125 (-0.0625 to 0.25) | undecided (max-t) | interval |"
    )
    assert code == "1"
    assert _said(tool, capsys, *paths, "--verdicts", "--changed")[2:] == [changed, "1"]
    assert any(line.startswith("| (domain) | fit-time | lda - knn | 0.00116 (") for line in lines)


@pytest.mark.parametrize("section", ["inference", "domain", "eda"])
def test_sections_may_be_missing(
    tool: ModuleType,
    old: dict[str, Any],
    section: str,
    tmp_path: Path,
    capsys: pytest.CaptureFixture[str],
) -> None:
    new = deepcopy(old)
    del new["sections"][section]
    paths = _write(tmp_path / "1.json", old), _write(tmp_path / "2.json", new)
    found = _said(tool, capsys, *paths)
    assert any(line.startswith(f"sections.{section}: ") for line in found)
    assert found[-1] == "1"
    assert _said(tool, capsys, *paths, "--verdicts")[-1] == ("0" if section == "eda" else "1")
    bare = [_write(tmp_path / f"{n}.json", {"schema_version": n}) for n in (1, 2)]
    assert _said(tool, capsys, *bare) == ["0 differences", "0"]


def test_what_is_no_results_json_is_refused(
    tool: ModuleType, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    good = _write(tmp_path / "1.json", {"schema_version": 1})
    for content in ("[]", "{}", '{"schema_version": 4}', "no"):
        (tmp_path / "bad.json").write_text(content)
        assert tool.main([good, str(tmp_path / "bad.json")]) == 2
        assert "bad.json: " in capsys.readouterr().err


def test_a_run_of_version_0_1_is_compared_with_its_report_of_today(
    tool: ModuleType, reported: tuple[Path, Result], capsys: pytest.CaptureFixture[str]
) -> None:
    before, after = str(OLD / "small"), str(reported[0] / "small")
    measured = {"eda", "preferences", "consensus", "domain", "inference"}
    found = _said(tool, capsys, before, after, "--ignore", "provenance")
    assert found[-1] in ("0", "1")
    assert not [s for s in measured if f"sections.{s}: " in "\n".join(found)]  # each is in both
    table = _said(tool, capsys, before, after, "--verdicts")[2:-1]
    assert len(table) == 18
    assert not [line for line in table if "–" in line]  # every verdict is in both
