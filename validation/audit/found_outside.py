"""Inputs as people and programs outside send them, which no seed makes: what becomes of each.

    python validation/audit/found_outside.py [one of how many]

Files as spreadsheets, other systems and other programs write them; kinds of columns; YAML as people
write it; links, rights and kinds of files; archives within archives. Each is given to a verb in a
process of its own, as in `study.py`. Every input has its answer here: whether it is refused, or
read. Prints a row of Markdown a door, and every input with another answer.
"""

from __future__ import annotations

import gzip
import io
import json
import os
import shutil
import signal
import sys
import zipfile
from collections import Counter
from collections.abc import Callable, Iterator
from itertools import islice
from pathlib import Path
from tempfile import mkdtemp

from study import CANARY, Input, good_run, load_modules, outcome_of, row

RESULTS = 'results: {{file: "{}"}}\nmeasures: [{{name: loss, better: smaller}}]\n'
HEAD = "dataset,candidate,replication,loss"
ROWS = [f"d{m},{c},{k},0.{1 + m}{ord(c) % 7}{k}" for m in (1, 2, 3) for c in "ab" for k in range(6)]
TEXT = "\n".join((HEAD, *ROWS)) + "\n"
READ, REFUSED = "accepted", "refused"


def tables() -> Iterator[tuple[str, str, bytes, str]]:
    """Yield notes, suffixes, contents and answers of tables."""
    lines = [HEAD, *ROWS]
    semi = "\n".join(x.replace(",", ";") for x in lines)
    german = "\n".join(x.replace(",", ";").replace("0.", "0,") for x in lines)
    yield "a byte order mark", ".csv", TEXT.encode("utf-8-sig"), READ
    yield "lines of Windows", ".csv", TEXT.replace("\n", "\r\n").encode(), READ
    yield "lines of old Macs", ".csv", TEXT.replace("\n", "\r").encode(), REFUSED
    yield "lines of both kinds", ".csv", TEXT.replace("\n", "\r\n", 5).encode(), READ
    yield "no last line feed", ".csv", TEXT.rstrip().encode(), READ
    yield "empty lines at the end", ".csv", (TEXT + "\n\n\n").encode(), READ
    yield "empty cells below, of a sheet", ".csv", (TEXT + ",,,\n,,,\n").encode(), READ
    yield "empty columns beside, of a sheet", ".csv", TEXT.replace("\n", ",,\n").encode(), READ
    yield "semicolons", ".csv", semi.encode(), READ
    yield "semicolons and decimal commas", ".csv", german.encode(), READ
    yield "sep=; above, as Excel reads", ".csv", ("sep=;\n" + semi).encode(), READ
    yield "tabs", ".csv", TEXT.replace(",", "\t").encode(), READ
    yield "tabs, named so", ".tsv", TEXT.replace(",", "\t").encode(), READ
    yield "all cells in quotes", ".csv", "\n".join(
        ",".join(f'"{x}"' for x in line.split(",")) for line in lines
    ).encode(), READ  # fmt: skip
    yield "UTF-16 of a spreadsheet", ".csv", TEXT.encode("utf-16"), READ
    yield "UTF-32", ".csv", TEXT.encode("utf-32"), REFUSED
    yield "Latin-1", ".csv", TEXT.replace("d1", "Köln").encode("latin-1"), REFUSED
    yield "Shift JIS", ".csv", TEXT.replace("d1", "東京").encode("shift-jis"), REFUSED
    yield "letters beyond the first plane", ".csv", TEXT.replace("d1", "𝔻🙂").encode(), READ
    yield "text from right to left", ".csv", TEXT.replace("d1", "שלום").encode(), READ
    yield "comments above", ".csv", ("# made by a script\n" + TEXT).encode(), READ
    yield "a title above", ".csv", ("Results of May,,,\n" + TEXT).encode(), READ
    yield "units below the header", ".csv", TEXT.replace("\n", "\n,,,%\n", 1).encode(), REFUSED
    yield "per cent in cells", ".csv", TEXT.replace("0.2", "20.2%", 4).encode(), REFUSED
    yield "thousands with commas", ".csv", TEXT.replace("0.2", '"1,000.2"', 1).encode(), REFUSED
    yield "#DIV/0! of a sheet", ".csv", TEXT.replace("0.200", "#DIV/0!").encode(), REFUSED
    yield "#N/A of a sheet", ".csv", TEXT.replace("0.200", "#N/A").encode(), READ
    yield "dates in place of names", ".csv", TEXT.replace("d1", "2026-03-01").encode(), READ
    yield "a name in 200,000 letters", ".csv", TEXT.replace("d1", "x" * 200_000).encode(), REFUSED
    yield "a zero byte", ".csv", TEXT.replace("d1", "d\0001").encode(), REFUSED
    yield "an index that pandas writes", ".csv", "\n".join(
        f"{i - 1 if i else ''},{line}" for i, line in enumerate(lines)
    ).encode(), READ  # fmt: skip
    yield "each row twice", ".csv", (TEXT + "\n".join(ROWS) + "\n").encode(), REFUSED
    yield "a header alone", ".csv", (HEAD + "\n").encode(), REFUSED
    yield "nothing", ".csv", b"", REFUSED
    yield "blanks alone", ".csv", b" \n \n", REFUSED
    yield "a header twice, of two files", ".csv", (TEXT + TEXT).encode(), REFUSED
    yield "gzip, called CSV", ".csv", gzip.compress(TEXT.encode()), REFUSED
    yield "gzip, named so", ".csv.gz", gzip.compress(TEXT.encode()), READ
    yield "a gzip bomb", ".csv.gz", gzip.compress(b"\0" * 200_000_000, 9), REFUSED
    yield "a page of HTML, called CSV", ".csv", b"<!DOCTYPE html><p>404", REFUSED
    pointer = b"version https://git-lfs.github.com/spec/v1\noid sha256:00\nsize 12345\n"
    yield "a pointer of Git LFS", ".csv", pointer, REFUSED
    yield "marks of a merge", ".csv", TEXT.replace("\n", "\n<<<<<<< HEAD\n", 1).encode(), REFUSED
    yield "an old sheet", ".xls", b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1" + bytes(512), REFUSED
    yield "lines of JSON", ".jsonl", "".join(
        json.dumps(dict(zip(HEAD.split(","), [*names, float(loss)], strict=True))) + "\n"
        for *names, loss in (line.split(",") for line in ROWS)
    ).encode(), READ  # fmt: skip
    yield "JSON with a byte order mark", ".json", b"\xef\xbb\xbf[]", REFUSED
    yield "JSON with NaN", ".json", b'[{"dataset": "d", "candidate": "a", "loss": NaN}]', REFUSED
    yield "JSON in 100,000 brackets", ".json", b"[" * 100_000, REFUSED
    yield "a pickle, called Parquet", ".parquet", b"\x80\x04cos\nsystem\n(S'touch canary'\ntR.", \
        REFUSED  # fmt: skip
    yield "a pickle, called RDS", ".rds", b"\x80\x04cos\nsystem\n(S'touch canary'\ntR.", REFUSED


