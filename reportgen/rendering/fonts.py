"""The report's faces: subset, embedded, and kept on disk between runs."""

from __future__ import annotations

import base64
import hashlib
import logging
import os
import sys
from collections.abc import Iterable, Mapping
from contextlib import suppress
from dataclasses import replace
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING, Literal
from unicodedata import category

from reportgen.data_classes import dataclass
from reportgen.drawing import SANS, SERIF, SIGNS, sans_files, serif_files, signs_file
from reportgen.file_writing import write_bytes

if TYPE_CHECKING:
    from reportgen.report import Figure

log = logging.getLogger(__name__)

OTHERS = "RG Others"
"""Family of the face for the letters that the others lack."""

LATIN = "".join(map(chr, [*range(0x20, 0x7F), *range(0xA0, 0x180)]))
MARKS = "–—‘’‚“”„†‡•…‰′″−×≤≥≠≈→←↑↓∞№⋅"
GREEK = "αβγδεζηθικλμνξπρστυφχψωΓΔΘΛΞΠΣΦΨΩ"
# Never less than all of Latin-1: without À Ç É … fontconfig does not call a face English, and
# WeasyPrint takes the upright one for italics.
TEXT = LATIN + MARKS + GREEK
RELATIONS = "≺≻∼⊀≁∈∑∏⋅○●◐"
FEATURES = [
    *("kern", "liga", "lnum", "pnum", "tnum", "onum"),
    *("sups", "subs", "ccmp", "mark", "locl", "case"),
]

KEPT_NAMES = (0, 1, 2, 3, 4, 6, 13, 14)  # copyright, names, licence
UNKNOWN = "\N{REPLACEMENT CHARACTER}"
ASCII = bytes(range(128))

Flavour = Literal["woff2", "ttf"]


@dataclass(frozen=True, slots=True)
class Face:
    """One face to embed."""

    # family, weight, style: As CSS names them.
    family: str
    weight: int
    style: str
    file: Path
    text: str  # the characters that are kept of it
    is_partial: bool = False  # whether CSS has to be told which characters it has


def house_faces() -> tuple[Face, ...]:
    """Return the faces of every report."""
    return (
        *(Face(SERIF, *which, file, TEXT) for which, file in serif_files().items()),
        *(Face(SANS, *which, file, TEXT) for which, file in sans_files().items()),
        Face(SIGNS, 400, "normal", signs_file(), RELATIONS, is_partial=True),
    )


def others_face(text: str) -> Face | None:
    """Return a face for the letters of a text that the house's faces lack, if one has them."""
    missing = sorted(_further_letters(text) - covered_letters())
    file = _others_file()
    here = "".join(c for c in missing if ord(c) in _characters(file) and c > " ")
    return Face(OTHERS, 400, "normal", file, here, is_partial=True) if here else None


def _further_letters(text: str) -> set[str]:
    """Return the letters of a text beyond those of ASCII, which all faces have."""
    # Of a page of megabytes the others are found at once as bytes.
    found = text.encode("utf-8", "surrogatepass").translate(None, ASCII)
    return set(found.decode("utf-8", "surrogatepass"))


def with_known_letters(text: str) -> str:
    """Replace letters that no face of ours has.

    On paper a missing glyph is an error, and what the system's faces have is
    anyone's guess: the same report shall be the same everywhere.

    >>> with_known_letters("кот, 猫")
    'кот, �'
    """
    missing = {ord(letter): UNKNOWN for letter in unknown_letters(text)}
    return text.translate(missing) if missing else text


def unknown_letters(text: str) -> str:
    """Return the letters of a text that no face of ours has, each once.

    >>> unknown_letters("кот, 猫猫")
    '猫'
    """
    known = _characters(_others_file())
    missing = [c for c in _further_letters(text) - covered_letters() if category(c)[0] not in "CZ"]
    return "".join(sorted(c for c in missing if ord(c) not in known))


def tell_unknown_letters(place: str, text: str, shown_as: str) -> None:
    """Warn of letters that no face of ours has, and how a reader sees them there."""
    if missing := unknown_letters(text):
        log.warning("%s: our fonts lack %s, shown as %s", place, " ".join(missing), shown_as)


def tell_boxes(figures: Iterable[Figure]) -> None:
    """Warn of letters that are boxes in figures as files: other programs look for no other face."""
    tell_unknown_letters("figures", "".join(figure.print for figure in figures), "a box")


def _others_file() -> Path:
    return signs_file().with_name("DejaVuSans.ttf")


@cache
def covered_letters() -> frozenset[str]:
    """Return the characters that the upright faces have, in reading and in looking up."""
    kept = {
        face.family: {c for c in face.text if ord(c) in _characters(face.file)}
        for face in house_faces()
        if (face.weight, face.style) == (400, "normal")
    }
    return frozenset(kept[SERIF] & kept[SANS] | kept[SIGNS])


@cache
def _characters(file: Path) -> frozenset[int]:
    from matplotlib.ft2font import FT2Font  # has read them when fontTools has just been imported

    return frozenset(FT2Font(str(file)).get_charmap())


