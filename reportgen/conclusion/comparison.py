"""What the verdict on one measure comes to: on one data set, or over several."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np

from reportgen.conclusion.result import (
    Basis,
    Caveats,
    Comparison,
    NewData,
    OrderLine,
    Scope,
)
from reportgen.report import Design
from reportgen.sections.consensus.result import ConsensusResult
from reportgen.sections.domain.result import DomainVerdict
from reportgen.sections.inference.result import MeasureInference
from reportgen.stats.pair_table import Pair, PairTable

BASES: Mapping[str, Basis] = {
    "score": "score",
    "cluster-robust": "clusters",
    "welch": "samples",
}
MOST_LINE = 16  # names in a line of decided pairs that are no weak order


def compare(
    verdict: MeasureInference | DomainVerdict, design: Design, dataset: str | None
) -> Comparison:
    """Read who is decided better from a verdict.

    Parameters
    ----------
    verdict : MeasureInference or DomainVerdict
        With pairs.
    design : Design
    dataset : str or None
        The data set that it is about; None over several.
    """
    pairs = verdict.pairs
    order = tuple(name for name in verdict.order if name in pairs.candidates)
    better = _better(pairs, order)
    n_lost = {name: sum(i == name for i, _ in better) for name in order}
    head = next((name for name in order if n_lost[name] == len(order) - 1), order[0])
    n_open = verdict.n_open
    return Comparison(
        measure=verdict.measure,
        dataset=dataset,
        n_units=verdict.n_datasets if isinstance(verdict, DomainVerdict) else verdict.n_used,
        alpha=verdict.alpha,
        relevance=verdict.relevance if verdict.is_area_given else None,
        is_ratio=verdict.is_ratio,
        basis=_basis(verdict),
        target=verdict.target,
        means={name: verdict.means[name] for name in order},
        leaders=verdict.leaders,
        groups=verdict.groups,
        n_pairs=len(pairs),
        n_decided=pairs.n_significant,
        n_open=n_open,
        n_family=verdict.family.n_pairs if verdict.family else len(pairs) - n_open,
        lead=_lead(pairs, head, order),
        better=better,
        equivalent=_equivalent(pairs),
        typical=tuple(verdict.typical),
    )


def _basis(verdict: MeasureInference | DomainVerdict) -> Basis:
    """Return what decides."""
    if isinstance(verdict, DomainVerdict):
        if verdict.method == "these-tasks":
            return "tasks"
        return "own-variance" if verdict.is_own else "model"
    if verdict.is_by_stages:
        return "stages"
    if verdict.method is not None and verdict.method.name in BASES:
        return BASES[verdict.method.name]
    return "pooled" if verdict.is_pooled else "own-variance"


def _better(pairs: PairTable, order: Sequence[str]) -> tuple[tuple[str, str], ...]:
    """Return who is decided better than whom, in the order of the means."""
    place = {name: i for i, name in enumerate(order)}
    names = pairs.candidates
    found = [(names[i], names[j]) for i, j in np.argwhere(pairs.incidence).tolist()]
    return tuple(sorted(found, key=lambda pair: (place[pair[0]], place[pair[1]])))


def _equivalent(pairs: PairTable) -> tuple[tuple[str, str], ...]:
    """Return the pairs that are equivalent, and not decided."""
    if not pairs.decision:
        return ()
    rows = zip(pairs.first, pairs.second, pairs.decision, pairs.significant, strict=True)
    return tuple(
        (pairs.candidates[i], pairs.candidates[j])
        for i, j, decision, significant in rows
        if decision == "equivalent" and not significant
    )


def _lead(pairs: PairTable, head: str, order: Sequence[str]) -> tuple[Pair, ...]:
    """Return a candidate's pairs with all others, itself first, in the order of the means."""
    rows = (pairs.between(head, name) for name in order if name != head)
    return tuple(row for row in rows if row is not None)


