"""Errors that were measured before, by other programs, and what they come to here.

The covariances behind the earlier figures are known by their kind only; a figure over several is
the range from the lowest rate to the highest. It holds where both ranges meet, but for three
standard errors.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from functools import partial
from math import sqrt
from types import MappingProxyType
from typing import ClassVar

import numpy as np
from mistakes import (
    Measure,
    autocorrelation,
    conditional,
    exchangeable_pair,
    families,
    literally_aligned,
    negative_blocks,
    observed_family,
    process,
    share,
)
from threadpoolctl import threadpool_limits

from reportgen.streams import stream

SEED = 21
FAR = 3.0  # standard errors within which figures are the same


@dataclass(frozen=True, slots=True)
class Reproduced:
    """An earlier figure and the same measured anew, each the range of one or more values."""

    NAMES: ClassVar[tuple[str, ...]] = (
        "figure",
        "group",
        "earlier_low",
        "earlier_high",
        "earlier_error",
        "low",
        "high",
        "error",
        "runs",
    )

    figure: str
    group: str
    earlier_low: float
    earlier_high: float
    earlier_error: float
    low: float
    high: float
    error: float
    runs: int

    @property
    def holds(self) -> bool:
        """Whether both ranges meet within the simulations' errors."""
        slack = FAR * sqrt(self.error**2 + self.earlier_error**2)
        return self.low <= self.earlier_high + slack and self.high >= self.earlier_low - slack

    @classmethod
    def of(cls, line: Mapping[str, str]) -> Reproduced:
        """Return what a line of the file says."""
        numbers = [float(line[name]) for name in cls.NAMES[2:8]]
        return cls(line["figure"], line["group"], *numbers, int(line["runs"]))

    def line(self) -> dict[str, str]:
        """Return a line of the file."""
        texts = [self.figure, self.group]
        values = [getattr(self, name) for name in self.NAMES[2:8]]
        texts += [f"{value:.5g}" for value in values]
        return dict(zip(self.NAMES, [*texts, str(self.runs)], strict=True))


@dataclass(frozen=True, slots=True)
class Figure:
    """An earlier figure with what measures it.

    Attributes
    ----------
    measures : tuple of measures
        From a generator and a number of runs to a value with its standard
        error, or None where its data are not at hand.
    """

    group: str
    low: float
    high: float
    earlier_runs: int
    runs: int
    measures: tuple[Measure, ...]


def reproduce(name: str, n_runs: int | None = None) -> Reproduced | None:
    """Measure a figure anew; None without its data."""
    figure = FIGURES[name]
    runs = n_runs or figure.runs
    with threadpool_limits(1):
        found = [
            measure(stream(SEED, name, place), runs)
            for place, measure in enumerate(figure.measures)
        ]
    values = [one for one in found if one is not None]
    if not values:
        return None
    rates, errors = zip(*values, strict=True)
    middle = (figure.low + figure.high) / 2
    earlier_error = sqrt(abs(middle) * (1 - abs(middle)) / figure.earlier_runs)
    ends = figure.low, figure.high, earlier_error, min(rates), max(rates), max(errors)
    return Reproduced(name, figure.group, *ends, runs)


def _figures() -> dict[str, Figure]:
    """Return all earlier figures."""
    target, sharing = "target", "corrected t"
    found = {
        "naive t given the data set": Figure(target, 0.051, 0.051, 2000, 4000, (conditional,)),
        "autocorrelation of replications": Figure(
            target, -0.001, -0.001, 10**5, 1000, (autocorrelation,)
        ),
        "share of variance between data sets": Figure(target, 0.349, 0.349, 1000, 2000, (share,)),
    }
    sizes = {(100, 50): 0.69, (100, 250): 0.86, (300, 100): 0.80}
    for (n, b), rate in sizes.items():
        measure = partial(process, n=n, b=b, scheme="bootstrap", ratio="naive")
        found[f"naive t for the generating process, N = {n}, B = {b}"] = Figure(
            target, rate, rate, 1000, 2000, (measure,)
        )
    ratios = {
        ("bootstrap", "drawn"): (0.085, 0.092, 0.093),
        ("bootstrap", "distinct"): (0.025, 0.037, 0.036),
        ("subsamples", "distinct"): (0.044, 0.031, 0.049),
    }
    for (scheme, ratio), rates in ratios.items():
        for (n, b), rate in zip(sizes, rates, strict=True):
            measure = partial(process, n=n, b=b, scheme=scheme, ratio=ratio)
            words = "subsamples" if scheme == "subsamples" else f"bootstrap, observations {ratio}"
            found[f"corrected t, {words}, N = {n}, B = {b}"] = Figure(
                sharing, rate, rate, 1000, 4000, (measure,)
            )
    return {**found, **_pooled_figures(), **_pairwise_figures(), **_other_figures()}


