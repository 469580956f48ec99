"""Claims about candidates: read from text, with the names that are known, and held against bounds.

A manifest's `expect`, the command line and the call from Python read the same sentences, and
`reportgen.sections.expectations` decides on them: `study.check`, `study.gate` and the verb `gate`
ask there, too. One text about one study, asked with the same others, has one answer.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import field, replace
from math import inf, isnan, log
from types import MappingProxyType
from typing import TYPE_CHECKING, Any, Literal, get_args

from reportgen.data_classes import dataclass
from reportgen.errors import StudyError
from reportgen.performance_measure import Measure, PairScale
from reportgen.study.errors import describe_unknown, listed, measure_name, nearest, shown
from reportgen.study.schema.options import Expectation
from reportgen.study.schema.value_types import SECONDS

if TYPE_CHECKING:
    from reportgen.stats.pair_table import Pair

PairRelation = Literal["better", "within", "not-worse", "equivalent", "best"]
Relation = Literal[PairRelation, "below", "above", "consensus", "failures", "tree"]
Place = Literal["inside", "outside", "undecided"]

PAIRS: tuple[PairRelation, ...] = get_args(PairRelation)
"""Claims about differences of candidates."""
NUMBER = r"\d+(?:\.\d+)?(?:[eE][-+]?\d+)?"
AMOUNT = rf"(?P<amount>{NUMBER})"
FORMS: tuple[tuple[Relation, re.Pattern[str]], ...] = tuple(
    (relation, re.compile(form))  # type: ignore[misc]
    for relation, form in (
        ("better", r"(?P<first>.+?) (?:is )?better than (?P<second>.+)"),
        ("within", rf"(?P<first>.+?) (?:is )?within {AMOUNT} of (?P<second>.+)"),
        (
            "not-worse",
            rf"(?P<first>.+?) (?:is )?not worse than (?P<second>.+) by {AMOUNT}",
        ),
        ("within", rf"(?P<first>.+?) (?:is )?equivalent to (?P<second>.+) by {AMOUNT}"),
        ("equivalent", r"(?P<first>.+?) (?:is )?equivalent to (?P<second>.+)"),
        ("best", r"(?P<first>.+?) (?:is )?among the best"),
        (
            "below",
            rf"(?P<measure>.+?) of (?P<first>.+?) (?:is )?below {AMOUNT}(?: ?(?P<unit>[^\d\s]+))?",
        ),
        (
            "above",
            rf"(?P<measure>.+?) of (?P<first>.+?) (?:is )?above {AMOUNT}(?: ?(?P<unit>[^\d\s]+))?",
        ),
        ("consensus", r"(?:the )?consensus starts with (?P<first>.+)"),
        ("failures", r"no failures"),
        ("tree", r"(?:the )?tree splits on (?P<characteristic>.+)"),
    )
)
ALLOWED = (
    "'A better than B', 'A not worse than B by 0.02', 'A within 0.01 of B', 'A equivalent to B', "
    "'A among the best', 'fit-time of A below 2 s', 'consensus starts with A', 'no failures' or "
    "'tree splits on obs.n'; behind them 'on' a measure, 'on' a data set, 'in the domain', 'in "
    "this experiment'"
)
BYTES = {"bytes": 1.0, "kB": 1e3, "MB": 1e6, "GB": 1e9, "KiB": 2.0**10, "MiB": 2.0**20}
UNITS = {"s": {"us": 1e-6, "µs": 1e-6, **SECONDS}, "bytes": BYTES | {"GiB": 2.0**30}}
"""What a unit stands for, by the measure's own."""
SHARE = {"%": 0.01}
DOMAIN = " in the domain"
BEST = "best "  # begins the kind of a best setting
EXPERIMENT = " in this experiment"
JOINT = " on "
APART = ("amount", "measure")  # what a form names that is no field as it is written
MOST_PLACES = 2  # a measure and a data set


@dataclass(frozen=True, slots=True)
class Names:
    """What a claim can name; None where that is not known yet."""

    candidates: tuple[str, ...] | None = None
    measures: tuple[str, ...] | None = None
    datasets: tuple[str, ...] | None = None
    # Levels of factors of the candidates, and the best setting of each: what each is compared with.
    levels: Mapping[str, str] = field(default_factory=dict)

    @property
    def compared(self) -> tuple[str, ...] | None:
        """All that claims compare: candidates and levels."""
        return None if self.candidates is None else (*self.candidates, *self.levels)


