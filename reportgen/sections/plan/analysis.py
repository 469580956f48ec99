"""How much is enough: data sets, splits, seeds, items or battles that detect a difference.

A pilot, or guesses, give components of variance; every design has a power and a cost, and the
cheapest one with the power that is asked for is the plan. Power over data sets, items and
replications is that of studies drawn from the pilot's own differences, moved to the difference
to detect. The section plans from the results of this study, as `reportgen plan` does.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from dataclasses import field
from functools import partial
from itertools import product
from math import comb, inf, log, log1p, prod, sqrt
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
from numpy.random import Generator
from scipy.special import chdtri

from reportgen.data_classes import HIDDEN, dataclass
from reportgen.errors import StudyError
from reportgen.file_writing import write_bytes
from reportgen.notation import NumberFormat, number, number_format
from reportgen.performance_measure import Measure
from reportgen.sections.expectations.analysis import Question, questions_of
from reportgen.sections.expectations.levels import levels_of
from reportgen.sections.expectations.power import (
    MeanDifferences,
    MeanError,
    Signs,
    drawable,
    unit_of,
    widening,
)
from reportgen.sections.plan import Options
from reportgen.sections.variation.analysis import values_of
from reportgen.stats.arrays import Array
from reportgen.stats.blocks.crossed_factors import OUTER, Term, components_of, mean_variance
from reportgen.stats.distributions.tails import cdf, t_quantile
from reportgen.stats.frame import Columns, Tabular, text_table
from reportgen.stats.pairs.paired_max_t import FEWEST_UNITS
from reportgen.stats.pairs.pilot import (
    PossibleLaw,
    drawn_intervals,
    least_number,
    possible_laws,
    safe_number,
)
from reportgen.stats.ranking import best_first
from reportgen.study.errors import listed, shown
from reportgen.study.manifest import Study
from reportgen.study.schema.options import AnalysisOptions, Expectation, PlanEntry
from reportgen.warehouse import Warehouse

MOST_UNITS = 100_000
MOST_SD = 1e100  # beyond it squares and their sums are no numbers
MOST_DRAWN = 5_000  # units of a study that is drawn
N_DRAWS = 1_000  # studies of which a share is told; 400 of each number that is tried
N_SEARCHED = 400
FEWEST_PILOT = 6  # units of a pilot that has an error
SAFE = 0.8  # level of the upper limit of a pilot's variance, for the number on the safe side
LEVELS = (1, 2, 3, 5, 10, 20, 50)  # of splits, seeds and the like, that designs have
MOST_DESIGNS = 5  # that are told, the cheapest first
N_CURVE = 24  # numbers of each curve
FIGURES = (".svg", ".pdf", ".png")
DETECT = re.compile(
    r"\s*(?P<x>\d+(?:\.\d*)?|\.\d+)\s*(?P<unit>pp|points?|percentage points|%|)\s*", re.IGNORECASE
)
ALLOWED = "a size such as 0.5pp (of shares), 5% (of ratios), or a number in the measure's unit"
WORDS = {OUTER: "data sets", "split": "splits", "seed": "seeds", "tuning": "searches"}
SINGLE = {"tuning": "search"}


def analyse(warehouse: Warehouse, options: Options, rng: Generator, **sections: Any) -> PlanResult:
    """Say how much is enough by the main measure.

    `sections`: results of the sections that `options.required_sections` names, where they apply.
    Raises StudyError if the options have no plan, or one of a size or a name that is none.
    """
    if options.plan is None:
        raise StudyError(
            "section plan: found no analysis: {plan: …}; allowed {plan: {detect: 1pp}}"
        )
    measure = warehouse.measures[0]
    try:
        plan = plan_study(warehouse, measure.name, options.plan, options, sections, rng)
    except NoPilotError:
        plan = None
    is_ratio = plan is not None and plan.is_ratio
    return PlanResult(measure.name, is_ratio, plan, measure)


@dataclass(frozen=True)
class PlanResult:
    """How much is enough to detect a difference of the main measure.

    Attributes
    ----------
    measure : str
    is_ratio : bool
        Whether differences are logarithms of ratios.
    plan : Plan or None
        None where the results have no error of the difference.
    measured : Measure
    """

    measure: str
    is_ratio: bool
    plan: Plan | None
    measured: Measure = field(metadata=HIDDEN)

    @property
    def number_format(self) -> NumberFormat:
        """How differences are written."""
        return NumberFormat(1.0, "", "", 3) if self.plan is None else self.plan.number_format

    @property
    def is_enough(self) -> bool:
        """Whether some number is enough with all else kept."""
        return self.plan is not None and self.plan.enough < inf

    @property
    def has_worst(self) -> bool:
        """Whether a number at worst is known, and above the other."""
        return self.plan is not None and self.plan.enough < self.plan.safe < inf

    @property
    def cheapest(self) -> Design | None:
        """The design that costs least."""
        return self.plan.designs[0] if self.plan is not None and self.plan.designs else None


def parse_size(text: str | float, measure: Measure, *, is_ratio: bool) -> float:
    """Read a difference, on the scale of comparison: of ratios its logarithm.

    Raises StudyError if it is no size of such a measure.

    Examples
    --------
    >>> parse_size("0.5pp", Measure("misclassification", unit_symbol="share"), is_ratio=False)
    0.005
    >>> round(parse_size("5%", Measure("seconds", unit_symbol="s"), is_ratio=True), 4)
    0.0488
    """
    match = DETECT.fullmatch(str(text))
    size = float(match["x"]) if match else 0.0
    unit = match["unit"].lower() if match else ""
    if unit in ("pp", "point", "points", "percentage points") and not is_ratio:
        found = size / 100 if measure.unit_symbol == "share" else size
    elif unit == "%" and is_ratio:
        found = log1p(size / 100)
    elif not unit and match:
        found = (log(size) if size > 1 else 0.0) if is_ratio else size
    else:
        found = 0.0
    if not found > 0:
        kind = "compared by ratio" if is_ratio else f"of the unit {measure.unit_symbol or '1'}"
        raise StudyError(
            f"--detect: found {shown(str(text))} for {measure.name}, {kind}; allowed {ALLOWED}"
        )
    return found


@dataclass(frozen=True, slots=True)
class Pilot:
    """What is known of the difference of two candidates before a study is planned."""

    unit: str  # what the number is of that a verdict rests on, in words: "data sets", "items", …
    n: int  # units of the pilot; 0 of guesses
    # components of one value: of data sets under ("dataset",), of splits and runs by their names,
    # the rest under (). With one kind of unit alone that under ("unit",).
    variances: Mapping[Term, float]
    counts: Mapping[str, int]  # levels of what varies inside a unit
    # of the units, from which studies are drawn; None where a normal law is supposed
    differences: Array | None = None
    # degrees of freedom of the pilot's standard error, where that does not follow from the number
    # of units
    df: float | None = None

    def inside(self, counts: Mapping[str, int]) -> float:
        """Return the variance that a unit's mean has by what varies inside it."""
        inner = {t: v for t, v in self.variances.items() if t not in ((OUTER,), ("unit",))}
        return mean_variance(inner, counts) if inner else 0.0

    @property
    def between(self) -> float:
        """The variance between units."""
        return self.variances.get((OUTER,), self.variances.get(("unit",), 0.0))

    def variance(self, counts: Mapping[str, int]) -> float:
        """Return the variance of one unit."""
        return self.between + self.inside(counts)


