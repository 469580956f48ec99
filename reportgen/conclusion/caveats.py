"""What a conclusion must not be believed for: gaps, single data sets and values that carry it."""

from __future__ import annotations

from reportgen.conclusion.result import Caveats
from reportgen.conclusion.verdict import Comparison
from reportgen.report import Design
from reportgen.sections.domain.result import DomainVerdict
from reportgen.sections.inference.result import MeasureInference


def caveats_of(
    found: MeasureInference | DomainVerdict, verdict: Comparison, design: Design, n_missing: int
) -> Caveats:
    """Gather what the conclusion must not be believed for."""
    missing_candidates = tuple(
        name for name in design.candidates if name not in found.pairs.candidates
    )
    present = [name for name in design.candidates if name not in missing_candidates]
    datasets = design.datasets
    if isinstance(found, DomainVerdict) and found.method == "these-tasks":
        datasets = tuple(d for d in datasets if d.name in found.datasets)
    gaps = {name for d in datasets for name, n in d.missing.items() if n}
    n_blocks = sum(d.n_replications for d in datasets)
    n_left_out = 0
    if "stages" in design.resampling:  # what these leave out by design is not missing
        n_left_out = n_blocks * len(design.candidates) - design.n_values // len(design.measures)
    n_absent, n_outliers, n_changed = 0, 0, 0
    influence: tuple[str, ...] = ()
    leaders_without: tuple[str, ...] = ()
    if isinstance(found, DomainVerdict):
        if n_missing and found.method != "these-tasks":
            own = (
                d for d in design.datasets if d.name in (*found.datasets, *found.missing_datasets)
            )
            n_absent = len(missing_candidates) * sum(d.n_replications for d in own)
        first = next(iter(found.influence or ()), None)
        if first is not None and {*first.leaders_without} != {*verdict.not_worse}:
            influence, leaders_without = (first.dataset,), first.leaders_without
    elif found.outlier is not None:
        n_outliers = len(found.outlier.replications)
        n_changed = len(found.outlier.changed(found.pairs))
    return Caveats(
        missing_candidates=missing_candidates,
        n_missing=n_missing - n_left_out - n_absent,
        n_values=n_blocks * len(present) - n_left_out,
        incomplete_candidates=tuple(name for name in present if name in gaps),
        complete=tuple(name for name in present if name not in gaps),
        is_dependent=verdict.target == "experiment"
        and verdict.dataset is not None
        and design.has_folds,
        influence=influence,
        leaders_without=leaders_without,
        n_outliers=n_outliers,
        n_changed=n_changed,
        gained=tuple(name for name in leaders_without if name not in verdict.not_worse),
        lost=tuple(n for n in verdict.not_worse if influence and n not in leaders_without),
        is_undecided_without=bool(influence) and len(leaders_without) == len(verdict.means),
    )
