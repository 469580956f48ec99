"""The preview of a study: its design, its sections and what it will cost."""

from __future__ import annotations

import textwrap
from collections import Counter
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING

import pandas as pd

from reportgen.cost import START, Shape, expected_bytes, expected_seconds, is_measured, uncounted
from reportgen.design import design_of
from reportgen.exchange.odd_values import WORDS as ODD_VALUES
from reportgen.exchange.spreads import MEANS_ALONE
from reportgen.exchange.tidy import study_results
from reportgen.formats import with_required as with_formats
from reportgen.notation import whole_range
from reportgen.performance_measure import BetterSource, Measure
from reportgen.pipeline import Job, check_study_names, shape_of, sizes, summary
from reportgen.progress import Advance, in_words, stage
from reportgen.report import Design
from reportgen.section_runner import chosen_sections, with_required
from reportgen.sections.base import OF_VALUES, Section
from reportgen.study.errors import Fault, shown
from reportgen.study.families import BY_FAMILY, EQUAL, FAMILY, GIVEN, WEIGHTING
from reportgen.study.manifest import Study
from reportgen.units import Unit
from reportgen.warehouse import CHARACTERISED, Warehouse

if TYPE_CHECKING:
    from reportgen.catalogue.candidates.candidate import Candidate
    from reportgen.catalogue.datasets.dataset import DataSet
    from reportgen.execution.outcome import Cell, Outcome
    from reportgen.study.setup import Setup

SOURCE_WORDS: Mapping[BetterSource, str] = {
    "": "",
    "catalogue": "as the catalogue says",
    "command-line": "as the command line says",
    "file": "as the file says",
    "manifest": "as the manifest says",
    "name": "as its name says",
    "package": "as its package says",
}
"""By whose word values are better."""
INDENT = "    "  # of what belongs to the line above
WIDTH = 96  # columns of the terminal that lines keep to, where their words can be parted
MOST_DEAR = 3  # stages that are named as expensive
DEAR = 0.1  # share of the whole from which a stage is
MOST_NAMES = 24  # that a line lists
LABEL = 20  # characters of a candidate's name in a table on the terminal


def sections_line(
    study: Study,
    sections: Mapping[str, Section],
    known: Warehouse | Setup,
    names: Sequence[str] | None = None,
) -> str:
    """List the sections of a report, and what those that are not chosen by themselves want.

    `sections`: every section there is.
    `known`: the results; or what is to be executed.
    `names`: the sections that the command line asks for.
    Result: A line of those there are, and one for each that is not.
    """
    if isinstance(known, Warehouse):
        most = least = known
    else:
        most, least = make_expected_warehouse(known), make_expected_warehouse(known, fewest=True)
    chosen = _listed_names(study, sections, most, names)
    certain = _listed_names(study, sections, least, names)
    line = f"sections: {', '.join(certain) or 'none'}"
    if open_ := [name for name in chosen if name not in certain]:
        line += f"\nafter enough stages: {', '.join(open_)}"
    if most.is_table:
        return line
    is_asked = names is not None or study.sections is not None
    left = [
        _wanting(section, most.unit)
        for name, section in sections.items()
        if ((name in chosen and not section.applies(most)) if is_asked else name not in chosen)
    ]
    head = "asked for, and without a result:" if is_asked else "left out:"
    return "\n".join([line, head, *left]) if left else line


def cost_line(job: Job, known: Warehouse, shape: Shape, names: Sequence[str] | None = None) -> str:
    """Say what analysis and report will cost, and what of it is expensive.

    `known`: the results; or the names of what is to be executed.
    `names`: the sections that the command line asks for.
    """
    shown = _listed_names(job.study, job.sections, known, names)
    own = with_required(shown, job.sections)
    formats = with_formats({*job.study.report.formats, "json"})
    seconds = expected_seconds(shape, own, formats, shown)
    total = sum(seconds.values())
    stages = [name for name in seconds if name != START]  # which nobody can spare
    dear = sorted(stages, key=lambda name: -seconds[name])[:MOST_DEAR]
    listed = [f"{n} {in_words(seconds[n])}" for n in dear if seconds[n] >= DEAR * total]
    how = "within a factor of two" if is_measured(shape) else "a guess: more than was measured"
    memory = expected_bytes(shape, own, formats)
    line = (
        f"report: about {in_words(total)} on one core and {memory / 1e9:.1f} GB "
        f"({how}); expensive: {', '.join(listed)}"
    )
    left = uncounted(own)
    return f"{line}; not counted: {', '.join(left)}" if left else line


