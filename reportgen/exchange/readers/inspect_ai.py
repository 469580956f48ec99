"""The logs of Inspect: archives .eval and their form in JSON.

A sample is an item, with epochs. Of an archive the header and the summaries are read. Since
version 0.3.206 its members are compressed by Zstandard, which zipfile knows from Python 3.14
on; pyarrow, which is here for Parquet, has that codec, so that no package is needed.
"""

from __future__ import annotations

import json
import logging
import struct
import zipfile
from collections.abc import Iterator, Mapping, Sequence
from math import isnan, nan
from pathlib import Path
from typing import Any

from reportgen.errors import ExchangeError
from reportgen.exchange.cells import GRADES
from reportgen.exchange.readers.logs import (
    COST,
    TIME,
    TOKENS,
    Content,
    LogFormat,
    Logs,
    Run,
    documented,
    find_clusters,
    label,
    look_up,
    mapping,
    number,
    parse_json,
)
from reportgen.performance_measure import Better, Measure
from reportgen.study.errors import listed, message_of, shown

log = logging.getLogger(__name__)

MOST_MEMBER = 1 << 30  # bytes of a member, whatever its size is said to be
MOST_MEMBERS = 1_000_000
ZSTANDARD = 93
LOCAL_HEADER = struct.Struct("<4s22xHH")
SUMMARIES, HEADER = "summaries.json", "header.json"
LARGER = ("exact", "f1")  # scorers of Inspect whose mean is reported, not their accuracy
ACCURACY = "accuracy"
Document = tuple[Path, Mapping[str, Any], Sequence[Any]]


def _read(logs: Logs) -> Content:
    documents = sorted(_documents(logs), key=lambda found: _created(found[1]))
    kept, decided = [], []
    for path, head, samples in documents:
        status = "invalidated" if head.get("invalidated") else head.get("status")
        if status == "success":
            kept.append((path, head, samples))
        else:
            log.warning("%s: the log is left out: its status is %s", path, shown(status))
            decided.append(("left-out-log", f"{path.name}: {label(status) or 'no status'}"))
    if not kept:
        found = listed(dict.fromkeys(own for _, own in decided))
        raise ExchangeError(
            f"{logs.path}: found no log that ended well ({found}); allowed one of status success"
        )
    known: dict[str, Measure] = {}
    runs = [_run(path, head, samples, known, decided) for path, head, samples in kept]
    return Content(runs, known, decided=list(dict.fromkeys(decided)))


def _documents(logs: Logs) -> Iterator[Document]:
    """Yield the header and the samples of each log."""
    for path in logs.named(r".+\.eval"):
        yield _archive(path)
    for path, content in logs.documents():
        if _is_log(content):
            yield path, content, content.get("samples", [])


def _created(head: Mapping[str, Any]) -> str:
    return str(mapping(head.get("eval")).get("created"))


def _archive(path: Path) -> Document:
    """Read the header and the summaries of an archive."""
    try:
        with zipfile.ZipFile(path) as archive, path.open("rb") as file:
            members = {info.filename: info for info in archive.infolist()[:MOST_MEMBERS]}
            missing = [name for name in (HEADER, SUMMARIES) if name not in members]
            if missing:
                raise ExchangeError(
                    f"{path}: found an archive without {listed(missing)}; allowed a log that was "
                    "finished"
                )
            head, samples = (
                parse_json(f"{path}: {name}", _member(path, archive, file, members[name]))
                for name in (HEADER, SUMMARIES)
            )
    except (zipfile.BadZipFile, NotImplementedError, EOFError, RuntimeError) as error:
        raise ExchangeError(
            f"{path}: found no archive of Inspect ({message_of(error)}); allowed a whole one"
        ) from None
    if not isinstance(head, dict) or not isinstance(samples, list):
        raise ExchangeError(
            f"{path}: found {HEADER} or {SUMMARIES} of another kind; allowed a mapping and a list"
        )
    return path, head, samples


