"""The layout of a report's pages: paper, faces, logo and theme, as the manifest asks for them.

A theme is a folder. All of its files may be left out:

- `variables.css`: colours by name, `:root { --ink: #000000 }`, and those of dark pages in
  `:root[data-theme=dark] { ... }`;
- `rules.css`: further style rules of HTML and PDF, after ours, which decide what a page shows, and
  are used only where templates are allowed;
- `figures.mplstyle`: settings of matplotlib, colours excepted;
- templates, laid out as ours: `sections/eda.md.j2`, `html/front.html.j2`.
"""

from __future__ import annotations

import base64
import re
import warnings
from collections.abc import Iterable, Mapping
from dataclasses import replace
from functools import cache
from io import BytesIO
from pathlib import Path
from typing import Any

from reportgen.drawing import FigureTheme, palette
from reportgen.drawing.svg import HEX
from reportgen.errors import StudyError
from reportgen.folder_files import file_in, files_in, text_in
from reportgen.rendering.drawing_policy import drawing_fault
from reportgen.rendering.templates import TEMPLATE, template_folder
from reportgen.report import Figure, Layout, Report, SectionContent
from reportgen.study.citation import NAME as CITATION
from reportgen.study.errors import listed, shown, suggestion
from reportgen.study.manifest import Study
from reportgen.study.schema import ReportEntry

HOUSE = "house"
CITED_FILES = ("references.bib", "formulas.toml")
COLOURS, RULES, FIGURES = "variables.css", "rules.css", "figures.mplstyle"
THEME_FILES = (COLOURS, RULES, FIGURES, *CITED_FILES)
"""What is read in a theme's folder, or in `templates/`, beside templates."""
SETTINGS = (
    *("axes", "boxplot", "contour", "errorbar", "grid", "hatch", "hist", "image", "legend"),
    *("lines", "patch", "scatter", "xtick", "ytick"),
)
"""The settings of matplotlib that a theme may have: others start programs or import modules."""

LOGOS = {".svg": "image/svg+xml", ".png": "image/png"}
FACES = ((400, "normal"), (400, "italic"), (600, "normal"))
MOST_BYTES = 10_000_000  # of a logo
OUTSIDE = "theme"  # the place in a bundle of a folder without a name, such as ".."
PNG_END = b"IEND\xaeB`\x82"
NO_PNG = "content that is no PNG, or a part of one"
COMMENT = re.compile(r"/\*.*?(?:\*/|\Z)", re.DOTALL)  # without an end it goes to that of the file
RULE = re.compile(r"(:root(\[data-theme=[\"']?dark[\"']?\])?)\s*\{([^{}]*)\}")
DECLARATION = re.compile(r"--([a-z0-9]+)\s*:\s*(#[0-9a-fA-F]{6})")


def used_with_leave(folder: Path, *, is_theme: bool) -> tuple[str, ...]:
    """Return the names of templates in a folder, of the files that they cite, and of rules."""
    named = (*CITED_FILES, RULES) if is_theme else CITED_FILES
    names = (file.relative_to(folder).as_posix() for file in files_in(folder))
    return tuple(name for name in names if name.endswith(TEMPLATE) or name in named)


def own_files(study: Study) -> dict[str, Path]:
    """Return what a report reads beside its manifest, by its place in a zip file."""
    folders = {"templates": study.folder / "templates"}
    theme = study.folder / study.report.theme
    if theme.is_dir():
        folders[place_inside(study.report.theme)] = theme
    found = {
        f"{place}/{file.relative_to(folder).as_posix()}": file
        for place, folder in folders.items()
        if folder.resolve() != template_folder().resolve()
        for file in files_in(folder)
        if file.suffix == TEMPLATE or file.relative_to(folder).as_posix() in THEME_FILES
    }
    if study.text and file_in(study.folder, CITATION):
        found[CITATION] = study.folder / CITATION
    logo = study.report.logo
    if logo and (study.folder / logo).is_file() and not (study.folder / logo).is_symlink():
        found[place_inside(logo)] = study.folder / logo
    return found


def place_inside(name: str) -> str:
    """Return where a file of the study lies in a zip file: beneath its manifest."""
    path = Path(name)
    is_outside = path.is_absolute() or ".." in path.parts
    own = path.name if path.name not in ("", "..") else OUTSIDE
    return own if is_outside else path.as_posix()


