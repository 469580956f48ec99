"""Odd inputs at the doors of designs and verbs, and kills of every verb that writes.

    python validation/audit/verbs.py SEED [inputs] [kills] [verbs]

The doors of `study.py` are manifests, tables, JSON, bundles, stored runs, templates and
expectations. These are battles, sources of variation, prompts, families, references, and the verbs
plan, bench, history, quarto-extension, and those that compare, predict, publish and begin. The
verbs run, report, import, history, gate, bundle and verify are ended by SIGKILL, SIGTERM and SIGINT
at random times, and then done again: what they write has to be what they write unbroken. A fourth
word names the verbs to end, with commas between them.
"""

from __future__ import annotations

import os
import random
import shutil
import signal
import subprocess
import sys
import time
from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from hashlib import sha256
from pathlib import Path
from tempfile import mkdtemp

from study import (
    CANARY,
    MANIFEST,
    MARK,
    ODD_CELLS,
    ODD_VALUES,
    PATIENCE,
    Input,
    good_run,
    load_modules,
    marked,
    odd_bytes,
    outcome_of,
    performances,
    row,
)

Rows = list[list[str]]
ODD_NUMBERS = (
    *("", "0", "-1", "nan", "inf", "1e999", "1e-320", "9" * 400, "0x10", "1,5", "½", "１", "1pp"),
    *("-1pp", "0%", "101%", "1 000", "--", "=1+1", "\u202e1", "None", "{}", "1e5", "0.5pp", "3"),
)
ODD_PATHS = (
    *(
        "",
        ".",
        "..",
        "/",
        "/dev/zero",
        "/dev/null",
        "/proc/self/mem",
        "pipe",
        "loop",
        "a\nb",
        "a" * 300,
    ),
    *(
        "file.txt",
        "file.txt/x",
        "~",
        "-",
        "--",
        "$(touch canary)",
        "`touch canary`",
        "a;touch canary",
    ),
    *(
        "\u202egpj.exe",
        "con",
        "a\\b",
        "%00",
        "http://127.0.0.1:9/x",
        "file://localhost/etc/passwd",
        "new/deep",
    ),
)
ODD_DATES = (
    *(
        "yesterday",
        "2026-13-45",
        "2026-02-30",
        "01.04.2026",
        "2026-04-01T25:00",
        "0000-00-00",
        "１",
    ),
    *("2026-04-01", "2026-04-01T10:00:00+14:00", "-2026-04-01", "12026-01-01", "now", "", "2026"),
    *("2026-04-01\n2027-01-01", "2026-W14", "20260401", "1e9", "=1+1", "\u202e2026-04-01"),
)
ODD_EPOCHS = ("", "abc", "1e20", "-1", "9" * 40, "1.5", "0", " 12 ", "nan", "253402300800")
DESIGNS: Mapping[str, str] = {
    "battles": "results: {file: r.csv, unit: comparison}\n"
    "analysis: {relevance: {elo: [-20, 20]}}\n",
    "variation": "measures: [misclassification]\nresults:\n  file: r.csv\n"
    "  replication: {split: split, weights: weights}\n  resampling: {scheme: bootstrap}\n"
    "  n: {r: 90}\n",
    "prompts": "measures: [{name: accuracy, column: correct}]\nresults:\n  file: r.csv\n"
    "  unit: item\n  columns: {candidate: [model, prompt]}\n",
    "families": "measures: [misclassification]\nresults:\n  file: r.csv\n  families: source\n",
    "reference": "results: {file: r.csv}\nanalysis: {reference: a, comparisons: reference}\n",
}
ODD_KEYS = (
    *("families", "unit", "replication", "columns", "reference", "comparisons", "resampling", "n"),
    *("relevance", "file", "target", "weights", "missing", "alpha", "scale", "wide"),
)


