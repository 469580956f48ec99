"""Results of other programs, the process and the places that a verb finds itself in, and kills.

    python validation/audit/programs_and_places.py [one of how many]
    python validation/audit/programs_and_places.py kills SEED [of each signal]

None of these inputs is one of `by_hand.py`, `unforeseen.py` or `found_outside.py`: logs of eleven
programs with one deed done to all of a file's parts, limits of the shell, full and read-only file
systems, a repository whose configuration names programs, files of other studies in a run's folder,
histories of other projects, calls in a notebook, data to learn from. Every input has its answer.
Where the system lets nobody mount, the full and read-only places are left out.
"""

# ruff: noqa: E501, ISC004 - an input stands on one line, or has its text in parts

from __future__ import annotations

import json
import os
import random
import shlex
import shutil
import signal
import subprocess
import sys
import time
from collections import Counter
from collections.abc import Callable, Iterator, Mapping
from contextlib import suppress
from hashlib import sha256
from pathlib import Path
from tempfile import mkdtemp
from typing import Any

from found_outside import READ, REFUSED, print_table
from study import CANARY, MANIFEST, MARK, PATIENCE, Input, good_rows, good_run, marked

Tries = Iterator[tuple[Input, str]]
Deed = Callable[[Any], Any]
ANSWERS = {"R": REFUSED, "a": READ}
PROGRAM = f"{shlex.quote(sys.executable)} -P -m reportgen"
TABLE = "\n".join(",".join(row) for row in good_rows()) + "\n"
SETUP = MANIFEST.partition("expect:")[0]
CLEAR = (2, 3, 4, 5)  # exit codes that say why


# ---------------------------------------------------------------------- results of other programs


def _google() -> object:
    runs = [
        {"name": f"BM_{c}/8", "run_name": f"BM_{c}/8", "run_type": "iteration", "iterations": 9,
         "repetition_index": i, "real_time": 12.5 + i + k, "cpu_time": 12.25 + k, "time_unit": "ns"}
        for k, c in enumerate(("a", "b")) for i in range(4)
    ]  # fmt: skip
    return {"context": {"date": "2026-01-01", "num_cpus": 2}, "benchmarks": runs}


def _jmh() -> object:
    return [
        {"benchmark": f"org.Sort.{c}", "mode": "avgt", "forks": 2,
         "primaryMetric": {"score": 1.5, "scoreUnit": "us/op",
                           "rawData": [[1.5 + k, 1.25], [1.75, 1.5]]}}
        for k, c in enumerate(("a", "b"))
    ]  # fmt: skip


def _hyperfine() -> object:
    return {
        "results": [
            {"command": f"sort {c}", "mean": 0.5, "times": [0.5 + k / 8, 0.625, 0.75]}
            for k, c in enumerate(("a", "b"))
        ]
    }


def _pyperf() -> object:
    runs = [{"values": [0.5, 0.625]}, {"values": [0.75, 0.5]}, {"values": [0.5, 0.5]}]
    about = [{"metadata": {"name": c, "unit": "second"}, "runs": runs} for c in ("a", "b")]
    return {"version": "1.0", "metadata": {}, "benchmarks": about}


def _pytest() -> object:
    return {
        "machine_info": {"node": "x"},
        "commit_info": {"id": "abc"},
        "version": "5.1.0",
        "benchmarks": [
            {"group": "sort", "name": f"test_{c}", "fullname": f"t.py::test_{c}", "params": None,
             "stats": {"data": [0.5 + k / 8, 0.625, 0.75], "rounds": 3, "mean": 0.5}}
            for k, c in enumerate(("a", "b"))
        ],
    }  # fmt: skip


def _promptfoo() -> object:
    results = [
        {"provider": {"id": c, "label": ""}, "promptIdx": 0, "testIdx": t, "vars": {"w": f"w{t}"},
         "prompt": {"raw": "Say {{w}}", "label": "Say"}, "success": (t + k) % 3 > 0, "score": 0.5,
         "testCase": {"vars": {"w": f"w{t}"}, "assert": [{"type": "equals"}]},
         "latencyMs": 250, "cost": 0.001, "failureReason": 0}
        for k, c in enumerate(("a", "b")) for t in range(6)
    ]  # fmt: skip
    return {"evalId": "e", "results": {"version": 3, "results": results}, "config": {}}


def _swe_bench() -> object:
    names = [f"django__django-{i}" for i in range(6)]
    return {
        "submitted_ids": names,
        "resolved_ids": names[:3],
        "unresolved_ids": names[3:],
        "empty_patch_ids": [],
        "error_ids": [],
    }


def _helm() -> object:
    return [
        {"instance_id": f"id{i}", "train_trial_index": 0,
         "stats": [{"name": {"name": "exact_match", "split": "test"}, "count": 1,
                    "sum": i % 2 / 1, "mean": i % 2 / 1}]}
        for i in range(6)
    ]  # fmt: skip


def _harbor() -> object:
    return {
        "task_name": "hello", "trial_name": "hello__1", "source": "terminal-bench",
        "agent_info": {"name": "terminus", "model_info": {"name": "big", "provider": "org"}},
        "agent_result": {"n_input_tokens": 9, "cost_usd": 0.5},
        "verifier_result": {"rewards": {"reward": 1.0}}, "exception_info": None,
        "started_at": "2026-01-01T00:00:00Z", "finished_at": "2026-01-01T00:01:30Z",
    }  # fmt: skip


def _github() -> object:
    benches = [
        {"name": c, "value": 12.5 + k, "unit": "ns/iter", "range": "± 1"}
        for k, c in enumerate(("a", "b"))
    ]
    entry = {"commit": {"id": "c1"}, "date": 1, "tool": "cargo", "benches": benches}
    return {"lastUpdate": 1, "repoUrl": "x", "entries": {"Suite": [entry, {**entry, "date": 2}]}}


def _records() -> object:
    head, *rows = good_rows()
    return [dict(zip(head, [*row[:4], float(row[4])], strict=True)) for row in rows]


LOGS: Mapping[str, tuple[str, Callable[[], object]]] = {
    "Google Benchmark": ("b.json", _google),
    "JMH": ("b.json", _jmh),
    "hyperfine": ("b.json", _hyperfine),
    "pyperf": ("b.json", _pyperf),
    "pytest-benchmark": ("b.json", _pytest),
    "promptfoo": ("out.json", _promptfoo),
    "SWE-bench": ("logs/model/report.json", _swe_bench),
    "HELM": ("mmlu:subject=x,model=a/per_instance_stats.json", _helm),
    "Harbor": ("hello__1/result.json", _harbor),
    "github-action-benchmark": ("data.js", _github),
    "records": ("r.json", _records),
}


