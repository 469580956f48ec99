"""Manifests: of the schema, and right ones in which something was changed."""

from __future__ import annotations

import datetime
import json
import re
from collections.abc import Iterator, Mapping
from copy import deepcopy
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np
from hypothesis import strategies as st
from ruamel.yaml import YAML

from reportgen import pipeline
from tests.fuzz.names import LONG, names

STUDIES = Path(__file__).resolve().parents[2] / "studies"
Schema = dict[str, Any]
Place = tuple[str | int, ...]

HOSTILE = (
    *(None, True, False, 0, -1, 1, 2, 7, 2**31, 2**63, -(2**63), 10**30, 10**400),
    *(0.5, -0.0, 1.5, 1e-300, 1e300, 5e-324, float("nan"), float("inf"), float("-inf")),
    *("", " ", "x", "0", "010", "1e3", "yes", "NaN", "50%", "10min", "4GiB", "auto", LONG),
    *("../r.csv", "/etc/study.yaml", "results.csv", "missing.csv", "{{ x }}", "a\nb", "\u202ea"),
    *(datetime.date(2020, 1, 1), datetime.datetime(2020, 1, 1), b"bytes"),
    *([], {}, [[]], [{}], [None], {"": 1}, {"a": {"b": {"c": []}}}, ["x", "x"], [1, 2], [2, 1]),
)
"""Values that a key hardly allows."""
TOKENS = (
    *(
        b"0o17",
        b"0x" + b"f" * 4000,
        b"7" * 5000,
        b"0x1F",
        b"1_000",
        b"010",
        b"yes",
        b"off",
        b"~",
        b"null",
        b".nan",
        b".inf",
        b"1e400",
    ),
    *(b"!!python/object/apply:os.system [x]", b"!!binary x", b"!!set {a}", b"!x y", b"&a ", b"*a"),
    *(b"<<: *a", b"? ", b"- ", b": ", b"\n", b"\t", b" ", b"|", b">", b"'", b'"', b"{", b"}", b"["),
    *(b"]", b",", b"#", b"---\n", b"...\n", b"%YAML 1.1\n", b"2020-01-01", b"12:30:45", b"\x00"),
    *(b"\xff", b"\xe2\x80\xa8", b"\xef\xbb\xbf", b"\xed\xa0\x80", b"\r", b"=", b"@", b"`", b"\x85"),
)
"""What YAML, or a reader of bytes, may take for something else."""

BASES: tuple[str, ...] = (
    """
    measures: [misclassification, fit-time]
    setup:
      datasets: [monks3, {name: mine, file: data.csv, target: y}]
      candidates: [lda, {name: svm, options: {C: 2.0}}, {name: knn, tune: published}]
      resampling: {scheme: bootstrap, replications: 4}
    execution: {jobs: 1, timeout: 10min, memory: 1GiB, max_failures: 5%, keep: predictions}
    analysis: {alpha: 0.1, relevance: {misclassification: [-0.01, 0.01]}, reference: lda}
    expect: [lda better than svm, {claim: no failures, on_undecided: fail}]
    """,
    """
    study: {name: line, title: Lines, authors: [{name: A, orcid: 0000-0002-1825-0097}]}
    measures: [mse, {name: mine, function: sklearn.metrics.max_error, better: smaller}]
    setup:
      problem: simulation
      datasets: [{name: line, generator: linear, n_test: 20, vary: {b2: [0, 0.1], n: [30, 50]}}]
      candidates: [lm, {name: poly, estimator: [sklearn.preprocessing.PolynomialFeatures]}]
      resampling: [{scheme: k-fold, folds: 3}, {scheme: subsampling, replications: 3}]
    sections: [sensitivity, eda, inference]
    """,
    """
    measures: [misclassification]
    setup:
      datasets: [{name: spirals, generator: spirals, n: 40, options: {sd: 0.05}}]
      candidates: [lda, {name: slow, command: [python3, x.py]}]
      resampling: {replications: {max: 40, stage: 20, stop: both, drop: decided}}
    sections: [{sequential: {burn_in: 5, orders: 20}}, {preferences: {relations: [mean]}}]
    report: {formats: [html, json], length: full, paper: {size: letter}, footer: F}
    """,
    """
    results:
      file: results.csv
      columns: {candidate: candidate, replication: [replication]}
      resampling: {scheme: k-fold, folds: 2}
      n: {results: 20}
    measures: [{name: error, better: smaller, unit: EUR, bounds: [0, 1], scale: difference}]
    analysis: {missing: complete-dataset, family: study, variance: pooled, df: asymptotic}
    sections: [eda, {consensus: {class: linear}}, {archetypes: {k: 2, starts: 1, samples: 2}}]
    """,
    """
    results: {wide: wide.csv, settings: settings.csv, characteristics: chars.csv}
    measures: [{name: score, better: larger}]
    sections: [{psychoanalysis: {permutations: 9, resamples: 2}}, {domain: {coding: strict}}]
    """,
    """
    results: {table: wide.csv, label: dataset}
    sections: [{archetypes: {fit: weighted, row_weights: {d1: 2.0}, samples: 2}}]
    """,
    """
    results: {file: battles.csv, unit: comparison}
    analysis: {relevance: {elo: [-20, 20]}, alpha: 0.05}
    expect: [a better than b]
    """,
    """
    measures: [{name: error, better: smaller, relevance: [-0.005, 0.005]}]
    results:
      file: variation.csv
      replication: {split: split, weights: weights}
      resampling: {scheme: bootstrap}
      n: {variation: 90}
    """,
    """
    measures: [{name: accuracy, column: correct}]
    results: {file: prompts.csv, unit: item, columns: {candidate: [model, prompt]}}
    sections: [factors, eda]
    expect: [prompt x better than prompt y, best prompt of a better than best prompt of b]
    """,
    """
    measures: [{name: error, better: smaller}]
    results: {file: families.csv, families: source}
    analysis: {reference: a, comparisons: reference}
    sections: [eda, {domain: {coding: strict}}]
    report: {formats: [qmd], quarto: {engine: jupyter}}
    """,
)
"""Manifests that name the files of `write_files`."""


