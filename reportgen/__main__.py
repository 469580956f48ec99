"""The command line. Nothing heavy is imported before a verb needs it."""

# ruff: noqa: D301 - the backspace that click reads as "keep these lines" is meant

from __future__ import annotations

import os
import sys
from collections.abc import Callable
from typing import TYPE_CHECKING, Any

import click

from reportgen import __version__
from reportgen.errors import ReportgenError

if TYPE_CHECKING:
    from pathlib import Path

    from reportgen.pipeline import Job

INTERRUPTED = 130


def _path(context: click.Context, parameter: click.Parameter, value: str) -> Path:
    """Make a path of an argument; pathlib is left out of the start."""
    from pathlib import Path

    return Path(value)


STUDY = click.argument("study", type=click.Path(), callback=_path)
OUTPUT = click.option(
    "--output",
    type=click.Path(),
    callback=_path,
    default="output",
    show_default=True,
    help="Parent of the study's folder.",
)
SETTINGS = click.option(
    "--set",
    "settings",
    multiple=True,
    metavar="KEY=VALUE",
    help="Overrule the manifest: a dotted key and a value read as YAML. Repeatable.",
)
JOBS = click.option("--jobs", type=click.IntRange(1), help="Workers [default: one a core].")
FRESH = click.option("--fresh", is_flag=True, help="Measure anew what was measured before.")
DRY = click.option("--dry-run", is_flag=True, help="Say what would be measured, and stop.")
PLUGINS = click.option(
    "--allow-plugins", is_flag=True, help="Let the packages that the manifest names run their code."
)
FORMATS = click.option(
    "--format",
    "formats",
    metavar="LIST",
    help="Any of html,pdf,md,json [default: the manifest's, else html,pdf].",
)
SECTIONS = click.option(
    "--sections", metavar="LIST", help="Only these sections, such as eda,inference."
)


def verb(function: Callable[..., None]) -> Callable[..., None]:
    """Give a verb what all verbs have: verbosity, debugging, errors as exit codes."""

    def command(verbose: int, quiet: bool, debug: bool, **arguments: Any) -> None:
        import logging

        _log_to_stderr(logging.ERROR if quiet else logging.DEBUG if verbose else logging.INFO)
        try:
            function(**arguments)
        except ReportgenError as error:
            if debug:
                raise
            click.echo(f"reportgen: {error}", err=True)
            sys.exit(error.exit_code)
        except BrokenPipeError:
            os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        except OSError as error:  # a full disk, a folder that may not be written
            if debug:
                raise
            click.echo(f"reportgen: {error}", err=True)
            sys.exit(ReportgenError.exit_code)
        except KeyboardInterrupt:
            click.echo("reportgen: interrupted; what was measured is kept", err=True)
            sys.exit(INTERRUPTED)

    command.__name__ = function.__name__
    command.__doc__ = function.__doc__
    command.__click_params__ = getattr(function, "__click_params__", [])  # type: ignore[attr-defined]
    for option in (
        click.option("-v", "--verbose", count=True, help="Say more."),
        click.option("-q", "--quiet", is_flag=True, help="Say nothing but errors."),
        click.option("--debug", is_flag=True, help="Show the traceback of an error."),
    ):
        command = option(command)
    return command


@click.group(context_settings={"help_option_names": ["-h", "--help"]})
@click.version_option(__version__, message="reportgen %(version)s")
def main() -> None:
    """Turn one study manifest into a benchmark study one can publish.

    \b
    Example:
      reportgen run studies/quickstart.yaml
    """


