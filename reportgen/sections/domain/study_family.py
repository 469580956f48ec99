"""One adjustment for the pairs of all measures over a domain (`family: study`)."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from math import inf

import numpy as np
from numpy.typing import NDArray

from reportgen.sections.domain.basis import DomainBasis
from reportgen.sections.domain.result import DomainFit
from reportgen.sections.inference.further import StudyFamily
from reportgen.sections.inference.pairs import significantly_better
from reportgen.sections.inference.study_family import LargerFamily, tested_alone
from reportgen.stats.many_families import bonferroni_value, holm_over_all
from reportgen.stats.relations import chain, unbeaten

Models = tuple[DomainBasis, Mapping[str, DomainFit]]


def adjust_measures(models: Mapping[str, Models]) -> dict[str, Models]:
    """Adjust the pairs of all measures together, those of each structure by themselves.

    Parameters
    ----------
    models : mapping of str to tuple
        Basis and models of every measure.

    Returns
    -------
    dict of str to tuple
        Unchanged where one measure has a model: its joint law is sharper.

    See Also
    --------
    reportgen.sections.inference.study_family.adjust_study : The data sets' own pairs.
    """
    found = {name: (basis, dict(fits)) for name, (basis, fits) in models.items()}
    for structure in {s for _, fits in found.values() for s in fits}:
        measures = [name for name, (_, fits) in found.items() if structure in fits]
        if len(measures) < 2:
            continue
        pairs = [found[name][1][structure].pairs for name in measures]
        n_pairs = sum(len(own) for own in pairs)
        adjusted = holm_over_all([tested_alone(own) for own in pairs])
        for name, p_values in zip(measures, adjusted, strict=True):
            basis, fits = found[name]
            told = StudyFamily(n_pairs, len(measures), len(basis.datasets), len(measures), 0)
            fits[structure] = _adjusted(fits[structure], basis, p_values, told)
    return dict(found)


def _adjusted(
    fit: DomainFit, basis: DomainBasis, p_values: NDArray[np.float64], told: StudyFamily
) -> DomainFit:
    """Read everything that rests on the pairs anew."""
    df = min(inf if pair.df is None else pair.df for pair in fit.pairs)
    critical = bonferroni_value(told.n_pairs, df, basis.alpha)
    larger = LargerFamily(critical, None, basis.measure, basis.relevance, basis.alpha)
    both = zip(fit.pairs, p_values.tolist(), strict=True)
    pairs = tuple(larger.decided(pair, p) for pair, p in both)
    incidence = significantly_better(pairs, basis.candidates)
    groups = chain(incidence)

    def named(columns: Sequence[int]) -> tuple[str, ...]:
        names = {basis.candidates[k] for k in columns}
        return tuple(name for name in fit.order if name in names)

    return replace(
        fit,
        pairs=pairs,
        critical_value=critical,
        leaders=named(unbeaten(incidence)),
        groups=None if groups is None else tuple(named(group) for group in groups),
        family=replace(told, n_alone=sum(pair.significant for pair in fit.pairs)),
    )