def parquets() -> Iterator[tuple[str, bytes, str]]:
    """Yield notes, contents and answers of Parquet files."""
    from decimal import Decimal

    import pyarrow as pa
    import pyarrow.parquet as pq

    cells = [line.split(",") for line in ROWS]
    names = [[line[k] for line in cells] for k in range(2)]
    losses = [float(line[3]) for line in cells]
    good = {"dataset": pa.array(names[0]), "candidate": pa.array(names[1]), "loss": losses}
    good["replication"] = pa.array([int(line[2]) for line in cells])

    def written(columns: dict[str, object], **options: object) -> bytes:
        out = io.BytesIO()
        pq.write_table(pa.table(columns), out, **options)
        return out.getvalue()

    n = len(losses)
    decimals = [Decimal(line[3]) for line in cells]
    for note, column, answer in (
        ("decimal numbers", pa.array(decimals, pa.decimal128(9, 4)), READ),
        ("decimal numbers of 256 bits", pa.array(decimals, pa.decimal256(60, 4)), READ),
        ("numbers of two bytes", pa.array(losses).cast(pa.float16()), READ),
        ("numbers as text", pa.array([line[3] for line in cells]), READ),
        ("numbers as large text", pa.array([line[3] for line in cells], pa.large_string()), READ),
        ("dates", pa.array(range(n), pa.date32()), REFUSED),
        ("times with a zone", pa.array(range(n), pa.timestamp("us", "Europe/Berlin")), REFUSED),
        ("times with a zone that is none", pa.array(range(n), pa.timestamp("s", "M/B")), REFUSED),
        ("intervals", pa.array(range(n), pa.duration("ns")), REFUSED),
        ("nothing", pa.nulls(n), REFUSED),
        ("maps", pa.array([[("a", 1.0)]] * n, pa.map_(pa.string(), pa.float64())), REFUSED),
        ("truths", pa.array([True, False] * (n // 2)), READ),
        ("bytes", pa.array([b"0.5"] * n), REFUSED),
        ("halves that are missing", pa.array([None, 0.5] * (n // 2)), READ),
        ("infinite ones", pa.array([float("inf")] * n), REFUSED),
    ):
        yield f"values that are {note}", written(good | {"loss": column}), answer
    yield "names of categories", written(
        good | {"candidate": pa.array(names[1]).dictionary_encode()}
    ), READ  # fmt: skip
    yield (
        "names as bytes",
        written(good | {"candidate": pa.array([c.encode() for c in names[1]])}),
        READ,
    )
    yield "names as views", written(
        good | {"candidate": pa.array(names[1], pa.string_view())}
    ), READ  # fmt: skip
    numbers = pa.array([float(ord(c)) for c in names[1]])
    yield "numbers as names", written(good | {"candidate": numbers}), READ
    yield "no rows", written({k: pa.array([], pa.float64()) for k in good}), REFUSED
    yield "no columns", written({}), REFUSED
    for compression in ("zstd", "brotli", "lz4"):
        yield compression, written(good, compression=compression), READ
    yield "its head alone", b"PAR1", REFUSED
    yield "an encrypted one", b"PARE" + bytes(40) + b"PARE", REFUSED


def manifests(folder: Path) -> Iterator[tuple[str, bytes, str]]:
    """Yield notes, contents and answers of manifests."""
    (folder / "t.csv").write_text(TEXT)
    good = RESULTS.format("t.csv")
    yield "lines of Windows", good.replace("\n", "\r\n").encode(), READ
    yield "a byte order mark", good.encode("utf-8-sig"), READ
    yield "UTF-16", good.encode("utf-16"), REFUSED
    yield "tabs before keys", b"report:\n\tformats: [md]\n" + good.encode(), REFUSED
    yield "an anchor and what it stands for", (
        good + "analysis: {alpha: &a 0.05}\nseed: 1\nexpect: [a better than b]\n"
    ).encode(), READ  # fmt: skip
    yield "keys that are merged", (
        "x: &x {better: smaller}\n" + good.replace("better: smaller", "<<: *x")
    ).encode(), REFUSED  # fmt: skip
    yield "an anchor of itself", (good + "expect: &e [*e]\n").encode(), REFUSED
    yield "two documents", (good + "---\n" + good).encode(), REFUSED
    yield "a document's end", ("---\n" + good + "...\n").encode(), READ
    yield "%YAML 1.2", ("%YAML 1.2\n---\n" + good).encode(), READ
    yield "a key of a tag", (good + "!!set {a, b}: 1\n").encode(), REFUSED
    yield "a key that is a list", (good + "? [a, b]\n: 1\n").encode(), REFUSED
    yield "a key that is a number", (good + "1: 2\n").encode(), REFUSED
    yield "no as a name", good.replace("name: loss", "name: no").encode(), REFUSED
    yield "seconds of base 60", (good + "seed: 1:30\n").encode(), REFUSED
    yield "a seed of octal", (good + "seed: 010\n").encode(), READ
    yield "a seed with a point", (good + "seed: 1.0\n").encode(), REFUSED
    yield "a level of a comma", (good + "analysis: {alpha: 0,05}\n").encode(), REFUSED
    yield "a level in per cent", (good + "analysis: {alpha: 5%}\n").encode(), REFUSED
    yield "a title of 5 MB", (good + "study: {title: " + "x" * 5_000_000 + "}\n").encode(), READ
    yield "blanks that do not break", good.replace(" ", "\u00a0").encode(), REFUSED
    yield "quotes of a text program", good.replace('"', "\u201c").encode(), REFUSED
    yield "a JSON in place of YAML", b'{"results": {"file": "t.csv"}}', READ
    yield "a TOML in place of YAML", b'[results]\nfile = "t.csv"\n', REFUSED
    yield "an address as a file", RESULTS.format("https://example.org/t.csv").encode(), REFUSED
    yield "file:// as a file", RESULTS.format("file:" + "///etc/passwd").encode(), REFUSED
    yield "a path of Windows", RESULTS.format(r"C:\\data\\t.csv").encode(), REFUSED
    yield "a home", RESULTS.format("~/t.csv").encode(), REFUSED
    yield "a pattern", RESULTS.format("*.csv").encode(), REFUSED
    yield "the manifest itself", RESULTS.format("m.yaml").encode(), REFUSED
    yield "memory of a process", RESULTS.format("/proc/self/mem").encode(), REFUSED
    yield "random numbers without end", RESULTS.format("/dev/urandom").encode(), REFUSED
    yield "standard input", RESULTS.format("/dev/stdin").encode(), REFUSED
    yield "a variable", RESULTS.format("$HOME/t.csv").encode(), REFUSED


def places(folder: Path) -> Iterator[tuple[str, tuple[str, ...], str]]:
    """Yield notes, words and answers of files of other kinds, links and rights."""
    (folder / "good2.csv").write_text(TEXT)
    (folder / "linked.csv").symlink_to("good2.csv")
    yield "a link to a table", ("check", "linked.csv"), READ
    (folder / "dangling.csv").symlink_to("nowhere.csv")
    yield "a link to nothing", ("check", "dangling.csv"), REFUSED
    (folder / "round1.csv").symlink_to("round2.csv")
    (folder / "round2.csv").symlink_to("round1.csv")
    yield "links in a circle", ("check", "round1.csv"), REFUSED
    (folder / "runs").mkdir()
    (folder / "runs" / "r.csv").write_text(TEXT)
    (folder / "runs" / "around").symlink_to(".")
    yield "a link to the folder it is in", ("import", "runs", "-o", "a.parquet"), READ
    (folder / "folder.csv").mkdir()
    yield "a folder of a table's name", ("check", "folder.csv"), REFUSED
    os.mkfifo(folder / "pipe.csv")
    yield "a pipe of a table's name", ("check", "pipe.csv"), REFUSED
    yield "a pipe as a claim's file", ("gate", "good2.csv", "--expect", "@pipe.csv"), REFUSED
    import socket

    with socket.socket(socket.AF_UNIX) as server:
        server.bind("u.sock" if Path.cwd() == folder else os.path.relpath(folder / "u.csv"))
    yield "a socket", ("check", "u.csv"), REFUSED
    yield "output into a file", ("run", "good2.csv", "-o", "good2.csv"), REFUSED
    yield "output into a device", ("import", "good2.csv", "-o", "/dev/full"), REFUSED
    yield "output into folders that are not there", (
        "import", "good2.csv", "-o", "new/newer/x.parquet"
    ), READ  # fmt: skip
    yield "output below a file", ("import", "good2.csv", "-o", "good2.csv/x.parquet"), REFUSED
    yield "output over the input", ("import", "good2.csv", "-o", "good2.csv"), REFUSED
    yield "a path of 5000 letters", ("check", "x" * 5000), REFUSED
    yield "a path of many parts", ("check", "a/" * 3000 + "t.csv"), REFUSED
    yield "an option as a name", ("check", "--", "-o"), REFUSED
    (folder / "-x.csv").write_text(TEXT)
    yield "a name that begins as an option", ("check", "--", "-x.csv"), REFUSED
    (folder / "new\nline.csv").write_text(TEXT)
    yield "a line feed in a name", ("check", "new\nline.csv"), REFUSED


def archives(folder: Path, run: Path) -> Iterator[tuple[str, bytes, str]]:
    """Yield notes, contents and answers of bundles."""
    good = (folder / "good.zip").read_bytes()

    def with_member(name: str, content: bytes, mode: int = 0) -> bytes:
        out = io.BytesIO(good)
        with zipfile.ZipFile(out, "a") as file:
            about = zipfile.ZipInfo(name)
            about.external_attr = mode << 16
            file.writestr(about, content)
        return out.getvalue()

    yield "a bundle within a bundle", with_member("inner.zip", good), REFUSED
    yield "a link to outside", with_member("link", b"/etc/passwd", 0o120777), REFUSED
    yield "a device", with_member("null", b"", 0o020666), REFUSED
    yield "a name of Windows", with_member("C:\\x", b""), REFUSED
    yield "an entry of macOS", with_member("__MACOSX/._x", b""), REFUSED
    yield "a comment at its end", good[:-2] + b"\x05\x00hello", REFUSED
    yield "a program before it", b"#!/bin/sh\ntouch canary\n" + good, REFUSED
    yield "two bundles in a row", good + good, REFUSED
    yield "a bundle in gzip", gzip.compress(good), REFUSED
    out = io.BytesIO()
    with zipfile.ZipFile(io.BytesIO(good)) as old, zipfile.ZipFile(out, "w") as new:
        for name in old.namelist():
            new.writestr("study/" + name, old.read(name))
    yield "a folder around all, as zip programs make", out.getvalue(), REFUSED


def tries(folder: Path) -> Iterator[tuple[Input, str]]:
    """Yield all inputs and their answers."""
    run = folder / "output" / "good"
    for i, (note, suffix, content, answer) in enumerate(tables()):
        (folder / f"t{i}{suffix}").write_bytes(content)
        for verb in (
            ("check", f"t{i}{suffix}"),
            ("import", f"t{i}{suffix}", "-o", f"t{i}.parquet"),
        ):
            yield Input("table", verb, note), answer
    for i, (note, content, answer) in enumerate(parquets()):
        (folder / f"p{i}.parquet").write_bytes(content)
        yield Input("Parquet", ("check", f"p{i}.parquet"), note), answer
    for i, (note, content, answer) in enumerate(manifests(folder)):
        (folder / f"y{i}.yaml").write_bytes(content)
        yield Input("manifest", ("check", f"y{i}.yaml"), note), answer
    for note, words, answer in places(folder):
        yield Input("place", words, note), answer
    for i, (note, content, answer) in enumerate(archives(folder, run)):
        (folder / f"z{i}.zip").write_bytes(content)
        yield Input("bundle", ("verify", f"z{i}.zip"), note), answer


def try_all(
    folder: Path, tries: Callable[[Path], Iterator[tuple[Input, str]]], every: int = 1
) -> tuple[dict[str, Counter[str]], list[str]]:
    """Give inputs to their verbs; return counts by door, and what has another answer.

    `tries`: yields all inputs and their answers.
    `every`: of how many inputs one is tried.
    """
    good_run(folder)
    load_modules(folder)
    counts: dict[str, Counter[str]] = {}
    odd = []
    for given, answer in islice(tries(folder), 0, None, every):
        what, why = _outcome_of(given, folder)
        if (folder / CANARY).exists():
            what, why = "executed", given.note
            (folder / CANARY).unlink()
        counts.setdefault(given.door, Counter())[what] += 1
        if what != answer:
            told = (folder / "output.txt").read_text("utf-8", "replace")[-300:]
            odd.append(f"{what}, not {answer}: {given.door}, {given.note}: {why} {told!r}")
            print(odd[-1], flush=True)
    return counts, odd


def _outcome_of(given: Input, folder: Path) -> tuple[str, str]:
    """Return what becomes of words of the command line, of a call of Python or of a process."""
    if given.words[:1] in (("python",), ("env",)):
        from options import outcome_of as outcome_of_process

        return outcome_of_process(given, folder)
    if given.words[:1] in (("sh",), ("mount",)):
        from programs_and_places import outcome_of_line

        return outcome_of_line(given, folder)
    return outcome_of(given, folder)


def print_table(tries: Callable[[Path], Iterator[tuple[Input, str]]]) -> None:
    """Try inputs, of which the first argument says how many one is tried, and print the counts."""
    signal.signal(signal.SIGINT, signal.default_int_handler)
    place = Path(mkdtemp(prefix="audit-"))
    found, _ = try_all(place, tries, int([*sys.argv, "1"][1]))
    print("| door | tried | refused | accepted | tracebacks | hangs | executed | unclear |")
    for door, own in {**found, "all": sum(found.values(), Counter[str]())}.items():
        print(row(door, own))
    shutil.rmtree(place)


if __name__ == "__main__":
    print_table(tries)