def _changed(value: Any, leaf: Deed, whole: Deed = lambda x: x) -> Any:
    """Return JSON with a deed done to each leaf, and one to each list or mapping."""
    if isinstance(value, dict):
        return whole({k: _changed(v, leaf, whole) for k, v in value.items()})
    if isinstance(value, list):
        return whole([_changed(v, leaf, whole) for v in value])
    return leaf(value)


def _numbers(deed: Deed) -> Deed:
    """Return what does a deed to each number that is no whole one."""
    return lambda value: _changed(value, lambda x: deed(x) if isinstance(x, float) else x)


def _first_list(deed: Deed) -> Deed:
    """Return what does a deed to every list that has mappings."""

    def own(x: Any) -> Any:
        return deed(x) if isinstance(x, list) and x and isinstance(x[0], dict) else x

    return lambda value: _changed(value, lambda x: x, own)


JS = "window.BENCHMARK_DATA = "
DEEDS: Mapping[str, Deed] = {
    "numbers as text": _numbers(str),
    "numbers with decimal commas": _numbers(lambda x: str(x).replace(".", ",")),
    "numbers with separators of thousands": _numbers(lambda x: f"{x * 1e4:,.2f}"),
    "numbers with units": _numbers(lambda x: f"{x} ms"),
    "numbers that are missing": _numbers(lambda x: None),
    "numbers below 0": _numbers(lambda x: -x),
    "numbers of no end": _numbers(lambda x: float("inf")),
    "whole numbers of 400 digits": _numbers(lambda x: 10**400),
    "numbers in lists of their own": _numbers(lambda x: [x]),
    "truths": _numbers(lambda x: True),
    "nothing among the entries": _first_list(lambda x: [None, *x]),
    "a list among the entries": _first_list(lambda x: [*x, []]),
    "an empty entry": _first_list(lambda x: [*x, {}]),
    "entries twice": _first_list(lambda x: x * 2),
    "no entries": _first_list(lambda x: []),
    "keys in capitals": lambda v: _changed(
        v, lambda x: x, lambda x: {k.upper(): y for k, y in x.items()} if isinstance(x, dict) else x
    ),
    "names from right to left": lambda v: _changed(
        v, lambda x: f"\u202e{x}" if isinstance(x, str) else x
    ),
    "names of markup": lambda v: _changed(v, lambda x: f"{x}<script>" if isinstance(x, str) else x),
    "names that are missing": lambda v: _changed(v, lambda x: None if isinstance(x, str) else x),
}


def logs(folder: Path) -> Tries:
    """Yield logs of other programs with one deed done to all their parts."""
    answers = dict(
        line.split(": ") for line in Path(__file__).with_suffix(".txt").read_text().splitlines()
    )
    for program, (name, make) in LOGS.items():
        made = {"as it is": json.dumps(make())}
        made |= {deed: json.dumps(do(make())) for deed, do in DEEDS.items()}
        distinct = {text: deed for deed, text in reversed(made.items())}
        for i, (text, deed) in enumerate(reversed(distinct.items())):
            own = folder / "logs" / f"{program}, {deed}".replace(" ", "-")
            (own / name).parent.mkdir(parents=True)
            (own / name).write_text(JS + text if name.endswith("js") else text)
            given = str(own.relative_to(folder) / (name if "/" not in name else ""))
            words = ("import", given, "-o", f"logs/{own.name}.parquet")
            yield (
                Input("results of other programs", words, f"{program}, {deed}"),
                ANSWERS[answers[program][i]],
            )


# ------------------------------------------------------------------------ the process, and places

