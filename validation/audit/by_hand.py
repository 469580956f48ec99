"""Inputs by hand of somebody who has not written the program: what becomes of each.

    python validation/audit/by_hand.py [one of how many]

Words of the command line are in `by_hand.txt`, a line each, behind their answer. Files are made
here, from good ones. Every input has its answer, as in `found_outside.py`, whose table it prints.
"""

from __future__ import annotations

import gzip
import io
import json
import os
import pickle
import shlex
import shutil
import struct
import zipfile
import zlib
from collections.abc import Callable, Iterator
from pathlib import Path

from found_outside import READ, REFUSED, print_table
from study import MANIFEST, SUMS, Input, good_rows

Tries = Iterator[tuple[Input, str]]
HEAD, *ROWS = [",".join(row) for row in good_rows()]
TABLE = "\n".join((HEAD, *ROWS)) + "\n"
GOOD = "results: {file: good.csv}\n"
SETUP = MANIFEST.replace("expect: [lda better than tree]\n", "")
ANSWERS = {"refused": REFUSED, "accepted": READ}


def _write(path: Path, content: str | bytes) -> None:
    path.write_bytes(content if isinstance(content, bytes) else content.encode())


def words() -> Tries:
    """Yield what is said in words, by door."""
    door = ""
    for line in Path(__file__).with_suffix(".txt").read_text("utf-8").splitlines():
        if line.startswith("# "):
            door = line[2:]
        else:
            answer, *said = shlex.split(line)
            yield Input(door, tuple(said), line), ANSWERS[answer]


def odd_words() -> Tries:
    """Yield words that are very long, or that no file of lines has."""
    for key in ("analysis.reference", "report.quarto.format", "analysis.plan.power"):
        value = f"{key}='\u202e'"
        yield Input("--set", ("check", "results.yaml", "--set", value), key), REFUSED
    yield (
        Input("--set", ("check", "setup.yaml", "--set", "execution.keep='\u202e'"), "keep"),
        REFUSED,
    )
    for claim, answer in (
        ("a bet\u200bter than b", REFUSED),
        ("\u202ea better than b", REFUSED),
        ("a\tbetter\tthan\tb", REFUSED),
        ("a not worse than b by 0." + "1" * 5000, READ),
    ):
        yield Input("claim", ("gate", "good.csv", "--expect", claim), claim[:40]), answer
    hundred = ("--expect", "a better than b") * 100
    yield Input("claim", ("gate", "good.csv", *hundred), "100 claims"), READ
    for said in (
        *(("init", "y" * 5000), ("check", "\udc80.yaml"), ("check", "x" * 10**5)),
        *(("check", "\x1b[31mred.yaml"), ("check", "a\r\n::error::x.yaml")),
    ):
        yield Input("command line", said, said[1][:40]), REFUSED


