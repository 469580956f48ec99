"""Two runs from files to words: what is the same, what changed, and how often that is false."""

from __future__ import annotations

import json
import re
import shutil
import subprocess
from collections.abc import Callable
from dataclasses import replace
from html import unescape
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
from click.testing import CliRunner, Result

import reportgen
from reportgen.cli import main
from reportgen.difference import compare_with_itself, diff, render
from reportgen.difference.comparison import compare_readings
from reportgen.difference.reading import RunReading, read_run
from reportgen.errors import StudyError, WarehouseError
from reportgen.stats.changes import paired_changes, unpaired_changes
from tests.builders import COLUMNS

pytestmark = pytest.mark.usefixtures("blanks_as_figures")

B = 30
HTML = "<img src=x onerror=alert(1)>"
needs_git = pytest.mark.skipif(shutil.which("git") is None, reason="needs git")


def do(*arguments: object, code: int = 0) -> Result:
    result = CliRunner().invoke(main, [str(a) for a in arguments])
    assert result.exit_code == code, f"{result.stdout}{result.stderr}"
    return result


def write(
    file: Path,
    *,
    seed: int = 1,
    fresh: int | None = None,
    names: tuple[str, ...] = ("lda", "rf", "svm"),
    sets: int = 1,
    change: Callable[[np.ndarray, int], np.ndarray] = lambda errors, k: errors,
    has_times: bool = False,
    n: int = B,
) -> Path:
    """Write errors of three candidates that lie 0.02 apart; `fresh` is the seed of the times."""
    rng, clock = np.random.default_rng(seed), np.random.default_rng(fresh)
    rows = []
    for d in range(sets):
        base = rng.normal(0.2 + 0.02 * d, 0.02, n)
        for k, name in enumerate(names):
            errors = change(base + 0.02 * k + rng.normal(0, 0.005, n), k)
            rows += [
                (f"set {d}", b + 1, name, "misclassification", x) for b, x in enumerate(errors)
            ]
            if has_times:
                times = np.exp(clock.normal(k, 0.1, n))
                rows += [(f"set {d}", b + 1, name, "fit-time", x) for b, x in enumerate(times)]
    pd.DataFrame(rows, columns=COLUMNS).to_csv(file, index=False)
    return file


def better_svm(errors: np.ndarray, k: int) -> np.ndarray:
    """Let the last candidate become the best, by nearly the same in all replications."""
    return errors - 0.3 * errors[0] + 0.001 * np.sin(np.arange(len(errors))) if k == 2 else errors


@pytest.fixture
def before(tmp_path: Path) -> Path:
    return write(tmp_path / "before.csv")


@pytest.fixture
def after(tmp_path: Path) -> Path:
    return write(tmp_path / "after.csv", change=better_svm)


# ----------------------------------------------------------------------------------- values


def test_a_run_does_not_differ_from_itself(before: Path, tmp_path: Path) -> None:
    found = diff(before, shutil.copy(before, tmp_path / "copy.csv"))
    assert {cell.status for cell in found.cells} == {"unchanged"}
    assert found.changed() == found.verdicts == found.orders == found.consensus == ()
    assert (found.n_cells_tested, found.n_pairs_tested) == (0, 0)


def test_what_changed_is_compared_in_pairs_with_what_did_not(before: Path, after: Path) -> None:
    found = diff(before, after)
    assert [(p.is_shared, p.reason, p.n_shared) for p in found.pairings] == [
        (True, "same-values", B)
    ]
    assert {c.candidate: (c.status, c.is_better) for c in found.cells} == {
        "lda": ("unchanged", None),
        "rf": ("unchanged", None),
        "svm": ("changed", True),
    }
    assert (found.n_cells_tested, found.n_pairs_tested) == (1, 2)
    frames = [pd.read_csv(file).query("candidate == 'svm'")["value"] for file in (before, after)]
    expected = paired_changes(*(f.to_numpy()[:, None] for f in frames), 0.05, 2 * 1)
    change = next(cell.change for cell in found.cells if cell.candidate == "svm")
    assert change is not None
    assert change.estimate == pytest.approx(expected.estimate[0])
    assert (change.lower, change.upper) == pytest.approx((expected.lower[0], expected.upper[0]))