def _listed_names(
    study: Study, sections: Mapping[str, Section], known: Warehouse, names: Sequence[str] | None
) -> list[str]:
    return [choice.name for choice in chosen_sections(study, sections, known, names)]


def _wanting(section: Section, unit: Unit) -> str:
    """Say what a section lacks: another unit, or what it wants of any."""
    wants = f": wants {section.wants}" if section.wants else ""
    if unit.is_contest and section.units == OF_VALUES:
        wants = ": wants values that a candidate has by itself"
    return f"{INDENT}{section.name}{wants}"


def make_expected_warehouse(setup: Setup, *, fewest: bool = False) -> Warehouse:
    """Return a warehouse of the names and numbers that an execution will have, without values.

    `fewest`: whether replications in stages end with the first stage.
    """
    stages = setup.resampling.stages
    counts = {d.name: setup.resampling_of(d.name).replications for d in setup.datasets}
    if stages and fewest:
        counts = {name: min(stages.size, n) for name, n in counts.items()}
    first, *others = [candidate.name for candidate in setup.candidates]
    cells = [(name, b, first) for name, n in counts.items() for b in range(1, n + 1)]
    cells += [(next(iter(counts)), 1, other) for other in others]
    frame = pd.DataFrame(cells, columns=["dataset", "replication", "candidate"])
    facts = {d.name: {"setting": d.setting.described()} for d in setup.datasets if d.setting}
    characteristics = pd.DataFrame(columns=[*CHARACTERISED, *setup.characterised.names])
    if setup.characterised.names:
        characteristics["dataset"] = list(counts)
    return Warehouse.of(
        frame.assign(measure=setup.measures[0].name, value=0.0),
        [measure.measure for measure in setup.measures],
        datasets=counts,
        candidates=[first, *others],
        facts=facts,
        characteristics=characteristics,
    )


def describe(
    job: Job,
    *,
    jobs: int | None = None,
    fresh: bool = False,
    retry_failed: bool = False,
    sections: Sequence[str] | None = None,
) -> str:
    """Describe in a few lines the study, and what of it is still to be measured.

    `jobs`: workers, in place of the manifest's.
    `fresh`, `retry_failed`: whether what was measured, or what failed, counts as missing.
    `sections`: the report's sections, in place of the manifest's.
    """
    study = job.study
    if study.results:
        warehouse = study_results(study)
        check_study_names(study, warehouse)
        design = design_of(study, warehouse)
        return _wrap(
            f"{study.path.name}: {summary(design)}\n{_drawn(design.resampling, study.seed)}\n"
            f"{'' if design.is_table else _read_as(design)}"
            f"{_families(warehouse.facts, warehouse.datasets)}"
            f"{sections_line(study, job.sections, warehouse, sections)}\n"
            f"{cost_line(job, warehouse, shape_of(warehouse), sections)}"
        )
    from reportgen.execution.runner import local_executor, plan_execution
    from reportgen.study.setup import make_setup

    setup = make_setup(study, allow_plugins=job.allow_plugins)
    size = setup.size
    folder, executor = None if fresh else job.warehouse_folder, local_executor(setup, jobs)
    missing = plan_execution(setup, folder, executor, retry_failed=retry_failed).missing
    most = "at most " if setup.resampling.stages else ""
    replications: int | str = f"{most}{size.n_replications}" if most else size.n_replications
    fewest = min((r.replications for r in setup.own.values()), default=size.n_replications)
    if fewest < size.n_replications:
        replications = f"{fewest} to {size.n_replications}"
    numbers = (size.n_datasets, replications, size.n_candidates, size.n_measures)
    more = " in this stage" if most and missing else ""
    n_values = size.n_fits * size.n_measures
    shape = Shape(size.n_datasets, size.n_candidates, size.n_measures, n_values)
    return _wrap(
        f"{study.path.name}: {sizes(*numbers)}\n"
        f"{most}{size.n_fits:,} fits, about {_bytes(size.disk_bytes)}; "
        f"{len(missing):,} fits to run{more}"
        f"{_with_refits(missing, setup.candidates)}"
        f"{_by_candidate(missing, size.n_fits)}\n"
        f"problem: {setup.problem}\n"
        f"{_all_drawn(setup)}\n"
        f"{_in_processes(setup)}"
        f"{_names('data sets', [_describe_size(d) for d in setup.datasets])}\n"
        f"{_families(setup.families, [d.name for d in setup.datasets])}"
        f"{_names('candidates', [c.name for c in setup.candidates])}\n"
        f"{_names('measures', [_describe_direction(m.measure) for m in setup.measures])}\n"
        f"{sections_line(study, job.sections, setup, sections)}\n"
        f"{cost_line(job, make_expected_warehouse(setup), shape, sections)}"
    )


