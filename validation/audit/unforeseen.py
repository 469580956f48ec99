"""Inputs of kinds that the other audits do not know: what becomes of each.

    python validation/audit/unforeseen.py [one of how many]

Letters that look like others, numbers as other systems and languages write them, files cut by a
power cut, digests as other programs write them, zip files whose two headers differ, journals by
another hand, objects of Python that break their promises, and words of the command line. Every
input has its answer here, as in `found_outside.py`, whose table it prints.
"""

from __future__ import annotations

import bz2
import gzip
import io
import json
import lzma
import shutil
import struct
import subprocess
import sys
import zipfile
from collections.abc import Callable, Iterator
from hashlib import sha256
from pathlib import Path
from typing import Any

from found_outside import HEAD, READ, REFUSED, RESULTS, ROWS, TEXT, print_table
from study import MANIFEST, SUMS, Input

Tries = Iterator[tuple[Input, str]]
GOOD = RESULTS.format("t.csv")


def with_cells(old: str, new: str, n: int = -1) -> str:
    """Return the good table with other cells."""
    return TEXT.replace(old, new, n)


def manifests(folder: Path) -> Tries:
    """Yield manifests of odd letters, numbers, tags and paths."""
    (folder / "t.csv").write_text(TEXT)
    (folder / "sub").mkdir()
    (folder / "t space .csv").write_text(TEXT)
    for note, text, answer in (
        ("a Cyrillic letter in a key", GOOD + "\u0455eed: 1\n", REFUSED),
        ("a zero-width letter in a key", GOOD + "se\u200bed: 1\n", REFUSED),
        ("a key in capitals", GOOD + "Seed: 1\n", REFUSED),
        ("a key in quotes, and plain", GOOD + 'seed: 1\n"seed": 2\n', REFUSED),
        ("a key with a blank behind", GOOD + '"seed ": 1\n', REFUSED),
        ("a key of a million letters", GOOD + "x" * 10**6 + ": 1\n", REFUSED),
        ("10,000 keys", GOOD + "".join(f"k{i}: 1\n" for i in range(10**4)), REFUSED),
        (
            "10,000 anchors",
            GOOD + "x: [" + ", ".join(f"&a{i} 1" for i in range(10**4)) + "]",
            REFUSED,
        ),
        ("merge keys at the root", "<<: {seed: 1}\n" + GOOD, REFUSED),
        ("braces that do not end", GOOD + "x: " + "{" * 10**5, REFUSED),
        ("a tag of its own", "%TAG ! tag:x,2000:\n---\n" + GOOD, READ),
        ("a tag of floats", GOOD + "seed: !!float 1\n", REFUSED),
        ("a tag of text", GOOD + "seed: !!str 5\n", REFUSED),
        ("a tag of Ruby", GOOD + "seed: !ruby/object:Gem::Installer {i: x}\n", REFUSED),
        ("a tag of Java", GOOD + "seed: !!javax.script.ScriptEngineManager [x]\n", REFUSED),
        ("a tag of JavaScript", GOOD + "seed: !!js/function 'function(){}'\n", REFUSED),
        ("a plus before a seed", GOOD + "seed: +1\n", READ),
        ("an exponent in a seed", GOOD + "seed: 1e3\n", REFUSED),
        ("bits as a seed", GOOD + "seed: 0b11\n", READ),
        ("Arabic digits", GOOD + "seed: \u0661\u0662\n", REFUSED),
        ("digits of full width", GOOD + "seed: \uff11\n", REFUSED),
        ("a level without a nought", GOOD + "analysis: {alpha: .05}\n", READ),
        ("a level with an exponent", GOOD + "analysis: {alpha: 5e-2}\n", READ),
        ("a level in hexadecimal", GOOD + "analysis: {alpha: 0x1p-4}\n", REFUSED),
        ("a level of one", GOOD + "analysis: {alpha: 1}\n", REFUSED),
        ("a level just below one", GOOD + "analysis: {alpha: 0.9999999999999999}\n", READ),
        ("a level below all numbers", GOOD + "analysis: {alpha: 1e-400}\n", REFUSED),
        ("a level of nothing", GOOD + "analysis: {alpha: }\n", REFUSED),
        ("halves of a character", GOOD + 'study: {title: "\\ud83d"}\n', REFUSED),
        ("two halves of a character", GOOD + 'study: {title: "\\ud83d\\ude00"}\n', REFUSED),
        ("the last character", GOOD + 'study: {title: "\\U0010FFFF"}\n', READ),
        ("a character beyond the last", GOOD + 'study: {title: "\\UFFFFFFFF"}\n', REFUSED),
        ("a title of blanks", GOOD + 'study: {title: "   "}\n', READ),
        ("a title of 5,000 marks", GOOD + "study: {title: a" + "\u0300" * 5000 + "}\n", READ),
        ("a title of isolates", GOOD + "study: {title: a\u2066b}\n", READ),
        ("next line in place of a line feed", GOOD.replace("\n", "\x85"), REFUSED),
        ("a line separator in place of a line feed", GOOD.replace("\n", "\u2028"), REFUSED),
        ("a form feed between lines", GOOD.replace("\n", "\n\x0c"), REFUSED),
        ("a byte order mark between lines", GOOD.replace("\n", "\n\ufeff", 1), REFUSED),
        ("Ctrl-Z at the end", GOOD + "\x1a", REFUSED),
        ("a comment alone", "# nothing\n", REFUSED),
        ("a list", "- results\n- measures\n", REFUSED),
        ("text", "hello\n", REFUSED),
        ("a file with a slash behind", RESULTS.format("t.csv/"), READ),
        ("a file through a folder and back", RESULTS.format("sub/../t.csv"), READ),
        ("a file by two slashes", RESULTS.format(f"/{folder}/t.csv"), READ),
        ("a file with a blank behind", RESULTS.format("t.csv "), REFUSED),
        ("a file with blanks in its name", RESULTS.format("t space .csv"), READ),
        ("a stream of Windows", RESULTS.format("t.csv:stream"), REFUSED),
        ("a file called CON", RESULTS.format("CON"), REFUSED),
        ("an escape of an address", RESULTS.format("t%2ecsv"), REFUSED),
        ("a list of no files", GOOD.replace('"t.csv"', "[]"), REFUSED),
        ("a file twice", GOOD.replace('"t.csv"', "[t.csv, t.csv]"), REFUSED),
        ("a list of lists of files", GOOD.replace('"t.csv"', "[[t.csv]]"), REFUSED),
        ("a file that is a mapping", GOOD.replace('"t.csv"', "{path: t.csv}"), REFUSED),
        (
            "one column in two roles",
            GOOD.replace("}", ", columns: {candidate: dataset}}", 1),
            REFUSED,
        ),
        ("a column that is a number", GOOD.replace("}", ", columns: {candidate: 1}}", 1), REFUSED),
        ("a measure twice", GOOD.replace("[{", "[{name: loss, better: smaller}, {"), REFUSED),
        ("a direction in capitals", GOOD.replace("better: smaller", "better: Smaller"), REFUSED),
        ("a measure of two lines", GOOD.replace("name: loss", 'name: "lo\\nss"'), REFUSED),
        (
            "1,000 measures",
            GOOD.replace(
                "[{", "[" + "".join(f"{{name: m{i}, better: smaller}}, " for i in range(1000)) + "{"
            ),
            REFUSED,
        ),
        (
            "an area of equivalence from large to small",
            GOOD + "analysis: {relevance: {loss: [1, -1]}}\n",
            REFUSED,
        ),
        (
            "an area of equivalence without numbers",
            GOOD + "analysis: {relevance: {loss: [.nan, .nan]}}\n",
            REFUSED,
        ),
        (
            "an area of equivalence of nobody",
            GOOD + "analysis: {relevance: {gain: [-1, 1]}}\n",
            REFUSED,
        ),
        ("a section twice", GOOD + "sections: [eda, eda]\n", REFUSED),
        ("a format twice", GOOD + "report: {formats: [md, md]}\n", READ),
        ("a theme that is a table", GOOD + "report: {theme: t.csv}\n", REFUSED),
        ("a theme that is all", GOOD + "report: {theme: /}\n", READ),
        ("claims as a mapping", GOOD + "expect: {a: b}\n", REFUSED),
        ("a claim that is a number", GOOD + "expect: [1]\n", REFUSED),
        ("a claim of two lines", GOOD + 'expect: ["a better\\nthan b"]\n', REFUSED),
        ("5,000 equal claims", GOOD + "expect: [" + "a better than b, " * 5000 + "]\n", READ),
        ("a plug-in of the system", GOOD + "plugins: [os]\n", READ),
        ("a plug-in of this program", GOOD + "plugins: [reportgen.cli]\n", REFUSED),
        ("a plug-in by a path", GOOD + "plugins: [../x]\n", REFUSED),
    ):
        yield from _check(
            folder, "manifest", note, ".yaml", text.encode("utf-8", "surrogatepass"), answer
        )
    for note, suffix, content, answer in (
        ("one zero byte", ".yaml", b"\0", REFUSED),
        ("zero bytes at its end, of a power cut", ".yaml", GOOD.encode() + bytes(4096), REFUSED),
        ("UTF-16 without a mark", ".yaml", GOOD.encode("utf-16-le"), REFUSED),
        ("UTF-7", ".yaml", (GOOD + "study: {title: +AOk-}\n").encode(), READ),
        ("EBCDIC", ".yaml", GOOD.encode("cp500"), REFUSED),
        ("gzip", ".yaml", gzip.compress(GOOD.encode()), REFUSED),
        ("a PDF", ".yaml", b"%PDF-1.7\n" + bytes(99), REFUSED),
        ("RTF", ".yaml", b"{\\rtf1\\ansi results}", REFUSED),
        ("a suffix in capitals", ".YAML", GOOD.encode(), READ),
        ("another suffix", ".yml", GOOD.encode(), READ),
    ):
        yield from _check(folder, "manifest", note, suffix, content, answer)


