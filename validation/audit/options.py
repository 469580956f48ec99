"""Odd inputs at doors that the other audits do not know, and kills of verbs that they do not kill.

    python validation/audit/options.py SEED [inputs] [kills]

Doors: what `check` predicts of huge designs, claims over levels of factors, `--confirm` and
`--rerun`, code cells of executed documents, Python's calls (`compare`, `battles`, `agreement`,
`plan`, `check`), variables of the environment, files of Parquet and R, sheets, logs of other
programs, data to learn from, and words of the command line. The verbs bench, check --probe, bundle,
site, export, gate --rerun and quarto-extension are ended at random times, and then done again.
"""

from __future__ import annotations

import io
import json
import os
import random
import shutil
import signal
import subprocess
import sys
import time
import traceback
import zipfile
from collections import Counter
from collections.abc import Callable, Iterator, Mapping
from itertools import takewhile
from pathlib import Path
from tempfile import mkdtemp
from typing import Any

import study
from study import (
    CANARY,
    MANIFEST,
    MARK,
    PATIENCE,
    Input,
    good_run,
    load_modules,
    marked,
    odd_bytes,
    row,
)
from verbs import DESIGNS, ODD_NUMBERS, ODD_PATHS, digest_of, good_rows, odd_rows

ROOT = Path(__file__).resolve().parents[2]
FILES = ROOT / "tests" / "exchange" / "files"
HUGE = ("1000000", "10**9", "999999999999", "1e9", "0", "-5", "2.5", "9" * 60)
CODE = (
    *("'''\nimport os; os.system('touch canary')\n'''", '"""+open("canary","w").write("x")+"""'),
    *("```\n\n```{python}\nopen('canary','w')\n```", "#| eval: true\n!touch canary", "%run canary"),
    *("{{< include /etc/passwd >}}", "\\\n\"); open('canary','w')  # ", "a\r\nopen('canary','w')"),
    *(
        "`r system('touch canary')`",
        "\u2028open('canary','w')",
        "![](file:/etc/passwd)",
        "--- \n",
    ),
)
LEVEL_WORDS = (
    *(
        "a",
        "b",
        "x",
        "y",
        "model a",
        "prompt x",
        "prompt y",
        "best prompt of a",
        "best prompt of b",
    ),
    *("best model of x", "best prompt of nobody", "best", "best prompt of", "prompt", "model", "c"),
    *("prompt a", "model x", "a x", "b y", "best prompt of a x", "best best prompt of a", "\u202e"),
)
RERUNS = (
    *("true", "false", "sleep 0.1", "", "'", "nothing-like-this", "$(touch canary)", "a\0b"),
    *("true; touch canary", "`touch canary`", "sh -c 'kill -9 $$'", "/etc/passwd", "true | cat"),
    *("cp good.csv again.csv", "cp file.txt again.csv", "yes\u202e", "sh -c 'sleep 999 &'"),
)
VARIABLES: Mapping[str, tuple[str, ...]] = {
    "LC_ALL": ("C", "tr_TR.UTF-8", "xx_YY", "\u202e", "C.UTF-8", "POSIX", "/etc/passwd"),
    "COLUMNS": ("-1", "0", "abc", "9" * 30, ""),
    "TZ": ("../../etc/passwd", "Mars/Base", ":", "XXX-99:99", "", "A" * 5000),
    "XDG_CACHE_HOME": ("/dev/null", "/proc/1", "relative", "", "pipe", "a\nb", "/" + "x" * 300),
    "HOME": ("/dev/null", "", "/nowhere", "pipe"),
    "TMPDIR": ("/nowhere", "pipe", "file.txt", ""),
    "MPLBACKEND": ("module://canary_module", "nothing", "", "tkagg"),
    "MPLCONFIGDIR": ("/dev/null", "pipe", "file.txt"),
    "PYTHONPATH": (".", "", ":", "file.txt", "evil"),
    "NO_COLOR": ("1", "", "\u202e"),
    "TERM": ("", "dumb", "\x1b[31m"),
    "PYTHONIOENCODING": ("ascii", "latin-1", "utf-16", "utf-8:strict"),
    "PYTHONHASHSEED": ("0", "1"),
    "OPENBLAS_NUM_THREADS": ("-1", "abc", "99999"),
    "PYTHONWARNINGS": ("error", "default", "error::canary_module.X"),
    "GITHUB_STEP_SUMMARY": ("/nowhere/x", "pipe2", "output", ""),
}
OPTIONS = (
    *(["--jobs", "0"], ["--jobs", "-1"], ["--jobs", "999999"], ["--format", "x,,md"]),
    *(["--format", ","], ["--format", ""], ["--format", "md,md,MD"], ["--sections", "eda,nothing"]),
    *(["--sections", ""], ["--sections", "eda,eda"], ["--length", "long"], ["--layout", "tree"]),
    *(["--set"], ["--set", "="], ["--set", "a"], ["--set", "a="], ["--set", "=1"]),
    *(["--set", "analysis.alpha=&a [*a]"], ["--set", "..=1"], ["--set", "report.formats=md"]),
    *(["--set", "report.title=\ud800"], ["--set", "study.title={{ 7*7 }}"], ["--nothing"], ["-x"]),
    *(["--cluster", "tcp://127.0.0.1:9"], ["--cluster", ""], ["--cluster", "file:/etc/passwd"]),
    *(["--set", "report.quarto.engine=bash"], ["--set", "report.quarto={engine: [jupyter]}"]),
    *(["--set", "execution.timeout=never"], ["--set", "seed=" + "9" * 500], ["--", "--help"]),
    *(
        ["--dry-run", "--fresh", "--retry-failed"],
        ["--clean", "--clean"],
        ["--debug", "--jobs", "x"],
    ),
    *(["--set", "sections=[eda, {eda: {}}]"], ["--set", "sections={}"], ["--set", "expect=x"]),
)