def _families(facts: Mapping[str, Mapping[str, object]], datasets: Sequence[str]) -> str:
    """Say in a line which data sets belong together, and how much each counts."""
    family = {d: str(facts.get(d, {}).get(FAMILY, "")) for d in datasets}
    counts = Counter(name for name in family.values() if name)
    kinds = {str(facts.get(d, {}).get(WEIGHTING, EQUAL)) for d in datasets}
    weighting = kinds.pop() if len(kinds) == 1 else EQUAL
    if not counts and weighting == EQUAL:
        return ""
    words = {
        EQUAL: "every data set counts alike",
        BY_FAMILY: "every family counts alike",
        GIVEN: "data sets have weights",
    }
    how = words.get(weighting) or f"data sets are weighted by {shown(weighting)}"
    n_alone = sum(not name for name in family.values())
    word = "data set" if n_alone == 1 else "data sets"
    alone = [f"{n_alone} {word} without one"] if n_alone and counts else []
    return f"{_names('families', [f'{n} ({k})' for n, k in counts.items()] + alone)}; {how}\n"


def _wrap(text: str) -> str:
    """Break long lines between words; what goes on is indented."""
    return "\n".join(
        textwrap.fill(
            line,
            WIDTH,
            subsequent_indent=INDENT * (2 if line.startswith(INDENT) else 1),
            break_long_words=False,
            break_on_hyphens=False,
        )
        for line in text.splitlines()
    )


def time_fits(job: Job, *, jobs: int | None = None, progress: Advance | None = None) -> str:
    """Do the first replication's fits, and estimate in a table what all of them will take.

    Raises StudyError if the study has results, which are not executed, or a measure fails in every
    fit.
    """
    from reportgen.execution.runner import local_executor, probe
    from reportgen.study.setup import make_setup

    setup = make_setup(job.study, allow_plugins=job.allow_plugins)
    executor = local_executor(setup, jobs)
    with stage("probe"):
        found = probe(setup, job.warehouse_folder, executor, progress)
    faults = [
        Fault(
            ("measures", i),
            f"a measure that failed in every fit of the probe: {found.unmeasured[measure.name]}",
            "a measure that has a value for some candidate",
        )
        for i, measure in enumerate(setup.measures)
        if measure.name in found.unmeasured
    ]
    if faults:
        raise job.study.source.error(faults)
    width = max(len(cell.dataset) for cell in found.outcomes)
    lines = [
        f"{cell.dataset:<{width}}  {cell.candidate:<{LABEL}}  {_probe_words(outcome)}"
        for cell, outcome in found.outcomes.items()
    ]
    seconds = found.seconds_left / executor.n_workers
    lines.append(
        f"{found.n_missing:,} fits are left: about {_duration(found.seconds_left)} one after the "
        f"other, {_duration(seconds)} with {executor.n_workers} workers"
    )
    return "\n".join(lines)


