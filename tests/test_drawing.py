"""The house style measured, and drawings as files."""

from __future__ import annotations

import re
import subprocess
import sys
import warnings
from xml.etree import ElementTree

import numpy as np
import pytest

from reportgen.drawing import (
    HUES,
    Canvas,
    Sheet,
    alt_text,
    candidate_styles,
    css_variables,
    fit_axis,
    marker_path,
    palette,
    plain,
    sans_files,
    serif_files,
    shorten_names,
    shorten_text,
    signs_file,
    text_width,
)
from reportgen.report import Series

THEMES = {"light": 0, "dark": 1}

# linear RGB -> LMS -> OKLab (Ottosson 2020); full severity of Machado et al. (2009)
TO_LMS = np.array(
    [
        [0.4122214708, 0.5363325363, 0.0514459929],
        [0.2119034982, 0.6806995451, 0.1073969566],
        [0.0883024619, 0.2817188376, 0.6299787005],
    ]
)
TO_LAB = np.array(
    [
        [0.2104542553, 0.7936177850, -0.0040720468],
        [1.9779984951, -2.4285922050, 0.4505937099],
        [0.0259040371, 0.7827717662, -0.8086757660],
    ]
)
VISION = {
    "normal": np.eye(3),
    "deutan": np.array(
        [
            [0.367322, 0.860646, -0.227968],
            [0.280085, 0.672501, 0.047413],
            [-0.011820, 0.042940, 0.968881],
        ]
    ),
    "protan": np.array(
        [
            [0.152286, 1.052583, -0.204868],
            [0.114503, 0.786281, 0.099216],
            [-0.003882, -0.048116, 1.051998],
        ]
    ),
    "tritan": np.array(
        [
            [1.255528, -0.076749, -0.178779],
            [-0.078411, 0.930809, 0.147602],
            [0.004733, 0.691367, 0.303900],
        ]
    ),
}


def linear(colour: str) -> np.ndarray:
    c = np.array([int(colour[i : i + 2], 16) / 255 for i in (1, 3, 5)])
    return np.where(c <= 0.04045, c / 12.92, ((c + 0.055) / 1.055) ** 2.4)


def contrast(a: str, b: str) -> float:
    bright, pale = (linear(x) @ [0.2126, 0.7152, 0.0722] + 0.05 for x in (a, b))
    return float(max(bright, pale) / min(bright, pale))


def nearest(colours: list[str], vision: np.ndarray) -> float:
    seen = np.clip(np.array([linear(c) for c in colours]) @ vision.T, 0, 1)
    lab = np.cbrt(seen @ TO_LMS.T) @ TO_LAB.T
    gaps = np.linalg.norm(lab[:, None] - lab[None], axis=-1)
    return float(gaps[np.triu_indices(len(colours), 1)].min())


@pytest.fixture(params=THEMES)
def colours(request: pytest.FixtureRequest) -> dict[str, str]:
    return {name: pair[THEMES[request.param]] for name, pair in palette().items()}


# ------------------------------------------------------------------------------------ style


def test_contrast_by_hand():
    assert contrast("#000000", "#FFFFFF") == pytest.approx(21)


@pytest.mark.parametrize(("name", "ground", "least"), [
    ("ink", "paper", 7), ("ink", "band", 7), ("ink2", "paper", 4.5), ("ink2", "band", 4.5),
    ("axis", "paper", 3),
])  # fmt: skip
def test_words_and_axes_have_contrast(colours, name, ground, least):
    assert contrast(colours[name], colours[ground]) >= least


def test_candidates_have_contrast_on_paper_and_wash(colours):
    for i in range(len(HUES)):
        assert contrast(colours[f"c{i}"], colours["paper"]) >= 3
        assert contrast(colours[f"c{i}"], colours[f"w{i}"]) >= 3
        assert contrast(colours["ink"], colours[f"w{i}"]) >= 7


@pytest.mark.parametrize("vision", VISION)
def test_candidates_are_told_apart_by_all_eyes(colours, vision):
    inks = [colours[f"c{i}"] for i in range(len(HUES))]
    assert nearest(inks, VISION[vision]) >= 0.085
    assert nearest(inks[:6], VISION[vision]) >= 0.10


def test_every_light_colour_is_another():
    light = [pair[0].lower() for pair in palette().values()]
    assert len(set(light)) == len(light)


