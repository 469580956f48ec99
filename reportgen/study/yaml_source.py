"""The YAML of a manifest: its text, its values, and the line of each value."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import field
from pathlib import Path
from typing import TYPE_CHECKING, Any
from unicodedata import category

from reportgen.data_classes import dataclass
from reportgen.errors import StudyError
from reportgen.file_reading import utf8_fault
from reportgen.study.errors import (
    LONGEST,
    WIDTH,
    Fault,
    Place,
    is_one_line,
    missing_file,
    nearest,
    shown,
)

if TYPE_CHECKING:
    from ruamel.yaml.nodes import Node

MANIFEST = "study.yaml"
"""The file that `init` writes: what a folder of a study is known by."""

MOST_VALUES = 100_000  # aliases can make a short text endless
MOST_BYTES = 16 << 20  # a link may lead to a device without end
DEEPEST = 20
LONGEST_NUMBER = 1000  # characters; double precision ends before
ARGUMENT = "=…)"  # ends what names an argument of a call, whose key the caller has not written
TAG = "tag:yaml.org,2002:"
REPORT = {"schema_version", "sections", "provenance"}  # keys of a report's results.json

ZIP = b"PK\x03\x04"  # the first bytes of a zip file


@dataclass(frozen=True, slots=True)
class Source:
    """The content of a manifest, before it is checked."""

    path: Path  # the file, as the user named it
    text: str  # its text; empty where the file holds results
    # Plain values: dict, list, str, int, float, bool, None. All keys are text.
    data: dict[str, Any]
    # The line of each value, or the option or argument that gave it.
    lines: Mapping[Place, int | str] = field(default_factory=dict)

    def where(self, place: Place) -> str:
        """Name a place: file, line and key."""
        line: int | str | None = None
        for n in range(len(place), -1, -1):
            line = self.lines.get(place[:n])
            if line is not None:
                break
        key = self._key(place)
        if isinstance(line, str) and line.endswith(ARGUMENT):
            key = key.removeprefix(self._key(place[:n])).lstrip(".")
        start = line if isinstance(line, str) else f"{self.path}:{line}" if line else str(self.path)
        return f"{start}: {key}" if key else start

    def error(self, faults: Iterable[Fault]) -> StudyError:
        """Return one error with all faults, in the order of the file."""

        def line(fault: Fault) -> int:
            found = (self.lines.get(fault.place[:n]) for n in range(len(fault.place), -1, -1))
            return next((at for at in found if isinstance(at, int)), 0)

        return StudyError(
            "\n".join(f"{self.where(f.place)}: {f}" for f in sorted(faults, key=line))
        )

    def _key(self, place: Place) -> str:
        """Write a place with dots; an entry of a list by its name, else its number from 1."""
        key, value, label = "", self.data, ""
        for step in place:
            value = _entry(value, step)
            if isinstance(step, int):
                label = _label(value)
                key += f".{label}" if label else f"[{step + 1}]"
            elif step != label:
                name = step if len(step) <= LONGEST else f"{step[:WIDTH]}…"
                key += f".{name}" if is_one_line(step) else f".{name!r}"
        return key.lstrip(".")


def _label(entry: Any) -> str:
    """Return what a list's entry is called: `lda`, `{name: lda, …}` or `{lda: …}`."""
    if isinstance(entry, dict):
        entry = entry.get("name") or (next(iter(entry)) if len(entry) == 1 else "")
    return entry if isinstance(entry, str) and is_one_line(entry) and len(entry) <= 40 else ""


def _entry(value: Any, step: str | int) -> Any:
    if isinstance(value, dict):
        return value.get(str(step))
    if isinstance(value, list) and isinstance(step, int) and step < len(value):
        return value[step]
    return None


def refuse_report(path: Path, content: Any) -> None:
    """Refuse the results.json of a report, which has no performances.

    `content`: of a JSON file.
    Raises StudyError if it is such a file.
    """
    if isinstance(content, dict) and content.keys() >= REPORT:
        raise StudyError(
            f"{path}: found what a report says, not what was measured; allowed `reportgen report "
            "STUDY`, which analyses anew what the run has stored in the folder warehouse next to "
            "that file, also of version 0.1"
        )


