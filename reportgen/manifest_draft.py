"""The draft of a manifest, with comments, that `reportgen init` writes."""

from __future__ import annotations

import json
import math
import re
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING

from reportgen.errors import StudyError
from reportgen.exchange.columns import SOURCE_NAMES, DirectionError
from reportgen.exchange.importing import Reading, import_results
from reportgen.exchange.keys import flow
from reportgen.file_writing import write_text
from reportgen.notation import whole_range
from reportgen.performance_measure import Better, Measure
from reportgen.rendering.templates import read_text
from reportgen.study.errors import describe_unknown
from reportgen.study.schema.value_types import folder_fault
from reportgen.study.yaml_source import MANIFEST
from reportgen.warehouse import Warehouse

if TYPE_CHECKING:
    import pandas as pd

SCHEMA = "manifest.schema.json"
PER_CENT = re.compile(r"%|per ?cent|pct|prozent", re.IGNORECASE)
MOST_NAMES = 12  # of data sets and candidates that a comment lists


def write_draft(
    folder: Path, schema: str, results: Path | None = None, how: Reading | None = None
) -> tuple[Path, ...]:
    """Write a manifest and the schema by which editors check it.

    `folder`: made where it is missing.
    `schema`: the JSON Schema's text.
    `results`: A file of results that the manifest is for; else it is for an experiment.
    `how`: how the file is to be read; also written into the manifest.
    Result: the files.
    Raises StudyError if there is a manifest already, or there are options to read a file but no
    file.
    Raises ExchangeError if the results cannot be understood.
    """
    path = folder / MANIFEST
    if path.exists():
        raise StudyError(f"{path}: found a manifest; allowed a folder without one")
    how = how or Reading()
    if results is None and how != Reading():
        raise StudyError("--from: found no file, but how to read it; allowed both, or neither")
    text = _experiment() if results is None else _for_results(results, folder, how)
    text = _insert_name(text, folder.resolve().name)
    folder.mkdir(parents=True, exist_ok=True)
    write_text(path, text)
    write_text(folder / SCHEMA, schema)
    return path, folder / SCHEMA


def write_example(folder: Path, schema: str, name: str) -> tuple[Path, ...]:
    """Write one of the studies that come with the program, with the files that it reads.

    `folder`: made where it is missing.
    `schema`: the JSON Schema's text.
    `name`: of the study, such as "quickstart".
    Result: the files.
    Raises StudyError if there is no such study, or a file of it is there already.
    """
    source, known = example_folder(), example_names()
    if name not in known:
        raise StudyError(f"--example: {describe_unknown('study', name, known)}")
    text = (source / f"{name}.yaml").read_text("utf-8")
    files = {folder / MANIFEST: _started_here(text, name)}
    own = [place for place in known if place == name or f": {place}/" in text]
    for path in sorted(path for place in own for path in (source / place).glob("*.*")):
        files[folder / path.relative_to(source)] = path.read_text("utf-8")
    for path in files:
        if path.exists():
            raise StudyError(f"{path}: found a file; allowed a folder without one")
    files[folder / MANIFEST] = _insert_name(files[folder / MANIFEST], folder.resolve().name)
    for path, text in {**files, folder / SCHEMA: schema}.items():
        path.parent.mkdir(parents=True, exist_ok=True)
        write_text(path, text)
    return *files, folder / SCHEMA


def example_folder() -> Path:
    """Return the folder of the studies that come along: inside a wheel, or of the checkout."""
    package = Path(__file__).resolve().parent
    for folder in (package / "_studies", package.parent / "studies"):
        if (folder / "quickstart.yaml").is_file():
            return folder
    raise StudyError(f"--example: found no studies beside {package}; allowed a whole installation")


def example_names() -> list[str]:
    """Return the names of the studies that come along."""
    return sorted(path.stem for path in example_folder().glob("*.yaml"))


def _started_here(text: str, name: str) -> str:
    """Write in the comments of a study that comes along where it lies now."""
    text = text.replace(f"studies/{name}.yaml", MANIFEST)
    text = re.sub(r"studies/([\w-]+)\.yaml", r"the example \1", text)
    return f"# yaml-language-server: $schema={SCHEMA}\n#\n{text}"


def _experiment() -> str:
    return read_text("manifests/experiment.yaml")


def _insert_name(text: str, name: str) -> str:
    """Call the study as its folder is called: all manifests that start here have one file name."""
    if folder_fault(name):
        return text
    line = f"  name: {json.dumps(name, ensure_ascii=False)}"
    return text.replace("\nstudy:\n", f"\nstudy:\n{line:<37} # of the folder of results\n", 1)


def _for_results(results: Path, folder: Path, how: Reading) -> str:
    """Fill the manifest with what the file holds; what is unknown is left to be filled in."""
    from jinja2 import Environment, StrictUndefined

    warehouse, unknown = _read(results, how)
    environment = Environment(undefined=StrictUndefined, trim_blocks=True, autoescape=False)
    environment.filters["yaml"] = _quote
    template = environment.from_string(read_text("manifests/results.yaml.j2"))
    return (
        template.render(
            results=_entry(_relative(results, folder), how, _scheme(warehouse)),
            drawn=_drawn(warehouse),
            measures=[m.name for m in warehouse.measures],
            unknown=unknown,
            sides={m.name: m.better for m in warehouse.measures},
            words=SOURCE_NAMES,
            sources={m.name: m.better_source for m in warehouse.measures},
            datasets=_listed(warehouse.datasets),
            candidates=_listed(warehouse.candidates),
            n_replications=_n_replications(warehouse),
            omitted=_omitted(warehouse),
            main=warehouse.measures[0],
            area=_suggested_area(warehouse),
            per_cent=[m.name for m in warehouse.measures if _is_in_per_cent(warehouse, m)],
        ).rstrip()
        + "\n"
    )