def _member(path: Path, archive: zipfile.ZipFile, file: Any, info: zipfile.ZipInfo) -> bytes:
    """Read a member up to a limit, whatever it says about its size."""
    if info.compress_type == ZSTANDARD:
        content = _zstandard(path, file, info)
    else:
        import zlib

        try:
            with archive.open(info) as member:
                content = member.read(MOST_MEMBER + 1)
        except zlib.error as error:
            raise _damaged(path, info, error) from None
    if len(content) > MOST_MEMBER:
        raise ExchangeError(
            f"{path}: {info.filename}: found more than {MOST_MEMBER >> 20} MiB; allowed less"
        )
    return content


def _damaged(path: Path, info: zipfile.ZipInfo, error: Exception) -> ExchangeError:
    found = f"damaged data ({' '.join(str(error).split())})"
    return ExchangeError(f"{path}: {info.filename}: found {found}; allowed a whole archive")


def _zstandard(path: Path, file: Any, info: zipfile.ZipInfo) -> bytes:
    """Read a member that zipfile cannot, by the codec of pyarrow."""
    import pyarrow as pa

    file.seek(info.header_offset)
    head = file.read(LOCAL_HEADER.size)
    if len(head) < LOCAL_HEADER.size or not head.startswith(b"PK\x03\x04"):
        raise ExchangeError(f"{path}: {info.filename}: found no member there; allowed an archive")
    _, n_name, n_extra = LOCAL_HEADER.unpack(head)
    file.seek(info.header_offset + LOCAL_HEADER.size + n_name + n_extra)
    packed = file.read(min(info.compress_size, MOST_MEMBER))
    try:
        with pa.CompressedInputStream(pa.BufferReader(packed), "zstd") as stream:
            parts, size = [], 0
            while size <= MOST_MEMBER and (part := stream.read(1 << 20)):
                parts.append(part)
                size += len(part)
    except (OSError, pa.ArrowException) as error:
        raise _damaged(path, info, error) from None
    return b"".join(parts)


def _run(
    path: Path,
    head: Mapping[str, Any],
    samples: Sequence[Any],
    known: dict[str, Measure],
    decided: list[tuple[str, str]],
) -> Run:
    """Read the samples of one log."""
    if not isinstance(samples, list) or not all(isinstance(own, dict) for own in samples):
        raise ExchangeError(f"{path}: samples: found no list of mappings; allowed one")
    sides = _scorers(head)
    names = [*sides, *(name for own in samples for name in _judgements(own))]
    scored = {
        name: [_judgements(own).get(name) for own in samples] for name in dict.fromkeys(names)
    }
    is_correct = {name for name in scored if sides.get(name.split("/")[0], False)}
    for name in scored:
        side: Better | None = "larger" if name in is_correct or name in LARGER else None
        known |= documented(name, side)
        if name in is_correct:
            known[name] = Measure(name, "larger", "share", (0.0, 1.0))
    failures = {i: text for i, own in enumerate(samples) if (text := _failure(own))}
    limits = {i for i, own in enumerate(samples) if own.get("limit") and i not in failures}
    if limits:
        decided.append(("limits", f"{path.name}: {len(limits)} samples hit a limit"))
    values: dict[str, list[float | None]] = {}
    for name, column in scored.items():
        if all(value is None for value in column):
            continue
        values[name] = [nan if value is None else value for value in column]
        for i in failures:
            values[name][i] = nan
        for i in limits if name in is_correct else ():
            values[name][i] = 0.0
    if not values:
        raise ExchangeError(f"{path}: found no scores; allowed samples that were scored")
    for i, own in enumerate(samples):
        missing = [
            n for n, column in values.items() if column[i] != column[i] and i not in failures
        ]
        if missing:
            failures[i] = f"no score of {', '.join(missing)}"
        _check_sample(path, i, own)
    main = next(iter(values))  # of the first scorer, whose first metric is Inspect's headline
    values |= _costs(samples, failures)
    clusters = find_clusters([own.get("metadata") for own in samples])
    if clusters:
        decided.append(("clusters", f"metadata {clusters[0]}"))
    return Run(
        path,
        look_up(path, head, "eval", "task"),
        look_up(path, head, "eval", "model"),
        [label(own["id"]) or "" for own in samples],
        values,
        epochs=[own["epoch"] for own in samples],
        clusters=clusters[1] if clusters else None,
        failures=dict(sorted(failures.items())),
        variant=_variant(head),
        main=main,
    )


