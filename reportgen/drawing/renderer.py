"""What matplotlib draws, as elements of SVG with numbers as short as they are shown.

An element `marks` has the places of one mark in its text: they stay together until a drawing is
written (`reportgen/drawing/svg.py`).

Nothing is written as text that would have to be read again, marks that look alike are given their
style once, and what has no paint is left out.
"""

from __future__ import annotations

import base64
import io
import math
from collections.abc import Sequence
from functools import lru_cache
from itertools import cycle
from typing import TYPE_CHECKING, Any
from xml.etree.ElementTree import Element, SubElement

import numpy as np
from matplotlib.backend_bases import GraphicsContextBase, RendererBase
from matplotlib.backends.backend_mixed import MixedModeRenderer
from matplotlib.path import Path
from matplotlib.transforms import Affine2D, Transform

from reportgen.drawing.style import short, shown
from reportgen.drawing.text_size import SCALE, glyphs_of, line_heights, text_extents
from reportgen.stats.arrays import Array

if TYPE_CHECKING:
    from matplotlib.figure import Figure
    from matplotlib.font_manager import FontProperties
    from matplotlib.text import Text


COLOURS_OF_IMAGE = 96
PNG = "data:image/png;base64,"
BOX = ("x", "y", "width", "height")
CAPS = {"projecting": "square"}
ANCHORS = {"center": "middle", "right": "end"}
STEPS = {Path.MOVETO: ("M", 1), Path.LINETO: ("L", 1), Path.CURVE3: ("Q", 2), Path.CURVE4: ("C", 3)}


def svg_elements(figure: Figure, dpi: int, *, has_outlines: bool = False) -> Element:
    """Return a figure as elements of SVG.

    `figure`: with 72 dots an inch.
    `dpi`: resolution of what is drawn as an image.
    `has_outlines`: whether outlines stand in place of letters.
    """
    width, height = figure.get_size_inches()
    renderer = SvgRenderer(72 * width, 72 * height, dpi, has_outlines=has_outlines)
    mixed: Any = MixedModeRenderer(figure, width, height, dpi, renderer)  # type: ignore[no-untyped-call]
    figure.draw(mixed)
    return renderer.finish()


