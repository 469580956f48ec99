"""A manifest is read into a `Study`: names only, checked, with the line of each value."""

from __future__ import annotations

import json
import logging
import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from types import MappingProxyType
from typing import Any, TypeVar

from pydantic import ValidationError

from reportgen.data_classes import dataclass
from reportgen.errors import StudyError
from reportgen.file_reading import entries_fault, kind_fault
from reportgen.json_text import read_json
from reportgen.study.claims import Names
from reportgen.study.cross_checks import (
    claim_entry_fault,
    cross_check,
    drop_former_keys,
    find_unknown_names,
    refine,
)
from reportgen.study.errors import (
    Fault,
    Place,
    faults_of,
    is_address,
    listed,
    measure_name,
    missing_file,
    nearest,
    shown,
)
from reportgen.study.result_files import IN_FOLDERS, JSON, KINDS, of_tables, tables_in
from reportgen.study.schema import (
    ExecutionEntry,
    Manifest,
    MeasureEntry,
    ReportEntry,
    SetupEntry,
    StudyInfo,
)
from reportgen.study.schema.datasets import ResultsEntry
from reportgen.study.schema.options import (
    AnalysisOptions,
    Expectation,
    Undecided,
    WantedCharacteristics,
)
from reportgen.study.schema.value_types import folder_fault
from reportgen.study.shorthand import apply_overrides, expand_shorthand, replace_former_values
from reportgen.study.yaml_source import Source, parse, read_text, refuse_report

CONTRACT = (
    "eda",
    "inference",
    "preferences",
    "consensus",
    "domain",
    "psychoanalysis",
    "archetypes",
    "sequential",
)
"""Every section that a manifest of the contract may name, there or not yet."""
EXPECTATIONS = "expectations"
"""The section that leads a report whose study expects something."""
PLAN = "plan"
"""The section that says how much is enough, where the study asks for it."""
__all__ = ["AnalysisOptions", "SectionChoice", "Study", "load_study", "manifest_schema"]
OF_RUNS = ("meta.yaml", "multirun.yaml", "optimization_results.yaml")
"""What folders of runs of MLflow and Hydra have, and are no manifests."""
FIRST_LINE = re.compile(
    rb'(.*,)?"?(epoch|step)"?\s*(,|$)|(resamples|folds):?,|(goos|goarch|pkg|cpu): |'
    rb"Benchmark\S*\s+\d",
    re.IGNORECASE,
)
"""Of a log of training, a table of one algorithm as aeon writes it, and timings of Go."""
SOURCES = frozenset({"file", "wide", "table"})
"""Keys of a manifest's results; many programs have `results` of their own."""
RESULTS_FOLDERS = ("Predictions", "*/Predictions")  # what a folder of aeon's results has
log = logging.getLogger(__name__)
Options = TypeVar("Options", bound=AnalysisOptions)


@dataclass(frozen=True, slots=True)
class SectionChoice:
    """A section of the report.

    `is_listed: bool`: Whether it was asked for by its name, not as one of all that apply.
    """

    name: str
    # The section's own model: the `analysis` block, and the keys of the entry.
    options: AnalysisOptions
    place: Place = ()  # its place in the manifest; empty where it has none
    is_listed: bool = True