@dataclass(frozen=True, slots=True)
class Claim:
    """A claim that was read."""

    text: str
    # "better", "within", "not-worse", "equivalent" and "best" compare candidates; "below" and
    # "above" are limits of a mean; "consensus" and "tree" describe, "failures" is a fact.
    relation: Relation
    # first, second: Candidates; empty where there is none.
    first: str = ""
    second: str = ""
    amount: float | None = None  # A difference, of ratios a factor, or a limit, as it was written
    unit: str = ""  # of the amount, where one was written
    # measure, dataset: As they were named; None where they were not.
    measure: str | None = None
    dataset: str | None = None
    is_of_domain: bool = False  # whether it is about all data sets, as it says itself
    is_of_experiment: bool = False  # whether it is about this experiment alone, as it says itself
    characteristic: str = ""  # of "tree"

    @property
    def is_of_pairs(self) -> bool:
        """Whether it compares candidates."""
        return self.relation in PAIRS

    @property
    def is_tested(self) -> bool:
        """Whether an interval decides on it, and so errs with a known probability."""
        return self.is_of_pairs or self.relation in ("below", "above")


def read_claim(
    text: object,
    names: Names = Names(),
    *,
    measure: str | None = None,
    dataset: str | None = None,
    where: str = "expect",
) -> Claim:
    """Read a claim.

    `text`: anything else is an error.
    `names`: by which readings are told apart where names hold words of the grammar; names that are
    not among them are an error.
    `measure`, `dataset`: given beside the text.
    `where`: how an error begins.
    Raises StudyError if it is no claim, or names what is not there.

    Examples
    --------
    >>> names = Names(("rf", "svm", "svm on gpu"), ("error", "brier"), ("iris",))
    >>> claim = read_claim("rf within 0.01 of svm on iris", names)
    >>> claim.relation, claim.first, claim.second, claim.amount, claim.measure, claim.dataset
    ('within', 'rf', 'svm', 0.01, None, 'iris')
    >>> read_claim("rf within 0.01 of svm on gpu", names).second
    'svm on gpu'
    >>> read_claim("fit-time of rf below 2 s").unit
    's'
    >>> read_claim("rf better than svm in this experiment").is_of_experiment
    True
    """
    if not isinstance(text, str):
        raise StudyError(f"{where}: found {shown(text)}; allowed texts, one a claim: {ALLOWED}")
    written = text.strip()
    readings = list(_readings(written))
    if not readings:
        hint = " (amounts are in the measure's own unit: 0.02 for two points of a share)"
        allowed = ALLOWED + (hint if "%" in str(text) else "")
        raise StudyError(f"{where}: found {shown(text)}; allowed {allowed}")
    given = [_with_places(reading, measure, dataset, names) for reading in readings]
    faults = [_fault(reading, names) for reading in given]
    order = [
        (fault is not None, *_oddity(reading, names))
        for fault, reading in zip(faults, given, strict=True)
    ]
    best = order.index(min(order))
    if faults[best] is not None:
        raise StudyError(f"{where}: {shown(text)}: {faults[best]}")
    return given[best]


def _readings(text: str) -> Iterator[Claim]:
    """Yield what a text can mean, that with the fewest places behind it first."""
    whole = text.removesuffix(EXPERIMENT)
    body = whole.removesuffix(DOMAIN)
    parts = body.split(JOINT)
    for n_places in range(min(MOST_PLACES, len(parts) - 1) + 1):
        kept = len(parts) - n_places
        rest, places = JOINT.join(parts[:kept]), parts[kept:]
        for relation, form in FORMS:
            if found := form.fullmatch(rest):
                named = {"amount": None, "measure": None} | found.groupdict()
                words: dict[str, Any] = {k: v for k, v in named.items() if v and k not in APART}
                amount = None if named["amount"] is None else float(named["amount"])
                claim = Claim(text, relation, amount=amount, **words)
                claim = replace(claim, is_of_domain=body != whole, is_of_experiment=whole != text)
                yield from _placed(claim, named["measure"], places)


def _placed(claim: Claim, own: str | None, places: Sequence[str]) -> Iterator[Claim]:
    """Yield a claim with its places read as a measure and a data set, in either order."""
    if not places:
        yield replace(claim, measure=own)
    elif len(places) == 1:
        if own is None:
            yield replace(claim, measure=places[0])
        yield replace(claim, measure=own, dataset=places[0])
    elif own is None:
        yield replace(claim, measure=places[0], dataset=places[1])
        yield replace(claim, measure=places[1], dataset=places[0])


def _with_places(claim: Claim, measure: str | None, dataset: str | None, names: Names) -> Claim:
    """Add what is given beside the text; a measure that is not there by the catalogue's name."""
    named = claim.measure if claim.measure is not None else measure
    known = (named,) if names.measures is None else names.measures
    added = [
        f"{JOINT}{given}"
        for given, own in ((measure, claim.measure), (dataset, claim.dataset))
        if given is not None and own is None
    ]
    return replace(
        claim,
        text="".join((claim.text, *added)),
        measure=named if named is None or named in known else measure_name(named),
        dataset=claim.dataset if claim.dataset is not None else dataset,
    )


