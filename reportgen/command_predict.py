"""The verb that asks a run which candidate to try; nothing heavy is imported before it does."""

# ruff: noqa: D301 - the backspace that click reads as "keep these lines" is meant

from __future__ import annotations

from typing import TYPE_CHECKING

import click

from reportgen.command_line import as_path, listed, verb

if TYPE_CHECKING:
    from pathlib import Path


@click.command()
@verb
@click.argument("run", type=click.Path(), callback=as_path)
@click.argument("dataset", required=False, type=click.Path(), callback=as_path)
@click.option("--target", help="The column to predict.")
@click.option("--task", help="classification or regression, where the target does not show it.")
@click.option("--drop", default="", metavar="LIST", help="Columns that are no inputs.")
@click.option("--categorical", default="", metavar="LIST", help="Numbers that are categories.")
@click.option("--measure", help="By which [default: the first that the run has a tree of].")
@click.option(
    "--characteristic",
    "characteristics",
    multiple=True,
    metavar="NAME=VALUE",
    help="What is known of the data set. Repeatable.",
)
@click.option(
    "--allow-plugins",
    "plugins",
    multiple=True,
    metavar="PACKAGE",
    help="A package whose characteristics may run their code. Repeatable.",
)
def predict(
    run: Path,
    dataset: Path | None,
    target: str | None,
    task: str | None,
    drop: str,
    categorical: str,
    measure: str | None,
    characteristics: tuple[str, ...],
    plugins: tuple[str, ...],
) -> None:
    """Say which candidate to try on a data set of your own.

    RUN is the folder of a run with the section psychoanalysis; DATASET a file
    of data. The tree of worths says what was best on data sets like it.

    \b
    Examples:
      reportgen predict output/classics mine.csv --target y
      reportgen predict output/classics --characteristic i2r.fcc=0.7
    """
    from reportgen.errors import StudyError
    from reportgen.prediction import NewData, advise

    given = {}
    for text in characteristics:
        name, equals, value = text.partition("=")
        if not equals or not name.strip():
            raise StudyError(f"--characteristic: found {text!r}; allowed NAME=VALUE")
        given[name.strip()] = value.strip()
    columns = listed(drop) or (), listed(categorical) or ()
    data = NewData(dataset, target, task, *columns, given)
    click.echo(advise(run, data, measure, plugins))
