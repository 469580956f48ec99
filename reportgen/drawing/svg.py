"""From matplotlib's SVG to the report's: small, the same bytes every time, colours by name."""

from __future__ import annotations

import itertools
import math
import re
from collections.abc import Callable, Iterable, Iterator, Sequence
from copy import deepcopy
from functools import cache, lru_cache, partial
from itertools import groupby
from urllib.parse import unquote
from xml.etree import ElementTree
from xml.etree.ElementTree import Element

import numpy as np
from numpy.typing import ArrayLike

from reportgen.drawing.style import FONT_FAMILY, palette, short, shown

PX = 4 / 3  # CSS pixels in a point
GATHER = 12  # so many equal marks in a row become one path with markers
LEAST_ARCS = 4  # of a circle
ROUNDING = 0.015  # pt: of coordinates with two decimals
DOT = "h.01"  # a line to whose round ends nothing is added: some programs draw none of length 0
HOIST = 3  # so many equal styles in a row become their group's
MOST_LINKED = 3000  # marks of a drawing that stay one element each; beyond, they are gathered
FEW_LINKED = 400  # the same where replications are gathered
SAME_AS_ROOT = {"stroke-linejoin": ("round", "miter"), "stroke-linecap": ("butt", "square")}
PLAIN = re.compile(r"-?\d+(?:\.\d+)?")
LINE = re.compile(r"M-?[\d.]+(?: -?[\d.]+)+")
PATH_PART = re.compile(r"[A-Za-z]|-?\d+(?:\.\d+)?")
HEX = re.compile(r"#[0-9a-fA-F]{6}\b")
VARIABLE = re.compile(r"var\(--([a-z0-9]+)\)")
CANDIDATES = re.compile(r"c-(\d+)(?:-(\d+))?")  # the ids that `Sheet.link` gives, and
DATASETS = re.compile(r"d(?:-c-(\d+)(?:-(\d+))?)?:(.*)")  # `link_datasets`, and
REPLICATIONS = re.compile(  # those of `link_replications`
    r"r(?:-c-(\d+)(?:-(\d+))?)?:(\d+):([\d,]*)"
)

Place = tuple[str, str]
"""Where a mark is, as it is written."""


def for_screen(
    raw: Element, key: str, dark: Element | None = None, *, has_replications: bool = True
) -> str:
    """Return a drawing whose colours are CSS variables, and whose marks can be linked.

    What belongs to candidates has `data-c`, their indices; what belongs to a
    data set has `data-d`, its name; the children of a
    group with `data-r` are the replications in their order.

    `raw`: what `Sheet.elements` returned, in the light colours.
    `key`: what all ids in it begin with.
    `dark`: the same drawing in the dark colours: its images are shown instead of the light ones
    where the page is dark. None: one image for both.
    `has_replications`: whether marks of replications stay one element each.
    """
    root = _tidy(raw, key, to_variables=True, link=partial(_link, has_replications))
    _gather_marks(root, key, MOST_LINKED if has_replications else FEW_LINKED)
    _hoist_styles(root)
    if dark is not None:
        _add_dark_images(root, _tidy(dark, key, to_variables=False))
    return _write(root, PX, "")


def for_print(raw: Element, key: str) -> str:
    """Return a stand-alone drawing with its real colours and size."""
    root = _tidy(raw, key, to_variables=False)
    _merge_marks(root)
    _hoist_styles(root)
    return _write(root, 1.0, "pt")


def still_drawing(
    svg: str, paint: Callable[[str], str], *, is_dark: bool = False, style: str = ""
) -> str:
    """Return a drawing of a page as a file of its own, with real colours and nothing to link.

    `svg`: what `for_screen` has returned.
    `paint`: returns the colour of a name.
    `is_dark`: whether it stands on a dark page: one image of two is for these.
    `style`: A style sheet, such as faces.
    """
    root = ElementTree.fromstring(svg)
    other = "on-light" if is_dark else "on-dark"
    for element in root.iter():
        _drop_namespaces(element)
        element[:] = [child for child in element if child.get("class") != other]
    for element in root.iter():
        declared = _style(element)
        element.attrib.pop("style", None)
        if marker := declared.pop("marker", ""):
            declared |= dict.fromkeys(("marker-start", "marker-mid", "marker-end"), marker)
        if is_dark and element.tag == "image" and "class" not in element.attrib:
            declared["filter"] = "invert(1) hue-rotate(180deg)"
        kept = {k: v for k, v in element.attrib.items() if k != "class" and k[:5] != "data-"}
        found = kept | declared
        element.attrib = {
            name: VARIABLE.sub(lambda match: paint(match[1]), value)
            for name, value in found.items()
        }
    root.set("xmlns", "http://www.w3.org/2000/svg")
    if style:
        own = Element("style")
        own.text = style
        root.insert(0, own)
    return ElementTree.tostring(root, encoding="unicode")


