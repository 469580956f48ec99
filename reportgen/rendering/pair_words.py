"""A pair of candidates in an author's prose: who is better and by how much, the right way round."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from reportgen.measures import MEASURE_WORDS
from reportgen.notation import NOTHING, WINS, Scale, significant
from reportgen.stats.pair_table import Pair
from reportgen.stats.verdict import Verdict
from reportgen.targets import target_words

NEITHER = "neither"


def pair_words(
    pair: Pair, verdict: Verdict, scale: Scale, dataset: str | None
) -> Mapping[str, str]:
    """Return what is said of a pair, by name; numbers have their units.

    `difference` and `difference-ci`: first minus second, or first divided by second.
    `advantage` and `ci`: by how much, or how many times, the one that is ahead is better: never
    negative (below 1).
    `better`: who is decided to be better, or "neither".
    `sentence`: all of it.

    `scale`: of the pair's measure.
    `dataset`: None over several.
    """
    at = WINS if pair.scale == "wins" else scale
    found = {"better": pair.favoured or NEITHER}
    if pair.estimate is None:
        return found | {"sentence": _sentence(pair, verdict, dataset, "", "")}
    ahead = pair if _is_ahead(pair, verdict) else pair.reversed()
    estimate, bounds = verdict.advantage(ahead)
    found["difference"] = with_unit(at.difference(pair.estimate), at.difference_unit)
    found["advantage"] = with_unit(at.difference(estimate), at.difference_unit)
    intervals = {"difference-ci": (pair.lower, pair.upper), "ci": bounds}
    written = {
        name: at.difference_interval(lower, upper)
        for name, (lower, upper) in intervals.items()
        if lower is not None and upper is not None
    }
    found |= {name: with_unit(words, at.difference_unit) for name, words in written.items()}
    is_decided = pair.favoured is not None
    interval = written.get("ci" if is_decided else "difference-ci", "")
    amount = found["advantage" if is_decided else "difference"]
    shown = f" ({significant(100 * (1 - verdict.alpha))}% interval {interval})" if interval else ""
    named = ahead if is_decided else pair
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
            "better": "; whether the difference is relevant is open" if verdict.relevance else "",
            "slight": "; the difference is inside the area of equivalence",
        }[pair.kind]
        less = f", {_advantage_words(pair, amount)}{interval}" if amount else ""
        return f"{first} is better than {second} {where}{less}{scope}{how}."
    told = f": {_difference_words(pair)} is {amount}{interval}" if amount else ""
    if pair.kind == "equivalent":
        return f"{first} and {second} are equivalent {where}{told}{scope}."
    return f"Neither {first} nor {second} is decided to be better {where}{told}{scope}."


def _advantage_words(pair: Pair, amount: str) -> str:
    if pair.scale == "wins":
        return f"which is ahead on {amount} more of the data sets"
    return f"by a factor of {amount}" if pair.scale == "ratio" else f"by {amount}"


def _difference_words(pair: Pair) -> str:
    if pair.scale == "wins":
        return f"the share of data sets with more {pair.first} minus that with more {pair.second}"
    if pair.scale == "ratio":
        return f"the ratio of {pair.first} to {pair.second}"
    return f"{pair.first} minus {pair.second}"


def with_unit(text: str, unit: str) -> str:
    """Write a number with its unit, in words where the unit is a sign of tables."""
    if not unit or text == NOTHING:
        return text
    written = {"pp": "percentage points"}.get(unit, unit)
    return f"{text}%" if unit == "%" else f"{text}\u00a0{written}"


def words_by_pair(
    verdict: Any, scale: Scale, dataset: str | None
) -> Mapping[tuple[str, str], Mapping[str, str]]:
    """Return what is said of every pair, read both ways."""
    rows = [p for pair in verdict.pairs for p in (pair, pair.reversed())]
    return {(p.first, p.second): pair_words(p, verdict, scale, dataset) for p in rows}
