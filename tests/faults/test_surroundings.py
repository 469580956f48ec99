"""What is around a run changes nothing in it, or is refused with a reason."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
import time
from collections.abc import Mapping
from pathlib import Path
from shutil import which

import click
import pandas as pd
import pytest
from click.testing import CliRunner, Result

from reportgen import pipeline
from reportgen.api.zip_file import DIGESTS
from reportgen.cli import main, options
from reportgen.file_writing import LOCK, folder_lock
from tests.api.test_zip_file import rewritten
from tests.conftest import ROOT

DATE = "1000000000"
RESULTS = "study: {name: %s, title: Größe}\nmeasures: [error]\nresults: {file: %s}\n"
FITS = """
study: {name: fits}
measures: [misclassification]
setup:
  datasets: [{name: d, file: %s, target: y}]
  candidates: [lda]
  resampling: {replications: 2}
"""
FAST = ("--format", "json", "--sections", "preferences")


def call(*arguments: str | Path) -> Result:
    return CliRunner().invoke(main, [str(a) for a in arguments])


def results(level: float = 0.2) -> str:
    rows = [
        f"ä,{b},{c},error,{level + 0.05 * k + 0.01 * ((7 * b + 3 * k) % 11):.3f}"
        for b in range(1, 9)
        for k, c in enumerate(("größe", "svm"))
    ]
    return "\n".join(["dataset,replication,candidate,measure,value", *rows, ""])


def study_in(folder: Path, name: str = "study", data: str = "results") -> Path:
    folder.mkdir(parents=True, exist_ok=True)
    (folder / f"{data}.csv").write_text(results(), encoding="utf-8")
    path = folder / f"{name}.yaml"
    quoted = f'"{data}.csv"'.replace("\n", "\\n") if '"' not in data else f"'{data}.csv'"
    path.write_text(RESULTS % ("run", quoted), encoding="utf-8")
    return path


@pytest.fixture
def study(tmp_path: Path) -> Path:
    return study_in(tmp_path / "in")


def command(
    *arguments: str | Path, cwd: Path, environment: Mapping[str, str]
) -> subprocess.CompletedProcess[str]:
    own = {key: value for key, value in os.environ.items() if not key.startswith("LC_")}
    return subprocess.run(
        [sys.executable, "-m", "reportgen", *map(str, arguments)],
        cwd=cwd,
        env={**own, "PYTHONPATH": str(ROOT), "SOURCE_DATE_EPOCH": DATE, **environment},
        capture_output=True,
        encoding="utf-8",
        errors="replace",
        check=False,
    )


# ------------------------------------------------------------------------------ locale, time zone


@pytest.mark.slow
@pytest.mark.skipif(sys.platform != "linux", reason="elsewhere there are no such names")
def test_no_locale_and_no_time_zone_changes_a_byte(study: Path, tmp_path: Path) -> None:
    environments: tuple[dict[str, str], ...] = (
        {"LC_ALL": "C.UTF-8", "TZ": "UTC"},
        {"LC_ALL": "C", "TZ": "Pacific/Kiritimati"},
        {"LC_ALL": "POSIX", "PYTHONUTF8": "0", "PYTHONCOERCECLOCALE": "0"},
        {"LANG": "de_DE.UTF-8", "LC_NUMERIC": "de_DE.UTF-8", "PYTHONIOENCODING": "latin-1"},
    )
    found = set()
    for number, environment in enumerate(environments):
        out = tmp_path / str(number) / os.fsdecode(b"gr\xf6\xdfe")  # a name that is not UTF-8
        asked = ("--format", "html,md", "--sections", "preferences", "--jobs", "1")
        done = command("run", study, "-o", out, *asked, cwd=tmp_path, environment=environment)
        assert done.returncode == 0, done.stderr
        if "PYTHONIOENCODING" in environment:  # otherwise click finds a way
            assert "gr\\udcf6\\udcdfe/run/report.html" in done.stdout
        names = ("results.json", "report.html", "report.md")
        found.add(tuple((out / "run" / name).read_bytes() for name in names))
    assert len(found) == 1


@pytest.mark.slow
def test_a_name_that_a_locale_cannot_write_is_refused(study: Path, tmp_path: Path) -> None:
    study.write_text(RESULTS % ("größe", "results.csv"), encoding="utf-8")
    old = {"LC_ALL": "C", "PYTHONUTF8": "0", "PYTHONCOERCECLOCALE": "0"}
    done = command("run", study, *FAST, cwd=tmp_path, environment=old)
    assert done.returncode == 2
    assert "found the character '\\xf6' in a path or a name; allowed those of" in done.stderr
    assert "Traceback" not in done.stderr


# ---------------------------------------------------------------------------------------- folders


def test_a_file_in_place_of_a_folder_is_named(study: Path, tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")
    for verb in ("run", "execute"):
        done = call(verb, study, "-o", tmp_path / "file" / "out")
        assert done.exit_code == 2
        assert str(tmp_path / "file") in done.stderr
        assert "Not a directory" in done.stderr


def test_a_folder_that_may_not_be_written_keeps_its_report(
    study: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    assert call("run", study, "-o", tmp_path, *FAST).exit_code == 0
    old = (tmp_path / "run" / "results.json").read_bytes()
    open_file = Path.open

    def refuse(path: Path, mode: str = "r", *arguments: object, **options: object) -> object:
        if path.is_relative_to(tmp_path / "run") and set(mode) & set("wax+"):
            raise PermissionError(13, "Permission denied", str(path))
        return open_file(path, mode, *arguments, **options)  # type: ignore[call-overload]

    monkeypatch.setattr(Path, "open", refuse)
    for verb in ("run", "report"):
        done = call(verb, study, "-o", tmp_path, *FAST, "--set", "analysis.alpha=0.1")
        assert done.exit_code == 2
        assert "Permission denied" in done.stderr
        assert str(tmp_path / "run") in done.stderr
        assert LOCK not in done.stderr  # no file of ours that nobody knows
    assert (tmp_path / "run" / "results.json").read_bytes() == old


def test_paths_may_lead_from_anywhere(
    study: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("SOURCE_DATE_EPOCH", DATE)
    assert call("run", study, "-o", tmp_path / "a", *FAST).exit_code == 0
    (tmp_path / "else").mkdir()
    monkeypatch.chdir(tmp_path / "else")
    assert call("run", Path("../in/study.yaml"), "-o", "../b", *FAST).exit_code == 0
    a, b = (tmp_path / name / "run" / "results.json" for name in "ab")
    assert a.read_bytes() == b.read_bytes()


@pytest.mark.skipif(sys.platform == "win32", reason="such a folder cannot be removed on Windows")
def test_a_current_folder_that_is_gone_is_needed_by_workers_alone(
    study: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (study.parent / "data.csv").write_text("x,y\n1,a\n2,b\n3,a\n4,b\n5,a\n6,b\n", encoding="utf-8")
    fits = study.with_name("fits.yaml")
    fits.write_text(FITS % "data.csv", encoding="utf-8")
    (tmp_path / "gone").mkdir()
    monkeypatch.chdir(tmp_path / "gone")
    (tmp_path / "gone").rmdir()
    assert call("run", study, "-o", tmp_path, *FAST).exit_code == 0
    assert call("report", tmp_path / "run", *FAST).exit_code == 0
    done = call("execute", fits, "-o", tmp_path)
    assert done.exit_code == 3
    assert "the workers cannot start: " in done.stderr
    assert "allowed a current folder that exists" in done.stderr


@pytest.mark.slow
@pytest.mark.parametrize(
    "name", ["a b", "äöü", "a#b%20?&c", "it's", "new\nline", "-dash", "%s{x}$"]
)
def test_any_letter_may_be_in_a_path(tmp_path: Path, name: str) -> None:
    folder = tmp_path / name
    path = study_in(folder, name, name)
    done = call("run", path, "-o", folder / name, "--format", "html", "--sections", "preferences")
    assert done.exit_code == 0, done.stderr
    run = folder / name / "run"
    assert call("report", run, *FAST).exit_code == 0
    assert call("verify", run).exit_code == 0
    done = call("bundle", run, "-o", folder / f"{name}.zip")
    if name.isprintable():
        assert done.exit_code == 0, done.stderr
        assert call("report", folder / f"{name}.zip", "-o", tmp_path / "out", *FAST).exit_code == 0
    else:
        assert done.exit_code == 2
        assert "allowed in a zip file are names without colons, backslashes and" in done.stderr
        assert not (folder / f"{name}.zip").exists()


@pytest.mark.skipif(sys.platform != "linux", reason="elsewhere there are no such names")
def test_a_name_that_is_not_utf_8_is_refused(study: Path, tmp_path: Path) -> None:
    path = study.rename(tmp_path / os.fsdecode(b"n\xe4.yaml"))
    done = call("run", path, "-o", tmp_path)
    assert done.exit_code == 2
    assert "n\\udce4.yaml: found a name that is not UTF-8; allowed names in UTF-8" in done.stderr


# ----------------------------------------------------------------------------- what files are in


@pytest.mark.parametrize("encoding", ["latin-1", "utf-16", "utf-8-sig"])
@pytest.mark.parametrize("name", ["data.csv", "data.tsv", "data.arff", "study.yaml", "results.csv"])
def test_text_is_utf_8_or_refused_with_its_line(tmp_path: Path, name: str, encoding: str) -> None:
    rows = [f"{i % 7},{'ä' if i * i % 3 else 'b'}" for i in range(40)]
    head = "@relation r\n@attribute x numeric\n@attribute y {ä,b}\n@data\n"
    texts = {
        "data.csv": "\n".join(["x,y", *rows]),
        "data.tsv": "\n".join(["x,y", *rows]).replace(",", "\t"),
        "data.arff": head + "\n".join(rows),
        "study.yaml": (FITS % "data.csv").replace("name: fits", "name: fits, title: Maß"),
        "results.csv": results(),
    }
    for file, text in texts.items():
        (tmp_path / file).write_text(text, encoding=encoding if file == name else "utf-8")
    study = tmp_path / ("results.csv" if name == "results.csv" else "study.yaml")
    settings = ("--set", f"setup.datasets.d.file={name}") if name.startswith("data") else ()
    done = call("check", study, "-o", tmp_path, *settings)
    if encoding == "utf-8-sig" or (encoding, name) == ("utf-16", "results.csv"):
        assert done.exit_code == 0, done.stderr
    else:
        assert done.exit_code == 2
        line = 1 if encoding == "utf-16" else 3 if name.startswith("data") else 2
        assert name in done.stderr
        assert f"{line}: found the byte 0x" in done.stderr
        assert "which is not UTF-8; allowed text in UTF-8" in done.stderr


@pytest.mark.parametrize(("why", "told"), [("", "memory;"), ("3 GiB", "memory (3 GiB);")])
def test_too_little_memory_is_told(why: str, told: str) -> None:
    @click.command()
    @options.verb
    def fill() -> None:
        raise MemoryError(why)

    found = CliRunner().invoke(fill)
    assert found.exit_code == 2
    assert found.output == f"reportgen: found too little {told} allowed more\n"


# --------------------------------------------------------------------------------------- at once


@pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="has no pipes")
def test_a_run_writes_to_no_link_of_its_folder(study: Path, tmp_path: Path) -> None:
    words = ("run", study, "--format", "md", "-o", tmp_path, "--sections", "eda")
    assert call(*words).exit_code == 0
    (place,) = (path.parents[1] for path in tmp_path.glob("*/warehouse/performances.parquet"))
    written = sorted(path for path in place.rglob("*") if path.is_file() and path.name != LOCK)
    for path in written:
        path.unlink()
        path.symlink_to(tmp_path / "elsewhere")
    assert call(*words).exit_code == 0
    assert not (tmp_path / "elsewhere").exists()
    assert {path.name for path in written} >= {"performances.parquet", "provenance.json"}


@pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="has no pipes")
def test_a_lock_that_is_a_link_or_a_pipe_is_refused(tmp_path: Path) -> None:
    lock, elsewhere = tmp_path / LOCK, tmp_path / "elsewhere"
    lock.symlink_to(elsewhere)
    with pytest.raises(OSError, match="found a link"), folder_lock(tmp_path):
        pass
    lock.unlink()
    os.mkfifo(lock)
    with pytest.raises(OSError, match="found a pipe"), folder_lock(tmp_path):
        pass
    assert not elsewhere.exists()


@pytest.mark.skipif(sys.platform == "win32", reason="there are no such locks on Windows")
def test_two_runs_do_not_store_in_one_folder(study: Path, tmp_path: Path) -> None:
    assert call("run", study, "-o", tmp_path, *FAST).exit_code == 0
    with folder_lock(tmp_path / "run" / "warehouse") as is_own:
        assert is_own
        done = call("run", study, "-o", tmp_path, *FAST)
        assert done.exit_code == 3
        assert "another execution is at work in" in done.stderr
        assert call("report", study, "-o", tmp_path, *FAST).exit_code == 0  # of what is stored
    assert call("run", study, "-o", tmp_path, *FAST).exit_code == 0


@pytest.mark.slow
@pytest.mark.skipif(sys.platform == "win32", reason="there are no such locks on Windows")
def test_without_locks_two_runs_at_once_measure_what_one_does(tmp_path: Path) -> None:
    data = "\n".join(["x,y", *(f"{i},{'ab'[i % 7 > 3]}" for i in range(60)), ""])
    (tmp_path / "d.csv").write_text(data, encoding="utf-8")
    manifest = FITS % (tmp_path / "d.csv").as_posix()
    study = tmp_path / "run.yaml"
    study.write_text(manifest.replace("replications: 2", "replications: 40"), encoding="utf-8")
    no_locks = """