def _tidy(
    raw: Element, key: str, *, to_variables: bool, link: Callable[[Element], None] | None = None
) -> Element:
    root = deepcopy(raw)
    paint = _as_variable if to_variables else _as_known
    for element in root.iter():
        if style := element.attrib.pop("style", ""):
            element.set("style", _tidy_style(style, paint))
    if link:
        link(root)
    _rename_ids(root, key)
    _unwrap_groups(root)
    return root


def _drop_namespaces(element: Element) -> None:
    element.tag = element.tag.rpartition("}")[2]
    for name in [n for n in element.attrib if "}" in n]:
        element.set(name.rpartition("}")[2], element.attrib.pop(name))
    if element.tag != "text":
        element.text = None
    element.tail = None


def _prune(parent: Element) -> None:
    """Remove groups that are empty."""
    if "data-r" in parent.attrib:  # an empty child is a replication
        return
    for child in list(parent):
        _prune(child)
        if child.tag in ("g", "defs") and not len(child):
            parent.remove(child)


def _style(element: Element) -> dict[str, str]:
    return dict(_declarations(element.get("style", "")))


@lru_cache(maxsize=1024)
def _declarations(text: str) -> tuple[tuple[str, str], ...]:
    pairs = (part.split(":", 1) for part in text.split(";") if ":" in part)
    return tuple((name.strip(), value.strip()) for name, value in pairs)


@lru_cache(maxsize=1024)
def _tidy_style(text: str, paint: Callable[[str], str]) -> str:
    style = {k: v for k, v in _declarations(text) if v not in SAME_AS_ROOT.get(k, ())}
    return ";".join(f"{k}:{HEX.sub(lambda m: paint(m[0]), v)}" for k, v in style.items())


@cache
def _variables() -> dict[str, str]:
    names = {light.lower(): name for name, (light, _) in palette().items()}
    if len(names) != len(palette()):
        raise ValueError("two colours of the house have the same light value")
    return names


@cache
def _house_colours() -> frozenset[str]:
    return frozenset(value.lower() for pair in palette().values() for value in pair)


def _as_variable(value: str) -> str:
    try:
        return f"var(--{_variables()[value.lower()]})"
    except KeyError:
        raise ValueError(f"{value} is no colour of the house") from None


def _as_known(value: str) -> str:
    if value.lower() not in _house_colours():
        raise ValueError(f"{value} is no colour of the house")
    return value


def _rename_ids(root: Element, key: str) -> None:
    """Keep the ids that something refers to, under short names that no other drawing has."""
    used: dict[str, str] = {}

    def renamed(match: re.Match[str]) -> str:
        return match[1] + used.setdefault(match[2], f"{key}-{len(used)}")

    for element in root.iter():
        for name in ("href", "clip-path"):
            if "#" in (value := element.get(name, "")):
                element.set(name, re.sub(r"(#)([\w-]+)", renamed, value))
    for element in root.iter():
        old = element.attrib.pop("id", None)
        if old in used:
            element.set("id", used[old])


def _unwrap_groups(parent: Element) -> None:
    """Put the children of groups without attributes in the groups' place."""
    children: list[Element] = []
    for child in list(parent):
        _unwrap_groups(child)
        children += list(child) if child.tag == "g" and not child.attrib else [child]
    parent[:] = children