def predictions(rng: random.Random, folder: Path, n: int) -> Iterator[Input]:
    """Yield designs of which `check` predicts time and memory: huge, or of odd numbers."""
    for i in range(n):
        number = rng.choice(HUGE)
        text = rng.choice(
            (
                MANIFEST.replace("replications: 5", f"replications: {number}"),
                MANIFEST.replace("[monks3]", f"[{{name: s, generator: spirals, n: {number}}}]"),
                MANIFEST.replace("lda,", f"{{name: svm, options: {{C: {number}}}}},"),
                MANIFEST.replace(
                    "[monks3]",
                    "[{name: l, generator: linear, n_test: 20, vary: {n: [30, 50], b2: ["
                    + ", ".join(f"{k / 1e6}" for k in range(rng.choice((2, 40_000))))
                    + "]}}]",
                ),
                MANIFEST.replace(
                    "lda,",
                    ", ".join(
                        f"{{name: l{k}, estimator: lda}}" for k in range(rng.choice((9, 3000)))
                    )
                    + ",",
                ),
                MANIFEST + f"sections: [eda, {{psychoanalysis: {{permutations: {number}}}}}]\n",
                MANIFEST
                + f"execution: {{jobs: {number}, timeout: {number}s, memory: {number}GiB}}\n",
            )
        )
        place = folder / f"p{i}.yaml"
        place.write_text(text)
        more = ["--probe"] if rng.random() < 0.1 and number in ("0", "-5", "2.5") else []
        yield Input("prediction", ("check", str(place), *more), number)


def levels(rng: random.Random, folder: Path, n: int) -> Iterator[Input]:
    """Yield claims over levels of two factors."""
    own = folder / "levels"
    own.mkdir()
    rows = good_rows("prompts")
    (own / "r.csv").write_text("\n".join(",".join(line) for line in rows) + "\n")
    (own / "study.yaml").write_text(DESIGNS["prompts"])
    out = ["-o", str(own / "out")]
    subprocess.run(
        [sys.executable, "-m", "reportgen", "run", str(own / "study.yaml"), "--format", "md", *out],
        check=True,
        capture_output=True,
    )
    for _ in range(n):
        one, other = rng.choice(LEVEL_WORDS), rng.choice(LEVEL_WORDS)
        amount = rng.choice(ODD_NUMBERS)
        claim = rng.choice(
            (
                f"{one} better than {other}",
                f"{one} not worse than {other} by {amount}",
                f"{one} equivalent to {other} by {amount}",
                f"accuracy of {one} above {amount}",
                f"{one} among the best",
                f"consensus starts with {one}",
                f"{one} better than {other} on {other} in the domain",
            )
        )
        power = ["--check-power"] if rng.random() < 0.3 else []
        run = (
            str(own / "out" / "study")
            if (own / "out" / "study").exists()
            else str(own / "study.yaml")
        )
        run = rng.choice((run, str(own / "study.yaml")))
        to = out if run.endswith(".yaml") else []
        yield Input("levels", ("gate", run, "--expect", claim, *power, *to), claim)