def manifests(folder: Path) -> Tries:
    """Yield manifests of keys that contradict one another, odd files, names and limits."""
    texts = [
        (note, GOOD + text + "\n", answer)
        for note, text, answer in (
            ("reference that is no candidate", "analysis: {reference: zzz}", REFUSED),
            (
                "comparisons reference without a reference",
                "analysis: {comparisons: reference}",
                REFUSED,
            ),
            ("relevance of unknown measure", "analysis: {relevance: {zzz: 0.1}}", REFUSED),
            ("relevance upside down", "analysis: {relevance: {accuracy: [0.1, -0.1]}}", REFUSED),
            ("relevance not around 0", "analysis: {relevance: {accuracy: [0.1, 0.2]}}", REFUSED),
            ("relevance of nothing", "analysis: {relevance: {accuracy: 0}}", REFUSED),
            ("alpha 1e-10", "analysis: {alpha: 1e-10}", READ),
            ("alpha .999999", "analysis: {alpha: 0.999999}", READ),
            ("section twice", "sections: [eda, eda]", REFUSED),
            ("section with option of another", "sections: [{eda: {scheme: x}}]", REFUSED),
            ("section needs another design", "sections: [battles]", READ),
            ("sections empty", "sections: []", REFUSED),
            ("section of capitals", "sections: [EDA]", REFUSED),
            ("expectation of missing measure", "expect: ['a better than b in cost']", REFUSED),
            ("expect is one text", "expect: a better than b", REFUSED),
            ("measure with both sides", "measures: [{name: accuracy, better: both}]", REFUSED),
            (
                "measure twice, other side",
                "measures: [{name: accuracy, better: larger}, {name: accuracy, better: smaller}]",
                REFUSED,
            ),
            ("measure not in file", "measures: [speed]", REFUSED),
            (
                "known measure with other direction",
                "measures: [{name: accuracy, better: smaller}]",
                READ,
            ),
            (
                "bounds that data break",
                "measures: [{name: accuracy, better: larger, bounds: [0.9, 1]}]",
                REFUSED,
            ),
            (
                "bounds reversed",
                "measures: [{name: accuracy, better: larger, bounds: [1, 0]}]",
                REFUSED,
            ),
            (
                "bounds nan",
                "measures: [{name: accuracy, better: larger, bounds: [.nan, 1]}]",
                REFUSED,
            ),
            ("BOM in the middle", "\ufeffseed: 1", REFUSED),
            ("seed as text", "seed: '12'", REFUSED),
            ("seed float", "seed: 1.0", REFUSED),
            ("seed 2^64", "seed: 18446744073709551616", READ),
            ("seed 2^200", f"seed: {2**200}\n", READ),
            ("study name with slash", "study: {name: a/b}", REFUSED),
            ("study name ..", "study: {name: ..}", REFUSED),
            ("study name CON", "study: {name: CON}", REFUSED),
            ("study name with newline", 'study: {name: "a\\nb"}', REFUSED),
            ("theme outside", "report: {theme: ../../etc}", REFUSED),
            ("theme file", "report: {theme: good.csv}", REFUSED),
            ("logo csv", "report: {logo: good.csv}", REFUSED),
            ("logo pipe", "report: {logo: pipe.svg}", REFUSED),
            ("logo png claims 10^9 px", "report: {logo: big.png}", REFUSED),
            ("logo png truncated", "report: {logo: cut.png}", REFUSED),
            ("logo svg empty", "report: {logo: empty.svg}", REFUSED),
            ("logo svg gz", "report: {logo: z.svg}", REFUSED),
            ("fonts unknown", "report: {paper: {fonts: {serif: 'No Such Font'}}}", REFUSED),
            ("fonts path", "report: {paper: {fonts: {serif: '../x.ttf'}}}", REFUSED),
            ("paper negative columns", "report: {paper: {columns: -1}}", REFUSED),
            ("latex width 0", "report: {latex: {width: 0}}", REFUSED),
            ("formats twice", "report: {formats: [md, md]}", READ),
            ("formats none", "report: {formats: []}", REFUSED),
            ("plan in analysis w/o detect", "analysis: {plan: {}}", REFUSED),
            ("costs unknown", "analysis: {costs: [zz]}", REFUSED),
            ("missing_by_design unknown", "analysis: {missing_by_design: {zz: [d]}}", REFUSED),
            ("YAML 1.1 octal seed", "seed: 010", READ),
        )
    ]
    texts += [
        (note, f"results: {{file: {name}}}\n", answer)
        for note, name, answer in (
            ("file is a glob", "'*.csv'", REFUSED),
            ("file with ~", "'~/good.csv'", REFUSED),
            ("file with $HOME", "'$HOME/good.csv'", REFUSED),
            ("file url", "'file://localhost/etc/passwd'", REFUSED),
            ("file s3", "'s3://bucket/x.csv'", REFUSED),
            ("file /proc/self/mem", "/proc/self/mem", REFUSED),
            ("file /proc/self/environ", "/proc/self/environ", REFUSED),
            ("file /dev/stdin", "/dev/stdin", REFUSED),
            ("file /dev/tty", "/dev/tty", REFUSED),
        )
    ]
    texts += [
        (note, SETUP + text + "\n", answer)
        for note, text, answer in (
            ("timeout 0", "execution: {timeout: 0}", REFUSED),
            ("timeout 1e-9", "execution: {timeout: 1e-9}", REFUSED),
            ("timeout nan", "execution: {timeout: .nan}", REFUSED),
            ("timeout 1e300", "execution: {timeout: 1e300}", REFUSED),
            ("memory 1 byte", "execution: {memory: 1}", REFUSED),
            ("memory 1EB", "execution: {memory: 1EB}", REFUSED),
            ("max_failures 101%", "execution: {max_failures: 101%}", REFUSED),
            ("max_failures -1", "execution: {max_failures: -1}", REFUSED),
            ("jobs 10^6", "execution: {jobs: 1000000}", READ),
            ("keep unknown", "execution: {keep: [everything]}", REFUSED),
        )
    ]
    texts += [
        (note, SETUP.replace(old, new), answer)
        for note, old, new, answer in (
            ("candidate twice", "[lda, {name: tree, estimator: rpart}]", "[lda, lda]", REFUSED),
            (
                "candidate names case twins",
                "{name: tree, estimator: rpart}",
                "{name: LDA, estimator: rpart}",
                READ,
            ),
            (
                "candidate parameter unknown",
                "estimator: rpart}",
                "estimator: rpart, options: {zz: 1}}",
                REFUSED,
            ),
            (
                "candidate parameter of other kind",
                "estimator: rpart}",
                "estimator: rpart, options: {max_depth: deep}}",
                REFUSED,
            ),
            (
                "candidate estimator import path no leave",
                "estimator: rpart}",
                "estimator: 'os:system'}",
                REFUSED,
            ),
            (
                "candidate estimator dotted dunder",
                "estimator: rpart}",
                "estimator: sklearn.tree.__builtins__}",
                REFUSED,
            ),
            (
                "command candidate no leave",
                "estimator: rpart}",
                "command: [touch, canary]}",
                REFUSED,
            ),
            ("0 replications", "replications: 5", "replications: 0", REFUSED),
            ("1 replication", "replications: 5", "replications: 1", READ),
            ("10^12 replications", "replications: 5", "replications: 1000000000000", REFUSED),
            ("10^7 replications", "replications: 5", "replications: 10000000", REFUSED),
            (
                "cv folds 1",
                "scheme: bootstrap, replications: 5",
                "scheme: cross-validation, folds: 1",
                REFUSED,
            ),
            (
                "cv folds more than n",
                "scheme: bootstrap, replications: 5",
                "scheme: cross-validation, folds: 100000",
                REFUSED,
            ),
            (
                "data set that is a folder",
                "[monks3]",
                "[{name: l, file: output, target: y}]",
                REFUSED,
            ),
            (
                "data set with no target",
                "[monks3]",
                "[{name: l, file: learn.csv, target: zz}]",
                REFUSED,
            ),
            (
                "data set constant target",
                "[monks3]",
                "[{name: l, file: learn1.csv, target: y}]",
                REFUSED,
            ),
            (
                "data set target unique text",
                "[monks3]",
                "[{name: l, file: learnu.csv, target: y}]",
                REFUSED,
            ),
        )
    ]
    texts += [
        ("expect 5000 claims", GOOD + "expect:\n" + "- a better than b\n" * 5000, READ),
        ("file is a list of twins", "results: {file: [good.csv, good.csv]}\n", REFUSED),
        ("file of YAML", "results: {file: setup.yaml}\n", REFUSED),
        (
            "columns that point to one",
            "results: {file: good.csv, columns: {dataset: candidate, candidate: candidate}}\n",
            READ,
        ),
        ("columns unknown", "results: {file: good.csv, columns: {dataset: zz}}\n", REFUSED),
        ("families column unknown", "results: {file: good.csv, families: zz}\n", REFUSED),
        ("unit unknown", "results: {file: good.csv, unit: banana}\n", REFUSED),
        (
            "unit comparison without columns",
            "results: {file: good.csv, unit: comparison}\n",
            REFUSED,
        ),
        ("n of unknown data set", "results: {file: good.csv, n: {zz: 100}}\n", REFUSED),
        ("n negative", "results: {file: good.csv, n: {d: -3}}\n", REFUSED),
        ("n 1", "results: {file: good.csv, n: {d: 1}}\n", READ),
        (
            "scheme and n contradict",
            "results: {file: good.csv, n: {d: 3}, resampling: {scheme: cv, folds: 10}}\n",
            REFUSED,
        ),
        (
            "replication crossed of one column",
            "results: {file: good.csv, replication: {a: replication, b: replication}}\n",
            REFUSED,
        ),
        ("replication of measure", "results: {file: good.csv, replication: {a: value}}\n", REFUSED),
        ("merge key", "a: &a {file: good.csv}\nresults: {<<: *a}\n", REFUSED),
        ("two documents", GOOD + "---\n" + GOOD, REFUSED),
        ("tab indentation", "results:\n\tfile: good.csv\n", REFUSED),
        ("NEL line breaks", GOOD.replace("\n", "\x85") + "seed: 1\n", REFUSED),
        ("title of 1 MB", GOOD + "study: {title: '" + "x" * 10**6 + "'}\n", READ),
        ("authors 10000", GOOD + "study: {authors: [" + ",".join(["A"] * 10000) + "]}\n", READ),
        ("setup and results", MANIFEST + GOOD, REFUSED),
        ("deep anchors of lists", "x: &x [1]\n" + GOOD + "expect: [*x]\n", REFUSED),
        ("key of NUL escape", '"\\0": 1\n' + GOOD, REFUSED),
        ("YAML directive", "%YAML 9.9\n---\n" + GOOD, REFUSED),
        ("manifest with CR only", GOOD.replace("\n", "\r"), READ),
        ("50 MB", GOOD + "# " + "x" * 50_000_000 + "\n", REFUSED),
        ("logo svg of 50 MB", GOOD + "report: {logo: fat.svg}\n", REFUSED),
    ]
    for i, (note, text, answer) in enumerate(texts):
        (folder / f"m{i}.yaml").write_text(text, encoding="utf-8")
        yield Input("manifest", ("check", f"m{i}.yaml"), note), answer
    (folder / "foot.yaml").write_text(
        GOOD + "report: {footer: '<script>alert(1)</script>', formats: [html]}\n"
    )
    yield Input("manifest", ("run", "foot.yaml", "-o", "foot"), "markup in a footer"), READ
    (folder / "jobs.yaml").write_text(SETUP + "execution: {jobs: 1000000}\n")
    yield Input("manifest", ("execute", "jobs.yaml", "-o", "jobs"), "a million jobs"), READ