def good_rows(design: str) -> Rows:
    """Return a small table of a design."""
    rng = random.Random(1)
    if design == "battles":
        body = [
            [*rng.sample("abcd", 2), rng.choice(("model_a", "model_b", "tie")), f"judge {i % 7}"]
            for i in range(90)
        ]
        return [["model_a", "model_b", "winner", "judge"], *body]
    if design == "variation":
        body = [
            [str(s), str(w), c, f"{0.1 + rng.random() / 9:.4f}"]
            for s in range(5)
            for w in range(4)
            for c in "abc"
        ]
        return [["split", "weights", "candidate", "misclassification"], *body]
    if design == "prompts":
        body = [
            [f"q{i}", m, p, str(rng.randrange(2))] for i in range(30) for m in "ab" for p in "xyz"
        ]
        return [["item", "model", "prompt", "correct"], *body]
    if design == "families":
        body = [
            [f"d{i}", f"s{i // 2}", c, str(b), f"{0.1 + rng.random() / 9:.4f}"]
            for i in range(8)
            for c in "abc"
            for b in range(3)
        ]
        return [["dataset", "source", "candidate", "replication", "misclassification"], *body]
    body = [
        ["d", str(b), c, "accuracy", f"{0.5 + rng.random() / 9:.3f}"]
        for b in range(12)
        for c in "abcd"
    ]
    return [["dataset", "replication", "candidate", "measure", "value"], *body]


def odd_rows(rng: random.Random, rows: Rows) -> Rows:
    """Return a table in which a cell, a row, a column or a name is odd."""
    own, kind, width = [list(line) for line in rows], rng.randrange(8), len(rows[0])
    at = rng.randrange(1, len(own))
    if kind < 2:
        own[at][rng.randrange(width)] = rng.choice(ODD_CELLS)
    elif kind == 2:
        own[0][rng.randrange(width)] = rng.choice((*ODD_CELLS, *rows[0]))
    elif kind == 3:
        column = rng.randrange(width)
        return [line[:column] + line[column + 1 :] for line in own]
    elif kind == 4:
        own += [own[at]] * rng.randrange(1, 5)
    elif kind == 5:
        del own[rng.randrange(2, 8) :]
    elif kind == 6:
        column, value = rng.randrange(width), rng.choice(("x", "0", "", "\u200b", "1e308"))
        own[1:] = [[*line[:column], value, *line[column + 1 :]] for line in own[1:]]
    else:
        column, names = rng.randrange(width), ("a", "a\u200b", "\u0430", "A", " a", "=a", "<b>a")
        own[1:] = [[*line[:column], rng.choice(names), *line[column + 1 :]] for line in own[1:]]
    return own


def designs(rng: random.Random, folder: Path, design: str, n: int) -> Iterator[Input]:
    """Yield studies of a design whose table or manifest is odd."""
    for i in range(n):
        own = folder / f"{design}{i}"
        own.mkdir()
        rows, text = good_rows(design), DESIGNS[design]
        content = "\n".join(",".join(line) for line in rows) + "\n"
        deed = rng.randrange(4)
        if deed < 2:
            content = "\n".join(",".join(line) for line in odd_rows(rng, rows)) + "\n"
        elif deed == 2:
            word = rng.choice([w for w in text.replace("{", " ").split() if len(w) > 1])
            text = text.replace(word, rng.choice((*ODD_VALUES, word[:-1])), 1)
        if rng.random() < 0.15:
            content = odd_bytes(rng, content.encode("utf-8", "surrogateescape")).decode("latin-1")
        (own / "r.csv").write_bytes(content.encode("utf-8", "surrogateescape"))
        (own / "study.yaml").write_bytes(text.encode("utf-8", "surrogateescape"))
        whole = ("run", str(own / "study.yaml"), "--format", "md", "-o", str(own / "out"))
        words = whole if i % 2 else ("check", str(own / "study.yaml"))
        if deed == 3:
            part, key = rng.choice(("analysis", "results")), rng.choice(ODD_KEYS)
            words = (*words, "--set", f"{part}.{key}={rng.choice((*ODD_VALUES, 'a', '0.1'))}")
        yield Input(design, words, f"deed {deed}")


def plans(rng: random.Random, n: int) -> Iterator[Input]:
    """Yield questions for the size of a study."""
    runs = (*("good.csv", "output/good") * 4, "m.yaml", "file.txt", "pipe", "nothing")
    for _ in range(n):
        detect = rng.choice((*ODD_NUMBERS, *("0.01", "2pp", "1e-9") * 8))
        words = ["plan", rng.choice(runs), "--detect", detect]
        for option, values in (
            ("--power", (*ODD_NUMBERS, *(".9", "0.999999", "1e-9") * 5)),
            ("--pair", ("a,b", "a", "a,a", "a,x", "", ",", "a,b,c", "\u202ea,b")),
            ("--cost", ("fit=1", "fit=0", "fit", "=1", "unit=nan", "x=1", "fit=-1", "fit=1e999")),
            ("--sd", ("dataset=0.1", "seed=0", "rest=-1", "x=1", "dataset=1e400", "dataset")),
            ("--measure", ("accuracy", "x", "", "\u202e")),
        ):
            if rng.random() < 0.3:
                words += [option, rng.choice(values)]
        yield Input("plan", tuple(words), "")


