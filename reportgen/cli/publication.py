"""The verbs `verify`, `bundle`, `site` and `quarto-extension`: what others believe, get, find."""

from __future__ import annotations

from typing import TYPE_CHECKING

import click

from reportgen.cli.options import (
    JOBS,
    OUTPUT,
    PARENT,
    PLUGINS,
    RUN,
    SETTINGS,
    TEMPLATES,
    Number,
    as_path,
    refuse_writing_over,
    refuse_writing_over_job,
    say,
    verb,
)

if TYPE_CHECKING:
    from pathlib import Path

    from reportgen.study.schema import HtmlForm

# ruff: noqa: D301 - the backspace that click reads as "keep these lines" is meant


@click.command()
@verb
@RUN
@OUTPUT
@click.option(
    "--refit",
    type=Number(0, 1),
    default=0,
    show_default=True,
    metavar="SHARE",
    help="Do this share of the fits again, such as 0.1.",
)
@click.option("--seed", type=int, default=1, show_default=True, help="Of the choice of fits.")
@JOBS
@SETTINGS
@PLUGINS
@TEMPLATES
def verify(
    run: Path,
    output: Path,
    refit: float,
    seed: int,
    jobs: int | None,
    settings: tuple[str, ...],
    allow_plugins: bool,
    allow_templates: bool,
) -> None:
    """Compare a report with what its warehouse gives, byte by byte, and fits with second ones.

    RUN is the folder of a run, a bundle, or a study, which has its data and its theme. The exit
    code is 1 where something differs.

    \b
    Examples:
      reportgen verify output/quickstart
      reportgen verify studies/quickstart.yaml --refit 0.1
    """
    from reportgen.api import verification
    from reportgen.api.stored_run import stored_run
    from reportgen.progress import live_progress

    leave = {"allow_plugins": allow_plugins, "allow_templates": allow_templates}
    with stored_run(run, output, settings, **leave) as stored:
        report = verification.verify_report(stored, jobs=jobs)
        say(verification.describe_report(report))
        changes: list[object] = [*report.changes]
        if refit:
            with live_progress() as progress:
                fits = verification.verify_fits(
                    stored, refit, seed=seed, jobs=jobs, progress=progress
                )
            say(verification.describe_fits(fits))
            changes += fits.changes
        environment = verification.environment_changes(stored.origin)
        say(verification.describe_environment(environment))
    if changes:
        click.get_current_context().exit(1)


@click.command()
@verb
@RUN
@PARENT
@click.option(
    "-o",
    "--to",
    "file",
    type=click.Path(),
    callback=as_path,
    help="The zip file to write [default: the study's name].",
)
def bundle(run: Path, output: Path, file: Path | None) -> None:
    """Write report, warehouse, manifest and provenance into one file to send.

    `reportgen report FILE` and `reportgen.load` read it; the study's data are not in it.

    \b
    Examples:
      reportgen bundle output/quickstart
      reportgen bundle studies/quickstart.yaml -o sent/quickstart.zip
    """
    from pathlib import Path

    from reportgen.api.bundle import write_bundle
    from reportgen.api.stored_run import stored_run

    with stored_run(run, output) as stored:
        destination = file or Path(f"{stored.job.study.name}.zip")
        click.get_current_context().params["file"] = destination
        refuse_writing_over([run])
        refuse_writing_over_job(stored.job)
        say(write_bundle(stored, destination))


@click.command()
@verb
@click.argument("output", type=click.Path(), callback=as_path)
@click.option(
    "-o",
    "--to",
    "folder",
    type=click.Path(),
    callback=as_path,
    default="public",
    show_default=True,
    help="Folder to write to.",
)
@click.option("--title", help="Of the page [default: Benchmark studies].")
@click.option(
    "--layout",
    "form",
    type=click.Choice(["file", "folder"]),
    default="file",
    show_default=True,
    help="The page of the list as one file; or with its style beside it and without a script.",
)
@click.option(
    "--link",
    "links",
    multiple=True,
    metavar="WORDS=FILE",
    help="A further page in the folder, such as History=history/history.html. Repeatable.",
)
def site(
    output: Path, folder: Path, title: str | None, form: HtmlForm, links: tuple[str, ...]
) -> None:
    """Write a static page of all studies whose runs are in a folder, with their reports.

    It is ready for GitHub Pages, GitLab Pages and any web server.

    \b
    Examples:
      reportgen site output
      reportgen site output -o public --title 'Nightly benchmarks'
    """
    from reportgen.rendering.site import TITLE, write_site

    further = dict(_link(text) for text in links)
    index, n_studies = write_site(output, folder, title=title or TITLE, form=form, links=further)
    say(f"{n_studies} {'study' if n_studies == 1 else 'studies'}")
    say(index)


@click.command("quarto-extension")
@verb
@click.argument("folder", type=click.Path(), callback=as_path)
@click.option(
    "--starter",
    is_flag=True,
    help="Also write a manuscript to begin with, whose results follow its run.",
)
def quarto_extension(folder: Path, starter: bool) -> None:
    """Write the extension by which documents of Quarto take numbers, tables and figures of a run.

    FOLDER is that of the documents or of their project. An extension that is there is replaced.

    \b
    Examples:
      reportgen quarto-extension .
      reportgen quarto-extension paper --starter
    """
    from reportgen.rendering.quarto_extension import write_extension

    for path in write_extension(folder, starter=starter):
        say(path)


def _link(text: str) -> tuple[str, str]:
    """Split `words=file`."""
    from reportgen.errors import StudyError
    from reportgen.study.errors import shown

    words, equals, file = text.partition("=")
    if not equals or not words.strip() or not file.strip():
        raise StudyError(f"--link: found {shown(text)}; allowed WORDS=FILE")
    return words.strip(), file.strip()
