"""The command line: a function a verb. Each verb imports what it needs when it runs."""

from __future__ import annotations

import re
from collections.abc import Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING

import click

from reportgen.cli.bench import bench
from reportgen.cli.comparison import diff, history
from reportgen.cli.gate import end_by, gate
from reportgen.cli.options import (
    BETTER,
    CLEAN,
    CLUSTER,
    COLUMNS,
    DRY,
    EPOCH,
    FORMATS,
    FRESH,
    ITEM,
    JOBS,
    LAYOUT,
    LENGTH,
    LISTED,
    MEASURE,
    OUTPUT,
    PLUGINS,
    REPLICATION,
    RETRY,
    SECTIONS,
    SETTINGS,
    STUDY,
    TEMPLATES,
    ReadOption,
    as_path,
    as_paths,
    completing,
    is_given,
    say,
    split_list,
    verb,
)
from reportgen.cli.plan import plan
from reportgen.cli.publication import bundle, quarto_extension, site, verify
from reportgen.formats import EXPORTS, in_words
from reportgen.version import __version__

if TYPE_CHECKING:
    from pathlib import Path

    from reportgen.api.study import BenchmarkStudy
    from reportgen.study.schema import HtmlForm

# ruff: noqa: D301 - the backspace that click reads as "keep these lines" is meant


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
@EPOCH
def import_(
    files: tuple[Path, ...],
    output: Path,
    kind: str | None,
    measure: str | None,
    better: tuple[str, ...],
    columns: tuple[str, ...],
    item: str,
    replication: str | None,
    epoch: str | None,
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
    from reportgen import transfer

    reading = transfer.make_reading(kind, measure, better, columns, item, replication, epoch)
    say(transfer.import_files(files, output, reading))
    say(output)


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
    **LISTED,
    default=[",".join(EXPORTS)],
    show_default=True,
    shell_complete=completing(lambda: EXPORTS),
    help=f"{in_words('export')}.",
)
@SETTINGS
@PLUGINS
@TEMPLATES
def export(
    study: Path,
    output: Path,
    folder: Path | None,
    formats: tuple[str, ...],
    settings: tuple[str, ...],
    allow_plugins: bool,
    allow_templates: bool,
) -> None:
    """Write what is stored for other programs: performances, every table, what a paper takes.

    STUDY may be the folder of a run, or a file that `bundle` has written.

    \b
    Examples:
      reportgen export studies/quickstart.yaml --format csv
      reportgen export output/quickstart --format latex --to paper/
    """
    from reportgen import transfer
    from reportgen.api.archive import is_archive
    from reportgen.api.stored_run import stored_run

    names = transfer.checked_formats(formats)
    with stored_run(
        study, output, settings, allow_plugins=allow_plugins, allow_templates=allow_templates
    ) as run:
        own = study.with_suffix("") if is_archive(study) else run.folder
        to = own / "export" if folder is None else folder
        measured = run.job, run.warehouse, run.origin
        for path in transfer.export(*measured, to, names):
            say(path)


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
    """Recommend a candidate for a data set of your own.

    RUN is the folder of a run with the section psychoanalysis; DATASET a file
    of data. The tree of worths shows which were best on data sets like it.

    \b
    Examples:
      reportgen predict output/classics mine.csv --target y
      reportgen predict output/classics --characteristic i2r.fcc=0.7
    """
    from reportgen.errors import StudyError
    from reportgen.prediction import NewData, advise
    from reportgen.study.errors import shown

    given = {}
    for text in characteristics:
        name, equals, value = text.partition("=")
        if not equals or not name.strip():
            raise StudyError(f"--characteristic: found {shown(text)}; allowed NAME=VALUE")
        given[name.strip()] = value.strip()
    columns = split_list(drop) or (), split_list(categorical) or ()
    data = NewData(dataset, target, task, *columns, given)
    say(advise(run, data, measure, plugins))


class Verbs(click.Group):
    """Verbs whose refusals repeat the beginning of a word of great length."""

    def parse_args(self, ctx: click.Context, args: list[str]) -> list[str]:
        """Refuse options that the program does not have."""
        with _short_words():
            return super().parse_args(ctx, args)

    def invoke(self, ctx: click.Context) -> object:
        """Refuse words that a verb does not take, or do what it does."""
        with _short_words():
            return super().invoke(ctx)


@contextmanager
def _short_words() -> Iterator[None]:
    """Cut the words of a refusal of click."""
    try:
        yield
    except click.UsageError as error:
        told = error.format_message()
        short = re.sub(r"(\S{60})\S{200,}", r"\1…", told)
        if short == told:
            raise
        raise click.UsageError(short, error.ctx) from None


@click.group(cls=Verbs, context_settings={"help_option_names": ["-h", "--help"]})
@click.version_option(__version__, message="reportgen %(version)s")
def main() -> None:
    """Turn one study manifest into a benchmark study one can publish.

    \b
    Examples:
      reportgen run results.csv
      reportgen init my-study --example quickstart
      reportgen run my-study/study.yaml
    """