def confirmations(rng: random.Random, folder: Path, n: int) -> Iterator[Input]:
    """Yield runs that are made anew, and what makes them."""
    for i in range(n):
        again = folder / f"again{i}.csv"
        rows = odd_rows(rng, good_rows("reference"))
        again.write_bytes("\n".join(",".join(x) for x in rows).encode("utf-8", "surrogateescape"))
        confirm = rng.choice((str(again), str(again), "good.csv", "good.zip", *ODD_PATHS))
        rerun = ["--rerun", rng.choice(RERUNS)] if rng.random() < 0.6 else []
        if rng.random() < 0.5:
            words = ["gate", "good.csv", "--expect", "a better than b", "--confirm", confirm]
        else:
            words = ["diff", "good.csv", str(again), "--fail-on", "values", "--confirm", confirm]
        yield Input("confirm", (*words, *rerun), "")


def documents(rng: random.Random, folder: Path, n: int) -> Iterator[Input]:
    """Yield studies whose names and texts would be code in the cells of a document."""
    for i in range(n):
        own = folder / f"doc{i}"
        own.mkdir()
        known = CODE if i % 4 == 0 else [text for text in CODE if text.isprintable()]
        names = [rng.choice(known), rng.choice(known), "plain"]
        rows = [
            {"dataset": rng.choice((names[0], "d")) if i % 3 else "d", "candidate": c}
            | {"replication": b, "accuracy": 0.5 + rng.random() / 9}
            for b in range(6)
            for c in dict.fromkeys(names)
        ]
        (own / "r.json").write_text(json.dumps(rows))
        manifest = {
            "study": {"title": rng.choice(CODE), "abstract": rng.choice(CODE)},
            "results": {"file": "r.json"},
            "report": {"formats": ["qmd"], "quarto": {"engine": "jupyter"}},
        }
        (own / "study.yaml").write_text(json.dumps(manifest))
        yield Input("document", ("run", str(own / "study.yaml"), "-o", str(own / "out")), str(own))


def execute_cells(own: Path) -> None:
    """Execute the code cells of the documents that were written, as a kernel does."""
    import re

    for path in sorted(own.rglob("*.qmd")):
        cells = re.findall(r"^```\{python\}\n(.*?)^```$", path.read_text("utf-8"), re.M | re.S)
        space: dict[str, Any] = {}
        before = Path.cwd()
        os.chdir(path.parent)
        try:
            for cell in cells:
                exec(compile(cell, str(path), "exec"), space)
        finally:
            os.chdir(before)


CALLS = (
    "rg.compare({v}, measure='accuracy')",
    "rg.compare('good.csv').agreement({v})",
    "rg.compare('good.csv').agreement(rg.compare('again.csv'), {k}={v})",
    "rg.compare('good.csv').check({v})",
    "rg.compare('good.csv').plan(0.01, {k}={v})",
    "rg.compare('good.csv').plan({v})",
    "rg.battles({{'l': ['a', 'b'] * 9, 'r': ['b', 'c'] * 9, 'w': [{v}] * 18}}, first='l')",
    "rg.compare('good.csv', columns={{'candidate': {v}}})",
    "rg.compare('good.csv', analysis={{{k!r}: {v}}})",
    "rg.compare('good.csv', relevance={v})",
    "rg.load({v})",
    "rg.diff('good.csv', {v})",
    "rg.compare('good.csv').pairs({k}={v})",
    "rg.compare('good.csv').gate({v}, on_undecided={v})",
    "rg.evaluate({v}, [[1, 2], [3, 4]] * 9, [0, 1] * 9)",
)
ARGUMENTS = (
    *("None", "True", "0", "-1", "1e400", "float('nan')", "''", "'\\0'", "'a' * 10**6", "[]", "{}"),
    *(
        "object()",
        "print",
        "pd.DataFrame()",
        "pd.DataFrame({'x': [1]})",
        "np.zeros((0, 3))",
        "b'x'",
    ),
    *(
        "np.array([[1, 2], [3, np.inf]])",
        "'a better than b'",
        "'good.csv'",
        "'again.csv'",
        "[None]",
    ),
    *("rg.compare('good.csv')", "('model', 'prompt')", "{'a': {'b': {}}}", "lambda: 1", "1j"),
    *("pd.Series([1, 2])", "10**400", "'\\u202e'", "range(10**9)", "'/dev/zero'", "'pipe'", "..."),
)
KEYWORDS = ("alpha", "power", "measure", "dataset", "nothing", "reference", "missing", "seed")


