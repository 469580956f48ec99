from __future__ import annotations

from dataclasses import dataclass

from reportgen.drawing import TEXT_WIDTH
from reportgen.sections.preferences.figures import (
    HEAD,
    by_level,
    incidence_height,
    row_height,
    shared_pairs,
)


@dataclass(frozen=True)
class Told:
    better: frozenset[tuple[str, str]]
    present: tuple[str, ...] = ("a", "b", "c")
    absent: tuple[str, ...] = ()
    levels: tuple[tuple[str, ...], ...] = ()
    covers: tuple[tuple[str, str], ...] = ()
    implied: tuple[tuple[str, str], ...] = ()

    def is_better(self, first: str, second: str) -> bool:
        return (first, second) in self.better


ONE = Told(frozenset({("c", "a"), ("c", "b"), ("b", "a")}))
OTHER = Told(frozenset({("c", "a"), ("a", "b")}))


def test_rows_stand_by_how_many_others_are_worse() -> None:
    assert by_level(ONE) == ("c", "b", "a")


def test_pairs_are_of_both_relations_or_of_one_alone() -> None:
    both, first, second = shared_pairs((ONE, OTHER), by_level(ONE))
    assert (both, first, second) == ([(0, 2)], [(0, 1), (1, 2)], [(2, 1)])


def test_fifty_candidates_leave_room_for_their_names() -> None:
    assert 50 * row_height(50, TEXT_WIDTH) < 0.8 * TEXT_WIDTH
    assert incidence_height(50, TEXT_WIDTH) > HEAD + 50 * row_height(50, TEXT_WIDTH)