class SvgRenderer(RendererBase):
    """A renderer of matplotlib that draws a tree of elements.

    `width`, `height`: in points.
    `dpi`: resolution of images.
    `has_outlines`: whether outlines stand in place of letters.
    """

    def __init__(self, width: float, height: float, dpi: int, *, has_outlines: bool) -> None:
        super().__init__()
        self._width, self._height = width, height
        self._dpi = dpi
        self._has_outlines = has_outlines
        self._flip = Affine2D().scale(1, -1).translate(0, height)
        self._root = Element("svg", {"viewBox": f"0 0 {short(width)} {short(height)}"})
        self._groups = [self._root]
        self._clips: dict[tuple[str, ...], str] = {}
        self._shapes: dict[tuple[bytes | str | None, ...], str] = {}

    def finish(self) -> Element:
        """Return the drawing with the shapes that clip it."""
        holder = Element("defs")
        for (tag, *values), name in self._clips.items():
            names = ("d",) if tag == "path" else BOX
            clip = SubElement(holder, "clipPath", {"id": name})
            SubElement(clip, tag, dict(zip(names, values, strict=True)))
        if len(holder):
            self._root.append(holder)
        return self._root

    def open_group(self, s: str, gid: str | None = None) -> None:
        """Begin a group where it is linked."""
        self._groups.append(Element("g", {"id": gid}) if gid else self._groups[-1])

    def close_group(self, s: str) -> None:
        """End a group; one that is empty is left out."""
        group = self._groups.pop()
        if group is not self._groups[-1] and len(group):
            self._groups[-1].append(group)

    def draw_path(
        self, gc: GraphicsContextBase, path: Path, transform: Transform, rgbFace: Any = None
    ) -> None:
        """Draw a shape or a line."""
        if style := _style(gc, rgbFace):
            self._add_path(self._outline(path, transform, is_open=rgbFace is None), gc, style)

    def draw_markers(
        self,
        gc: GraphicsContextBase,
        marker_path: Path,
        marker_trans: Transform,
        path: Path,
        trans: Transform,
        rgbFace: Any = None,
    ) -> None:
        """Draw one mark at many places."""
        if style := _style(gc, rgbFace):
            shape = self._shape(marker_path, marker_trans, style)
            places = (trans + self._flip).transform(path.vertices)
            self._add_marks(gc, places, [shape], [style])

    def draw_path_collection(
        self,
        gc: GraphicsContextBase,
        master_transform: Transform,
        paths: Sequence[Path],
        all_transforms: Sequence[Any],
        offsets: Any,
        offset_trans: Transform,
        facecolors: Sequence[Any],
        edgecolors: Sequence[Any],
        linewidths: Any,
        linestyles: Sequence[Any],
        antialiaseds: Any,
        urls: Any,
        offset_position: Any,
        *,
        hatchcolors: Any = None,
    ) -> None:
        """Draw many shapes or lines, each at its place; one that is at many is a mark."""
        if not len(paths):
            return
        styles = _styles(gc, facecolors, edgecolors, linewidths, linestyles)
        moves = [Affine2D(t) + master_transform for t in all_transforms] or [master_transform]
        shapes = [
            (paths[i % len(paths)], moves[i % len(moves)])
            for i in range(max(len(paths), len(moves)))
        ]
        places = offset_trans.transform(offsets)
        if len(places) > len(shapes):
            names = [self._shape(path, move, "") for path, move in shapes]
            self._add_marks(gc, self._flip.transform(places), names, styles)
            return
        is_open = not len(facecolors)
        if places.any():
            outlines = [
                self._outline(path, move + Affine2D().translate(*place), is_open=is_open)
                for (path, move), place in zip(shapes, cycle(places), strict=False)
            ]
        else:
            outlines = self._outlines(shapes, is_open=is_open)
        for outline, style in zip(outlines, cycle(styles), strict=False):
            self._add_path(outline, gc, style)

    def draw_text(
        self,
        gc: GraphicsContextBase,
        x: float,
        y: float,
        s: str,
        prop: FontProperties,
        angle: float,
        ismath: Any = False,
        mtext: Text | None = None,
    ) -> None:
        """Write a text in one line, from its anchor where it is not turned."""
        if not s.strip():
            return
        if self._has_outlines:
            self._draw_letters(gc, x, y, s, prop, angle)
            return
        given = {"font-size": short(prop.get_size_in_points())}
        if prop.get_weight() not in (400, "normal"):
            given["font-weight"] = str(prop.get_weight())
        if prop.get_style() != "normal":
            given["font-style"] = prop.get_style()
        if angle or mtext is None:
            left, top, turn = shown([x, y, -angle])
            place = {"transform": f"translate({left} {top})rotate({turn})"}
        else:
            anchored = mtext.get_transform().transform(mtext.get_unitless_position())
            place = dict(zip(("x", "y"), shown([anchored[0], y]), strict=True))
            if anchor := ANCHORS.get(mtext.get_horizontalalignment()):
                given["text-anchor"] = anchor
        red, green, blue, opacity = gc.get_rgb()
        style = f"fill:{_hex(red, green, blue)}"
        if opacity != 1:
            style += f";opacity:{short(opacity)}"
        text = SubElement(self._clipped(gc), "text", {**place, **given, "style": style})
        text.text = s

    def _draw_letters(
        self,
        gc: GraphicsContextBase,
        x: float,
        y: float,
        s: str,
        prop: FontProperties,
        angle: float,
    ) -> None:
        """Draw the outline of each letter at its place."""
        scale = Affine2D().scale(prop.get_size_in_points() / SCALE).rotate_deg(angle)
        glyphs, outlines = glyphs_of(s, prop)
        gc.set_linewidth(0.0)
        style = _style(gc, gc.get_rgb())
        glyphs = [glyph for glyph in glyphs if len(outlines[glyph[0]][0])]  # no spaces
        shapes = {name: self._shape(Path(*outlines[name]), scale, "") for name, *_ in glyphs}
        places = scale.transform([place for _, *place in glyphs]) * (1, -1) + (x, y)
        self._add_marks(gc, places, [shapes[name] for name, *_ in glyphs], [style])

    def draw_image(
        self, gc: GraphicsContextBase, x: float, y: float, im: Any, transform: Any = None
    ) -> None:
        """Draw an image in few colours."""
        height, width = (72 / self._dpi * n for n in im.shape[:2])
        box = shown([x, y + height - self._height, width, height])
        place = {
            "transform": f"scale(1 -1)translate(0 -{box[3]})",
            **dict(zip(BOX, box, strict=True)),
        }
        SubElement(self._clipped(gc), "image", {**place, "href": _quantised(im)})

    def flipy(self) -> bool:
        """Return that texts are placed from above."""
        return True

    def get_canvas_width_height(self) -> tuple[float, float]:
        """Return the size in points."""
        return self._width, self._height

    def get_image_magnification(self) -> float:
        """Return how many pixels of an image are in a point."""
        return self._dpi / 72

    def get_text_width_height_descent(
        self, s: str, prop: FontProperties, ismath: Any
    ) -> tuple[float, float, float]:
        """Return the room that a text takes, in points."""
        return text_extents(s, prop)

    def _get_font_height_metrics(self, prop: FontProperties) -> tuple[float, float, float]:
        """Return the heights of a line; without them matplotlib looks for the face at each text."""
        return line_heights(prop)

    def _add_path(self, outline: str, gc: GraphicsContextBase, style: str) -> None:
        if outline and style:
            SubElement(self._groups[-1], "path", {"d": outline, **self._clip(gc), "style": style})

    def _add_marks(
        self, gc: GraphicsContextBase, places: Array, shapes: Sequence[str], styles: Sequence[str]
    ) -> None:
        """Draw marks where there is a place; shapes and styles are repeated in turn."""
        group = self._clipped(gc)
        numbers = iter(shown(places))
        pairs = [(x, y) for x, y in zip(numbers, numbers, strict=True) if "nan" not in (x, y)]
        if len(shapes) == len(styles) == 1 < len(pairs):
            marks = SubElement(group, "marks", {"href": f"#{shapes[0]}", "style": styles[0]})
            marks.text = " ".join(f"{x} {y}" for x, y in pairs)
            return
        for (x, y), shape, style in zip(pairs, cycle(shapes), cycle(styles), strict=False):
            if style:
                SubElement(group, "use", {"x": x, "y": y, "href": f"#{shape}", "style": style})

    def _shape(self, path: Path, transform: Transform, style: str) -> str:
        """Return the name of a mark's shape, which is defined where it is drawn first."""
        arrays = (path.vertices, path.codes, transform.get_matrix())
        key = (*(None if array is None else np.asarray(array).tobytes() for array in arrays), style)
        if key not in self._shapes:
            name = self._shapes[key] = f"m{len(self._shapes)}"
            outline = _outline(path, transform + Affine2D().scale(1, -1))
            strokes = ";".join(s for s in style.split(";") if s.startswith("stroke"))
            given = {"id": name, "d": outline} | ({"style": strokes} if strokes else {})
            SubElement(SubElement(self._groups[-1], "defs"), "path", given)
        return self._shapes[key]

    def _clip(self, gc: GraphicsContextBase) -> dict[str, str]:
        """Return the attribute of what is clipped."""
        path: Any
        path, transform = gc.get_clip_path()
        box = gc.get_clip_rectangle()
        key: tuple[str, ...]
        if path is not None and transform is not None:
            key = ("path", _outline(path, transform + self._flip))
        elif box is not None:
            corner = (box.x0, self._height - box.y1, box.width, box.height)
            key = ("rect", *shown(corner))
        else:
            return {}
        return {"clip-path": f"url(#{self._clips.setdefault(key, f'p{len(self._clips)}')})"}

    def _clipped(self, gc: GraphicsContextBase) -> Element:
        """Return the group of what is clipped as a whole."""
        clip = self._clip(gc)
        return SubElement(self._groups[-1], "g", clip) if clip else self._groups[-1]

    def _outline(self, path: Path, transform: Transform, *, is_open: bool) -> str:
        sheet = (0.0, 0.0, self._width, self._height)
        return _outline(path, transform + self._flip, sheet if is_open else None)

    def _outlines(self, shapes: Sequence[tuple[Path, Transform]], *, is_open: bool) -> list[str]:
        """Return the outlines of shapes: of lines that lie on the sheet all at once."""
        paths, transform = [path for path, _ in shapes], shapes[0][1]
        if any(path.codes is not None for path in paths) or shapes[-1][1] is not transform:
            return [self._outline(*shape, is_open=is_open) for shape in shapes]
        lines = [np.asarray(path.vertices) for path in paths]
        points: Array = (transform + self._flip).transform(np.concatenate(lines))
        is_inside = np.asarray((points >= 0) & (points <= (self._width, self._height)))
        numbers = shown(points)
        found, end = [], 0
        for path, line in zip(paths, lines, strict=True):
            start, end = end, end + len(line)
            if is_inside[start:end].all():
                found.append("M" + " ".join(numbers[2 * start : 2 * end]) if end > start else "")
            else:
                found.append(self._outline(path, transform, is_open=is_open))
        return found