import errno, fcntl, sys
def refuse(*_): raise OSError(errno.ENOLCK, "No locks available")
fcntl.flock = refuse
from reportgen.__main__ import main
sys.exit(main())
"""
    words = ["run", str(study), *FAST, "--jobs", "1", "-o"]
    together = [
        subprocess.Popen(
            [sys.executable, "-c", no_locks, *words, str(tmp_path / "shared")],
            env={**os.environ, "PYTHONPATH": str(ROOT)},
            stderr=subprocess.PIPE,
            text=True,
        )
        for _ in range(2)
    ]
    for run in together:
        _, said = run.communicate(timeout=120)
        assert run.returncode == 0, said
        assert "this file system has no locks; let one run at a time write there" in said
    assert call(*words, tmp_path / "alone").exit_code == 0
    shared, alone = (
        pd.read_parquet(tmp_path / name / "fits" / "warehouse" / "performances.parquet")
        for name in ("shared", "alone")
    )
    pd.testing.assert_frame_equal(shared, alone)


@pytest.mark.slow
@pytest.mark.skipif(sys.platform == "win32", reason="there are no such locks on Windows")
def test_two_reports_are_written_one_after_the_other(study: Path, tmp_path: Path) -> None:
    assert call("run", study, "-o", tmp_path, *FAST).exit_code == 0
    run = tmp_path / "run"
    with folder_lock(run):
        second = subprocess.Popen(
            [sys.executable, "-m", "reportgen", "report", str(run), *FAST],
            env={**os.environ, "PYTHONPATH": str(ROOT)},
            stderr=subprocess.PIPE,
            text=True,
        )
        assert second.stderr is not None
        said = ""
        while "another process writes there; this one waits" not in said:
            line = second.stderr.readline()
            assert line, said
            said += line
        assert second.poll() is None
    _, rest = second.communicate(timeout=60)
    assert second.returncode == 0, rest
    assert not [path for path in run.iterdir() if path.name.startswith(".edition")]


def test_what_a_killed_process_has_left_goes(tmp_path: Path) -> None:
    (tmp_path / ".edition.reportgen-1").mkdir()
    (tmp_path / ".edition.reportgen-1" / "report.html").write_text("half")
    (tmp_path / ".report.html.reportgen-12").write_text("half")
    (tmp_path / ".written-report").write_text("")
    with folder_lock(tmp_path):
        assert sorted(p.name for p in tmp_path.iterdir()) == [LOCK, ".written-report"]


def test_without_locks_what_another_process_makes_stays(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("reportgen.file_writing.lock", lambda *_, **__: None)
    names = (".edition.reportgen-1", ".edition.reportgen-2")
    for name, days in zip(names, (0, 2), strict=True):
        (tmp_path / name).mkdir()
        os.utime(tmp_path / name, (time.time() - days * 86400,) * 2)
    with folder_lock(tmp_path) as is_own:
        assert is_own
    assert sorted(p.name for p in tmp_path.iterdir()) == [names[0], LOCK]


def test_files_of_two_reports_are_not_sent(study: Path, tmp_path: Path) -> None:
    assert call("run", study, "-o", tmp_path, "--format", "html", *FAST[2:]).exit_code == 0
    run = tmp_path / "run"
    file = run / "results.json"  # a kill leaves it new beside an old page
    file.write_text(file.read_text(encoding="utf-8").replace("0.2", "0.3"), encoding="utf-8")
    done = call("bundle", run, "-o", tmp_path / "run.zip")
    assert done.exit_code == 2
    assert f"{run}: found files of two reports, as writing one was broken off" in done.stderr
    done = call("site", tmp_path, "-o", tmp_path / "site")
    assert done.exit_code == 2
    assert "run: is left out (" in done.stderr
    assert call("report", run, "--format", "html", *FAST[2:]).exit_code == 0
    assert call("bundle", run, "-o", tmp_path / "run.zip").exit_code == 0


def test_a_warehouse_of_another_run_is_not_sent(tmp_path: Path) -> None:
    head = "replication,candidate,error\n"
    for name, shift in (("a", 1), ("b", 2)):
        rows = (f"{i},{c},0.{shift}{i}{k}\n" for i in range(6) for k, c in enumerate("xy"))
        (tmp_path / f"{name}.csv").write_text(head + "".join(rows))
        words = ("run", tmp_path / f"{name}.csv", "-o", tmp_path, "--format", "json", *FAST[2:])
        assert call(*words).exit_code == 0
    run, other = tmp_path / "a", tmp_path / "b" / "warehouse"
    assert call("bundle", run, "-o", tmp_path / "a.zip").exit_code == 0
    shutil.copytree(other, run / "warehouse", dirs_exist_ok=True)
    done = call("bundle", run, "-o", tmp_path / "a.zip")
    assert done.exit_code == 2
    assert f"{run}: found a report of other results than those that are stored" in done.stderr
    stored = {path.stem: path.read_bytes() for path in other.glob("[!.]*")}
    sent = rewritten(tmp_path / "a.zip", tmp_path / "sent.zip", **{DIGESTS: None}, **stored)
    for verb in ("report", "verify", "diff"):  # whoever has put it there
        done = call(verb, sent, *[tmp_path / "a.zip"] * (verb == "diff"))
        assert done.exit_code == 2
        assert f"{sent}: found a report of other results than those" in done.stderr


# ----------------------------------------------------------------------------------------- clocks


def test_a_clock_that_jumps_changes_no_duration(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    study = tmp_path / "fits.yaml"
    text = FITS.replace("[misclassification]", "[misclassification, time]")
    study.write_text(text.replace("{name: d, file: %s, target: y}", "iris"), encoding="utf-8")
    monkeypatch.setattr(time, "time", iter(range(10**9, 0, -(10**5))).__next__)
    warehouse, origin = pipeline.measure(pipeline.open_job(study, tmp_path), in_process=True)
    assert 0 <= origin.execution["seconds"] < 600
    values = warehouse.frame[warehouse.frame["measure"] == "time"]["value"]
    assert len(values) == 2
    assert values.between(0, 600).all()


@pytest.mark.slow
@pytest.mark.skipif(which("localedef") is None, reason="needs the program localedef")
def test_a_turkish_locale_changes_no_byte(study: Path, tmp_path: Path) -> None:
    """The letter i has another glyph there, on paper and in figures."""
    made = subprocess.run(
        ["localedef", "-i", "tr_TR", "-f", "UTF-8", tmp_path / "tr_TR.UTF-8"],
        capture_output=True,
        check=False,
    )
    if made.returncode > 1:  # 1: with warnings
        pytest.skip("there is no description of the locale tr_TR here")
    turkish = {"LOCPATH": str(tmp_path), "LC_ALL": "tr_TR.UTF-8"}
    told = "import locale; print(locale.setlocale(locale.LC_ALL, ''))"
    asked = [sys.executable, "-c", told]
    assert "tr_TR" in subprocess.check_output(asked, env={**os.environ, **turkish}, text=True)
    for name, environment in (("usual", {"LC_ALL": "C.UTF-8"}), ("turkish", turkish)):
        asked = ("--format", "pdf,latex", "--sections", "eda", "--jobs", "1")
        out = tmp_path / name
        done = command("run", study, "-o", out, *asked, cwd=tmp_path, environment=environment)
        assert done.returncode == 0, done.stderr
    files = [f.relative_to(tmp_path / "usual") for f in sorted((tmp_path / "usual").rglob("*.pdf"))]
    assert len(files) > 1
    for file in files:
        assert (tmp_path / "usual" / file).read_bytes() == (
            tmp_path / "turkish" / file
        ).read_bytes()
    done = command("verify", tmp_path / "usual" / "run", cwd=tmp_path, environment=turkish)
    assert done.returncode == 0, done.stdout + done.stderr
