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
    `sentence`: all of it, with the advantage of the one that it names first, positive (above 1)
    where that is better.

    `scale`: of the pair's measure.
    `dataset`: None over several.
    """
    at = WINS if pair.scale == "wins" else scale
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
    verdict: Any, scale: Scale, dataset: str | None
) -> Mapping[tuple[str, str], Mapping[str, str]]:
    """Return what is said of every pair, read both ways."""
    rows = [p for pair in verdict.pairs for p in (pair, pair.reversed())]
    return {(p.first, p.second): pair_words(p, verdict, scale, dataset) for p in rows}