def _styles(
    gc: GraphicsContextBase,
    faces: Sequence[Any],
    edges: Sequence[Any],
    widths: Any,
    dashes: Sequence[Any],
) -> list[str]:
    """Return the styles of a collection, which are repeated in turn."""
    found = []
    own = GraphicsContextBase()
    own.copy_properties(gc)
    n = math.lcm(*(len(given) for given in (faces, edges, widths, dashes) if len(given)))
    for i in range(n):
        face = faces[i % len(faces)] if len(faces) else None
        edge = edges[i % len(edges)] if len(edges) else (0, 0, 0, 0)
        own.set_linewidth(widths[i % len(widths)] if edge[3] and len(widths) else 0.0)
        own.set_dashes(*(dashes[i % len(dashes)] if len(dashes) else (0, None)))
        own.set_foreground(tuple(edge), isRGBA=True)
        found.append(_style(own, face))
    return found


def _style(gc: GraphicsContextBase, face: Any) -> str:
    """Return how a shape is painted; empty where it is not."""
    if face is not None and len(face) == 4 and not face[3]:
        face = None
    red, green, blue, opacity = gc.get_rgb()
    width = gc.get_linewidth() if opacity else 0
    if face is None and not width:
        return ""
    alpha = gc.get_alpha() if gc.get_forced_alpha() else 1
    found = {"fill": "none" if face is None else _hex(*face[:3])}
    if face is not None and len(face) == 4 and face[3] != 1 and alpha == 1:
        found["fill-opacity"] = short(face[3])
    if alpha != 1:
        found["opacity"] = short(alpha)
    dashes: Any
    offset, dashes = gc.get_dashes()
    if dashes is not None:
        found["stroke-dasharray"] = ",".join(map(short, dashes))
        found["stroke-dashoffset"] = short(offset)
    if width:
        found["stroke"] = _hex(red, green, blue)
        if opacity != 1 and alpha == 1:
            found["stroke-opacity"] = short(opacity)
        if width != 1:
            found["stroke-width"] = short(width)
        found["stroke-linejoin"] = gc.get_joinstyle()
        found["stroke-linecap"] = CAPS.get(gc.get_capstyle(), gc.get_capstyle())
    return ";".join(f"{name}:{value}" for name, value in found.items())