def calls(rng: random.Random, folder: Path, n: int) -> Iterator[Input]:
    """Yield calls of Python with odd arguments."""
    rows = good_rows("reference")
    (folder / "again.csv").write_text("\n".join(",".join(line) for line in rows) + "\n")
    for _ in range(n):
        code = rng.choice(CALLS).format(v=rng.choice(ARGUMENTS), k=rng.choice(KEYWORDS))
        yield Input("Python", ("python", code), code)


def environments(rng: random.Random, folder: Path, n: int) -> Iterator[Input]:
    """Yield variables of the environment that are odd."""
    (folder / "canary_module.py").write_text("open('canary', 'w')\n")
    (folder / "evil").mkdir()
    for name in ("json", "numpy", "signal", "click"):
        (folder / "evil" / f"{name}.py").write_text("open('canary', 'w')\n")
    verbs = (
        ("run", "good.csv", "--format", "md,html", "-o", "env"),
        ("gate", "good.csv", "--expect", "a better than b", "--summary", "github"),
        ("check", "m.yaml"),
        ("history", "add", "output/good", "-o", "env.history"),
    )
    for _ in range(n):
        name = rng.choice([*VARIABLES])
        words = rng.choice(verbs)
        yield Input("environment", ("env", f"{name}={rng.choice(VARIABLES[name])}", *words), name)