def test_thirty_two_styles_are_distinct_without_colour():
    styles = candidate_styles([f"c{i}" for i in range(32)]).values()
    assert len({(s.shape, s.fill) for s in styles}) == 32
    assert len({(s.hue, s.shape) for s in styles}) == 32


def test_styles_follow_the_order_of_the_study_and_start_again():
    styles = candidate_styles([f"c{i}" for i in range(40)])
    assert styles["c1"].ink == "c1"
    assert (styles["c33"].shape, styles["c33"].hue) == (styles["c1"].shape, styles["c1"].hue)


def test_css_variables_declare_both_themes():
    light, dark = css_variables()
    assert "--ink:#1D1C1A;" in light
    assert "--ink:#E8E6E1;" in dark
    assert re.findall(r"--(\w+):", light) == re.findall(r"--(\w+):", dark)


def test_marker_paths_are_plain_path_data():
    styles = candidate_styles([f"c{i}" for i in range(8)])
    paths = [marker_path(style) for style in styles.values()]
    assert len(set(paths)) == 8
    assert all(re.fullmatch(r"M[-\d. MLCQZ]+Z", path) for path in paths)


def test_font_files_are_inside_installed_packages():
    for file in (*sans_files().values(), *serif_files().values(), signs_file()):
        assert file.is_file()


# ------------------------------------------------------------------------------------- axes


def test_linear_axis_holds_its_values_and_ends_at_ticks():
    axis = fit_axis([0.3, 6.9], 400, 50)
    assert axis.ticks[0] <= 0.3
    assert axis.ticks[-1] >= 6.9
    assert axis.lower < 0.3 < 6.9 < axis.upper
    assert axis.labels == ("0", "1", "2", "3", "4", "5", "6", "7")


def test_axis_is_logarithmic_only_beyond_two_powers_of_ten():
    assert not fit_axis([1, 100], 300).is_log
    axis = fit_axis([0.5, 600], 300)
    assert axis.is_log
    assert axis.unit("s") == "s, log scale"
    assert not fit_axis([0, 600], 300).is_log
    assert not fit_axis([0.5, 600], 300, may_be_log=False).is_log
    assert not fit_axis([0.5, 30], 300).is_log
    assert fit_axis([0.5, 30], 300, log_from=20.0).is_log


@pytest.mark.parametrize("values", [[3.0], [0.0, 0.0], [-5e-8, 3e-8], [2e7, 2.1e7], [np.nan, 1.0],
                                    [1e-9, 1e9], [-1e4, 1e4], [0.1, 0.1 + 1e-15], []])  # fmt: skip
def test_axis_fits_any_values(values):
    axis = fit_axis(values, 200)
    finite = [v for v in values if np.isfinite(v)]
    assert all(axis.lower < v < axis.upper for v in finite)
    assert 2 <= len(axis.ticks) <= 12
    assert len(set(axis.labels)) == len(axis.labels)
    assert all(len(label) < 14 for label in axis.labels)


def test_small_and_large_values_leave_a_power_of_ten_to_the_axis():
    axis = fit_axis([1e-6, 4e-6], 200)
    assert axis.unit("") == "1e−6"
    assert fit_axis([2e9, 4e9], 200).unit("points") == "1e9 points"
    assert "2e−6" in fit_axis([1e-8, 4e-6], 400).labels
    assert axis.labels == ("1", "2", "3", "4")


# ------------------------------------------------------------------------------------ words


def test_text_is_shortened_to_its_room():
    name = "HistGradientBoostingClassifier"
    short = shorten_text(name, 60, 9)
    assert short.endswith("…")
    assert text_width(short, 9) <= 60
    assert text_width(name[: len(short)] + "…", 9) > 60
    assert shorten_text("rf", 60, 9) == "rf"


def test_long_names_that_differ_at_the_end_stay_different():
    names = [f"HistGradientBoostingClassifier(depth={i})" for i in range(5)]
    short = shorten_names(names, 80, 9)
    assert len(set(short.values())) == 5
    assert all(text_width(text, 9) <= 80 for text in short.values())


def test_long_names_that_differ_in_the_middle_stay_different():
    names = [f"line (b2 = {b}, n = {n})" for b in (0, 0.05, 0.1, 0.2) for n in (50, 150, 500)]
    short = shorten_names(names, 62, 7.5)
    assert len(set(short.values())) == 12
    assert all(text_width(text, 7.5) <= 62 for text in short.values())
    assert short["line (b2 = 0.05, n = 150)"] == "b2 = 0.05, n = 150"