def _missing(claim: Claim, names: Names) -> Iterator[tuple[str, str, tuple[str, ...]]]:
    """Yield what a claim names that is not there: kind, name, and the names that are."""
    kind, compared = "candidate", names.candidates
    if claim.is_tested and names.levels:
        kind, compared = "candidate or level of a factor", names.compared
    for of, name, known in (
        (kind, claim.first, compared),
        (kind, claim.second, compared),
        ("measure", claim.measure, names.measures),
        ("data set", claim.dataset, names.datasets),
    ):
        if name and known is not None and name not in known:
            yield of, name, known


def _oddity(claim: Claim, names: Names) -> tuple[int, int, int, int]:
    """Return how odd a reading is: by names that are not there, and how far from those that are."""
    # Nobody knows the names of characteristics here: of two readings the shorter one is meant.
    missing = list(_missing(claim, names))
    far = sum(nearest(name, known) is None for _, name, known in missing)
    named = sum(bool(x) for x in (claim.first, claim.second, claim.measure, claim.dataset))
    return len(missing), far, -named, len(claim.characteristic)


def _fault(claim: Claim, names: Names) -> str | None:
    """Return what is wrong with a reading, whose form is right."""
    for kind, name, known in _missing(claim, names):
        return describe_unknown(kind, name, known)
    if claim.first and claim.first == claim.second:
        return f"found {shown(claim.first)} twice; allowed two candidates"
    if fault := _fault_of_levels(claim, names.levels):
        return fault
    if claim.amount == inf:
        return "found an amount beyond all bounds; allowed a number up to 1e308"
    if claim.is_of_domain and claim.dataset is not None:
        return f"found the data set {shown(claim.dataset)} and the domain; allowed one of the two"
    if claim.is_of_experiment and not claim.is_tested:
        return "found 'in this experiment'; allowed of a claim about a measure"
    if claim.relation == "failures" and claim.measure is not None:
        return "found a measure; allowed none, as fits fail"
    return None


def _fault_of_levels(claim: Claim, levels: Mapping[str, str]) -> str | None:
    """Return what is wrong with the levels that a claim names."""
    kinds = levels.get(claim.first), levels.get(claim.second)
    if claim.second and kinds[0] != kinds[1]:
        found = f"{shown(claim.first)} and {shown(claim.second)}"
        one = next(kind for kind in kinds if kind)
        like = listed([name for name, kind in levels.items() if kind == one])
        return f"found {found}; allowed two candidates, or two of {like}"
    if not claim.is_of_pairs and (kinds[0] or "").startswith(BEST):
        return (
            f"found the mean of the {claim.first}; allowed a comparison of two: a mean that has "
            "been chosen is too good to be held against a number"
        )
    return None


# ------------------------------------------------------------------------------ its bounds


def claim_fault(
    claim: Claim, measure: Measure, scale: PairScale, area: object | None
) -> str | None:
    """Return why a claim has no bounds by a measure; None where it has.

    `scale`: by which candidates are compared.
    `area`: of equivalence, on that scale.

    Examples
    --------
    >>> claim = read_claim("a within 0.5 of b")
    >>> claim_fault(claim, Measure("fit-time", unit_symbol="s"), "ratio", None)
    'found 0.5; allowed a factor above 1, as fit-time is compared by ratio'
    """
    if scale == "wins" and claim.is_of_pairs and claim.relation != "better":
        return (
            f"found {shown(claim.text)}; allowed 'A better than B', as {measure.name} is compared "
            "by who is ahead on more data sets"
        )
    if claim.relation in ("equivalent", "best") and area is None:
        return (
            f"found no area of equivalence of {measure.name}; allowed "
            f"analysis.relevance.{measure.name}"
            + (", or an amount, such as 'A equivalent to B by 0.01'" * (claim.relation != "best"))
        )
    if claim.relation in ("within", "not-worse") and scale == "ratio" and (claim.amount or 0) <= 1:
        return (
            f"found {claim.amount:g}; allowed a factor above 1, as {measure.name} is compared by "
            "ratio"
        )
    if claim.relation in ("below", "above"):
        units = _units(measure)
        if claim.unit and claim.unit not in units:
            found = f"the unit {shown(claim.unit)}"
            return f"found {found}; allowed {', '.join(units) or f'none, as {measure.name} has'}"
        if scale == "ratio" and limit_of(claim, measure) <= 0:
            return f"found {claim.amount:g}; allowed a limit above 0, as its logarithm is compared"
    return None


