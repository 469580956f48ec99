"""The lines of a journal: how one is written, and what all of them say together."""

from __future__ import annotations

import gc
import json
from collections.abc import Iterable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field
from itertools import islice
from pathlib import Path
from typing import Any, NamedTuple
from zlib import crc32

from reportgen.execution.replication import Outcome

Key = tuple[str, int]
"""A family (what a fit depends on, but for the replication) and the replication."""

CHUNK = 20_000  # lines that are parsed at once
OTHERS = ("stage", "message", "absent", "warnings", "timeout", "memory", "chosen", "kept")


class Header(NamedTuple):
    """What the lines of a number have in common."""

    family: str
    values: tuple[str, ...]


@dataclass(slots=True)
class Contents:
    """What the lines of a journal say.

    Attributes
    ----------
    outcomes : dict
        The last outcome of each key.
    headers : dict
        By the number that stands for each.
    sessions : list of mapping
        The versions with which each session measured; the first one stands
        for what was measured before they were taken down.
    damaged : list of int
        Places of the lines that do not count, from 0.
    """

    outcomes: dict[Key, Outcome] = field(default_factory=dict)
    headers: dict[int, Header] = field(default_factory=dict)
    sessions: list[Mapping[str, str]] = field(default_factory=lambda: [{}])
    damaged: list[int] = field(default_factory=list)

    def take(self, places: Iterable[int], entries: Iterable[Any]) -> None:
        """Put entries in their places, and note those that make no sense."""
        for place, entry in zip(places, entries, strict=True):
            try:
                self._take(entry)
            except (ValueError, KeyError, TypeError, IndexError):
                self.damaged.append(place)

    def _take(self, entry: Any) -> None:
        if isinstance(entry, dict) and "versions" in entry:
            self.sessions.append(dict(entry["versions"]))
            return
        if isinstance(entry, dict):
            self.headers[entry["id"]] = Header(entry["family"], tuple(entry["values"]))
            return
        number, replication, *content = entry
        header = self.headers[number]
        self.outcomes[header.family, replication] = _outcome(
            header.values, content, len(self.sessions) - 1
        )


def line(entry: object) -> bytes:
    """Write an entry with its checksum."""
    text = json.dumps(entry, separators=(",", ":"), allow_nan=False).encode("ascii")
    return b"%08x %s\n" % (crc32(text), text)


def content_of(outcome: Outcome) -> list[Any]:
    """Return the numbers alone where there is nothing else to say."""
    values = list(outcome.values.values())
    others = {name: value for name in OTHERS if (value := getattr(outcome, name))}
    if outcome.status == "ok" and not others and outcome.sizes:
        return [values, outcome.sizes, outcome.seconds]
    numbers = {"values": values, "sizes": outcome.sizes, "seconds": outcome.seconds}
    return [{"status": outcome.status, **numbers, **others}]


def read_lines(path: Path) -> Contents:
    """Read all lines of a file; one whose checksum is wrong counts as not written."""
    contents = Contents()
    if not path.exists():
        return contents
    n_read = 0
    with path.open("rb") as file, _without_garbage_collection():
        while chunk := list(islice(file, CHUNK)):
            texts = [_text(written) for written in chunk]
            whole = [i for i, text in enumerate(texts, n_read) if text is not None]
            contents.damaged += [i for i, text in enumerate(texts, n_read) if text is None]
            contents.take(whole, _parsed([text for text in texts if text is not None]))
            n_read += len(chunk)
    return contents


def _text(written: bytes) -> bytes | None:
    """Return a line's JSON, or None where the line is damaged."""
    text = written[9:-1]
    if written[:9] != b"%08x " % crc32(text) or written[-1:] != b"\n":
        return None
    return text


def _parsed(texts: list[bytes]) -> list[Any]:
    """Parse many lines at once; a line that is no JSON becomes None."""
    try:
        parsed: list[Any] = json.loads(b"[%s]" % b",".join(texts))
    except ValueError:
        parsed = []
    return parsed if len(parsed) == len(texts) else [_parsed_alone(text) for text in texts]


def _parsed_alone(text: bytes) -> Any:
    try:
        return json.loads(text)
    except ValueError:
        return None


def _outcome(names: tuple[str, ...], content: list[Any], session: int) -> Outcome:
    if len(content) == 3:
        values, sizes, seconds = content
        named = dict(zip(names, values, strict=True))
        return Outcome("ok", named, tuple(sizes), seconds=seconds, session=session)
    known: Mapping[str, Any] = content[0]
    return Outcome(
        **{
            **known,
            "values": dict(zip(names, known["values"], strict=True)),
            "sizes": tuple(known["sizes"]) if known["sizes"] else None,
            "warnings": tuple(known.get("warnings", ())),
            "session": session,
        }
    )


@contextmanager
def _without_garbage_collection() -> Iterator[None]:
    """Make many objects that all stay: looking for garbage among them takes most of the time."""
    was_enabled = gc.isenabled()
    gc.disable()
    try:
        yield
    finally:
        if was_enabled:
            gc.enable()