def read_text(path: Path) -> str:
    """Return the text of a manifest.

    Raises StudyError if there is no such file, or it is not text in UTF-8.
    """
    try:
        with path.open("rb") as file:
            content = file.read(MOST_BYTES + 1)
        if len(content) > MOST_BYTES:
            raise StudyError(f"{path}: found more than {MOST_BYTES >> 20} MiB; allowed less")
        if content.startswith(ZIP):
            raise StudyError(
                f"{path}: found a zip file; allowed a manifest or a results file (`reportgen "
                "report` takes what `bundle` has written)"
            )
    except IsADirectoryError:
        inside = next(iter(sorted(path.glob("*.yaml"))), None)
        question = f"; did you mean {inside}?" if inside else ""
        raise StudyError(
            f"{path}: found a folder; allowed a manifest or a results file{question}"
        ) from None
    except FileNotFoundError:
        allowed = f"a manifest or a file of results{_nearest_file(path)}"
        raise StudyError(missing_file(path, allowed)) from None
    except OSError as error:
        found = f"a file that cannot be read ({error.strerror})"
        raise StudyError(f"{path}: found {found}; allowed one that can") from error
    if fault := utf8_fault(content):
        allowed = "text in UTF-8: save the file in that encoding"
        raise StudyError(f"{path}:{fault[0]}: found {fault[1]}; allowed {allowed}")
    return content.decode("utf-8-sig")


def parse(path: Path, text: str) -> Source:
    """Read YAML 1.2.

    Raises StudyError if the text is no YAML, holds a key twice, or is no mapping.
    """
    node = compose(str(path), text)
    if node is None:
        raise StudyError(
            f"{path}: found an empty file; allowed a mapping with the keys measures, and setup "
            "or results"
        )
    reader = _Reader()
    data = reader.value(node, ())
    source = Source(path, text, data if isinstance(data, dict) else {}, reader.lines)
    if not isinstance(data, dict):
        reader.faults.append(Fault((), _kind_shown(node), "a mapping of keys to values"))
    if reader.faults:
        raise source.error(reader.faults)
    return source


def parse_value(origin: str, text: str) -> Any:
    """Read one value as YAML; `origin` names it in errors."""
    node = compose(origin, text)
    if node is None:
        return None
    reader = _Reader()
    value = reader.value(node, ())
    if reader.faults:
        raise StudyError("\n".join(f"{origin}: {fault}" for fault in reader.faults))
    return value


def compose(origin: str, text: str) -> Node | None:
    """Return YAML's tree of nodes; `origin` names the text in errors.

    Raises StudyError if the text is no YAML.
    """
    from ruamel.yaml import YAML
    from ruamel.yaml.error import MarkedYAMLError, YAMLError
    from ruamel.yaml.nodes import Node
    from ruamel.yaml.reader import ReaderError

    yaml = YAML(typ="safe", pure=True)
    yaml.composer.warn_double_anchors = False  # YAML allows an anchor anew
    try:
        node = yaml.compose(text)
    except MarkedYAMLError as error:
        mark = error.problem_mark or error.context_mark
        at = f":{mark.line + 1}" if mark else ""
        message = ", ".join(part for part in (error.context, error.problem) if part)
        raise StudyError(f"{origin}{at}: found what is no YAML ({message}); allowed YAML") from None
    except ReaderError as error:
        line = text.count("\n", 0, error.position) + 1
        found = f"the control character {shown(text[error.position])}"
        raise StudyError(f"{origin}:{line}: found {found}; allowed printable text") from None
    except YAMLError as error:
        message = " ".join(str(error).split())
        raise StudyError(f"{origin}: found what is no YAML ({message}); allowed YAML") from None
    except RecursionError:
        found, allowed = "brackets nested too deep", f"{DEEPEST} levels"
        raise StudyError(f"{origin}: found {found}; allowed {allowed}") from None
    except (ValueError, OverflowError) as error:  # an escaped character beyond Unicode
        raise StudyError(f"{origin}: found what is no YAML ({error}); allowed YAML") from None
    return node if isinstance(node, Node) else None