@dataclass(frozen=True, slots=True)
class Study:
    """A study by its names: the content of its manifest, checked but not resolved."""

    info: StudyInfo  # title, authors, abstract, keywords
    seed: int  # of all random numbers
    # In the manifest's order, the main one first; empty for all that the results hold. Names that
    # the catalogue knows are in its spelling.
    measures: tuple[MeasureEntry, ...]
    setup: SetupEntry | None  # what to execute
    results: ResultsEntry | None  # what was executed elsewhere; exactly one of the two is there
    execution: ExecutionEntry
    # What holds for every section; the measures' own relevance is merged in.
    analysis: AnalysisOptions
    sections: tuple[SectionChoice, ...] | None  # in the report's order; None for all that apply
    report: ReportEntry
    source: Source  # the manifest's text, and the line of each of its values
    plugins: tuple[str, ...] = ()  # packages whose estimators the manifest uses
    expect: tuple[Expectation, ...] = ()  # claims that the results are held against
    on_undecided: Undecided = "warn"  # what an undecided one does

    @property
    def name(self) -> str:
        """Name of the run's folder."""
        return self.info.name or self.source.path.stem

    @property
    def title(self) -> str:
        """The title, or what the name makes of one."""
        if self.info.title or self.source.text:
            return self.info.title or self.name
        words = " ".join(re.split(r"[\s_]+", self.name)).strip()
        return f"Results of {words or self.name}"

    @property
    def path(self) -> Path:
        """The manifest, or the file of results in its place."""
        return self.source.path

    @property
    def folder(self) -> Path:
        """The folder of the manifest's relative paths."""
        return self.source.path.parent

    @property
    def manifest(self) -> str:
        """The manifest's file name; empty where there is none."""
        return self.path.name if self.text else ""

    @property
    def text(self) -> str:
        """The manifest as it was read; empty where there is none."""
        return self.source.text

    def default_options(self, model: type[Options]) -> Options:
        """Return a section's options where the manifest does not list it."""
        return self._with_expectations(model(**_set_options(self.analysis)))

    def choices(self, options: Mapping[str, type[AnalysisOptions]]) -> tuple[SectionChoice, ...]:
        """Return the chosen sections, or all that `options` names with their defaults.

        The section of expectations is there where there are some, before all others.
        """
        if self.sections is not None:
            listed = tuple(
                replace(c, options=self._with_expectations(c.options)) for c in self.sections
            )
            if not self.expect or EXPECTATIONS in [c.name for c in listed]:
                return listed
            own = self.default_options(options[EXPECTATIONS])
            return (SectionChoice(EXPECTATIONS, own), *listed)
        asked = {EXPECTATIONS: bool(self.expect), PLAN: self.analysis.plan is not None}
        every = [(n, m) for n, m in options.items() if asked.get(n, True)]
        return tuple(SectionChoice(n, self.default_options(m), is_listed=False) for n, m in every)

    def _with_expectations(self, options: Options) -> Options:
        """Give the study's claims to the section that decides on them."""
        own = {"expect": self.expect, "on_undecided": self.on_undecided}
        if not own.keys() <= type(options).model_fields.keys():
            return options
        missing = {key: value for key, value in own.items() if key not in options.model_fields_set}
        return options.model_copy(update=missing)

    @property
    def wanted_characteristics(self) -> WantedCharacteristics | None:
        """The characteristics of every learning sample to compute; None for nothing.

        Where no sections are listed, the usual characteristics of studies of
        several data sets: they cost about as much as a fit of lda.
        """
        if self.sections is None:
            several = self.setup is not None and len(self.setup.datasets) > 1
            return WantedCharacteristics() if several else None
        wanted = (choice.options.wanted_characteristics for choice in self.sections)
        return next((found for found in wanted if found is not None), None)

    def check_names(self, measures: Sequence[str], candidates: Sequence[str] = ()) -> None:
        """Check the names that `analysis` and `sections` mention against those at hand.

        `measures`, `candidates`: those of the setup or the results; no candidates where they are
        not known yet.
        Raises StudyError if what is mentioned is not there, or lacks what it is mentioned for.
        """
        faults = _misfits(self.analysis, ("analysis",), measures, candidates)
        common = {fault.found for fault in faults}
        others = {choice.name: choice.options for choice in self.sections or ()}
        for choice in self.sections or ():
            more = _misfits(choice.options, choice.place, measures, candidates, others)
            faults += [fault for fault in more if fault.found not in common]
        if faults:
            raise self.source.error(faults)

    def check_claims(
        self,
        candidates: Sequence[str],
        measures: Sequence[str],
        datasets: Sequence[str],
        levels: Mapping[str, str] | None = None,
    ) -> None:
        """Check the names of `expect` against those at hand.

        `levels`: of factors of the candidates (`level_kinds` of `sections.expectations.levels`).
        Raises StudyError if one of them is not there.
        """
        names = Names(tuple(candidates), tuple(measures), tuple(datasets), levels or {})
        entries = enumerate(entry.model_dump() for entry in self.expect)
        faults = [f for i, own in entries if (f := claim_entry_fault(i, own, names)) is not None]
        if faults:
            raise self.source.error(faults)


def load_study(
    path: Path,
    options: Mapping[str, type[AnalysisOptions]],
    overrides: Mapping[str, str] | None = None,
    origins: Mapping[str, str] | None = None,
) -> Study:
    """Read a manifest, or take a file of results with all defaults.

    `path`: A manifest in YAML; or a file of results, or a folder of aeon's.
    `options`: the model of each section's options, by the section's name.
    `overrides`: values in YAML that replace the manifest's, by key path (``{"analysis.alpha":
    "0.01"}``).
    `origins`: what an error calls each, where it is not the command line's.
    Raises StudyError if anything is wrong; its text names all faults, one a line.
    """
    return check_study(apply_overrides(read_source(path), overrides or {}, origins), options)


