"""The experiment as the report describes it: sizes, data sets, measures and fit issues."""

from __future__ import annotations

import math
import re
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from itertools import chain, zip_longest
from typing import Any

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from reportgen.fit_issues import Failure, FitWarning, HyperparameterChoice, MeasureFailure
from reportgen.path_redaction import redact_paths
from reportgen.performance_measure import target_exponent
from reportgen.report import Author, DatasetDesign, Design, StudyInfo
from reportgen.study.citation import Citation, CitedAuthor, read_citation
from reportgen.study.looks import looks_of
from reportgen.study.manifest import Study
from reportgen.study.schema import Author as GivenAuthor
from reportgen.warehouse import SIZES, Warehouse
from reportgen.warehouse.missing import complete_replications, keep
from reportgen.warehouse.rows import codes_of, rows_of

NUMBER = re.compile(r"(?<![\w.])(?:0x[0-9a-fA-F]+|[-+]?\d+(?:\.\d+)?(?:[eE][-+]?\d+)?)")
"""A number, or an address in memory, in a message."""


def _author(given: GivenAuthor) -> Author:
    return Author(
        given.name,
        given.affiliation or "",
        given.orcid or "",
        given.email or "",
        is_corresponding=given.corresponding,
        city=given.city or "",
        country=given.country or "",
    )


def _cited(given: CitedAuthor) -> Author:
    return Author(given.name, given.affiliation or "", given.orcid or "")


def info_of(study: Study) -> StudyInfo:
    """Return what the study is called, and by whom; a CITATION.cff fills what is left out."""
    cited = read_citation(study.folder) if study.text else Citation()
    return StudyInfo(
        study.name,
        study.title,
        tuple(map(_author, study.info.authors)) or tuple(map(_cited, cited.authors)),
        study.info.abstract,
        study.info.keywords,
        study.info.title or cited.title,
        cited.doi,
        study.analysis.reference,
    )


def design_of(study: Study, warehouse: Warehouse) -> Design:
    """Describe the experiment by what the warehouse holds, before a rule for missing values."""
    rule = study.analysis.missing
    n_removed = keep(warehouse, rule).n_removed
    datasets = tuple(_dataset(warehouse, name, n_removed[name]) for name in warehouse.datasets)
    looks, alpha = looks_of(warehouse), study.analysis.alpha
    cells = [_cells(warehouse, d.name, d.n_replications) for d in datasets]
    return Design(
        datasets=datasets,
        candidates=warehouse.candidates,
        descriptions=warehouse.descriptions,
        measures=warehouse.measures,
        problem=warehouse.problem,
        resampling=warehouse.resampling,
        seed=study.seed,
        alpha=alpha if looks is None else looks.level(alpha),
        reference=study.analysis.deciding,
        relevance=study.analysis.relevance,
        n_values=sum(sum(counts.values()) for counts in cells),
        n_missing=sum(d.n_missing for d in datasets),
        failures=tuple(_failures(warehouse)),
        warnings=tuple(_warnings(warehouse)),
        choices=tuple(_choices(warehouse)),
        readings=tuple(_readings(warehouse)),
        source=study.results.path if study.results else "",
        missing_rule=rule,
        is_table=warehouse.is_table,
        unmeasured=tuple(_unmeasured(warehouse)),
        unit=warehouse.unit,
        costs=study.analysis.costs,
        waiting=_waiting(warehouse),
    )


def _dataset(warehouse: Warehouse, name: str, n_removed: int) -> DatasetDesign:
    """Count one data set's replications and gaps, and average its sample sizes."""
    frame, rows = warehouse.frame, rows_of(warehouse.frame, name)
    numbers, first = np.unique(frame["replication"].to_numpy()[rows], return_index=True)
    n_learn, n_distinct, n_test = (_mean(frame[size].to_numpy()[rows][first]) for size in SIZES)
    n_replications = len(numbers)
    missing = _missing(warehouse, name, n_replications)
    facts = warehouse.facts.get(name, {})
    return DatasetDesign(
        name,
        n_replications,
        sum(missing.values()),
        _count(facts.get("n_observations")),
        _count(facts.get("n_variables")),
        _count(facts.get("n_classes")),
        n_learn,
        n_distinct,
        n_test,
        {candidate: n for candidate, n in missing.items() if n},
        n_replications - len(complete_replications(warehouse, name))
        if warehouse.unit.shares_rows
        else 0,
        n_removed,
        warehouse.resampling_of(name),
        *_setting(facts.get("setting")),
        *_clusters_and_runs(warehouse, name),
        _lost_runs(warehouse, name),
        response=str(facts.get("response", "")),
        response_unit=str(facts.get("response_unit", "")),
        formula=str(facts.get("formula", "")),
        n_measurements=_measurements(warehouse, name),
    )


def _waiting(warehouse: Warehouse) -> dict[str, float]:
    """Return each candidate's largest seconds on the clock for one of the processor."""
    found: dict[str, float] = {}
    for facts in warehouse.facts.values():
        own = facts.get("waiting")
        for name, ratio in own.items() if isinstance(own, Mapping) else ():
            found[str(name)] = max(float(ratio), found.get(str(name), 0.0))
    return found


