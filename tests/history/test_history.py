"""The history of a study: the file, its series and alarms, the page, and what others read."""

from __future__ import annotations

import json
import re
import subprocess
import sys
from html import unescape
from pathlib import Path

import numpy as np
import pandas as pd
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from click.testing import CliRunner, Result

import reportgen
from reportgen import history
from reportgen.api.study import BenchmarkStudy
from reportgen.cli import main
from reportgen.errors import StudyError, WarehouseError
from reportgen.history import entries
from reportgen.history.analysis import analyse
from reportgen.history.entries import COLUMNS, read_history, run_digest
from reportgen.stats.sequential.exchangeability import draw_uniform, follow_exchangeability
from reportgen.streams import stream
from tests.builders import COLUMNS as TIDY

pytestmark = pytest.mark.usefixtures("blanks_as_figures")

B = 12
HTML = "<img src=x onerror=alert(1)>"


def do(*arguments: object, code: int = 0) -> Result:
    result = CliRunner().invoke(main, [str(a) for a in arguments])
    assert result.exit_code == code, f"{result.stdout}{result.stderr}"
    return result


def values(seed: int, *, shift: float = 0.0, other: str = "new") -> pd.DataFrame:
    """Return errors and times of two candidates in one night."""
    rng = np.random.default_rng(seed)
    base = rng.normal(0.3, 0.02, B)
    errors = {"main": base, other: base + 0.02 + shift + rng.normal(0, 0.01, B)}
    times = {"main": np.exp(rng.normal(0, 0.1, B)), other: np.exp(rng.normal(1, 0.1, B))}
    rows = [
        ("wine", b + 1, name, measure, x)
        for measure, found in (("misclassification", errors), ("fit-time", times))
        for name, column in found.items()
        for b, x in enumerate(column)
    ]
    return pd.DataFrame(rows, columns=TIDY)


def study(seed: int, **more: object) -> BenchmarkStudy:
    return reportgen.compare(values(seed, **more), name="nightly")  # type: ignore[arg-type]


@pytest.mark.parametrize("column", ["replication", "process"])
def test_measurements_that_nobody_shares_are_followed_by_their_means(
    tmp_path: Path, column: str
) -> None:
    rng = np.random.default_rng(1)
    samples = {"main": rng.lognormal(0, 0.1, 12), "new": rng.lognormal(0.3, 0.2, 9)}
    rows = [("d", i, name, x) for name, own in samples.items() for i, x in enumerate(own)]
    frame = pd.DataFrame(rows, columns=["dataset", column, "candidate", "time"])
    run = reportgen.compare(frame, name="nightly", unit="sample")
    history.add(run, tmp_path / "h.parquet", reference="main")
    (series,) = history.read(tmp_path / "h.parquet").series
    a, b = np.log(samples["main"]), np.log(samples["new"])
    assert series.estimates == pytest.approx([np.exp(b.mean() - a.mean())])
    (row,) = read_history(tmp_path / "h.parquet").query("candidate == 'new'").to_dict("records")
    assert row["standard_error"] == pytest.approx((a.var(ddof=1) / 12 + b.var(ddof=1) / 9) ** 0.5)


def test_a_date_is_one_of_iso_8601(tmp_path: Path) -> None:
    file = tmp_path / "history.parquet"
    for text in ("yesterday", "2026-13-45", "01.04.2026"):
        with pytest.raises(StudyError, match=f"date: found '{text}'; allowed one of ISO 8601"):
            entries.add_run(study(1), file, date=text)
        with pytest.raises(StudyError, match="date: found"):
            analyse(rows_of(np.zeros((3, 1))), since=text)
    empty = (("add", "x", "--date", ""), ("report", str(file), "--since", ""))
    for words in empty:  # of a variable that is not set
        told = CliRunner().invoke(main, ["history", *words])
        assert told.exit_code == 2
        assert "date: found ''; allowed one of ISO 8601" in told.output
    entries.add_run(study(1), file, date="2026-04-01T02:00+02:00")
    assert set(pq.read_table(file).column("date").to_pylist()) == {"2026-04-01T00:00:00Z"}