RUN = "run good.csv --sections eda --format md -o out/{}"
VARIABLES = (
    *("HOME", "PATH", "USER", "TERM", "LANG", "TMPDIR", "SHELL", "PWD", "OLDPWD", "LOGNAME"),
    *(
        "COLUMNS=1",
        "COLUMNS=99999999",
        "LINES=0",
        "FORCE_COLOR=3",
        "CLICOLOR_FORCE=1",
        "PAGER=touch",
    ),
    *("PYTHONOPTIMIZE=2", "PYTHONMALLOC=debug", "PYTHONFAULTHANDLER=1", "PYTHONUNBUFFERED=1"),
    *("PYTHONTRACEMALLOC=5", "PYTHONINTMAXSTRDIGITS=640", "PYTHONINTMAXSTRDIGITS=0"),
    *("PYTHONUTF8=0", "PYTHONBREAKPOINT=os.system", "PYTHONSTARTUP=good.csv", "PYTHONDEVMODE=1"),
    *("OMP_NUM_THREADS=0", "OPENBLAS_NUM_THREADS=0", "MALLOC_ARENA_MAX=1", "ARROW_NUM_THREADS=0"),
    *(
        "LC_ALL=ar_EG.UTF-8",
        "LC_NUMERIC=de_DE.UTF-8",
        "LANGUAGE=xx",
        "TZ=:/etc/passwd",
        "TZ=UTC+99",
    ),
    *("GIT_DIR=/nowhere", "BROWSER=touch", "EDITOR=touch", "GITHUB_ACTIONS=true", "CI=maybe"),
)
SHELL = (
    ("standard input is closed", f"PROGRAM {RUN.format(1)} <&-", READ),
    ("standard output is closed", f"PROGRAM {RUN.format(2)} >&-", READ),
    ("standard error is closed", f"PROGRAM {RUN.format(3)} 2>&-", READ),
    ("all three are closed", f"PROGRAM {RUN.format(4)} <&- >&- 2>&-", READ),
    ("a refusal, all three closed", "PROGRAM check nothing.csv <&- >&- 2>&-", REFUSED),
    ("output to a full device", "PROGRAM check good.csv > /dev/full", REFUSED),
    ("a refusal to a full device", "PROGRAM check nothing.csv 2> /dev/full", REFUSED),
    ("help to a full device", "PROGRAM --help > /dev/full", REFUSED),
    ("noise without end at standard input", f"PROGRAM {RUN.format(5)} < /dev/urandom", READ),
    ("a table at standard input", "PROGRAM check - < good.csv", REFUSED),
    ("16 open files", f"ulimit -n 16; PROGRAM {RUN.format(6)}", READ),
    ("10 open files", f"ulimit -n 10; PROGRAM {RUN.format(7)}", READ),
    ("16 open files, two workers", "ulimit -n 16; PROGRAM execute setup.yaml --jobs 2 -o o16", REFUSED),
    ("32 open files, two workers", "ulimit -n 32; PROGRAM execute setup.yaml --jobs 2 -o o32", READ),
    ("files of no bytes", f"ulimit -f 0; PROGRAM {RUN.format(10)}", REFUSED),
    ("files of 4 kB", f"ulimit -f 4; PROGRAM {RUN.format(11)}", REFUSED),
    ("a bundle of 1 kB", "ulimit -f 1; PROGRAM bundle output/good -o cut.zip", REFUSED),
    ("a history of 1 kB", "ulimit -f 1; PROGRAM history add output/good -o cut.parquet", REFUSED),
    ("an import of 1 kB", "ulimit -f 1; PROGRAM import good.csv -o cut2.parquet", REFUSED),
    ("a fit's journal of 1 kB", "ulimit -f 1; PROGRAM execute setup.yaml --jobs 1 -o oj", REFUSED),
    ("a small stack", f"ulimit -s 512; PROGRAM {RUN.format(12)}", READ),
    ("no core, no lock, no message queue", f"ulimit -c 0 -l 0 -q 0; PROGRAM {RUN.format(13)}", READ),
    ("a stack without an end", f"ulimit -s unlimited; PROGRAM {RUN.format(14)}", READ),
    ("no rights for new files", f"umask 777; PROGRAM {RUN.format(15)}", READ),
    ("no rights for the owner", "umask 700; PROGRAM execute setup.yaml --jobs 2 -o ou", READ),
    ("all rights for all", f"umask 0; PROGRAM {RUN.format(16)}", READ),
    ("no environment", f"env -i {PROGRAM} {RUN.format(17)}", READ),
    ("no environment, two workers", f"env -i {PROGRAM} execute setup.yaml --jobs 2 -o oe", READ),
    ("children are nobody's", "trap '' CHLD; PROGRAM execute setup.yaml --jobs 2 -o oc", READ),
    ("broken pipes are nobody's", f"trap '' PIPE; PROGRAM {RUN.format(18)} | true", READ),
    ("Ctrl-C is nobody's", "trap '' INT TERM HUP; PROGRAM execute setup.yaml --jobs 2 -o ot", READ),
    ("a session of its own", f"setsid -w {PROGRAM} {RUN.format(19)}", READ),
    ("one processor", f"taskset -c 0 {PROGRAM} execute setup.yaml -o o1", READ),
    ("an outer time limit", f"timeout 50 {PROGRAM} {RUN.format(20)}", READ),
    ("the folder is gone", f"mkdir gone; cd gone; rmdir ../gone; PROGRAM {RUN.format(21)}", REFUSED),
    ("a folder through two links", "ln -s output l1; ln -s l1 l2; PROGRAM verify l2/good", READ),
    ("a user who may write nowhere", "NOBODY run good.csv --format md -o /nowhere-at-all", REFUSED),
)  # fmt: skip
WRITE = {
    "run": "run good.csv --format md -o P/o",
    "run of HTML": "run good.csv --format html -o P/o",
    "execute": "execute setup.yaml --jobs 2 -o P/o",
    "import": "import good.csv -o P/x.parquet",
    "bundle": "bundle output/good -o P/x.zip",
    "export": "export output/good --to P/x",
    "history add": "history add output/good -o P/h.parquet",
    "history report": "history report nights.parquet -o P/h",
    "site": "site output -o P/site",
    "diff": "diff output/good output/good --format html -o P/d.html",
    "gate": "gate good.csv --expect 'b better than a' --junit P/j.xml --badge P/b.svg",
    "bench": "bench true true --blocks 6 --no-confirm --times P/t.csv",
    "plan": "plan output/good --detect 1pp --figure P/p.svg",
    "init": "init P/new --example quickstart",
    "schema": "schema -o P/s.json",
    "quarto-extension": "quarto-extension P/q",
}
PLACES = {
    "a full file system": "mount -t tmpfs -o size=4k none p && head -c 4096 /dev/zero > p/full",
    "one of 32 kB": "mount -t tmpfs -o size=32k none p",
    "one without places for files": "mount -t tmpfs -o nr_inodes=1 none p",
    "one that nobody may write": "mount -t tmpfs -o ro none p",
}
ROOMY = {
    "one of 32 kB": {"import", "bundle", "history add", "gate", "bench", "plan", "quarto-extension"}
}
SYSTEM = {
    "no /dev/shm": "mount -t tmpfs -o ro none /dev/shm",
    "no /proc": "mount -t tmpfs none /proc",
    "no /sys": "mount -t tmpfs none /sys",
    "a full folder of temporary files": "mount -t tmpfs -o size=4k none p && head -c 4096 /dev/zero"
    " > p/f; export TMPDIR=$PWD/p",
    "a folder of temporary files that nobody may write": "mount -t tmpfs -o ro none p;"
    " export TMPDIR=$PWD/p",
    "a home that nobody may write": "mount -t tmpfs -o ro none p; export HOME=$PWD/p"
    " XDG_CACHE_HOME=$PWD/p",
}


def surroundings(folder: Path) -> Tries:
    """Yield verbs under limits, closed files, other variables, and in odd places."""
    verbs = (RUN.format("variable"), "check setup.yaml", "gate good.csv --expect 'b better than a'")
    for i, variable in enumerate(VARIABLES):
        setting = variable if "=" in variable else f"-u {variable}"
        line = f"env {setting} {PROGRAM} {verbs[i % len(verbs)]}"
        yield Input("variable of the environment", ("sh", line), variable), READ
    for note, line, answer in SHELL:
        yield Input("shell", ("sh", line), note), answer
    can_mount = subprocess.run(
        ["unshare", "-m", "mount", "-t", "tmpfs", "none", "/mnt"], capture_output=True, check=False
    )
    if can_mount.returncode:
        return
    (folder / "p").mkdir()
    for place, mount in PLACES.items():
        for verb, words in WRITE.items():
            line = f"{mount}; PROGRAM {words.replace('P/', 'p/')}"
            answer = READ if verb in ROOMY.get(place, ()) else REFUSED
            yield Input("place that is full or closed", ("mount", line), f"{verb}: {place}"), answer
    for place, mount in SYSTEM.items():
        for i, words in enumerate(
            (RUN.format("sys"), "execute setup.yaml --jobs 2 -o sys --fresh")
        ):
            line = f"{mount}; PROGRAM {words}"
            yield Input("system", ("mount", line), f"{place}, {i + 1} workers"), READ


def outcome_of_line(given: Input, folder: Path) -> tuple[str, str]:
    """Have a shell do a line, and say what became of it."""
    line = (
        given.words[1]
        .replace("PROGRAM", PROGRAM)
        .replace("NOBODY", f"setpriv --reuid=65534 --regid=65534 --clear-groups {PROGRAM}")
    )
    words = ["bash", "-c", line]
    if given.words[0] == "mount":
        words = ["unshare", "-m", *words]
    mark = sha256(line.encode()).hexdigest()
    try:
        found = subprocess.run(
            words, cwd=folder, env={**os.environ, MARK: mark}, stdin=subprocess.DEVNULL,
            capture_output=True, timeout=PATIENCE, check=False,
        )  # fmt: skip
    except subprocess.TimeoutExpired:
        for pid in marked(mark):
            with suppress(OSError):
                os.kill(pid, signal.SIGKILL)
        return "hang", "took longer than a minute"
    told = (found.stdout + found.stderr).replace(b"\0", b"").decode("utf-8", "replace")
    (folder / "output.txt").write_text(told)
    end = time.monotonic() + 10
    while marked(mark) and time.monotonic() < end:
        time.sleep(0.1)
    if left := marked(mark):
        return "unclear", f"left {left}"
    if "Traceback (most recent call last)" in told:
        return "traceback", told.strip().splitlines()[-1]
    if found.returncode in (0, 1):
        return "accepted", ""
    if found.returncode in CLEAR and ("eportgen: " in told or "Error: " in told or "2>" in line):
        return "refused", ""
    return "unclear", f"exit code {found.returncode}: {told[-300:]}"