def tables(folder: Path) -> Tries:
    """Yield tables of conflicts, wrappings, and other formats under their names."""
    run = folder / "output" / "good"
    lines = (HEAD, *ROWS)
    halves = [row.rsplit(",", 1) for row in ROWS]
    texts = [
        ("row twice with another value", TABLE + "d,1,a,accuracy,0.9\n", REFUSED),
        ("row twice with the same value", TABLE + ROWS[0] + "\n", REFUSED),
        ("one cell of 10 MB", TABLE + "d,13," + "a" * 10**7 + ",accuracy,0.5\n", REFUSED),
        (
            "50,000 columns, 1 row",
            ",".join(f"c{i}" for i in range(50000))
            + "\n"
            + ",".join("1" for _ in range(50000))
            + "\n",
            REFUSED,
        ),
        (
            "20,000 candidates",
            "dataset,replication,candidate,measure,value\n"
            + "".join(f"d,{r},c{k},accuracy,.{k % 9}{r}\n" for k in range(20000) for r in (1, 2)),
            REFUSED,
        ),
        ("value column of percents", TABLE.replace("0.5", "50%"), REFUSED),
        ("values with thousands", TABLE.replace("0.5", '"1,000.5' + '"'), REFUSED),
        ("values of currency", TABLE.replace(",0.5", ",€0.5"), REFUSED),
        ("value in French blanks", TABLE.replace(",0.5", ",1 000.5"), REFUSED),
        ("minus U+2212", TABLE.replace(",0.5", ",−0.5"), REFUSED),
        ("headers doubled", TABLE.replace("dataset,", "dataset,dataset,", 1), REFUSED),
        ("headers only", HEAD + "\n", REFUSED),
        ("header and blank lines", HEAD + "\n\n\n", REFUSED),
        ("comment lines", "# made by x\n" + TABLE, READ),
        ("sep=; of Excel", "sep=;\n" + TABLE.replace(",", ";"), READ),
        ("trailing commas", "\n".join(row + "," for row in lines) + "\n", READ),
        (
            "index column without a name",
            "\n".join(((f"{i}," if i else ",") + row for i, row in enumerate(lines))) + "\n",
            READ,
        ),
        ("one quote open", TABLE + '"d,13,a,accuracy,0.5\n', REFUSED),
        ("NUL at the end", TABLE + "\x00", REFUSED),
        ("100 MB of blanks", TABLE + " " * 100000000, REFUSED),
        ("200,000 empty lines", TABLE + "\n" * 200000, READ),
        ("replications of big numbers", TABLE.replace("d,1,", f"d,{10**30},"), REFUSED),
        ("replications negative", TABLE.replace("d,1,", "d,-1,"), REFUSED),
        ("replications half", TABLE.replace("d,1,", "d,1.5,"), REFUSED),
        (
            "replications text",
            "\n".join([HEAD] + [row.replace("d,", "d,rep", 1) for row in ROWS]) + "\n",
            READ,
        ),
        ("value subnormal", TABLE.replace("0.5", "5e-324"), READ),
        (
            "all values equal",
            "\n".join([HEAD] + [row.rsplit(",", 1)[0] + ",0.5" for row in ROWS]) + "\n",
            READ,
        ),
        (
            "two candidates equal",
            TABLE + "".join(f"d,{b},z,accuracy,{0.5 + 0.01 * b:.3f}\n" for b in range(1, 13)),
            READ,
        ),
        ("one candidate", "\n".join([HEAD] + [row for row in ROWS if ",a," in row]) + "\n", READ),
        (
            "one replication",
            "\n".join([HEAD] + [row for row in ROWS if row.startswith("d,1,")]) + "\n",
            READ,
        ),
        ("candidate named nan", TABLE.replace(",a,", ",nan,"), READ),
        ("candidate named None", TABLE.replace(",a,", ",None,"), READ),
        ("candidate named 1 and 1.0", TABLE.replace(",a,", ",1,").replace(",b,", ",1.0,"), READ),
        (
            "candidate with trailing blank",
            TABLE + TABLE.split("\n", 1)[1].replace(",a,", ",a ,"),
            REFUSED,
        ),
        ("dataset empty", TABLE.replace("\nd,1,", "\n,1,"), REFUSED),
        ("measure empty", TABLE.replace(",accuracy,", ",,"), REFUSED),
        ("measure unknown direction", TABLE.replace("accuracy", "zorp"), REFUSED),
        ("accuracy above 1", TABLE.replace("0.5", "1.5"), REFUSED),
        (
            "accuracy in percent",
            "\n".join([HEAD] + [f"{cells},{100 * float(value):.1f}" for cells, value in halves])
            + "\n",
            READ,
        ),
        ("time negative", TABLE.replace("accuracy", "time").replace("0.5", "-0.5"), REFUSED),
        ("JSON lines as csv", '{"a":1}\n{"a":2}\n', REFUSED),
        ("HTML as csv", "<!DOCTYPE html><html><body><table></table></body></html>", REFUSED),
        (
            "git LFS pointer",
            "version https://git-lfs.github.com/spec/v1\noid sha256:abc\nsize 12345\n",
            REFUSED,
        ),
        (
            "git conflict",
            TABLE.replace("\nd,2,a", "\n<<<<<<< HEAD\nd,2,a", 1).replace(
                "\nd,2,b", "\n=======\nd,2,b", 1
            ),
            REFUSED,
        ),
        ("sqlite as csv", b"SQLite format 3\x00" + bytes(100), REFUSED),
        ("pickle as csv", pickle.dumps({"a": 1}), REFUSED),
        (
            "parquet named csv",
            (run / "warehouse" / "performances.parquet").read_bytes()
            if (run / "warehouse" / "performances.parquet").exists()
            else b"PAR1",
            REFUSED,
        ),
    ]
    named: tuple[tuple[str, str, str | bytes], ...] = (
        (".parquet", "csv named parquet", TABLE),
        (".json", "csv named json", TABLE),
        (".xlsx", "csv named xlsx", TABLE),
        (".rds", "csv named rds", TABLE),
        (".csv.gz", "csv named gz", TABLE),
        (".parquet", "empty parquet", b"PAR1PAR1"),
        (
            ".parquet",
            "parquet footer length huge",
            b"PAR1" + b"x" * 40 + struct.pack("<I", 2**31 - 1) + b"PAR1",
        ),
        (
            ".npy",
            "npy",
            b"\x93NUMPY\x01\x00v\x00{'descr': '|O', 'fortran_order': False, 'shape': (1,), }"
            + b" " * 20
            + b"\n",
        ),
        (".pkl", "pkl", pickle.dumps([1])),
        (".feather", "feather", b"ARROW1\x00\x00" + bytes(50)),
        (".ods", "ods", zipfile.ZipFile.__name__.encode()),
        (".json", "of a number", "3"),
        (".json", "of a text", '"x"'),
        (".json", "null", "null"),
        (".json", "list of lists", "[[1,2],[3,4]]"),
        (
            ".json",
            "mixed records",
            '[{"dataset":"d","candidate":"a","replication":1,"accuracy":0.5},{"dataset":"d","candidate":"b"}]',
        ),
        (".json", "NaN", '[{"dataset":"d","candidate":"a","replication":1,"accuracy":NaN}]'),
        (
            ".json",
            "key twice",
            '[{"dataset":"d","dataset":"e","candidate":"a","replication":1,"accuracy":0.5}]',
        ),
        (
            ".json",
            "surrogate",
            '[{"dataset":"\\ud800","candidate":"a","replication":1,"accuracy":0.5}]',
        ),
        (".json", "of 10 MB brackets", "[" * 10**7),
        (".json", "of nested objects", '{"a":' * 50000 + "1" + "}" * 50000),
        (".json", "trailing comma", '[{"dataset":"d"},]'),
        (".json", "bom utf-32", "[1]".encode("utf-32")),
        (".json", "concatenated", "[1][2]"),
        (
            ".jsonl",
            "cut",
            '{"dataset":"d","candidate":"a","replication":1,"accuracy":0.5}\n{"dataset":"d","cand',
        ),
        (".json", "eval log of inspect, cut", '{"version":2,"eval":{"task":"x"'),
    )
    files: list[tuple[str, str | bytes, str, str]]
    files = [(note, text, answer, ".csv") for note, text, answer in texts]
    files += [(f"{suffix}: {note}", content, REFUSED, suffix) for suffix, note, content in named]
    numbers = '[{"dataset":-0,"candidate":1E5,"replication":1,"accuracy":0.5}]'
    files.append((".json: numbers as names", numbers, READ, ".json"))
    for i, (note, content, answer, suffix) in enumerate(files):
        _write(folder / f"t{i}{suffix}", content)
        yield Input("table", ("check", f"t{i}{suffix}"), note), answer