def _scheme(warehouse: Warehouse) -> str:
    """Write the sampling scheme that columns of the file told; empty where none did, or several."""
    if not _told(warehouse, "scheme-column", "scheme-columns") or not warehouse.resampling:
        return ""
    kept = [key for key in ("scheme", "folds", "repeats") if key in warehouse.resampling]
    return f"{{{', '.join(f'{key}: {warehouse.resampling[key]}' for key in kept)}}}"


def _drawn(warehouse: Warehouse) -> list[str]:
    """Say by which columns that is known, and what becomes of seeds, on a line each."""
    schemes, seeds = (
        _told(warehouse, "scheme-column", "scheme-columns"),
        _told(warehouse, "seed-columns"),
    )
    return [
        *(f"read from {names}" for names in schemes),
        *(
            f"a replication is the mean over its seeds, by {name}; where every seed made folds of "
            "its own: scheme: repeated-k-fold"
            for name in seeds
        ),
    ]


def _told(warehouse: Warehouse, *kinds: str) -> list[str]:
    """Return what was decided while the file was read, of some kinds."""
    rows = warehouse.remarks[warehouse.remarks["name"].isin(kinds)]
    return list(dict.fromkeys(" ".join(str(value).split()) for value in rows["value"]))


def _entry(file: str, how: Reading, scheme: str) -> str:
    """Write where the results are, with the options to read them, and how they were drawn."""
    name = _quote(file)
    more = []
    if how.columns:
        more.append(f"columns: {flow(how.columns)}")
    if how.replication:
        more.append(f"replication: {how.replication}")
    if how.epoch:
        more.append(f"epoch: {_quote(how.epoch)}")
    if how.item:
        more.append(f"object: {_quote(how.item)}")
    if scheme:
        more.append(f"resampling: {scheme}")
    if how.measure is None and not more:
        return name
    key = "file" if how.measure is None else "wide"
    return f"{{{', '.join([f'{key}: {name}', *more])}}}"


def _quote(text: str) -> str:
    return json.dumps(text, ensure_ascii=False)


def _read(results: Path, how: Reading) -> tuple[Warehouse, tuple[str, ...]]:
    """Read the results; also return the measures whose direction the user has to give."""
    try:
        return import_results([results], how), ()
    except DirectionError as error:
        either: dict[str, Better] = dict.fromkeys(error.names, "smaller")  # a placeholder
        again = replace(how, better={**how.better, **either})
        return import_results([results], again), error.names


def _relative(results: Path, folder: Path) -> str:
    """Write the path of the results as the manifest's folder sees it."""
    import os

    return Path(os.path.relpath(results.resolve(), folder.resolve())).as_posix()


def _listed(names: tuple[str, ...]) -> str:
    """List names on one line of a comment."""
    shown = ", ".join(" ".join(name.split()) for name in names[:MOST_NAMES])
    return f"{len(names)}: {shown}{', …' if len(names) > MOST_NAMES else ''}"


def _omitted(warehouse: Warehouse) -> list[str]:
    """Return the columns and rows that were left out while the file was read, on a line each."""
    names = {"left-out-column": "{}", "left-out-row": "{} (a row that sums up others)"}
    rows = warehouse.remarks[warehouse.remarks["name"].isin(list(names))]
    pairs = dict.fromkeys(zip(rows["name"], rows["value"], strict=True))
    return [names[name].format(" ".join(str(value).split())) for name, value in pairs]


def _suggested_area(warehouse: Warehouse) -> str:
    """Suggest an area of equivalence of the main measure, in its unit and of its size."""
    measure = warehouse.measures[0]
    values = _values(warehouse, measure)
    if measure.is_compared_by_ratio and (values > 0).all():
        return "1.1    # a factor, as it is compared by ratio"
    if measure.unit_symbol == "share":
        return "[-0.01, 0.01]"
    if measure.unit_symbol == "%" or _is_in_per_cent(warehouse, measure):
        return "[-1, 1]"
    size = values.abs().median()
    if not size > 0:
        return "[-0.01, 0.01]"
    edge = f"{10.0 ** round(math.log10(size) - 2):g}"  # about a hundredth of the values
    return f"[-{edge}, {edge}]"


def _is_in_per_cent(warehouse: Warehouse, measure: Measure) -> bool:
    """Whether a measure without a unit is in per cent, by its name and the size of its values."""
    says_so = not measure.unit_symbol and PER_CENT.search(measure.name)
    return bool(says_so and (_values(warehouse, measure).abs() > 1).any())


def _values(warehouse: Warehouse, measure: Measure) -> pd.Series[float]:
    frame = warehouse.frame
    return frame.loc[frame["measure"] == measure.name, "value"].dropna()


def _n_replications(warehouse: Warehouse) -> str:
    counts = warehouse.frame.groupby("dataset", observed=True)["replication"].nunique()
    return whole_range(int(counts.min()), int(counts.max()))