@dataclass(frozen=True, slots=True)
class Design:
    """One design: how many of what, its power, and what it costs.

    Attributes
    ----------
    n : int
        Units.
    counts : mapping of str to int
        Of what varies inside a unit.
    power : float
        Where further differences are like the pilot's.
    half_width, cost : float
    safe : float or None
        Units with that power where they are as skewed as the pilot can hide; None where that is
        not known.
    """

    n: int
    counts: Mapping[str, int]
    power: float
    half_width: float
    cost: float
    safe: float | None = None

    @property
    def n_values(self) -> int:
        """Values of a candidate."""
        return self.n * prod(self.counts.values())


@dataclass(frozen=True, repr=False)
class Plan(Tabular):
    """How much is enough to detect a difference.

    Attributes
    ----------
    measure : str
    first, second : str
        The pair; "" of guesses.
    measured : Measure
    detect : float
        The difference, on the scale of comparison.
    told : str
        The difference as it was asked for.
    power : float
        With which it is to be detected.
    alpha : float
        Error probability of the family.
    n_comparisons : int
        Pairs that share alpha.
    unit : str
        What the verdict rests on.
    now : Design or None
        The pilot.
    enough : float
        Units that are enough with all else as in the pilot; infinite where none are.
    safe : float
        Units that are enough where differences are as skewed, and vary as much, as the pilot can
        hide; where no differences of units are known, were the variance the upper limit of its
        interval (80%, one-sided).
    designs : tuple of Design
        With that power, the cheapest first.
    curves : mapping of str to tuple of (int, float)
        Half width of the interval by the number of units, and of every factor inside them.
    cost_unit : str
        "fits", "seconds", or "" of other numbers.
    is_drawn : bool
        Whether power is that of studies drawn from the pilot.
    is_ratio : bool
        Whether differences are logarithms of ratios.
    """

    measure: str
    first: str
    second: str
    measured: Measure = field(metadata=HIDDEN)
    detect: float
    told: str
    power: float
    alpha: float
    n_comparisons: int
    unit: str
    now: Design | None
    enough: float
    safe: float
    designs: tuple[Design, ...]
    curves: Mapping[str, tuple[tuple[int, float], ...]] = field(default_factory=dict)
    cost_unit: str = "fits"
    is_drawn: bool = False
    is_ratio: bool = False

    def to_columns(self) -> Columns:
        """Return a row a design: `n` units, counts, `power`, `half_width` and `cost`."""
        names = list(dict.fromkeys(name for d in self.designs for name in d.counts))
        return {
            "n": [d.n for d in self.designs],
            **{many(k): [d.counts.get(k, 1) for d in self.designs] for k in names},
            **({"safe": [d.safe for d in self.designs]} if self.is_drawn else {}),
            "power": [d.power for d in self.designs],
            "half_width": [d.half_width for d in self.designs],
            "cost": [d.cost for d in self.designs],
        }

    @property
    def number_format(self) -> NumberFormat:
        """How differences are written."""
        if self.is_ratio:
            return NumberFormat(1.0, "", "", 3)
        return number_format(self.measured, [self.detect])

    @property
    def numbers(self) -> dict[str, int]:
        """The numbers that there are, by what `curves` calls them."""
        if self.now is None:
            return {}
        return {self.unit: self.now.n, **{many(k): n for k, n in self.now.counts.items()}}

    @property
    def lines(self) -> tuple[str, ...]:
        """The plan in words."""
        pair = f" between {self.first} and {self.second}" if self.second else ""
        over = f" over {self.n_comparisons} pairs" if self.n_comparisons > 1 else ""
        found = [
            (
                f"{self.measure}: to detect {self.told}{pair} with a probability of "
                f"{self.power:.0%}, at {100 * self.alpha:g}%{over}"
            )
        ]
        if self.now is not None:
            found.append(
                f"  now {self.now.n:,} {self.unit}{_counts(self.now.counts)}: detected with a "
                f"probability of {self.now.power:.0%}"
            )
        if self.enough < inf:
            found.append(f"  with all else kept: {self.enough:,.0f} {self.unit}{self._range}")
        else:
            found.append(f"  with all else kept: no number of {self.unit} up to {MOST_UNITS:,}")
        for i, d in enumerate(self.designs):
            head = "  costs least: " if not i else "  or "
            places = 0 if d.cost >= 100 or d.cost == int(d.cost) else 1
            cost = f"{number(d.cost, places)} {self.cost_unit}".strip()
            up = "" if d.safe is None or d.safe == inf else f"; {d.safe:,.0f} at worst"
            found.append(
                f"{head}{d.n:,} {self.unit}{_counts(d.counts)} ({cost}, power {d.power:.0%}{up})"
            )
        law = (
            f"{N_DRAWS:,} studies drawn from the pilot's differences, good for 3 points; at worst: "
            "lognormal differences up to a skewness of 6 of which it may be a sample. What occurs "
            "in few units and was not seen is in neither number"
            if self.is_drawn
            else "by the normal law"
        )
        found.append(f"({law})")
        return tuple(found)

    @property
    def _range(self) -> str:
        """The number on the safe side, in words."""
        if not self.is_drawn:
            return f", {self.safe:,.0f} on the safe side" if self.safe < inf else ""
        if self.safe <= self.enough:
            return " if further ones are like these, no more at worst"
        end = f"{self.safe:,.0f}" if self.safe < inf else f"more than {MOST_UNITS:,}"
        return f" if further ones are like these, {end} at worst"

    def figure(self, file: str | Path) -> Path:
        """Draw half widths of the interval against each number, all else kept; SVG, PDF or PNG.

        A dashed line is the difference to detect, a light one the number that there is.
        """
        from reportgen.drawing.canvas import Canvas
        from reportgen.drawing.plots.half_widths import draw_half_widths

        path = Path(file)
        if path.suffix.lower() not in FIGURES:
            raise StudyError(
                f"figure: found {path.name}; allowed a name that ends in .svg, .pdf, .png"
            )
        canvas = Canvas({}, "half-widths")
        write_bytes(path, canvas.pictures(partial(draw_half_widths, self))[path.suffix.lower()[1:]])
        return path

    def __str__(self) -> str:
        return "\n".join(self.lines)

    def __repr__(self) -> str:
        return f"Plan: {self.lines[0]}\n{text_table(self.to_columns())}"

    def _repr_html_(self) -> str:
        from html import escape

        return f"<pre>{escape(str(self))}</pre>"