def _clusters_and_runs(warehouse: Warehouse, name: str) -> tuple[int, int]:
    """Return how many clusters a data set's items are in, and how many runs most of them have."""
    if warehouse.items.empty:
        return 0, 0
    items = warehouse.items[warehouse.items["dataset"] == name]
    if items.empty:
        return 0, 0
    return int(items["cluster"].nunique()), int(items["epoch"].max())


def _lost_runs(warehouse: Warehouse, name: str) -> int:
    """Count the missing values of runs of items that have a value by another run."""
    if warehouse.runs.empty or not warehouse.unit.shares_rows:
        return 0  # a process of which a run is lost is lost
    runs = warehouse.runs[warehouse.runs["dataset"] == name]
    is_known = runs["value"].astype(np.float64).notna()
    if is_known.all():
        return 0
    keys = [runs[key].astype(str) for key in ("replication", "candidate", "measure")]
    return int((~is_known & is_known.groupby(keys).transform("any")).sum())


def _setting(found: object) -> tuple[str, dict[str, str | float]]:
    """Return which data set one is a variant of, and its levels; empty where of none."""
    if not isinstance(found, Mapping):
        return "", {}
    factors = found.get("factors")
    return str(found.get("base", "")), dict(factors) if isinstance(factors, Mapping) else {}


def _measurements(warehouse: Warehouse, dataset: str) -> tuple[int, int] | None:
    """Return the fewest and the most measurements of a candidate, where no two share one."""
    if warehouse.unit.shares_rows or warehouse.unit.is_contest:
        return None
    own = warehouse.frame[rows_of(warehouse.frame, dataset)]
    counts = own.groupby("candidate", observed=True)["replication"].nunique()
    return int(counts.min()), int(counts.max())


def _missing(warehouse: Warehouse, dataset: str, n_replications: int) -> dict[str, int]:
    """Count the cells without a value of every candidate on a data set."""
    rows = rows_of(warehouse.frame, dataset)
    has_value = ~np.isnan(warehouse.frame["value"].to_numpy(np.float64)[rows])
    there = _counts(warehouse, codes_of(warehouse.frame["candidate"])[rows][has_value])
    return {k: n - there[k] for k, n in _cells(warehouse, dataset, n_replications).items()}


def _cells(warehouse: Warehouse, dataset: str, n_replications: int) -> dict[str, int]:
    """Return by candidate how many values the design has on a data set."""
    # Where it went by stages, what it left out is no part of it; nor are more samples of another
    # candidate, nor measures that a task of items lacks.
    rows = rows_of(warehouse.frame, dataset)
    if warehouse.unit.is_nested:
        n_measures = len(np.unique(codes_of(warehouse.frame["measure"])[rows]))
        return dict.fromkeys(warehouse.candidates, n_replications * n_measures)
    if warehouse.unit.is_block and "stages" not in warehouse.resampling:
        return dict.fromkeys(warehouse.candidates, n_replications * len(warehouse.measures))
    return _counts(warehouse, codes_of(warehouse.frame["candidate"])[rows])


def _counts(warehouse: Warehouse, codes: NDArray[np.integer[Any]]) -> dict[str, int]:
    """Return by candidate how often its number is there."""
    counts = np.bincount(codes, minlength=len(warehouse.candidates))
    return dict(zip(warehouse.candidates, counts.tolist(), strict=True))


def _count(fact: object) -> int | None:
    return int(fact) if isinstance(fact, (int, float)) else None


def _mean(values: Iterable[float]) -> float | None:
    known = np.asarray(list(values), dtype=float)
    known = known[np.isfinite(known)]
    return float(known.mean()) if len(known) else None


def _failures(warehouse: Warehouse) -> Iterator[Failure]:
    """Count the failed fits by data set, candidate and reason."""
    by = ("dataset", "candidate", "status", "stage")
    for key, message, n_texts, count in _counted(warehouse, warehouse.failures, by, "message"):
        dataset, candidate, status, stage = key
        yield Failure(dataset, candidate, status, stage, message, count, n_texts)


def _unmeasured(warehouse: Warehouse) -> Iterator[MeasureFailure]:
    """Find measures that have no value on data sets of which something else is known."""
    rows, failures = warehouse.frame, warehouse.failures
    of_measures = failures[failures["stage"] == "measure"]
    there = rows.groupby(["measure", "dataset"], observed=True)["value"].agg(["count", "size"])
    lost = failures[failures["stage"] != "measure"]["dataset"].astype(str).value_counts()
    for measure in warehouse.measures:
        is_reached_or_not = target_exponent(measure.name) is not None
        if is_reached_or_not or measure.name not in there.index.get_level_values("measure"):
            continue
        own = there.loc[measure.name]
        own.index = own.index.astype(str)
        empty = own[(own["count"] == 0) & (own["size"] > lost.reindex(own.index).fillna(0))]
        if empty.empty:
            continue
        names = tuple(map(str, empty.index))
        begin = f"{measure.name}: "
        texts = of_measures[of_measures["dataset"].astype(str).isin(names)]["message"].astype(str)
        reasons = Counter(text.removeprefix(begin) for text in texts if text.startswith(begin))
        reason = min(reasons, key=lambda text: (-reasons[text], text), default="")
        yield MeasureFailure(
            measure.name,
            names,
            len(empty) == len(own),
            int(empty["size"].sum()),
            redact_paths(reason),
        )


