"""The page of the documents that shows what was measured."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from itertools import product
from types import MappingProxyType
from typing import TYPE_CHECKING

from procedures import GAPS, SKEWNESS, VERDICT

if TYPE_CHECKING:
    from earlier import Reproduced
    from study import Cell

NOMINAL = 0.05
PROMISED = 0.06  # of verdicts
N_HIGHEST = 4  # cells that are named
FAR = 4.0  # standard errors beyond which a cell is marked
NEAR = 2.0

HEAD = """# Size and coverage

How often tests at 5% reject what is true, and how often simultaneous 95% intervals miss one of the
true differences, by simulation. This page is written by `validation/size-and-coverage/study.py`
from the counts in `cells.csv` and `earlier.csv` beside it.

A cell is the share of errors in per cent, ± its Monte Carlo standard error: of a test, of the
family of all pairs, or of the family of intervals (100% less their coverage). **Bold** is above 5%
by more than four standard errors. Columns are candidates / units: replications, or data sets of a
domain. Permutation tests have 199 arrangements, where they are not exact. The promise of a row is
that the rate is *exactly* 5%, *at most* or *nearly* so; *none* where what it assumes does not hold.

Which line to look at: what reports decide by has its own chapter, [the verdict](#the-verdict). Of
the further methods, with candidates that vary alike the pooled variance is exact; else, and when
in doubt, own variances (Holm, Bonferroni, the largest |t| from 50 units on) and sign flips keep
their level. Signed ranks and closed testing keep it for those pairs that are alike whatever the
others are. For the generating process only the comparison for new data is meant."""

VERDICT_HEAD = """## The verdict

Reports decide on a pair by the mean of its own differences: by Student's *t*, corrected for
skewness by Hall's transformation with at most a doubling of either side of the interval, and the
joint law of all pairs from max(50, 4 K) units on, with fewer Bonferroni's inequality. All counts of
this chapter are of that rule: the study calls the function that reports call.

All candidates have one mean here. A cell is the share of families of all pairs in which at least
one interval does not contain 0, and so a pair is decided. Because shifting a candidate shifts its
intervals and changes nothing else, the same share of families of intervals misses one of the true
differences, whatever they are: simultaneous coverage is 100% less the cell.

A report says of its verdict that it is wrong with a probability of about 5% at most where errors
are below 6% here: where differences are symmetric with one mode, or not strongly skewed for the
number of units (`reportgen/stats/pairs/promise.py` has the limits, and a test holds them against
these cells). Elsewhere it names the exception; these cells stand in (brackets). **Bold** is above
6% by more than two Monte Carlo standard errors.

Candidates of skewness 1 (gamma), 2 (exponential), 1.75 and 6.2 (lognormal) have standard deviations
from .1 to 10, so that the difference of two is nearly as skewed as the one that varies more.
*Nearly two values* are -1 or 1 with a noise of .01: symmetric, but n differences of one sign that
hardly vary have the chance of n coins, which is no small one with 6 units and many pairs; *t* does
not know that. *Failures*: the first candidate loses 1 in a tenth of the units, and else nothing
differs but by a noise of .01. The error is the chance that no failure was seen, .9 to the power of
the units, and no statistic knows of it: a report says how rare an event may be unseen. *Real* are
replications of the first candidates of one of 21 data sets of a published benchmark, less their
means; some are more skewed than 4. *15% gaps* is the verdict where as many cells are missing at
random. Where an error hangs on the joint law, its critical value comes from 1,500 draws, or 20,000
where these leave it open; a report draws 20,000."""

EARLIER = """## Figures of other programs, met again

Rates that simulations with other programs had given before. Where several covariances are behind a
figure (equal variances, unequal ones, one bad candidate, correlated neighbours) it is the range
over them, and those behind the earlier ranges are known by kind only. A figure holds where both
ranges meet within three standard errors of their difference."""

TITLES: Mapping[str, str] = MappingProxyType(
    {
        "normal": "Normal candidates, all alike",
        "unequal": "Equal means, unequal variances",
        "tied": "Many ties",
        "partly": "Only half of the candidates alike",
        "process": "For the generating process",
        "domain": "Domains",
        "domain, unequal": "Domains with unequal variances",
    }
)

WORDS: Mapping[str, str] = MappingProxyType(
    {
        "normal": """Replications share a random level; candidates are exchangeable. Everything that
is examined here promises its 5%.""",
        "unequal": """Standard deviations of the candidates from .5 to 2. What pools variances, or
permutes candidates, tests another hypothesis here: that all are alike, which is false.""",
        "tied": """Misclassification rates of 20 test observations, about .17: exchangeable,
discrete, skewed.""",
        "partly": """The others are far from them and from each other. Errors are differences found
among those that are alike: strong control of the family-wise error.""",
        "process": """Nearest centroids of exchangeable features on data sets of 100 observations,
out-of-bag errors of bootstrap replications: on every data set candidates differ, on average over
data sets they do not.""",
        "domain": """Units are data sets of 3 replications; effects of the candidates on the data
sets have one variance.""",
        "domain, unequal": """Effects of the candidates have standard deviations from .5 to 2: the
interaction model does not hold, the unstructured one does.""",
    }
)

OF_VERDICTS: Mapping[str, str] = MappingProxyType(
    {
        "normal": "normal, alike",
        "one bad": "normal, one standard deviation 5, others 1",
        "tied": "errors of 20 test observations",
        "two values": "nearly two values",
        "skewness 1": "skewness 1",
        "skewness 1.75": "skewness 1.75",
        "skewness 2": "skewness 2",
        "skewness 6.2": "skewness 6.2",
        "failures": "failures",
        "real": "real",
    }
)
WITH_GAPS: Mapping[str, str] = MappingProxyType({VERDICT: "", GAPS: ", 15% gaps"})

GROUPS: Mapping[str, str] = MappingProxyType(
    {
        "target": "What a naive t means",
        "corrected t": "Corrected resampled t for the generating process",
        "pooled variance": "Pooled variance without sphericity",
        "few units": "Pairs by their own variances, few units",
        "other": "Other mistakes, and what avoids them",
    }
)


def page(cells: Sequence[Cell], earlier: Sequence[Reproduced]) -> str:
    """Return the page in Markdown."""
    verdicts = [cell for cell in cells if cell.row in WITH_GAPS]
    others = [cell for cell in cells if cell.row not in WITH_GAPS]
    laws = [law for law in TITLES if any(cell.law == law for cell in others)]
    tables = [_law(law, others) for law in laws]
    parts = [HEAD, *_verdicts(verdicts), _summary(others), *tables, *_earlier(earlier)]
    return "\n\n".join(parts) + "\n"


def distance(cell: Cell) -> float:
    """Return how far a rate lies above 5%, in standard errors of a rate of 5%."""
    return float((cell.rate - NOMINAL) / (NOMINAL * (1 - NOMINAL) / cell.n_runs) ** 0.5)


# ------------------------------------------------------------------------------- the verdict


def excess(cell: Cell) -> float:
    """Return how far a rate lies above 6%, in standard errors of a rate of 6%."""
    return float((cell.rate - PROMISED) / (PROMISED * (1 - PROMISED) / cell.n_runs) ** 0.5)


def _verdicts(cells: Sequence[Cell]) -> list[str]:
    """Return what verdicts promise, what became of it, and one table a number of candidates."""
    if not cells:
        return []
    kept = [cell for cell in cells if cell.claim != "none"]
    skewed = [cell for cell in kept if SKEWNESS.get(cell.law)]
    symmetric = [cell for cell in kept if SKEWNESS.get(cell.law) == 0]
    others = [cell for cell in kept if cell.law not in SKEWNESS]
    free = [cell for cell in cells if cell.claim == "none"]
    lines = [
        _kept(symmetric, "of symmetric differences with one mode promise at most 6%"),
        _kept(skewed, "of skewed differences promise at most 6%"),
        _kept(others, "of nearly two values, failures and real differences promise at most 6%"),
        _kept(free, "promise nothing"),
    ]
    candidates = sorted({cell.n_candidates for cell in cells})
    tables = [_of_candidates(k, [c for c in cells if c.n_candidates == k]) for k in candidates]
    return [VERDICT_HEAD, "\n".join(line for line in lines if line), *tables]


def _kept(cells: Sequence[Cell], words: str) -> str:
    """Say how many of some cells lie above 6%, and which are the highest."""
    if not cells:
        return ""
    above = [cell for cell in cells if cell.rate > PROMISED]
    clearly = [cell for cell in cells if excess(cell) > NEAR]
    highest = sorted(cells, key=lambda cell: -cell.rate)[:N_HIGHEST]
    names = "; ".join(f"{_percent(c.rate)}% ({_place(c)})" for c in highest)
    return (
        f"- {len(cells)} cells {words}: {len(above)} lie above 6%, {len(clearly)} by more than two "
        f"standard errors. The highest are {names}."
    )


def _place(cell: Cell) -> str:
    name = OF_VERDICTS[cell.law] + WITH_GAPS[cell.row]
    return f"{name}, K = {cell.n_candidates}, {cell.n_units} units"


def _of_candidates(k: int, cells: Sequence[Cell]) -> str:
    """Return the table of one number of candidates, the units in columns."""
    units = sorted({cell.n_units for cell in cells})
    by_place = {(c.law, c.row, c.n_units): c for c in cells}
    lines = [_line([f"{k} candidates", *(f"{n} units" for n in units)])]
    lines.append(_line(["---", *("---:" for _ in units)]))
    for row, law in product(WITH_GAPS, OF_VERDICTS):
        found = [by_place.get((law, row, n)) for n in units]
        if any(found):
            lines.append(_line([OF_VERDICTS[law] + WITH_GAPS[row], *map(_shown_verdict, found)]))
    runs = ", ".join(f"{n:,}" for n in sorted({cell.n_runs for cell in cells}))
    return "\n".join(lines) + f"\n\nRuns a cell: {runs}."


def _shown_verdict(cell: Cell | None) -> str:
    """Return the rate; bold above 6%, in brackets where nothing is promised."""
    if cell is None:
        return "–"
    text = f"{_percent(cell.rate)} ± {_percent(cell.standard_error)}"
    if cell.claim == "none":
        text = f"({text})"
    return f"**{text}**" if excess(cell) > NEAR else text


# --------------------------------------------------------------------------------- in short


def _summary(cells: Sequence[Cell]) -> str:
    """Say how the promises were kept."""
    lines = ["## In short", ""]
    exact = [distance(cell) for cell in cells if cell.claim == "exact"]
    if exact:
        near = sum(abs(z) <= NEAR for z in exact)
        lines.append(
            f"- {len(exact)} cells promise exactly 5%: {near} ({near / len(exact):.0%}) lie within "
            f"two standard errors of it, the farthest {max(map(abs, exact)):.1f} away."
        )
    most = [distance(cell) for cell in cells if cell.claim == "at most"]
    if most:
        above = sum(z > NEAR for z in most)
        lines.append(
            f"- {len(most)} promise at most 5%: {above} lie above by more than two standard "
            f"errors, the highest by {max(most):.1f}."
        )
    return "\n".join([*lines, *_nearly(cells), *_worst(cells)])


def _nearly(cells: Sequence[Cell]) -> list[str]:
    """Give the range of what is approximate, by the number of units."""
    lines = []
    for units in sorted({cell.n_units for cell in cells}):
        rates = [c.rate for c in cells if c.claim == "nearly" and c.n_units == units]
        if rates:
            ends = f"{_percent(min(rates))} to {_percent(max(rates))}%"
            lines.append(f"- {len(rates)} promise it nearly with {units} units: {ends}.")
    return lines


def _worst(cells: Sequence[Cell]) -> list[str]:
    """Name what errs too often where nothing is promised."""
    free = sorted((c for c in cells if c.claim == "none"), key=lambda c: -c.rate)
    marked = [cell for cell in free if distance(cell) > FAR]
    if not marked:
        return []
    names = (f"{cell.row} ({TITLES[cell.law].lower()})" for cell in marked)
    rows, worst = "; ".join(dict.fromkeys(names)), marked[0]
    size = f"{worst.n_candidates} candidates and {worst.n_units} units"
    return [
        f"- Where their assumptions do not hold, these err too often somewhere: {rows}.",
        f"- The most of these: {worst.row}, {_percent(worst.rate)}% with {size}.",
    ]


# ----------------------------------------------------------------------------------- tables


def _law(law: str, cells: Sequence[Cell]) -> str:
    own = [cell for cell in cells if cell.law == law]
    parts = [f"## {TITLES[law]}", WORDS[law]]
    for kind, head in (("test", "Tests"), ("intervals", "Simultaneous intervals")):
        of_kind = [cell for cell in own if cell.kind == kind]
        if of_kind:
            parts.append(_table(head, of_kind))
    return "\n\n".join(parts)


def _table(head: str, cells: Sequence[Cell]) -> str:
    """Return one row a procedure, one column a size."""
    sizes = sorted({(c.n_candidates, c.n_units) for c in cells})
    by_place = {(c.row, c.n_candidates, c.n_units): c for c in cells}
    lines = [_line([head, "promise", *(f"{k} / {n}" for k, n in sizes)])]
    lines.append(_line(["---", "---", *("---:" for _ in sizes)]))
    for row, claim in dict.fromkeys((c.row, c.claim) for c in cells):
        found = (by_place.get((row, k, n)) for k, n in sizes)
        lines.append(_line([row.replace("|", "\\|"), claim, *map(_shown, found)]))
    return "\n".join(lines)


def _line(entries: Iterable[str]) -> str:
    return "| " + " | ".join(entries) + " |"


def _shown(cell: Cell | None) -> str:
    if cell is None:
        return "–"
    text = f"{_percent(cell.rate)} ± {_percent(cell.standard_error)}"
    return f"**{text}**" if distance(cell) > FAR else text


def _percent(rate: float) -> str:
    return f"{100 * rate:.1f}"


def _earlier(found: Sequence[Reproduced]) -> list[str]:
    """Return the tables of earlier figures."""
    if not found:
        return []
    parts = [EARLIER, f"{sum(one.holds for one in found)} of {len(found)} hold."]
    for group, title in GROUPS.items():
        own = [one for one in found if one.group == group]
        head = [[title, "earlier", "here", "holds"], ["---", "---:", "---:", "---"]]
        if own:
            parts.append("\n".join(map(_line, [*head, *map(_figure, own)])))
    return parts


def _figure(one: Reproduced) -> list[str]:
    here = f"{_range(one.low, one.high)} ± {one.error:.3f}"
    verdict = "yes" if one.holds else "no"
    return [one.figure, _range(one.earlier_low, one.earlier_high), here, verdict]


def _range(low: float, high: float) -> str:
    texts = list(dict.fromkeys(f"{value:.4g}" for value in (round(low, 4), round(high, 4))))
    return " to ".join(texts)