def _link(has_replications: bool, root: Element) -> None:
    """Say at every group that a sheet has linked whose it is, and which marks are replications."""
    ids = (element.get("id", "") for element in root.iter("g"))
    n_marks = sum(int(found[3]) for text in ids if (found := REPLICATIONS.fullmatch(text)))
    has_replications = has_replications and n_marks <= MOST_LINKED
    for parent in list(root.iter()):
        children: list[Element] = []
        for child in parent:
            replications = REPLICATIONS.fullmatch(child.get("id", ""))
            datasets = DATASETS.fullmatch(child.get("id", ""))
            found = replications or datasets or CANDIDATES.fullmatch(child.get("id", ""))
            if found and found[1]:
                child.set("data-c", " ".join(filter(None, found.groups()[:2])))
            if replications and has_replications:
                missing = {int(b) for b in replications[4].split(",") if b}
                children += child.findall("defs")
                _number_replications(child, int(replications[3]), missing)
            if datasets:
                _name_datasets(child, [unquote(name) for name in datasets[3].split(",")])
            children.append(child)
        parent[:] = children


def _name_datasets(group: Element, names: list[str]) -> None:
    """Say at a name, or at each of a line's marks, which data set it is of."""
    for holder in list(group.iter()):
        holder[:] = _singly(holder)
    marks = list(group.iter("use"))
    if len(names) == len(marks):
        for mark, name in zip(marks, names, strict=True):
            mark.set("data-d", name)
    elif len(names) == 1:
        group.set("data-d", names[0])


def _number_replications(group: Element, n: int, missing: set[int]) -> None:
    """Make the marks the group's children, an empty one where a replication has none."""
    holders = [group, *group.findall("g")]
    marks = [e for holder in holders for e in _singly(holder) if e.tag in ("path", "use")]
    if not marks or len(marks) != n - len(missing):  # an image, for one
        return
    drawn = iter(marks)
    marks = [Element(marks[0].tag) if b in missing else next(drawn) for b in range(n)]
    clips = {e.get("clip-path") for e in (*holders[1:], *marks)} - {None}
    group[:] = marks
    group.set("data-r", "")
    lines = [mark for mark in marks if "d" in mark.attrib]
    for line, path in zip(lines, _shorter([line.attrib["d"] for line in lines]), strict=True):
        line.set("d", path)
    for mark in marks:
        mark.attrib.pop("clip-path", None)
        for name in ("x", "y"):
            if name in mark.attrib:
                mark.set(name, short(float(mark.attrib[name]), 1))
    for clip in clips:
        group.set("clip-path", str(clip))
    styles = {e.attrib["style"] for e in marks if "style" in e.attrib}
    if len(styles) == 1:
        group.set("style", _inherited(_style(next(e for e in marks if "style" in e.attrib))))
        for mark in marks:
            mark.attrib.pop("style", None)


def _inherited(style: dict[str, str]) -> str:
    """Write a style for the group of what has it: opacity would be that of all together."""
    opacity = float(style.pop("opacity", 1))
    if opacity < 1:
        for name in ("fill-opacity", "stroke-opacity"):
            style[name] = short(opacity * float(style.get(name, 1)), 3)
    return ";".join(f"{k}:{v}" for k, v in style.items())


def _runs(parent: Element, signature: Callable[[Element], object]) -> Iterator[list[Element]]:
    for _, run in groupby(list(parent), key=signature):
        yield list(run)


def _singly(parent: Element) -> list[Element]:
    """Return the children of an element, a mark at each of its places."""
    found: list[Element] = []
    for child in parent:
        if child.tag == "marks":
            found += [Element("use", {"x": x, "y": y, **child.attrib}) for x, y in _places([child])]
        else:
            found.append(child)
    return found


def _places(run: Iterable[Element]) -> list[Place]:
    """Return where marks are."""
    found: list[Place] = []
    for element in run:
        if element.tag == "use" and "x" in element.attrib:  # one of no replication has no place
            found.append((element.attrib["x"], element.attrib["y"]))
        if element.tag == "marks":
            numbers = iter((element.text or "").split())
            found += zip(numbers, numbers, strict=True)
    return found


def _joined(parent: Element, join: Callable[[Element, list[Place]], list[Element]]) -> None:
    """Replace long runs of one mark in an element by what a function makes of them."""
    children: list[Element] = []
    for run in _runs(parent, lambda e: (e.get("href"), e.get("style"), e.get("transform"))):
        if "href" in run[0].attrib and len(places := _places(run)) >= GATHER:
            children += join(run[0], places)
        else:
            children += run
    parent[:] = children
    parent[:] = _singly(parent)