def many(name: str) -> str:
    """Return what several levels of a source are called."""
    return WORDS.get(name, name if name.endswith("s") else f"{name}s")


def _counts(counts: Mapping[str, int]) -> str:
    """Write what is inside a unit."""
    parts = [f"{n:,} {SINGLE.get(k, k) if n == 1 else many(k)}" for k, n in counts.items()]
    return f" of {' x '.join(parts)}" if parts else ""


def make_plan(
    pilot: Pilot,
    *,
    measure: str,
    pair: tuple[str, str],
    measured: Measure,
    detect: float,
    told: str,
    power: float,
    alpha: float,
    n_comparisons: int,
    costs: Mapping[str, float],
    cost_unit: str,
    n_candidates: int,
    rng: Generator,
    is_ratio: bool = False,
) -> Plan:
    """Find how many units are enough, and the design that costs least.

    `pilot`: of the difference; its sign such that the difference to detect is positive.
    `costs`: of a "fit" (of all candidates on one split, with one seed), and of a "unit".
    """
    own = _Planner(
        pilot, detect, alpha / n_comparisons, power, costs, n_candidates, int(rng.integers(2**63))
    )
    enough = own.needed(pilot.counts)
    laws = own.laws()
    if pilot.differences is not None:
        safe, shape = own.worst(pilot.counts, enough, laws)
        laws = tuple(law for law in laws if law.shape == shape) or laws
    else:
        df = pilot.df or max(1.0, pilot.n - 1.0)
        safe = own.needed(pilot.counts, df / float(chdtri(df, SAFE))) if pilot.n > 1 else inf
    return Plan(
        measure,
        *pair,
        measured,
        detect,
        told,
        power,
        alpha,
        n_comparisons,
        pilot.unit,
        own.design(pilot.n, pilot.counts) if pilot.n >= FEWEST_UNITS else None,
        enough,
        safe,
        own.designs(safe, laws),
        own.curves(enough),
        cost_unit,
        pilot.differences is not None,
        is_ratio,
    )