def test_runs_with_samples_of_their_own_are_compared_by_welch(tmp_path: Path) -> None:
    first = write(tmp_path / "a.csv", seed=1)
    second = write(tmp_path / "b.csv", seed=2, n=40)
    found = diff(first, second)
    assert found.pairings[0].reason == "unknown"
    frames = [pd.read_csv(file).query("candidate == 'svm'")["value"] for file in (first, second)]
    expected = unpaired_changes(*(f.to_numpy()[:, None] for f in frames), 0.05, 2 * 3)
    change = found.cells[1].change
    assert change is not None
    assert (change.n_first, change.n_second, change.is_paired) == (B, 40, False)
    assert change.p_value == pytest.approx(expected.adjusted_p_value[0])
    assert ("replications", "set 0", "30", "40") in [
        (s.name, s.of, s.before, s.after) for s in found.design
    ]
    assert diff(first, second, shared=True).pairings[0].n_shared == B


def test_times_are_compared_by_ratio(tmp_path: Path) -> None:
    files = [write(tmp_path / f"{seed}.csv", has_times=True, fresh=seed) for seed in (1, 2)]
    found = diff(*files)
    times = [cell for cell in found.cells if cell.measure == "fit-time"]
    assert {cell.status for cell in times} == {"no-change-shown"}
    for cell in times:
        assert cell.change is not None
        assert cell.change.is_ratio
        ratio = cell.second_mean / cell.first_mean  # type: ignore[operator]
        assert cell.change.estimate == pytest.approx(ratio)


@pytest.mark.slow
def test_measures_that_are_not_named_are_left_out(tmp_path: Path) -> None:
    files = [write(tmp_path / f"{s}.csv", has_times=True, fresh=s, sets=2) for s in (1, 2)]
    whole, some = diff(*files), diff(*files, measures=["misclassification"])
    assert (whole.n_cells_tested, some.n_cells_tested) == (6, 0)
    assert {c.measure for c in some.cells} == {"misclassification"}
    assert {key.measure for key in read_run(str(files[0])).only(["fit-time"]).verdicts} == {
        "fit-time"
    }
    told = do("diff", *files, "--measure", "misclasification", code=2).stderr
    assert "misclassification" in told
    found = compare_with_itself(files[0], measures=["fit-time"], repeats=20)
    assert found.labels is not None
    assert found.labels.n_cells_tested == 6


def test_few_replications_are_not_tested(tmp_path: Path) -> None:
    files = [write(tmp_path / f"{s}.csv", n=5, seed=s) for s in (1, 2)]
    found = diff(*files)
    assert {cell.status for cell in found.cells} == {"untested"}
    assert (found.n_cells_tested, found.n_pairs_tested) == (0, 0)
    assert "too few values" in render(found, "text")


def test_candidates_and_data_sets_of_one_run_are_design(tmp_path: Path) -> None:
    first = write(tmp_path / "a.csv", names=("lda", "rf", "svm"), sets=2)
    second = write(tmp_path / "b.csv", names=("lda", "rf", "new"))
    found = diff(first, second)
    settings = {(s.name, s.of, s.before, s.after) for s in found.design}
    assert {("candidate", "svm", "present", ""), ("candidate", "new", "", "present")} <= settings
    assert ("data set", "set 1", "present", "") in settings
    assert {cell.candidate for cell in found.cells} == {"lda", "rf"}
    assert found.changed() == ("design",)


def test_values_that_are_lost_are_design(before: Path, tmp_path: Path) -> None:
    frame = pd.read_csv(before)
    frame.loc[frame["candidate"] == "svm", "value"] = np.nan
    frame.to_csv(tmp_path / "failed.csv", index=False)
    found = diff(before, tmp_path / "failed.csv")
    assert [(s.name, s.of, s.before, s.after) for s in found.design] == [
        ("missing values", "svm on set 0", "0", str(B))
    ]
    assert {c.candidate: c.status for c in found.cells}["svm"] == "untested"
    assert found.changed() == ("design",)


