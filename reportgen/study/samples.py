"""From what a manifest says of samples to how they are drawn."""

from __future__ import annotations

from collections.abc import Sequence

from reportgen.catalogue.measures import ComputedMeasure
from reportgen.errors import SetupError
from reportgen.study.given_samples import read_samples
from reportgen.study.manifest import Study
from reportgen.study.resampling import (
    ALLOWED,
    FOLDED,
    PARAMETRIC,
    SHARED_OUT,
    USUAL,
    Assessment,
    Resampling,
    Scheme,
)
from reportgen.study.resampling_entry import FOLDS, ResamplingEntry
from reportgen.study.staged_entry import StagesEntry
from reportgen.study.stages import Stages
from reportgen.warehouse import Problem


def resamplings_of(study: Study, measures: Sequence[ComputedMeasure]) -> tuple[Resampling, ...]:
    """Return the ways in which the samples of a study come about: mostly one.

    Parameters
    ----------
    study : Study
        One with a setup.
    measures : sequence of ComputedMeasure
        Of which the first decides when stages end, where they name none.

    Raises
    ------
    SetupError
        If problem, scheme and assessment do not go together, a file of given
        samples cannot be read, or two ways are the same.
    """
    if study.setup is None:
        raise SetupError(f"{study.path}: found results, which are not executed; allowed a setup")
    entries = study.setup.resampling
    several = entries if isinstance(entries, tuple) else (entries,)
    found = tuple(_resampling(entry, study, study.setup.problem, measures) for entry in several)
    labels = [resampling.label for resampling in found]
    twice = next((label for label in labels if labels.count(label) > 1), None)
    if twice:
        raise SetupError(f"found {twice} twice; allowed ways to draw samples that differ")
    if len(found) > 1 and any(resampling.stages for resampling in found):
        raise SetupError("found stages in one of several ways to draw samples; allowed one way")
    return found


def _resampling(
    entry: ResamplingEntry, study: Study, problem: Problem, measures: Sequence[ComputedMeasure]
) -> Resampling:
    scheme: Scheme = "fresh" if problem == "simulation" else entry.scheme or "bootstrap"
    is_estimated = scheme == PARAMETRIC and problem == "real-world"
    assessment = entry.assessment or ("fresh" if is_estimated else USUAL[problem])
    _check_problem(problem, entry, assessment)
    has_folds = scheme in FOLDED or assessment == "cross-validation"
    given = {}
    if entry.file is not None:
        given = read_samples(study.folder / entry.file, may_overlap=bool(entry.overlap))
    return Resampling(
        scheme,
        max(map(len, given.values()), default=entry.n_replications),
        (entry.fraction or 2 / 3) if scheme in SHARED_OUT else 1.0,
        entry.stratify,
        assessment,
        (entry.folds or FOLDS) if has_folds else 0,
        given,
        _stages(entry, study, measures),
    )


def _check_problem(problem: Problem, entry: ResamplingEntry, assessment: Assessment) -> None:
    """Raise a SetupError where a problem cannot be resampled and tested like that."""
    if problem == "simulation" and entry.scheme is not None:
        raise SetupError(
            f"found {entry.scheme} in a simulation, whose learning samples are fresh; "
            "allowed replications, and assessment: fresh or fixed"
        )
    if assessment not in ALLOWED[problem]:
        raise SetupError(
            f"found assessment: {assessment} with problem: {problem}; "
            f"allowed {', '.join(ALLOWED[problem])}"
        )
    is_fresh, is_estimated = assessment == "fresh", entry.scheme == PARAMETRIC
    if problem != "simulation" and is_fresh != (is_estimated and problem == "real-world"):
        raise SetupError(
            f"found assessment: {assessment} with {entry.scheme or 'bootstrap'}; allowed fresh "
            f"test samples with simulations and with {PARAMETRIC}"
        )
    if entry.scheme == "given" and problem == "competition":
        raise SetupError(
            "found given samples, which have test observations of their own, with problem: "
            "competition; allowed problem: real-world"
        )
    if entry.scheme == "bayesian-bootstrap" and problem != "competition":
        raise SetupError(
            "found bayesian-bootstrap, which leaves no observation out; allowed with "
            "problem: competition, where there is a test sample"
        )


def _stages(
    entry: ResamplingEntry, study: Study, measures: Sequence[ComputedMeasure]
) -> Stages | None:
    """Take level and area of equivalence from the analysis where the stages say none."""
    asked = entry.replications
    if not isinstance(asked, StagesEntry):
        return None
    measure = asked.measure or (measures[0].name if measures else "")
    return Stages(
        asked.stage,
        asked.max,
        measure,
        asked.drop,
        asked.alpha or study.analysis.alpha,
        study.analysis.relevance.get(measure),
        asked.pairs,
        asked.test,
        asked.rule,
        asked.combination,
        asked.multiplicity,
        asked.stop,
    )
