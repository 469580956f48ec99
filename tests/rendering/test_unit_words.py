"""Words for items and samples: exchanged in the program's own text, and nowhere else."""

from __future__ import annotations

import pytest
from markupsafe import Markup

from reportgen.rendering.templates import environment
from reportgen.rendering.unit_words import in_words


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("A replication of a data set", "An item of a task"),
        ("in 3 replications of these data sets", "in 3 items of these tasks"),
        ("Data sets", "Tasks"),
        ("missing-replications", "missing-replications"),
        ("design.n_replications", "design.n_replications"),
        ("#replication", "#replication"),
    ],
)
def test_words(text: str, expected: str) -> None:
    assert in_words(text, "item") == expected


def test_names_and_values_stay() -> None:
    source = (
        "{% set W = {'replication': 'a replication'} %}"
        "{{ name }}: {{ W[unit] }} {{ 'x' if unit == 'replication' else 'y' }} of a replication"
    )
    found = environment((), Markup, unit="item")
    text = found.from_string(source).render(name="replication 7", unit="replication")
    assert text == "replication 7: an item x of an item"


def test_replications_have_their_own_words() -> None:
    found = environment((), Markup)
    assert found.from_string("a replication").render() == "a replication"
