"""Transfer of results: import from other programs, export for them."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, get_args

from reportgen.errors import StudyError
from reportgen.exchange.importing import Reading, import_results
from reportgen.exchange.replications import OWN_NAME
from reportgen.exchange.table import IGNORED, RowsCount
from reportgen.exchange.training import ALLOWED as EPOCHS_ALLOWED
from reportgen.exchange.training import parse_choice
from reportgen.formats import EXPORTS, OLD_NAMES
from reportgen.performance_measure import Better
from reportgen.pipeline import Job, analyse, refuse_inputs, sizes, tell_unused, template_folders
from reportgen.rendering.tables import plain_frame
from reportgen.study.errors import describe_unknown, listed, shown, suggestion
from reportgen.study.schema.datasets import Columns
from reportgen.warehouse.files import write_performances

if TYPE_CHECKING:
    from pandas import DataFrame

    from reportgen.report import Provenance
    from reportgen.warehouse import Warehouse

PARQUET = ".parquet"
SEVERAL = (OWN_NAME, "dataset", "candidate", IGNORED)  # meanings that several columns may have


def make_reading(
    kind: str | None = None,
    measure: str | None = None,
    better: Sequence[str] = (),
    columns: Sequence[str] = (),
    item: str = "",
    replication: str | None = None,
    epoch: str | None = None,
) -> Reading:
    """Return how files are to be read, by the options of the command line.

    Raises StudyError if `better` is not NAME=smaller or NAME=larger, `columns` not NAME=COLUMN, or
    `replication` not rows.
    """
    if replication not in (None, "rows"):
        raise StudyError(
            f"--replication: found {shown(replication)}; allowed rows (columns that identify the "
            "replications: --column replication=COLUMN)"
        )
    found: dict[str, list[str]] = {}
    for name, column in map(_parse_column, columns):
        found.setdefault(name, []).append(column)
    several = next((name for name, c in found.items() if len(c) > 1 and name not in SEVERAL), None)
    if several:
        raise StudyError(f"--column: found {several} twice; allowed several for {listed(SEVERAL)}")
    named = {name: c[0] if len(c) == 1 else tuple(c) for name, c in found.items()}
    if epoch is not None and parse_choice(epoch) is None:
        raise StudyError(f"--epoch: found {shown(epoch)}; allowed {EPOCHS_ALLOWED}")
    rows: RowsCount | None = "rows" if replication else None
    return Reading(
        kind, measure, dict(_parse_better(text) for text in better), named, item, rows, epoch
    )


def import_files(paths: Sequence[Path], destination: Path, how: Reading) -> str:
    """Put other tools' results into one Parquet file, and print what it holds.

    Raises ExchangeError if a file cannot be understood.
    Raises StudyError if the destination is not called a Parquet file, or a direction is that of a
    measure that no file has.
    """
    if destination.suffix.lower() != PARQUET:
        raise StudyError(f"--output: found {destination}; allowed a name that ends in {PARQUET}")
    warehouse = import_results(paths, how)
    known = [measure.name for measure in warehouse.measures]
    if unknown := next((name for name in how.better if name not in known), None):
        raise StudyError(f"--better: {describe_unknown('measure', unknown, known)}")
    destination.parent.mkdir(parents=True, exist_ok=True)
    write_performances(warehouse, destination)
    blocks = warehouse.frame.groupby("dataset", observed=True)["replication"].nunique()
    replications = f"{blocks.min()} to {blocks.max()}" if blocks.nunique() > 1 else blocks.max()
    n_missing = int(warehouse.frame["value"].isna().sum())
    numbers = (
        len(warehouse.datasets),
        replications,
        len(warehouse.candidates),
        len(warehouse.measures),
    )
    missing = f"{n_missing:,} of {len(warehouse.frame):,} values missing"
    return f"{sizes(*numbers, warehouse.unit)}; {missing}"


def _write_predictions(frame: DataFrame, folder: Path, formats: Sequence[str]) -> list[Path]:
    """Write what was predicted of test observations, where that was kept."""
    written = []
    if len(frame) and "csv" in formats:
        written.append(folder / "predictions.csv")
        plain_frame(frame).to_csv(written[-1], index=False, lineterminator="\n")
    if len(frame) and "parquet" in formats:
        written.append(folder / "predictions.parquet")
        frame.to_parquet(written[-1], index=False)
    return written


def _parse_better(text: str) -> tuple[str, Better]:
    name, _, side = text.rpartition("=")
    if not name or side not in get_args(Better):
        raise StudyError(f"--better: found {shown(text)}; allowed NAME=smaller or NAME=larger")
    return name, "smaller" if side == "smaller" else "larger"


def _parse_column(text: str) -> tuple[str, str]:
    name, _, column = text.partition("=")
    if name not in Columns.model_fields or not column:
        question = suggestion(name, Columns.model_fields)
        raise StudyError(
            f"--column: found {shown(text)}; allowed NAME=COLUMN, with a name of "
            f"{', '.join(Columns.model_fields)}{question}"
        )
    return name, column


def checked_formats(formats: Sequence[str]) -> tuple[str, ...]:
    """Return the formats of an export by the names they have now.

    Raises StudyError if there is no such format.
    """
    names = tuple(OLD_NAMES.get(name, name) for name in formats)
    unknown = [name for name in names if name not in EXPORTS]
    if unknown or not names:
        raise StudyError(f"--format: found {unknown or 'nothing'}; allowed {', '.join(EXPORTS)}")
    return names


def export(
    job: Job, warehouse: Warehouse, origin: Provenance, folder: Path, formats: Sequence[str]
) -> tuple[Path, ...]:
    """Write the stored performances, and every table of the report, for other programs.

    `folder`: where to.
    `formats`: of EXPORTS.
    Raises RenderingError if the folder has files of an author that latex would write over, and
    StudyError if it has data of the study that would be written over.
    """
    from reportgen.rendering import exports as files
    from reportgen.rendering.names import file_stems

    folder.mkdir(parents=True, exist_ok=True)
    stems = ("performances", "predictions")
    refuse_inputs(job, (folder / f"{stem}.{form}" for stem in stems for form in formats))
    written: list[Path] = []
    if "csv" in formats:
        written.append(folder / "performances.csv")
        plain_frame(warehouse.frame).to_csv(written[-1], index=False, lineterminator="\n")
    if "parquet" in formats:
        written.append(folder / "performances.parquet")
        write_performances(warehouse, written[-1])
    written += _write_predictions(warehouse.predictions, folder, formats)
    kinds = [kind for kind in get_args(files.TableKind) if kind in formats]
    if kinds or "latex" in formats:
        drawn = "latex" if "latex" in formats else "json"  # which has no figures
        report = analyse(job, warehouse, origin, formats=[drawn])
        if "latex" in formats:
            from reportgen.rendering.latex import write_paper

            tell_unused(job)
            written += write_paper(report, folder, template_folders(job), job.study.report.latex)
        tables, own = folder / "tables", file_stems(report).values()
        refuse_inputs(job, (tables / f"{stem}.{kind}" for stem in own for kind in kinds))
        for kind in kinds:
            written += files.write_tables(report, tables, kind, has_all=True)
    return tuple(written)