def _all_drawn(setup: Setup) -> str:
    """Describe how samples are drawn, which may be in several ways."""
    ways = {r.label: r for r in setup.own.values()}
    if not ways:
        return _drawn(setup.resampling.described(), setup.seed)
    return "\n".join(
        f"{_drawn(way.described(), setup.seed)}; {way.replications} replications"
        for way in ways.values()
    )


def _in_processes(setup: Setup) -> str:
    """Say in a line in how many processes fits are timed, and whether these are too few."""
    n = setup.execution.processes
    if n is None:
        return ""
    from reportgen.stats.pairs.paired_max_t import FEWEST_UNITS

    runs = sorted({setup.runs_of_process(dataset.name) for dataset in setup.datasets})
    few = "" if n >= FEWEST_UNITS else f"; fewer than {FEWEST_UNITS} decide nothing"
    return (
        f"times, memory and sizes: {n} processes of {whole_range(runs[0], runs[-1])} fits, of each "
        f"candidate in turn{few}\n"
    )


def _drawn(resampling: Mapping[str, object], seed: int) -> str:
    """Describe how samples are drawn, and from which random numbers."""
    scheme = str(resampling.get("scheme", "unknown"))
    if isinstance(fraction := resampling.get("fraction"), float):
        scheme += f", a share of {fraction:.3g} to learn from"
    if isinstance(folds := resampling.get("folds"), int):
        scheme += f", {folds} folds"
    if resampling.get("repeats"):
        scheme += f", {resampling['repeats']} times"
    if resampling.get("assessment"):
        scheme += f", assessment: {resampling['assessment']}"
    if resampling.get("stratify"):
        scheme += ", within classes"
    for key in ("time", "gap", "test_size", "window", "splitter"):
        if key in resampling:
            scheme += f", {key.replace('_', ' ')}: {resampling[key]}"
    if isinstance(stages := resampling.get("stages"), Mapping):
        scheme += _describe_stages(stages)
    return f"resampling: {scheme}; seed: {seed}"


def _describe_stages(stages: Mapping[str, object]) -> str:
    """Describe the stages of replications, and when they stop."""
    pairs = stages["pairs"]
    what = f"{len(pairs)} pairs are" if isinstance(pairs, list) else "all pairs are"
    drop = stages["drop"]
    settled = "decided" if stages["stop"] == "decided" else "decided, also on equivalence,"
    dropped = f"; candidates are dropped when {drop}" if drop else ""
    return (
        f", in stages of {stages['size']} until {what} {settled} by {stages['measure']} "
        f"({stages['test']}, {stages['rule']}, {stages['multiplicity']}){dropped}"
    )


def _by_candidate(missing: Sequence[Cell], n_fits: int) -> str:
    """Describe which fits are missing, where others are done."""
    if len(missing) in (0, n_fits):
        return ""
    counts = Counter(cell.candidate for cell in missing)
    return f": {', '.join(f'{name} {count:,}' for name, count in counts.items())}"


def _with_refits(missing: Sequence[Cell], candidates: Sequence[Candidate]) -> str:
    """Say how many fits that is where a candidate is fitted to a learning sample again."""
    refits = {candidate.name: candidate.refits for candidate in candidates}
    n_fits = sum(refits[cell.candidate] for cell in missing)
    return "" if n_fits == len(missing) else f", {n_fits:,} with refits"


def _bytes(n: float) -> str:
    return f"{n / 1e6:,.1f} MB" if n >= 1e6 else f"{n / 1e3:,.0f} kB"


def _probe_words(outcome: Outcome) -> str:
    seconds = f"{outcome.seconds:9.3f} s"
    return seconds if outcome.status == "ok" else f"{seconds}  {outcome.status}: {outcome.message}"