def _studies(
    folder: Path, door: str, manifest: str, tries: list[tuple[str, str, str, str]]
) -> Tries:
    """Write tables with manifests of their own, and yield their inputs.

    `tries`: notes, tables, what follows the manifest, answers.
    """
    for i, (note, table, more, answer) in enumerate(tries):
        (folder / f"{door}{i}.csv").write_text(table)
        text = manifest.replace("FILE", f"{door}{i}.csv") + more + "\n"
        (folder / f"{door}{i}.yaml").write_text(text)
        yield Input(door, ("check", f"{door}{i}.yaml"), note), answer
    yield Input(door, ("run", f"{door}0.yaml", "--format", "md", "-o", door), "a report"), READ


def battles(folder: Path) -> Tries:
    """Yield battles of islands, ties and odd winners, and keys of other designs."""
    head = "model_a,model_b,winner\n"
    good = head + "".join(
        f"m{i % 3},m{(i + 1) % 3},{('model_a', 'model_b', 'tie')[i % 3]}\n" for i in range(90)
    )
    tables = [
        ("as is", good, READ),
        ("against oneself", good + "m0,m0,model_a\n", REFUSED),
        ("unknown winner", good + "m0,m1,zebra\n", REFUSED),
        ("winner is the name of another", good + "m0,m1,m2\n", REFUSED),
        ("winner is name", good + "m0,m1,m0\n", READ),
        ("winner empty", good + "m0,m1,\n", READ),
        ("all ties", "model_a,model_b,winner\n" + "m0,m1,tie\n" * 50, READ),
        ("one wins all", "model_a,model_b,winner\n" + "m0,m1,model_a\n" * 50, READ),
        (
            "two islands",
            "model_a,model_b,winner\n"
            + "a,b,model_a\na,b,model_b\n" * 20
            + "c,d,model_a\nc,d,model_b\n" * 20,
            REFUSED,
        ),
        ("one battle", "model_a,model_b,winner\na,b,model_a\n", READ),
        (
            "2,000 models",
            "model_a,model_b,winner\n"
            + "".join(f"m{i},m{(i * 7 + 1) % 2000},model_{'ab'[i % 2]}\n" for i in range(2000)),
            REFUSED,
        ),
        (
            "weights column nan",
            good.replace("winner", "winner,weight").replace("tie\n", "tie,nan\n"),
            REFUSED,
        ),
        (
            "judge column blank",
            "model_a,model_b,winner,judge\n"
            + "m0,m1,model_a,\nm1,m2,model_b,j\nm0,m2,tie,j\n" * 20,
            READ,
        ),
        (
            "columns swapped twice",
            "model_b,model_a,winner,model_a\n" + "m0,m1,model_a,m2\n" * 20,
            REFUSED,
        ),
        (
            "winner booleans",
            "model_a,model_b,winner\n" + "m0,m1,True\nm1,m2,False\nm0,m2,True\n" * 20,
            REFUSED,
        ),
        ("winner 1/0", "model_a,model_b,winner\n" + "m0,m1,1\nm1,m2,0\nm0,m2,0.5\n" * 20, REFUSED),
        ("tie in capitals", good + "m0,m1,TIE\n", READ),
        ("tie (both bad)", good + "m0,m1,tie (bothbad)\n", READ),
    ]
    manifests = [
        ("relevance of negative Elo", "analysis: {relevance: {elo: [20, 10]}}"),
        ("other measure", "measures: [accuracy]"),
        ("reference not a model", "analysis: {reference: zz}"),
    ]
    yield from _studies(
        folder, "battles", "results: {file: FILE, unit: comparison}\n",
        [(note, table, "", answer) for note, table, answer in tables]
        + [(note, good, more, REFUSED) for note, more in manifests],
    )  # fmt: skip
    for i, key in enumerate(("resampling: {scheme: bootstrap}", "n: {x: 3}")):
        text = f"results: {{file: battles0.csv, unit: comparison, {key}}}\n"
        (folder / f"other{i}.yaml").write_text(text)
        yield Input("battles", ("check", f"other{i}.yaml"), key), REFUSED