@main.command()
@verb
@STUDY
@OUTPUT
@JOBS
@CLUSTER
@FORMATS
@LENGTH
@LAYOUT
@CLEAN
@SECTIONS
@FRESH
@RETRY
@DRY
@SETTINGS
@PLUGINS
@TEMPLATES
def run(
    study: Path,
    output: Path,
    jobs: int | None,
    cluster: str | None,
    formats: tuple[str, ...] | None,
    length: str | None,
    layout: HtmlForm | None,
    clean: bool,
    sections: tuple[str, ...] | None,
    fresh: bool,
    retry_failed: bool,
    dry_run: bool,
    settings: tuple[str, ...],
    allow_plugins: bool,
    allow_templates: bool,
) -> None:
    """Execute what is missing, analyse, render.

    STUDY is a manifest, or a file of results (CSV, Parquet, JSON, RData; tidy,
    or of a program that `import` knows) for a report with all defaults.

    \b
    Examples:
      reportgen run studies/quickstart.yaml
      reportgen run results.csv --format html --set 'analysis.relevance={error: [-0.01, 0.01]}'
    """
    from reportgen import pipeline
    from reportgen.api.study import BenchmarkStudy
    from reportgen.progress import live_progress

    job = pipeline.open_job(
        study,
        output,
        _with_length(settings, length),
        allow_plugins=allow_plugins,
        allow_templates=allow_templates,
    )
    pipeline.check_names(job, formats, sections)
    if dry_run:
        from reportgen import preview

        again = {"fresh": fresh, "retry_failed": retry_failed}
        say(preview.describe(job, jobs=jobs, sections=sections, **again))
        return
    if cluster is not None:
        pipeline.check_cluster(cluster)
    if job.study.results:  # fits have workers of their own
        pipeline.warm_up(job, formats, sections, jobs=jobs)
    with live_progress() as progress:
        measured = pipeline.measure(
            job,
            jobs=jobs,
            cluster=cluster,
            fresh=fresh,
            retry_failed=retry_failed,
            progress=progress,
            sections=sections,
        )
    found = BenchmarkStudy(job, *measured)
    _report(found, formats, sections, jobs, cluster, layout, clean=clean)
    _hold(found)


@main.command()
@verb
@STUDY
@OUTPUT
@JOBS
@CLUSTER
@FRESH
@RETRY
@DRY
@SETTINGS
@PLUGINS
def execute(
    study: Path,
    output: Path,
    jobs: int | None,
    cluster: str | None,
    fresh: bool,
    retry_failed: bool,
    dry_run: bool,
    settings: tuple[str, ...],
    allow_plugins: bool,
) -> None:
    """Execute what is missing and store it; the first half of `run`.

    \b
    Examples:
      reportgen execute studies/quickstart.yaml --jobs 4
      reportgen execute studies/quickstart.yaml --cluster tcp://192.0.2.7:8786
    """
    from reportgen import pipeline
    from reportgen.progress import live_progress

    job = pipeline.open_job(study, output, settings, allow_plugins=allow_plugins)
    if dry_run:
        from reportgen import preview

        say(preview.describe(job, jobs=jobs, fresh=fresh, retry_failed=retry_failed))
        return
    with live_progress() as progress:
        pipeline.measure(
            job,
            jobs=jobs,
            cluster=cluster,
            fresh=fresh,
            retry_failed=retry_failed,
            progress=progress,
        )
    say(job.warehouse_folder)


@main.command()
@verb
@STUDY
@OUTPUT
@JOBS
@CLUSTER
@FORMATS
@LENGTH
@LAYOUT
@CLEAN
@SECTIONS
@SETTINGS
@PLUGINS
@TEMPLATES
def report(
    study: Path,
    output: Path,
    jobs: int | None,
    cluster: str | None,
    formats: tuple[str, ...] | None,
    length: str | None,
    layout: HtmlForm | None,
    clean: bool,
    sections: tuple[str, ...] | None,
    settings: tuple[str, ...],
    allow_plugins: bool,
    allow_templates: bool,
) -> None:
    """Analyse and render what is stored; the second half of `run`.

    STUDY may be the folder of a run, or a file that `bundle` has written: it needs no data.

    \b
    Examples:
      reportgen report studies/quickstart.yaml --format html
      reportgen report output/quickstart --set analysis.alpha=0.01 -o elsewhere
      reportgen report quickstart.zip -o elsewhere
    """
    from reportgen import pipeline
    from reportgen.api.archive import is_archive, is_run, load_study
    from reportgen.api.study import BenchmarkStudy

    own = _with_length(settings, length)
    if is_run(study) or is_archive(study):
        elsewhere = output if is_given("output") or not is_run(study) else None
        stored = load_study(
            study,
            own,
            output=elsewhere,
            allow_plugins=allow_plugins,
            allow_templates=allow_templates,
        )
        if own and elsewhere is None:
            say(
                f"reportgen: {study}: the report becomes one with {', '.join(own)}; what was "
                "measured stays, and -o writes elsewhere",
                is_error=True,
            )
    else:
        job = pipeline.open_job(
            study, output, own, allow_plugins=allow_plugins, allow_templates=allow_templates
        )
        pipeline.check_names(job, formats, sections)
        pipeline.warm_up(job, formats, sections, jobs=jobs)
        stored = BenchmarkStudy(job, *pipeline.read_stored(job))
    _report(stored, formats, sections, jobs, cluster, layout, clean=clean)