def _pooled_figures() -> dict[str, Figure]:
    """Return those of the pooled Tukey without sphericity."""
    group = "pooled variance"
    real = {
        "pooled Tukey at monks3's covariance": (
            0.074,
            "monks3raw.csv",
            "Misclassification",
            np.max,
        ),
        "pooled Tukey at that of monks3's times": (0.107, "monks3raw.csv", "Time", np.max),
        "pooled Tukey, median of 21 UCI sets": (
            0.084,
            "uci621raw.csv",
            "Misclassification",
            np.median,
        ),
        "pooled Tukey, largest of 21 UCI sets": (
            0.126,
            "uci621raw.csv",
            "Misclassification",
            np.max,
        ),
    }
    found = {}
    for name, (rate, file, measure, middle) in real.items():
        run = partial(observed_family, file=file, measure=measure, middle=middle)
        found[name] = Figure(group, rate, rate, 1000, 1000, (run,))
    for kind, low, high in (("unequal", 0.11, 0.17), ("one bad", 0.12, 0.22)):
        runs = (*families(250, 6, "pooled", (kind,)), *families(250, 12, "pooled", (kind,)))
        found[f"pooled Tukey, {kind}, 250 units"] = Figure(group, low, high, 1000, 1000, runs)
    return found


def _pairwise_figures() -> dict[str, Figure]:
    """Return those of laws with plugged-in correlations."""
    columns = ("z", "t", "bonferroni", "pooled")
    words = {
        "z": "plugged-in normal law",
        "t": "plugged-in t law",
        "bonferroni": "Bonferroni t",
        "pooled": "pooled Tukey",
        "sign flips": "sign flips",
    }
    cases = {
        (5, 12): ((0.45, 0.83), (0.21, 0.40), (0.029, 0.047), (0.048, 0.245)),
        (5, 4): ((0.24, 0.30), (0.08, 0.11), (0.028, 0.045), (0.054, 0.128)),
        (10, 6): ((0.13, 0.20), (0.06, 0.09), (0.025, 0.033), (0.043, 0.126)),
        (21, 6): ((0.08, 0.12), (0.05, 0.07), (0.016, 0.043), (0.052, 0.117)),
        (21, 12): ((0.09, 0.19), (0.05, 0.10), (0.006, 0.045), (0.046, 0.218)),
        (50, 12): ((0.08, 0.10), (0.055, 0.066), (0.010, 0.041), (0.058, 0.218)),
        (250, 12): ((0.048, 0.053), (0.045, 0.049), (0.009, 0.032), (0.046, 0.216)),
    }
    found = {}
    for (n, k), ranges in cases.items():
        for method, (low, high) in zip(columns, ranges, strict=True):
            found[f"{words[method]}, {n} units, K = {k}"] = Figure(
                "few units", low, high, 1000, 1000, families(n, k, method)
            )
    for (n, k), (low, high), runs in (
        ((10, 6), (0.038, 0.053), 1000),
        ((21, 12), (0.055, 0.065), 400),
    ):
        found[f"sign flips, {n} units, K = {k}"] = Figure(
            "few units", low, high, runs, 400, families(n, k, "sign flips")
        )
    return found


def _other_figures() -> dict[str, Figure]:
    """Return those of rank pairs, aligned values and the boundary."""
    group = "other"
    by_ranks = partial(exchangeable_pair, by_signs=False)
    by_signs = partial(exchangeable_pair, by_signs=True)
    exact = partial(negative_blocks, is_exact=True)
    reml = partial(negative_blocks, is_exact=False)
    found = {
        "joint ranks, an exchangeable pair of 12": Figure(
            group, 0.113, 0.113, 2000, 2000, (by_ranks,)
        ),
        "the same by signed ranks, Bonferroni": Figure(
            group, 0.0005, 0.0005, 2000, 2000, (by_signs,)
        ),
        "exact F, blocks correlated -.25": Figure(group, 0.049, 0.049, 2000, 2000, (exact,)),
        "REML on the boundary, the same": Figure(group, 0.097, 0.097, 2000, 2000, (reml,)),
    }
    for k, rate in ((3, 0.145), (5, 0.110), (6, 0.096), (12, 0.069)):
        found[f"aligned values as independent samples, K = {k}"] = Figure(
            group, rate, rate, 1000, 2000, (partial(literally_aligned, k=k),)
        )
    return found


FIGURES: Mapping[str, Figure] = MappingProxyType(_figures())