def theme_folder(entry: ReportEntry, folder: Path) -> Path | None:
    """Return the folder of a report's theme, one of ours or the author's; none of the house's.

    `folder`: of the manifest.
    Raises StudyError if it is not there.
    """
    name, ours = entry.theme, template_folder() / "themes"
    names = sorted(place.name for place in ours.iterdir() if place.is_dir())
    if name == HOUSE:
        return None
    place = ours / name if name in names else folder / name
    if place.is_dir():
        return place
    allowed = [HOUSE, *names]
    raise StudyError(
        f"report.theme: found {shown(name)}; allowed {listed(allowed)}, or a folder beside the "
        f"manifest{suggestion(name, allowed)}"
    )


def layout_of(entry: ReportEntry, folder: Path) -> Layout:
    """Return the layout that a manifest asks for.

    `folder`: of the manifest.
    Raises StudyError if a theme, a logo or a face is not there, or a file is not understood.
    """
    paper, place = entry.paper, theme_folder(entry, folder)
    light, dark = _colours(place) if place else ({}, {})
    return Layout(
        paper.size,
        paper.columns,
        paper.anonymous,
        _face_files("serif", paper.fonts.serif),
        _face_files("sans", paper.fonts.sans),
        _logo(folder / entry.logo) if entry.logo else "",
        entry.footer or "",
        light,
        dark,
        _rules(place) if place else "",
    )


def figure_theme(entry: ReportEntry, folder: Path) -> FigureTheme:
    """Return what a report's theme changes in figures.

    Raises StudyError if the file is not understood, or has colours.
    """
    place = theme_folder(entry, folder)
    if place is None:
        return FigureTheme()
    light, _ = _colours(place)
    return FigureTheme(_settings(_text(place, FIGURES)), light)


def _text(theme: Path, name: str) -> str:
    """Return the text of a file of a theme; "" where there is none."""
    try:
        return text_in(theme, name) or ""
    except ValueError as error:
        raise StudyError(f"{name} of the theme: {error}") from error


def _settings(text: str) -> dict[str, Any]:
    """Read settings of matplotlib."""
    from matplotlib import RcParams

    found: Any = RcParams()
    for number, line in enumerate(text.splitlines(), 1):
        key, _, value = (part.strip() for part in line.partition("#")[0].partition(":"))
        if not key:
            continue
        fault = f"{FIGURES} of the theme, line {number}: found {shown(line.strip())}"
        if "color" in key or key == "axes.prop_cycle":
            raise StudyError(f"{fault}; allowed no colours, which are in variables.css")
        if key.partition(".")[0] not in SETTINGS:
            allowed = f"settings of {listed(SETTINGS)}"
            raise StudyError(f"{fault}; allowed {allowed}")
        try:
            found[key] = value
        except (KeyError, ValueError) as error:
            allowed = "a setting of matplotlib, such as lines.linewidth: 1.5"
            raise StudyError(f"{fault}; allowed {allowed}") from error
    return dict(found)


def for_review(report: Report) -> Report:
    """Return a report as it is, or as one that does not say who wrote it, if it shall not."""
    if not report.layout.is_anonymous:
        return report
    study = replace(report.study, authors=(), doi="", cited_as="")
    provenance = replace(report.provenance, manifest="", commit="")
    layout = replace(report.layout, logo="", footer="")
    return replace(report, study=study, provenance=provenance, layout=layout)


def colour(layout: Layout, name: str) -> str:
    """Return a colour of light pages and of paper by its name."""
    return layout.light.get(name, palette()[name][0])


def painted(layout: Layout, text: str) -> str:
    """Return a style sheet or a drawing for paper, the theme's colours in place of the house's."""
    own = {palette()[name][0].lower(): value for name, value in layout.light.items()}
    return HEX.sub(lambda match: own.get(match[0].lower(), match[0]), text) if own else text


def painted_contents(
    layout: Layout, contents: Iterable[SectionContent]
) -> tuple[SectionContent, ...]:
    """Return contents whose figures for paper have the theme's colours; images in them do not."""
    if not layout.light:
        return tuple(contents)
    return tuple(
        replace(content, figures=tuple(_painted_figure(layout, f) for f in content.figures))
        for content in contents
    )