# ------------------------------------------------------------- runs, histories and claims of others


def _do(folder: Path, *words: str) -> None:
    """Have the program do what an input needs."""
    subprocess.run(
        [sys.executable, "-P", "-m", "reportgen", *words],
        cwd=folder, check=True, capture_output=True,
    )  # fmt: skip


def _link(name: str, target: str) -> Callable[[Path, Path], None]:
    """Return a deed that puts a link in the place of a file or folder of a run."""

    def deed(run: Path, _: Path) -> None:
        _gone(run / name)
        (run / name).symlink_to(target)

    return deed


def _gone(path: Path) -> None:
    if path.is_dir() and not path.is_symlink():
        shutil.rmtree(path)
    else:
        path.unlink(missing_ok=True)


def _made(name: str, make: Callable[[Path], object]) -> Callable[[Path, Path], None]:
    """Return a deed that puts something else in the place of a file or folder of a run."""

    def deed(run: Path, _: Path) -> None:
        _gone(run / name)
        make(run / name)

    return deed


def _taken(name: str, *, is_added: bool = False) -> Callable[[Path, Path], None]:
    """Return a deed that takes a file of another study, in place of the own or after it."""

    def deed(run: Path, other: Path) -> None:
        own = (run / name).read_bytes() if is_added else b""
        _gone(run / name)
        (run / name).write_bytes(own + (other / name).read_bytes())

    return deed


def _full(path: Path) -> None:
    path.mkdir()
    (path / "file").write_text("x")


JOURNAL, LOCK, LOG = "warehouse/journal", "warehouse/.lock", "warehouse/candidates.log"
PERFORMANCES, PROVENANCE = "warehouse/performances.parquet", "warehouse/provenance.json"
RUNS: tuple[tuple[str, str, Callable[[Path, Path], None], str], ...] = (
    ("a journal of another study", "execute", _taken(JOURNAL), READ),
    ("a journal of another study after its own", "execute", _taken(JOURNAL, is_added=True), READ),
    ("performances of another study", "report", _taken(PERFORMANCES), REFUSED),
    ("performances of another study", "execute", _taken(PERFORMANCES), READ),
    ("provenance of another study", "report", _taken(PROVENANCE), REFUSED),
    ("provenance of another study", "execute", _taken(PROVENANCE), READ),
    ("a journal that is a pipe", "execute", _made(JOURNAL, os.mkfifo), REFUSED),
    ("a journal that is a folder", "execute", _made(JOURNAL, _full), REFUSED),
    ("a lock that is a pipe", "execute", _made(LOCK, os.mkfifo), REFUSED),
    ("a lock that is a folder", "execute", _made(LOCK, _full), REFUSED),
    ("a lock that is a pipe", "report", _made(LOCK, os.mkfifo), READ),
    ("a log that is a pipe", "execute", _made(LOG, os.mkfifo), READ),
    ("a log that is a folder", "execute", _made(LOG, _full), READ),
    ("performances that are a folder", "execute", _made(PERFORMANCES, _full), REFUSED),
    ("a warehouse that is a file", "execute", _made("warehouse", Path.touch), REFUSED),
    ("a warehouse that is a pipe", "execute", _made("warehouse", os.mkfifo), REFUSED),
    ("tables that are a file", "report", _made("tables", Path.touch), REFUSED),
    ("tables that are a pipe", "report", _made("tables", os.mkfifo), REFUSED),
    ("a report that is a folder", "report", _made("report.md", _full), REFUSED),
    ("a report that is a pipe", "report", _made("report.md", os.mkfifo), READ),
    ("earlier reports that are a file", "report", _made("earlier", Path.touch), READ),
    ("a journal that is a link", "execute", _link(JOURNAL, "../../../canary"), REFUSED),
    ("a lock that is a link", "execute", _link(LOCK, "../../../canary"), REFUSED),
    ("a lock that is a link", "report", _link(LOCK, "../../../canary"), READ),
    ("a log that is a link", "execute", _link(LOG, "../../../canary"), READ),
    ("damaged lines that are a link", "execute",
     lambda run, _: ((run / JOURNAL).write_bytes((run / JOURNAL).read_bytes() + b"x\n"),
                     (run / f"{JOURNAL}.damaged").symlink_to("../../../canary"))[0], READ),
    ("performances that are a link", "execute", _link(PERFORMANCES, "../../../canary"), READ),
    ("a report that is a link", "report", _link("report.md", "../../canary"), READ),
    ("results.json that is a link", "report", _link("results.json", "../../canary"), READ),
    ("tables that are a link to nothing", "report", _link("tables", "../../canary"), REFUSED),
    ("a journal that is a link to itself", "execute", _link(JOURNAL, "journal"), REFUSED),
    ("a lock that is a link to itself", "execute", _link(LOCK, ".lock"), REFUSED),
    ("tables that are a link to themselves", "report", _link("tables", "tables"), REFUSED),
    ("a report that is a link to itself", "report", _link("report.md", "report.md"), REFUSED),
)  # fmt: skip


def foreign_runs(folder: Path) -> Tries:
    """Yield runs in which there is a file of another study, or something else in its place."""
    (folder / "setup.yaml").write_text(SETUP)
    (folder / "another.yaml").write_text(SETUP.replace("seed: 1", "seed: 2"))
    for name in ("setup", "another"):
        _do(folder, "run", f"{name}.yaml", "--jobs", "1", "-o", "base", "--format", "md")
    for i, (note, verb, deed, answer) in enumerate(RUNS):
        own = folder / f"run{i}" / "setup"
        shutil.copytree(folder / "base" / "setup", own)
        deed(own, folder / "base" / "another")
        more = ("--jobs", "1") if verb == "execute" else ("--format", "md")
        words = (verb, "setup.yaml", *more, "-o", own.parent.name)
        yield Input("run with files of others", words, f"{note}, {verb}"), answer