def _units(measure: Measure) -> dict[str, float]:
    """Return the units in which a limit of a measure may be written."""
    if measure.unit_symbol == "share":
        return SHARE
    return UNITS.get(measure.unit_symbol, {measure.unit_symbol: 1.0} if measure.unit_symbol else {})


def limit_of(claim: Claim, measure: Measure) -> float:
    """Return the limit of a mean in the measure's own unit.

    Examples
    --------
    >>> limit_of(read_claim("fit-time of rf below 250 ms"), Measure("fit-time", unit_symbol="s"))
    0.25
    """
    return (claim.amount or 0.0) * _units(measure).get(claim.unit, 1.0)


def bounds_of(
    claim: Claim, measure: Measure, scale: PairScale, area: tuple[float, float] | None
) -> tuple[float, float]:
    """Return between which bounds a claim puts a difference; on the ratio scale of logarithms.

    `claim`: about candidates, or a limit.
    `area`: of equivalence, on that scale.
    Result: of first - second; of a limit, of mean - limit.

    Examples
    --------
    >>> bounds_of(read_claim("a not worse than b by 0.02"), Measure("error"), "difference", None)
    (-inf, 0.02)
    >>> bounds_of(read_claim("a better than b"), Measure("auc", "larger"), "difference", None)
    (0.0, inf)
    """
    if claim.relation in ("below", "above"):
        return (-inf, 0.0) if claim.relation == "below" else (0.0, inf)
    of_area = claim.relation in ("equivalent", "best") and area is not None
    amount = area[1] if of_area and area is not None else claim.amount
    half = 0.0 if amount is None else log(amount) if scale == "ratio" else amount
    if claim.relation in ("within", "equivalent"):
        return -half, half
    return (-inf, half) if measure.is_smaller_better else (0.0 - half, inf)


def place_of(lower: float, upper: float, bounds: tuple[float, float]) -> Place:
    """Return where an interval lies.

    `lower`, `upper`: NaN where there is none.
    `bounds`: of a claim.

    Examples
    --------
    >>> place_of(-0.2, -0.1, (-inf, 0.0)), place_of(0.1, 0.2, (-inf, 0.0))
    ('inside', 'outside')
    >>> place_of(-0.1, 0.1, (-inf, 0.0))
    'undecided'
    """
    least, most = bounds
    if isnan(lower) or isnan(upper):
        return "undecided"
    if least < lower and upper < most:
        return "inside"
    return "outside" if upper < least or lower > most else "undecided"


def place_of_pair(claim: Claim, pair: Pair, bounds: tuple[float, float]) -> Place:
    """Return where the verdict on a pair puts a claim: by its interval, or by who is favoured.

    Gaps count against who has them: the claim lies where both limits with gaps put it, too.

    `pair`: the claim's first against its second.
    `bounds`: of the claim.
    """
    if claim.relation == "better":
        if not pair.significant:
            return "undecided"
        return "inside" if pair.favoured == claim.first else "outside"
    place = _place_between((pair.lower, pair.upper), pair, bounds)
    if "adverse_first" not in pair.extra:
        return place
    ends = pair.extra["adverse_first"], pair.extra["adverse_second"]
    return place if _place_between(ends, pair, bounds) == place else "undecided"


def _place_between(
    ends: tuple[float | None, float | None], pair: Pair, bounds: tuple[float, float]
) -> Place:
    """Return where the numbers between two ends lie, on the scale of comparison."""
    known = [x for x in ends if x is not None]
    if len(known) < len(ends):
        return "undecided"
    if pair.scale == "ratio":
        known = [log(x) if x > 0 else -inf for x in known]
    return place_of(min(known), max(known), bounds)


OF_PAIRS = ("inference", "domain", "items")
"""Sections with the verdicts that stand beside those on the claims."""
PLANNED = "a better than b"
"""What a plan is about, by the sections that it needs."""
REQUIRED: Mapping[Relation, tuple[str, ...]] = MappingProxyType(
    {
        "below": (),
        "above": (),
        "failures": (),
        "consensus": ("consensus", "domain"),
        "tree": ("psychoanalysis",),
    }
)


def required_sections(claims: Sequence[Expectation]) -> tuple[str, ...]:
    """Return the sections whose results some claim is held against."""
    needs = (_required(entry.claim) for entry in claims)
    return tuple(dict.fromkeys(name for names in needs for name in names))


def _required(text: str) -> tuple[str, ...]:
    """Return the sections that a claim needs; none of what is no claim, which is told later."""
    try:
        return REQUIRED.get(read_claim(text).relation, OF_PAIRS)
    except StudyError:
        return ()