def binaries(rng: random.Random, folder: Path, n: int) -> Iterator[Input]:
    """Yield files of Parquet, R and sheets, with odd columns or bytes."""
    import pandas as pd
    import pyarrow as pa
    import pyarrow.parquet as pq

    head, *rows = good_rows("reference")
    good = pd.DataFrame(rows, columns=head).assign(value=lambda t: t["value"].astype(float))
    size = len(good)
    columns: tuple[Callable[[], Any], ...] = (
        lambda: pa.array([[1.0]] * size),
        lambda: pa.array([{"a": 1}] * size),
        lambda: pa.array([b"\xff"] * size),
        lambda: pa.array([None] * size),
        lambda: pa.array(range(size), pa.timestamp("ns")),
        lambda: pa.array(range(size), pa.duration("s")),
        lambda: pa.array([2**63] * size, pa.uint64()),
        lambda: pa.array([1.5] * size, pa.float16()) if hasattr(pa, "float16") else pa.nulls(size),
        lambda: pa.array(["a"] * size).dictionary_encode(),
        lambda: pa.array([True, None] * (size // 2)),
        lambda: pa.array([[{"x": [1]}]] * size),
    )
    rs = sorted([*FILES.glob("*.rds"), *FILES.glob("*.rda"), *FILES.glob("*.RData")])
    for i in range(n):
        kind = rng.randrange(4)
        if kind == 0:
            place = folder / f"b{i}.parquet"
            table = pa.Table.from_pandas(good, preserve_index=False)
            at = rng.randrange(table.num_columns)
            name = rng.choice((table.column_names[at], "", "\u202e", "value", "x"))
            table = table.set_column(at, name, rng.choice(columns)())
            meta = {b"reportgen": rng.randbytes(30), b"pandas": b'{"columns": 3}'}
            pq.write_table(table.replace_schema_metadata(meta if i % 2 else {}), place)
        elif kind == 1:
            place = folder / f"b{i}.parquet"
            out = io.BytesIO()
            good.to_parquet(out, index=False)
            place.write_bytes(odd_bytes(rng, out.getvalue()))
        elif kind == 2:
            source = rng.choice(rs)
            place = folder / f"b{i}{source.suffix}"
            place.write_bytes(odd_bytes(rng, source.read_bytes()))
        else:
            place = folder / f"b{i}.xlsx"
            with zipfile.ZipFile(place, "w", zipfile.ZIP_DEFLATED) as file:
                entity = '<!DOCTYPE a [<!ENTITY x "' + "y" * 99 + '">]><worksheet>&x;</worksheet>'
                file.writestr("xl/worksheets/sheet1.xml", rng.choice((entity, "", "<a>" * 9999)))
                file.writestr("[Content_Types].xml", rng.choice(("<Types/>", "", "x" * 10**6)))
                if rng.random() < 0.5:
                    file.writestr("xl/workbook.xml", "<workbook/>")
        verb = ("import", str(place), "-o", str(folder / f"b{i}o.parquet"))
        yield Input("binary", rng.choice((verb, ("check", str(place)))), f"kind {kind}")


def logs(rng: random.Random, folder: Path, n: int) -> Iterator[Input]:
    """Yield folders and files of other programs, one file of each odd, gone or a link."""
    names = ["asv", "coco", "every-eval-ever", "inspect-json", "iohprofiler", "lm-eval", "tsml"]
    for i in range(n):
        own = folder / f"log{i}"
        shutil.copytree(FILES / rng.choice(names), own)
        files = [p for p in sorted(own.rglob("*")) if p.is_file()]
        file, kind = rng.choice(files), rng.randrange(4)
        content = file.read_bytes()
        file.unlink()
        if kind == 0:
            file.symlink_to("/etc/passwd")
        elif kind == 1:
            file.write_bytes(odd_bytes(rng, content))
        elif kind == 2:
            os.mkfifo(file)
        verb = ("import", str(own), "-o", str(folder / f"log{i}.parquet"))
        yield Input("logs", rng.choice((verb, ("check", str(own)))), f"{file.name} {kind}")


def samples(rng: random.Random, folder: Path, n: int) -> Iterator[Input]:
    """Yield data to learn from, with odd cells, targets and options."""
    for i in range(n):
        own = folder / f"data{i}"
        own.mkdir()
        rows = [["x", "z", "y"], *([str(k), "uv"[k % 2], "ab"[k % 2]] for k in range(40))]
        (own / "d.csv").write_bytes(
            "\n".join(",".join(x) for x in odd_rows(rng, rows)).encode("utf-8", "surrogateescape")
        )
        entry = {
            "name": "d",
            "file": rng.choice(("d.csv", "d.csv", "d.csv", "d.arff", *ODD_PATHS[:7])),
        }
        entry |= {"target": rng.choice(("y", "y", "y", "x", "z", "w", ""))}
        if rng.random() < 0.3:
            entry |= {rng.choice(("drop", "categorical", "task", "n")): rng.choice(("x", "y", "w"))}
        (own / "d.arff").write_bytes(
            odd_bytes(
                rng, b"@relation r\n@attribute x real\n@attribute y {a,b}\n@data\n1,a\n2,b\n" * 2
            )
        )
        text = MANIFEST.replace("[monks3]", json.dumps([entry])).partition("expect:")[0]
        (own / "study.yaml").write_text(text)
        words = ("run", "--jobs", "1") if i % 4 == 0 else ("check",)
        yield Input("data", (*words, str(own / "study.yaml"), "-o", str(own / "out")), "")


def command_lines(rng: random.Random, folder: Path, n: int) -> Iterator[Input]:
    """Yield words of the command line that are odd, twice, or without what they need."""
    for i in range(n):
        more = [word for _ in range(rng.randrange(1, 3)) for word in rng.choice(OPTIONS)]
        verb = rng.choice(("run", "run", "report", "check", "export", "verify", "init", "schema"))
        place = rng.choice(("good.csv", "m.yaml", "output/good"))
        yield Input("command line", (verb, place, "-o", f"c{i}", *more), "")


def outcome_of(given: Input, folder: Path) -> tuple[str, str]:
    """Give an input to a verb, a call or a process, and say what became of it."""
    if given.words[0] == "env":
        settings = takewhile(lambda word: "=" in word, given.words[1:])
        variables = dict(setting.split("=", 1) for setting in settings)
        words = given.words[1 + len(variables) :]
        environment = {**os.environ, **variables}
        try:
            found = subprocess.run(
                [sys.executable, "-P", "-m", "reportgen", *words],
                cwd=folder, env=environment, capture_output=True, timeout=PATIENCE, check=False,
            )  # fmt: skip
        except subprocess.TimeoutExpired:
            return "hang", "took longer than a minute"
        told = (found.stdout + found.stderr).replace(b"\0", b"").decode("utf-8", "replace")
        if "Traceback (most recent call last)" in told:
            return "traceback", told.strip().splitlines()[-1]
        if found.returncode in (0, 1):
            return "accepted", ""
        is_clear = found.returncode in (2, 3, 4, 5) and "eportgen: " in told
        return ("refused", "") if is_clear else ("unclear", told[-300:])
    if given.words[0] == "python":
        return study.outcome_of(given, folder, call)
    what, why = study.outcome_of(given, folder)
    if given.door == "document" and what == "accepted":
        return study.outcome_of(given, folder, lambda words: execute_cells(Path(given.note)))
    return what, why


def call(words: list[str]) -> None:
    """Evaluate a call of Python; an error of ours, or of a wrong argument, is a refusal."""
    import numpy as np
    import pandas as pd

    import reportgen as rg

    try:
        print(str(eval(words[1], {"rg": rg, "np": np, "pd": pd}))[:500])
    except rg.ReportgenError as error:
        print(f"reportgen: {error}"[:2000])
        sys.exit(2)
    except TypeError as error:
        if "unexpected keyword argument" not in str(error):  # which Python refuses by itself
            raise
        print(f"reportgen: {error}")
        sys.exit(2)


def try_inputs(seed: int, n: int, folder: Path) -> tuple[dict[str, Counter[str]], list[str]]:
    """Give inputs to every door; return counts by door, and what has to be looked at."""
    rng = random.Random(seed)
    good_run(folder)
    load_modules(folder)
    (folder / "file.txt").write_text("a file")
    for name in ("pipe", "pipe2"):
        os.mkfifo(folder / name)
    (folder / "loop").symlink_to(folder / "loop")
    makers: dict[str, Callable[[int], Iterator[Input]]] = {
        name: lambda m, make=make: make(rng, folder, m)  # type: ignore[misc]
        for name, make in {
            "prediction": predictions,
            "levels": levels,
            "confirm": confirmations,
            "document": documents,
            "Python": calls,
            "environment": environments,
            "binary": binaries,
            "logs": logs,
            "data": samples,
            "command line": command_lines,
        }.items()
    }
    each = -(-n // len(makers))
    counts: dict[str, Counter[str]] = {door: Counter() for door in makers}
    odd: list[str] = []
    for door, make in makers.items():
        for given in make(each):
            before = {*marked_sleepers()}
            try:
                what, why = outcome_of(given, folder)
            except ValueError:  # a word that no process can have
                what, why = "refused", ""
            if (folder / CANARY).exists():
                what, why = "executed", given.note
                (folder / CANARY).unlink()
            if left := {*marked_sleepers()} - before:
                what, why = "left", str(left)
            counts[door][what] += 1
            if what not in ("accepted", "refused"):
                odd.append(f"{what}: {' '.join(given.words)} ({given.note}): {why}")
                print(odd[-1][:1500].encode("utf-8", "backslashreplace").decode(), flush=True)
        print(row(door, counts[door]), flush=True)
    return counts, odd


def marked_sleepers() -> list[int]:
    """Return the processes that a command to run anew has left."""
    found = []
    for path in Path("/proc").glob("[0-9]*/cmdline"):
        try:
            if path.read_bytes() == b"sleep\x00999\x00":
                found.append(int(path.parent.name))
        except OSError:
            continue
    return found


# ------------------------------------------------------------------------------------ kills


def try_kills(seed: int, n: int, folder: Path) -> Counter[str]:
    """End verbs at random times, do them again, and compare what they write with unbroken ones."""
    rng = random.Random(seed)
    good_run(folder)
    text = MANIFEST.partition("expect:")[0]
    (folder / "probe.yaml").write_text(text)
    waits = (sys.executable, "-c", "import os, time; os.setsid(); time.sleep(.03)  # {}")
    start = "sh -c 'setsid sleep 998 & cp good.csv again.csv; sleep .5'"
    verbs: dict[str, tuple[tuple[str, ...], Callable[[], object]]] = {
        "bench": (
            ("bench", "x", "x", "--blocks", "6", "--times", "t.csv", "--no-confirm", "--", *waits),
            lambda: (folder / "t.csv").read_text().count("\n"),
        ),
        "check --probe": (("check", "probe.yaml", "--probe", "--jobs", "1"), lambda: None),
        "bundle": (("bundle", "output/good", "-o", "b.zip"), lambda: digest_of(folder, "b.zip")),
        "site": (
            ("site", "output", "-o", "site"),
            lambda: sorted(p.name for p in (folder / "site").rglob("*")),
        ),
        "export": (
            ("export", "output/good", "--format", "csv", "--to", "ex"),
            lambda: digest_of(
                folder, *(f"ex/{p.name}" for p in sorted((folder / "ex").glob("*.csv")))
            ),
        ),
        "gate --rerun": (
            (
                *("gate", "good.csv", "--expect", "a better than b", "--confirm", "again.csv"),
                *("--rerun", start, "--badge", "b.svg"),
            ),
            lambda: digest_of(folder, "b.svg"),
        ),
        "quarto-extension": (
            ("quarto-extension", "q", "--starter"),
            lambda: sorted(str(p) for p in (folder / "q").rglob("*")),
        ),
    }
    counts = Counter(kills=0, tracebacks=0, left=0, lost=0, hangs=0)
    quiet: dict[str, Any] = {"cwd": folder, "stdout": subprocess.DEVNULL, "stderr": subprocess.PIPE}
    for name, (words, read) in verbs.items():
        command = [sys.executable, "-P", "-m", "reportgen", *words]
        begin = time.monotonic()
        code = subprocess.run(command, check=False, **quiet).returncode
        usual, whole = time.monotonic() - begin, read()
        for i in range(-(-n // len(verbs))):
            mark = f"{seed}-{name}-{i}"
            process = subprocess.Popen(command, env={**os.environ, MARK: mark}, **quiet)
            told = b""
            number = 0
            try:
                process.wait(rng.uniform(0.05, 0.95) * usual)
            except subprocess.TimeoutExpired:
                number = rng.choice((signal.SIGKILL, signal.SIGTERM, signal.SIGINT))
                process.send_signal(number)
                counts["kills"] += 1
                counts[f"kills of {name}"] += 1
            try:
                told = process.communicate(timeout=PATIENCE)[1]
            except subprocess.TimeoutExpired:
                counts["hangs"] += 1
                process.kill()
                for pid in marked(mark):
                    os.kill(pid, signal.SIGKILL)
                told = process.communicate()[1]
            if b"Traceback" in told:
                counts["tracebacks"] += 1
                print(name, told.decode("utf-8", "replace")[-1500:], flush=True)
            end = time.monotonic() + 20
            while marked(mark) and time.monotonic() < end:
                time.sleep(0.1)
            if left := marked(mark):
                counts["left"] += len(left)
                print(name, "left after", number, flush=True)
                for pid in left:
                    os.kill(pid, signal.SIGKILL)
            again = subprocess.run(command, check=False, **quiet)
            if again.returncode != code or read() != whole:
                counts["lost"] += 1
                print(name, "lost", code, again.returncode, again.stderr[-800:], flush=True)
        print(name, dict(counts), flush=True)
    return counts


def measure(seed: int, n_inputs: int, n_kills: int) -> None:
    """Try inputs and kills, and print what became of them."""
    signal.signal(signal.SIGINT, signal.default_int_handler)
    if n_inputs:
        folder = Path(mkdtemp(prefix="audit-"))
        counts, _ = try_inputs(seed, n_inputs, folder)
        print("| door | tried | refused | accepted | tracebacks | hangs | executed | unclear |")
        total: Counter[str] = sum(counts.values(), Counter())
        for door, own in {**counts, "all": total}.items():
            print(row(door, own))
        print(folder)
    if n_kills:
        folder = Path(mkdtemp(prefix="audit-"))
        print(dict(try_kills(seed, n_kills, folder)))
        print(folder)


if __name__ == "__main__":
    try:
        measure(*(int(text) for text in (*sys.argv[1:], "330", "60")[:3]))
    except Exception:
        traceback.print_exc()
        sys.exit(1)