def _warnings(warehouse: Warehouse) -> Iterator[FitWarning]:
    """Count the fits that went with a warning by data set, candidate and text."""
    rows = warehouse.remarks[warehouse.remarks["kind"] == "warning"]
    for key, message, n_texts, count in _counted(
        warehouse, rows, ("dataset", "candidate"), "value"
    ):
        yield FitWarning(key[0], key[1], message, count, n_texts)


def _counted(
    warehouse: Warehouse, rows: pd.DataFrame, by: tuple[str, ...], text: str
) -> list[tuple[tuple[str, ...], str, int, int]]:
    """Count the fits behind each text; texts of a candidate that differ in numbers are one."""
    # Folders of the machine are left out of texts.
    # Result: in the study's order, the most frequent text first.
    table = pd.DataFrame({name: rows[name].astype(str) for name in (*by, text)})
    table[text] = table[text].map({value: redact_paths(value) for value in table[text].unique()})
    table["replication"] = rows["replication"]
    masks = {written: NUMBER.sub("0", written) for written in table[text].unique()}
    table["mask"] = table[text].map(masks)
    forms = {
        key: without_varying_numbers(list(group.unique()))
        for key, group in table.groupby(["candidate", "mask"], sort=False)[text]
    }
    counted = [
        (
            tuple(map(str, key[:-1])),
            forms[key[1], key[-1]],
            group[text].nunique(),
            group["replication"].nunique(),
        )
        for key, group in table.groupby([*by, "mask"], sort=False)
    ]
    place = _places(warehouse)
    return sorted(counted, key=lambda row: (*place(row[0][0], row[0][1]), -row[3], row[:2]))


def _places(warehouse: Warehouse) -> Callable[[str, str], tuple[int, int]]:
    """Return a key of the places of a data set and a candidate in the study."""
    datasets = {name: i for i, name in enumerate(warehouse.datasets)}
    candidates = {name: i for i, name in enumerate(warehouse.candidates)}
    return lambda d, c: (datasets.get(d, len(datasets)), candidates.get(c, len(candidates)))


def without_varying_numbers(texts: Sequence[str]) -> str:
    """Write texts that differ in their numbers as one, with dots where the numbers differ.

    Examples
    --------
    >>> without_varying_numbers(["step 3 of 100: 1e-9", "step 7 of 100: 2.5"])
    'step … of 100: …'
    """
    between = NUMBER.split(texts[0])
    numbers = zip(*(NUMBER.findall(text) for text in texts), strict=True)
    kept = [found[0] if len(set(found)) == 1 else "…" for found in numbers]
    return "".join(chain.from_iterable(zip_longest(between, kept, fillvalue="")))


def _readings(warehouse: Warehouse) -> dict[tuple[str, str], None]:
    """Return what was decided while results were read, each once."""
    rows = warehouse.remarks[warehouse.remarks["kind"] == "reading"]
    return dict.fromkeys(zip(rows["name"].astype(str), rows["value"].astype(str), strict=True))


def _choices(warehouse: Warehouse) -> list[HyperparameterChoice]:
    """Summarise the values of every hyperparameter that was chosen, in the study's order."""
    rows = warehouse.remarks[warehouse.remarks["kind"] == "choice"]
    groups = rows.groupby(["dataset", "candidate", "name"], sort=False)
    chosen = [
        _summarise_choice(str(dataset), str(candidate), str(name), list(values.astype(str)))
        for (dataset, candidate, name), values in groups["value"]
    ]
    place = _places(warehouse)
    return sorted(chosen, key=lambda c: place(c.dataset, c.candidate))


def _summarise_choice(
    dataset: str, candidate: str, name: str, values: Sequence[str]
) -> HyperparameterChoice:
    """Summarise the values of one hyperparameter."""
    counts = Counter(values)
    mode, count = counts.most_common(1)[0]
    numbers = [_number(text) for text in values]
    least = median = greatest = None
    if all(isinstance(number, int | float) for number in numbers):
        ordered = np.sort(np.array(numbers, dtype=float))
        least, median, greatest = (float(f(ordered)) for f in (np.min, np.median, np.max))
    return HyperparameterChoice(
        dataset,
        candidate,
        name,
        None if count == 1 and len(counts) > 1 else _number(mode),
        count,
        len(numbers),
        len(counts),
        least,
        median,
        greatest,
    )


def _number(text: str) -> str | int | float:
    """Return the finite number of a text, else the text."""
    for kind in (int, float):
        try:
            number = kind(text)
        except ValueError:
            continue
        if math.isfinite(number):
            return number
    return text
