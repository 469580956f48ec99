"""Verbs that exchange results with other programs: import and export."""

# ruff: noqa: D301 - the backspace that click reads as "keep these lines" is meant

from __future__ import annotations

from typing import TYPE_CHECKING

import click

from reportgen.command_line import (
    BETTER,
    COLUMNS,
    ITEM,
    MEASURE,
    OUTPUT,
    PLUGINS,
    REPLICATION,
    SETTINGS,
    STUDY,
    as_path,
    as_paths,
    listed,
    verb,
)

if TYPE_CHECKING:
    from pathlib import Path


@click.command("import")
@verb
@click.argument("files", nargs=-1, required=True, type=click.Path(), callback=as_paths)
@click.option(
    "-o",
    "--output",
    required=True,
    type=click.Path(),
    callback=as_path,
    help="The Parquet file to write.",
)
@click.option(
    "--from",
    "kind",
    metavar="FORMAT",
    help="Whose tables they are: tidy, wide, cross-validate, cv-results, mlr3, benchopt, automl, "
    "aeon, r-benchmark [default: by the columns].",
)
@MEASURE
@COLUMNS
@ITEM
@BETTER
@REPLICATION
def import_(
    files: tuple[Path, ...],
    output: Path,
    kind: str | None,
    measure: str | None,
    better: tuple[str, ...],
    columns: tuple[str, ...],
    item: str,
    replication: str | None,
) -> None:
    """Put other tools' results into one tidy Parquet file.

    Files: CSV, Parquet, JSON, RData (with the package rdata), folders of
    aeon's results; whose they are is seen by their columns. The file that is
    written knows its measures: `run` takes it as it is.

    \b
    Examples:
      reportgen import scores.csv -o results.parquet
      reportgen import table.csv --measure accuracy -o results.parquet
      reportgen import a.csv b.csv --better cost=smaller -o results.parquet
      reportgen import bench.RData --object uci621raw -o results.parquet
    """
    from reportgen import handover

    reading = handover.reading(kind, measure, better, columns, item, replication)
    click.echo(handover.imported(files, output, reading))
    click.echo(output)


@click.command()
@verb
@STUDY
@OUTPUT
@click.option(
    "--to",
    "folder",
    type=click.Path(),
    callback=as_path,
    help="Folder to write to [default: export in the study's].",
)
@click.option(
    "--format",
    "formats",
    default="csv,parquet,tex,md",
    show_default=True,
    metavar="LIST",
    help="Performances as csv, parquet; tables as csv, tex, md.",
)
@SETTINGS
@PLUGINS
def export(
    study: Path,
    output: Path,
    folder: Path | None,
    formats: str,
    settings: tuple[str, ...],
    allow_plugins: bool,
) -> None:
    """Write what is stored for other programs: performances, and every table.

    \b
    Example:
      reportgen export studies/quickstart.yaml --format csv,tex
    """
    from reportgen import handover, pipeline

    job = pipeline.open_job(study, output, settings, allow_plugins=allow_plugins)
    for path in handover.export(job, folder, listed(formats) or ()):
        click.echo(path)
