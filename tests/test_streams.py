"""Random streams that belong to names."""

from __future__ import annotations

import numpy as np
import pytest

from reportgen.streams import stream

# The first draw of a stream: another value means that every stored study would change.
FIRST = 0.27161004300734126


def first(seed: int, *names: str | int) -> float:
    return float(stream(seed, *names).random())


def test_same_path_same_stream() -> None:
    assert np.array_equal(stream(1, "a", 2).random(9), stream(1, "a", 2).random(9))


@pytest.mark.parametrize(
    "other", [(2, "a", "b"), (1, "b", "a"), (1, "ab"), (1, "a"), (1, "a", "b", ""), (1, "a", "c")]
)
def test_other_paths_are_other_streams(other: tuple[int | str, ...]) -> None:
    seed, *names = other
    assert first(int(seed), *names) != first(1, "a", "b")


def test_streams_never_change() -> None:
    assert first(2011, "monks3", 1) == FIRST