def check_study(
    source: Source, options: Mapping[str, type[AnalysisOptions]], *, has_files: bool = True
) -> Study:
    """Check the content of a manifest, of whatever origin.

    `options`: the model of each section's options, by the section's name.
    `has_files`: whether the files that it names have to be there, and its names in the catalogue.
    Raises StudyError if anything is wrong; its text names all faults, one a line.
    """
    source = replace_former_values(source)
    data = drop_former_keys(expand_shorthand(source.data), source)
    faults = cross_check(data, source, options, has_files=has_files)
    manifest = None
    try:
        manifest = Manifest.model_validate_json(json.dumps(data))
    except ValidationError as error:
        faults += [refine(fault) for fault in faults_of(error, Manifest)]
    analysis = manifest.analysis if manifest else AnalysisOptions()
    if manifest:
        analysis, more = _with_relevance(manifest.analysis, manifest.measures)
        faults += more
    sections, more = choose_sections(data.get("sections"), _set_options(analysis), options)
    faults += more
    if faults or manifest is None:
        unknown = find_unknown_names(data, faults, has_files=has_files)
        raise source.error(_once([*faults, *unknown]))
    return _study(manifest, analysis, sections, source)


def manifest_schema(options: Mapping[str, type[AnalysisOptions]]) -> dict[str, Any]:
    """Return the JSON Schema by which an editor checks and completes manifests."""
    from reportgen.study.schema.json_schema import manifest_json_schema

    return manifest_json_schema(options)


def read_source(path: Path) -> Source:
    """Read a manifest, or make the default one of a file of results.

    Raises StudyError if it cannot be read.
    """
    if is_address(path):
        raise StudyError(missing_file(path, "a manifest or a file of results"))
    if fault := kind_fault(path) or entries_fault(path):
        raise StudyError(f"{path}: found {fault}; allowed a manifest or a file of results")
    if any(next(path.glob(pattern), None) for pattern in RESULTS_FOLDERS) or _has_logs(path):
        return Source(path.resolve(), "", {"results": {"file": path.resolve().name}})
    has_own = any(next(path.glob(own), None) for own in ("*.yaml", "*.yml", "results.json"))
    if path.is_dir() and not has_own and (tables := tables_in(path)):
        raise StudyError(f"{path}: {of_tables(path, tables)}")
    if _is_data(path):
        return Source(path, "", {"results": {"file": path.name}})
    return parse(path, read_text(path))


def _has_logs(path: Path) -> bool:
    """Whether a folder has logs or runs of other programs, and neither a manifest nor a report."""
    if not path.is_dir() or (path / "results.json").is_file():
        return False
    if any(file.name not in OF_RUNS for file in path.glob("*.yaml")):
        return False
    if any(next(path.rglob(pattern), None) for pattern in IN_FOLDERS):
        return True
    texts = (next(path.rglob(pattern), None) for pattern in ("*.csv", "*.txt", "*.out"))
    return any(_has_known_head(file) for file in texts if file is not None)


def _has_known_head(file: Path) -> bool:
    with file.open("rb") as opened:
        return FIRST_LINE.match(opened.readline(65_536)) is not None


def _is_data(path: Path) -> bool:
    """Whether a file is one of results; one in JSON may be a manifest: JSON is YAML."""
    if (suffix := path.suffix.lower()) not in JSON:
        return suffix in KINDS
    try:
        content = read_json(path)
    except OSError:
        return False
    except ValueError:  # which reading it raises again, as results or as a manifest
        with path.open("rb") as file:
            return file.read(1024).lstrip().startswith(b"[")
    refuse_report(path, content)
    if not isinstance(content, dict):
        return True
    results = content.get("results")
    is_named = isinstance(results, str) or (isinstance(results, dict) and SOURCES & results.keys())
    return not ("setup" in content or is_named)


def _study(
    manifest: Manifest,
    analysis: AnalysisOptions,
    sections: tuple[SectionChoice, ...] | None,
    source: Source,
) -> Study:
    study = Study(
        manifest.study,
        manifest.seed,
        tuple(entry.named(measure_name(entry.name)) for entry in manifest.measures),
        manifest.setup,
        manifest.results,
        manifest.execution,
        analysis,
        sections,
        manifest.report,
        source,
        manifest.plugins,
        manifest.expect,
        manifest.on_undecided,
    )
    if not manifest.study.name and (allowed := folder_fault(source.path.stem)):
        found = f"no study name, and the file's own, {source.path.stem!r}, cannot stand for it"
        raise source.error([Fault(("study", "name"), found, f"{allowed} (it names a folder)")])
    if manifest.setup:
        candidates = [c.name for c in manifest.setup.candidates]
        study.check_names([m.name for m in study.measures], candidates)
    return study


