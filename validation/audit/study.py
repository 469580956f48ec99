"""Odd and hostile inputs at every door, and kills of runs: what becomes of each.

    python validation/audit/study.py SEED [inputs] [kills]

Inputs are made up by the seed from good ones: manifests, tables, JSON, bundles, stored runs,
templates and expectations. Each is given to a verb in a process of its own, which may take a
minute. Runs with a setup are ended by SIGKILL, SIGTERM and SIGINT at random times, and done again
until they are whole. Prints a row of Markdown a door, and every input that was neither refused
clearly nor read, with its words.
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
from collections.abc import Callable, Iterator
from contextlib import suppress
from dataclasses import dataclass
from hashlib import sha256
from importlib import import_module
from pathlib import Path
from tempfile import mkdtemp

from reportgen.cli import main

# Seconds that an input may take: a minute of a machine of one's own, more where others use it.
PATIENCE = float(os.environ.get("AUDIT_PATIENCE", "60"))
MARK = "REPORTGEN_AUDIT"  # in the environment of all that is started
DOORS = ("manifest", "table", "JSON", "zip", "stored run", "template", "expectation")
SUMS = "SHA256SUMS"
CANARY = "canary"  # written by whatever is executed

MANIFEST = """seed: 1
measures: [misclassification]
setup:
  problem: real-world
  datasets: [monks3]
  candidates: [lda, {name: tree, estimator: rpart}]
  resampling: {scheme: bootstrap, replications: 5}
analysis:
  alpha: 0.05
  relevance: {misclassification: [-0.01, 0.01]}