def _duration(seconds: float) -> str:
    """Write a time with two units at most."""
    minutes, hours = seconds / 60, seconds / 3600
    if seconds < 60:
        return f"{seconds:.1f} s"
    if minutes < 60:
        return f"{minutes:.0f} min"
    return f"{int(hours)} h {int(minutes) % 60} min"


def _describe_size(dataset: DataSet) -> str:
    """Write a data set's name with its observations and inputs."""
    n_test = f", {dataset.n_test} to test on" if dataset.n_test else ""
    return f"{dataset.name} ({dataset.n - dataset.n_test} x {dataset.inputs.shape[1]}{n_test})"


def _describe_direction(measure: Measure) -> str:
    """Write a measure with its better values, and their source."""
    source = SOURCE_WORDS[measure.better_source]
    return f"{measure.name} ({measure.better} is better{f', {source}' if source else ''})"


def _read_as(design: Design) -> str:
    """Describe what was read, and how; a line each."""
    words = {
        "replication-columns": "replications: by {}",
        "scheme-column": "sampling scheme: read from the column {}",
        "scheme-columns": "sampling scheme: read from the columns {}",
        "seed-columns": "runs: averaged within each split, by {}",
        "counted-replications": "replications: the rows of every candidate, up to {}, in their "
        "order, as the manifest says",
        "missing-replications": "replications that are there: {}",
        "chosen-epochs": "of each training one epoch: {}",
        "per-cent": "in per cent, by values above 1: {}",
        "ranks-in-brackets": "numbers in brackets are ranks, and are left out: {}",
        "lost-runs": "runs without a result, by {}",
        "item-runs": "runs of an item, {}: averaged",
        "not-read": "columns of text, not read: {}",
        "empty-rows": "empty rows, left out: {}",
        "candidate-status": "runs that have not ended well are missing, by {}",
        "title-rows": "rows with a name alone, left out: {}",
        "decimal-commas": "commas taken for decimal commas: in {}",
        "quantities": "in seconds or bytes, by the units in their cells: {}",
        "marks-of-nothing": "missing: {}",
        "intervals": "intervals behind numbers, not used: in {}",
        "means-alone": MEANS_ALONE,
        "summaries": "means with their spread, compared on a data set as independent samples: {}",
        "marks": "words for right and wrong are 1 and 0: {}",
        "last-values": "of each run: {}",
        "measure-by-values": "measures of the tasks, which their results equal: {}",
        "other-samples": "not read, other samples and subsets: {}",
        "named-items": "items: {}",
        "processes": "{}, whose means are the values",
        "dependent-samples": "samples: {}",
        "battles-lost": "battles without a winner, left out: {}",
        "battles-bad": "battles in which both are bad, taken for ties: {}",
        "battles-look": "look {} battles",
        "battles-clusters": "battles of one {} count together",
        "wins-matrix": "wins, of a square table: {}",
        "least-numbers": "next to nothing, and taken for 0: values of {}",
        "no-primary": "tasks have main measures that cannot be joined: {}",
        **{kind: f"warning: {text}" for kind, text in ODD_VALUES.items()},
    }
    several = {
        "one-measure": "one measure under several names",
        "left-out-column": "columns left out",
        "left-out-row": "rows left out, sums of others",
        "primary": "primary, the main measure of each task",
    }
    lines = [
        _names(f"{design.unit.dataset}s", [d.name for d in design.datasets]),
        _names("candidates", design.candidates),
        _names("measures", [_describe_direction(measure) for measure in design.measures]),
    ]
    lines += [words[what].format(of) for what, of in design.readings if what in words]
    for kind, what in several.items():
        if of := [text for own, text in design.readings if own == kind]:
            lines.append(_names(what, of))
    return "".join(f"{line}\n" for line in lines)


def _names(what: str, names: Sequence[str]) -> str:
    first = [" ".join(name.split()) for name in names[:MOST_NAMES]]
    return f"{what}: {', '.join([*first, *(['…'] if len(names) > MOST_NAMES else [])])}"