def test_values_that_are_there_twice_or_of_no_run_are_no_history(tmp_path: Path) -> None:
    file = tmp_path / "history.parquet"
    entries.add_run(study(1), file)
    table = pq.read_table(file)
    for odd in (pa.concat_tables([table, table]), table.set_column(0, "run", pa.nulls(len(table)))):
        pq.write_table(odd, file)
        with pytest.raises(WarehouseError, match="a value of a run is in it twice, or is nobody's"):
            entries.read_history(file)


def test_of_two_that_add_at_once_one_waits(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    file = tmp_path / "history.parquet"
    entries.add_run(study(1), file)
    others: list[bool] = []

    def reads(path: Path) -> pd.DataFrame:
        code = "import fcntl, os, sys; fcntl.flock(os.open(sys.argv[1], 0), 6)"  # without waiting
        words = [sys.executable, "-c", code, path.parent]
        others.append(subprocess.run(words, capture_output=True, check=False).returncode == 0)
        return read_history(path)

    monkeypatch.setattr(entries, "read_history", reads)
    assert entries.add_run(study(2), file).n_runs == 2
    assert others == [False]


def night(number: int) -> str:
    return f"2026-01-{number:02d}T03:00:00Z"


def rows_of(series: np.ndarray, *, versions: list[dict[str, str]] | None = None) -> pd.DataFrame:
    """Return the rows of a history with one series a column."""
    rows = [
        {
            "run": f"run {t}",
            "date": f"2026-01-01T{t // 60:02d}:{t % 60:02d}:00Z",
            "study": "nightly",
            "dataset": f"d{s}",
            "measure": "misclassification",
            "better": "smaller",
            "unit": "share",
            "candidate": "new",
            "reference": "main",
            "scale": "difference",
            "n": B,
            "difference": x,
            "standard_error": 0.01,
            "value": 0.3,
            "lower": 0.2,
            "upper": 0.4,
            "versions": json.dumps(versions[t] if versions else {"numpy": "2"}),
            "commit": "",
        }
        for t, values in enumerate(series)
        for s, x in enumerate(values)
    ]
    return pd.DataFrame(rows, columns=list(COLUMNS))


# -------------------------------------------------------------------------------------- file


def test_a_row_is_the_mean_difference_from_the_reference(tmp_path: Path) -> None:
    file = tmp_path / "h.parquet"
    history.add(study(1), file, date=night(1))
    frame = values(1).pivot(index="replication", columns=["measure", "candidate"], values="value")
    rows = pq.read_table(file).to_pandas().set_index(["measure", "candidate"])
    errors = frame["misclassification"]
    d = errors["new"] - errors["main"]
    own = rows.loc["misclassification", "new"]
    assert own["difference"] == pytest.approx(d.mean())
    assert own["standard_error"] == pytest.approx(d.std() / np.sqrt(B))
    assert own["value"] == pytest.approx(errors["new"].mean())
    assert (own["n"], own["reference"], own["date"]) == (B, "main", night(1))
    logs = np.log(frame["fit-time"])
    own = rows.loc["fit-time", "new"]
    assert own["scale"] == "ratio"
    assert own["difference"] == pytest.approx((logs["new"] - logs["main"]).mean())
    assert own["value"] == pytest.approx(np.exp(logs["new"].mean()))
    assert np.isnan(rows.loc["misclassification", "main"]["difference"])


def test_identical_reruns_add_nothing(tmp_path: Path) -> None:
    file = tmp_path / "folder" / "h.parquet"
    assert history.add(study(1), file).is_new
    before = file.read_bytes()
    again = reportgen.compare(values(1).iloc[::-1], name="other")
    added = history.add(again, file)
    assert (added.is_new, added.n_runs) == (False, 1)
    assert file.read_bytes() == before
    assert history.add(study(2), file).n_runs == 2
    assert not list(file.parent.glob(".*"))


def with_times_of(other: int, seed: int) -> BenchmarkStudy:
    """Return a run with the errors of one night and the times of another."""
    errors, times = values(seed), values(other)
    parts = [errors[errors["measure"] != "fit-time"], times[times["measure"] == "fit-time"]]
    return reportgen.compare(pd.concat(parts), name="nightly")


@pytest.mark.slow
def test_a_run_that_repeats_the_last_is_told(
    tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    file = tmp_path / "h.parquet"
    with caplog.at_level("WARNING", "reportgen"):
        assert history.add(study(1), file).repeated == ()
        assert history.add(study(2), file).repeated == ()
        assert history.add(study(1), file).repeated == ()  # is there, and not the last
        assert history.add(with_times_of(1, 3), file).repeated == ()
        assert history.add(with_times_of(1, 4), file).repeated == ()  # times alone
        assert not caplog.messages
        assert history.add(with_times_of(5, 4), file).repeated == ("misclassification",)
        again = history.add(with_times_of(5, 4), file)
    assert (again.is_new, again.repeated) == (False, ("fit-time", "misclassification"))
    said = "the run repeats the last one: the same values of"
    end = "Where every run repeats the last, no alarm can follow"
    assert caplog.messages == [
        f"{file}: {said} misclassification. {end}",
        f"{file}: {said} fit-time, misclassification. {end}",
    ]


def test_a_study_that_repeats_itself_needs_another_seed(tmp_path: Path) -> None:
    text = (
        "seed: 1\nmeasures: [misclassification]\nsetup:\n"
        "  datasets: [iris]\n  candidates: [lda, nb]\n"
        "  resampling: {scheme: bootstrap, replications: 3}\n"
    )
    (tmp_path / "nightly.yaml").write_text(text)
    told = []
    for seed in (1, 1, 2):
        words = ("--output", tmp_path, "--set", f"seed={seed}", "--jobs", 1, "--format", "json")
        do("run", tmp_path / "nightly.yaml", *words)
        found = do("history", "add", tmp_path / "nightly", "-o", tmp_path / "h.parquet")
        told.append(found.stderr)
        results = json.loads((tmp_path / "nightly" / "results.json").read_text("utf-8"))
        assert (results["design"]["seed"], f"--set seed={seed}" in json.dumps(results)) == (
            seed,
            True,
        )
    assert [len(text.splitlines()) for text in told] == [0, 1, 0]
    assert "with the seed 1; a run that draws anew has another (--set seed=…)" in told[1]


def test_a_digest_is_of_values_and_names() -> None:
    frame = values(1)
    other = frame.copy()
    other.loc[3, "value"] = np.nextafter(other.loc[3, "value"], 1)
    renamed = frame.replace({"candidate": {"new": "newer"}})
    assert len({run_digest(frame), run_digest(other), run_digest(renamed)}) == 3
    assert run_digest(frame) == run_digest(frame.sample(frac=1, random_state=1))


def test_the_reference_stays_that_of_the_earlier_runs(tmp_path: Path) -> None:
    file = tmp_path / "h.parquet"
    history.add(study(1), file, reference="new")
    history.add(study(2), file)
    assert [s.reference for s in history.read(file).series] == ["new", "new"]
    with pytest.raises(StudyError, match="main"):
        history.add(study(3), file, reference="maim")


def test_what_is_no_history_is_refused(tmp_path: Path) -> None:
    with pytest.raises(StudyError, match="found no file"):
        history.read(tmp_path / "none.parquet")
    wrong = tmp_path / "wrong.parquet"
    wrong.write_bytes(b"PAR1")
    with pytest.raises(WarehouseError, match="no history"):
        history.read(wrong)
    with pytest.raises(WarehouseError, match="no history"):
        history.add(study(1), wrong)
    values(1).to_parquet(wrong)
    with pytest.raises(WarehouseError, match="lacks the columns run"):
        history.read(wrong)
    with pytest.raises(StudyError, match="since 2027"):
        analyse(rows_of(np.zeros((2, 1))), since="2027")


# -------------------------------------------------------------------------------------- series


def test_alarms_are_those_of_the_process(tmp_path: Path) -> None:
    rng = np.random.default_rng(1)
    x = rng.normal(0, 0.01, size=(60, 3))
    x[30:, 1] += 0.05
    found = analyse(rows_of(x))
    uniform = np.column_stack(
        [
            draw_uniform(
                stream(0, "history", f"d{s}", "misclassification", "new", "main", "difference"), 60
            )[:, 0]
            for s in range(3)
        ]
    )
    process = follow_exchangeability(x, uniform)
    assert found.threshold == 120
    assert [s.evidence for s in found.series] == [
        pytest.approx(column) for column in process.evidence.T
    ]
    alarms = [(s.dataset, a.run, a.is_better) for s in found.alarmed for a in s.alarms]
    assert alarms == [(f"d{a.series}", a.time, False) for a in process.alarms(0.05)]
    assert len(alarms) == 1


def test_later_runs_and_other_series_change_no_evidence() -> None:
    x = np.random.default_rng(2).normal(size=(30, 3))
    whole = analyse(rows_of(x))
    fewer = analyse(rows_of(x)[lambda rows: rows["dataset"] != "d0"])
    earlier = analyse(rows_of(x[:20]))
    assert [s.evidence for s in fewer.series] == [s.evidence for s in whole.series[1:]]
    assert [s.evidence for s in earlier.series] == [s.evidence[:20] for s in whole.series]
    assert (whole.threshold, fewer.threshold) == (120, 80)


def test_fewer_measures_have_a_lower_threshold() -> None:
    rows = rows_of(np.random.default_rng(2).normal(size=(9, 2)))
    rows.loc[rows["dataset"] == "d1", "measure"] = "mse"
    some, whole = analyse(rows, measures=["mse"]), analyse(rows)
    assert (some.threshold, whole.threshold) == (40, 80)
    assert some.series[0].evidence == whole.series[1].evidence
    with pytest.raises(StudyError, match="mse"):
        analyse(rows, measures=["mze"])


def test_equal_runs_are_no_evidence() -> None:
    found = analyse(rows_of(np.full((100, 5), 0.02)))
    assert not found.alarmed


def test_a_candidate_that_is_absent_has_no_run() -> None:
    x = np.random.default_rng(3).normal(size=(10, 2))
    x[4, 1] = np.nan
    series = analyse(rows_of(x)).series[1]
    assert series.runs == (0, 1, 2, 3, 5, 6, 7, 8, 9)
    assert len(series.evidence) == 9


def test_versions_that_change_are_listed() -> None:
    versions = [{"numpy": "2.1"}, {"numpy": "2.1"}, {"numpy": "2.2", "scipy": "1"}]
    runs = analyse(rows_of(np.zeros((3, 1)), versions=versions)).runs
    assert [run.changed for run in runs] == [
        (),
        (),
        (("numpy", "2.1", "2.2"), ("scipy", "", "1")),
    ]


def test_versions_that_cannot_be_read_are_none() -> None:
    rows = rows_of(np.zeros((2, 1)))
    rows["versions"] = ["[1]", "{"]
    assert [run.changed for run in analyse(rows).runs] == [(), ()]


# -------------------------------------------------------------------------------------- pages


def test_verbs_from_runs_to_a_page(tmp_path: Path) -> None:
    file, folder = tmp_path / "h.parquet", tmp_path / "public"
    for number in range(1, 4):
        results = tmp_path / "results.csv"
        values(number).to_csv(results, index=False)
        told = do("history", "add", results, "-o", file, "--date", night(number)).stdout
        assert f"added; runs: {number}" in told
    assert "is there; runs: 3" in do("history", "add", results, "-o", file).stdout
    do("history", "report", file, "-o", folder, "--fail")
    page = (folder / "history.html").read_text(encoding="utf-8")
    assert "No alarm in 3 runs" in page
    assert "1 January 2026 to 3 January 2026" in page
    assert page.count("<figure") == 4
    assert "<script" not in page
    assert not re.search(r'(?:src|href)="(?!data:|#|https://doi)', page)
    assert "default-src 'none'" in unescape(page)
    numbers = json.loads((folder / "history.json").read_text(encoding="utf-8"))
    assert [len(s["estimates"]) for s in numbers["series"]] == [3, 3]
    again = tmp_path / "again"
    do("history", "report", file, "-o", again)
    for name in ("history.html", "history.md", "history.json"):
        assert (again / name).read_bytes() == (folder / name).read_bytes()


def test_an_alarm_leads_the_page_and_ends_the_job(tmp_path: Path) -> None:
    x = np.random.default_rng(1).normal(0, 0.01, size=(60, 2))
    x[30:, 1] -= 0.05
    file = tmp_path / "h.parquet"
    rows_of(x).to_parquet(file)
    told = do("history", "report", file, "-o", tmp_path / "p", "--fail", code=1)
    assert "alarms in 1 series" in told.stderr
    page = (tmp_path / "p" / "history.html").read_text(encoding="utf-8")
    assert "nightly: alarm" in page
    assert "1 of 2 series has an alarm" in page
    assert ">better<" in page
    assert page.index("Alarms: the candidate") < page.index("each candidate against")
    do("history", "report", file, "-o", tmp_path / "q", "--alpha", "0.0000001")
    do("history", "report", file, "-o", tmp_path / "q", "--since", "2026-01-01T00:31", "--fail")


def test_untrusted_names_are_no_markup(tmp_path: Path) -> None:
    file = tmp_path / "h.parquet"
    for seed in (1, 2):
        history.add(study(seed, other=HTML), file, date=night(seed))
    for path in history.report(history.read(file), tmp_path / "p"):
        if path.suffix != ".json":
            assert "<img" not in path.read_text(encoding="utf-8").replace("<img class", "")


def test_bencher_reads_the_last_run(tmp_path: Path) -> None:
    file = tmp_path / "h.parquet"
    for seed in (1, 2):
        history.add(study(seed), file)
    metrics = json.loads(do("history", "export", file, "--bencher").stdout)
    assert set(metrics) == {"wine/main", "wine/new"}
    errors = values(2).query("candidate == 'new' and measure == 'misclassification'")["value"]
    own = metrics["wine/new"]["misclassification"]
    assert own["value"] == pytest.approx(errors.mean())
    half = 2.2009851600829 * errors.std() / np.sqrt(B)  # t with 11 degrees of freedom
    assert own["upper_value"] - own["value"] == pytest.approx(half)
    assert own["value"] - own["lower_value"] == pytest.approx(half)


# -------------------------------------------------------------------------------- forty nights

NIGHTS, CHANGE = 40, 11  # the twelfth night


def _night(rng: np.random.Generator, level: float, n: int = 20) -> dict[str, np.ndarray]:
    """Return two candidates' errors, the second behind by `level`; the machine is the same."""
    base = rng.normal(0.3, 0.02, n)
    return {"main": base, "new": base + 0.02 + level + rng.normal(0, 0.01, n)}


def _kept(nights: list[dict[str, np.ndarray]], file: Path, days: list[str] | None = None) -> None:
    for number, found in enumerate(nights):
        day = days[number] if days else f"2026-04-{1 + number % 30:02}T03:00:00Z"
        history.add(reportgen.compare(found, measure="misclassification"), file, date=day)


CLAIM = "new not worse than main by 0.05 in this experiment"


@pytest.mark.slow
def test_a_regression_behind_a_fixed_seed_stops_the_gate_and_is_told(
    tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    """No alarm can follow where every night is the last one again: the gate and `diff` see it."""
    nights = [_night(np.random.default_rng(7), 0.25 * (i >= CHANGE)) for i in range(NIGHTS)]
    _kept(nights, tmp_path / "h.parquet")
    repeats = [r for r in caplog.records if "repeats the last one" in r.getMessage()]
    assert len(repeats) == NIGHTS - 2
    found = history.read(tmp_path / "h.parquet")
    assert len(found.runs) == 2
    assert not found.alarmed
    before, after = (
        reportgen.compare(nights[i], measure="misclassification") for i in (CHANGE - 1, CHANGE)
    )
    assert not before.gate(CLAIM).result.stopping
    assert after.gate(CLAIM).result.stopping
    assert "values" in reportgen.diff(before, after).changed()


@pytest.mark.slow
def test_a_regression_is_found_in_forty_nights_with_seeds_of_their_own(tmp_path: Path) -> None:
    """With gaps, and days of other time zones; a gate stops in the very night."""
    nights = [_night(np.random.default_rng([7, i]), 0.25 * (i >= CHANGE)) for i in range(NIGHTS)]
    kept = [i for i in range(NIGHTS) if i not in (5, 6, 20, 33)]  # gaps
    days = [f"2026-{4 + i // 30:02}-{1 + i % 30:02}T23:30:00-0{i % 3}:00" for i in kept]
    _kept([nights[i] for i in kept], tmp_path / "h.parquet", days)
    found = history.read(tmp_path / "h.parquet")
    assert [run.date for run in found.runs] == sorted(run.date for run in found.runs)
    (series,) = found.alarmed
    assert series.alarms[0].run >= CHANGE - 2
    assert not series.alarms[0].is_better
    assert not found.dependent  # a lasting shift is no drift
    gates = [
        reportgen.compare(own, measure="misclassification").gate(CLAIM).result.stopping
        for own in nights
    ]
    assert [bool(stopping) for stopping in gates] == [i >= CHANGE for i in range(NIGHTS)]
    report = do("history", "report", tmp_path / "h.parquet", "-o", tmp_path / "p", "--fail", code=1)
    assert "alarms in 1 series\n" in report.stderr


@pytest.mark.slow
def test_drift_is_told_and_a_reference_of_the_night_takes_it_out(tmp_path: Path) -> None:
    rng = np.random.default_rng(11)
    level = np.zeros(NIGHTS)
    for t in range(1, NIGHTS):
        level[t] = 0.95 * level[t - 1] + rng.normal(0, 0.02)
    own = [_night(np.random.default_rng([1, i]), x) for i, x in enumerate(level)]
    _kept(own, tmp_path / "own.parquet")
    drifting = history.read(tmp_path / "own.parquet")
    assert drifting.alarmed == drifting.doubtful == drifting.dependent != ()
    report = do(
        "history", "report", tmp_path / "own.parquet", "-o", tmp_path / "p", "--fail", code=1
    )
    assert "of 1 of them successive runs depend on one another" in report.stderr
    page = " ".join((tmp_path / "p" / "history.md").read_text().split())
    assert "may be drift that passes" in page
    shared = [
        {name: x + level[i] for name, x in _night(np.random.default_rng([1, i]), 0.0).items()}
        for i in range(NIGHTS)
    ]
    _kept(shared, tmp_path / "shared.parquet")
    quiet = history.read(tmp_path / "shared.parquet")
    assert not quiet.alarmed
    assert not quiet.dependent


@pytest.mark.slow
def test_runs_of_two_branches_follow_one_another_as_they_were_added(
    tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    nights = [_night(np.random.default_rng([3, i]), 0.0) for i in range(6)]
    days = [f"2026-04-{day:02}" for day in (1, 3, 5, 2, 4, 6)]
    _kept(nights, tmp_path / "h.parquet", days)
    assert [run.date for run in history.read(tmp_path / "h.parquet").runs] == days
    told = [r.getMessage() for r in caplog.records if "was added behind" in r.getMessage()]
    assert len(told) == 2
    assert "a run of 2026-04-02 was added behind one of 2026-04-05" in told[0]


@pytest.mark.slow
def test_blocks_of_runs_are_followed_by_their_means(tmp_path: Path) -> None:
    _kept([_night(np.random.default_rng([4, i]), 0.0) for i in range(7)], tmp_path / "h.parquet")
    each, blocks = (history.read(tmp_path / "h.parquet", block=block) for block in (1, 3))
    (series,) = blocks.series
    assert series.estimates == each.series[0].estimates
    assert series.evidence[:2] == (1.0, 1.0)
    assert series.evidence[2] == series.evidence[3] == series.evidence[4]
    assert blocks.block == 3
    do("history", "report", tmp_path / "h.parquet", "-o", tmp_path / "p", "--block", 3)
    assert "means of 3 runs in a row" in (tmp_path / "p" / "history.md").read_text()