def _check_sample(path: Path, i: int, sample: Mapping[str, Any]) -> None:
    """Raise an error where a sample has no name, or no epoch."""
    where = f"{path}: sample {i + 1}"
    if label(sample.get("id")) is None:
        raise ExchangeError(f"{where}: id: found {shown(sample.get('id'))}; allowed a name")
    epoch = sample.get("epoch")
    if type(epoch) is not int or not 0 < epoch < 1 << 31:
        raise ExchangeError(f"{where}: epoch: found {shown(epoch)}; allowed a number from 1")


def _scorers(head: Mapping[str, Any]) -> dict[str, bool]:
    """Return the scorers, and of each whether the program reports its accuracy."""
    entries = mapping(head.get("eval")).get("scorers")
    found: dict[str, bool] = {}
    for entry in entries if isinstance(entries, list) else ():
        name = mapping(entry).get("name")
        if isinstance(name, str):
            found[name.split("/")[-1]] = ACCURACY in json.dumps(mapping(entry).get("metrics"))
    return found


def _judgements(sample: Mapping[str, Any]) -> dict[str, float | None]:
    """Return the scores of a sample by scorer; those of a mapping by scorer and key."""
    found: dict[str, float | None] = {}
    for name, own in mapping(sample.get("scores")).items():
        value = own.get("value") if isinstance(own, dict) else own
        if isinstance(value, dict):
            found |= {f"{name}/{key}": _value(part) for key, part in value.items()}
        else:
            found[name] = _value(value)
    return found


def _value(value: Any) -> float | None:
    """Return a score as a number; not a number where it is missing, None where it is no score."""
    if isinstance(value, str):
        found = GRADES.get(value, GRADES.get(value.lower()))
        if found is None:
            try:
                found = number(float(value))
            except ValueError:
                return None
        return found
    if isinstance(value, float) and isnan(value):
        return nan
    return number(value)


def _failure(sample: Mapping[str, Any]) -> str:
    """Return the message of the error that ended a sample; "" without."""
    error = sample.get("error")
    if error in (None, "", {}):
        return ""
    message = error.get("message") if isinstance(error, dict) else error
    return " ".join(str(message or "error").split())[:500]


def _costs(
    samples: Sequence[Mapping[str, Any]], failures: Mapping[int, str]
) -> dict[str, list[float | None]]:
    """Return seconds, tokens and costs of the samples that did not fail, where any is known."""
    found: dict[str, list[float | None]] = {}
    columns = {
        TIME.name: [number(own.get("total_time")) for own in samples],
        TOKENS.name: [_usage(own, "total_tokens") for own in samples],
        COST.name: [_usage(own, "total_cost") for own in samples],
    }
    for name, column in columns.items():
        if any(column):
            found[name] = [None if i in failures else x for i, x in enumerate(column)]
    return found


def _usage(sample: Mapping[str, Any], key: str) -> float | None:
    """Add up the use of all models."""
    parts = [number(mapping(own).get(key)) for own in mapping(sample.get("model_usage")).values()]
    known = [part for part in parts if part is not None]
    return sum(known) if known else None


def _variant(head: Mapping[str, Any]) -> str:
    """Describe how the model was set up."""
    of = mapping(head.get("eval"))
    parts = [of.get("solver"), of.get("task_args"), of.get("model_generate_config")]
    texts = [
        own if isinstance(own, str) else json.dumps(own, sort_keys=True) for own in parts if own
    ]
    return ", ".join(texts)


def _is_log(content: Any) -> bool:
    return isinstance(content, dict) and content.keys() >= {"version", "status", "eval"}


LOGS = (
    LogFormat(
        "inspect",
        "<name>.eval, or JSON with version, status, eval",
        "Inspect",
        lambda logs: bool(logs.named(r".+\.eval")) or logs.has(_is_log),
        _read,
    ),
)
