"""Archetypes of the domain, or of a user's own table (Eugster 2011, chapters 4.4 and 8 to 10).

Fits a scree of numbers of archetypes, and repeats the chosen fit from fresh starts.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Any

import numpy as np
from numpy.random import Generator
from numpy.typing import NDArray

from reportgen.data_classes import dataclass
from reportgen.errors import AnalysisError
from reportgen.sections.archetypes import Options
from reportgen.sections.archetypes.result import (
    HIGH,
    LOW,
    MAIN,
    ArchetypesResult,
    Group,
    Profile,
    Reason,
    Step,
)
from reportgen.sections.archetypes.table import View, view_of
from reportgen.sections.datasets import Mapper, in_turn
from reportgen.stats.archetypal_analysis import LEAST_GAIN
from reportgen.stats.archetypal_analysis.choice import (
    ArchetypesFit,
    Scree,
    choose_fit,
    percentiles_of,
)
from reportgen.stats.archetypal_analysis.fit import Archetypes, most_archetypes
from reportgen.stats.archetypal_analysis.fit import Options as FitOptions
from reportgen.stats.archetypal_analysis.stability import ArchetypeSupport, Restarts, stability
from reportgen.stats.arrays import Array
from reportgen.stats.subsamples import subsample_size
from reportgen.study.errors import listed, shown, suggestion
from reportgen.warehouse import Warehouse


def fit_archetypes(
    view: View,
    weights: Array | None,
    options: Options,
    most: int,
    generators: tuple[Generator, Generator],
    mapper: Mapper,
) -> ArchetypesFit:
    """Fit 1 to `most` archetypes, and fit anew with the chosen number.

    `weights`: shape (n,).
    `most`: as many as the rows can have, or fewer.
    `generators`: of the scree, and of the fresh starts.
    `mapper`: does the fresh starts, in turn or side by side.
    """
    return choose_fit(
        view.values,
        most,
        generators,
        weights=weights,
        options=fit_options(options),
        n_archetypes=options.k,
        mapper=mapper,
    )


def fit_options(options: Options) -> FitOptions:
    """Return how archetypes are looked for."""
    return FitOptions(options.fit, options.weights, options.scaling, n_starts=options.starts)


LEAST_ROWS, LEAST_COLUMNS = 3, 2
MOST_SOURCES = 5
NEAREST = 3


def analyse(
    warehouse: Warehouse, options: Options, rng: Generator, mapper: Mapper = in_turn
) -> ArchetypesResult:
    """Find the archetypes of the rows that the options ask for.

    `mapper`: does the starts and samples that show how stable the archetypes are, in turn or side
    by side.
    Raises AnalysisError if the manifest asks for more archetypes than the rows can have, or gives a
    weight to a row that is not there.
    """
    view, n_dropped = _usable(view_of(warehouse, options), options)
    weights = _weights(view, options)
    _check_skeleton(view, options)
    bare = _bare(view, options, n_dropped)
    if bare.unavailable:
        return bare
    most = max(options.most, options.k or 0)
    possible = most_archetypes(view.values, most, weights, fit_options(options))
    if options.k is not None and options.k > possible:
        raise AnalysisError(
            f"sections: archetypes: k: found {options.k}; allowed 1 to {possible}, as the convex "
            f"hull of the {len(view.labels)} rows has no more vertices"
        )
    if possible < 2:
        return replace(bare, unavailable="one-point")
    first, second, third = rng.spawn(3)
    found = fit_archetypes(view, weights, options, possible, (first, third), mapper)
    task = _Task(view, found.scree, found.restarts, found.fit, weights, mapper)
    return task.result(bare, options, second)


def _usable(view: View, options: Options) -> tuple[View, int]:
    """Leave out rows with gaps where the fit cannot have any."""
    whole = view.is_complete
    if fit_options(options).allows_gaps or whole.all():
        return view, 0
    return view.taking(whole, np.ones(len(view.columns), dtype=bool)), int((~whole).sum())


def _weights(view: View, options: Options) -> Array | None:
    """Return the weight of every row, by its label."""
    for name in options.row_weights:
        if name not in view.labels:
            names = list(dict.fromkeys(view.labels))
            question = suggestion(name, names)
            raise AnalysisError(
                f"sections: archetypes: row_weights: found {shown(name)}; "
                f"allowed {listed(names)}{question}"
            )
    if options.fit != "weighted":
        return None
    weights = np.array([options.row_weights.get(label, 1.0) for label in view.labels])
    if len(weights) and not weights.any():
        raise AnalysisError(
            "sections: archetypes: row_weights: found 0 for every row; allowed a weight above 0 "
            "for one"
        )
    return weights


def _check_skeleton(view: View, options: Options) -> None:
    """Refuse columns that are not there."""
    for part, name in options.skeleton.items():
        if name not in view.columns:
            question = suggestion(name, view.columns)
            raise AnalysisError(
                f"sections: archetypes: skeleton: {part}: found {shown(name)}; "
                f"allowed {listed(view.columns)}{question}"
            )


def _bare(view: View, options: Options, n_dropped: int) -> ArchetypesResult:
    """Return what is known before anything is fitted, and whether anything can be."""
    whole = view.is_complete
    return ArchetypesResult(
        rows=view.kind,
        fit=options.fit,
        weights=options.weights,
        scaling=options.scaling or ("robust" if options.fit == "robust" else "standard"),
        measures=view.measures,
        columns=view.columns,
        n_rows=len(view.labels),
        n_distinct=len({row.tobytes() for row in view.values}),
        n_gaps=int((~whole).sum()),
        n_dropped=n_dropped,
        unavailable=_reason(view, whole),
    )


def _reason(view: View, whole: NDArray[np.bool_]) -> Reason | None:
    if len(view.columns) < LEAST_COLUMNS:
        return "too-few-columns"
    if not whole.any():
        return "no-complete-row"
    return "too-few-rows" if len(view.labels) < LEAST_ROWS else None


@dataclass(frozen=True, slots=True)
class _Task:
    """A fit that was chosen, and what it was chosen from."""

    view: View
    found: Scree
    again: Restarts | None
    fit: Archetypes
    weights: Array | None
    mapper: Mapper

    def result(self, bare: ArchetypesResult, options: Options, rng: Generator) -> ArchetypesResult:
        """Return the result."""
        fit, names = self.fit, self._names
        tried = self._stability(options.n_samples(self.view.values.size), names, rng)
        steady = tried if tried and len(tried.distances) else None
        groups = self._groups(names, steady)
        percentiles = percentiles_of(self.view.values, fit.archetypes)
        return replace(
            bare,
            k=len(fit.scaled),
            elbow=self.found.elbow,
            is_by_elbow=options.k is None,
            least_gain=LEAST_GAIN,
            most=len(self.found.fits),
            rss=dict(enumerate(self.found.objectives, start=1)),
            steps=self._steps(),
            archetypes=_rows(fit.archetypes),
            percentiles=_rows(percentiles),
            alpha=fit.mixtures,
            beta=fit.shares,
            labels=self.view.labels,
            values=self.view.values,
            numbers=self.view.numbers,
            residuals=fit.residuals,
            row_weights=fit.weights,
            bound=fit.bound,
            n_outliers=int((fit.weights == 0).sum()) if fit.bound is not None else 0,
            profiles=self._profiles(percentiles, groups, steady),
            groups=groups,
            n_samples=len(tried.distances) + tried.n_failed if tried else 0,
            n_failed=tried.n_failed if tried else 0,
            recurrence=tried.recurrence if tried else None,
            is_converged=fit.is_converged,
            scaled=fit.scaling.scaled(self.view.values),
            scaled_archetypes=fit.scaled,
            trace=fit.trace,
            skeleton={str(part): name for part, name in options.skeleton.items()},
            **self._restarts(),
        )

    @property
    def _names(self) -> tuple[str, ...]:
        """Names of the groups: none of a table, whose rows are on their own."""
        return () if self.view.kind == "table" else tuple(dict.fromkeys(self.view.labels))

    def _steps(self) -> tuple[Step, ...]:
        gains = (None, *np.diff(self.found.explained).tolist())
        return tuple(
            Step(len(fit.scaled), rss, explained, gain)
            for fit, rss, explained, gain in zip(
                self.found.fits, self.found.objectives, self.found.explained, gains, strict=True
            )
        )

    def _restarts(self) -> dict[str, Any]:
        """Return how many fresh starts reach these archetypes, and how nearly."""
        if self.again is None:
            return {}
        return {
            "n_restarts": len(self.again.distances),
            "n_agreeing": int(self.again.agrees.sum()),
            "n_returning": int(self.again.returns.sum()),
            "restart_distance": self.again.largest,
            "is_of_restart": self.again.is_better,
        }

    def _stability(
        self, n_samples: int, names: Sequence[str], rng: Generator
    ) -> ArchetypeSupport | None:
        """Look for the archetypes in subsamples, where these can have as many."""
        k, datasets = len(self.fit.scaled), self._datasets
        size = subsample_size(len(self.view.labels) if datasets is None else 1 + datasets.max())
        least = LEAST_COLUMNS if datasets is not None else max(LEAST_ROWS, k + 1)
        if not n_samples or k < 2 or size < least:
            return None
        place = {name: i for i, name in enumerate(names)}
        groups = np.array([place[label] for label in self.view.labels]) if names else None
        return stability(
            self.view.values,
            self.fit,
            n_samples,
            rng,
            weights=self.weights,
            datasets=datasets,
            has_all_rows=self.view.kind == "candidates",
            groups=groups,
            mapper=self.mapper,
        )

    @property
    def _datasets(self) -> NDArray[np.int64] | None:
        """Number of each column's data set; none where rows are data sets, or a table's."""
        if self.view.kind in ("datasets", "table"):
            return None
        names = [dataset for dataset, _ in self.view.sources]
        place = {name: i for i, name in enumerate(dict.fromkeys(names))}
        return np.array([place[name] for name in names], dtype=np.int64)

    def _groups(self, names: Sequence[str], steady: ArchetypeSupport | None) -> tuple[Group, ...]:
        labels = np.array(self.view.labels, dtype=object)
        return tuple(self._group(g, name, labels == name, steady) for g, name in enumerate(names))

    def _group(
        self, g: int, name: str, rows: NDArray[np.bool_], steady: ArchetypeSupport | None
    ) -> Group:
        shares = self.fit.mixtures[rows].mean(axis=0)
        largest = int(shares.argmax())
        is_robust = self.fit.bound is not None
        return Group(
            name=name,
            n_rows=int(rows.sum()),
            shares=tuple(shares.tolist()),
            main=largest + 1 if shares[largest] >= MAIN else None,
            returned=float((steady.shares[:, g].argmax(axis=1) == largest).mean())
            if steady
            else None,
            n_outliers=int((self.fit.weights[rows] == 0).sum()) if is_robust else 0,
        )

    def _profiles(
        self, percentiles: Array, groups: Sequence[Group], steady: ArchetypeSupport | None
    ) -> tuple[Profile, ...]:
        columns, fit = self.view.columns, self.fit
        return tuple(
            Profile(
                number=j + 1,
                values=tuple(fit.archetypes[j].tolist()),
                percentiles=tuple(own.tolist()),
                low=tuple(c for c, p in zip(columns, own, strict=True) if p < LOW),
                high=tuple(c for c, p in zip(columns, own, strict=True) if p > HIGH),
                members=tuple(group.name for group in groups if group.main == j + 1),
                n_rows=int((fit.mixtures[:, j] >= MAIN).sum()),
                sources=self._sources(j),
                nearest=self._nearest(j),
                distance=float(steady.medians[j]) if steady else None,
            )
            for j, own in enumerate(percentiles)
        )

    def _sources(self, j: int) -> tuple[tuple[str, float], ...]:
        """Return what an archetype is a mixture of, added up by label."""
        sums: dict[str, float] = {}
        for i in np.flatnonzero(self.fit.shares[j] > 0):
            sums[self.view.labels[i]] = sums.get(self.view.labels[i], 0) + float(
                self.fit.shares[j, i]
            )
        return tuple(sorted(sums.items(), key=lambda item: -item[1])[:MOST_SOURCES])

    def _nearest(self, j: int) -> tuple[str, ...]:
        """Return the rows of a table that are most like an archetype."""
        if self.view.kind != "table":
            return ()
        shares = np.where(self.fit.weights > 0, self.fit.mixtures[:, j], -1)
        order = np.argsort(-shares, kind="stable")[:NEAREST]
        return tuple(self.view.labels[i] for i in order if shares[i] >= MAIN)


def _rows(matrix: Array) -> tuple[tuple[float, ...], ...]:
    return tuple(map(tuple, matrix.tolist()))