def crossings(folder: Path) -> Tries:
    """Yield cells, levels and names of crossed sources of variation."""
    good = "split,weights,candidate,accuracy\n" + "".join(
        f"{s},{w},{c},{0.5 + 0.01 * ((s * 7 + w * 3 + ord(c)) % 11)}\n"
        for s in range(5) for w in range(3) for c in "abc"
    )  # fmt: skip
    head, *rows = good.splitlines()
    one_level = "\n".join((head, *(row for row in rows if row.startswith("0,")))) + "\n"
    manifest = (
        "measures: [accuracy]\n"
        "results: {file: FILE, replication: {split: split, weights: weights}}\n"
    )
    yield from _studies(folder, "crossed", manifest, [
        ("as is", good, "", READ),
        ("a cell missing", "\n".join((head, *rows[:-1])) + "\n", "", READ),
        ("a cell twice", f"{good}{rows[-1]}\n", "", REFUSED),
        ("one level", one_level, "", READ),
        ("no level", good.replace("\n0,0,", "\n,0,"), "", REFUSED),
        ("level of 1 MB", good.replace("\n0,0,a", "\n" + "x" * 10**6 + ",0,a"), "", REFUSED),
    ])  # fmt: skip
    whole = "split: split, weights: weights}"
    for i, (note, old, new, answer) in enumerate(
        (
            (
                "n of unknown",
                whole,
                whole + ", n: {x: 100}, resampling: {scheme: bootstrap}",
                REFUSED,
            ),
            ("crossed with items", "replication:", "unit: item, replication:", REFUSED),
            ("replication is list", f"{{{whole}}}"[1:-1], "[split, weights]", REFUSED),
            *(
                (note, "weights: weights", new, answer)
                for note, new, answer in (
                    ("source unknown", "weights: zz", REFUSED),
                    ("source named rest", "rest: weights", READ),
                    ("source named dataset", "dataset: weights", READ),
                    ("source with a blank name", "'': weights", REFUSED),
                    ("20 sources", ", ".join(f"s{i}: weights" for i in range(20)), REFUSED),
                    ("sources twins", "Split: weights", READ),
                )
            ),
        )
    ):
        text = manifest.replace("FILE", "crossed0.csv").replace(old, new)
        (folder / f"cross{i}.yaml").write_text(text)
        yield Input("crossed", ("check", f"cross{i}.yaml"), note), answer