class _Reader:
    """Turn nodes into plain values; remember lines, collect faults."""

    def __init__(self) -> None:
        self.lines: dict[Place, int | str] = {}
        self.faults: list[Fault] = []
        self._open: list[Node] = []
        self._n_values = 0

    def value(self, node: Node, place: Place) -> Any:
        """Return the value of a node at a place."""
        self.lines.setdefault(place, node.start_mark.line + 1)
        self._n_values += 1
        if len(place) > DEEPEST:
            self.faults.append(Fault(place[:1], "brackets nested too deep", f"{DEEPEST} levels"))
            return None
        if any(node is other for other in self._open) or self._n_values > MOST_VALUES:
            if self._n_values <= MOST_VALUES + 1:
                self.faults.append(Fault(place, "an alias without end", "values of their own"))
            return None
        kind = _kind(node)
        if kind == "scalar":
            return self._scalar(node, place)
        self._open.append(node)
        try:
            if kind == "mapping":
                return self._mapping(node, place)
            return [self.value(item, (*place, i)) for i, item in enumerate(node.value)]
        finally:
            self._open.pop()

    def _mapping(self, node: Node, place: Place) -> dict[str, Any]:
        values: dict[str, Any] = {}
        for key_node, value_node in node.value:
            if _kind(key_node) != "scalar":
                self.faults.append(
                    Fault(place, f"{_kind_shown(key_node)} as a key", "text as a key")
                )
                continue
            key, line = str(key_node.value), key_node.start_mark.line + 1
            inner = (*place, key)
            if key in values:
                first = self.lines[inner]
                self.lines[inner] = line
                self.faults.append(
                    Fault(inner, f"the key twice, in lines {first} and {line}", "each key once")
                )
                continue
            self.lines[inner] = line
            values[key] = self.value(value_node, inner)
        return values

    def _scalar(self, node: Node, place: Place) -> Any:
        tag, text = str(node.tag), str(node.value)
        kind = tag.removeprefix(TAG)
        if any(category(c) == "Cs" for c in text):
            self.faults.append(Fault(place, f"{shown(text)}, half of a character", "whole ones"))
            return None
        if kind in ("str", "timestamp", "merge", "value"):
            return text
        if not tag.startswith(TAG) or kind not in ("null", "bool", "int", "float"):
            self.faults.append(Fault(place, f"the tag {tag}", "values without a tag"))
            return None
        if kind in ("int", "float") and len(text) > LONGEST_NUMBER:
            found = f"a number of {len(text):,} characters"
            self.faults.append(Fault(place, found, f"one of at most {LONGEST_NUMBER:,}"))
            return None
        try:
            return _plain_value(kind, text)
        except ValueError:
            self.faults.append(Fault(place, shown(text), "a value of the type of its tag"))
            return None


def _kind(node: Node) -> str:
    """Return scalar, sequence or mapping."""
    return str(getattr(node, "id", ""))


def _kind_shown(node: Node) -> str:
    return {"sequence": "a list", "mapping": "a mapping"}.get(_kind(node), "a single value")


def _plain_value(kind: str, text: str) -> bool | int | float | None:
    """Return the value of a scalar of YAML 1.2's core schema."""
    if kind == "null":
        return None
    if kind == "bool":
        return text.lower() in ("true", "yes", "on", "y")
    bare = text.replace("_", "")
    if kind == "int":
        return int(bare, 0) if bare.lstrip("+-")[:2].lower() in ("0x", "0o", "0b") else int(bare)
    return float(bare.lower().replace(".inf", "inf").replace(".nan", "nan"))


def _nearest_file(path: Path) -> str:
    """Ask whether a neighbour was meant."""
    try:
        names = [p.name for p in path.parent.iterdir()]
    except OSError:
        return ""
    near = nearest(path.name, names)
    return f"; did you mean {path.with_name(near)}?" if near else ""
