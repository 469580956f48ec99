"""What the Hasse diagrams show."""

from __future__ import annotations

import re
from itertools import pairwise
from xml.etree import ElementTree

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from reportgen.drawing import TEXT_WIDTH, Canvas
from reportgen.drawing.canvas import BUDGET
from reportgen.drawing.sheet import house_settings
from reportgen.report import Figure
from reportgen.sections.preferences.analysis import _described
from reportgen.sections.preferences.figures import HIGHEST, draw, heading, pages
from reportgen.sections.preferences.hasse import diagram_of, fit
from reportgen.sections.preferences.options import By, Relevant
from reportgen.sections.preferences.result import Preference
from reportgen.warehouse import Measure
from tests.stats.orders import asymmetric

ERROR = Measure("misclassification", "smaller", "share", (0, 1))
NAMES = tuple("abcdefgh")


def preference(
    incidence: np.ndarray,
    names: tuple[str, ...] = NAMES,
    by: By = "verdict",
    relevant: Relevant | None = None,
    name: str = "",
    level: float | None = None,
) -> Preference:
    k = len(incidence)
    plain = f"misclassification/{by}"
    blank = Preference(
        name or plain, "misclassification", by, relevant, 0.0, level,
        candidates=names[:k], measured=ERROR,
    )  # fmt: skip
    return _described(blank, np.asarray(incidence, dtype=bool))


def of(pairs: str, k: int = 4, **more: str) -> Preference:
    """Return the relation of "ab bc"."""
    incidence = np.zeros((k, k), dtype=bool)
    for first, second in pairs.split():
        incidence[NAMES.index(first), NAMES.index(second)] = True
    return preference(incidence, **more)  # type: ignore[arg-type]


def semiorder(k: int, threshold: float, seed: int = 1) -> Preference:
    at = np.sort(np.random.default_rng(seed).random(k))
    names = tuple(f"candidate-{i:02d}" for i in range(k))
    return preference(at[None, :] - at[:, None] > threshold, names)


def figures(*drawn: Preference, n_datasets: int = 1) -> tuple[Figure, ...]:
    return draw(drawn, Canvas.of(drawn[0].candidates, n_datasets, "p"))


def texts(svg: str) -> list[str]:
    found = (t.text for t in ElementTree.fromstring(svg).iter("{http://www.w3.org/2000/svg}text"))
    return [text for text in found if text]


# ------------------------------------------------------------------------------ diagrams


@pytest.mark.parametrize("relation", asymmetric(4)[::9], ids=lambda r: str(r.sum()))
def test_boxes_and_lines_tell_the_relation(relation: np.ndarray) -> None:
    found = preference(relation)
    diagram = diagram_of(found)
    layer = {box: i for i, row in enumerate(diagram.layers) for box in row}
    assert sorted(layer) == list(range(len(diagram.boxes)))
    assert sorted(n for box in diagram.boxes for n in box) == list("abcd")
    for i, j in (*diagram.lines, *diagram.dashed):
        assert layer[i] < layer[j]
    every = (*diagram.lines, *diagram.arrows)
    covers = {(a, b) for i, j in every for a in diagram.boxes[i] for b in diagram.boxes[j]}
    assert covers == set(found.covers)
    dashed = {(a, b) for i, j in diagram.dashed for a in diagram.boxes[i] for b in diagram.boxes[j]}
    assert dashed == set(found.implied)


def test_a_weak_order_is_a_ladder_of_boxes() -> None:
    diagram = diagram_of(of("ac ad bc bd"))
    assert diagram.boxes == (("a", "b"), ("c", "d"))
    assert diagram.lines == ((0, 1),)


def test_names_of_one_height_that_do_not_stand_alike_have_no_common_box() -> None:
    diagram = diagram_of(of("ac bc bd"))
    assert diagram.boxes == (("a",), ("b",), ("c",), ("d",))
    assert diagram.layers == ((0, 1), (2, 3))


@settings(max_examples=15)
@given(
    st.integers(2, 30), st.floats(0, 1), st.integers(0, 5), st.sampled_from([140.0, 262.0, 459.0])
)
def test_every_diagram_stays_in_its_width(
    k: int, threshold: float, seed: int, width: float
) -> None:
    panel = fit(semiorder(k, threshold, seed), width)
    layout = panel.laid_out()
    assert panel.height >= layout.height
    layers: dict[float, list[tuple[float, float]]] = {}
    for place, size in zip(layout.places, panel.sizes, strict=True):
        assert place.top >= 0
        assert place.top + size.height <= layout.height + 1e-6
        middle = round(place.top + size.height / 2, 3)
        layers.setdefault(middle, []).append((place.x - size.width / 2, place.x + size.width / 2))
    for row in layers.values():
        row.sort()
        assert row[0][0] >= -1e-6
        assert row[-1][1] <= width + 1e-6
        assert all(a[1] <= b[0] + 1e-6 for a, b in pairwise(row))
    for line in (*panel.diagram.lines, *panel.diagram.dashed):
        upper, lower = line
        assert layout.places[upper].top < layout.places[lower].top


# -------------------------------------------------------------------------------- figures


def test_every_relation_has_a_diagram_with_all_names() -> None:
    (figure,) = figures(of("ab bc"), of("ac ad bc bd", by="friedman"))
    for svg in (figure.screen, figure.phone or "", figure.print):
        assert sorted(t for t in texts(svg) if len(t) == 1) == sorted("abcd" * 2)
        assert "by the verdicts" in texts(svg)
        assert "by tests on ranks" in texts(svg)
    assert (figure.name, figure.measure) == ("hasse", "")
    assert figure.data.columns == ("relation", "better", "worse", "line")
    first = [row[1:] for row in figure.data.rows if row[0] == "misclassification/verdict"]
    assert first == [
        ("a", "b", "line"), ("b", "c", "line"), ("a", "c", "dashed"), ("d", None, None),
    ]  # fmt: skip