# -------------------------------------------------------------------------------- verdicts


def test_a_verdict_whose_difference_moved_is_told_from_one_that_flipped(
    before: Path, after: Path, tmp_path: Path
) -> None:
    found = diff(before, after)
    moved = {(v.first, v.second, v.before.decision, v.after.decision) for v in found.moved}
    assert moved == {("lda", "svm", "better", "worse"), ("rf", "svm", "better", "worse")}
    assert [(o.before.groups[0], o.after.groups[0]) for o in found.orders] == [(("lda",), ("svm",))]

    rng = np.random.default_rng(5)
    noise = rng.normal(0, 0.03, B)
    files = []
    for size, name in ((0.0, "a"), (1.0, "b")):  # the same mean, but too noisy to be decided
        own = size * (noise - noise.mean())
        files.append(
            write(
                tmp_path / f"{name}.csv",
                names=("lda", "svm"),
                change=lambda errors, k, own=own: errors - 0.01 + own if k == 1 else errors,
            )
        )
    flipped = diff(*files)
    assert [(v.before.decision, v.after.decision, v.status) for v in flipped.verdicts] == [
        ("better", "undecided", "no-move-shown")
    ]
    assert "verdicts" not in flipped.changed()


def test_settings_alone_change_verdicts_without_a_move(before: Path) -> None:
    first = read_run(str(before))
    key = next(iter(first.verdicts))
    other = replace(first.verdicts[key], decision="undecided", favoured="")
    second = replace(first, verdicts={**first.verdicts, key: other}, alpha=0.01)
    found = compare_readings(first, second)
    assert [v.status for v in found.verdicts] == ["same-values"]
    assert [(s.name, s.before, s.after) for s in found.design] == [("alpha", "0.05", "0.01")]


def test_settings_that_differ_are_named_by_their_keys(before: Path) -> None:
    reading = read_run(str(before))
    entries = [
        {("candidate", "svm"): {"name": "svm", "options": {"C": cost, "gamma": 1}}}
        for cost in (1.0, 2.0)
    ]
    first, second = (replace(reading, entries=own) for own in entries)
    assert [(s.name, s.of, s.before, s.after) for s in compare_readings(first, second).design] == [
        ("definition of the candidate", "svm: options.C", "1.0", "2.0")
    ]


def test_pairs_in_another_order_are_the_same_pairs(before: Path, tmp_path: Path) -> None:
    frame = pd.read_csv(before)
    turned = tmp_path / "turned.csv"
    frame.iloc[::-1].to_csv(turned, index=False)
    found = diff(before, turned)
    assert found.n_verdicts == 3
    assert found.verdicts == ()


@pytest.mark.slow
def test_many_data_sets_have_verdicts_over_all(tmp_path: Path) -> None:
    first = write(tmp_path / "a.csv", sets=7)
    second = write(tmp_path / "b.csv", sets=7, change=better_svm)
    found = diff(first, second)
    over_all = [v for v in found.verdicts if v.dataset is None]
    assert {(v.first, v.second, v.status) for v in over_all} == {
        ("lda", "svm", "moved"),
        ("rf", "svm", "moved"),
    }
    assert over_all[0].change is not None
    assert over_all[0].change.n_first == 7
    assert any(o.dataset is None for o in found.orders)
    assert any(c.dataset is None for c in found.consensus)


# -------------------------------------------------------------------------------- sharing


def executed(reading: RunReading, **changes: object) -> RunReading:
    """Let a run be one that was executed by a manifest."""
    known = {"seed": 1, "entries": {("data set", "set 0"): "set 0"}, **changes}
    return replace(reading, **known)  # type: ignore[arg-type]