def new_data_of(inferred: MeasureInference, comparison: Comparison) -> NewData | None:
    """Read what holds for new data; None where replications draw new data anyway.

    Parameters
    ----------
    inferred : MeasureInference
    comparison : Comparison
        Of the same measure.
    """
    found = inferred.new_data
    if found is None or inferred.target == "generating-process":
        return None
    if found.pairs is None or not len(found.pairs):
        return NewData(found.reason)
    lead = comparison.next
    return NewData(
        reason=None,
        n_pairs=len(found.pairs),
        n_decided=found.pairs.n_significant,
        best=next(iter(found.better_than_all), None),
        worst=next(iter(found.worse_than_all), None),
        lead=found.pairs.between(lead.first, lead.second),
    )


def caveats_of(
    verdict: MeasureInference | DomainVerdict, design: Design, scope: Scope, n_missing: int
) -> Caveats:
    """Gather what the conclusion must not be believed for.

    Parameters
    ----------
    verdict : MeasureInference or DomainVerdict
    design : Design
    scope : str
        What it speaks of.
    n_missing : int
        Values of the measure, those of absent candidates aside.
    """
    absent = tuple(name for name in design.candidates if name not in verdict.pairs.candidates)
    present = [name for name in design.candidates if name not in absent]
    gaps = {name for d in design.datasets for name, n in d.missing.items() if n}
    lacking = tuple(name for name in present if name in gaps)
    complete = tuple(name for name in present if name not in gaps)
    n_blocks = sum(d.n_replications for d in design.datasets)
    n_left_out = 0
    if "stages" in design.resampling:  # what these leave out by design is not missing
        n_left_out = n_blocks * len(design.candidates) - design.n_values // len(design.measures)
    n_datasets, n_outliers, n_changed = 1, 0, 0
    influence: tuple[str, ...] = ()
    leaders_without: tuple[str, ...] = ()
    if isinstance(verdict, DomainVerdict):
        n_datasets = verdict.n_datasets
        first = next(iter(verdict.influence or ()), None)
        if first is not None and {*first.leaders_without} != {*verdict.leaders}:
            influence, leaders_without = (first.dataset,), first.leaders_without
    elif verdict.outlier is not None:
        n_outliers = len(verdict.outlier.replications)
        n_changed = len(verdict.outlier.changed(verdict.pairs))
    return Caveats(
        scope=scope,
        n_datasets=n_datasets,
        absent=absent,
        n_missing=n_missing - n_left_out,
        n_values=n_blocks * len(present) - n_left_out,
        lacking=lacking,
        complete=complete,
        is_dependent="fold" in str(design.resampling.get("scheme", "")),
        influence=influence,
        leaders_without=leaders_without,
        n_outliers=n_outliers,
        n_changed=n_changed,
        gained=tuple(name for name in leaders_without if name not in verdict.leaders),
        lost=tuple(name for name in verdict.leaders if influence and name not in leaders_without),
        is_undecided_without=bool(influence) and len(leaders_without) == len(verdict.order),
    )


def order_line(
    comparison: Comparison, consensus: ConsensusResult | None = None
) -> OrderLine | None:
    """Put the candidates in one line.

    Parameters
    ----------
    comparison : Comparison
    consensus : ConsensusResult or None
        Of the data sets' orders, which comes first where it has a line.

    Returns
    -------
    OrderLine or None
        None where nothing could be decided.
    """
    line = None if consensus is None else _line_of_consensus(consensus)
    if line is not None:
        return line
    if comparison.is_untestable:
        return None
    if comparison.groups is not None:
        return OrderLine("decisions", comparison.groups)
    line = OrderLine("decisions", None, comparison.dominated, comparison.chain_break)
    return line if line.n_names <= MOST_LINE else OrderLine("decisions", None, (), line.chain_break)


def _line_of_consensus(found: ConsensusResult) -> OrderLine | None:
    """Return the only optimum, or what all optima have in common, where it is a weak order."""
    if found.unavailable or not found.is_proven or not found.n_optimal or not found.relations:
        return None
    order = found.relations[0] if found.is_unique else found.agreement
    if order is None or order.chain is None or len(order.chain) < 2:
        return None
    n = len(found.weighted)
    return OrderLine("consensus", order.chain, n_members=n, n_optimal=found.n_optimal)