@lru_cache(maxsize=1024)
def _hex(red: float, green: float, blue: float) -> str:
    return "#" + "".join(f"{round(255 * x):02x}" for x in (red, green, blue))


def _outline(
    path: Path, transform: Transform, clip: tuple[float, float, float, float] | None = None
) -> str:
    """Return the data of a path, without the letters that its commands go without."""
    found = path.cleaned(
        transform, remove_nans=True, clip=clip, curves=True,
        simplify=bool(clip) and path.should_simplify,
    )  # fmt: skip
    numbers = shown(found.vertices)
    parts, i, before = [], 0, ""
    codes = np.asarray(found.codes).tolist()
    while codes[i] != Path.STOP:
        if codes[i] == Path.CLOSEPOLY:
            letter, n = "z", 1
            parts.append(letter)
        else:
            letter, n = STEPS[codes[i]]
            parts.append(" " if letter == "L" and before in ("M", "L") else letter)
            parts.append(" ".join(numbers[2 * i : 2 * (i + n)]))
        before = letter
        i += n
    return "".join(parts)


def _quantised(pixels: Any) -> str:
    from PIL import Image

    small = (
        Image.fromarray(pixels)
        .convert("RGBA")
        .quantize(COLOURS_OF_IMAGE, method=Image.Quantize.FASTOCTREE)
    )
    buffer = io.BytesIO()
    small.save(buffer, "PNG", optimize=True)
    return PNG + base64.b64encode(buffer.getvalue()).decode("ascii")
