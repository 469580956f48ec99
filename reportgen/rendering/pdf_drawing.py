"""Drawings on paper: the SVG that our figures and formulas are, as operators of a PDF.

WeasyPrint's SVG is for every drawing there is, and takes half of a supplement's time: a form of its
own for each centred number, all properties anew for each mark. Ours has few kinds of elements, and
PDF has their operators. What is not in `read_drawing` is left to WeasyPrint.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import field
from functools import lru_cache
from itertools import accumulate
from math import cos, inf, radians, sin
from typing import Any
from xml.etree import ElementTree
from xml.etree.ElementTree import Element

from reportgen.data_classes import dataclass
from reportgen.drawing.label_placement import Point

PIXELS = {"": 1.0, "px": 1.0, "pt": 4 / 3}  # CSS pixels of a unit
LENGTH = re.compile(r"([\d.]+)(|px|pt)")
HEX = re.compile(r"#[0-9a-fA-F]{6}")
URL = re.compile(r"url\(#([^)\"']+)\)")
NUMBER = re.compile(r"-?(?:\d+\.?\d*|\.\d+)(?:e-?\d+)?")
PATH = re.compile(r"\s*([A-Za-z])([^A-Za-z]*)")
FUNCTION = re.compile(r"\s*(translate|scale|rotate)\(([^)]*)\)")

MATPLOTLIB = "*{stroke-linejoin: round; stroke-linecap: butt}"  # the sheet in its drawings
SIZES = {"M": 2, "L": 2, "C": 6}  # numbers of a command
CAPS = {"butt": 0, "round": 1, "square": 2}
JOINS = {"miter": 0, "round": 1, "bevel": 2}
PROPERTIES = {
    "opacity": "1",
    "fill": "#000000",
    "fill-opacity": "1",
    "stroke": "none",
    "stroke-opacity": "1",
    "stroke-width": "1",
    "stroke-linecap": "butt",
    "stroke-linejoin": "miter",
    "stroke-dasharray": "none",
    "stroke-dashoffset": "0",
    "font-family": "sans-serif",
    "font-size": "16",
    "font-weight": "400",
    "font-style": "normal",
    "text-anchor": "start",
}
"""What elements inherit, with what is so where nothing says otherwise.

