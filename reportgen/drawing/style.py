"""The house style: colours, candidates' marks, type, line widths. All drawing is in its terms."""

from __future__ import annotations

import re
import warnings
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import field
from functools import cache
from importlib.util import find_spec
from pathlib import Path
from types import MappingProxyType
from typing import Any, Literal, NamedTuple, cast

import numpy as np
from numpy.typing import ArrayLike

from reportgen.data_classes import dataclass

TEXT_WIDTH, PHONE_WIDTH = 459.0, 262.0  # pt: 162 mm or 612 px, 1:1 on paper; 350 px
HALF_WIDTH = 236.0  # pt: 315 px; on paper 78 mm, where type of 7.5 pt is 7 pt
LABEL, TICK, SMALL = 9.0, 8.5, 7.5  # type sizes in pt; nothing is smaller than 7.5
HAIR, THIN, DATA, HEAVY = 0.5, 0.75, 1.25, 2.0  # line widths in pt

SANS, SERIF, SIGNS, OTHERS = "RG Sans", "RG Serif", "RG Signs", "RG Others"
FONT_FAMILY = f"{SANS}, {SIGNS}, Source Sans Pro, sans-serif"

SURE = 6  # decimals of a coordinate that no rounding has touched
ZEROS = re.compile(r"\.?0+(?= )")  # at the end of a number with decimals
MINUS_ZERO = re.compile(r"(?<![^ ])-0(?= )")

# name: (light and print, dark); every light colour is another, so that it can be mapped back
COLOURS: Mapping[str, tuple[str, str]] = {
    "ink": ("#1D1C1A", "#E8E6E1"),
    "ink2": ("#5B5852", "#ABA79F"),
    "axis": ("#8C8880", "#6F6C66"),
    "rule": ("#DAD6CD", "#34373B"),
    "band": ("#F0EDE4", "#24282C"),
    "paper": ("#FDFCFA", "#15181B"),
    "ghost": ("#B9B4A9", "#55585C"),
    "halo": ("#FDFCF9", "#15181A"),
    "onink": ("#FFFFFE", "#0E1012"),
}


class Hue(NamedTuple):
    """One candidate colour: ink for marks and lines, wash for grounds under text."""

    name: str
    ink: str
    wash: str
    dark_ink: str
    dark_wash: str


# Okabe and Ito's eight hues, moved (mostly in lightness) until each has 3:1 against the paper and
# its own wash and the closest two are as far apart as possible in OKLab under normal, protan,
# deutan and tritan vision (Machado et al. 2009, full severity). Wash: paper with up to 17%
# (dark: 22%) of the ink. The tests measure it.
HUES = (
    Hue("blue", "#0249AC", "#D2DEED", "#3481E7", "#1C2F48"),
    Hue("vermillion", "#822E03", "#E8D9D0", "#E05623", "#42261D"),
    Hue("amber", "#8A6617", "#E9E2D3", "#EB9409", "#443317"),
    Hue("green", "#148373", "#D5E7E3", "#7CB78E", "#2C3B34"),
    Hue("purple", "#D152B5", "#F6E1EF", "#B2709A", "#382B37"),
    Hue("sky", "#038CF2", "#E4F1F9", "#6FD0FF", "#29404D"),
    Hue("olive", "#9B8816", "#F1EEDE", "#EBC813", "#443F19"),
    Hue("grey", "#4B4B4B", "#DFDEDC", "#DDDDD4", "#414344"),
)

Fill = Literal["full", "open", "light", "rimmed"]
Dash = Literal["solid"] | tuple[float, tuple[float, ...]]

# Four tiers of eight: hue = i mod 8; the tier changes fill and dash and turns the shapes by
# three, so that no two of the 32 share shape and fill, and no hue repeats a shape.
SHAPES = ("o", "s", "^", "D", "v", "P", "X", "p")
FILLS: tuple[Fill, ...] = ("full", "open", "light", "rimmed")
DASHES: tuple[Dash, ...] = ("solid", (0, (5, 2)), (0, (1.2, 1.6)), (0, (6, 2, 1.2, 2)))
MARKS = (*SHAPES[:7], "<", ">", "p", "h", "*")  # of what is no candidate
DASHED = (0, (4, 2))  # of a limit
OPTICAL = {"D": 0.86, "^": 1.08, "v": 1.08, "P": 1.12, "X": 1.06, "s": 0.9, "p": 1.1}