def benches(rng: random.Random, n: int) -> Iterator[Input]:
    """Yield comparisons of two commands' times, which have no shell."""
    commands = (
        *("true", "false", "echo {}", "sleep 0.01", "nothing-like-this", "", "'"),
        *(
            "sh -c 'kill -9 $$'",
            "$(touch canary)",
            "true; touch canary",
            "true | touch canary",
            "{}",
        ),
        *(
            "`touch canary`",
            "true && touch canary",
            "true > canary",
            "./",
            "/etc/passwd",
            "{0} {1}",
        ),
    )
    for _ in range(n):
        words = [
            "bench",
            rng.choice(commands),
            rng.choice(commands),
            "--blocks",
            "1",
            "--budget",
            "1",
        ]
        for option, values in (
            ("--blocks", ("6", *ODD_NUMBERS[:9])),
            ("--budget", ODD_NUMBERS[:10]),
            ("--within", ("1.05", *ODD_NUMBERS)),
            ("--alpha", ("0.05", *ODD_NUMBERS)),
            ("--times", ("t.csv", *ODD_PATHS)),
        ):
            if rng.random() < 0.25:
                words += [option, rng.choice(values)]
        tail = [
            "--",
            *rng.choice(("true {}", "echo {} {}", "{}", "$(touch canary)", "sh {}")).split(),
        ]
        yield Input("bench", (*words, *(tail if rng.random() < 0.5 else [])), "")


def histories(rng: random.Random, folder: Path, n: int) -> Iterator[Input]:
    """Yield runs, dates and files for a history."""
    subprocess.run(
        [sys.executable, "-m", "reportgen", "history", "add", "output/good", "-o", "good.history"],
        cwd=folder,
        check=True,
        capture_output=True,
    )
    good = (folder / "good.history").read_bytes()
    for i in range(n):
        place = folder / f"h{i}.parquet"
        if rng.random() < 0.7:
            place.write_bytes(odd_bytes(rng, good) if rng.random() < 0.6 else good)
        kind = rng.randrange(4)
        file = rng.choice((str(place), str(place), *ODD_PATHS))
        if kind == 0:
            run = rng.choice(("output/good", "good.csv", "output/good/results.json", *ODD_PATHS))
            words = ["history", "add", run, "-o", str(place)]
            words += ["--date", rng.choice(ODD_DATES)] if rng.random() < 0.7 else []
        elif kind == 1:
            words = ["history", "report", file, "-o", str(folder / f"h{i}")]
            words += ["--since", rng.choice(ODD_DATES)] if rng.random() < 0.5 else []
            words += ["--alpha", rng.choice(ODD_NUMBERS)] if rng.random() < 0.3 else []
            words += ["--block", rng.choice(ODD_NUMBERS)] if rng.random() < 0.3 else []
        elif kind == 2:
            words = ["history", "export", file, "--bencher"]
        else:
            words = ["history", "add", "output/good", "-o", file]
        yield Input("history", tuple(words), "")


def extensions(rng: random.Random, folder: Path, n: int) -> Iterator[Input]:
    """Yield folders for the extension of Quarto."""
    (folder / "taken").mkdir()
    (folder / "taken" / "_extensions").write_text("a file")
    (folder / "linked").mkdir()
    (folder / "linked" / "_extensions").symlink_to(folder / "loop")
    for _ in range(n):
        place = rng.choice((*ODD_PATHS[5:], "taken", "linked", "q/../../q2", "q", "q", "été"))
        words = ["quarto-extension", place, *(["--starter"] if rng.random() < 0.5 else [])]
        yield Input("quarto-extension", tuple(words), "")