def test_long_names_lose_the_words_that_all_share():
    names = [f"forest_{i}_with_the_usual_settings" for i in (10, 200)]
    assert shorten_names(names, 60, 9) == dict(zip(names, ["forest_10", "forest_200"], strict=True))
    assert shorten_names(names, 20, 9) == dict(zip(names, ["10", "200"], strict=True))
    same = ["a name, which is long", "a name, which is long!"]
    assert len(set(shorten_names(same, 40, 9).values())) == 2
    assert shorten_names(names[:1], 400, 9) == {names[0]: names[0]}


def test_untrusted_text_is_one_clean_line():
    assert plain("a\x00\n b\u202e c") == "a b c"
    assert plain("a\u200bb\ufeffc") == "a b c"


def test_alt_text_is_never_too_long():
    assert alt_text("x" * 2000, "short") == "short"
    assert len(alt_text("x" * 2000)) == 1500


# --------------------------------------------------------------------------------- drawings

SERIES = Series(("x",), ((1,),))
NAMES = ["rf", "svm; fill: #0249AC 1.23456789 <b>&", "中文 $x^2$"]


def scribble(sheet: Sheet) -> None:
    """Draw something of everything: text, marks, a dense layer, lines of one style."""
    sheet.begin(120)
    axes = sheet.axes(30, 20, 4, 4)
    x = np.linspace(0, 1, 50)
    for i, name in enumerate(sheet.styles):
        axes.plot(x, x**i, **sheet.mark(name, 3), **sheet.dense)
        axes.text(0.1, 0.1 + 0.2 * i, name, color=sheet.colour("ink"))
        axes.plot(x[:2], x[:2] + i, color=sheet.ink(name))


def draw(canvas: Canvas, n_marks: int = 0):
    return canvas.figure("some", "error", scribble, alt="Some.", data=SERIES, n_marks=n_marks)


def test_names_are_drawn_as_they_are():
    figure = draw(Canvas.of(NAMES, 1, "d1"))
    for svg in (figure.screen, figure.print, figure.phone):
        texts = [
            t.text for t in ElementTree.fromstring(svg).iter("{http://www.w3.org/2000/svg}text")
        ]
        assert set(NAMES) <= set(texts)


def test_screen_has_variables_only_and_print_real_colours_only():
    figure = draw(Canvas.of(["a", "b"], 1, "d1"))
    styles = " ".join(re.findall(r'style="([^"]*)"', figure.screen))
    assert "var(--c0)" in styles
    assert not re.search(r"#[0-9a-fA-F]{6}", styles)
    assert "var(" not in figure.print
    assert "#0249ac" in figure.print


def test_a_colour_outside_the_house_is_an_error():
    def paint(sheet: Sheet) -> None:
        sheet.begin(50)
        sheet.axes(1, 1, 1, 1).plot([0, 1], [0, 1], color="#123456")

    with pytest.raises(ValueError, match="#123456 is no colour of the house"):
        Canvas.of(["a"], 1, "d").figure("x", "m", paint, alt="", data=SERIES)


def test_ids_have_the_prefix_and_differ_between_drawings():
    canvases = [Canvas.of(NAMES, 1, prefix) for prefix in ("d1", "d2")]
    drawn = [draw(canvas) for canvas in canvases]
    drawn += [c.figure("some", "time", scribble, alt="", data=SERIES) for c in canvases]
    ids = [re.findall(r'\bid="([^"]+)"', svg) for f in drawn for svg in (f.screen, f.phone)]
    flat = [name for names in ids for name in names]
    assert len(flat) == len(set(flat)) > 0
    assert all(re.match(r"d[12]-some-", name) for name in flat)


def test_what_is_referred_to_is_there():
    for svg in (draw(Canvas.of(NAMES, 1, "d")).screen, draw(Canvas.of(NAMES, 1, "d")).print):
        targets = set(re.findall(r'(?:href="|url\()#([\w-]+)', svg))
        assert targets == set(re.findall(r'\bid="([^"]+)"', svg))


def test_prefix_never_becomes_markup():
    figure = draw(Canvas.of(["a"], 1, 'x" onload="alert(1)'))
    assert "onload=" not in figure.screen
    ElementTree.fromstring(figure.screen)