def _edited(name: str, old: bytes, new: bytes) -> Callable[[Path], None]:
    """Return a deed that replaces bytes of a file of a run."""

    def edit(run: Path) -> None:
        (run / name).write_bytes((run / name).read_bytes().replace(old, new))

    return edit


def _provenance(**values: object) -> Callable[[Path], None]:
    """Return a deed that sets keys of a run's provenance, or removes them where they are None."""

    def edit(run: Path) -> None:
        path = run / "warehouse" / "provenance.json"
        found = json.loads(path.read_text("utf-8")) | values
        path.write_text(json.dumps({k: v for k, v in found.items() if k not in values or v}))

    return edit


def _without_warehouse(run: Path, link: Path | None = None) -> None:
    """Remove a run's warehouse; put a link in its place."""
    shutil.rmtree(run / "warehouse")
    if link is not None:
        (run / "warehouse").symlink_to(link)


def _cut(run: Path) -> None:
    for path in (run / "warehouse").glob("*.parquet"):
        path.write_bytes(path.read_bytes()[:-9])


def _empty(run: Path) -> None:
    for path in run.rglob("*"):
        if path.is_file():
            path.write_bytes(b"")


def _with_earlier(run: Path) -> None:
    (run / "earlier").mkdir()
    (run / "earlier" / "x.md").write_text("x")


def stored_runs(folder: Path) -> Tries:
    """Yield runs with another provenance, other files, or none, for eight verbs."""
    good = folder / "output" / "good"
    provenance = "warehouse/provenance.json"
    deeds: list[tuple[str, str, Callable[[Path], object], str]] = []
    report = "report RUN --format md"
    for key in json.loads((good / provenance).read_text("utf-8")):
        answer = READ if key == "digest" else REFUSED
        deeds.append((f"provenance without {key}", report, _provenance(**{key: None}), answer))
        other = _provenance(**{key: [1, {"x": None}]})
        deeds.append((f"provenance with another {key}", report, other, REFUSED))
    result = _edited("results.json", b"0.5", b"0.6")
    deeds += [
        ("provenance with a key more", report, _provenance(extra=1), REFUSED),
        ("provenance of another year", report, _edited(provenance, b"2026", b"2027"), REFUSED),
        ("results.json edited", "verify RUN", result, READ),
        ("results.json edited", "bundle RUN -o edited.zip", result, REFUSED),
        ("report gone", "verify RUN", lambda run: (run / "report.md").unlink(), READ),
        ("warehouse gone", report, _without_warehouse, REFUSED),
        ("provenance gone", report, lambda run: (run / provenance).unlink(), REFUSED),
        ("manifest gone", report, lambda run: (run / "study.yaml").unlink(missing_ok=True), READ),
        ("a link", report, lambda run: _without_warehouse(run, good / "warehouse"), READ),
        (
            "a link to itself",
            report,
            lambda run: _without_warehouse(run, Path("warehouse")),
            REFUSED,
        ),
        ("provenance without rights", report, lambda run: (run / provenance).chmod(0), READ),
        ("earlier with a file", report, _with_earlier, READ),
    ]
    for verb in (
        *("gate RUN --expect 'a better than b'", "diff RUN output/good", "verify RUN"),
        *("history add RUN -o cut.parquet", "plan RUN --detect 1pp", "site RUN -o cut-site"),
        *("export RUN --to cut-export", "bundle RUN -o cut.zip"),
    ):
        deeds += [("tables cut", verb, _cut, REFUSED), ("all files empty", verb, _empty, REFUSED)]
    for i, (note, verb, do, answer) in enumerate(deeds):
        own = folder / f"run{i}" / good.name
        shutil.copytree(good, own)
        do(own)
        words = tuple(shlex.split(verb.replace("RUN", f"run{i}/good")))
        yield Input("stored run", words, f"{note}, {words[0]}"), answer


