"""What functions of independent samples accept and refuse, and that they call the kernels."""

from __future__ import annotations

import re
from typing import Any

import numpy as np
import pandas as pd
import pytest

from reportgen import stats
from reportgen.stats.samples.bootstrap_ratio import bootstrap_ratios
from reportgen.stats.samples.brunner_munzel import brunner_munzel_pairs
from reportgen.stats.samples.comparison import welch_pairs

RNG = np.random.default_rng(1)
PARTS = {
    "old": RNG.lognormal(0, 0.1, size=30),
    "new": RNG.lognormal(-0.3, 0.1, size=20),
    "few": RNG.lognormal(0, 0.1, size=4),
}
VALUES = pd.DataFrame({name: pd.Series(part) for name, part in PARTS.items()})
CALLS = {
    "compare_samples": stats.compare_samples,
    "brunner_munzel": stats.brunner_munzel,
    "bootstrap_ratio": stats.bootstrap_ratio,
}
of_all = pytest.mark.parametrize("call", CALLS.values(), ids=CALLS)


def refused(message: str) -> Any:
    return pytest.raises(ValueError, match=re.escape(message))


@of_all
def test_forms_of_samples(call: Any) -> None:
    expected = call(VALUES).to_frame()
    assert set(expected["first"]) == {"old", "new"}
    lists = [part.tolist() for part in PARTS.values()]
    for found in (call(PARTS), call(lists, [*PARTS]), call(VALUES.to_numpy(), [*PARTS])):
        pd.testing.assert_frame_equal(found.to_frame(), expected)


def test_they_are_the_kernels() -> None:
    matrix = VALUES.to_numpy()
    pairs = {
        "compare_samples": welch_pairs(matrix, 0.1, scale="difference"),
        "brunner_munzel": brunner_munzel_pairs(matrix, 0.1),
        "bootstrap_ratio": bootstrap_ratios(matrix, 0.1, np.random.default_rng(2011)),
    }
    for name, kernel in pairs.items():
        expected = kernel.named(PARTS, "").decided()
        assert CALLS[name](PARTS, alpha=0.1) == expected
        assert expected[0].decision == "worse"
        assert expected[1].decision == "undecided"  # few values


def test_the_better_side() -> None:
    for call in CALLS.values():
        decisions = (call(PARTS).decision[0], call(PARTS, better="larger").decision[0])
        assert decisions == ("worse", "better")


def test_relevance() -> None:
    ratio = stats.compare_samples(PARTS, scale="ratio", relevance=2.0)
    assert ratio.decision[0] == "equivalent"
    assert (ratio.extra["tost_lower"] > ratio.lower).all()
    means = stats.bootstrap_ratio(PARTS, relevance=1.1)
    assert means.decision[0] == "worse-relevant"
    assert (means.extra["tost_upper"] < means.upper).all()


@of_all
def test_what_is_refused(call: Any) -> None:
    with refused("samples: found 1 samples; allowed at least 2"):
        call([[1.0, 2.0]])
    with refused("samples: found one of shape (1, 2)"):
        call([np.ones(3), np.ones((1, 2))])
    with refused("samples: found an infinite value of 'b'"):
        call({"a": [1.0], "b": [np.inf]})
    with refused("samples: found"):
        call([["x"], [1.0]])
    with refused("names: found 1 names; allowed 2"):
        call([[1.0], [2.0]], ["a"])
    with refused("alpha: found 2"):
        call(PARTS, alpha=2)
    with refused("better: found 'most'"):
        call(PARTS, better="most")
    with refused("values: found shape (3, 1)"):
        call(np.ones((3, 1)))


def test_ratios_need_positive_values() -> None:
    with refused("samples: found 0.0; allowed numbers above 0 for ratios"):
        stats.compare_samples([[0.0, 1.0], [1.0]], scale="ratio")
    with refused("samples: found 0.0; allowed numbers above 0 for ratios"):
        stats.bootstrap_ratio([[0.0, 1.0], [1.0]])
    with refused("center: found 'mode'"):
        stats.bootstrap_ratio(PARTS, center="mode")