NUMBERS = (
    ("a minus of typesetters", "\u22120.5", READ),
    ("digits of full width", "\uff10.5", REFUSED),
    ("Arabic digits", "\u0660.\u0665", REFUSED),
    ("a fraction in one sign", "\u00bd", REFUSED),
    ("1E+5", "1E+5", READ),
    ("1d5 of Fortran", "1d5", REFUSED),
    ("a float of C", "0x1p-3", REFUSED),
    ("a point behind", "1.", READ),
    ("a point before", ".5", READ),
    ("a plus", "+.5", READ),
    ("an underscore", "1_000", REFUSED),
    ("a blank", "1 000", REFUSED),
    ("a Swiss mark", "1'000", REFUSED),
    ("a narrow blank", "1\u202f000", REFUSED),
    ("infinity as a sign", "\u221e", REFUSED),
    ("below all numbers", "1e-400", READ),
    ("the least number", "5e-324", READ),
    ("the largest number", "1.7976931348623157e308", REFUSED),
    ("beyond it", "1e309", REFUSED),
    ("a nought with a sign", "-0.0", READ),
    ("400 digits", "0." + "3" * 400, READ),
    ("a truth", "TRUE", REFUSED),
    ("a question mark", "?", READ),
    ("a dash", "\u2014", READ),
    ("text of NaN", "NaN", READ),
    ("NaN with its bits", "nan(0x1)", READ),
    ("a double quote", '"', REFUSED),
    ("a number in brackets", "(0.5)", REFUSED),
    ("a number in stars", "**0.5**", REFUSED),
    ("per mille", "5\u2030", REFUSED),
    ("a bell", "0.5\x07", REFUSED),
    ("zero-width letters", "0\u200b.5", REFUSED),
    ("a mark of order", "\ufeff0.5", REFUSED),
    ("a bound", "<0.001", REFUSED),
    ("about", "~0.5", REFUSED),
)
NAMES = (
    ("NFC and NFD", "\u00e9", "e\u0301"),
    ("width", "a", "\uff41"),
    ("case", "ab", "AB"),
    ("Cyrillic twins", "a", "\u0430"),
    ("zero-width twins", "a", "a\u200b"),
    ("soft hyphens", "ab", "a\u00adb"),
    ("emoji that are joined", "\U0001f468\u200d\U0001f469", "\U0001f468"),
    ("flags", "\U0001f1e9", "\U0001f1ea"),
    ("ligatures", "fi", "\ufb01"),
    ("letters of the mathematicians", "a", "\U0001d41a"),
    ("long s", "s", "\u017f"),
    ("the Turkish i", "i", "\u0131"),
    ("the Kelvin sign", "K", "\u212a"),
    ("names of missing values", "None", "null"),
    ("words of claims", "better", "than"),
    ("measures", "loss", "accuracy"),
    ("sums", "mean", "overall"),
    ("numbers", "1", "01"),
    ("paths", "../a", "/etc/passwd"),
    ("options", "-o", "--help"),
    ("words of TeX", "\\input{x}", "^^5c"),
    ("addresses", "javascript:x", "file:x"),
    ("tags", "<script>alert(47)</script>", "<!--"),
    ("signs of Pandoc", "[x]{.y}", "@ref"),
    ("blocks of Pandoc", "::: x", "$$x"),
    ("escapes", "\\u0041", "&lt;b&gt;"),
    ("templates", "{{ 7*7 }}", "{% if %}"),
    ("shells", "$(id)", "`id`"),
    ("shortcodes", "{{< env HOME >}}", "{{< include x >}}"),
    ("formats", "%s%n", "{0.__class__}"),
    ("raw blocks", "`x`{=html}", "\\(x\\)"),
    ("lists", "- a", "1. a"),
    ("tables", "a | b", "|---|"),
)