report: {formats: [md]}
expect: [lda better than tree]
"""
ODD_VALUES = (
    *("", "null", "~", "[]", "{}", "-1", "0", "1e999", ".nan", "9" * 400, "true", "2026-13-45"),
    *('"\\u202e\\u200b"', '"\\0"', "&a [*a]", "!!python/object/apply:os.system ['touch canary']"),
    *("!!python/name:os.system", "!!binary aGk=", "../../etc/passwd", "/dev/zero", "fifo"),
    *(
        "[[[[[[[[[[[[[[[[[[[[1]]]]]]]]]]]]]]]]]]]]",
        "{a: {b: {c: {d: 1}}}}",
        "|\n    text\n    text",
    ),
    *("os.system", "__import__('os').system('touch canary')", "{{ 7*7 }}", "0x7f", "1_000", "1:30"),
)
ODD_CELLS = (
    *("", "NA", "nan", "inf", "-1e309", "1,5", "1.2.3", "=cmd|' /C calc'!A0", '"', "'", "\x00"),
    *("\ufeff", "\u202e", "<script>", "9" * 5000, "true", "2026-01-01", "1 (0.2)", "\r", "\n", "α"),
)
TEMPLATES = (
    "{{ ''.__class__.__mro__[1].__subclasses__() }}",
    "{{ cycler.__init__.__globals__.os.system('touch canary') }}",
    "{% for i in range(10**9) %}{{ i }}{% endfor %}",
    "{{ 'a' * 10**9 }}",
    "{{ 10 ** (10 ** 9) }}",
    "{% include '/etc/passwd' %}",
    "{% include 'own.md.j2' %}",
    "{{ result.__dict__ }}",
    "{{ (1).__class__ }}",
    "{% set x = [] %}{% for i in range(99999) %}{% set _ = x.append(x) %}{% endfor %}",
    "{{ lipsum.__globals__['os'].popen('touch canary').read() }}",
    "{{ self._TemplateReference__context }}",
    "{% macro a() %}{{ a() }}{% endmacro %}{{ a() }}",
    "{{ '%s' | format(r) }}",
    "{{ ''|attr('__class__') }}",
    "{{ undefined_name.x.y }}",
    "{% if %}",
    "{{ " + "(" * 5000 + "1" + ")" * 5000 + " }}",
    "\ud800",
    "{{ [1,2,3]|map('attr', '__class__')|list }}",
)
CLAIM_WORDS = (
    *("a", "b", "c", "better", "worse", "not", "than", "by", "0.1", "-1", "1e999", "on", "d", "in"),
    *("this", "experiment", "accuracy", "every", "data", "set", "%", "and", "or", "(", ")", "best"),
    *("nan", "10%", "=1+1", "<b>", "\x1b[31m", "\u202e", "''", '"', "within", "equal", "to", ";"),
)


@dataclass(frozen=True)
class Input:
    """A file or words, and what is done with it."""

    door: str
    words: tuple[str, ...]
    note: str


def odd_bytes(rng: random.Random, good: bytes) -> bytes:
    """Return some bytes with one deed done to them."""
    deed, text = rng.randrange(7), bytearray(good)
    place = rng.randrange(len(text) or 1)
    if deed == 0 and text:
        text[place] ^= 1 << rng.randrange(8)
    elif deed == 1:
        del text[place:]
    elif deed == 2:
        text[place:place] = rng.randbytes(rng.randrange(1, 40))
    elif deed == 3:
        text = bytearray(rng.randbytes(rng.randrange(500)))
    elif deed == 4:
        text = bytearray(good.decode("utf-8", "replace").encode("utf-16"))
    elif deed == 5:
        end = min(len(text), place + rng.randrange(1, 200))
        text[place:place] = text[place:end] * rng.randrange(1, 20)
    else:
        text = bytearray()
    return bytes(text)


def manifests(rng: random.Random, folder: Path, n: int) -> Iterator[Input]:
    """Yield manifests, each with a value, a line or bytes that are odd."""
    lines = MANIFEST.splitlines()
    for i in range(n):
        own = list(lines)
        at, value = rng.randrange(len(own)), rng.choice(ODD_VALUES)
        note = f"line {at}: {value[:40]!r}"
        kind = rng.randrange(5)
        if kind == 0:
            own[at] = f"{own[at].partition(':')[0]}: {value}"
        elif kind == 1:
            own.insert(at, f"{rng.choice(('x', 'seed', '  datasets', '? [a]'))}: {value}")
        elif kind == 2:
            del own[at]
        elif kind == 3:
            own[at] = own[at].replace(rng.choice(own[at].split() or ["x"]), value, 1)
        text = "\n".join(own).encode("utf-8", "surrogateescape")
        if kind == 4:
            text, note = odd_bytes(rng, text), "bytes"
        place = folder / f"m{i}.yaml"
        place.write_bytes(text)
        yield Input("manifest", ("check", str(place)), note)


def good_rows() -> list[list[str]]:
    rows = [
        ["d", str(b), c, "accuracy", f"{0.5 + 0.01 * b + (c == 'b') / 9:.3f}"]
        for b in range(1, 13)
        for c in "abc"
    ]
    return [["dataset", "replication", "candidate", "measure", "value"], *rows]


def tables(rng: random.Random, folder: Path, n: int) -> Iterator[Input]:
    """Yield tables with odd cells, headers, separators or bytes."""
    for i in range(n):
        rows, kind = [list(row) for row in good_rows()], rng.randrange(6)
        if kind == 0:
            rng.choice(rows)[rng.randrange(5)] = rng.choice(ODD_CELLS)
        elif kind == 1:
            rows[0][rng.randrange(5)] = rng.choice(ODD_CELLS)
        elif kind == 2:
            del rng.choice(rows)[rng.randrange(4) :]
        elif kind == 3:
            rows += [rng.choice(rows) for _ in range(rng.randrange(1, 9))]
        elif kind == 4:
            rows = [[row[j] for j in range(5) if j != i % 5] for row in rows]
        mark = rng.choice((",", ",", ";", "\t"))
        text = "\n".join(mark.join(row) for row in rows) + "\n"
        content = text.encode("utf-8", "surrogateescape")
        place = folder / f"t{i}.csv"
        place.write_bytes(odd_bytes(rng, content) if kind == 5 else content)
        verb = ("import", str(place), "-o", str(folder / f"t{i}.parquet"))
        yield Input("table", rng.choice((verb, ("check", str(place)))), f"kind {kind}")


def odd_json(rng: random.Random, value: object, depth: int = 0) -> object:
    """Return JSON with one part replaced."""
    if isinstance(value, dict) and value and (depth < 2 or rng.random() < 0.8):
        key = rng.choice(list(value))
        return {**value, key: odd_json(rng, value[key], depth + 1)}
    if isinstance(value, list) and value and (depth < 2 or rng.random() < 0.8):
        at = rng.randrange(len(value))
        return [*value[:at], odd_json(rng, value[at], depth + 1), *value[at + 1 :]]
    odd: list[object] = [None, -1, 1e308, 10**30, "", "\u202e", [], {}, [[[]]], True, "a" * 9999]
    return rng.choice([*odd, {"__class__": "os"}, float("nan"), "../../x", "/dev/zero"])


def jsons(rng: random.Random, folder: Path, n: int, run: Path) -> Iterator[Input]:
    """Yield results as JSON, and reports' results.json."""
    head, *rows = good_rows()
    results = [dict(zip(head, [*row[:4], float(row[4])], strict=True)) for row in rows]
    report = json.loads((run / "results.json").read_text("utf-8"))
    for i in range(n):
        is_report = i % 2
        text = json.dumps(odd_json(rng, report if is_report else results)).encode()
        text = odd_bytes(rng, text) if i % 5 == 4 else text
        place = folder / f"j{i}" / "results.json"
        place.parent.mkdir()
        place.write_bytes(text)
        verb = ("import", str(place), "-o", str(folder / f"j{i}.parquet"))
        words = ("diff", str(run / "results.json"), str(place)) if is_report else verb
        yield Input("JSON", words, "report" if is_report else "results")