def _painted_figure(layout: Layout, figure: Figure) -> Figure:
    pictures = dict(figure.pictures)
    if "svg" in pictures:
        pictures["svg"] = painted(layout, pictures["svg"].decode()).encode()
    return replace(figure, print=painted(layout, figure.print), pictures=pictures)


def _colours(theme: Path) -> tuple[dict[str, str], dict[str, str]]:
    """Read the colours of light and of dark pages."""
    found: tuple[dict[str, str], dict[str, str]] = ({}, {})
    bare = COMMENT.sub("", _text(theme, COLOURS))
    if rest := RULE.sub("", bare).strip():
        raise StudyError(
            f"variables.css of the theme: found {shown(rest[:60])}; allowed ':root {{ ... }}' and "
            "':root[data-theme=dark] { ... }'"
        )
    for _, is_dark, body in RULE.findall(bare):
        for declaration in filter(None, map(str.strip, body.split(";"))):
            match = DECLARATION.fullmatch(declaration)
            if match is None or match[1] not in palette():
                name = match[1] if match else ""
                raise StudyError(
                    f"variables.css of the theme: found {shown(declaration[:60])}; allowed a "
                    f"colour such as '--ink: #000000' of {listed(palette())}"
                    f"{suggestion(name, palette())}"
                )
            found[bool(is_dark)][match[1]] = match[2].upper()
    return found


def _rules(theme: Path) -> str:
    """Read style rules, which end no style sheet before its end."""
    rules = COMMENT.sub("", _text(theme, RULES)).strip()
    if "</" in rules:
        raise StudyError("rules.css of the theme: found '</'; allowed rules without markup")
    return rules


def _logo(path: Path) -> str:
    """Return a picture in which nothing runs; a link is one only to a picture of its kind."""
    kind = LOGOS.get(path.suffix.lower())
    if kind is None or kind != LOGOS.get(path.resolve().suffix.lower()) or not path.is_file():
        raise StudyError(f"report.logo: found {shown(path.name)}; allowed a file .svg or .png")
    with path.open("rb") as file:
        content = file.read(MOST_BYTES + 1)
    if len(content) > MOST_BYTES:
        fault = f"more than {MOST_BYTES:,} bytes"
    else:
        fault = (drawing_fault if path.suffix.lower() == ".svg" else _png_fault)(content)
    if fault:
        raise StudyError(
            f"report.logo: found {shown(path.name)} with {fault}; allowed a picture that runs and "
            "fetches nothing"
        )
    return f"data:{kind};base64,{base64.b64encode(content).decode()}"


def _png_fault(content: bytes) -> str:
    """Return what of a picture cannot be shown."""
    from PIL import Image

    if PNG_END not in content:  # which a printer of PDF may have told Pillow to overlook
        return NO_PNG
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("error", Image.DecompressionBombWarning)
            with Image.open(BytesIO(content), formats=["PNG"]) as picture:
                picture.load()
    except (Image.DecompressionBombWarning, Image.DecompressionBombError):
        return f"more than {Image.MAX_IMAGE_PIXELS or 0:,} pixels"
    except (OSError, SyntaxError, ValueError):
        return NO_PNG
    return ""


@cache
def _face_files(which: str, family: str | None) -> Mapping[tuple[int, str], Path]:
    """Return the files of a family that is installed, by weight and style."""
    if family is None:
        return {}
    from matplotlib.font_manager import fontManager, weight_dict

    entries = [entry for entry in fontManager.ttflist if entry.name == family]
    if not entries:
        names = {entry.name for entry in fontManager.ttflist}
        raise StudyError(
            f"report.paper.fonts.{which}: found {shown(family)}, which is not installed; "
            f"allowed one that is{suggestion(family, names)}"
        )

    def distance(entry: Any, weight: int, style: str) -> tuple[Any, ...]:
        own = weight_dict.get(entry.weight, entry.weight)
        is_usual = entry.stretch == "normal" and entry.variant == "normal"
        return entry.style != style, not is_usual, abs(own - weight), entry.fname

    return {
        face: Path(min(entries, key=lambda entry: distance(entry, *face)).fname) for face in FACES
    }