def _gather_marks(root: Element, key: str, most_linked: int) -> None:
    """Draw long runs of one mark as one path with a marker at each of its points."""
    shapes = {element.get("id"): element for element in root.iter("path") if element.get("id")}
    linked = _linked(root, most_linked)
    count = itertools.count()

    def gathered(mark: Element, places: list[Place]) -> list[Element]:
        name = f"{key}-m{next(count)}"
        shape = shapes[mark.attrib["href"].removeprefix("#")]
        return [_marker(name, shape, mark), _through(name, places)]

    for parent in list(root.iter()):
        if parent in linked:
            parent[:] = _singly(parent)
        else:
            _joined(parent, gathered)
    _drop_unused_shapes(root)


def _linked(root: Element, most: int) -> set[Element]:
    """Return the groups that are linked, and all in them; none where that is too much."""
    groups = [e for e in root.iter("g") if "data-c" in e.attrib or "data-r" in e.attrib]
    linked = {e for group in groups for e in group.iter()}
    numbered = {e for group in groups if "data-r" in group.attrib for e in group.iter()}
    return linked if len(_places(linked)) <= most else numbered


def _merge_marks(root: Element) -> None:
    """Draw long runs of one mark as one shape: paper links nothing and is slow at marks."""
    shapes = {element.get("id"): element for element in root.iter("path") if element.get("id")}

    def merged(mark: Element, places: list[Place]) -> list[Element]:
        return [_merged(shapes[mark.attrib["href"].removeprefix("#")], mark, places)]

    for parent in list(root.iter()):
        _joined(parent, merged)
        children: list[Element] = []
        for run in _runs(parent, lambda e: (e.tag, e.get("style"), len(e.attrib))):
            if len(run) >= GATHER and all(_is_small_mark(element) for element in run):
                d = "".join(dict.fromkeys(element.attrib["d"] for element in run))
                children.append(Element("path", {**run[0].attrib, "d": d}))
            else:
                children += run
        parent[:] = children
    _drop_unused_shapes(root)


def _is_small_mark(element: Element) -> bool:
    """Whether a shape is filled alone, of few corners: of these matplotlib writes each."""
    return (
        element.tag == "path"
        and element.get("d", "").endswith("z")
        and "transform" not in element.attrib
        and not _style(element).keys() & {"stroke", "marker"}
    )


def _merged(shape: Element, mark: Element, places: list[Place]) -> Element:
    """Return one path with the shape at each place: a disc as a dot, a short round line."""
    places = list(dict.fromkeys(places))
    style = _style(shape) | _style(mark)
    radius = _radius(shape.attrib["d"]) if style.get("stroke", "none") == "none" else None
    if radius:
        path = "".join(f"M{x} {y}{DOT}" for x, y in places)
        style = _of_dots(style, radius)
    else:
        path = _repeated(shape.attrib["d"], places)
    kept = {k: v for k, v in mark.attrib.items() if k not in ("href", "style", "x", "y")}
    text = ";".join(f"{k}:{v}" for k, v in style.items())
    return Element("path", {**kept, "d": path, "style": text})


def _repeated(path: str, places: list[Place]) -> str:
    """Return a path at each place."""
    points = np.array(PLAIN.findall(path), dtype=float).reshape(-1, 2)
    moved = np.array(places, dtype=float)[:, None] + points
    return PLAIN.sub("%s", path) * len(places) % tuple(shown(moved))


def _parts(path: str) -> list[str | float]:
    """Return the letters and numbers of a path."""
    return [p if p.isalpha() else float(p) for p in PATH_PART.findall(path)]


def _radius(path: str) -> float | None:
    """Return the radius of a circle around the origin, None of another shape."""
    # It is drawn by arcs alone, whose ends are as far from the origin as each other.
    parts = _parts(path)
    letters = [p for p in parts if isinstance(p, str)]
    numbers = [p for p in parts if not isinstance(p, str)]
    arcs = len(letters) - 2
    if arcs < LEAST_ARCS or letters != ["M", *"C" * arcs, "z"] or len(numbers) != 2 + 6 * arcs:
        return None
    ends = [math.hypot(*numbers[n : n + 2]) for n in range(0, len(numbers), 6)]
    return ends[0] if max(ends) - min(ends) <= ROUNDING else None


def _of_dots(style: dict[str, str], radius: float) -> dict[str, str]:
    """Return the style of lines of hardly any length that look like filled discs."""
    names = {"fill": "stroke", "fill-opacity": "stroke-opacity"}
    painted = {names.get(k, k): v for k, v in style.items() if k != "stroke"}
    round_ = {"stroke-width": short(2 * radius), "stroke-linecap": "round"}
    return {"fill": "none", "stroke": "#000000", **painted, **round_}