def bundles(folder: Path) -> Tries:
    """Yield bundles of other digests, records and members, by ten verbs."""
    good = (folder / "good.zip").read_bytes()
    with zipfile.ZipFile(io.BytesIO(good)) as old:
        members = {name: old.read(name) for name in old.namelist()}
    (sums,) = (name for name in members if name.endswith(SUMS))
    found = members[sums]
    changed: tuple[tuple[str, dict[str, bytes | None], str], ...] = (
        ("as is", {}, READ),
        ("sums empty", {sums: b""}, REFUSED),
        ("sums with a star", {sums: found.replace(b"  ", b" *")}, REFUSED),
        ("sums of a file that is none", {sums: found + b"0" * 64 + b"  zz\n"}, REFUSED),
        ("sums cut", {sums: found[:-30]}, REFUSED),
        ("sums in UTF-16", {sums: found.decode().encode("utf-16")}, REFUSED),
        ("names in cp437", {"caf\xe9": b"x"}, REFUSED),
        ("only sums", dict.fromkeys(set(members) - {sums}), REFUSED),
    )
    for i, (note, changes, answer) in enumerate(changed):
        with zipfile.ZipFile(folder / f"z{i}.zip", "w") as new:
            for name, content in (members | changes).items():
                if content is not None:
                    new.writestr(name, content)
        yield Input("bundle", ("verify", f"z{i}.zip"), note), answer
    for name, content in (
        ("zip64", good[:-22] + b"PK\x06\x06" + bytes(52) + b"PK\x06\x07" + bytes(16) + good[-22:]),
        ("two", good + good),
        ("prefix", b"#!/bin/sh\ntouch canary\n" + good),
        ("comment", good[:-2] + b"\xff\xff" + b"x" * 65535),
    ):
        (folder / f"{name}.zip").write_bytes(content)
        yield Input("bundle", ("verify", f"{name}.zip"), name), REFUSED


def themes(folder: Path) -> Tries:
    """Yield own templates, bibliographies and themes."""
    block = "{% block body %}"
    end = "{% endblock %}"
    template = "templates/sections/eda.md.j2"
    files: list[tuple[str, dict[str, str | bytes], str]] = []
    for note, text, answer in (
        ("an endless recursion of includes", "{% include 'sections/eda.md.j2' %}", REFUSED),
        ("format string", "{{ '{0.__class__}'.format(r) }}", REFUSED),
        ("namespace", "{% set n = namespace(a=1) %}{% set n.a = 2 %}{{ n.a }}", READ),
        ("dict() with many", "{{ dict(a=1).items()|list }}", REFUSED),
        ("joiner", "{% set j = joiner(',') %}{{ j() }}{{ j() }}", REFUSED),
        ("range huge", "{{ range(10**18)|length }}", REFUSED),
        ("string multiplied in a filter", "{{ ['a']|map('center', 10**9)|list }}", REFUSED),
        ("indent", "{{ 'a'|indent(10**9, true) }}", REFUSED),
        ("wordwrap 0", "{{ 'a b c'|wordwrap(0) }}", REFUSED),
        ("round huge", "{{ 1.5|round(10**9) }}", REFUSED),
        ("int base", "{{ ('9'*5000)|int }}", READ),
        ("batch", "{{ [1]|batch(10**9, 0)|list }}", REFUSED),
        ("slice", "{{ [1]|slice(10**9)|list|length }}", REFUSED),
        ("replace grows", "{{ ('a'*9999)|replace('', 'b'*9999) }}", REFUSED),
        ("tojson", "{{ [[1]]|tojson(indent=10**9) }}", REFUSED),
        ("xmlattr", "{{ {'a b': 1}|xmlattr }}", REFUSED),
        ("urlize", "{{ ('http://a.b/' * 50000)|urlize }}", REFUSED),
        ("striptags slow", "{{ ('<' * 200000)|striptags }}", READ),
        ("random", "{{ [1,2]|random }}", REFUSED),
        ("lipsum", "{{ lipsum(n=10**6) }}", REFUSED),
        ("pprint", "{{ r|pprint }}", REFUSED),
        ("NUL", "\x00", REFUSED),
        ("CRLF", "x\r\ny", READ),
        ("division by 0", "{{ 1 / 0 }}", REFUSED),
        ("unknown filter", "{{ 1|zz }}", REFUSED),
        ("unknown test", "{{ 1 is zz }}", REFUSED),
    ):
        files.append((note, {template: block + text + end}, answer))
    for note, content, answer in (
        ("import of own", "{% import 'x.j2' as x %}", READ),
        ("debug", "{% debug %}", REFUSED),
        ("raw", "{% raw %}{{ x }}{% endraw %}", READ),
        ("unterminated comment", "{# x", READ),
        ("latin-1", "{% block body %}café{% endblock %}".encode("latin-1"), REFUSED),
        ("utf-16", "{% block body %}x{% endblock %}".encode("utf-16"), REFUSED),
        ("empty", "", READ),
        ("do", "{% do x %}", REFUSED),
        ("break", "{% for i in [1] %}{% break %}{% endfor %}", REFUSED),
        (
            "line 1 of a block twice",
            "{% block body %}{% endblock %}{% block body %}{% endblock %}",
            REFUSED,
        ),
    ):
        files.append((note, {template: content}, answer))
    plain: dict[str, str | bytes] = {template: f"{block}x{end}"}
    for note, name, content, answer in (
        (
            "bibliography latin-1",
            "references.bib",
            "@book{x, title={café}}".encode("latin-1"),
            READ,
        ),
        ("bibliography open brace", "references.bib", "@book{x, title={", READ),
        (
            "bibliography deep braces",
            "references.bib",
            "@book{x, title=" + "{" * 50000 + "}" * 50000 + "}",
            READ,
        ),
        ("bibliography 5 MB", "references.bib", "@misc{a,title={b}}\n" * 250000, READ),
        (
            "bibliography string macro loop",
            "references.bib",
            "@string{a = a # a}\n@book{x, title=a}",
            READ,
        ),
        ("formulas not toml", "formulas.toml", "x = [", READ),
        ("formulas huge ints", "formulas.toml", "x = " + "9" * 6000, READ),
    ):
        files.append((note, plain | {name: content}, answer))
    for note, name, content, answer in (
        ("empty folder", ".x", "", READ),
        ("variables not css", "variables.css", "{{{{", REFUSED),
        ("variables utf-16", "variables.css", ":root{--x: red}".encode("utf-16"), REFUSED),
        ("variables with url", "variables.css", ":root{--accent: url(http://x)}", REFUSED),
        (
            "variables with expression",
            "variables.css",
            ":root{--accent: expression(alert(1))}",
            REFUSED,
        ),
        ("variables with import", "variables.css", "@import 'x';", REFUSED),
        ("variables with escape", "variables.css", ":root{--accent: \\75 rl(http://x)}", REFUSED),
        ("variables unknown name", "variables.css", ":root{--zz: red}", REFUSED),
        ("variables colour none", "variables.css", ":root{--accent: rgb(999,0,0)}", REFUSED),
        ("variables nested", "variables.css", ":root{" * 3000, REFUSED),
        ("mplstyle unknown", "figures.mplstyle", "zz: 1", REFUSED),
        ("mplstyle backend", "figures.mplstyle", "backend: module://evil", REFUSED),
        ("mplstyle usetex", "figures.mplstyle", "text.usetex: True", REFUSED),
        ("mplstyle font path", "figures.mplstyle", "font.family: /etc/passwd", REFUSED),
        ("mplstyle size", "figures.mplstyle", "figure.figsize: 1e9, 1e9", REFUSED),
        ("mplstyle font size 0", "figures.mplstyle", "font.size: 0", REFUSED),
        ("mplstyle font size nan", "figures.mplstyle", "font.size: nan", REFUSED),
        ("mplstyle line -1", "figures.mplstyle", "lines.linewidth: -1", READ),
        (
            "mplstyle cycler code",
            "figures.mplstyle",
            "axes.prop_cycle: cycler('color', __import__('os').system('touch canary'))",
            REFUSED,
        ),
        ("mplstyle latin-1", "figures.mplstyle", "# café\nfont.size: 9".encode("latin-1"), REFUSED),
        ("rules latin-1", "rules.css", "/* café */".encode("latin-1"), REFUSED),
        ("rules with </style>", "rules.css", "p{} </style><script>alert(1)</script>", REFUSED),
        ("rules import", "rules.css", "@import 'http://x';p{}", READ),
        ("theme of a fifo", "x", "", READ),
    ):
        files.append((note, {f"th/{name}": content}, answer))
    for i, (note, own, answer) in enumerate(files):
        place = folder / f"own{i}"
        has_theme = any(name.startswith("th/") for name in own)
        study = "results: {file: r.csv}\n" + "report: {theme: th}\n" * has_theme
        for name, content in (own | {"r.csv": TABLE, "study.yaml": study}).items():
            (place / name).parent.mkdir(parents=True, exist_ok=True)
            _write(place / name, content)
        words = (
            *("run", f"own{i}/study.yaml", "--format", "html" if has_theme else "md"),
            *("-o", f"own{i}/out", "--allow-templates"),
        )
        yield Input("template, theme", words, note), answer