def zips(rng: random.Random, folder: Path, n: int, bundle: bytes) -> Iterator[Input]:
    """Yield bundles with other bytes, entries, names and sizes."""
    for i in range(n):
        kind, place = rng.randrange(4), folder / f"z{i}.zip"
        if kind == 0:
            place.write_bytes(odd_bytes(rng, bundle))
        else:
            out = io.BytesIO()
            with zipfile.ZipFile(io.BytesIO(bundle)) as old, zipfile.ZipFile(out, "w") as new:
                names, last = old.namelist(), SUMS
                sums = old.read(SUMS).decode()
                chosen = rng.choice(names)
                for name in names:
                    content, written = old.read(name), name
                    if name == chosen and kind == 1:
                        odd = ("../x", "/etc/x", "a\\b", "con", "x\u202e", name.upper(), f"{name}/")
                        written = rng.choice(odd)
                    if name == chosen and kind == 2:
                        content = odd_bytes(rng, content)
                    if name == chosen and kind == 3:
                        link = zipfile.ZipInfo(name)
                        link.external_attr = 0o120777 << 16
                        new.writestr(link, "/etc/passwd")
                        continue
                    before, now = (sha256(x).hexdigest() for x in (old.read(name), content))
                    sums = sums.replace(before, now)
                    if name == SUMS:
                        last = written
                        continue
                    new.writestr(written, content, zipfile.ZIP_DEFLATED)
                new.writestr(last, sums if rng.random() < 0.7 else old.read(SUMS))
            place.write_bytes(out.getvalue())
        verbs = (("verify", str(place)), ("report", str(place), "-o", str(folder / f"z{i}")))
        yield Input("zip", rng.choice(verbs), f"kind {kind}")


def stored_runs(rng: random.Random, folder: Path, n: int, run: Path) -> Iterator[Input]:
    """Yield runs' folders with a file of the warehouse that is odd, gone or another kind."""
    for i in range(n):
        own = folder / f"r{i}" / run.name
        shutil.copytree(run, own)
        file = rng.choice([f for f in sorted((own / "warehouse").iterdir()) if f.is_file()])
        kind = rng.randrange(4)
        content = file.read_bytes()
        file.unlink()
        if kind == 1:
            os.mkfifo(file)
        elif kind == 2:
            file.mkdir()
        elif kind == 3:
            file.write_bytes(odd_bytes(rng, content))
        verbs = (("report", str(own), "--format", "md"), ("gate", str(own)), ("verify", str(own)))
        yield Input("stored run", rng.choice(verbs), f"{file.name}, kind {kind}")


def templates(rng: random.Random, folder: Path, n: int) -> Iterator[Input]:
    """Yield studies with templates of their own, which are allowed."""
    rows = "\n".join(",".join(row) for row in good_rows()) + "\n"
    for i in range(n):
        own = folder / f"own{i}"
        (own / "templates" / "sections").mkdir(parents=True)
        (own / "r.csv").write_text(rows)
        (own / "study.yaml").write_text("results: {file: r.csv}\nreport: {formats: [md]}\n")
        text = "{% block body %}" + TEMPLATES[i % len(TEMPLATES)] + "{% endblock %}"
        text = text if i % 3 else TEMPLATES[i % len(TEMPLATES)]
        place = own / "templates" / "sections" / "eda.md.j2"
        place.write_bytes(text.encode("utf-8", "surrogatepass"))
        words = ("run", str(own / "study.yaml"), "--allow-templates", "-o", str(own / "out"))
        yield Input("template", words, text[:60])