@pytest.mark.parametrize(
    ("changes", "reason"),
    [
        ({}, "same-seed"),
        ({"seed": 2}, "other-seed"),
        ({"resampling": {"scheme": "bootstrap"}}, "other-resampling"),
        ({"entries": {("data set", "set 0"): {"name": "set 0", "n": 9}}}, "other-data"),
        ({"files": {"d.csv": "2"}}, "other-data"),
    ],
)
def test_replications_are_shared_by_seed_data_and_resampling(
    before: Path, after: Path, changes: dict[str, object], reason: str
) -> None:
    data = {"files": {"d.csv": "1"}, "data_files": {"d.csv": "1"}}
    first = executed(read_run(str(before)), **data)
    second = executed(read_run(str(after)), **(data | changes))
    pairing = compare_readings(first, second).pairings[0]
    assert (pairing.is_shared, pairing.reason) == (reason == "same-seed", reason)


@pytest.mark.parametrize("is_same", [True, False])
def test_sizes_that_vary_and_agree_show_that_samples_are_shared(
    tmp_path: Path, is_same: bool
) -> None:
    files = []
    for seed in (1, 2):
        file = write(tmp_path / f"{seed}.csv", seed=seed)
        sizes = np.random.default_rng(1 if is_same else seed).integers(60, 70, B)
        frame = pd.read_csv(file)
        frame["n_distinct"] = sizes[frame["replication"] - 1]
        frame.to_csv(file, index=False)
        files.append(file)
    pairing = diff(*files).pairings[0]
    assert (pairing.is_shared, pairing.reason) == (
        is_same,
        "same-sizes" if is_same else "other-sizes",
    )


# -------------------------------------------------------------------------------- readings


@pytest.mark.slow
def test_a_run_is_read_from_all_its_forms(before: Path, tmp_path: Path) -> None:
    do("run", before, "--output", tmp_path, "--format", "json")
    folder = tmp_path / "before"
    study = reportgen.load(folder)
    shutil.copytree(folder / "warehouse", tmp_path / "elsewhere")
    for form in (
        before,
        folder,
        folder / "warehouse",
        tmp_path / "elsewhere",
        study,
        study.save(tmp_path / "before.zip"),
    ):
        found = diff(folder, form)
        assert {cell.status for cell in found.cells} == {"unchanged"}, form
        assert (found.verdicts, found.orders, found.design) == ((), (), ()), form


@pytest.mark.slow
def test_results_json_has_verdicts_without_tests(before: Path, after: Path, tmp_path: Path) -> None:
    for file in (before, after):
        do("run", file, "--output", tmp_path, "--format", "json")
    numbers = tmp_path / "before" / "results.json"
    assert diff(tmp_path / "before", numbers).verdicts == ()
    assert diff(tmp_path / "before", numbers).orders == ()
    found = diff(numbers, tmp_path / "after")
    whole = diff(tmp_path / "before", tmp_path / "after")
    assert found.cells == ()
    assert [v.status for v in found.verdicts] == ["untested", "untested"]
    assert found.orders == whole.orders
    assert "not compared" in render(found, "text")
    with pytest.raises(StudyError, match="without values"):
        compare_with_itself(numbers)


def test_what_is_no_run_is_refused(tmp_path: Path) -> None:
    with pytest.raises(StudyError, match="found no file or folder"):
        diff(tmp_path / "none", tmp_path)
    with pytest.raises(StudyError, match="without a run"):
        diff(tmp_path, tmp_path)
    (tmp_path / "results.json").write_text('{"schema_version": 2, "design": {}, "sections": {}}')
    with pytest.raises(WarehouseError, match="damaged"):
        diff(tmp_path / "results.json", tmp_path)