def _png(size: int) -> bytes:
    """Return a picture that says it has a size."""
    chunks = (
        (b"IHDR", struct.pack(">IIBBBBB", size, size, 8, 2, 0, 0, 0)),
        (b"IDAT", zlib.compress(b"\0" * 100)),
        (b"IEND", b""),
    )
    return b"\x89PNG\r\n\x1a\n" + b"".join(
        struct.pack(">I", len(data)) + name + data + struct.pack(">I", zlib.crc32(name + data))
        for name, data in chunks
    )


def _make_files(folder: Path) -> None:
    """Make the files that words and manifests name."""
    svg = "<svg xmlns='http://www.w3.org/2000/svg'"
    os.mkfifo(folder / "pipe.svg")
    (folder / "evil").mkdir()
    for name, content in (
        ("setup.yaml", MANIFEST),
        ("results.yaml", GOOD),
        ("others.csv", TABLE.replace(",a,", ",q,")),
        ("-x.csv", TABLE),
        ("evil/README", "x"),
        ("big.png", _png(10**9)),
        ("cut.png", _png(10)[:20]),
        ("empty.svg", ""),
        ("z.svg", gzip.compress(f"{svg}/>".encode())),
        ("fat.svg", f"{svg}>{'<g/>' * 12_500_000}</svg>"),
        ("learn.csv", "x,y\n" + "".join(f"{i % 7},{'ab'[i % 2]}\n" for i in range(60))),
        ("learn1.csv", "x,y\n" + "".join(f"{i % 7},a\n" for i in range(60))),
        ("learnu.csv", "x,y\n" + "".join(f"{i % 7},n{i}\n" for i in range(60))),
    ):
        _write(folder / name, content)


def tries(folder: Path) -> Tries:
    """Yield all inputs and their answers."""
    _make_files(folder)
    for make in (manifests, tables, battles, crossings, stored_runs, bundles, themes):
        yield from make(folder)
    yield from words()
    yield from odd_words()


if __name__ == "__main__":
    print_table(tries)