@dataclass(frozen=True, slots=True)
class CandidateStyle:
    """The style of one candidate in a whole report."""

    name: str  # the candidate
    index: int  # its place in the study's order, from 0; after 32 the styles repeat

    @property
    def hue(self) -> int:
        """The number of its hue, of eight; its CSS variables are `--c<hue>` and `--w<hue>`."""
        return self.index % len(HUES)

    @property
    def tier(self) -> int:
        """The number of its fill and dash, one of four."""
        return self.index // len(HUES) % len(FILLS)

    @property
    def shape(self) -> str:
        """The marker's shape, in matplotlib's letters."""
        return SHAPES[(self.hue + 3 * self.tier) % len(SHAPES)]

    @property
    def fill(self) -> Fill:
        """The fill of the marker."""
        return FILLS[self.tier]

    @property
    def dash(self) -> Dash:
        """The line's dashes."""
        return DASHES[self.tier]

    @property
    def ink(self) -> str:
        """Name of the colour of marks and lines."""
        return f"c{self.hue}"

    @property
    def wash(self) -> str:
        """Name of the colour of grounds."""
        return f"w{self.hue}"

    @property
    def face(self) -> str:
        """Name of the colour that fills the marker."""
        return {"full": self.ink, "open": "paper"}.get(self.fill, self.wash)

    @property
    def rim(self) -> float:
        """Width of the marker's rim in pt at a size of 6; 0 for a full marker."""
        return {"full": 0.0, "rimmed": 2.0}.get(self.fill, 1.1)

    def scaled(self, size: float) -> float:
        """Return the size at which the shape looks as large as a circle of `size`."""
        return size * OPTICAL.get(self.shape, 1.0)


@cache
def palette() -> Mapping[str, tuple[str, str]]:
    """Return every colour by name, light and dark; candidates' are c0, w0 and so on."""
    named = dict(COLOURS)
    for i, hue in enumerate(HUES):
        named[f"c{i}"] = (hue.ink, hue.dark_ink)
        named[f"w{i}"] = (hue.wash, hue.dark_wash)
    return MappingProxyType(named)


def colour(name: str, *, dark: bool = False) -> str:
    """Return a colour of the house by its name."""
    return palette()[name][dark]


def css_variables(
    light: Mapping[str, str] = MappingProxyType({}), dark: Mapping[str, str] = MappingProxyType({})
) -> tuple[str, str]:
    """Return the declarations `--name:colour;…` of light and of dark pages.

    `light`, `dark`: colours by name, where they are not the house's.
    """
    on_light, on_dark = (
        "".join(f"--{name}:{own.get(name, pair[i])};" for name, pair in palette().items())
        for i, own in enumerate((light, dark))
    )
    return on_light, on_dark


def candidate_styles(candidates: Sequence[str]) -> dict[str, CandidateStyle]:
    """Give every candidate its style, in the study's order and never by its results."""
    return {name: CandidateStyle(name, index) for index, name in enumerate(candidates)}


def marker_path(style: CandidateStyle, size: float = 10.0) -> str:
    """Return the candidate's marker as an SVG path about (0, 0), for tables and running text.

    Fill it with `var(--<style.face>)`, and where `style.rim` is not 0 draw its
    outline in `var(--<style.ink>)`.

    Examples
    --------
    >>> marker_path(CandidateStyle("rpart", 1))
    'M-4.5 4.5L4.5 4.5L4.5 -4.5L-4.5 -4.5Z'
    """
    from matplotlib.markers import MarkerStyle
    from matplotlib.path import Path as Outline

    marker, scale = MarkerStyle(style.shape), style.scaled(size)
    letters = {
        Outline.MOVETO: "M",
        Outline.LINETO: "L",
        Outline.CURVE3: "Q",
        Outline.CURVE4: "C",
        Outline.CLOSEPOLY: "Z",
    }
    parts = []
    for points, code in marker.get_path().transformed(marker.get_transform()).iter_segments():
        signed = [x * scale * (-1 if i % 2 else 1) for i, x in enumerate(points)]
        numbers = "" if code == Outline.CLOSEPOLY else " ".join(short(x) for x in signed)
        parts.append(letters[code] + numbers)
    return "".join(parts)


def short(x: float, decimals: int = 2) -> str:
    """Write a coordinate with no digit too many."""
    text = f"{x:.{decimals}f}"
    if decimals:
        text = text.rstrip("0").rstrip(".")
    return "0" if text == "-0" else text


def shown(numbers: ArrayLike, decimals: int = 2) -> list[str]:
    """Write coordinates with no digit too many, whatever their last bits.

    Examples
    --------
    >>> shown([1.5, -0.001, 10, 0.125])
    ['1.5', '0', '10', '0.12']
    """
    flat = np.round(np.ravel(numbers), SURE).tolist()
    text = f"%.{decimals}f " * len(flat) % tuple(flat)
    return MINUS_ZERO.sub("0", ZEROS.sub("", text)).split()


# ------------------------------------------------------------------------------------- fonts


def _inside(package: str, *parts: str) -> Path:
    spec = find_spec(package)
    if spec is None or spec.origin is None:
        raise ModuleNotFoundError(f"no package {package!r}, which holds the report's fonts")
    return Path(spec.origin).parent.joinpath(*parts)


