"""Advice for new data: the candidates that a run's tree of worths predicts to be best."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import field
from math import exp, isfinite
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from reportgen.catalogue.characteristics import CHARACTERISTICS, find_characteristic, sample_of
from reportgen.catalogue.datasets.dataset import DataSet
from reportgen.catalogue.datasets.files import load_file
from reportgen.data_classes import dataclass
from reportgen.errors import StudyError
from reportgen.json_text import read_json
from reportgen.notation import significant
from reportgen.report import RESULTS, check_schema_version
from reportgen.streams import stream
from reportgen.study.errors import listed, shown, suggestion

SECTION = "psychoanalysis"
N_SAMPLES = 25  # learning samples of the new data over which a characteristic is averaged
EXECUTED = ("bootstrap", "subsampling")
SAME = 1e-6  # relative difference of worths that are equal but for where the fit has ended

Node = Mapping[str, Any]
Value = float | str


@dataclass(frozen=True, slots=True)
class NewData:
    """A data set to predict for."""

    path: Path | None = None  # CSV, TSV, Parquet or ARFF; None where all that is needed is given
    # target, task: As of a data set of a manifest.
    target: str | None = None
    task: str | None = None
    drop: Sequence[str] = ()
    categorical: Sequence[str] = ()
    # Characteristics that are known, by name.
    given: Mapping[str, str] = field(default_factory=dict)


def advise(
    run: Path, data: NewData, measure: str | None = None, packages: Sequence[str] = ()
) -> str:
    """Find the leaf of a run's tree that a data set belongs to, and its worths.

    `run`: the folder of a run, or its results.json.
    `measure`: the first that the run has a tree of when omitted.
    `packages`: whose characteristics may be loaded.
    Raises StudyError if there is no such run or tree, or a characteristic that divides can neither
    be computed nor is given.
    Raises SetupError if the data set cannot be read.
    """
    results = _read(run)
    name, found = _tree_of(results, run, measure)
    if data.path is not None and not data.path.is_file():  # even where a tree asks for nothing
        raise StudyError(f"{data.path}: found no such file; allowed a data set")
    kinds = {trait["name"]: trait["kind"] for trait in found["characteristics"]}
    values = _parse_values(data.given, kinds)
    leaf = found["tree"]
    while leaf.get("split"):
        divides = leaf["split"]["characteristic"]
        if divides not in values:  # only the values on the way are needed
            names = [n for n in _dividing(leaf) if n not in values and _is_known(n, packages)]
            values |= _compute(_load(data, divides, names), names, results["design"], packages)
        leaf = leaf["children"][_side(leaf["split"], values[divides])]
    return "\n".join(_lines(name, found, leaf, values))


# ------------------------------------------------------------------------------- the run


def _read(run: Path) -> dict[str, Any]:
    path = run / RESULTS if run.is_dir() else run
    try:
        found = read_json(path)
    except FileNotFoundError:
        raise StudyError(
            f"{path}: found no such file; allowed the folder of a run, such as output/classics"
        ) from None
    except (ValueError, OSError) as error:
        raise StudyError(f"{path}: found no results ({error}); allowed {RESULTS}") from error
    if not isinstance(found, dict) or "sections" not in found:
        raise StudyError(f"{path}: found no sections; allowed the {RESULTS} of a run")
    check_schema_version(found, path)
    return found


def _tree_of(results: dict[str, Any], run: Path, measure: str | None) -> tuple[str, dict[str, Any]]:
    trees = results["sections"].get(SECTION) or {}
    if not trees:
        raise StudyError(
            f"{run}: found no tree of worths; allowed a run whose study lists the section "
            f"{SECTION}: add it to the manifest and run it again, which measures no fit twice"
        )
    name = measure or next(iter(trees))
    if name not in trees:
        question = suggestion(name, trees)
        raise StudyError(f"--measure: found {shown(name)}; allowed {listed(trees)}{question}")
    if trees[name].get("tree") is None:
        allowed = "a measure by which its candidates could be compared"
        raise StudyError(f"{run}: found no worths by {name}; allowed {allowed}")
    return name, trees[name]


def _dividing(node: Node) -> list[str]:
    """Return the characteristics that divide a node and what is below it."""
    if not node.get("split"):
        return []
    below = [name for child in node["children"] for name in _dividing(child)]
    return list(dict.fromkeys([node["split"]["characteristic"], *below]))


# ---------------------------------------------------------------------- the new data set


def _parse_values(texts: Mapping[str, str], kinds: Mapping[str, str]) -> dict[str, Value]:
    """Read the given characteristics of the data set."""
    for name in texts:
        if name not in kinds:
            question = suggestion(name, kinds)
            raise StudyError(
                f"--characteristic: found {shown(name)}; allowed {listed(kinds)}{question}"
            )
    return {
        name: _number(name, text) if kinds[name] == "numeric" else text
        for name, text in texts.items()
    }


def _is_known(name: str, packages: Sequence[str]) -> bool:
    return name.partition(":")[0] in CHARACTERISTICS or bool(packages)


def _load(data: NewData, needed: str, names: Sequence[str]) -> DataSet:
    """Load the data set; raise an error where it or what is known of it is missing."""
    if needed not in names or data.path is None or data.target is None:
        other = "a data set with its --target, or " if needed in names else ""
        raise StudyError(
            f"found no value of {needed}, by which the tree divides; allowed {other}"
            f"--characteristic {needed}=VALUE"
        )
    return load_file(data.path.stem, data.path, data.target, data.task, data.drop, data.categorical)


def _number(name: str, text: str) -> float:
    try:
        value = float(text)
    except ValueError:
        raise StudyError(
            f"--characteristic {name}: found {shown(text)}; allowed a number"
        ) from None
    return value


def _compute(
    data: DataSet, names: Sequence[str], design: Mapping[str, Any], packages: Sequence[str]
) -> dict[str, Value]:
    """Average characteristics over learning samples, drawn as the study drew its own."""
    whole = sample_of(data)
    samples = [whole.take(rows) for rows in _drawn(data, design)] or [whole]
    found: dict[str, Value] = {}
    for name in names:
        characteristic = find_characteristic(name, packages)
        values = np.array([characteristic(sample) for sample in samples])
        values = values[np.isfinite(values)]
        found[name] = float(values.mean()) if len(values) else float("nan")
    return found


def _drawn(data: DataSet, design: Mapping[str, Any]) -> Iterator[NDArray[np.int64]]:
    """Draw learning samples as a study by bootstrap or subsampling does; none for others."""
    resampling = design.get("resampling") or {}
    if resampling.get("scheme") not in EXECUTED:
        return
    seed, fraction = int(design.get("seed") or 0), float(resampling.get("fraction", 1.0))
    for b in range(N_SAMPLES):
        rng = stream(seed, "predict", data.digest, b)
        if resampling["scheme"] == "bootstrap":
            yield rng.integers(data.n, size=data.n)
        else:
            yield rng.permutation(data.n)[: max(1, int(fraction * data.n + 1e-9))]


# ------------------------------------------------------------------------------ messages


def _side(split: Mapping[str, Any], value: Value) -> int:
    """Return 0 for the first child, 1 for the second."""
    missing = 0 if split["missing_first"] else 1
    if "cutpoint" in split:
        if isinstance(value, str) or not isfinite(value):
            return missing
        return 0 if value <= split["cutpoint"] else 1
    if value in split["levels"]:
        return 0
    return 1 if value in split["other_levels"] else missing


def _lines(
    measure: str, found: dict[str, Any], leaf: Node, values: Mapping[str, Value]
) -> Iterator[str]:
    """Write the way down the tree, the worths at its end, and the reasons against them."""
    unit = "data sets" if found["cluster"] == "dataset" else "learning samples"
    root = found["tree"]
    if not root.get("split"):
        yield f"by {measure} the tree does not divide: worths of all {found['n_units']} {unit}"
    for condition in leaf["conditions"]:
        yield _condition(condition, values[condition["characteristic"]])
    if root.get("split"):
        yield f"node {leaf['number']}: {leaf['n']} of {found['n_units']} {unit} of the study"
    yield ""
    width = max(len(name) for name in leaf["order"])
    yield f"{'candidate':<{max(width, 9)}}  worth"
    for name in leaf["order"]:
        yield f"{name:<{max(width, 9)}}  {leaf['worths'][name]:.3f}"
    yield ""
    yield _first_against_second(leaf, measure)
    yield from (f"note: {text}" for text in _doubts(found, leaf, values))


def _condition(condition: Mapping[str, Any], value: Value) -> str:
    name = condition["characteristic"]
    if condition["levels"]:
        return f"{name} is {value}, among {', '.join(condition['levels'])}"
    if isinstance(value, str) or not isfinite(value):
        return f"{name} is missing: with the larger part"
    bounds = []
    if condition["above"] is not None:
        bounds.append(f"above {significant(condition['above'])}")
    if condition["up_to"] is not None:
        bounds.append(f"at most {significant(condition['up_to'])}")
    return f"{name} is {significant(value)}, {' and '.join(bounds)}"


def _first_against_second(leaf: Node, measure: str) -> str:
    """Write how often the first is expected to be better than the second."""
    worths, (first, second) = leaf["worths"], leaf["order"][:2]
    a, b = worths[first], worths[second]
    nu = 0.0 if leaf["log_nu"] is None else exp(leaf["log_nu"])
    tie = nu * (a * b) ** 0.5
    total = a + b + tie
    level = f", as well in {100 * tie / total:.0f}%" if tie else ""
    equal = [name for name in worths if worths[name] >= a * (1 - SAME)]
    if len(equal) > 1:
        names = f"{', '.join(equal[:-1])} and {equal[-1]}"
        return (
            f"by {measure} {names} are expected to do equally well: any of them better than "
            f"another in {100 * a / total:.0f}% of learning samples{level}"
        )
    return (
        f"by {measure} {first} is expected to do better than {second} in {100 * a / total:.0f}% of "
        f"learning samples{level}, worse in {100 * b / total:.0f}%"
    )


def _doubts(found: dict[str, Any], leaf: Node, values: Mapping[str, Value]) -> Iterator[str]:
    """Describe the reasons not to rely on it."""
    traits = {trait["name"]: trait for trait in found["characteristics"]}
    for condition in leaf["conditions"]:
        name = condition["characteristic"]
        value, trait = values[name], traits[name]
        if isinstance(value, str) or trait["least"] is None or not isfinite(value):
            continue
        if not trait["least"] <= value <= trait["greatest"]:
            yield (
                f"{name} = {significant(value)} lies outside what the study has seen, "
                f"{significant(trait['least'])} to {significant(trait['greatest'])}"
            )
    if leaf["is_separated"]:
        yield "the worths have no finite estimate there; penalised ones are shown"
    if found["cluster"] == "none":
        yield "the tree took learning samples of one data set for independent, which they are not"
    elif found["bases"]:
        yield "some data sets of the study are settings of one, chosen and not drawn"
    elif leaf["n"] < 5:
        yield f"it rests on {leaf['n']} data set{'' if leaf['n'] == 1 else 's'}"
    split, stability = found["tree"].get("split"), found.get("stability")
    if split and stability:
        share = stability["root"].get(split["characteristic"], 0.0)
        yield (
            f"{100 * share:.0f}% of trees of resampled data sets divide by "
            f"{split['characteristic']} first"
        )