def foreign_histories(folder: Path) -> Tries:
    """Yield histories of other projects, other candidates, measures and places."""
    places = {
        "itself": TABLE,
        "other candidates": TABLE.replace(",a,", ",x,").replace(",b,", ",y,").replace(",c,", ",z,"),
        "another data set": TABLE.replace("d,", "e,"),
        "another measure": TABLE.replace("accuracy", "error"),
        "one candidate less": "\n".join(x for x in TABLE.split("\n") if ",c," not in x),
        "one replication more": TABLE + "".join(f"d,13,{c},accuracy,0.5\n" for c in "abc"),
        "names from right to left": TABLE.replace(",a,", ",שלום,"),
    }
    for i, (note, text) in enumerate(places.items()):
        (folder / f"project{i}.csv").write_text(text)
        _do(folder, "run", f"project{i}.csv", "--format", "md", "-o", "projects")
        _do(folder, "history", "add", f"projects/project{i}", "-o", f"h{i}.parquet")
        words: tuple[str, ...] = ("history", "add", "output/good", "-o", f"h{i}.parquet")
        answer = REFUSED if note == "other candidates" else READ
        yield Input("history of others", (*words, "--date", "2030-01-01"), f"add to {note}"), answer
        words = ("history", "report", f"h{i}.parquet", "-o", f"history{i}")
        yield Input("history of others", words, f"report of {note}"), READ
    (folder / "nowhere.parquet").symlink_to("canary")
    (folder / "around.parquet").symlink_to("around.parquet")
    os.mkfifo(folder / "pipe.parquet")
    add, report = ("history", "add", "output/good"), ("history", "report")
    for note, words, answer in (
        ("added to a link to itself", (*add, "-o", "around.parquet"), REFUSED),
        ("added to a pipe", (*add, "-o", "pipe.parquet"), REFUSED),
        ("added to performances", (*add, "-o", f"base/setup/{PERFORMANCES}"), REFUSED),
        ("of performances", (*report, f"base/setup/{PERFORMANCES}"), REFUSED),
        ("of a pipe", (*report, "pipe.parquet"), REFUSED),
        ("into a file", (*report, "h0.parquet", "-o", "good.csv"), REFUSED),
        ("of a measure that is not there", (*report, "h0.parquet", "--measure", "x"), REFUSED),
        ("since after all", (*report, "h0.parquet", "--since", "2999-01-01"), REFUSED),
        ("blocks longer than the nights", (*report, "h0.parquet", "--block", "999"), READ),
        ("a reference that is not there", (*add, "-o", "hr.parquet", "--reference", "z"), REFUSED),
        ("a reference of blanks", (*add, "-o", "hr.parquet", "--reference", " "), REFUSED),
        ("a date before a leap year", (*add, "-o", "hl.parquet", "--date", "2023-02-29"), REFUSED),
        ("a date of two parts", (*add, "-o", "hl.parquet", "--date", "2023-02"), READ),
        ("metrics of Bencher over the history",
         ("history", "export", "h0.parquet", "--bencher", "-o", "h0.parquet"), REFUSED),
        ("metrics of Bencher of two projects",
         ("history", "export", "h1.parquet", "--bencher", "-o", "b.json"), READ),
        ("a level of a half and more", (*report, "h0.parquet", "--alpha", "0.99"), READ),
    ):  # fmt: skip
        yield Input("history of others", words, note), answer


def claims(folder: Path) -> Tries:
    """Yield places for what a gate writes."""
    (folder / "badge.svg").symlink_to("elsewhere.svg")
    os.mkfifo(folder / "pipe.xml")
    gate = ("gate", "good.csv", "--expect", "b better than a")
    for note, words, answer in (
        ("results of JUnit into a folder", ("--junit", "output"), REFUSED),
        ("results of JUnit into a pipe", ("--junit", "pipe.xml"), REFUSED),
        ("results of JUnit and a badge into one file", ("--junit", "x", "--badge", "x"), READ),
        ("a badge to a link to nothing", ("--badge", "badge.svg"), READ),
        ("a badge below a file", ("--badge", "good.csv/b.svg"), REFUSED),
        ("a summary in no job", ("--summary", "github"), REFUSED),
        ("annotations in no job", ("--annotations", "github"), READ),
        ("a report for GitLab to nothing", ("--codequality", "/dev/null"), READ),
        ("a name from right to left", ("--junit", "\u202ex.xml"), READ),
        ("a name of two lines", ("--junit", "x\ny.xml"), READ),
    ):
        yield Input("files of a gate", (*gate, *words), note), answer


# ----------------------------------------------------- calls, data to learn from, repositories, sites