def _marker(name: str, shape: Element, use: Element) -> Element:
    size = {"markerUnits": "userSpaceOnUse", "overflow": "visible"}
    marker = Element("marker", {"id": name, **size})
    style = ";".join(f"{k}:{v}" for k, v in (_style(shape) | _style(use)).items())
    marker.append(Element("path", {"d": shape.attrib["d"], "style": style}))
    return marker


def _through(name: str, places: list[Place]) -> Element:
    points = sorted((float(x), float(y)) for x, y in places)
    (path,) = _relative([points])
    return Element("path", {"d": path, "style": f"fill:none;marker:url(#{name})"})


def _relative(lines: Sequence[ArrayLike]) -> list[str]:
    """Write lines through points, to a tenth of a point, as short as possible."""
    if not lines:
        return []
    arrays = [np.asarray(line, dtype=float) for line in lines]
    ends = np.cumsum([len(line) for line in arrays])
    points = np.rint(10 * np.concatenate(arrays))
    steps = np.diff(points, axis=0, prepend=0)
    starts = np.append(0, ends[:-1])
    steps[starts] = points[starts]
    numbers = shown(steps / 10, 1)
    return [
        ("M" + " ".join(own[:2]) + "l" * (len(own) > 2) + " ".join(own[2:])).replace(" -", "-")
        for own in (numbers[2 * start : 2 * end] for start, end in zip(starts, ends, strict=True))
    ]


def _drop_unused_shapes(root: Element) -> None:
    used = {e.get("href", "").removeprefix("#") for e in root.iter("use")}
    for defs in root.iter("defs"):
        defs[:] = [e for e in defs if e.tag != "path" or e.get("id") in used]
    _prune(root)


def _hoist_styles(root: Element) -> None:
    """Write the common attributes of several shapes in a row once, at a group around them."""
    for parent in list(root.iter()):
        if parent.tag in ("defs", "marker", "clipPath") or "data-r" in parent.attrib:
            continue
        children: list[Element] = []
        for run in _runs(parent, lambda e: (e.tag, e.get("style"), e.get("clip-path"))):
            if run[0].tag == "path" and len(run) >= HOIST:
                children.append(_group(run))
            else:
                children += run
        parent[:] = children


def _group(run: list[Element]) -> Element:
    if len(run) >= GATHER:  # a dense layer
        for element, path in zip(run, _shorter([e.attrib["d"] for e in run]), strict=True):
            element.set("d", path)
    shared = {k: v for k in ("style", "clip-path") if (v := run[0].get(k)) is not None}
    group = Element("g", shared)
    for element in run:
        for name in shared:
            del element.attrib[name]
        group.append(element)
    return group


def _shorter(paths: Sequence[str]) -> list[str]:
    """Return paths of straight lines in relative coordinates, any others as they are."""
    numbers = {i: path[1:].split(" ") for i, path in enumerate(paths) if LINE.fullmatch(path)}
    lines = [np.array(own, dtype=float).reshape(-1, 2) for own in numbers.values()]
    found = dict(zip(numbers, _relative(lines), strict=True))
    return [found.get(i, path) for i, path in enumerate(paths)]


def _add_dark_images(root: Element, dark: Element) -> None:
    images = iter(list(dark.iter("image")))
    for parent in list(root.iter()):
        children: list[Element] = []
        for child in parent:
            children.append(child)
            if child.tag == "image":
                children.append(Element("image", {"class": "on-dark", **next(images).attrib}))
                child.attrib = {"class": "on-light", **child.attrib}
        parent[:] = children


def _write(root: Element, scale: float, unit: str) -> str:
    width, height = (float(x) for x in root.attrib["viewBox"].split()[2:])
    root.attrib = {
        "xmlns": "http://www.w3.org/2000/svg",
        "viewBox": f"0 0 {short(width)} {short(height)}",
        "width": short(width * scale, 0 if unit == "" else 2) + unit,
        "height": short(height * scale, 0 if unit == "" else 2) + unit,
        "font-family": FONT_FAMILY,
        "stroke-linejoin": "round",
    }
    return ElementTree.tostring(root, encoding="unicode")