def font_css(text: str = "", flavour: Flavour = "woff2") -> str:
    """Return the style sheet that embeds the faces of a report.

    `text`: the report's text; letters that the house's faces lack are added.
    `flavour`: small for a page, quick to read for paper.
    """
    others = others_face(text)
    return "\n".join((_house_css(flavour), *((_face_css(others, flavour),) if others else ())))


@cache
def _house_css(flavour: Flavour) -> str:
    """Return the part that all reports have."""
    return "\n".join(_face_css(face, flavour) for face in house_faces())


def face_css(family: str, files: Mapping[tuple[int, str], Path]) -> str:
    """Return the style sheet that embeds the faces of a family, for paper.

    `family`: its name in style rules.
    `files`: by weight and style.
    """
    return "\n".join(
        _face_css(Face(family, *which, file, TEXT), "ttf") for which, file in files.items()
    )


def sans_css() -> str:
    """Return the style sheet that embeds the upright sans faces alone: those of figures."""
    faces = [f for f in house_faces() if f.family in (SANS, SIGNS) and f.style == "normal"]
    return "".join(_face_css(face, "woff2") for face in faces)


def drawing_css(text: str) -> str:
    """Return the style sheet of the faces of a drawing in a file, with the letters of a text.

    `text`: of all drawings of a report: they share the faces.
    """
    kept = set(text)
    faces = [f for f in house_faces() if f.family in (SANS, SIGNS) and f.style == "normal"]
    own = (replace(f, text="".join(c for c in f.text if c in kept)) for f in faces)
    others = others_face(text)
    used = (*(face for face in own if face.text), *((others,) if others else ()))
    return "".join(_face_css(face, "woff2") for face in used)


def _face_css(face: Face, flavour: Flavour) -> str:
    data = base64.b64encode(subset(face, flavour)).decode()
    format_name = "woff2" if flavour == "woff2" else "truetype"
    ranges = (
        ";unicode-range:" + ",".join(f"U+{ord(c):X}" for c in face.text) if face.is_partial else ""
    )
    return (
        f"@font-face{{font-family:'{face.family}';font-weight:{face.weight};"
        f"font-style:{face.style};src:url(data:font/{flavour};base64,{data}) "
        f"format('{format_name}'){ranges}}}"
    )


def subset(face: Face, flavour: Flavour) -> bytes:
    """Return the face with its characters alone, from the disk where it was made before."""
    name = f"fonts/{_fingerprint(face, flavour)}.{flavour}"
    data = kept_bytes(name)
    if data is None:
        data = _make_subset(face, flavour)
        keep_bytes(name, data)
    return data


def _fingerprint(face: Face, flavour: Flavour) -> str:
    from fontTools import version

    parts: Iterable[bytes] = (
        face.file.read_bytes(),
        "".join(sorted(set(face.text))).encode(),
        f"2 {face.family} {flavour} {version} {FEATURES}".encode(),
    )
    digest = hashlib.sha256()
    for part in parts:
        digest.update(hashlib.sha256(part).digest())
    return digest.hexdigest()[:32]


def _make_subset(face: Face, flavour: Flavour) -> bytes:
    import io

    from fontTools import subset as subsetting
    from fontTools.ttLib import TTFont

    options = subsetting.Options(
        layout_features=FEATURES,
        hinting=False,
        notdef_outline=True,
        recalc_timestamp=False,
        drop_tables=[*subsetting.Options().drop_tables, "FFTM", "DSIG"],
    )
    font = TTFont(face.file, recalcTimestamp=False, fontNumber=0)
    names = font["name"]
    del font["name"]  # the subsetter would look for its uses for as long as all else takes
    subsetter = subsetting.Subsetter(options)
    subsetter.populate(text=face.text + " ")  # Pango takes a blank from its neighbour's face
    subsetter.subset(font)
    names.names = [entry for entry in names.names if entry.nameID in KEPT_NAMES]
    font["name"] = names
    font.flavor = "woff2" if flavour == "woff2" else None
    buffer = io.BytesIO()
    font.save(buffer)
    return buffer.getvalue()


# --------------------------------------------------------------------- kept on disk


def cache_folder() -> Path:
    """Return the folder in which files are kept, by the custom of the platform."""
    if given := os.environ.get("XDG_CACHE_HOME"):
        base = Path(given)
    elif sys.platform == "win32":
        base = Path(os.environ.get("LOCALAPPDATA", Path.home()))
    elif sys.platform == "darwin":
        base = Path.home() / "Library" / "Caches"
    else:
        base = Path.home() / ".cache"
    return base / "reportgen"


def kept_bytes(name: str) -> bytes | None:
    """Return a file of the folder, None where there is none."""
    with suppress(OSError):
        return (cache_folder() / name).read_bytes()
    return None


def keep_bytes(name: str, data: bytes) -> None:
    """Write a file into the folder, where that is possible."""
    file = cache_folder() / name
    with suppress(OSError):
        file.parent.mkdir(parents=True, exist_ok=True, mode=0o700)
        write_bytes(file, data)