def tables(folder: Path) -> Tries:
    """Yield tables of odd numbers, names, letters and wrappings."""
    for note, number, answer in NUMBERS:
        text = with_cells("0.200", number, 1)
        yield from _check(folder, "table", f"a value: {note}", ".csv", text.encode(), answer)
    for note, one, other in NAMES:
        quoted = [f'"{name}"' for name in (one, other)]
        text = TEXT.replace(",a,", f",{quoted[0]},").replace(",b,", f",{quoted[1]},")
        own = folder / f"names{len(note)}{note.replace(' ', '')}"
        own.mkdir()
        (own / "r.csv").write_text(text, encoding="utf-8")
        words = ("run", str(own / "r.csv"), "--format", "html,md", "-o", str(own / "out"))
        yield Input("names", words, f"candidates: {note}"), READ
    for note, text, answer in (
        ("a quote that does not end", with_cells("d1,", '"d1,', 1), REFUSED),
        ("a quote within a name", with_cells("d1,", 'd"1,'), READ),
        ("a quote after a backslash", with_cells("d1,", '"d\\"1",'), READ),
        ("a header with a line feed", with_cells("loss", '"lo\nss"'), REFUSED),
        ("a header twice", with_cells("replication", "dataset"), REFUSED),
        ("a header in capitals", with_cells(HEAD, HEAD.upper()), READ),
        ("a header with blanks", with_cells(HEAD, HEAD.replace(",", " , ")), READ),
        (
            "5,000 columns",
            "\n".join(
                line + "," + ",".join(f"x{i}" if not k else "1" for i in range(5000))
                for k, line in enumerate(TEXT.split()[:9])
            ),
            READ,
        ),
        ("a row of 100,000 cells", TEXT + "1," * 10**5 + "\n", REFUSED),
        ("Ctrl-Z at the end, of DOS", TEXT + "\x1a", REFUSED),
        ("zero bytes at the end, of a power cut", TEXT + "\0" * 512, REFUSED),
        ("form feeds between pages", TEXT.replace("\n", "\n\x0c", 3), READ),
        ("colours of a terminal in the header", with_cells("loss", "\x1b[31mloss\x1b[0m"), REFUSED),
        ("a mark of order twice", "\ufeff\ufeff" + TEXT, READ),
        ("a mark of order between files", TEXT + "\ufeff" + TEXT, REFUSED),
        ("line separators", TEXT.replace("\n", "\u2028"), REFUSED),
        (
            "a table of Markdown",
            "\n".join("|" + x.replace(",", "|") + "|" for x in TEXT.split()),
            READ,
        ),
        (
            "a table of TeX",
            "\n".join(x.replace(",", " & ") + " \\\\" for x in TEXT.split()),
            REFUSED,
        ),
        ("a table of HTML", "<table><tr><td>1</td></tr></table>", REFUSED),
        (
            "fixed widths",
            "\n".join("".join(f"{c:<14}" for c in x.split(",")) for x in TEXT.split()),
            REFUSED,
        ),
        ("a sheet of SYLK", "ID;PWXL;N;E\nP;PGeneral\n" + TEXT, REFUSED),
        ("a sheet of XML", '<?xml version="1.0"?><Workbook/>', REFUSED),
        ("a log of git", "commit 123\nAuthor: x\n\n    text, more\n", REFUSED),
        (
            "replications that are dates",
            TEXT.replace(",0,", ",2026-01-01,").replace(",1,", ",2026-01-02,"),
            REFUSED,
        ),
        ("replications that are floats", with_cells(",0,", ",0.0,"), READ),
        ("replications that are missing", with_cells(",0,", ",,", 1), REFUSED),
        ("replications beyond all counts", with_cells(",0,", ",1e300,"), REFUSED),
        ("a replication as 1 and 01", with_cells(",0,", ",01,"), REFUSED),
        ("a candidate that is missing", with_cells(",a,", ",,", 1), REFUSED),
        (
            "values at both ends of all numbers",
            with_cells("0.2", "-1e308;"[:-1]).replace("0.3", "1e308"),
            REFUSED,
        ),
        (
            "values that are all equal",
            "\n".join(
                x if not k else x.rpartition(",")[0] + ",1" for k, x in enumerate(TEXT.split())
            ),
            READ,
        ),
        ("one row", "\n".join(TEXT.split()[:2]), READ),
        ("one candidate", "\n".join(x for x in TEXT.split() if ",b," not in x), READ),
        ("whole numbers beyond double precision", with_cells("0.2", "90071992547409931"), READ),
        ("NA for a candidate's name", with_cells(",a,", ",NA,"), READ),
    ):
        yield from _check(folder, "table", note, ".csv", text.encode(), answer)
    members = gzip.compress(TEXT[:300].encode()) + gzip.compress(TEXT[300:].encode())
    out = io.BytesIO()
    with zipfile.ZipFile(out, "w") as file:
        file.writestr("t.csv", TEXT)
    for note, suffix, content, answer in (
        ("two members of gzip", ".csv.gz", members, READ),
        ("gzip and more", ".csv.gz", gzip.compress(TEXT.encode()) + b"more", REFUSED),
        ("gzip without its end", ".csv.gz", gzip.compress(TEXT.encode())[:-9], REFUSED),
        ("gzip in gzip", ".csv.gz", gzip.compress(gzip.compress(TEXT.encode())), REFUSED),
        ("bzip2", ".csv.bz2", bz2.compress(TEXT.encode()), REFUSED),
        ("xz", ".csv.xz", lzma.compress(TEXT.encode()), REFUSED),
        ("a zip file", ".csv", out.getvalue(), REFUSED),
        ("a suffix in capitals", ".CSV", TEXT.encode(), READ),
        ("text", ".txt", TEXT.encode(), READ),
        ("no suffix", "", TEXT.encode(), REFUSED),
        ("a database", ".sqlite", b"SQLite format 3\0" + bytes(84), REFUSED),
        ("Feather", ".feather", b"ARROW1\0\0", REFUSED),
        ("HDF5", ".h5", b"\x89HDF\r\n\x1a\n", REFUSED),
        ("numbers of Matlab", ".mat", b"MATLAB 5.0 MAT-file" + bytes(100), REFUSED),
        ("a JSON called CSV", ".csv", b'[{"candidate": "a", "loss": 1}]', REFUSED),
        ("a CSV called JSON", ".json", TEXT.encode(), REFUSED),
        ("a CSV called Parquet", ".parquet", TEXT.encode(), REFUSED),
        ("a notebook as results", ".ipynb", b'{"cells": [], "nbformat": 4}', REFUSED),
    ):
        yield from _check(folder, "table", note, suffix, content, answer)


