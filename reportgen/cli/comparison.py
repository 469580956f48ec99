"""The verbs `diff` and `history`: two runs, and all runs of a study."""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING

import click

from reportgen.cli.gate import check_rerun, run_anew
from reportgen.cli.options import (
    TIMEOUT,
    Number,
    ReadOption,
    as_path,
    refuse_writing_over_study,
    say,
    verb,
)
from reportgen.formats import DOCUMENTS

if TYPE_CHECKING:
    from pathlib import Path

# ruff: noqa: D301 - the backspace that click reads as "keep these lines" is meant

RUN = click.argument("run", type=click.Path())
HISTORY = click.argument("file", type=click.Path(), callback=as_path, default="history.parquet")
MEASURES = click.option(
    "--measure", "measures", multiple=True, metavar="NAME", help="Only this one. Repeatable."
)
ALPHA = click.option(
    "--alpha",
    type=Number(0, 1, min_open=True, max_open=True),
    help="Probability of any false alarm [default: the study's, else 0.05].",
)
TO_FILE = click.option(
    "-o", "--output", type=click.Path(), callback=as_path, help="Write to a file instead."
)


@click.command()
@verb
@click.argument("first")
@click.argument("second", required=False)
@click.option("--against-itself", is_flag=True, help="Count the false alarms of one run.")
@click.option("--repeats", default=1000, show_default=True, help="Of --against-itself.")
@MEASURES
@ALPHA
@click.option(
    "--shared/--unshared",
    "shared",
    default=None,
    help="Whether replications of the same number are the same [default: found out].",
)
@click.option(
    "--confirm",
    cls=ReadOption,
    metavar="RUN",
    help="SECOND made anew: a change is shown where it returns there.",
)
@click.option(
    "--rerun",
    metavar="COMMAND",
    help="What makes that run; done only where a change is shown.",
)
@TIMEOUT
@click.option(
    "--format",
    "form",
    type=click.Choice(DOCUMENTS),
    default="text",
    show_default=True,
)
@TO_FILE
@click.option(
    "--fail-on",
    multiple=True,
    type=click.Choice(["verdicts", "values", "design"]),
    help="End with exit code 1 where a change of these is shown. Repeatable.",
)
def diff(
    first: str,
    second: str | None,
    against_itself: bool,
    repeats: int,
    measures: tuple[str, ...],
    alpha: float | None,
    shared: bool | None,
    confirm: str | None,
    rerun: str | None,
    timeout: float | None,
    form: str,
    output: Path | None,
    fail_on: tuple[str, ...],
) -> None:
    """Compare two runs: what changed, and what only seems to.

    FIRST and SECOND are folders of runs, warehouses, files of results, a
    results.json (nothing is tested then), or REVISION:PATH of a git repository.
    Changes of values, and of verdicts, are tested: that any is shown where
    nothing has changed has a probability of at most alpha.

    \b
    Examples:
      reportgen diff output/main output/mine
      reportgen diff HEAD~1:warehouse warehouse --format md --fail-on verdicts
      reportgen diff main.csv branch.csv --fail-on values --confirm again.csv
      reportgen diff output/main --against-itself
    """
    from reportgen import difference
    from reportgen.errors import FindingError, StudyError

    check_rerun("diff", confirm, rerun, timeout)
    if against_itself == (second is not None):
        found = "two runs and --against-itself" if against_itself else "one run"
        raise StudyError(f"diff: found {found}; allowed two runs, or one and --against-itself")
    _refuse_writing_over_runs(output, first, second)
    if second is None:
        alarms = difference.compare_with_itself(
            first, measures=measures, alpha=alpha, repeats=repeats
        )
        _write(difference.render(alarms, form), output)
        return
    compare = partial(difference.diff, measures=measures, alpha=alpha, shared=shared)
    changes = compare(first, second)
    if confirm is not None and {"values", "verdicts"} & {*changes.changed()}:
        if rerun is not None:
            run_anew(rerun, timeout)
        _refuse_writing_over_runs(output, confirm)  # which the command has made
        changes = compare(first, second, confirm=confirm)
    _write(difference.render(changes, form), output)
    shown = [aspect for aspect in changes.changed() if aspect in fail_on]
    if shown:
        raise FindingError(f"changes are shown of {' and '.join(shown)}")