@needs_git
@pytest.mark.slow
def test_revisions_of_a_repository_are_compared(
    before: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    repository = tmp_path / "repository"
    repository.mkdir()
    monkeypatch.chdir(repository)

    def git(*words: str) -> None:
        identity = ("-c", "user.name=a", "-c", "user.email=a@b.c", "-c", "commit.gpgsign=false")
        subprocess.run(["git", *identity, *words], check=True, capture_output=True)

    git("init")
    for change in (None, better_svm):
        file = write(Path("study.csv"), **({"change": change} if change else {}))
        do("run", file, "--output", "out", "--format", "json")
        git("add", "-f", ".")
        git("commit", "-m", "run")
    for old, new in (
        ("HEAD~1:study.csv", "HEAD:study.csv"),
        ("HEAD~1:out/study", "out/study"),
        ("HEAD~1:out/study/warehouse", "out/study/warehouse"),
    ):
        assert diff(old, new).changed() == ("values", "verdicts"), old
        assert diff(new, new).changed() == ()
    do("diff", "HEAD~1:study.csv", "study.csv", "--fail-on", "verdicts", code=1)
    monkeypatch.chdir(repository / "out")
    assert diff("HEAD:study.csv", "HEAD:./study").changed() == ()
    monkeypatch.chdir(repository)
    for wrong in ("NONE:study.csv", "HEAD:none.csv", "-x:study.csv", "HEAD:../study.csv"):
        with pytest.raises(StudyError):
            diff(wrong, "study.csv")


@needs_git
@pytest.mark.slow
def test_a_repository_starts_nothing(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Its configuration names a program that git starts to fetch a file that is missing."""
    monkeypatch.chdir(tmp_path)
    canary, program = tmp_path / "canary", tmp_path / "program.sh"
    program.write_text(f"#!/bin/sh\ntouch {canary}\n", encoding="utf-8")
    program.chmod(0o755)
    write(Path("study.csv"))
    identity = ("-c", "user.name=a", "-c", "user.email=a@b.c", "-c", "commit.gpgsign=false")

    def git(*words: str) -> str:
        done = subprocess.run(
            ["git", *identity, *words], check=True, capture_output=True, text=True
        )
        return done.stdout.strip()

    git("init")
    git("add", "study.csv")
    git("commit", "-m", "run")
    blob = git("rev-parse", "HEAD:study.csv")
    for key, value in (
        ("core.sshCommand", str(program)),
        ("core.repositoryFormatVersion", "1"),
        ("extensions.partialClone", "origin"),
        ("remote.origin.url", "ssh://nobody.invalid/x"),
        ("remote.origin.promisor", "true"),
    ):
        git("config", key, value)
    (Path(".git/objects") / blob[:2] / blob[2:]).unlink()
    with pytest.raises(StudyError, match="git cat-file"):
        diff("HEAD:study.csv", "study.csv")
    assert not canary.exists()


# ----------------------------------------------------------------------------------- words


@pytest.mark.slow
def test_words_and_exit_codes(before: Path, after: Path, tmp_path: Path) -> None:
    text = do("diff", before, after).stdout
    words = " ".join(text.split())
    assert "2 of 3 cells (a candidate on a data set by a measure) are unchanged" in words
    assert "2 of 3 verdicts are other ones; the difference of 2 pairs is shown" in words
    assert do("diff", before, after, "--fail-on", "design").stdout == text
    told = do("diff", before, after, "--fail-on", "values", "--fail-on", "verdicts", code=1)
    assert "changes are shown of values and verdicts" in told.stderr
    do("diff", before, code=2)
    do("diff", before, after, "--against-itself", code=2)
    numbers = json.loads(do("diff", before, after, "--format", "json").stdout)
    assert numbers["changed"] == ["values", "verdicts"]
    assert numbers["verdicts"][0]["after"] == {"decision": "worse", "favoured": "svm"}
    markdown = do("diff", before, after, "--format", "md").stdout
    assert "| set 0 | lda – svm | ● better | ● worse |" in markdown
    page = tmp_path / "diff" / "page.html"
    assert str(page) in do("diff", before, after, "--format", "html", "-o", page).stdout
    assert page.read_text(encoding="utf-8").startswith("<!doctype html>")


@pytest.mark.parametrize("form", ["html", "md", "text"])
def test_untrusted_names_are_no_markup(tmp_path: Path, form: str) -> None:
    names = ("lda", "svm|*x*", HTML)
    files = [
        write(tmp_path / "a.csv", names=names),
        write(tmp_path / "b.csv", names=names, change=better_svm),
    ]
    page = render(diff(*files), form)  # type: ignore[arg-type]
    if form == "text":
        assert HTML in page
        return
    assert "<img" not in page
    assert "onerror" in page
    if form == "md":
        assert "svm|" not in page


def test_the_page_needs_no_script_and_loads_nothing(before: Path, after: Path) -> None:
    page = render(diff(before, after), "html")
    assert "<script" not in page
    assert not re.search(r'(?:src|href)="(?!data:|#|https://doi)', page)
    assert "default-src 'none'" in unescape(page)


# ------------------------------------------------------------------------- against itself


def test_a_run_against_itself_raises_few_alarms(tmp_path: Path) -> None:
    file = write(tmp_path / "a.csv", sets=2, has_times=True, fresh=1)
    found = compare_with_itself(file, repeats=400)
    for counts in (found.labels, found.halves):
        assert counts is not None
        assert (counts.n_repeats, counts.n_cells_tested, counts.n_pairs_tested) == (400, 12, 12)
        assert counts.rate <= 0.05 + 3 * np.sqrt(0.05 * 0.95 / 400)
        assert max(counts.n_values, counts.n_pairs) <= counts.n_any
    assert compare_with_itself(file, repeats=400) == found
    text = do("diff", file, "--against-itself", "--repeats", 50).stdout
    assert "Neither shows drift" in text
    assert (
        json.loads(
            do("diff", file, "--against-itself", "--repeats", 50, "--format", "json").stdout
        )["n_repeats"]
        == 50
    )


def test_odd_numbers_of_options_are_told(tmp_path: Path) -> None:
    file = write(tmp_path / "a.csv")
    told = do("diff", file, "--against-itself", "--repeats", 10**12, code=2)
    assert "--repeats: found 1000000000000; allowed 1 to 1,000,000" in told.stderr
    assert "'nan' is not a number" in do("diff", file, file, "--alpha", "nan", code=2).stderr


def test_false_alarms_are_counted(tmp_path: Path) -> None:
    file = write(tmp_path / "a.csv")
    found = compare_with_itself(file, alpha=0.999, repeats=50)
    assert found.labels is not None
    assert found.labels.rate > 0.2


def test_items_that_share_clusters_are_compared_over_clusters(tmp_path: Path) -> None:
    rng = np.random.default_rng(8)
    documents = rng.normal(size=(2, 12, 2))
    runs = []
    for shift in documents:
        rows = [
            ("task", f"d{j}", f"i{j}-{i}", name, shift[j, k] + rng.normal(scale=0.2))
            for j in range(12)
            for i in range(10)
            for k, name in enumerate(("lda", "svm"))
        ]
        columns = ["dataset", "cluster", "item", "candidate", "score"]
        frame = pd.DataFrame(rows, columns=columns)
        study = reportgen.compare(frame, unit="item", better="larger")
        runs.append(study)
    found = diff(*runs)
    changes = [cell.change for cell in found.cells]
    assert [(c.n_first, c.is_paired) for c in changes] == [(120, True)] * 2
    for k, change in enumerate(changes):
        means = documents[1, :, k] - documents[0, :, k]
        width = change.upper - change.lower
        alone = 2 * means.std(ddof=1) / np.sqrt(12)
        assert width > 1.9 * alone  # an interval of 120 single items is a third of this


@pytest.mark.slow
def test_a_change_has_to_return_to_the_same_side() -> None:
    rng = np.random.default_rng(12)
    base = rng.normal(0.3, 0.02, 60)

    def study(*shifts: float) -> reportgen.BenchmarkStudy:
        own = {k: base + s + rng.normal(0, 0.01, 60) for k, s in zip("ab", shifts, strict=True)}
        return reportgen.compare(own, measure="misclassification", name="run")

    before, after = study(0, 0.1), study(0.05, 0.2)
    same, other, opposite = study(0.05, 0.2), study(0, 0.2), study(-0.05, 0.2)
    assert {c.candidate for c in reportgen.diff(before, after).with_status("changed")} == {*"ab"}
    for again, wanted in ((same, {*"ab"}), (other, {"b"}), (opposite, {"b"})):
        found = reportgen.diff(before, after, confirm=again)
        assert {c.candidate for c in found.with_status("changed")} == wanted
    assert reportgen.diff(before, after, confirm=before).changed() == ()