def others(rng: random.Random, folder: Path, n: int) -> Iterator[Input]:
    """Yield words of verbs that compare, predict, publish, export and begin."""
    for i in range(n):
        odd, number = rng.choice(ODD_PATHS), rng.choice(ODD_NUMBERS)
        out = str(folder / f"o{i}")
        places = ("output/good", "good.csv", "good.zip", "output/good/results.json", odd, odd)
        words = rng.choice(
            [
                ["diff", rng.choice(places), rng.choice(places), "--alpha", number],
                ["diff", rng.choice(places), rng.choice(places), "--measure", odd],
                ["diff", f"{odd}:x", "HEAD~1:--output=canary"],
                ["diff", rng.choice(places), "--against-itself", "--repeats", number],
                ["predict", rng.choice(places), rng.choice(places), "--target", odd],
                ["predict", rng.choice(places), "--characteristic", f"i2r.fcc={number}"],
                ["site", rng.choice(("output", odd)), "-o", out, "--title", odd],
                ["site", "output", "-o", out, "--link", f"{odd}={odd}"],
                ["bundle", rng.choice(places), "-o", f"{out}.zip"],
                ["export", rng.choice(places), "--to", out, "--format", rng.choice(("csv", odd))],
                ["verify", rng.choice(places)],
                ["report", rng.choice(places), "--format", rng.choice(("json", odd)), "-o", out],
                ["init", rng.choice((out, odd)), "--from", rng.choice(places)],
                ["init", out, "--example", rng.choice(("battles", odd))],
                ["gate", rng.choice(places), "--expect", f"a better than b by {number}"],
                [
                    "run",
                    rng.choice(places),
                    "--format",
                    "json",
                    "-o",
                    out,
                    "--set",
                    f"alpha={number}",
                ],
                ["check", "m.yaml", "--set", f"analysis.alpha={number}"],
                ["import", rng.choice(places), "-o", rng.choice((f"{out}.parquet", odd))],
            ]
        )
        yield Input("other verbs", tuple(words), "")


