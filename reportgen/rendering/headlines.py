"""Headlines of tables and figures that no report places, for manuscripts that may."""

from __future__ import annotations

from reportgen.measures import MEASURE_WORDS
from reportgen.notation import Scale
from reportgen.rendering.names import Key

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


def plain_headline(key: Key, scale: Scale | None = None) -> str:
    """Return the headline of a table or figure: what it is, of which measure and data set.

    >>> plain_headline(Key("table", "inference", "pairs", "misclassification", "monks3"))
    'All pairs, misclassification error, monks3'
    """
    words = [HEADLINES.get(key.name, key.name.replace("-", " ").capitalize())]
    if key.measure:
        unit = f" in {scale.unit}" if scale and scale.unit else ""
        words.append(f"{MEASURE_WORDS.get(key.measure, key.measure)}{unit}")
    if key.dataset:
        words.append(key.dataset)
    return ", ".join(words)