CALLS: tuple[tuple[str, str, str], ...] = (
    ("compare of a series", "rg.compare(pd.Series([1.0, 2.0]))", REFUSED),
    ("compare of a series of two levels",
     "rg.compare(pd.Series(np.arange(8.0), pd.MultiIndex.from_product([range(4), list('ab')])),"
     " measure='x', better='smaller')", REFUSED),
    ("compare of categories",
     "rg.compare(pd.DataFrame({'candidate': pd.Categorical(list('abab'), ['c', 'b', 'a']),"
     " 'replication': [1, 1, 2, 2], 'error': [1.0, 2, 2, 3]}))", REFUSED),
    ("compare of decimals",
     "rg.compare({'a': [__import__('decimal').Decimal(i) for i in (1, 2, 3)], 'b': [2, 3, 5]},"
     " measure='x', better='smaller')", READ),
    ("compare of sparse columns",
     "rg.compare(pd.DataFrame({'a': pd.arrays.SparseArray([0.0, 1, 0]), 'b': [1.0, 2, 3]}),"
     " measure='x', better='smaller')", REFUSED),
    ("compare of Int64 with gaps",
     "rg.compare(pd.DataFrame({'a': pd.array([1, None, 3], 'Int64'), 'b': [1, 2, 4]}),"
     " measure='x', better='smaller')", READ),
    ("compare of dates in columns",
     "rg.compare(pd.DataFrame({pd.Timestamp(0): [1.0, 2, 3], pd.Timestamp(1): [2.0, 3, 5]}),"
     " measure='x', better='smaller')", REFUSED),
    ("compare with dates as rows",
     "rg.compare(pd.DataFrame({'a': [1.0, 2, 3], 'b': [2.0, 3, 5]},"
     " pd.date_range('2026', periods=3)), measure='x', better='smaller')", READ),
    ("compare of a memoryview", "rg.compare(memoryview(b'abc'))", REFUSED),
    ("compare of a bytearray", "rg.compare(bytearray(b'a,b'))", REFUSED),
    ("compare of a set", "rg.compare({1.0, 2.0})", REFUSED),
    ("compare of a view of keys", "rg.compare({'a': [1.0]}.keys())", REFUSED),
    ("compare of an open file", "rg.compare(open('good.csv'))", REFUSED),
    ("compare of bytes as a path", "rg.compare(b'good.csv')", REFUSED),
    ("compare with a measure that is a number", "rg.compare({'a': [1.0] * 3}, measure=1)", REFUSED),
    ("compare with a side that is none",
     "rg.compare({'a': [1.0, 2], 'b': [2.0, 3]}, measure='x', better=None)", REFUSED),
    ("compare with sides of nobody",
     "rg.compare({'a': [1.0, 2], 'b': [2.0, 3]}, measure='x', better={'y': 'larger'})", REFUSED),
    ("compare with an alpha of a text", "rg.compare('good.csv', alpha='5%')", REFUSED),
    ("compare with an alpha of numpy", "rg.compare('good.csv', alpha=np.float32(0.05))", READ),
    ("compare with a seed of numpy", "rg.compare('good.csv', seed=np.uint8(3))", READ),
    ("compare with a seed that is true", "rg.compare('good.csv', seed=True)", REFUSED),
    ("compare of candidates twice", "rg.compare('good.csv', candidates=['a', 'a'])", REFUSED),
    ("compare of candidates in a text", "rg.compare('good.csv', candidates='ab')", REFUSED),
    ("compare of no candidates", "rg.compare('good.csv', candidates=[])", REFUSED),
    ("compare of data sets of numpy", "rg.compare('good.csv', datasets=np.array(['d']))", REFUSED),
    ("battles of a text", "rg.battles('hello')", REFUSED),
    ("battles of numbers", "rg.battles(np.eye(3))", REFUSED),
    ("battles of pairs", "rg.battles([('a', 'b', 'a')] * 9)", REFUSED),
    ("battles without a winner",
     "rg.battles(pd.DataFrame({'model_a': ['x'] * 4, 'model_b': ['y'] * 4, 'winner': [None] * 4}))",
     REFUSED),
    ("battles of numbers as names",
     "rg.battles(pd.DataFrame({'model_a': [1, 2] * 4, 'model_b': [2, 1] * 4,"
     " 'winner': ['model_a'] * 8}))", READ),
    ("load of a folder of runs", "rg.load('output')", REFUSED),
    ("load of a number", "rg.load(3)", REFUSED),
    ("load of an empty path", "rg.load('')", REFUSED),
    ("load of a table", "rg.load('good.csv')", REFUSED),
    ("load as reported", "rg.load('output/good', as_reported=True)", READ),
    ("read of nothing", "rg.read([])", REFUSED),
    ("read of a generator", "rg.read(p for p in ['good.csv'])", REFUSED),
    ("read with columns of numbers", "rg.read('good.csv', columns={'candidate': 3})", REFUSED),
    ("read by an unknown format", "rg.read('good.csv', format='excel')", REFUSED),
    ("diff with itself", "rg.diff('output/good', 'output/good')", READ),
    ("diff of a study with a path", "rg.diff(rg.load('output/good'), 'output/good')", READ),
    ("diff of an unknown measure", "rg.diff('output/good', 'output/good', measures=['q'])", REFUSED),
    ("diff with a text for measures",
     "rg.diff('output/good', 'output/good', measures='accuracy')", REFUSED),
    ("run of a folder", "rg.run('output/good')", REFUSED),
    ("run with an unknown keyword", "rg.run('setup.yaml', nothing=1)", REFUSED),
    ("run with jobs of a float", "rg.run('setup.yaml', jobs=1.5)", REFUSED),
    ("run with no jobs", "rg.run('setup.yaml', jobs=0)", REFUSED),
    ("evaluate of classes",
     "rg.evaluate([__import__('sklearn.dummy').dummy.DummyClassifier], np.eye(9), [0, 1, 0] * 3)",
     REFUSED),
    ("evaluate with one class", "rg.evaluate(['lda', 'knn'], np.eye(9), [0] * 9)", REFUSED),
    ("evaluate of lists of other lengths", "rg.evaluate(['lda'], np.eye(9), [0, 1])", REFUSED),
    ("evaluate of text", "rg.evaluate(['lda', 'knn'], ['a b', 'c d'] * 9, [0, 1] * 9)", REFUSED),
    ("evaluate with NaN as a class",
     "rg.evaluate(['lda', 'knn'], np.eye(9), [0.0, 1.0, np.nan] * 3)", REFUSED),
    ("a study in a notebook", "len(rg.load('output/good')._repr_html_())", READ),
    ("a study that is copied", "__import__('copy').deepcopy(rg.load('output/good'))", READ),
    ("a study that is compared", "rg.load('output/good') == 3", READ),
    ("a study saved to a folder", "rg.load('output/good').save('output')", REFUSED),
    ("a study saved to another suffix", "rg.load('output/good').save('x.tar')", REFUSED),
)  # fmt: skip