def jsons(folder: Path) -> Tries:
    """Yield JSON as other programs and languages write it."""
    records = [dict(zip(HEAD.split(","), line.split(","), strict=True)) for line in ROWS]
    good: list[dict[str, Any]] = [{**r, "loss": float(r["loss"])} for r in records]
    text = json.dumps(good)
    columns = {name: [r[name] for r in good] for name in HEAD.split(",")}
    for note, content, answer in (
        ("a comma behind", text[:-1] + ",]", REFUSED),
        ("comments", "// made by hand\n" + text, REFUSED),
        ("single quotes", text.replace('"', "'"), REFUSED),
        (
            "minus infinity",
            text.replace("0.26,", "-Infinity,").replace("0.26}", "-Infinity}"),
            REFUSED,
        ),
        ("numbers beyond all", text.replace("0.26}", "1e400}"), REFUSED),
        ("a plus", text.replace(": 0.26", ": +0.26"), REFUSED),
        ("hexadecimal", text.replace(": 0.26", ": 0x1"), REFUSED),
        ("a nought before", text.replace(": 0.26", ": 00.26"), REFUSED),
        ("halves of a character", text.replace('"d1"', '"\\ud800"'), REFUSED),
        ("a zero character", text.replace('"d1"', '"d\\u00001"'), REFUSED),
        ("a tab in text", text.replace('"d1"', '"d\t1"'), REFUSED),
        ("two documents", text + text, REFUSED),
        ("a document and more", text + " x", REFUSED),
        ("a padding against thieves", ")]}',\n" + text, REFUSED),
        ("a call", f"callback({text})", REFUSED),
        ("a number", "5", REFUSED),
        ("text", '"text"', REFUSED),
        ("nothing", "null", REFUSED),
        ("an empty list", "[]", REFUSED),
        ("lists of lists", json.dumps([list(r.values()) for r in good]), REFUSED),
        ("records with other keys each", json.dumps([{f"k{i}": 1} for i in range(50)]), REFUSED),
        ("records among which is text", json.dumps([*good, "x"]), REFUSED),
        ("records among which is nothing", json.dumps([*good, None]), REFUSED),
        ("a record that is empty", json.dumps([*good, {}]), REFUSED),
        ("keys of JavaScript", json.dumps([{**r, "__proto__": {"x": 1}} for r in good]), READ),
        ("keys in which there is nothing", json.dumps([{**r, "": 1} for r in good]), READ),
        (
            "10,000 keys in a record",
            json.dumps([{**good[0], **{f"k{i}": 1 for i in range(10**4)}}]),
            REFUSED,
        ),
        ("columns", json.dumps(columns), READ),
        (
            "columns of other lengths",
            json.dumps({**columns, "loss": columns["loss"][:-1]}),
            REFUSED,
        ),
        ("numbers as text", json.dumps([{**r, "loss": str(r["loss"])} for r in good]), READ),
        ("a loss that is a list", json.dumps([{**good[0], "loss": [1, 2]}, *good[1:]]), REFUSED),
        ("a loss that is true", json.dumps([{**good[0], "loss": True}, *good[1:]]), REFUSED),
        (
            "a name that is a number",
            json.dumps([{**r, "candidate": ord(r["candidate"])} for r in good]),
            READ,
        ),
        ("a name that is a list", json.dumps([{**r, "candidate": [1]} for r in good]), REFUSED),
        ("900 lists within another", "[" * 900 + "]" * 900, REFUSED),
        ("900 records within another", '{"a":' * 900 + "1" + "}" * 900, REFUSED),
        ("a number of 10,000 digits", text.replace(": 0.26", ": " + "9" * 10**4), REFUSED),
        ("lines, one of which is empty", "\n\n".join(map(json.dumps, good)), REFUSED),
    ):
        yield from _check(
            folder, "JSON", note, ".json", content.encode("utf-8", "surrogatepass"), answer
        )
    yield from _check(folder, "JSON", "UTF-16", ".json", text.encode("utf-16"), REFUSED)
    lines = "\n".join(map(json.dumps, good))
    yield from _check(
        folder, "JSON", "lines cut in the last one", ".jsonl", lines[:-9].encode(), REFUSED
    )
    yield from _check(
        folder, "JSON", "lines of Windows", ".jsonl", lines.replace("\n", "\r\n").encode(), READ
    )