def _with_relevance(
    analysis: AnalysisOptions, measures: Iterable[MeasureEntry]
) -> tuple[AnalysisOptions, list[Fault]]:
    """Merge the measures' own relevance into that of the analysis."""
    areas = {measure_name(name): area for name, area in analysis.relevance.items()}
    faults = []
    for i, entry in enumerate(measures):
        name = measure_name(entry.name)
        if entry.relevance and areas.get(name, entry.relevance) != entry.relevance:
            found = f"another area than analysis.relevance.{name} has"
            faults.append(Fault(("measures", i, "relevance"), found, "the same area, or one only"))
        elif entry.relevance:
            areas[name] = entry.relevance
    given = {**_set_options(analysis), **({"relevance": areas} if areas else {})}
    return AnalysisOptions(**given), faults


def choose_sections(
    entries: Any, given: Mapping[str, Any], options: Mapping[str, type[AnalysisOptions]]
) -> tuple[tuple[SectionChoice, ...] | None, list[Fault]]:
    """Check the entries of `sections`.

    `given`: what the `analysis` block sets.
    `options`: the model of each section's options, by the section's name.
    Result: None where the manifest lists no sections.
    """
    if not isinstance(entries, list):
        return None, []
    if not entries:
        allowed = "at least one section, or no such key for all that apply"
        return None, [Fault(("sections",), "an empty list", allowed)]
    chosen: dict[str, SectionChoice] = {}
    faults: list[Fault] = []
    for i, entry in enumerate(entries):
        choice = _choose_section(entry, ("sections", i), given, options)
        if isinstance(choice, list):
            faults += choice
        elif choice.name in chosen:
            faults.append(Fault(("sections", i), "the section twice", "each section once"))
        else:
            chosen[choice.name] = choice
    return tuple(chosen.values()), faults


def _choose_section(
    entry: Any,
    place: Place,
    given: Mapping[str, Any],
    options: Mapping[str, type[AnalysisOptions]],
) -> SectionChoice | list[Fault]:
    name, own = (entry, None) if isinstance(entry, str) else _single_item(entry)
    if not isinstance(name, str):
        return [Fault(place, shown(entry), "a section's name, or {name: {option: value}}")]
    if name not in options:
        return [_unknown_section(name, place, options)]
    here = (*place, name)
    if own is not None and not isinstance(own, dict):
        return [Fault(here, shown(own), "a mapping of options to values")]
    model = options[name]
    try:
        checked = model.model_validate_json(json.dumps(own or {}))
    except ValidationError as error:
        return faults_of(error, model, here)
    return SectionChoice(name, _merge_options(checked, given), here)


def _single_item(entry: Any) -> tuple[Any, Any]:
    if isinstance(entry, dict) and len(entry) == 1:
        return next(iter(entry.items()))
    return None, None


def _unknown_section(name: str, place: Place, options: Mapping[str, Any]) -> Fault:
    near = nearest(name, options)
    if name in CONTRACT:
        return Fault(place, f"section {name}, which is not available yet", listed(options))
    return Fault(place, f"the unknown section {shown(name)}", listed(options), near)


def _merge_options(own: AnalysisOptions, given: Mapping[str, Any]) -> AnalysisOptions:
    """Put what the `analysis` block sets under the entry's own keys, areas measure by measure."""
    values = {**given, **{key: getattr(own, key) for key in own.model_fields_set}}
    areas = {**given.get("relevance", {}), **{measure_name(m): a for m, a in own.relevance.items()}}
    return type(own)(**{**values, **({"relevance": areas} if areas else {})})


def _set_options(options: AnalysisOptions) -> dict[str, Any]:
    """Return the options that were set, without the defaults."""
    return {name: getattr(options, name) for name in options.model_fields_set}


def _misfits(
    options: AnalysisOptions,
    place: tuple[str | int, ...],
    measures: Sequence[str],
    candidates: Sequence[str] = (),
    others: Mapping[str, AnalysisOptions] = MappingProxyType({}),
) -> list[Fault]:
    """Return what in a block of options does not fit the names, or other sections' options."""
    faults = [*options.faults_among(measures), *options.cross_check(others, measures)]
    if options.comparisons == "reference" and options.reference is None:
        allowed = "a reference, the candidate whose pairs are decided on"
        faults.append(Fault(("comparisons",), "comparisons: reference without one", allowed))
    if options.reference is not None and candidates and options.reference not in candidates:
        near = nearest(options.reference, candidates)
        faults.append(Fault(("reference",), shown(options.reference), listed(candidates), near))
    faults += [
        Fault(
            ("missing_by_design", name), shown(name), listed(candidates), nearest(name, candidates)
        )
        for name in options.missing_by_design
        if candidates and name not in candidates
    ]
    return [replace(fault, place=(*place, *fault.place)) for fault in faults]


def _once(faults: Iterable[Fault]) -> list[Fault]:
    """Keep the first fault of each place."""
    return list({fault.place: fault for fault in reversed(list(faults))}.values())[::-1]