HEAD = "x,z,y\n"
GOOD_ROWS = "".join(f"{i % 11}.5,{'uv'[i % 2]},{'ab'[i % 3 // 2]}\n" for i in range(60))
DATA: tuple[tuple[str, str, str, str], ...] = (
    ("decimal commas", "csv", HEAD + GOOD_ROWS.replace(".5", ",5"), REFUSED),
    ("semicolons and decimal commas", "csv",
     (HEAD + GOOD_ROWS).replace(",", ";").replace(".", ","), READ),
    ("separators of thousands", "csv", HEAD + GOOD_ROWS.replace("10.5", '"1,010.5"'), READ),
    ("a byte order mark", "csv", "\ufeff" + HEAD + GOOD_ROWS, READ),
    ("a header twice", "csv", "x,x,y\n" + GOOD_ROWS, READ),
    ("no header", "csv", GOOD_ROWS, REFUSED),
    ("a line feed in quotes", "csv", HEAD + GOOD_ROWS.replace("u", '"u\nu"'), READ),
    ("a target that is missing once", "csv", HEAD + GOOD_ROWS + "1,u,\n", REFUSED),
    ("a target with a blank behind", "csv", HEAD + GOOD_ROWS + "1,u,a \n", READ),
    ("a class of one row", "csv", HEAD + GOOD_ROWS + "1,u,c\n", READ),
    ("a class from right to left", "csv", HEAD + GOOD_ROWS.replace(",b\n", ",ב\n"), READ),
    ("a class of markup", "csv", HEAD + GOOD_ROWS.replace(",b\n", ",<b>\n"), READ),
    ("an input that is missing throughout", "csv", "x,z,y\n" + GOOD_ROWS.replace("u,", ",")
     .replace("v,", ","), READ),
    ("an input of dates", "csv", HEAD + GOOD_ROWS.replace("u,", "2026-01-01,"), READ),
    ("an input of a name for each row", "csv",
     HEAD + "".join(f"1,n{i},{'ab'[i % 2]}\n" for i in range(60)), READ),
    ("an input that says the class", "csv",
     HEAD + "".join(f"{i % 7},{'ab'[i % 2]},{'ab'[i % 2]}\n" for i in range(60)), READ),
    ("an input without an end", "csv", HEAD + GOOD_ROWS.replace("10.5,", "inf,"), REFUSED),
    ("an input of NaN in five spellings", "csv",
     HEAD + GOOD_ROWS + "nan,u,a\nNaN,u,b\nNA,v,a\nnull,v,b\n,u,a\n", READ),
    ("an input of numbers and a word", "csv", HEAD + GOOD_ROWS + "ten,u,a\n", READ),
    ("numbers of 400 digits", "csv", HEAD + GOOD_ROWS + "9" * 400 + ",u,a\n", REFUSED),
    ("rows twice", "csv", HEAD + GOOD_ROWS * 2, READ),
    ("four rows", "csv", HEAD + "1,u,a\n2,v,b\n3,u,a\n4,v,b\n", READ),
    ("one row", "csv", HEAD + "1,u,a\n", REFUSED),
    ("a row that is short", "csv", HEAD + GOOD_ROWS + "1,u\n", REFUSED),
    ("ARFF", "arff", "@relation r\n@attribute x real\n@attribute y {a,b}\n@data\n"
     + "1,a\n2,b\n" * 20, READ),
    ("ARFF, sparse", "arff", "@relation r\n@attribute x real\n@attribute y {a,b}\n@data\n"
     + "{0 1, 1 a}\n{0 2, 1 b}\n" * 20, REFUSED),
    ("ARFF with dates", "arff", "@relation r\n@attribute x date\n@attribute y {a,b}\n@data\n"
     + '"2026-01-01",a\n"2026-01-02",b\n' * 20, READ),
    ("ARFF with a class that is not declared", "arff",
     "@relation r\n@attribute x real\n@attribute y {a,b}\n@data\n" + "1,a\n2,c\n" * 20, REFUSED),
    ("ARFF of a relation", "arff", "@relation r\n@attribute b relational\n@attribute x real\n"
     "@end b\n@attribute y {a,b}\n@data\n" + "'1\\n2',a\n" * 20, REFUSED),
    ("ARFF without data", "arff", "@relation r\n@attribute x real\n@attribute y {a,b}\n", REFUSED),
    ("ARFF in capitals", "arff", "@RELATION r\n@ATTRIBUTE x REAL\n@ATTRIBUTE y {a,b}\n@DATA\n"
     + "1,a\n2,b\n" * 20, READ),
)  # fmt: skip


def calls(folder: Path) -> Tries:
    """Yield calls as in a notebook, and data to learn from."""
    for note, code, answer in CALLS:
        yield Input("call of Python", ("python", code), note), answer
    for i, (note, suffix, text, answer) in enumerate(DATA):
        (folder / f"learn{i}.{suffix}").write_text(text, encoding="utf-8")
        entry = f"[{{name: l, file: learn{i}.{suffix}, target: y}}]"
        (folder / f"learn{i}.yaml").write_text(SETUP.replace("[monks3]", entry))
        yield Input("data to learn from", ("check", f"learn{i}.yaml"), note), answer


CONFIG = {
    "a file system monitor": "[core]\nfsmonitor = touch {canary}; false\n",
    "a pager": "[core]\npager = touch {canary}\n[pager]\nshow = touch {canary}\nlog = true\n",
    "an editor, an asker and a shell": "[core]\neditor = touch {canary}\naskPass = touch {canary}\n"
    "sshCommand = touch {canary}\n",
    "a program that compares": "[diff]\nexternal = touch {canary}\n[diff \"x\"]\ntextconv = touch "
    "{canary}\ncommand = touch {canary}\n",
    "a filter": "[filter \"x\"]\nsmudge = touch {canary}\nclean = touch {canary}\nprocess = touch "
    "{canary}\nrequired = true\n",
    "hooks": "[core]\nhooksPath = {hooks}\n",
    "aliases": "[alias]\nshow = !touch {canary}\ncat-file = !touch {canary}\narchive = !touch "
    "{canary}\nls-tree = !touch {canary}\n",
    "another work tree": "[core]\nworktree = /\n",
    "signatures": "[log]\nshowSignature = true\n[gpg]\nprogram = {hooks}/post-checkout\n",
    "an include of a pipe": "[include]\npath = {pipe}\n",
    "an archive's program": "[tar \"tar\"]\ncommand = touch {canary}\n[uploadpack]\npackObjectsHook "
    "= touch {canary}\n",
    "a promisor": "[remote \"o\"]\nurl = ext::touch {canary}\npromisor = true\n[extensions]\n"
    "partialClone = o\n[protocol \"ext\"]\nallow = always\n",
}  # fmt: skip
REVISIONS = (
    *("HEAD:", ":good", "HEAD:/good", "HEAD:../good", "--output=canary:good", "HEAD~99:good"),
    *("HEAD^{/x}:good", "@{yesterday}:good", "HEAD:link", "HEAD:good/none", "\u202e:good", "-:-"),
)


def repositories(folder: Path) -> Tries:
    """Yield repositories whose configuration names programs, and odd revisions."""
    canary, hooks, pipe = folder / CANARY, folder / "hooks", folder / "pipe.git"
    hooks.mkdir()
    for name in ("post-checkout", "pre-commit", "post-index-change", "reference-transaction"):
        (hooks / name).write_text(f"#!/bin/sh\ntouch {canary}\n")
        (hooks / name).chmod(0o755)
    os.mkfifo(pipe)
    own = folder / "repository"
    shutil.copytree(folder / "output" / "good", own / "good")
    (own / "link").symlink_to("good")
    (own / ".gitattributes").write_text("* diff=x filter=x export-subst\n")
    git = ["git", "-c", "user.name=x", "-c", "user.email=x@y", "-C", str(own)]
    for words in (["init", "-q"], ["add", "-A"], ["commit", "-q", "-m", "x"]):
        subprocess.run([*git, *words], check=True, capture_output=True)
    plain = (own / ".git" / "config").read_text()
    for i, (note, text) in enumerate(CONFIG.items()):
        copy = folder / f"repository{i}"
        shutil.copytree(own, copy, symlinks=True)
        more = text.format(canary=canary, hooks=hooks, pipe=pipe)
        (copy / ".git" / "config").write_text(plain + more)
        line = f"cd {copy.name}; PROGRAM diff HEAD:good good"
        yield Input("repository", ("sh", line), note), REFUSED if "pipe" in note else READ
    for i, revision in enumerate(REVISIONS):
        line = f"cd repository; PROGRAM diff {shlex.quote(revision)} good"
        is_there = revision in ("HEAD^{/x}:good", "@{yesterday}:good")
        yield (
            Input("repository", ("sh", line), f"{i}: {revision!a}"),
            READ if is_there else REFUSED,
        )