def _refuse_writing_over_runs(output: Path | None, *runs: str | None) -> None:
    """Refuse a file to write that is read with the studies of runs."""
    if output is None or not output.is_file():
        return
    from reportgen.difference.reading import open_run

    for study in map(open_run, filter(None, runs)):
        if not isinstance(study, dict):
            refuse_writing_over_study(study)


@click.group()
def history() -> None:
    """Keep the runs of a study in one file, and watch for changes.

    \b
    Examples:
      reportgen history add output/nightly
      reportgen history report -o public
    """


@history.command()
@verb
@RUN
@click.option(
    "-o",
    "--output",
    type=click.Path(),
    callback=as_path,
    default="history.parquet",
    show_default=True,
    help="The history.",
)
@click.option(
    "--reference", help="The candidate that others are compared with [default: the last run's]."
)
@click.option("--date", help="Of the run, ISO 8601 [default: its provenance's].")
def add(run: str, output: Path, reference: str | None, date: str | None) -> None:
    """Append a run; one with the same values adds nothing.

    \b
    Example:
      reportgen history add output/nightly -o history.parquet
    """
    from reportgen import history as runs

    added = runs.add(run, output, reference=reference, date=_filled(date))
    state = "added" if added.is_new else "is there"
    say(f"{output}: run {added.run[:12]} {state}; runs: {added.n_runs}")


def _filled(date: str | None) -> str:
    """Return a date, or nothing where none is given; an empty one is refused."""
    if date is None:
        return ""
    from reportgen.history.entries import read_date

    return read_date(date)


@history.command()
@verb
@HISTORY
@click.option(
    "-o",
    "--output",
    type=click.Path(),
    callback=as_path,
    default="history",
    show_default=True,
    help="The folder to write to.",
)
@MEASURES
@ALPHA
@click.option("--since", help="Only runs of this date or later, ISO 8601.")
@click.option(
    "--block",
    type=click.IntRange(1),
    default=1,
    show_default=True,
    help="Follow the means of so many runs in a row, where runs depend on those before.",
)
@click.option("--fail", is_flag=True, help="End with exit code 1 where there is an alarm.")
def report(
    file: Path,
    output: Path,
    measures: tuple[str, ...],
    alpha: float | None,
    since: str | None,
    block: int,
    fail: bool,
) -> None:
    """Draw each candidate against the reference, and raise alarms.

    \b
    Example:
      reportgen history report history.parquet -o public --fail
    """
    from reportgen import history as runs
    from reportgen.errors import FindingError

    found = runs.read(file, measures=measures, alpha=alpha, since=_filled(since), block=block)
    for path in runs.report(found, output):
        say(path)
    if fail and found.alarmed:
        n = len(found.doubtful)
        drift = f"; of {n} of them successive runs depend on one another (drift)" if n else ""
        raise FindingError(f"alarms in {len(found.alarmed)} series{drift}")


@history.command("export")
@verb
@HISTORY
@click.option("--bencher", is_flag=True, required=True, help="As metrics of Bencher (JSON).")
@TO_FILE
def export_history(file: Path, bencher: bool, output: Path | None) -> None:
    """Write the values of the last run for another program.

    \b
    Example:
      reportgen history export --bencher -o metrics.json
    """
    import json

    from reportgen import history as runs

    content = runs.export_bencher(file)
    _write(json.dumps(content, indent=1, ensure_ascii=False, allow_nan=False) + "\n", output)


def _write(text: str, output: Path | None) -> None:
    """Print a text, or write it to a file and print its name."""
    if output is None:
        say(text, ends_line=False)
        return
    from reportgen.file_writing import write_text

    output.parent.mkdir(parents=True, exist_ok=True)
    write_text(output, text)
    say(output)