def test_dense_layer_keeps_every_point():
    root = ElementTree.fromstring(draw(Canvas.of(["a"], 1, "d")).screen)
    path = next(e for e in root.iter() if "marker:" in e.get("style", ""))
    numbers = re.findall(r"-?\d*\.?\d+", path.attrib["d"])
    steps = np.array(numbers, dtype=float).reshape(-1, 2)
    ends = np.cumsum(steps, axis=0)  # the first is absolute, the others are steps
    assert len(ends) == 50
    assert ends[-1] - ends[0] == pytest.approx([(459 - 34) / 1.1, 0], abs=0.06)


@pytest.mark.parametrize(("n_marks", "on_screen", "on_paper"),
                         [(100, 0, 0), (1000, 0, 0), (50_000, 2, 1)])  # fmt: skip
def test_the_number_of_marks_decides_what_becomes_an_image(n_marks, on_screen, on_paper):
    figure = draw(Canvas.of(["a"], 1, "d"), n_marks)
    assert figure.screen.count("<image") == on_screen
    assert figure.print.count("<image") == on_paper
    assert figure.screen.count('class="on-dark"') == on_screen / 2


def test_images_of_both_themes_differ():
    svg = draw(Canvas.of(["a"], 1, "d"), 50_000).screen
    light, dark = re.findall(r'href="(data:[^"]+)"', svg)
    assert light != dark


def test_compact_canvas_draws_once():
    canvas = Canvas.of(["a"], 6, "d")
    assert (canvas.density, canvas.phone, canvas.dark) == ("compact", False, False)
    assert Canvas.of(["a"], 5, "d").density == "full"
    figure = draw(canvas, 50_000)
    assert figure.phone is None
    assert figure.screen.count("<image") == 1


@pytest.mark.slow
def test_compact_canvas_keeps_its_budget_with_too_much_to_draw():
    def cloud(sheet: Sheet) -> None:
        sheet.begin(200)
        axes = sheet.axes(1, 1, 1, 1)
        noise = np.random.default_rng(3).random((2, 9_500))
        axes.plot(*noise, **sheet.mark("a", 2), **sheet.dense)

    def size(canvas: Canvas, n_marks: int) -> int:
        figure = canvas.figure("x", "m", cloud, alt="", data=SERIES, n_marks=n_marks)
        return len(figure.screen.encode())

    assert size(Canvas.of(["a"], 1, "d"), 9_500) > 75_000
    assert size(Canvas.of(["a"], 6, "d"), 9_500) <= 75_000


def test_drawing_leaves_matplotlib_as_it_was():
    import matplotlib

    before = dict(matplotlib.rcParams)
    draw(Canvas.of(["a"], 1, "d"))
    assert dict(matplotlib.rcParams) == before


def test_a_users_settings_have_no_say():
    import matplotlib

    plain_svg = draw(Canvas.of(["a"], 1, "d")).screen
    with matplotlib.rc_context({"font.size": 30, "axes.grid": True, "lines.linewidth": 9}):
        assert draw(Canvas.of(["a"], 1, "d")).screen == plain_svg


def test_nothing_is_warned_of_or_logged(caplog):
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        draw(Canvas.of(NAMES, 1, "d"))
    assert not caplog.records


TWICE = """
import sys
sys.path.insert(0, {root!r})
from tests.test_drawing import NAMES, draw
from reportgen.drawing import Canvas
figure = draw(Canvas.of(NAMES, 1, "d"), 50_000)
assert "matplotlib.pyplot" not in sys.modules  # it would keep figures and pick a window
sys.stdout.buffer.write((figure.screen + figure.print + figure.phone).encode())
"""


@pytest.mark.slow
def test_two_processes_draw_the_same_bytes(root):
    runs = [
        subprocess.run(
            [sys.executable, "-c", TWICE.format(root=str(root))],
            capture_output=True, check=True, env={"PYTHONHASHSEED": str(seed)},
        ).stdout
        for seed in (1, 2)
    ]  # fmt: skip
    assert len(runs[0]) > 10_000
    assert runs[0] == runs[1]


def test_labels_of_a_legible_axis_do_not_touch() -> None:
    wide, close = fit_axis([-60.0, 14.0], 90, 40), fit_axis([-60.0, 14.0], 90, 26)
    assert len(close.ticks) > len(wide.ticks)
    assert close.is_legible(90, 7)
    assert not fit_axis([-0.00601, 0.00142], 90, 18).is_legible(90, 7)