def sites(folder: Path) -> Tries:
    """Yield folders of runs that are odd, and data sets for which a candidate is wanted."""
    _do(folder, "run", "good.csv", "--sections", "eda", "--format", "html", "-o", "shown")
    good = folder / "shown" / "good"
    cases: tuple[tuple[str, Callable[[Path], object], str], ...] = (
        ("a run twice", lambda p: shutil.copytree(good, p / "two"), READ),
        ("a run within a run", lambda p: shutil.copytree(good, p / "good" / "inner"), READ),
        ("a link to a run", lambda p: (p / "linked").symlink_to(good), READ),
        ("a link to the folder above", lambda p: (p / "above").symlink_to(".."), READ),
        ("a pipe", lambda p: os.mkfifo(p / "pipe"), READ),
        ("a name from right to left", lambda p: (p / "good").rename(p / "דוח"), READ),
        ("a name of two lines", lambda p: (p / "good").rename(p / "a\nb"), READ),
        ("a name of markup", lambda p: (p / "good").rename(p / "<b>&'\""), READ),
        ("a name of blanks", lambda p: (p / "good").rename(p / "  "), READ),
        ("results that are a pipe",
         lambda p: _made("good/results.json", os.mkfifo)(p, p), REFUSED),
        ("results that are nothing",
         lambda p: (p / "good" / "results.json").write_text(""), REFUSED),
        ("a page that is a folder", lambda p: _made("good/report.html", Path.mkdir)(p, p), REFUSED),
        ("no runs at all", lambda p: shutil.rmtree(p / "good"), REFUSED),
        ("1,000 empty folders",
         lambda p: [(p / f"e{i}").mkdir() for i in range(1000)], READ),
    )  # fmt: skip
    for i, (note, do, answer) in enumerate(cases):
        place = folder / f"site{i}"
        place.mkdir()
        shutil.copytree(good, place / "good")
        do(place)
        yield Input("site", ("site", place.name, "-o", f"public{i}"), note), answer


def tries(folder: Path) -> Tries:
    """Yield all inputs and their answers."""
    (folder / "setup.yaml").write_text(SETUP)
    _do(folder, "history", "add", "output/good", "-o", "nights.parquet")
    for make in (
        *(logs, foreign_runs, foreign_histories, claims, calls, repositories, sites),
        surroundings,
    ):
        yield from make(folder)


# ------------------------------------------------------------------------------------------ kills

VERBS: Mapping[str, tuple[str, tuple[str, ...], tuple[str, ...]]] = {
    "run": ("run kills.yaml --jobs 2 --sections eda --format md -o k",
            ("k/kills/warehouse/performances.parquet",), ()),
    "report": ("report output/good --format md,html -o again", (),
               ("again/good/report.md", "again/good/report.html")),
    "import": ("import good.csv -o imported.parquet", ("imported.parquet",), ()),
    "history add": ("history add output/good -o killed.parquet", ("killed.parquet",), ()),
    "bundle": ("bundle output/good -o sent.zip", (), ("sent.zip",)),
    "diff": ("diff output/good output/good --format md -o d.md", (), ("d.md",)),
    "verify": ("verify good.zip", (), ("good.zip",)),
    "bench": ("bench 'sleep .05' 'sleep .06' --blocks 6 --no-confirm --times t.csv", (), ()),
}  # fmt: skip
"""A command, the tables and the files that it writes."""


def try_kills(seed: int, n_each: int, folder: Path) -> Counter[str]:
    """End verbs at random moments by each of three signals, and do the same again after each."""
    import pandas as pd

    rng = random.Random(seed)
    good_run(folder)
    (folder / "kills.yaml").write_text(SETUP)
    signals = [signal.SIGKILL, signal.SIGTERM, signal.SIGINT] * n_each
    counts = Counter(kills=0, tracebacks=0, hangs=0, left=0, lost=0, codes=0)
    usual, whole = dict[str, float](), dict[str, object]()
    quiet: dict[str, Any] = {"cwd": folder, "stdout": subprocess.DEVNULL, "stderr": subprocess.PIPE}

    def read(verb: str) -> object:
        tables, files = VERBS[verb][1:]
        found = [sha256((folder / name).read_bytes()).hexdigest() for name in files]
        return found + [pd.read_parquet(folder / name).to_csv(index=False) for name in tables]

    for i, number in enumerate(signals):
        verb = [*VERBS][i % len(VERBS)]
        command = [sys.executable, "-P", "-m", "reportgen", *shlex.split(VERBS[verb][0])]
        if verb not in usual:
            begin = time.monotonic()
            subprocess.run(command, check=False, **quiet)
            usual[verb], whole[verb] = time.monotonic() - begin, read(verb)
        if verb == "run" and rng.random() < 0.5:
            shutil.rmtree(folder / "k")
        mark = f"{seed}-{i}"
        process = subprocess.Popen(
            command, env={**os.environ, MARK: mark}, start_new_session=True, **quiet
        )
        with suppress(subprocess.TimeoutExpired):
            process.wait(rng.uniform(0.02, 0.98) * usual[verb])
            usual[verb] *= 0.8
            signals.append(number)  # it had ended: the signal is due still
        if is_killed := process.poll() is None:
            process.send_signal(number)
            counts["kills"] += 1
            counts[f"{verb} {number.name}"] += 1
        try:
            told = process.communicate(timeout=PATIENCE)[1].decode("utf-8", "replace")
        except subprocess.TimeoutExpired:
            process.kill()
            told = process.communicate()[1].decode("utf-8", "replace")
            counts["hangs"] += 1
        end = time.monotonic() + 20
        while (left := marked(mark)) and time.monotonic() < end:
            time.sleep(0.1)
        for pid in left:
            print(verb, number.name, "left", Path(f"/proc/{pid}/cmdline").read_bytes(), flush=True)
            with suppress(OSError):
                os.kill(pid, signal.SIGKILL)
        # Python itself ends by the signal before the program begins; a shell shows that as 128 more.
        allowed = {0, 1, -number, 128 + number}
        is_odd = is_killed and process.returncode not in allowed
        again = subprocess.run(command, check=False, **quiet)
        is_lost = again.returncode not in (0, 1) or read(verb) != whole[verb]
        counts["left"] += len(left)
        counts["tracebacks"] += "Traceback" in told or b"Traceback" in again.stderr
        counts["codes"] += is_odd
        counts["lost"] += is_lost
        if is_odd or is_lost or "Traceback" in told:
            print(verb, number.name, process.returncode, again.returncode, told[-900:],
                  again.stderr[-500:], flush=True)  # fmt: skip
    return counts


if __name__ == "__main__":
    if sys.argv[1:2] == ["kills"]:
        signal.signal(signal.SIGINT, signal.default_int_handler)
        place = Path(mkdtemp(prefix="audit-"))
        print(dict(try_kills(int(sys.argv[2]), int([*sys.argv, "20"][3]), place)))
        shutil.rmtree(place)
    else:
        print_table(tries)