@main.command()
@verb
@STUDY
@OUTPUT
@JOBS
@click.option("--probe", is_flag=True, help="Time one fit of every candidate on every data set.")
@SETTINGS
@PLUGINS
def check(
    study: Path,
    output: Path,
    jobs: int | None,
    probe: bool,
    settings: tuple[str, ...],
    allow_plugins: bool,
) -> None:
    """Read the manifest, resolve every name, print the design.

    The fits of a probe are kept: `run` finds them done.

    \b
    Examples:
      reportgen check studies/quickstart.yaml
      reportgen check studies/monks3.yaml --probe
    """
    from reportgen import pipeline, preview
    from reportgen.progress import live_progress

    job = pipeline.open_job(study, output, settings, allow_plugins=allow_plugins)
    pipeline.check_layout(job.study)
    say(preview.describe(job, jobs=jobs))
    if probe:
        with live_progress() as progress:
            say(preview.time_fits(job, jobs=jobs, progress=progress))


def _examples() -> list[str]:
    from reportgen.manifest_draft import example_names

    return example_names()


@main.command()
@verb
@click.argument("folder", type=click.Path(), callback=as_path)
@click.option(
    "--from",
    "results",
    cls=ReadOption,
    type=click.Path(),
    callback=as_path,
    help="A file of results that exist (CSV, Parquet, JSON, RData), or a folder of aeon's.",
)
@click.option(
    "--example",
    metavar="NAME",
    shell_complete=completing(_examples),
    help="A study that comes along: quickstart, cars, monks3-quick, monks3, classics, "
    "classics-adaptive, three-scenarios, toy-separability, sensitivity, resampling-effect, "
    "assistants, assistants-battles, battles, battles-looks, families, pilot, processes, "
    "prompts, new-method, skeletons, variation.",
)
@MEASURE
@COLUMNS
@ITEM
@BETTER
@REPLICATION
@EPOCH
def init(
    folder: Path,
    results: Path | None,
    example: str | None,
    measure: str | None,
    columns: tuple[str, ...],
    item: str,
    better: tuple[str, ...],
    replication: str | None,
    epoch: str | None,
) -> None:
    """Write a commented manifest to start from.

    \b
    Examples:
      reportgen init my-study
      reportgen init my-study --example quickstart
      reportgen init my-study --from results.csv
      reportgen init my-study --from results.csv --column candidate=variant
    """
    from reportgen import pipeline, transfer
    from reportgen.errors import StudyError
    from reportgen.manifest_draft import write_draft, write_example

    how = transfer.make_reading(None, measure, better, columns, item, replication, epoch)
    if example is None:
        written = write_draft(folder, pipeline.schema(), results, how)
    elif results is None and how == type(how)():
        written = write_example(folder, pipeline.schema(), example)
    else:
        raise StudyError("--example: found also results, or how to read them; allowed alone")
    for path in written:
        say(path)


@main.command()
@verb
@click.option(
    "-o", "--output", type=click.Path(), callback=as_path, help="Write to a file instead."
)
def schema(output: Path | None) -> None:
    """Print the manifest's JSON Schema.

    \b
    Example:
      reportgen schema -o manifest.schema.json
    """
    from reportgen import pipeline
    from reportgen.file_writing import write_text

    text = pipeline.schema()
    if output is None:
        say(text, ends_line=False)
        return
    write_text(output, text)
    say(output)


main.add_command(import_)
main.add_command(export)
main.add_command(predict)
main.add_command(diff)
main.add_command(history)
main.add_command(verify)
main.add_command(bundle)
main.add_command(site)
main.add_command(quarto_extension)
main.add_command(gate)
main.add_command(bench)
main.add_command(plan)


def _with_length(settings: tuple[str, ...], length: str | None) -> tuple[str, ...]:
    """Let the option overrule the manifest, as --set does."""
    return settings if length is None else (*settings, f"report.length={length}")


def _report(
    study: BenchmarkStudy,
    formats: tuple[str, ...] | None,
    sections: tuple[str, ...] | None,
    jobs: int | None,
    cluster: str | None,
    layout: HtmlForm | None,
    *,
    clean: bool,
) -> None:
    """Write the report, and print its size and its files."""
    files = study.report(
        formats=formats,
        layout=layout,
        sections=sections,
        jobs=jobs,
        cluster=cluster,
        clean=clean,
    )
    say(study.size)
    for path in files:
        say(path)


def _hold(study: BenchmarkStudy) -> None:
    """Print how the expectations of a study come out, and end by them."""
    if study.expects:
        found = study.gate()
        say(found)
        end_by(len(found.result.stopping))