FILES = (
    *("study.yaml", "results.csv", "data.csv", "wide.csv", "chars.csv", "settings.csv"),
    *("battles.csv", "variation.csv", "prompts.csv", "families.csv"),
)


def design_files() -> dict[str, list[list[str]]]:
    """Return small tables of designs by file: battles, sources of variation, factors, families."""
    rng = np.random.default_rng(1)
    winners = ("model_a", "model_b", "tie")

    def value() -> str:
        return f"{rng.uniform(0.1, 0.3):.4f}"

    return {
        "battles.csv": [
            ["model_a", "model_b", "winner", "judge"],
            *(
                ["abc"[i % 3], "bca"[i % 3], winners[rng.integers(3)], f"j{i % 7}"]
                for i in range(60)
            ),
        ],
        "variation.csv": [
            ["split", "weights", "candidate", "error"],
            *([f"{s}", f"{w}", c, value()] for s in range(4) for w in range(3) for c in "ab"),
        ],
        "prompts.csv": [
            ["item", "model", "prompt", "correct"],
            *([f"q{i}", m, p, f"{rng.integers(2)}"] for i in range(9) for m in "ab" for p in "xy"),
        ],
        "families.csv": [
            ["dataset", "source", "candidate", "replication", "error"],
            *(
                [f"d{i}", f"s{i // 2}", c, f"{b}", value()]
                for i in range(6)
                for c in "abc"
                for b in range(2)
            ),
        ],
    }


def write_files(folder: Path) -> None:
    """Write the files that the manifests name."""
    files = {
        "results.csv": "dataset,replication,candidate,error\n"
        + "".join(f"results,{i},{c},0.{i}{n}\n" for i in range(2) for n, c in enumerate("ab")),
        "data.csv": "x,z,y\n" + "".join(f"{i},{i % 3},{'ab'[i % 2]}\n" for i in range(12)),
        "wide.csv": "dataset,a,b\n" + "".join(f"d{i},0.{i},0.{i}5\n" for i in range(4)),
        "chars.csv": "dataset,size\n" + "".join(f"d{i},{i}\n" for i in range(4)),
        "settings.csv": "dataset,n\n" + "".join(f"d{i},{i}\n" for i in range(4)),
    }
    files |= {
        name: "".join(",".join(row) + "\n" for row in rows) for name, rows in design_files().items()
    }
    for name, text in files.items():
        (folder / name).write_text(text, "utf-8")


def texts() -> dict[str, str]:
    """Return the manifests of studies/ by name."""
    return {path.name: path.read_text("utf-8") for path in sorted(STUDIES.glob("*.yaml"))}


@cache
def schema() -> Schema:
    """Return the schema of a manifest, as editors have it; what asks the network is left out."""
    found: Schema = json.loads(pipeline.schema())
    del found["$defs"]["DatasetEntry"]["properties"]["openml"]
    return found


def section_options(name: str) -> st.SearchStrategy[dict[str, Any]]:
    """Return options of a section that the schema allows."""
    entries = schema()["properties"]["sections"]["items"]["anyOf"]
    of = next(e["properties"][name] for e in entries if name in e.get("properties", {}))
    return values(of, 2).map(lambda found: found or {})


def resolved(part: Schema) -> Iterator[Schema]:
    """Yield what a part of the schema may be, without references and choices."""
    if "$ref" in part:
        yield from resolved(schema()["$defs"][part["$ref"].rpartition("/")[2]])
    elif "anyOf" in part:
        for choice in part["anyOf"]:
            yield from resolved(choice)
    else:
        yield part


def values(part: Schema, depth: int = 3) -> st.SearchStrategy[Any]:
    """Return values that a part of the schema allows; few keys of mappings."""
    return st.one_of([_values(choice, depth) for choice in resolved(part)])