def test_candidates_keep_their_colours() -> None:
    (figure,) = figures(of("ab bc cd ac ad bd"))
    for hue in range(4):
        assert f"var(--c{hue})" in figure.screen
    assert not re.findall(r"fill:\s*#", figure.screen)


def test_dashed_lines_only_where_transitivity_fails() -> None:
    (chain,) = figures(of("ab bc ac", k=3))
    (broken,) = figures(of("ab bc", k=3))
    assert "dasharray" not in chain.screen
    assert "dasharray" in broken.screen


def test_a_circle_is_drawn_with_arrows() -> None:
    with house_settings():
        (figure,) = figures(of("ab bc ca ad bd cd"))
    assert "c over a" in figure.alt
    assert len(diagram_of(of("ab bc ca ad bd cd")).arrows) == 3


def test_compact_pages_show_only_what_no_chain_can_tell() -> None:
    chain, other = of("ab bc ac", k=3), of("ac", k=3, by="friedman")
    assert figures(chain, n_datasets=21) == ()
    (figure,) = figures(chain, other, n_datasets=21)
    assert {row[0] for row in figure.data.rows} == {"misclassification/friedman"}
    assert figure.phone is None


def test_what_is_not_there_is_not_drawn() -> None:
    absent = Preference("x/mean", "x", "mean", None, 0.0, None, unavailable="no-values")
    assert draw((absent,), Canvas.of(NAMES, 1, "p")) == ()
    (figure,) = figures(of("ab", k=2), absent)
    assert {row[0] for row in figure.data.rows} == {"misclassification/verdict"}


def test_who_has_no_values_is_named_below() -> None:
    blank = Preference(
        "e/mean", "e", "mean", None, 0.0, None,
        candidates=("a", "b", "c"), absent=("b",), measured=ERROR,
    )  # fmt: skip
    incidence = np.zeros((3, 3), dtype=bool)
    incidence[0, 2] = True
    (figure,) = figures(_described(blank, incidence))
    assert "no values: b" in texts(figure.screen)
    assert texts(figure.screen).count("b") == 0


def test_figures_are_no_higher_than_a_page() -> None:
    k = 30
    names = tuple(f"c{i}" for i in range(k))
    linear = np.triu(np.ones((k, k), dtype=bool), 1)
    drawn = [preference(linear, names, name=f"r{i}") for i in range(7)]
    found = figures(*drawn)
    assert [f.measure for f in found] == ["", "2", "3"]
    assert [len(page) for page in pages(drawn)] == [3, 3, 1]
    for figure in found:
        height = float(re.search(r'height="([\d.]+)', figure.print)[1])  # type: ignore[index]
        assert height <= HIGHEST * 1.4


@pytest.mark.parametrize("k", [2, 12, 30])
@pytest.mark.parametrize("threshold", [0.0, 0.1, 2.0])
def test_drawings_are_small(k: int, threshold: float) -> None:
    (figure,) = draw((semiorder(k, threshold),), Canvas.of(semiorder(k, 1).candidates, 1, "p"))
    assert len(figure.screen.encode()) < BUDGET / 2
    ElementTree.fromstring(figure.print)


def test_hostile_names_stay_names() -> None:
    names = ("<script>alert(1)</script>", "$x_1$", "a" * 80, "ab & cd")
    linear = np.triu(np.ones((4, 4), dtype=bool), 1)
    (figure,) = draw((preference(linear, names),), Canvas.of(names, 1, "p"))
    assert "<script" not in figure.screen
    assert "$x_1$" in texts(figure.screen)
    assert names[0] in figure.alt


# ---------------------------------------------------------------------------------- words


@pytest.mark.parametrize(
    ("by", "level", "relevant", "name", "expected"),
    [
        ("mean", None, None, "", ("misclassification error", "by mean")),
        ("m-worst", 13.0, None, "", ("misclassification error", "by the 13-worst value")),
        ("max", None, None, "worst", ("worst", "misclassification error, the worst value")),
        (
            "verdict", 0.05, "better", "r",
            ("r", "misclassification error, the verdicts, relevantly better"),
        ),
    ],
)  # fmt: skip
def test_headings(
    by: By, level: float, relevant: Relevant, name: str, expected: tuple[str, str]
) -> None:
    found = preference(np.zeros((2, 2)), by=by, level=level, relevant=relevant, name=name)
    assert heading(found) == expected


def test_the_alternative_text_tells_the_order() -> None:
    (figure,) = figures(of("ac ad bc bd"))
    assert (
        figure.alt
        == "Hasse diagram. misclassification error, by the verdicts: a and b; then c and d."
    )
    (figure,) = figures(of("ac bc bd"))
    assert figure.alt.endswith("a, b; then c, d. Lines: a over c, b over c, b over d.")
    (figure,) = figures(of("ab bc", k=3))
    assert figure.alt.endswith("Dashed, not in the relation: a and c.")


def test_the_width_is_shared_by_as_many_as_have_room() -> None:
    few = figures(*(of("ab bc ac", k=3, name=f"r{i}") for i in range(3)))
    assert len(few) == 1
    xs = {float(x) for x in re.findall(r"translate\(([\d.]+)", few[0].print)}
    assert max(xs, default=TEXT_WIDTH) <= TEXT_WIDTH * 4 / 3
