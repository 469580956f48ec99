"""Numbers of a report by name, as an author's manuscript takes them.

`variables` returns them as a tree: data set, measure, candidate, number. A name is a slug of what
the study calls it; names that would be the same get a number.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from math import isfinite
from typing import Any

from reportgen import notation
from reportgen.data_classes import dataclass
from reportgen.measures import MEASURE_WORDS
from reportgen.notation import NOTHING, SHARES, NumberFormat, significant
from reportgen.performance_measure import Measure
from reportgen.rendering.names import distinct, slug
from reportgen.rendering.results_json import plain
from reportgen.report import Design, Report
from reportgen.stats.pair_table import Pair, PairTable
from reportgen.stats.verdict import Verdict
from reportgen.targets import target_words

VALUES = ("mean", "median", "min", "max", "lower_quartile", "upper_quartile")
DIFFERENCES = ("estimate", "lower", "upper")
ACROSS = "domain"  # the numbers of all data sets together
STUDY = "study"
MOST_PAIRS = 3000  # of data sets that have names
MOST_TOLD = 1500  # that have words, too, and are read both ways: LaTeX holds no more

Tree = dict[str, Any]

NEITHER = "neither"


@dataclass(frozen=True, slots=True)
class Variables:
    """The numbers of a report by name."""

    # Texts as a report writes them with their units, under slugs; under `exact` the same numbers
    # with all digits.
    tree: Tree
    changed: Mapping[str, str]  # slugs of names that had to be changed, by name
    # Of these, names whose slug another has already, with the slug that they got.
    collisions: tuple[tuple[str, str], ...]
    main: str = ""  # slug of the main measure, which a key may leave out

    def by_key(self) -> Iterator[tuple[str, str]]:
        """Yield every key with its text: `monks3.misclassification.svm.mean`.

        The main measure may be left out, and stands there both ways: `monks3.svm.mean`.
        """
        for path, value in _leaves(self.tree):
            yield ".".join(path), str(value)
            place = 2 if path[0] == "exact" else 1
            if len(path) == place + 3 and path[place] == self.main:
                yield ".".join((*path[:place], *path[place + 1 :])), str(value)


def _leaves(tree: Mapping[str, Any], path: tuple[str, ...] = ()) -> Iterator[tuple[Any, Any]]:
    for key, value in tree.items():
        if isinstance(value, Mapping):
            yield from _leaves(value, (*path, key))
        else:
            yield (*path, key), value


def variables(report: Report) -> Variables:
    """Return the numbers of a report by name.

    Result: `tree["monks3"]["misclassification"]["svm"]["mean"]` is "3.16%".
    """
    design = report.design
    reserved = (ACROSS, STUDY, "exact")
    datasets = distinct([*reserved, *(d.name for d in design.datasets)])
    measures = distinct(m.name for m in design.measures)
    candidates = distinct(design.candidates)
    texts: Tree = {STUDY: _study(report.design)}
    exact: Tree = {}
    measured = list(_measured(report))
    has_words = sum(len(verdict.pairs) for *_, verdict in measured if verdict) <= MOST_TOLD
    is_of_several = len(design.datasets) > 1
    for dataset, measure, values, verdict in measured:
        pairs = () if verdict is None else verdict.pairs
        number_format = _format_of(measure, values, pairs)
        place = (datasets.get(dataset, dataset), measures[measure.name])
        for candidate, numbers in values.items():
            _put(exact, (*place, candidates[candidate]), numbers)
            written = {k: _value(k, v, number_format) for k, v in numbers.items()}
            _put(texts, (*place, candidates[candidate]), written)
        own = None if dataset == ACROSS else dataset
        words: Mapping[tuple[str, str], Mapping[str, str]] = {}
        if verdict is not None and has_words:
            words = words_by_pair(verdict, number_format, own if is_of_several else None)
        for pair in (p for row in pairs for p in ((row, row.reversed()) if has_words else (row,))):
            key = f"{candidates[pair.first]}-vs-{candidates[pair.second]}"
            numbered = ((k, getattr(pair, k)) for k in (*DIFFERENCES, "adjusted_p_value"))
            known = {k: float(v) for k, v in numbered if v is not None}
            _put(exact, (*place, key), known)
            limits = known.get("lower"), known.get("upper")
            said = {k: _difference(k, v, number_format, limits) for k, v in known.items()}
            said |= {"decision": pair.decision}
            _put(texts, (*place, key), said | dict(words.get((pair.first, pair.second), {})))
    slugs = {**candidates, **measures, **datasets}
    return Variables(
        texts | {"exact": exact},
        {name: slug for name, slug in slugs.items() if name != slug},
        tuple(_collisions((datasets, measures, candidates))),
        next(iter(measures.values()), ""),
    )


def _study(design: Design) -> Tree:
    """Return the sizes of a study."""
    sizes = sorted({dataset.n_replications for dataset in design.datasets})
    several = " to ".join(notation.number(float(n), 0) for n in (sizes[0], sizes[-1]))
    return {
        "datasets": notation.number(float(len(design.datasets)), 0),
        "candidates": notation.number(float(len(design.candidates)), 0),
        "replications": several if len(sizes) > 1 else notation.number(float(sizes[0]), 0),
        "seed": str(design.seed),
        "alpha": f"{design.alpha:g}",
        "missing": notation.number(float(design.n_missing), 0),
    }


def _measured(
    report: Report,
) -> Iterator[tuple[str, Measure, Mapping[str, Mapping[str, float]], Verdict | None]]:
    """Yield the values of candidates and the verdict, of each data set and measure, then of all."""
    found = {(content.name, content.dataset): content.result for content in report.contents}
    design = report.design
    n = len(design.candidates)
    n_pairs = len(design.datasets) * len(design.measures) * n * (n - 1) // 2
    for dataset in (d.name for d in design.datasets):
        explored, inferred = (found.get((name, dataset), {}) for name in ("eda", "inference"))
        for measure in design.measures:
            seen, verdict = explored.get(measure.name), inferred.get(measure.name)
            values = {} if seen is None else {s.candidate: _numbers(s) for s in seen.summary}
            has_pairs = verdict is not None and len(verdict.pairs) and n_pairs <= MOST_PAIRS
            if values or has_pairs:
                yield dataset, measure, values, verdict if has_pairs else None
    if ("domain", None) in found:
        for verdict in found["domain", None].verdict.values():
            means = {name: {"mean": x} for name, x in verdict.means.items() if isfinite(x)}
            yield ACROSS, verdict.measure, means, verdict


def _numbers(row: Any) -> dict[str, float]:
    """Return the numbers of a row, without those that are missing."""
    return {k: v for k, v in plain(row).items() if isinstance(v, int | float)}


def _format_of(
    measure: Measure, values: Mapping[str, Mapping[str, float]], pairs: PairTable | tuple[()]
) -> NumberFormat:
    means = [row["mean"] for row in values.values() if "mean" in row]
    found = notation.number_format(measure, means)
    return found.of_ratios() if pairs and pairs.scale == "ratio" else found


def _value(name: str, x: float, number_format: NumberFormat) -> str:
    """Write a number of a candidate."""
    if name in VALUES:
        return with_unit(number_format.value(x), number_format.unit_symbol)
    if name == "sd":
        return with_unit(number_format.value(x), number_format.difference_unit)
    return notation.number(float(x), 0 if float(x).is_integer() else 2)


def _difference(name: str, x: float, number_format: NumberFormat, limits: notation.Interval) -> str:
    """Write a number of a pair."""
    if name == "adjusted_p_value":
        return notation.pvalue(x)
    return with_unit(number_format.difference(x, limits), number_format.difference_unit)


def _put(tree: Tree, place: Sequence[str], numbers: Mapping[str, Any]) -> None:
    for key in place:
        tree = tree.setdefault(key, {})
    tree |= {re.sub(r"_", "-", key): value for key, value in numbers.items()}


def _collisions(groups: Sequence[Mapping[str, str]]) -> Iterator[tuple[str, str]]:
    """Yield names whose slug another name has already, with the slug that they got."""
    for names in groups:
        yield from ((name, found) for name, found in names.items() if found != slug(name))


def pair_words(
    pair: Pair, verdict: Verdict, number_format: NumberFormat, dataset: str | None
) -> Mapping[str, str]:
    """Return what is said of a pair, by name; numbers have their units.

    `difference` and `difference-ci`: first minus second, or first divided by second.
    `advantage` and `ci`: by how much, or how many times, the one that is ahead is better: never
    negative (below 1).
    `better`: who is decided to be better, or "neither".
    `sentence`: all of it, with the advantage of the one that it names first, positive (above 1)
    where that is better.

    `number_format`: of the pair's measure.
    `dataset`: None over several.
    """
    at = SHARES if pair.scale == "wins" else number_format
    found = {"better": pair.favoured or NEITHER}
    if pair.estimate is None:
        return found | {"sentence": _sentence(pair, verdict, dataset, "", "")}
    ahead = pair if _is_ahead(pair, verdict) else pair.reversed()
    estimate, bounds = verdict.advantage(ahead)
    found["difference"] = with_unit(
        at.difference(pair.estimate, (pair.lower, pair.upper)), at.difference_unit
    )
    found["advantage"] = with_unit(at.difference(estimate, bounds), at.difference_unit)
    intervals = {"difference-ci": (pair.lower, pair.upper), "ci": bounds}
    written = {
        name: at.difference_interval(lower, upper)
        for name, (lower, upper) in intervals.items()
        if lower is not None and upper is not None
    }
    found |= {name: with_unit(words, at.difference_unit) for name, words in written.items()}
    is_decided = pair.favoured is not None
    named = ahead if is_decided else pair
    estimate, bounds = verdict.advantage(named)
    amount = with_unit(at.difference(estimate, bounds), at.difference_unit)
    interval = at.difference_interval(*bounds) if written else ""
    shown = f" ({significant(100 * (1 - verdict.alpha))}% interval {interval})" if interval else ""
    return found | {"sentence": _sentence(named, verdict, dataset, amount, shown)}


def _is_ahead(pair: Pair, verdict: Verdict) -> bool:
    """Whether the first is decided better or, where nothing is, has the better estimate."""
    if pair.way:
        return pair.way > 0
    none = 1.0 if pair.scale == "ratio" else 0.0
    estimate = none if pair.estimate is None else pair.estimate
    return estimate <= none if verdict.measure.is_smaller_better else estimate >= none


def _sentence(pair: Pair, verdict: Verdict, dataset: str | None, amount: str, interval: str) -> str:
    """Say what is decided of a pair; where one is better it stands first."""
    measure = MEASURE_WORDS.get(verdict.measure.name, verdict.measure.name)
    where = f"in {measure}" + (f" on {dataset}" if dataset else "")
    target = getattr(verdict, "deciding_target", "")
    scope = f", {target_words(target, getattr(verdict, 'n_datasets', 0))}" if target else ""
    first, second = pair.first, pair.second
    if pair.favoured:
        how = {
            "relevant": "; the difference is relevant",
            "better": "; its relevance is not established" if verdict.relevance else "",
            "slight": "; the difference is inside the area of equivalence",
        }[pair.kind]
        less = f", {_advantage_words(pair, amount)}{interval}" if amount else ""
        return f"{first} is better than {second} {where}{less}{scope}{how}."
    told = f": {_words_of_advantage(pair)} is {amount}{interval}" if amount else ""
    if pair.kind == "equivalent":
        return f"{first} and {second} are equivalent {where}{told}{scope}."
    alike = f"There is no significant difference between {first} and {second} {where}"
    return f"{alike}{told}{scope}."


def _advantage_words(pair: Pair, amount: str) -> str:
    if pair.scale == "wins":
        return f"which is ahead on {amount} more of the data sets"
    return f"by a factor of {amount}" if pair.scale == "ratio" else f"by {amount}"


def _words_of_advantage(pair: Pair) -> str:
    if pair.scale == "wins":
        return f"the surplus of data sets on which {pair.first} is ahead"
    kind = ", as a factor," if pair.scale == "ratio" else ""
    return f"the advantage of {pair.first}{kind}"


def with_unit(text: str, unit: str) -> str:
    """Write a number with its unit, in words where the unit is a sign of tables."""
    if not unit or text == NOTHING:
        return text
    written = {"pp": "percentage points"}.get(unit, unit)
    return f"{text}%" if unit == "%" else f"{text}\u00a0{written}"


def words_by_pair(
    verdict: Verdict, number_format: NumberFormat, dataset: str | None
) -> Mapping[tuple[str, str], Mapping[str, str]]:
    """Return what is said of every pair, read both ways."""
    rows = [p for pair in verdict.pairs for p in (pair, pair.reversed())]
    return {(p.first, p.second): pair_words(p, verdict, number_format, dataset) for p in rows}