def _values(part: Schema, depth: int) -> st.SearchStrategy[Any]:
    if "const" in part:
        return st.just(part["const"])
    if "enum" in part:
        return st.sampled_from(part["enum"])
    match part.get("type"):
        case "null":
            return st.none()
        case "boolean":
            return st.booleans()
        case "integer":
            low = part.get("minimum", -3)
            return st.sampled_from([low, low + 1, low + 5, *part.get("examples", ())])
        case "number":
            low, high = (part.get(key) for key in ("minimum", "maximum"))
            low = part.get("exclusiveMinimum", low)
            return st.floats(low, part.get("exclusiveMaximum", high), allow_nan=False)
        case "string" if "examples" in part:
            return st.sampled_from(part["examples"])
        case "string" if "pattern" in part:
            return st.from_regex(re.compile(part["pattern"], re.ASCII))
        case "string":
            return st.one_of(st.sampled_from(["lda", "a", "b", "results", "error"]), names)
        case "array":
            least = part.get("minItems", 0)
            inner = values(part.get("items", {}), depth - 1) if depth else st.nothing()
            return st.lists(inner, min_size=least, max_size=least + 2) if depth else st.just([])
        case "object":
            return _mappings(part, depth)
    return st.sampled_from(HOSTILE)


def _mappings(part: Schema, depth: int) -> st.SearchStrategy[dict[str, Any]]:
    own = part.get("properties", {})
    if not own:
        inner = part.get("additionalProperties", {})
        inner = values(inner if isinstance(inner, dict) else {}, depth - 1) if depth else st.none()
        return st.dictionaries(st.sampled_from(["error", "a", "d1"]) | names, inner, max_size=2)
    if not depth:
        return st.just({})
    required = part.get("required", [])

    @st.composite
    def drawn(draw: st.DrawFn) -> dict[str, Any]:
        chosen = draw(st.lists(st.sampled_from(list(own)), max_size=3, unique=True))
        keys = dict.fromkeys([*required, *chosen])
        return {key: draw(values(own[key], depth - 1)) for key in keys}

    return drawn()


def places(tree: Any, part: Schema, place: Place = ()) -> Iterator[tuple[Place, Schema]]:
    """Yield the places of a manifest, each with what the schema has for it."""
    yield place, part
    for choice in resolved(part):
        if isinstance(tree, dict) and choice.get("type") == "object":
            own, other = choice.get("properties", {}), choice.get("additionalProperties")
            for key, inner in tree.items():
                if key in own or isinstance(other, dict):
                    yield from places(inner, own.get(key, other), (*place, key))
        elif isinstance(tree, list) and choice.get("type") == "array":
            for i, inner in enumerate(tree):
                yield from places(inner, choice.get("items", {}), (*place, i))


@st.composite
def changed_manifests(draw: st.DrawFn) -> Mapping[str, Any]:
    """Draw a right manifest in which one to three things were changed."""
    tree = deepcopy(draw(st.sampled_from([YAML(typ="safe").load(text) for text in BASES])))
    for _ in range(draw(st.integers(1, 3))):
        found = [(place, part) for place, part in places(tree, schema()) if place]
        if not found:
            break
        place, part = draw(st.sampled_from(found))
        holder = tree
        for step in place[:-1]:
            holder = holder[step]
        _change(draw, holder, place[-1], part)
    return tree


def _change(draw: st.DrawFn, holder: Any, key: Any, part: Schema) -> None:
    """Change one value of a manifest, or what stands beside or below it."""
    value = holder[key]
    how = draw(st.sampled_from(("other", "other", "hostile", "hostile", "drop", "twice", "key")))
    if how == "other":
        holder[key] = draw(values(part))
    elif how == "hostile":
        holder[key] = deepcopy(draw(st.sampled_from(HOSTILE)))
    elif how == "drop":
        del holder[key]
    elif how == "twice" and isinstance(holder, list):
        holder.append(deepcopy(value))
    elif how == "twice" and isinstance(holder, dict):
        holder[draw(names)] = deepcopy(value)
    elif isinstance(value, dict):
        own = [c["properties"] for c in resolved(part) if "properties" in c]
        known = {key: inner for properties in own for key, inner in properties.items()}
        name = draw(st.sampled_from([*known, "unknown", ""]) if known else names)
        value[name] = draw(values(known[name]) if name in known else st.sampled_from(HOSTILE))


whole_manifests = st.deferred(lambda: _mappings(schema(), 4))
"""Manifests that the schema allows; their parts seldom fit one another."""


@st.composite
def changed_texts(draw: st.DrawFn) -> bytes:
    """Draw the text of a study of studies/ in which bytes were changed."""
    text = draw(st.sampled_from([*BASES, *texts().values()])).encode()
    for _ in range(draw(st.integers(1, 4))):
        at = draw(st.integers(0, len(text)))
        n = draw(st.sampled_from((0, 0, 1, 5, 40)))
        token = draw(st.sampled_from(TOKENS) | st.just(text[at : at + 30]))
        text = text[:at] + token + text[at + n :]
    return text
