"""Headlines of tables and figures that no report places, for manuscripts that may."""

from __future__ import annotations

import re

from reportgen.measures import MEASURE_WORDS
from reportgen.notation import NumberFormat
from reportgen.rendering.names import Key
from reportgen.units import Unit, in_words

HEADLINES = {  # by the name of a table
    "across": "Comparisons by one value a data set",
    "agreement": "How far the methods agree",
    "distances": "Distances between the relations of data sets",
    "effects": "Effects on the scale of the measure and without it",
    "fixed": "Decisions after a fixed number of replications",
    "incidence": "The relation: 1 where the row is better than the column",
    "leader-pairs": "The best mean against each other candidate",
    "majorities": "Majorities of the relations",
    "members": "The relations that the consensus takes",
    "model": "Means of the model, and ranks",
    "nodes": "The parts of the tree",
    "optima": "Consensus relations",
    "pairs": "All pairs",
    "profiles": "Profiles of the archetypes",
    "relations": "Preference relations",
    "rules": "Consensus by several rules",
    "stability": "How stable the groups of data sets are",
    "summary": "Location, spread and places of the candidates",
    "tests": "Tests at the node",
    "worst": "The worst values of the candidates",
}

FIGURES = {  # by the name of a figure, without its size: headline, and what its marks are
    "interaction": ("Affinity of data sets and candidates", ""),
    "archetype-residuals": ("Residuals by the number of archetypes", ""),
    "boxes": ("Boxes of the values", ""),
    "bsplot": ("Orders of the data sets", ""),
    "cd": ("Mean ranks, and candidates that are not significantly different", ""),
    "dataset-residuals": ("Residuals of the model by data set", ""),
    "distribution": ("All values", "Points: replications; diamond: mean, with its interval."),
    "expected": ("Claims, and what was found", ""),
    "frontier": ("Performance and cost", ""),
    "hasse": ("The relation: better above", ""),
    "matrix": ("Pairs of candidates", ""),
    "p-track": ("p-values by the number of replications", ""),
    "pairs": ("Advantage of the first of each pair, with simultaneous intervals",
              "Filled: significant."),
    "panorama": ("All data sets and candidates", ""),
    "podium": ("Replications by places",
               "A line is a replication; bars: how often a candidate takes the place."),
    "ranks": ("Mean ranks", ""),
    "residuals": ("Residuals of the model", ""),
    "run_times": ("Distributions of run time", ""),
    "stages": ("Intervals after each stage", ""),
    "worths": ("Worths of the candidates", ""),
}  # fmt: skip
SIZE = re.compile(r"(-small|-\d+)+$")


def figure_caption(key: Key, unit: Unit) -> str:
    """Return the caption of a figure that no report places, or places without one.

    Examples
    --------
    >>> from reportgen.units import REPLICATION
    >>> key = Key("figure", "inference", "pairs-small", "misclassification", "d. 1")
    >>> figure_caption(key, REPLICATION).split(", ")[1:]
    ['with simultaneous intervals', 'misclassification error', 'd. 1. Filled: significant.']
    """
    name = SIZE.sub("", key.name)
    head, marks = FIGURES.get(name, (name.replace("-", " ").replace("_", " ").capitalize(), ""))
    words = [in_words(head, unit)]
    if key.measure:
        words.append(MEASURE_WORDS.get(key.measure, key.measure))
    if key.dataset:
        words.append(key.dataset)
    return " ".join(filter(None, (f"{', '.join(words)}.", in_words(marks, unit))))


def plain_headline(key: Key, number_format: NumberFormat | None = None) -> str:
    """Return the headline of a table or figure: what it is, of which measure and data set.

    >>> plain_headline(Key("table", "inference", "pairs", "misclassification", "monks3"))
    'All pairs, misclassification error, monks3'
    """
    words = [HEADLINES.get(key.name, key.name.replace("-", " ").capitalize())]
    if key.measure:
        unit = number_format.in_unit if number_format else ""
        words.append(f"{MEASURE_WORDS.get(key.measure, key.measure)}{unit}")
    if key.dataset:
        words.append(key.dataset)
    return ", ".join(words)
