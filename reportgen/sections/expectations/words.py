"""What claims compare, and why they are undecided, in words."""

from __future__ import annotations

from reportgen.notation import level_words
from reportgen.sections.expectations.result import (
    OUTCOMES,
    ClaimTest,
    Contrast,
    ExpectationsResult,
    Family,
    Outcome,
    Reason,
)

PLURALS: dict[Outcome, str] = {"holds": "hold", "fails": "fail", "undecided": "undecided"}
UNITS = {"replication": "replications", "dataset": "data sets", "observation": "observations"}
REASONS: dict[Reason, str] = {
    "few-units": "fewer than six {}",
    "few-clusters": "fewer than six clusters",
    "few-families": "fewer than six families of data sets",
    "few-replications": "fewer than three replications",
    "few-sources": "fewer than two data sets",
    "few-wins": "fewer than ten {} in which one of the two is ahead",
    "no-variation": "too little variation to judge by",
    "no-values": "no value in common",
    "no-spread": "the same in all {}",
    "wide": "the interval holds a bound",
    "target": (
        "what holds for new data is not known by how samples were drawn: declare `resampling` "
        "where it is not said, or say 'in this experiment'"
    ),
    "no-consensus": "there is no consensus",
    "no-search": "the consensus of so many candidates was not searched",
    "tied": "not alone in the first place",
    "no-tree": "there is no tree",
    "unconfirmed": "it failed, and not again in the run that was to confirm it",
}


def contrast_words(contrast: Contrast) -> str:
    """Write what is compared."""
    if contrast.second is None:
        return f"{'geometric mean' if contrast.scale == 'ratio' else 'mean'} of {contrast.first}"
    return f"{contrast.first} {'/' if contrast.scale == 'ratio' else '−'} {contrast.second}"


def _gap_words(gate: ClaimTest) -> str:
    """Write who lacks how many values: "new has 6 of 12 data sets"."""
    gaps = {(name, _units(gate)): n for c in gate.contrasts for name, n in c.gaps.items()}
    gaps |= {(name, "replications"): n for c in gate.contrasts for name, n in c.gaps_within.items()}
    return "; ".join(
        f"{name} has {n} of {whole} {units}" for (name, units), (n, whole) in gaps.items()
    )


def _units(gate: ClaimTest) -> str:
    """Write what was counted."""
    targets = {contrast.target for contrast in gate.contrasts}
    if targets & {"items", "tasks"}:
        return "items"
    if gate.reason == "few-units" and "these-sources" in targets:
        return "observations of a fixed test sample"
    if gate.reason == "few-units" and "session" in targets and gate.unit == "dataset":
        return "measurements of a data set"
    return UNITS.get(gate.unit or "", "units")


def found_words(gate: ClaimTest) -> str:
    """Write why a claim is undecided, what a decided one lacks, or what a check finds instead."""
    if gate.reason == "gaps":
        return _gap_words(gate)
    if gate.reason is not None:
        return REASONS[gate.reason].format(_units(gate))
    if gate.relation == "failures" and gate.n_failed:
        fits = "fit" if gate.n_failed == 1 else "fits"
        return f"{gate.n_failed:,} failed {fits}: {', '.join(gate.found)}"
    if gate.kind == "gate" and (words := _gap_words(gate)):
        is_of_mean = all(contrast.second is None for contrast in gate.contrasts)
        return f"{words}, gaps counted as the worst there" if is_of_mean else words
    if gate.outcome == "holds" or gate.kind == "gate":
        return ""
    return f"{', '.join(gate.found)}" if gate.found else "no split"


def family_words(family: Family, *, alone: str = "") -> str:
    """Write what an interval is, and with how many others it holds.

    `alone`: what it is of ("pair") where it holds for this alone.

    Examples
    --------
    >>> family_words(Family(0.05, 1)), family_words(Family(0.05, 3, 4))
    ('95% interval', '95% interval for 3 contrasts at once in 4 stages')
    >>> family_words(Family(0.05, 3), alone="pair")
    '95% interval of this pair alone'
    """
    words = f"{level_words(family.alpha)} interval"
    if alone and family.n_comparisons > 1:
        return f"{words} of this {alone} alone"
    if family.n_contrasts > 1:
        words += f" for {family.n_contrasts:,} contrasts at once"
    return words + (f" in {family.n_stages} stages" if family.n_stages > 1 else "")


def count_words(result: ExpectationsResult) -> str:
    """Write how many claims have which outcome: "2 hold, 1 fails, 1 undecided"."""
    counts = [(outcome, len(result.of_outcome(outcome))) for outcome in OUTCOMES]
    return ", ".join(f"{n:,} {PLURALS[o] if n > 1 else o}" for o, n in counts if n)