@dataclass(frozen=True, slots=True)
class _Planner:
    """Looks for numbers of units that detect a difference; every search has the same draws."""

    pilot: Pilot
    detect: float
    level: float  # of one comparison
    power: float
    costs: Mapping[str, float]
    n_candidates: int
    seed: int

    def power_of(self, n: int, counts: Mapping[str, int], draws: int, more: float = 1.0) -> float:
        """Return the power of n units; `more` times the variance."""
        rng = np.random.default_rng(self.seed)
        return _power(self.pilot, n, counts, self.detect, self.level, draws, rng, more)

    def needed(self, counts: Mapping[str, int], more: float = 1.0) -> float:
        """Return the least number of units with the power that is wanted."""
        rough = _rough(self.pilot, counts, self.detect, self.level, self.power, more)
        if rough == inf:
            return inf
        found = least_number(
            lambda n: self.power_of(n, counts, N_SEARCHED, more),
            self.power,
            round(rough),
            MOST_UNITS,
        )
        while found < MOST_UNITS and self.power_of(int(found), counts, N_DRAWS, more) < self.power:
            found += max(1, found // 20)
        return found

    def laws(self) -> tuple[PossibleLaw, ...]:
        """Return the laws that may have given the pilot's differences."""
        if self.pilot.differences is None:
            return ()
        return possible_laws(self.pilot.differences, np.random.default_rng(self.seed))

    def worst(
        self, counts: Mapping[str, int], start: float, among: tuple[PossibleLaw, ...]
    ) -> _Worst:
        """Return how many units are enough under the law that takes most."""
        assert self.pilot.differences is not None
        between, inside = self.pilot.between, self.pilot.inside(counts)
        is_own = dict(counts) == dict(self.pilot.counts)
        spread = float(self.pilot.differences.std(ddof=1))
        found = safe_number(
            among,
            spread if is_own else sqrt(between + inside),
            lambda lower, _: lower + self.detect > 0,
            level=self.level,
            wanted=self.power,
            start=int(min(start, MOST_UNITS)),
            most=MOST_UNITS,
            seed=self.seed,
            share=1.0 if is_own else between / (between + inside or 1.0),
        )
        return _Worst(max(found[0], start), found[1])

    def cost(self, n: float, counts: Mapping[str, int]) -> float:
        """Return what n units cost."""
        fits = prod(counts.values()) * self.n_candidates
        return n * (self.costs.get("unit", 0.0) + self.costs["fit"] * fits)

    def design(self, n: int, counts: Mapping[str, int], safe: float | None = None) -> Design:
        """Describe a design of n units."""
        width = _half_width(self.pilot, n, counts, self.level)
        power = self.power_of(n, counts, N_DRAWS)
        return Design(n, dict(counts), power, width, self.cost(n, counts), safe)

    def designs(self, safe: float, laws: tuple[PossibleLaw, ...]) -> tuple[Design, ...]:
        """Return designs that are enough, the cheapest first."""
        # `safe`: units of the pilot's own design under the law that takes most.
        rough: list[tuple[float, dict[str, int]]] = []
        for counts in _inner(self.pilot):
            n = _rough(self.pilot, counts, self.detect, self.level, self.power)
            if n < inf:
                rough.append((self.cost(n, counts), counts))
        rough.sort(key=lambda one: one[0])
        found = []
        for _, counts in rough[:MOST_DESIGNS]:
            n = self.needed(counts)
            if n < inf:
                most = None
                if laws:
                    is_own = counts == dict(self.pilot.counts)
                    most = safe if is_own else self.worst(counts, n, laws)[0]
                found.append(self.design(int(n), counts, most))
        return tuple(sorted(found, key=lambda one: one.cost))

    def curves(self, enough: float) -> dict[str, tuple[tuple[int, float], ...]]:
        """Return half-widths by the number of units, and of what varies inside one."""
        pilot = self.pilot
        known = enough if enough < inf else 0
        top = int(min(MOST_UNITS, 4 * max(known, pilot.n, FEWEST_UNITS)))
        numbers = np.unique(np.geomspace(FEWEST_UNITS, max(top, FEWEST_UNITS + 1), N_CURVE).round())
        found = {
            pilot.unit: tuple(
                (int(n), _half_width(pilot, int(n), pilot.counts, self.level)) for n in numbers
            )
        }
        base = pilot.n or (int(known) or FEWEST_UNITS)
        for name in pilot.counts:
            found[many(name)] = tuple(
                (n, _half_width(pilot, base, {**pilot.counts, name: n}, self.level)) for n in LEVELS
            )
        return found


class _Worst(NamedTuple):
    """How many units the law takes that takes most, and its shape."""

    n: float
    shape: float


def _inner(pilot: Pilot) -> Iterator[dict[str, int]]:
    """Go through the levels of what varies inside a unit."""
    names = list(pilot.counts)
    choices = [sorted({*LEVELS, pilot.counts[name]}) for name in names]
    for levels in product(*choices):
        yield dict(zip(names, levels, strict=True))


def _power(
    pilot: Pilot,
    n: int,
    counts: Mapping[str, int],
    detect: float,
    level: float,
    draws: int,
    rng: Generator,
    more: float,
) -> float:
    """Return the share of studies that detect the difference."""
    # `more`: by how much variances are larger than in the pilot.
    if n < FEWEST_UNITS:
        return 0.0
    if pilot.differences is None or n > MOST_DRAWN:
        return _normal_power(pilot, n, counts, detect, level, more)
    own = pilot.differences - pilot.differences.mean()
    spread = float(own.var(ddof=1)) if len(own) > 1 else 0.0
    between = min(pilot.between, spread) if spread > 0 else 0.0
    shrunk = own * sqrt(more * between / spread) if spread > 0 else own
    noise = sqrt(more * pilot.inside(counts))
    lower, _ = drawn_intervals(shrunk, detect, n, level, rng, draws, noise=noise)
    return float((lower > 0).mean())


def _normal_power(
    pilot: Pilot, n: int, counts: Mapping[str, int], detect: float, level: float, more: float = 1.0
) -> float:
    """Return the power by the non-central *t*."""
    df = np.array([n - 1.0 if pilot.df is None else pilot.df])
    critical = t_quantile(level / 2, df)
    limit = critical * widening(n, critical) if pilot.df is None else critical
    error = sqrt(more * pilot.variance(counts) / n)
    if not error > 0:
        return 1.0
    return 1.0 - float(cdf(limit, df, np.array([detect / error]))[0])


def _rough(
    pilot: Pilot,
    counts: Mapping[str, int],
    detect: float,
    level: float,
    power: float,
    more: float = 1.0,
) -> float:
    """Return about the least number of units by the normal law; infinite where none is enough."""
    return least_number(
        lambda n: _normal_power(pilot, n, counts, detect, level, more),
        power,
        FEWEST_UNITS,
        MOST_UNITS,
    )


def _half_width(pilot: Pilot, n: int, counts: Mapping[str, int], level: float) -> float:
    """Return the half width of an interval of normal differences."""
    error = sqrt(pilot.variance(counts) / n)
    if pilot.df is not None:
        return float(t_quantile(level / 2, np.array([pilot.df]))[0]) * error
    critical = t_quantile(level / 2, np.array([n - 1.0]))
    return float((critical * widening(n, critical))[0]) * error


def guessed(components: Mapping[str, float]) -> Pilot:
    """Return a pilot of guessed standard deviations of differences.

    `components`: by source: dataset (or item, battle, replication), split, seed, rest and others.
    Raises StudyError if one is negative, or none is of a unit.

    Examples
    --------
    >>> guessed({"dataset": 0.02, "seed": 0.01}).counts
    {'seed': 1}
    """
    if not components or any(not 0 <= x < MOST_SD for x in components.values()):
        raise StudyError(
            "--sd: found no standard deviations, or odd ones; allowed NAME=NUMBER, of a number "
            f"from 0 to {MOST_SD:g}"
        )
    units = {"dataset": "data sets", "item": "items", "battle": "battles"}
    units |= {"replication": "replications"}
    found = [name for name in components if name in units]
    if len(found) != 1:
        raise StudyError(f"--sd: found {listed(components)}; allowed one of {listed(units)} in it")
    own = found[0]
    variances: dict[Term, float] = {
        ((OUTER,) if name == own else () if name == "rest" else (name,)): x**2
        for name, x in components.items()
    }
    counts = {name: 1 for name in components if name not in (own, "rest")}
    return Pilot(units[own], 0, variances, counts)


def scaled_pilot(unit: str, n: int, standard_error: float, df: float | None) -> Pilot:
    """Return a pilot of which a standard error is known, that shrinks with the root of n.

    Examples
    --------
    >>> scaled_pilot("observations", 100, 0.01, 99.0).variances["unit",]
    0.01
    """
    return Pilot(unit, n, {("unit",): n * standard_error**2}, {}, None, df)


class NoPilotError(StudyError):
    """Results from which nothing can be planned."""


def plan_study(
    warehouse: Warehouse,
    measure: str,
    asked: PlanEntry,
    options: AnalysisOptions,
    sections: Mapping[str, Any],
    rng: Generator,
) -> Plan:
    """Plan a further study from the results of one.

    `measure`: by its name.
    `asked`: what is to be detected.
    `sections`: results of the sections that a claim on a pair needs.
    Raises StudyError if a name or a size is none, and NoPilotError if the results have no error of
    the difference.
    """
    names = warehouse.candidates
    if len(names) < 2:
        raise NoPilotError("plan: found one candidate; allowed two or more")
    if asked.dataset is not None and asked.dataset not in warehouse.datasets:
        raise StudyError(
            f"plan: found the data set {shown(asked.dataset)}; allowed {listed(warehouse.datasets)}"
        )
    both = asked.pair or best_two(warehouse, measure, asked.dataset)
    levels = {name: own.kind for name, own in levels_of(warehouse).items() if not own.is_best}
    for name in both:
        if name not in names and name not in levels:
            raise StudyError(f"plan: found {shown(name)}; allowed {listed([*names, *levels])}")
    if both[0] == both[1]:
        raise StudyError(f"plan: found {shown(both[0])} twice; allowed two candidates")
    kinds = [levels.get(name) if name not in names else None for name in both]
    if kinds[0] != kinds[1]:
        raise StudyError(
            f"plan: found {listed(both)}; allowed two candidates, or two levels of one factor"
        )
    n_alike = len(names) if kinds[0] is None else [*levels.values()].count(kinds[0])
    claim = Expectation(
        claim=f"{both[0]} better than {both[1]}", measure=measure, dataset=asked.dataset
    )
    question = questions_of(warehouse, (claim,), options, sections)[0]
    assert question is not None
    values = question.values
    size = parse_size(asked.detect, values.measure, is_ratio=values.scale == "ratio")
    seconds = seconds_of_fits(warehouse)
    return make_plan(
        pilot_of(question, warehouse, options.alpha, rng),
        measure=measure,
        pair=both,
        measured=values.measure,
        detect=size,
        told=str(asked.detect),
        power=asked.power,
        alpha=options.alpha,
        n_comparisons=n_pairs(n_alike, options) if kinds[0] is None else comb(n_alike, 2),
        costs={
            "fit": 1.0 if seconds is None else seconds,
            **{str(k): x for k, x in asked.costs.items()},
        },
        cost_unit="" if asked.costs else "values" if seconds is None else "seconds",
        n_candidates=len(names),
        rng=rng,
        is_ratio=values.scale == "ratio",
    )


def n_pairs(n_candidates: int, options: AnalysisOptions) -> int:
    """Return the pairs that share alpha: all, or those with the reference."""
    if options.comparisons == "reference":
        return n_candidates - 1
    return n_candidates * (n_candidates - 1) // 2


def best_two(warehouse: Warehouse, measure: str, dataset: str | None = None) -> tuple[str, str]:
    """Return the two candidates with the best means, of data sets counted alike, or on one."""
    frame = warehouse.frame
    own = frame[(frame["measure"] == measure).to_numpy()]
    if dataset is not None:
        own = own[(own["dataset"] == dataset).to_numpy()]
    means = own.groupby(["dataset", "candidate"], observed=True)["value"].mean()
    means = means.groupby("candidate", observed=True).mean().dropna()
    if len(means) < 2:
        raise NoPilotError("plan: found values of one candidate; allowed of two or more")
    smaller = warehouse.measure(measure).is_smaller_better
    first, second, *_ = best_first(means.to_numpy(), is_smaller_better=smaller)
    return str(means.index[first]), str(means.index[second])


def pilot_of(question: Question, warehouse: Warehouse, alpha: float, rng: Generator) -> Pilot:
    """Return what a run tells of the difference of the first pair of a claim.

    `question`: what the claim asks of the run's values.
    `rng`: for intervals of components, which nobody reads.
    Result: turned so that the estimate is not negative.
    Raises NoPilotError if the run has no error of it.
    """
    values, pair = question.values, question.pairs[0]
    try:
        found = drawable(question, pair, alpha)
    except (ValueError, IndexError):
        found = None
    n = 0 if found is None else found.n
    is_counted = not isinstance(found, MeanError) or found.is_counted
    if found is None or (is_counted and n < FEWEST_PILOT) or not np.isfinite(found.estimate):
        raise NoPilotError(
            f"plan: found {n} units of {listed(filter(None, pair))} and no error of their "
            f"difference; allowed {FEWEST_PILOT} or more, or guesses by --sd"
            + ", or one data set of them by --dataset"
            * (len(warehouse.datasets) > 1)
        )
    if isinstance(found, MeanError) and not found.is_counted:
        raise NoPilotError(
            "plan: found a data set whose number of observations is not known; allowed "
            "results.n, or n in Python: what holds for new data rests on it"
        )
    unit, sign = unit_of(values, [found]), 1.0 if found.estimate >= 0 else -1.0
    if isinstance(found, MeanError):
        is_apart = not (values.kind.shares_rows or values.kind.is_contest)
        return scaled_pilot(unit, n, found.error, None if is_apart else found.df)
    own = found.signs if isinstance(found, Signs) else getattr(found, "differences", ())
    differences = sign * np.asarray(own, np.float64)
    spread = float(differences.var(ddof=1))
    if not spread > 0:
        raise NoPilotError(
            f"plan: found no variation in {listed(filter(None, pair))}; allowed guesses by --sd"
        )
    if unit != "data sets" or not isinstance(found, MeanDifferences):
        return Pilot(unit, n, {("unit",): spread}, {}, differences)
    return _of_datasets(question, warehouse, differences, alpha, rng)


def _of_datasets(
    question: Question, warehouse: Warehouse, differences: Array, alpha: float, rng: Generator
) -> Pilot:
    """Return a pilot of data sets, with what varies inside them."""
    values, (first, second) = question.values, question.pairs[0]
    n, spread = len(differences), float(differences.var(ddof=1))
    runs = values_of(warehouse, values.measure.name)
    if runs is not None and second is not None:
        i, j = (runs.candidates.index(name) for name in (first, second))
        own = np.log(runs.values) if values.scale == "ratio" else runs.values
        found = components_of(own[:, i] - own[:, j], runs.codes, alpha, rng, runs.dataset)
        if found is not None and OUTER in found.counts:
            counts = {name: k for name, k in found.counts.items() if name != OUTER}
            return Pilot("data sets", n, found.variances, counts, differences)
    at = [values.candidates.index(name) for name in (first, second) if name is not None]
    inside, sizes = [], []
    for rows in values.rows:
        d = rows[:, at[0]] - rows[:, at[1]] if len(at) > 1 else rows[:, at[0]]
        d = d[np.isfinite(d)]
        if len(d) > 1:
            inside.append(float(d.var(ddof=1)))
            sizes.append(len(d))
    if not inside:
        return Pilot("data sets", n, {(OUTER,): spread}, {}, differences)
    within, size = float(np.mean(inside)), round(float(np.mean(sizes)))
    variances: dict[Term, float] = {
        (OUTER,): max(0.0, spread - within / size),
        ("replication",): within,
    }
    return Pilot("data sets", n, variances, {"replication": size}, differences)


def seconds_of_fits(warehouse: Warehouse) -> float | None:
    """Return the mean seconds of a fit; None where they were not measured."""
    frame = warehouse.frame
    times = [m.name for m in warehouse.measures if m.is_time and m.name.startswith("fit")]
    if not times:
        return None
    own = frame.loc[(frame["measure"] == times[0]).to_numpy(), "value"].to_numpy(np.float64)
    own = own[np.isfinite(own)]
    return float(own.mean()) if len(own) else None


def plan_by_guesses(
    study: Study,
    pilot: Pilot,
    detect: str,
    power: float,
    measure: str | None = None,
    costs: Mapping[str, float] | None = None,
    *,
    results: Warehouse | None = None,
) -> Plan:
    """Plan a study by guessed standard deviations.

    `study`: whose measures, level and number of candidates count.
    `results`: where it is of results, those; a study that is to be executed needs none.
    Raises StudyError if it has no such measure, or names fewer than two candidates.
    """
    from reportgen.measures import KNOWN_MEASURES

    if results is not None:
        measures = {own.name: own for own in results.measures}
        n = len(results.candidates)
    else:
        asked = [entry.name for entry in study.measures] or ["misclassification"]
        known = {name: KNOWN_MEASURES.get(name) for name in asked}
        measures = {name: m.measure if m else Measure(name) for name, m in known.items()}
        n = len(study.setup.candidates) if study.setup else 2
    name = measure or next(iter(measures))
    if name not in measures:
        raise StudyError(f"--measure: found {shown(name)}; allowed {listed(measures)}")
    own = measures[name]
    if n < 2:
        raise StudyError("plan: found one candidate; allowed two or more")
    is_ratio = own.is_compared_by_ratio
    if set(costs or {}) - {"fit", "unit"}:
        raise StudyError(f"--cost: found {listed(costs or {})}; allowed fit and unit")
    return make_plan(
        pilot,
        measure=name,
        pair=("", ""),
        measured=own,
        detect=parse_size(detect, own, is_ratio=is_ratio),
        told=detect,
        power=power,
        alpha=study.analysis.alpha,
        n_comparisons=n_pairs(n, study.analysis),
        costs={"fit": 1.0, **(costs or {})},
        cost_unit="" if costs else "values",
        n_candidates=n,
        is_ratio=is_ratio,
        rng=np.random.default_rng(study.seed),
    )