def try_inputs(seed: int, n: int, folder: Path) -> tuple[dict[str, Counter[str]], list[str]]:
    """Give inputs to every door; return counts by door, and what has to be looked at."""
    rng = random.Random(seed)
    good_run(folder)
    load_modules(folder)
    (folder / "file.txt").write_text("a file")
    os.mkfifo(folder / "pipe")
    (folder / "loop").symlink_to(folder / "loop")
    makers: dict[str, Callable[[int], Iterator[Input]]] = {
        **{name: lambda m, name=name: designs(rng, folder, name, m) for name in DESIGNS},  # type: ignore[misc]
        "plan": lambda m: plans(rng, m),
        "bench": lambda m: benches(rng, m),
        "history": lambda m: histories(rng, folder, m),
        "quarto-extension": lambda m: extensions(rng, folder, m),
        "other verbs": lambda m: others(rng, folder, m),
    }
    each = -(-n // len(makers))
    counts: dict[str, Counter[str]] = {door: Counter() for door in makers}
    odd: list[str] = []
    for door, make in makers.items():
        for given in make(each):
            epoch = rng.choice(ODD_EPOCHS) if rng.random() < 0.1 else None
            if epoch is not None:
                os.environ["SOURCE_DATE_EPOCH"] = epoch
            what, why = outcome_of(given, folder)
            os.environ.pop("SOURCE_DATE_EPOCH", None)
            if (folder / CANARY).exists():
                what, why = "executed", given.note
                (folder / CANARY).unlink()
            counts[door][what] += 1
            if what not in ("accepted", "refused"):
                odd.append(f"{what}: {' '.join(given.words)} ({given.note} {epoch}): {why}")
                print(odd[-1][:1500], flush=True)
        print(row(door, counts[door]), flush=True)
    return counts, odd


# ------------------------------------------------------------------------------------ kills


def digest_of(folder: Path, *names: str) -> str:
    """Return a digest of files."""
    return sha256(b"".join((folder / name).read_bytes() for name in names)).hexdigest()


def history_of(folder: Path) -> str:
    """Return the rows of a history as text."""
    import pandas as pd

    return str(pd.read_parquet(folder / "nights.parquet").to_csv(index=False))


def try_kills(seed: int, n: int, folder: Path, wanted: Sequence[str] = ()) -> Counter[str]:
    """End verbs at random times, do them again, and compare what they write with unbroken ones.

    `wanted`: the verbs to end; all where none is named.
    """
    rng = random.Random(seed)
    good_run(folder)
    study = MANIFEST.replace("replications: 5", "replications: 40").partition("expect:")[0]
    (folder / "kills.yaml").write_text(study)
    verbs: dict[str, tuple[Sequence[str], Callable[[], object], tuple[str, ...]]] = {
        "run": (
            ("run", "kills.yaml", "--jobs", "2", "--format", "md"),
            lambda: performances(folder).to_csv(),  # type: ignore[attr-defined]
            ("output/kills",),
        ),
        "report": (
            ("report", "output/good", "--format", "md,html", "-o", "again"),
            lambda: digest_of(
                folder / "again" / "good", "results.json", "report.md", "report.html"
            ),
            (),
        ),
        "import": (
            ("import", "good.csv", "-o", "imported.parquet"),
            lambda: digest_of(folder, "imported.parquet"),
            (),
        ),
        "history": (
            ("history", "add", "output/good", "-o", "nights.parquet"),
            lambda: history_of(folder),
            (),
        ),
        "gate": (
            ("gate", "output/good", "--expect", "b better than a", "--junit", "gates.xml"),
            lambda: digest_of(folder, "gates.xml"),
            (),
        ),
        "bundle": (
            ("bundle", "output/good", "-o", "sent.zip"),
            lambda: digest_of(folder, "sent.zip"),
            (),
        ),
        "verify": (
            ("verify", "good.zip"),
            lambda: (digest_of(folder, "good.zip"), sorted(p.name for p in folder.glob("good*"))),
            (),
        ),
    }
    verbs = {name: own for name, own in verbs.items() if not wanted or name in wanted}
    counts = Counter(kills=0, tracebacks=0, left=0, lost=0, hangs=0)
    quiet = {"cwd": folder, "stdout": subprocess.DEVNULL, "stderr": subprocess.PIPE}
    for name, (words, read, gone) in verbs.items():
        command = [sys.executable, "-m", "reportgen", *words]
        begin = time.monotonic()
        code = subprocess.run(command, check=False, **quiet).returncode  # type: ignore[call-overload]
        usual, whole = time.monotonic() - begin, read()
        for i in range(-(-n // len(verbs))):
            if i % 3 == 0:
                for place in gone:
                    shutil.rmtree(folder / place, ignore_errors=True)
            mark = f"{seed}-{name}-{i}"
            process = subprocess.Popen(command, env={**os.environ, MARK: mark}, **quiet)  # type: ignore[call-overload]
            try:
                process.wait(rng.uniform(0.05, 0.95) * usual)
            except subprocess.TimeoutExpired:
                process.send_signal(rng.choice((signal.SIGKILL, signal.SIGTERM, signal.SIGINT)))
                counts["kills"] += 1
                counts[f"kills of {name}"] += 1
            try:
                told = process.communicate(timeout=PATIENCE)[1]
            except subprocess.TimeoutExpired:
                counts["hangs"] += 1
                process.kill()
                told = process.communicate()[1]
            if b"Traceback" in told:
                counts["tracebacks"] += 1
                print(name, told.decode("utf-8", "replace")[-1500:], flush=True)
            end = time.monotonic() + 20
            while marked(mark) and time.monotonic() < end:
                time.sleep(0.1)
            counts["left"] += len(marked(mark))
            again = subprocess.run(command, check=False, **quiet)  # type: ignore[call-overload]
            if again.returncode != code or read() != whole:
                counts["lost"] += 1
                print(name, "lost", again.returncode, again.stderr[-800:], flush=True)
        print(name, dict(counts), flush=True)
    return counts


def measure(seed: int, n_inputs: int, n_kills: int, wanted: Sequence[str]) -> None:
    """Try inputs and kills, and print what became of them."""
    signal.signal(
        signal.SIGINT, signal.default_int_handler
    )  # which shells ignore in the background
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
        print(dict(try_kills(seed, n_kills, folder, wanted)))
        print(folder)


if __name__ == "__main__":
    words = (*sys.argv[1:], *("47", "330", "60", "")[len(sys.argv) - 1 :])
    measure(*(int(text) for text in words[:3]), [name for name in words[3].split(",") if name])