def expectations(rng: random.Random, folder: Path, n: int) -> Iterator[Input]:
    """Yield claims of words that are claims' and others'."""
    place = folder / "claims.csv"
    place.write_text("\n".join(",".join(row) for row in good_rows()) + "\n")
    for _ in range(n):
        claim = " ".join(rng.choice(CLAIM_WORDS) for _ in range(rng.randrange(9)))
        if rng.random() < 0.7:
            ends = ("", "by 0.1", "by -1", "by 1e999", "on d", "on accuracy", "in this experiment")
            how = rng.choice(("better", "not worse", "worse", "within"))
            claim = f"a {how} than {rng.choice('abcd')} {rng.choice(ends)} {rng.choice(ends)}"
        yield Input("expectation", ("gate", str(place), "--expect", claim), claim)


def _verb(words: list[str]) -> None:
    main(args=words, prog_name="reportgen")


def outcome_of(
    given: Input, folder: Path, do: Callable[[list[str]], None] = _verb
) -> tuple[str, str]:
    """Give an input to a verb in a process of its own, and say what became of it."""
    output = folder / "output.txt"
    if (pid := os.fork()) == 0:
        os.setsid()
        with output.open("wb") as file:
            os.dup2(file.fileno(), 1)
            os.dup2(file.fileno(), 2)
        os.chdir(folder)
        code = 70
        try:
            do(list(given.words))
            code = 0
        except SystemExit as exit_:
            code = exit_.code if isinstance(exit_.code, int) else 0
        except BaseException:
            traceback.print_exc()
        finally:
            sys.stdout.flush()
            sys.stderr.flush()
            os._exit(code)
    end = time.monotonic() + PATIENCE
    while (found := os.waitpid(pid, os.WNOHANG))[0] == 0:
        if time.monotonic() > end:
            os.killpg(pid, signal.SIGKILL)
            os.waitpid(pid, 0)
            return "hang", "took longer than a minute"
        time.sleep(0.01)
    told = output.read_text("utf-8", "replace")
    if "Traceback (most recent call last)" in told:
        return "traceback", told.strip().splitlines()[-1]
    code = os.waitstatus_to_exitcode(found[1])
    if code in (0, 1):
        return "accepted", ""
    is_clear = code in (2, 3, 4, 5) and ("reportgen: " in told or "Error: " in told)
    return ("refused", "") if is_clear else ("unclear", f"exit code {code}: {told[-200:]!r}")


def good_run(folder: Path) -> tuple[Path, bytes]:
    """Return the folder of a whole run, and a bundle of it."""
    (folder / "good.csv").write_text("\n".join(",".join(row) for row in good_rows()) + "\n")
    words = [sys.executable, "-m", "reportgen"]
    quiet = {"cwd": folder, "capture_output": True}
    for verb in (
        ("run", "good.csv", "--format", "md"),
        ("bundle", "output/good", "-o", "good.zip"),
    ):
        subprocess.run([*words, *verb], check=True, **quiet)  # type: ignore[call-overload]
    return folder / "output" / "good", (folder / "good.zip").read_bytes()


LOADED = """
import sys
from reportgen.cli import main
for words in (["check", "m.yaml"], ["run", "good.csv", "--format", "md"], ["verify", "good.zip"],
              ["gate", "good.csv"], ["import", "good.csv", "-o", "x.parquet"],
              ["diff", "output/good", "output/good/results.json"]):
    try:
        main(args=words, standalone_mode=False)
    except SystemExit:
        pass
sys.stderr.write("\\n" + " ".join(name for name in sys.modules if name != "__main__"))
"""


def load_modules(folder: Path) -> None:
    """Import what verbs import, so that each input does not; nothing is run in this process."""
    (folder / "m.yaml").write_text(MANIFEST)
    words = [sys.executable, "-c", LOADED]
    told = subprocess.run(words, cwd=folder, check=True, capture_output=True, text=True).stderr
    for name in told.splitlines()[-1].split():
        with suppress(Exception):
            import_module(name)