def sans_files() -> dict[tuple[int, str], Path]:
    """Return the files of the sans face by weight and style."""
    return {
        (400, "normal"): _inside("font_source_sans_pro", "files", "SourceSansPro-Regular.ttf"),
        (400, "italic"): _inside("font_source_sans_pro", "files", "SourceSansPro-It.ttf"),
        (600, "normal"): _inside("font_source_sans_pro", "files", "SourceSansPro-Semibold.ttf"),
    }


def serif_files() -> dict[tuple[int, str], Path]:
    """Return the files of the serif face by weight and style."""
    return {
        (400, "normal"): _inside("font_source_serif_pro", "files", "SourceSerifPro-Regular.ttf"),
        (400, "italic"): _inside("font_source_serif_pro", "files", "SourceSerifPro-It.ttf"),
        (600, "normal"): _inside("font_source_serif_pro", "files", "SourceSerifPro-Semibold.ttf"),
    }


def signs_file() -> Path:
    """Return the file of the face that has the signs of relations."""
    return _inside("matplotlib", "mpl-data", "fonts", "ttf", "STIXGeneral.ttf")


@cache
def register_fonts() -> None:
    """Make the house's faces known to matplotlib, under names that no system font has."""
    from matplotlib.font_manager import FontEntry, fontManager

    sans = sans_files()
    others = _inside("matplotlib", "mpl-data", "fonts", "ttf", "DejaVuSans.ttf")
    for weight in (400, 600):  # each family in both weights: matplotlib logs what it substitutes
        for family, file in (
            (SANS, sans[weight, "normal"]),
            (SIGNS, signs_file()),
            (OTHERS, others),
        ):
            fontManager.ttflist.append(FontEntry(fname=str(file), name=family, weight=weight))


@dataclass(frozen=True, slots=True)
class FigureTheme:
    """What a theme changes in figures."""

    settings: Mapping[str, Any] = field(default_factory=dict)  # of matplotlib, colours excepted
    # Light colours by name, of PDF and PNG for other documents; in SVG the report puts them in
    # place of the house's.
    colours: Mapping[str, str] = field(default_factory=dict)


HOUSE = FigureTheme()
NO_GLYPH = r"Glyph \d+ .* missing from font"  # a warning of matplotlib


def settings(theme: FigureTheme = HOUSE) -> dict[str, Any]:
    """Return matplotlib's settings, where they are not its defaults."""
    from matplotlib import rcParams

    light = {name: pair[0] for name, pair in COLOURS.items()} | dict(theme.colours)
    # Else the locale decides, and a Turkish i has another glyph; versions before 3.11 know none.
    language = {"text.language": "en"} if "text.language" in rcParams else {}
    return {
        **language,
        "svg.fonttype": "none",
        "svg.hashsalt": "reportgen",
        "text.parse_math": False,  # a name may hold a dollar sign
        "font.family": [SANS, SIGNS, OTHERS],
        "font.size": TICK,
        "text.color": light["ink"],
        "axes.edgecolor": light["axis"],
        "axes.labelcolor": light["ink2"],
        "axes.labelsize": TICK,
        "axes.labelpad": 3,
        "axes.linewidth": HAIR,
        "axes.facecolor": "none",
        "axes.spines.top": False,
        "axes.spines.right": False,
        "axes.spines.left": False,
        "axes.unicode_minus": True,
        "xtick.color": light["axis"],
        "ytick.color": light["axis"],
        "xtick.labelcolor": light["ink2"],
        "ytick.labelcolor": light["ink2"],
        "xtick.labelsize": TICK,
        "ytick.labelsize": TICK,
        "xtick.major.size": 3,
        "ytick.major.size": 0,
        "xtick.major.width": HAIR,
        "xtick.major.pad": 2.5,
        "ytick.major.pad": 4,
        "xtick.minor.size": 1.6,
        "ytick.minor.size": 0,
        "xtick.minor.width": HAIR,
        "figure.facecolor": "none",
        "figure.edgecolor": "none",
        "savefig.facecolor": "none",
        "figure.dpi": 72,
        "lines.linewidth": DATA,
        "lines.solid_capstyle": "butt",
        "path.simplify": False,
        **theme.settings,
    }


@contextmanager
def house_settings(theme: FigureTheme = HOUSE) -> Iterator[None]:
    """Draw by the settings of a theme, whatever a user's own are, and leave theirs as they were."""
    import matplotlib

    register_fonts()
    with warnings.catch_warnings(), matplotlib.rc_context():
        # names may be in scripts that none of the faces has: a browser finds them a face
        warnings.filterwarnings("ignore", message=NO_GLYPH)
        matplotlib.rcdefaults()
        matplotlib.rcParams.update(cast("Any", settings(theme)))
        yield