Opacity they do not; here it is that of shapes alone, which a `use` has one of."""
OWN = {
    "svg": {"viewBox", "width", "height", "version"},
    "g": {"clip-path", "transform", "id"},
    "path": {"clip-path", "transform", "id", "d"},
    "use": {"clip-path", "transform", "x", "y", "href"},
    "text": {"transform", "x", "y"},
}
"""What else the elements may have."""


class _UnknownError(Exception):
    """The drawing has something that is not read here."""


@dataclass(frozen=True, slots=True)
class Alpha:
    """How much of what is below is covered."""

    value: float
    is_stroke: bool


@dataclass(frozen=True, slots=True)
class Words:
    """A line of text."""

    text: str
    family: str
    style: str
    size: float
    weight: int
    x: float
    y: float
    share: float  # of its width that is left of x


PUSH, POP = b"q", b"Q"
Step = bytes | Alpha | Words


@dataclass(frozen=True, slots=True)
class Drawing:
    """A drawing as steps."""

    # width, height: CSS pixels.
    width: float
    height: float
    box: tuple[float, float, float, float]  # what is seen, in the drawing's units
    steps: tuple[Step, ...]  # operators of a PDF, and what depends on the page they are written on


def read_drawing(svg: str) -> Drawing | None:
    """Read a drawing; None where it has elements or properties that are not known here."""
    try:
        root = ElementTree.fromstring(svg)
        for element in root.iter():
            element.tag = element.tag.rpartition("}")[2]
        reader = _Reader({e.attrib["id"]: e for e in root.iter() if "id" in e.attrib})
        x, y, width, height = map(float, root.attrib["viewBox"].split())
        size = _pixels(root.attrib["width"]), _pixels(root.attrib["height"])
        reader.read(root, PROPERTIES)
    except (_UnknownError, ElementTree.ParseError, KeyError, ValueError):
        return None
    return Drawing(*size, (x, y, width, height), tuple(reader.steps))


def _pixels(text: str) -> float:
    if not (match := LENGTH.fullmatch(text)):
        raise _UnknownError(text)
    return float(match[1]) * PIXELS[match[2]]


@dataclass(slots=True)
class _Reader:
    """Turns elements into steps."""

    named: Mapping[str, Element]  # the elements that others refer to
    steps: list[Step] = field(default_factory=list)
    # The operators that hold, by what they set.
    state: dict[str, object] = field(default_factory=dict)

    def read(self, element: Element, inherited: Mapping[str, str]) -> None:
        """Add the steps of an element and of those inside."""
        tag = element.tag
        if tag in ("defs", "clipPath") or (tag == "style" and element.text == MATPLOTLIB):
            return
        own, clip = _own(tag, tuple(element.attrib.items()))
        properties = {**inherited, **own} if own else inherited
        place = _moves(element.get("transform", ""))
        if tag == "use":
            place += _translation(element.get("x", "0"), element.get("y", "0"))
        if not place and not clip:
            self._paint(element, properties)
            return
        outer = self.state
        self.state = dict(outer)
        self.steps += (PUSH, *place)
        if clip:
            self.steps += (self._outline(clip), b"W n")
        self._paint(element, properties)
        self.steps.append(POP)
        self.state = outer

    def _paint(self, element: Element, properties: Mapping[str, str]) -> None:
        tag = element.tag
        if tag == "path":
            self._path(element.attrib["d"], properties)
        elif tag == "text":
            self._text(element, properties)
        elif tag == "use":
            name = next(value for key, value in element.attrib.items() if key.endswith("href"))
            self.read(self.named[name.removeprefix("#")], properties)
        else:
            for child in element:
                self.read(child, properties)

    def _outline(self, name: str) -> bytes:
        """Return the rectangle to which something is clipped."""
        (shape,) = self.named[name]
        if shape.tag != "rect" or shape.attrib.keys() != {"x", "y", "width", "height"}:
            raise _UnknownError(name)
        return " ".join((*(shape.attrib[k] for k in ("x", "y", "width", "height")), "re")).encode()

    def _path(self, d: str, properties: Mapping[str, str]) -> None:
        is_filled, is_drawn = properties["fill"] != "none", properties["stroke"] != "none"
        if not (is_filled or is_drawn):
            return
        if is_filled and is_drawn and properties["opacity"] != "1":
            raise _UnknownError("opacity of both")
        if is_filled:
            self._colour("fill", "rg", properties)
        if is_drawn:
            self._colour("stroke", "RG", properties)
            self._line(properties)
        painter = b"B" if is_filled and is_drawn else b"S" if is_drawn else b"f"
        self.steps += (_operators(d), painter)

    def _text(self, element: Element, properties: Mapping[str, str]) -> None:
        if len(element) or properties["stroke"] != "none" or not element.text:
            raise _UnknownError("text")
        self._colour("fill", "rg", properties)
        share = {"start": 0.0, "middle": 0.5, "end": 1.0}[properties["text-anchor"]]
        weight = {"normal": 400, "bold": 700}.get(properties["font-weight"])
        self.steps.append(
            Words(
                element.text,
                properties["font-family"],
                properties["font-style"],
                _pixels(properties["font-size"]),
                weight or int(properties["font-weight"]),
                float(element.get("x", 0)),
                float(element.get("y", 0)),
                share,
            )
        )

    def _colour(self, kind: str, operator: str, properties: Mapping[str, str]) -> None:
        alpha = float(properties["opacity"]) * float(properties[f"{kind}-opacity"])
        self._set(f"{kind} alpha", Alpha(alpha, kind == "stroke"))
        self._set(kind, f"{_channels(properties[kind])} {operator}".encode())

    def _line(self, properties: Mapping[str, str]) -> None:
        dashes = properties["stroke-dasharray"]
        dashes = "" if dashes == "none" else " ".join(NUMBER.findall(dashes))
        for what, operands, operator in (
            ("width", _pixels(properties["stroke-width"]), "w"),
            ("cap", CAPS[properties["stroke-linecap"]], "J"),
            ("join", JOINS[properties["stroke-linejoin"]], "j"),
            ("miter", 4, "M"),
            ("dash", f"[{dashes}] {_pixels(properties['stroke-dashoffset']):g}", "d"),
        ):
            self._set(what, f"{operands} {operator}".encode())

    def _set(self, what: str, step: Step) -> None:
        if self.state.get(what) != step:
            self.state[what] = step
            self.steps.append(step)


@lru_cache(maxsize=1024)
def _own(tag: str, attributes: tuple[tuple[str, str], ...]) -> tuple[dict[str, str], str]:
    """Return the properties that an element has of its own, and what it is clipped to."""
    known = OWN.get(tag)
    if known is None:
        raise _UnknownError(tag)
    own, clip = {}, ""
    for name, value in attributes:
        if name in PROPERTIES:
            own[name] = value
        elif name == "style":
            for part in value.split(";"):
                key, colon, text = part.partition(":")
                if colon and key.strip() not in PROPERTIES:
                    raise _UnknownError(key)
                if colon:
                    own[key.strip()] = text.strip()
        elif name.rpartition("}")[2] not in known:
            raise _UnknownError(name)
        elif name == "clip-path":
            if not (match := URL.fullmatch(value)):
                raise _UnknownError(value)
            clip = match[1]
    if "opacity" in own and tag in ("svg", "g"):
        raise _UnknownError("opacity of a group")
    return own, clip


@lru_cache(maxsize=1024)
def _channels(colour: str) -> str:
    if not HEX.fullmatch(colour):
        raise _UnknownError(colour)
    return " ".join(f"{int(colour[i : i + 2], 16) / 255:.6g}" for i in (1, 3, 5))


def _translation(x: str, y: str) -> tuple[bytes, ...]:
    return () if float(x) == float(y) == 0 else (f"1 0 0 1 {x} {y} cm".encode(),)


def _moves(transform: str) -> tuple[bytes, ...]:
    """Return the matrices of a transformation, the outermost first."""
    found: list[bytes] = []
    if FUNCTION.sub("", transform).strip():
        raise _UnknownError(transform)
    for name, text in FUNCTION.findall(transform):
        first, *others = map(float, NUMBER.findall(text))
        if name == "translate":
            found += _translation(f"{first:f}", f"{others[0] if others else 0:f}")
        elif name == "scale":
            found.append(f"{first:f} 0 0 {others[0] if others else first:f} 0 0 cm".encode())
        else:
            x, y = others or (0.0, 0.0)
            a, b = cos(radians(first)), sin(radians(first))
            e, f = x - a * x + b * y, y - b * x - a * y
            found.append(f"{a:f} {b:f} {-b:f} {a:f} {e:f} {f:f} cm".encode())
    return tuple(found)


def _operators(d: str) -> bytes:
    """Return a path in the operators of a PDF.

    >>> _operators("M0 1 2 3C1 2 3 4 5 6zM1 1l2-1h0")
    b'0 1 m 2 3 l 1 2 3 4 5 6 c h 1 1 m 3 0 l 3 0 l'
    """
    parts: list[str] = []
    point = start = (0.0, 0.0)
    for command, text in PATH.findall(d):
        numbers = NUMBER.findall(text)
        if command in "MLC":
            size = SIZES[command]
            points = map(" ".join, zip(*(numbers[n::size] for n in range(size)), strict=True))
            if command == "M":
                parts += (next(points), "m")
                start = float(numbers[0]), float(numbers[1])
            operator = "c" if command == "C" else "l"
            parts += (f"{operands} {operator}" for operands in points)
            point = float(numbers[-2]), float(numbers[-1])
        elif command in "zZ":
            parts.append("h")
            point = start
        else:
            curve = _CURVES[command](point, [float(n) for n in numbers])
            operator = "c" if command == "Q" else "l"
            parts += (" ".join(f"{n:g}" for n in operands) + f" {operator}" for operands in curve)
            point = curve[-1][-2], curve[-1][-1]
    return " ".join(parts).encode()


Curve = Sequence[tuple[float, ...]]


def _relative_lines(point: Point, numbers: list[float]) -> Curve:
    xs = accumulate(numbers[::2], initial=point[0])
    ys = accumulate(numbers[1::2], initial=point[1])
    return list(zip(xs, ys, strict=True))[1:]


def _horizontal(point: Point, numbers: list[float]) -> Curve:
    return [(x, point[1]) for x in accumulate(numbers, initial=point[0])][1:]


def _quadratic(point: Point, numbers: list[float]) -> Curve:
    """Raise the degree: PDF has cubic curves alone."""
    found: list[tuple[float, ...]] = []
    for n in range(0, len(numbers), 4):
        (a, b), (u, v, x, y) = point, numbers[n : n + 4]
        found.append(((a + 2 * u) / 3, (b + 2 * v) / 3, (x + 2 * u) / 3, (y + 2 * v) / 3, x, y))
        point = x, y
    return found


class _Curves(dict[str, Callable[[Point, list[float]], Curve]]):
    def __missing__(self, command: str) -> Any:
        raise _UnknownError(command)


_CURVES = _Curves(l=_relative_lines, h=_horizontal, Q=_quadratic)


class Letters:
    """Lines of text in the faces of a style sheet, each laid out once."""

    def __init__(self, fonts: Any) -> None:
        self._fonts = fonts
        self._lines: dict[tuple[object, ...], tuple[Any, float]] = {}

    def write(self, stream: Any, words: Words) -> None:
        """Write a line of text, as WeasyPrint's SVG does."""
        from weasyprint.draw.text import draw_first_line
        from weasyprint.matrix import Matrix

        box, width = self._line(words)
        place = Matrix(d=-1, e=words.x - words.share * width, f=words.y)
        stream.begin_text()
        draw_first_line(stream, box, "none", "none", place)
        stream.end_text()

    def _line(self, words: Words) -> tuple[Any, float]:
        key = (words.text, words.family, words.style, words.size, words.weight)
        if key not in self._lines:
            from weasyprint.css.properties import INITIAL_VALUES
            from weasyprint.svg.text import Style, TextBox
            from weasyprint.text.line_break import split_first_line

            style = Style(INITIAL_VALUES)
            style.font_config = self._fonts
            style["font_family"] = [name.strip(" \"'") for name in words.family.split(",")]
            style["font_style"], style["font_weight"] = words.style, words.weight
            style["font_size"] = words.size
            layout, _, _, width, *_ = split_first_line(words.text, style, None, inf, 0)
            layout.reactivate(style)
            self._lines[key] = TextBox(layout, style), width
        return self._lines[key]


class Picture:
    """A drawing that stands for an image of WeasyPrint's."""

    def __init__(self, drawing: Drawing, letters: Letters) -> None:
        self._drawing = drawing
        self._letters = letters

    def get_intrinsic_size(self, _resolution: object, _size: object) -> tuple[float, float, float]:
        """Return width, height, and the ratio of both."""
        width, height = self._drawing.width, self._drawing.height
        return width, height, width / height

    def draw(self, stream: Any, width: float, height: float, _style: object) -> None:
        """Draw into a page, as large as wanted, in the middle."""
        x, y, w, h = self._drawing.box
        scale = min(width / w, height / h)
        left, top = (width - w * scale) / 2 - x * scale, (height - h * scale) / 2 - y * scale
        stream.push_state()
        stream.transform(a=scale, d=scale, e=left, f=top)
        for step in self._drawing.steps:
            if isinstance(step, Words):
                self._letters.write(stream, step)
            elif isinstance(step, Alpha):
                stream.set_alpha(step.value, stroke=step.is_stroke)
            elif step == PUSH:
                stream.push_state()
            elif step == POP:
                stream.pop_state()
            else:
                stream.stream.append(step)
        stream.pop_state()
