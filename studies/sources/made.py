"""Make up stand-ins for the data of the sources, which are not ours to ship.

    python studies/sources/made.py

writes the CSV files beside it. What the sources print (means, standard deviations, variances of
models, sizes) is put in; every single number is drawn.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from pathlib import Path

import numpy as np
from numpy.random import Generator

HERE = Path(__file__).parent
NAMES = ("lda", "knn", "nnet", "rf", "rpart", "svm")

# Eugster (2011), table 2.1: mean and standard deviation of the misclassification on monks3.
MEAN = np.array([0.0352, 0.0344, 0.0293, 0.0197, 0.0116, 0.0110])
SD = np.array([0.0094, 0.0118, 0.0123, 0.0117, 0.0080, 0.0059])
SIGMA_B = 0.0037  # of the replications, by the mixed model of chapter 2.3.2
SECONDS = np.array([0.07, 2.6, 9.2, 0.56, 0.055, 12.0])  # of a fit, in the order of the times there
N_TEST = 204  # observations out of a bootstrap sample of 554

# Chapter 4.2: means of the candidates; standard deviations of data sets, of data sets by
# candidates, of learning samples, and of what is left.
KAPPA = np.array([0.2011, 0.1948, 0.1885, 0.1144, 0.1750, 0.1100])
OF_SETS, OF_BOTH, OF_SAMPLES, OF_REST = 0.09, 0.08, 0.011, 0.034
SETS = (
    "BrcC", "Crds", "chss", "Crcl", "crdt", "Hrt1", "hptt", "HV84", "Insp", "livr", "mnk3", "musk",
    "PmID", "prmt", "rngn", "Sonr", "Sprl", "thrn", "tctc", "ttnc", "twnr",
)  # fmt: skip
N_EACH = 30  # replications of a data set; the source has 250

SKELETON = (
    "AnkleDiam", "KneeDiam", "WristDiam", "Bitro", "Biil", "ElbowDiam", "ChestDiam", "ChestDp",
    "Biac", "Height",
)  # fmt: skip
BUILDS = np.array(
    [
        [12.3, 16.9, 9.0, 28.8, 24.3, 11.4, 23.6, 15.8, 33.6, 151.0],  # slight
        [15.9, 21.0, 12.2, 33.4, 29.6, 15.6, 32.4, 22.4, 44.6, 190.0],  # large
        [13.4, 19.8, 9.8, 36.6, 33.2, 12.6, 26.4, 20.4, 36.6, 164.0],  # wide in the hips
        [14.6, 18.2, 11.2, 29.6, 25.0, 14.2, 29.6, 18.4, 42.0, 176.0],  # wide in the shoulders
    ]
)


def write(name: str, head: Sequence[str], rows: Iterable[Sequence[object]]) -> None:
    """Write a table."""
    lines = [",".join(head), *(",".join(map(str, row)) for row in rows)]
    (HERE / name).write_text("\n".join(lines) + "\n", encoding="utf-8")


def shares(errors: np.ndarray, n_test: int) -> np.ndarray:
    """Round errors to counts of observations, of a test sample of this size."""
    return np.round(np.clip(errors, 0, 0.7) * n_test) / n_test


def monks3(rng: Generator) -> None:
    """Draw 250 replications by the block model, each candidate with its own spread."""
    common = rng.normal(0, SIGMA_B, (250, 1))
    # at least 0: a gamma law, of which small means are skewed as in figure 2.2
    spread = np.sqrt(np.maximum(SD**2 - SIGMA_B**2, 1e-6))
    shape = (MEAN / spread) ** 2
    errors = shares(rng.gamma(shape, MEAN / shape, (250, 6)) + common, N_TEST)
    times = SECONDS * rng.lognormal(0, 0.1, (250, 6))
    rows = [
        ("monks3", b + 1, name, f"{errors[b, k]:.6g}", f"{times[b, k]:.3g}")
        for b in range(250)
        for k, name in enumerate(NAMES)
    ]
    write("monks3.csv", ("dataset", "replication", "candidate", "misclassification", "time"), rows)


def uci621(rng: Generator) -> None:
    """Draw 21 data sets by the domain model of equation 4.1."""
    rows = []
    for dataset in SETS:
        own = KAPPA + rng.normal(0, OF_SETS) + rng.normal(0, OF_BOTH, 6)
        own = np.where(own < 0.01, 0.01 + np.abs(own) / 10, own)
        spread = OF_REST * np.sqrt(own / KAPPA.mean())
        drawn = own + rng.normal(0, OF_SAMPLES, (N_EACH, 1)) + rng.normal(0, spread, (N_EACH, 6))
        errors = shares(drawn, 150)
        rows += [(dataset, b + 1, *(f"{x:.4g}" for x in row)) for b, row in enumerate(errors)]
    write("uci621.csv", ("dataset", "replication", *NAMES), rows)


def pairs(rng: Generator) -> None:
    """Draw 100 replications of two candidates on six data sets, from far apart to equal."""
    rows = []
    for i, gap in enumerate((0.03, 0.02, 0.012, 0.006, 0.0, -0.01)):
        common = rng.normal(0.24, 0.014, (100, 1))
        errors = shares(common + rng.normal([0, gap], [0.015, 0.017], (100, 2)), 280)
        name = f"pair {i + 1}"
        rows += [(name, b + 1, *(f"{x:.4g}" for x in row)) for b, row in enumerate(errors)]
    write("pairs.csv", ("dataset", "replication", "rf", "svm"), rows)


def separability(rng: Generator) -> None:
    """Draw two data sets, of which a plane separates one; with characteristics of the samples."""
    errors, characters = [], []
    laws = (("ds1", (0.03, 0.03, 0.05), 0.91), ("ds2", (0.45, 0.02, 0.03), 0.13))
    for dataset, means, fcc in laws:
        for b in range(100):
            found = shares(rng.normal(means, 0.015), 130)
            errors.append((dataset, b + 1, *(f"{x:.4g}" for x in found)))
            skew, prevalence = abs(rng.normal(0, 0.2)), rng.normal(0.5, 0.04)
            own = (rng.normal(fcc, 0.02), skew, prevalence)
            characters.append((dataset, b + 1, *(f"{x:.4g}" for x in own)))
    write("separability.csv", ("dataset", "replication", "lda", "qda", "svm"), errors)
    head = ("dataset", "replication", "i2r.fcc", "cvar.skew", "resp.prev")
    write("separability-characteristics.csv", head, characters)


def triangle(rng: Generator) -> None:
    """Draw 250 points of a triangle, without and with five outliers."""
    corners = np.array([[2.0, 3.0], [9.0, 14.0], [16.0, 5.0]])
    points = rng.dirichlet([0.9, 0.9, 0.9], 250) @ corners + rng.normal(0, 0.15, (250, 2))
    outliers = rng.normal([24.0, 21.0], 0.6, (5, 2))
    rows = [(f"p{i:03d}", *(f"{x:.3f}" for x in p)) for i, p in enumerate((*points, *outliers), 1)]
    write("triangle.csv", ("point", "x", "y"), rows[:250])
    write("triangle-outliers.csv", ("point", "x", "y"), rows)


def skeletons(rng: Generator) -> None:
    """Draw 300 bodies of four builds."""
    mixtures = rng.dirichlet([0.5, 0.5, 0.5, 0.5], 300)
    noise = rng.normal(0, np.array([0.4] * 9 + [2.0]), (300, 10))
    rows = [
        (f"b{i:03d}", *(f"{x:.1f}" for x in row))
        for i, row in enumerate(mixtures @ BUILDS + noise, 1)
    ]
    write("skeletons.csv", ("body", *SKELETON), rows)


def main() -> None:
    """Draw all tables, each with a stream of its own."""
    draws = (monks3, uci621, pairs, separability, triangle, skeletons)
    for draw, stream in zip(draws, np.random.default_rng(2011).spawn(len(draws)), strict=True):
        draw(stream)


if __name__ == "__main__":
    main()