def try_inputs(seed: int, n: int, folder: Path) -> tuple[dict[str, Counter[str]], list[str]]:
    """Give inputs to every door; return counts by door, and what has to be looked at."""
    rng = random.Random(seed)
    run, bundle = good_run(folder)
    load_modules(folder)
    os.mkfifo(folder / "fifo")
    each = -(-n // len(DOORS))
    makers: dict[str, Callable[[], Iterator[Input]]] = {
        "manifest": lambda: manifests(rng, folder, each),
        "table": lambda: tables(rng, folder, each),
        "JSON": lambda: jsons(rng, folder, each, run),
        "zip": lambda: zips(rng, folder, each, bundle),
        "stored run": lambda: stored_runs(rng, folder, each, run),
        "template": lambda: templates(rng, folder, len(TEMPLATES)),
        "expectation": lambda: expectations(rng, folder, each),
    }
    counts = {door: Counter[str]() for door in DOORS}
    odd: list[str] = []
    for door, make in makers.items():
        for given in make():
            what, why = outcome_of(given, folder)
            if (folder / CANARY).exists():
                what, why = "executed", given.note
                (folder / CANARY).unlink()
            counts[door][what] += 1
            if what not in ("accepted", "refused"):
                odd.append(f"{what}: {' '.join(given.words)} ({given.note}): {why}")
    return counts, odd


def marked(value: str) -> list[int]:
    """Return processes that were started with the mark."""
    found = []
    for path in Path("/proc").iterdir():
        with suppress(OSError):
            if (
                path.name.isdigit()
                and f"{MARK}={value}".encode() in (path / "environ").read_bytes()
            ):
                found.append(int(path.name))
    return found


STUDY = MANIFEST.replace("replications: 5", "replications: 60").partition("expect:")[0]


def performances(folder: Path) -> object:
    import pandas as pd

    table = pd.read_parquet(folder / "output" / "kills" / "warehouse" / "performances.parquet")
    return table.sort_values(["dataset", "replication", "candidate"]).reset_index(drop=True)


def try_kills(seed: int, n: int, folder: Path) -> Counter[str]:
    """End runs at random times; return how many were, and what was lost or left."""
    rng = random.Random(seed)
    (folder / "kills.yaml").write_text(STUDY)
    words = [
        sys.executable,
        "-m",
        "reportgen",
        "run",
        "kills.yaml",
        "--jobs",
        "2",
        "--format",
        "md",
    ]
    quiet = {"cwd": folder, "stdout": subprocess.DEVNULL, "stderr": subprocess.PIPE}
    begin = time.monotonic()
    subprocess.run(words, check=True, **quiet)  # type: ignore[call-overload]
    usual, whole = time.monotonic() - begin, performances(folder)
    counts = Counter(kills=0, tracebacks=0, left=0, lost=0, runs=0)
    while counts["kills"] < n:
        shutil.rmtree(folder / "output", ignore_errors=True)
        for _ in range(4):
            mark = f"{seed}-{counts['kills']}"
            process = subprocess.Popen(words, env={**os.environ, MARK: mark}, **quiet)  # type: ignore[call-overload]
            try:
                process.wait(rng.uniform(0.1, 0.9) * usual)
                usual *= 0.9  # it was whole before its end was due
                process.communicate()
                break
            except subprocess.TimeoutExpired:
                number = rng.choice((signal.SIGKILL, signal.SIGKILL, signal.SIGTERM, signal.SIGINT))
                process.send_signal(number)
                counts["kills"] += 1
            told = process.communicate(timeout=PATIENCE)[1]
            counts["tracebacks"] += b"Traceback" in told
            end = time.monotonic() + 20
            while marked(mark) and time.monotonic() < end:
                time.sleep(0.1)
            counts["left"] += len(marked(mark))
        subprocess.run(words, check=True, **quiet)  # type: ignore[call-overload]
        counts["runs"] += 1
        counts["lost"] += not performances(folder).equals(whole)  # type: ignore[attr-defined]
    return counts


def row(name: str, counts: Counter[str]) -> str:
    numbers = (
        *(sum(counts.values()), counts["refused"], counts["accepted"], counts["traceback"]),
        *(counts["hang"], counts["executed"], counts["unclear"]),
    )
    return f"| {name} | {' | '.join(map(str, numbers))} |"


def measure(seed: int, n_inputs: int, n_kills: int) -> None:
    signal.signal(
        signal.SIGINT, signal.default_int_handler
    )  # which shells ignore in the background
    folder = Path(mkdtemp(prefix="audit-"))
    if n_inputs:
        counts, odd = try_inputs(seed, n_inputs, folder)
        total: Counter[str] = sum(counts.values(), Counter())
        print("| door | tried | refused | accepted | tracebacks | hangs | executed | unclear |")
        for door, own in {**counts, "all": total}.items():
            print(row(door, own))
        print(*odd, sep="\n")
    if n_kills:
        print(dict(try_kills(seed, n_kills, folder)))
    print(folder)


if __name__ == "__main__":
    measure(*(int(text) for text in (*sys.argv[1:], "320", "60")[:3]))