@main.command()
@verb
@STUDY
@OUTPUT
@JOBS
@FORMATS
@SECTIONS
@FRESH
@DRY
@SETTINGS
@PLUGINS
def run(
    study: Path,
    output: Path,
    jobs: int | None,
    formats: str | None,
    sections: str | None,
    fresh: bool,
    dry_run: bool,
    settings: tuple[str, ...],
    allow_plugins: bool,
) -> None:
    """Execute what is missing, analyse, render.

    STUDY is a manifest, or a file of results (CSV, Parquet) for a report with
    all defaults.

    \b
    Examples:
      reportgen run studies/quickstart.yaml
      reportgen run results.csv --format html --set 'analysis.relevance={error: [-0.01, 0.01]}'
    """
    from reportgen import pipeline

    job = pipeline.open_job(study, output, settings, allow_plugins=allow_plugins)
    if dry_run:
        click.echo(pipeline.describe(job))
        return
    with _progress() as progress:
        warehouse, origin = pipeline.measure(job, jobs=jobs, fresh=fresh, progress=progress)
    _report(job, warehouse, origin, formats, sections)


@main.command()
@verb
@STUDY
@OUTPUT
@JOBS
@FRESH
@DRY
@SETTINGS
@PLUGINS
def execute(
    study: Path,
    output: Path,
    jobs: int | None,
    fresh: bool,
    dry_run: bool,
    settings: tuple[str, ...],
    allow_plugins: bool,
) -> None:
    """Execute what is missing and store it; the first half of `run`.

    \b
    Example:
      reportgen execute studies/quickstart.yaml --jobs 4
    """
    from reportgen import pipeline

    job = pipeline.open_job(study, output, settings, allow_plugins=allow_plugins)
    if dry_run:
        click.echo(pipeline.describe(job))
        return
    with _progress() as progress:
        pipeline.measure(job, jobs=jobs, fresh=fresh, progress=progress)
    click.echo(job.warehouse_folder)


@main.command()
@verb
@STUDY
@OUTPUT
@FORMATS
@SECTIONS
@SETTINGS
@PLUGINS
def report(
    study: Path,
    output: Path,
    formats: str | None,
    sections: str | None,
    settings: tuple[str, ...],
    allow_plugins: bool,
) -> None:
    """Analyse and render what is stored; the second half of `run`.

    \b
    Example:
      reportgen report studies/quickstart.yaml --format html
    """
    from reportgen import pipeline

    job = pipeline.open_job(study, output, settings, allow_plugins=allow_plugins)
    warehouse, origin = pipeline.stored(job)
    _report(job, warehouse, origin, formats, sections)


@main.command()
@verb
@STUDY
@OUTPUT
@SETTINGS
@PLUGINS
def check(study: Path, output: Path, settings: tuple[str, ...], allow_plugins: bool) -> None:
    """Read the manifest, resolve every name, print the design.

    \b
    Example:
      reportgen check studies/quickstart.yaml
    """
    from reportgen import pipeline

    click.echo(
        pipeline.describe(pipeline.open_job(study, output, settings, allow_plugins=allow_plugins))
    )


def _report(
    job: Job, warehouse: Any, origin: Any, formats: str | None, sections: str | None
) -> None:
    """Analyse, render and print what was written where."""
    from reportgen import pipeline

    found = pipeline.analyse(job, warehouse, origin, sections=_listed(sections))
    click.echo(pipeline.summary(found.design))
    for path in pipeline.render(job, found, _listed(formats)):
        click.echo(path)


def _listed(text: str | None) -> tuple[str, ...] | None:
    """Split a comma-separated list; None where nothing was given."""
    return None if text is None else tuple(part.strip() for part in text.split(",") if part.strip())


def _log_to_stderr(level: int) -> None:
    """Send the program's own log to standard error, a line a record."""
    import logging

    log = logging.getLogger("reportgen")
    log.setLevel(level)
    if not log.handlers:
        handler = logging.StreamHandler()
        handler.setFormatter(logging.Formatter("%(message)s"))
        log.addHandler(handler)
        log.propagate = False


def _progress() -> Any:
    """Return a live bar on a terminal, and nothing anywhere else."""
    import logging
    from contextlib import nullcontext

    plain = not sys.stderr.isatty() or {"NO_COLOR", "CI"} & set(os.environ)
    quiet = logging.getLogger("reportgen").level > logging.INFO
    if plain or quiet:
        return nullcontext(None)
    from reportgen.progress import bar

    return bar()


if __name__ == "__main__":
    main(prog_name="reportgen")
