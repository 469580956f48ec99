"""Folders of logs of training, a file a run, as Keras and Lightning write them."""

from __future__ import annotations

import os
import re
from collections.abc import Collection
from pathlib import Path
from typing import Any

import pandas as pd

from reportgen.errors import ExchangeError
from reportgen.exchange.table import RawTable

EPOCHS = ("epoch", "step")
NUMBERED = re.compile(r"(?:^|[_.-])(seed|fold|repeat|run|version|trial)[_.=-]?(\d+)(?=$|[_.-])")
NUMBERS = frozenset(("seed", "fold", "repeat", "run", "trial"))
EMPTY = frozenset("metrics log logs history results lightning csv training csv_logs".split())
MOST_FILES = 100_000


def training_files(folder: Path) -> list[Path]:
    """Return the logs of training below a folder; none that a link leads to outside."""
    inside, found = folder.resolve(), list[Path]()
    for name, folders, names in os.walk(folder, followlinks=False):
        folders.sort()
        own = [Path(name, file) for file in sorted(names) if file.endswith(".csv")]
        found += [file for file in own if file.resolve().is_relative_to(inside)]
        if len(found) > MOST_FILES:
            return []
    return found if found and all(map(_is_log, found)) else []


def _is_log(file: Path) -> bool:
    """Whether the first line of a file names a column of epochs."""
    with file.open("rb") as opened:
        header = opened.readline(65_536).decode(errors="replace").lower()
    return bool(set(EPOCHS) & {name.strip(' "\r\n') for name in header.split(",")})


def read_training_folder(folder: Path, files: list[Path]) -> RawTable:
    """Read the runs below a folder into one table; the parts of their paths name them.

    `seed0`, `fold_1`, `version_2` are numbers of that name, what is left is the candidate; of
    several parts of paths the user says which is.
    Raises ExchangeError if a file cannot be read, or paths have different parts.
    """
    import pyarrow as pa

    from reportgen.exchange.text_table import read_text_table

    paths = [file.relative_to(folder) for file in files]
    shared = set.intersection(*({*path.parts[:-1]} for path in paths))
    parts = [_parts(path, shared) for path in paths]
    if not any(own.keys() - NUMBERS for own in parts):
        parts = [_parts(path) for path in paths]  # of one candidate
    keys = list(parts[0])
    for file, own in zip(files, parts, strict=True):
        if list(own) != keys:
            found = f"the parts {', '.join(own) or 'none'} of its path"
            raise ExchangeError(f"{file}: found {found}; allowed {', '.join(keys)}, as of others")
    frames = []
    for file, own in zip(files, parts, strict=True):
        table = read_text_table(file)
        cells: dict[str, Any] = {name: column.to_pylist() for name, column in table.columns.items()}
        frames.append(pd.DataFrame({**cells, **own}, dtype=object))
    whole = pd.concat(frames, ignore_index=True)
    columns = {
        str(name): pa.chunked_array([pa.array(whole[name].fillna("").tolist(), pa.string())])
        for name in whole.columns
    }
    places = [
        (file, row) for file, own in zip(files, frames, strict=True) for row in range(len(own))
    ]
    return RawTable(
        folder,
        columns,
        len(whole),
        ",",
        place=lambda row: f"{places[row][0]}, row {places[row][1] + 2}",
    )


def _parts(path: Path, shared: Collection[str] = ()) -> dict[str, str]:
    """Return what the path of a run says of it, without the folders that all runs are in.

    Examples
    --------
    >>> _parts(Path("mlp_seed0.csv")), _parts(Path("a/mlp/version_3/metrics.csv"), ["a"])
    ({'model': 'mlp', 'seed': '0'}, {'model': 'mlp', 'run': '3'})
    """
    numbers, texts = {}, []
    for part in (*path.parts[:-1], path.stem):
        for name, number in NUMBERED.findall(part):
            numbers["run" if name == "version" else name] = number
        text = NUMBERED.sub("", part).strip("_.-")
        if text and text.lower() not in EMPTY and part not in shared:
            texts.append(text)
    if len(texts) == 1:
        return {"model": texts[0], **numbers}
    return {**{f"part {i}": text for i, text in enumerate(texts, start=1)}, **numbers}