def _rewritten(
    bundle: bytes,
    change: Callable[[dict[str, bytes]], None] = lambda _: None,
    sums: Callable[[str], str] = lambda text: text,
    about: Callable[[zipfile.ZipInfo], None] = lambda _: None,
) -> bytes:
    """Return a bundle with other members, whose digests are right, and other digests or headers."""
    with zipfile.ZipFile(io.BytesIO(bundle)) as old:
        files = {name: old.read(name) for name in old.namelist() if name != SUMS}
    change(files)
    listing = "".join(f"{sha256(x).hexdigest()}  {n}\n" for n, x in sorted(files.items()))
    out = io.BytesIO()
    with zipfile.ZipFile(out, "w") as new:
        for name, content in {SUMS: sums(listing).encode(), **files}.items():
            entry = zipfile.ZipInfo(name, (1980, 1, 1, 0, 0, 0))
            about(entry)
            new.writestr(entry, content)
    return out.getvalue()


def bundles(folder: Path) -> Tries:
    """Yield bundles with odd headers, digests and members."""
    good = (folder / "good.zip").read_bytes()

    def setting(**values: Any) -> Callable[[zipfile.ZipInfo], None]:
        def change(entry: zipfile.ZipInfo) -> None:
            for name, value in values.items():
                setattr(entry, name, value)

        return change

    def adding(name: str, content: bytes = b"x") -> Callable[[dict[str, bytes]], None]:
        return lambda files: files.update({name: content})

    def without(name: str) -> Callable[[dict[str, bytes]], None]:
        return lambda files: files.pop(next(n for n in files if n.endswith(name))) and None

    def twice(text: str) -> str:
        return "".join(f"{'0' * 64}  {x.partition('  ')[2]}\n" for x in text.splitlines()) + text

    central, local = good.replace(b"PK\1\2", b"PK\1\3"), good.replace(b"PK\3\4", b"PK\3\5", 1)
    name = b"results.json"
    for note, content, answer in (
        ("packed anew, all right", _rewritten(good), READ),
        ("packed by LZMA", _rewritten(good, about=setting(compress_type=zipfile.ZIP_LZMA)), READ),
        ("packed by bzip2", _rewritten(good, about=setting(compress_type=zipfile.ZIP_BZIP2)), READ),
        (
            "of the year 2107",
            _rewritten(good, about=setting(date_time=(2107, 12, 31, 23, 59, 58))),
            READ,
        ),
        (
            "of a month that is none",
            _rewritten(good, about=setting(date_time=(1980, 0, 0, 0, 0, 0))),
            READ,
        ),
        ("of DOS", _rewritten(good, about=setting(create_system=0, external_attr=0x20)), READ),
        (
            "with rights of others",
            _rewritten(good, about=setting(external_attr=0o104777 << 16)),
            READ,
        ),
        ("with no rights", _rewritten(good, about=setting(external_attr=0o100000 << 16)), READ),
        (
            "that are devices",
            _rewritten(good, about=setting(external_attr=0o060666 << 16)),
            REFUSED,
        ),
        (
            "with odd extra fields",
            _rewritten(good, about=setting(extra=b"\x99\x99\x02\x00ab")),
            READ,
        ),
        (
            "with extra fields that are cut",
            _rewritten(good, about=setting(extra=b"\x01\x00\xff\xff")),
            REFUSED,
        ),
        (
            "with a name in an extra field",
            _rewritten(good, about=setting(extra=struct.pack("<HHBL", 0x7075, 9, 1, 0) + b"evil")),
            READ,
        ),
        ("with comments of members", _rewritten(good, about=setting(comment=b"<script>")), READ),
        ("without its list of contents", central, REFUSED),
        ("with a head that is none", local, REFUSED),
        ("whose two names differ", good.replace(name, b"results.jsox", 1), REFUSED),
        (
            "with lines of Windows in its digests",
            _rewritten(good, sums=lambda x: x.replace("\n", "\r\n")),
            READ,
        ),
        ("with digests in capitals", _rewritten(good, sums=lambda x: x.upper()), REFUSED),
        ("with digests of bytes", _rewritten(good, sums=lambda x: x.replace("  ", " *")), REFUSED),
        ("with digests, a comment above", _rewritten(good, sums=lambda x: "# sums\n" + x), REFUSED),
        ("with a wrong digest before each", _rewritten(good, sums=twice), REFUSED),
        ("with no last line feed in its digests", _rewritten(good, sums=str.rstrip), READ),
        ("with no digests in their file", _rewritten(good, sums=lambda _: ""), REFUSED),
        (
            "with digests of another kind",
            _rewritten(good, sums=lambda x: x.replace("  ", "aa  ")),
            REFUSED,
        ),
        (
            "with digests of nothing more",
            _rewritten(good, sums=lambda x: x + f"{'0' * 64}  gone\n"),
            REFUSED,
        ),
        ("without a manifest", _rewritten(good, without(".parquet")), REFUSED),
        ("without results.json", _rewritten(good, without("results.json")), REFUSED),
        ("without provenance", _rewritten(good, without("provenance.json")), REFUSED),
        ("with a script", _rewritten(good, adding("setup.py", b"open('canary', 'w')")), READ),
        (
            "with tests of Python",
            _rewritten(good, adding("conftest.py", b"open('canary', 'w')")),
            READ,
        ),
        (
            "with a repository",
            _rewritten(good, adding(".git/config", b"[core]\nfsmonitor=touch canary")),
            READ,
        ),
        ("with bytecode", _rewritten(good, adding("__pycache__/x.pyc")), READ),
        ("with digests in small letters", _rewritten(good, adding("sha256sums")), REFUSED),
        (
            "with a name in two forms",
            _rewritten(good, lambda f: f.update({"\u00e9": b"", "e\u0301": b""})),
            REFUSED,
        ),
        (
            "with a folder and a file of a name",
            _rewritten(good, lambda f: f.update({"x": b"", "x/y": b""})),
            REFUSED,
        ),
        ("with an empty folder", _rewritten(good, adding("empty/", b"")), REFUSED),
        (
            "with 2,000 further files",
            _rewritten(good, lambda f: f.update({f"f{i}": b"" for i in range(2000)})),
            READ,
        ),
        ("nothing but its end", b"PK\5\6" + bytes(18), REFUSED),
        ("a tar file", b"x" * 257 + b"ustar" + bytes(250), REFUSED),
        ("cut in the middle", good[: len(good) // 2], REFUSED),
    ):
        yield from _check(folder, "bundle", note, ".zip", content, answer, "verify")


CLAIMS = (
    ("blanks that do not break", "a\u00a0better\u00a0than\u00a0b", REFUSED),
    ("two lines", "a better\nthan b", REFUSED),
    ("a Cyrillic candidate", "\u0430 better than b", REFUSED),
    ("quotes of typesetters", "\u201ca\u201d better than b", REFUSED),
    ("capitals", "A BETTER THAN B", REFUSED),
    ("oneself", "a better than a", REFUSED),
    ("digits of full width", "a not worse than b by \uff11", READ),
    ("a comma", "a not worse than b by 0,5", REFUSED),
    ("infinity", "a not worse than b by inf", REFUSED),
    ("nothing", "a not worse than b by 0", READ),
    ("less than nothing", "a not worse than b by -0.1", REFUSED),
    ("below all", "a not worse than b by 1e-400", READ),
    ("hexadecimal", "a not worse than b by 0x1", REFUSED),
    ("200 per cent", "a not worse than b by 200%", REFUSED),
    ("an unknown data set", "a better than b on d9", REFUSED),
    ("words behind", "a better than b today", REFUSED),
    ("a million letters", "a better than b" + " x" * 500_000, REFUSED),
    ("brackets", "(" * 9999 + "a" + ")" * 9999, REFUSED),
    ("a standard input", "@-", REFUSED),
    ("no file", "@", REFUSED),
    ("a folder", "@output", REFUSED),
    ("a table as claims", "@good.csv", REFUSED),
    ("a home", "@~/x", REFUSED),
    ("a file in a file", "@@x", REFUSED),
    ("an end of text", "a better than b\x04", REFUSED),
    ("a comment", "# a better than b", REFUSED),
    ("SQL", "a better than b; DROP TABLE x", REFUSED),
    ("a pattern", "a better than *", REFUSED),
)


def expectations(_: Path) -> Tries:
    """Yield claims in other letters."""
    for note, claim, answer in CLAIMS:
        yield Input("expectation", ("gate", "good.csv", "--expect", claim), note), answer


def histories(folder: Path) -> Tries:
    """Yield dates and files of histories."""
    add = ("history", "add", "output/good", "-o")
    for note, date, answer in (
        ("the last day", "9999-12-31", READ),
        ("the first day", "0001-01-01", READ),
        ("a day that is none", "2026-02-29", REFUSED),
        ("an hour that is none in Berlin", "2026-03-29T02:30", READ),
        ("a zone", "2026-03-01T02:30+14:00", READ),
        ("a zone beyond all", "2026-03-01T02:30+99:00", REFUSED),
        ("a week", "2026-W01-1", READ),
        ("seconds since 1970", "1767225600", REFUSED),
        ("digits of full width", "\uff12\uff10\uff12\uff16-01-01", REFUSED),
        ("a leap second", "2026-06-30T23:59:60", REFUSED),
        ("a date of Germany", "01.02.2026", REFUSED),
        ("a date of America", "02/01/2026", REFUSED),
        ("nothing", "", REFUSED),
    ):
        words = (*add, f"h{len(note)}{len(date)}.parquet", "--date", date)
        yield Input("history", words, note), answer
    subprocess.run(
        [sys.executable, "-m", "reportgen", *add, "h.parquet"],
        cwd=folder,
        check=True,
        capture_output=True,
    )
    import pyarrow as pa
    import pyarrow.parquet as pq

    table = pq.read_table(folder / "h.parquet")
    n = table.num_rows
    some = table.column_names[0]
    for note, changed, answer in (
        ("a column more", table.append_column("x", pa.array([1] * n)), READ),
        ("a column less", table.drop_columns([some]), REFUSED),
        ("rows twice", pa.concat_tables([table, table]), REFUSED),
        ("no rows", table.slice(0, 0), REFUSED),
        ("no descriptions", table.replace_schema_metadata({}), READ),
        ("a column of nothing", table.set_column(0, some, pa.nulls(n)), REFUSED),
        ("a column of numbers", table.set_column(0, some, pa.array(range(n))), READ),
        ("columns in another order", table.select(table.column_names[::-1]), READ),
    ):
        place = f"hh{note.replace(' ', '')}.parquet"
        pq.write_table(changed, folder / place)
        yield Input("history", ("history", "report", place, "-o", f"{place}.out"), note), answer
    (folder / "hcut.parquet").write_bytes((folder / "h.parquet").read_bytes()[:-5])
    yield Input("history", (*add, "hcut.parquet"), "added to a file that is cut"), REFUSED
    yield Input("history", (*add, "good.csv"), "added to a table"), REFUSED
    yield Input("history", (*add, "output"), "added to a folder"), REFUSED
    yield Input("history", (*add, "/dev/null"), "added to nothing"), REFUSED


def journals(folder: Path) -> Tries:
    """Yield journals that a power cut, an editor or another program has changed."""
    (folder / "j.yaml").write_text(MANIFEST.partition("expect:")[0])
    run = [sys.executable, "-m", "reportgen", "execute", "j.yaml", "--jobs", "1", "-o", "jj"]
    subprocess.run(run, cwd=folder, check=True, capture_output=True)
    place = next(p for p in (folder / "jj").rglob("journal*") if p.is_file())
    good = place.read_bytes()
    lines = good.splitlines(keepends=True)
    for i, (note, content, answer) in enumerate(
        (
            ("zero bytes at its end", good + bytes(4096), READ),
            ("zero bytes in the middle", good[:200] + bytes(512) + good[712:], READ),
            ("each line twice", b"".join(x * 2 for x in lines), READ),
            ("lines backwards", lines[0] + b"".join(lines[:0:-1]), READ),
            ("without its first line", b"".join(lines[1:]), READ),
            ("lines of Windows", good.replace(b"\n", b"\r\n"), READ),
            ("a byte order mark", b"\xef\xbb\xbf" + good, READ),
            ("another program's text", b"hello\nworld\n", READ),
            ("gzip", gzip.compress(good), READ),
            ("a line of a megabyte", good + b'{"x": "' + b"y" * 10**6 + b'"}\n', READ),
            ("100,000 brackets", good + b"[" * 10**5 + b"\n", READ),
            (
                "numbers that are text",
                good.replace(b": 0.", b': "0.').replace(b",", b'",', 1),
                READ,
            ),
            ("a state that nobody knows", good.replace(b'"ok"', b'"fine"'), READ),
            ("infinite seconds", good.replace(b": 0.0", b": 1e999", 3), READ),
            ("nothing", b"", READ),
        )
    ):
        own = folder / f"jo{i}"
        shutil.copytree(folder / "jj", own)
        own.joinpath(place.relative_to(folder / "jj")).write_bytes(content)
        yield Input("journal", ("execute", "j.yaml", "--jobs", "1", "-o", own.name), note), answer


OBJECTS = (
    ("a table that contains itself", "[x for x in [[]] if x.append(x) is None]"),
    ("a generator without an end", "iter(int, 1)"),
    ("a number that is no number", "Decimal('sNaN')"),
    ("an object that cannot be shown", "type('X', (), {'__repr__': lambda s: 1 / 0})()"),
    ("an object that cannot be compared", "type('X', (), {'__eq__': lambda s, o: 1 / 0})()"),
    ("a text of its own kind", "type('S', (str,), {'__str__': lambda s: '<b>'})('a')"),
    ("a number of its own kind", "type('I', (int,), {'__index__': lambda s: 1 / 0})(3)"),
    ("an array that cannot be made", "type('A', (), {'__array__': lambda s, *a, **k: 1 / 0})()"),
    ("a mapping without an end", "type('M', (dict,), {'__len__': lambda s: 10**9})()"),
    ("columns twice", "pd.DataFrame([[1, 2]], columns=['a', 'a'])"),
    ("columns of two levels", "pd.DataFrame({('a', 'b'): [1.0]})"),
    ("lists in cells", "pd.DataFrame({'candidate': [[1], [2]], 'loss': [1.0, 2.0]})"),
    ("intervals", "pd.DataFrame({'candidate': pd.interval_range(0, 3), 'loss': [1.0, 2, 3]})"),
    ("fractions", "{'a': [Fraction(1, 3)] * 5, 'b': [Fraction(1, 2)] * 5}"),
    ("numbers of 80 bits", "{'a': np.ones(5, np.longdouble), 'b': np.zeros(5)}"),
    ("numbers of two bytes", "{'a': np.linspace(0, 1, 9, dtype=np.float16), 'b': np.arange(9.0)}"),
    ("complex numbers", "{'a': [1j] * 5, 'b': [2j] * 5}"),
    ("an array of no dimension", "np.array(1.0)"),
    ("an array of records", "np.zeros(5, [('a', float), ('b', float)])"),
    ("a masked array", "{'a': np.ma.masked_all(5), 'b': np.ones(5)}"),
    ("an array of three dimensions", "np.zeros((2, 3, 4))"),
    ("bytes as names", "{b'a': [1.0] * 5, b'b': [2.0] * 5}"),
    ("numbers as names", "{1: [1.0, 2, 3], 2: [2.0, 3, 5]}"),
    ("truths as names", "{True: [1.0] * 5, False: [2.0] * 5}"),
    ("names that are tuples", "{('a', 1): [1.0, 2, 3], ('b', 1): [2.0, 3, 5]}"),
    ("a date for a value", "{'a': [pd.Timestamp(0)] * 5, 'b': [1.0] * 5}"),
    ("a function", "len"),
    ("a class", "dict"),
    ("a module", "np"),
    ("a type of numbers", "float"),
    ("nothing in a list", "[None]"),
    ("an ellipsis", "..."),
    ("a path that is none", "Path('x\\0y')"),
    ("a very long text", "'x,y\\n' * 10**5"),
    ("an address", "'http://[::1'"),
)


def objects(folder: Path) -> Tries:
    """Yield objects that people give to `compare`, and that break their promises."""
    read = {
        *("numbers of 80 bits", "numbers of two bytes", "numbers as names", "fractions"),
        *("lists in cells", "a masked array", "an array of three dimensions"),
        *("an array of records", "bytes as names", "truths as names"),
    }
    more = "from decimal import Decimal; from fractions import Fraction; from pathlib import Path"
    (folder / "more.py").write_text(more)
    for note, text in OBJECTS:
        names = "(lambda Decimal, Fraction, Path: rg.compare({}, measure='loss', better='smaller'))"
        made = "__import__('decimal').Decimal, __import__('fractions').Fraction, "
        code = f"{names.format(text)}({made}__import__('pathlib').Path)"
        yield Input("Python", ("python", code), note), READ if note in read else REFUSED


def command_lines(folder: Path) -> Tries:
    """Yield words of the command line."""
    run = ("run", "good.csv", "--format", "md")
    for note, words, answer in (
        ("an empty word", ("",), REFUSED),
        ("a verb in capitals", ("RUN", "good.csv"), REFUSED),
        ("a verb cut short", ("ru", "good.csv"), REFUSED),
        ("a dash", ("run", "-"), REFUSED),
        ("two dashes alone", ("--",), REFUSED),
        ("a file of words", ("@good.csv",), REFUSED),
        ("a name that is not UTF-8", ("check", "\udcff.csv"), REFUSED),
        ("Arabic digits", (*run, "--jobs", "\u0663"), READ),
        ("jobs as a float", (*run, "--jobs", "1.0"), REFUSED),
        ("a format in capitals", ("run", "good.csv", "--format", "MD"), REFUSED),
        ("formats with a blank", ("run", "good.csv", "--format", "md, json"), READ),
        ("output to a dash", (*run, "-o", "-"), READ),
        ("output to nothing", (*run, "-o", ""), READ),
        ("output to a device", (*run, "-o", "/dev/null"), REFUSED),
        ("output above", (*run, "-o", "output/.."), READ),
        ("output into a name of 300 letters", (*run, "-o", "x" * 300), REFUSED),
        ("output into 2 lines", (*run, "-o", "a\nb"), READ),
        ("output below the table", (*run, "-o", "good.csv/x"), REFUSED),
        ("quiet and verbose", (*run, "-q", "-v", "-o", "qv"), READ),
        ("an option twice", (*run, "--jobs", "1", "--jobs", "1", "-o", "tw"), READ),
        ("a table of another suffix", ("check", "good.csv.txt"), REFUSED),
        ("5,000 words", ("check", *["x"] * 5000), REFUSED),
        ("a setting of a class", (*run, "--set", "__class__=1"), REFUSED),
        ("a setting in 2,000 parts", (*run, "--set", "a." * 2000 + "b=1"), REFUSED),
        ("a setting of a list's place", (*run, "--set", "measures.0.better=larger"), REFUSED),
        ("a setting that is a tag", (*run, "--set", "seed=!!python/name:os.system"), REFUSED),
        ("a setting with a line feed", (*run, "--set", "seed=1\nexpect: [x]"), REFUSED),
        ("a report of a table", ("report", "good.csv", "--format", "md", "-o", "rt"), REFUSED),
        ("verify of a table", ("verify", "good.csv"), READ),
        ("verify of a folder of runs", ("verify", "output"), REFUSED),
        ("a bundle of a bundle", ("bundle", "good.zip", "-o", "b.zip"), READ),
        ("a bundle into a run", ("bundle", "output/good", "-o", "output/good/b.zip"), READ),
        ("a bundle of another suffix", ("bundle", "output/good", "-o", "b.tar"), REFUSED),
        ("a study of itself", ("init", "output/good", "--from", "good.csv"), READ),
        ("an example that is a path", ("init", "x", "--example", "../quickstart"), REFUSED),
        ("a difference of nothing", ("diff", "output/good", "output/good"), READ),
        (
            "an export to a file",
            ("export", "output/good", "--format", "csv", "--to", "good.csv"),
            REFUSED,
        ),
        ("a site into itself", ("site", "output", "-o", "output"), REFUSED),
        ("a plan of nothing", ("plan", "output/good", "--detect", "0"), REFUSED),
    ):
        yield Input("command line", words, note), answer


def _check(
    folder: Path,
    door: str,
    note: str,
    suffix: str,
    content: bytes,
    answer: str,
    verb: str = "check",
) -> Tries:
    """Write a file, and yield its input."""
    name = f"{door}{sha256(note.encode()).hexdigest()[:9]}{suffix}"
    (folder / name).write_bytes(content)
    yield Input(door, (verb, name), note), answer


def tries(folder: Path) -> Tries:
    """Yield all inputs and their answers."""
    for make in (
        *(manifests, tables, jsons, bundles, expectations, histories, journals, objects),
        command_lines,
    ):
        yield from make(folder)


if __name__ == "__main__":
    print_table(tries)
