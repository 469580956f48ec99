"""What is compared of a run: its design, provenance, values, verdicts and orders.

A run is read from its folder, a saved study, a folder with a warehouse, a file of results, a
`results.json` (which has no values), or any of these in a revision of a git repository.
"""

from __future__ import annotations

import subprocess
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import MISSING, field, fields, replace
from functools import cache
from pathlib import Path, PurePosixPath
from posixpath import normpath
from tempfile import TemporaryDirectory
from typing import TYPE_CHECKING, Annotated, Any, NamedTuple, get_type_hints

import numpy as np
from pydantic import ConfigDict, Field, TypeAdapter, ValidationError

from reportgen.data_classes import dataclass
from reportgen.errors import StudyError, WarehouseError
from reportgen.json_text import read_json
from reportgen.path_redaction import redact_paths
from reportgen.performance_measure import Measure
from reportgen.report import PAIRS, RESULTS, DatasetDesign, Provenance, check_schema_version
from reportgen.run_folder import PROVENANCE, WAREHOUSE
from reportgen.stats.decisions import Decision
from reportgen.stats.relations.relations import chain, unbeaten
from reportgen.study.errors import describe_unknown
from reportgen.study.shorthand import expand_shorthand
from reportgen.warehouse.files import PERFORMANCES

if TYPE_CHECKING:
    import pandas as pd

    from reportgen.api.study import BenchmarkStudy
    from reportgen.warehouse import Warehouse

Order = tuple[tuple[str, ...], ...]
"""Groups of candidates, best first."""

ALLOWED = (
    "a run's folder, a file that save() has written, a warehouse, a file of results, a "
    "results.json, or REVISION:PATH of a git repository"
)
LONGEST = 1_000_000  # characters of a text of a results.json
SECONDS = 30  # that git may take
MOST_FILES = 100  # of a folder in a revision


class PairKey(NamedTuple):
    """A pair of candidates on a data set, or over all data sets (None)."""

    dataset: str | None
    measure: str
    first: str
    second: str


@dataclass(frozen=True, slots=True)
class PairVerdict:
    """What is decided on a pair, and who is decided better, by however little ("": neither)."""

    decision: Decision
    favoured: str


@dataclass(frozen=True, slots=True)
class Ranking:
    """The groups that verdicts order, and whether they are an order of all."""

    groups: Order
    is_order: bool


@dataclass(frozen=True, slots=True)
class RunReading:
    """One run, as far as runs are compared."""

    name: str  # what the reader calls it: the path
    study: str
    datasets: tuple[DatasetDesign, ...]
    candidates: tuple[str, ...]
    measures: tuple[Measure, ...]
    seed: int | None  # of an executed study
    alpha: Annotated[float, Field(gt=0, lt=1)]
    relevance: Mapping[str, Sequence[float]]
    problem: str | None
    resampling: Mapping[str, object]
    provenance: Provenance
    verdicts: Mapping[PairKey, PairVerdict]  # on first against second
    rankings: Mapping[tuple[str | None, str], Ranking]  # by data set (None: over all) and measure
    # The optima: of a data set over its relations (measure ""), of a measure over data sets.
    consensus: Mapping[tuple[str | None, str], tuple[Order, ...]]
    warehouse: Warehouse | None = None  # None where only the results are known
    # What the manifest says of each "data set" and "candidate", by its name.
    entries: Mapping[tuple[str, str], Any] = field(default_factory=dict)
    # SHA-256 of the files that an executed study takes, by their names.
    files: Mapping[str, str] = field(default_factory=dict)
    data_files: Mapping[str, str] = field(default_factory=dict)  # those of them that hold data
    # With which the fits were made; where that is not known, the report.
    versions: Mapping[str, str] = field(default_factory=dict)

    def dataset(self, name: str) -> DatasetDesign:
        """Return the design of a data set."""
        return next(d for d in self.datasets if d.name == name)

    def only(self, measures: Sequence[str]) -> RunReading:
        """Return the run as far as some measures go; all of them where none is named.

        Raises StudyError if it has no such measure.
        """
        if not measures:
            return self
        known = [m.name for m in self.measures]
        for name in measures:
            if name not in known:
                raise StudyError(f"{self.name}: {describe_unknown('measure', name, known)}")
        return replace(
            self,
            measures=tuple(m for m in self.measures if m.name in measures),
            relevance={m: own for m, own in self.relevance.items() if m in measures},
            verdicts={key: own for key, own in self.verdicts.items() if key.measure in measures},
            rankings={key: own for key, own in self.rankings.items() if key[1] in measures},
            consensus={key: own for key, own in self.consensus.items() if key[1] in measures},
        )


def read_run(run: str | BenchmarkStudy, *, has_verdicts: bool = True) -> RunReading:
    """Read a run from wherever it is.

    `run`: A path, REVISION:PATH, or a study.
    `has_verdicts`: whether verdicts, and what follows from them, are needed.
    Raises StudyError if there is no run.
    Raises WarehouseError if it is damaged.
    """
    found = open_run(run) if isinstance(run, str) else run
    name = redact_paths(run) if isinstance(run, str) else run.name
    if isinstance(found, dict):
        return _of_results(name, found)
    return _of_study(name, found, has_verdicts=has_verdicts)


def open_run(text: str) -> BenchmarkStudy | dict[str, Any]:
    """Return the study of a run or, where only its results are known, these.

    `text`: A path, or REVISION:PATH.
    """
    path = Path(text)
    revision, colon, inside = text.partition(":")
    if path.exists() or not (colon and revision and inside):
        return _open_path(path)
    with TemporaryDirectory() as name:
        return _open_path(_extract(revision, inside, Path(name)))


# ------------------------------------------------------------------------------------ paths


def _open_path(path: Path) -> BenchmarkStudy | dict[str, Any]:
    """Open what a path leads to."""
    from reportgen.api.archive import is_archive
    from reportgen.api.stored_run import open_study

    if not path.exists():
        raise StudyError(f"{path}: found no file or folder; allowed {ALLOWED}")
    if path.is_dir():
        if (path / WAREHOUSE / PROVENANCE).exists() or (path / PROVENANCE).exists():
            return open_study(path, path.parent)
        if (path / RESULTS).exists():
            return _of_today(_results_in(path / RESULTS), path / RESULTS)
        if (path / PERFORMANCES).exists():
            return _open_file(path / PERFORMANCES)
        raise StudyError(f"{path}: found a folder without a run; allowed {ALLOWED}")
    if is_archive(path):
        return open_study(path, path.parent)
    if path.suffix.lower() == ".json":
        try:
            found = _results_in(path)
        except StudyError:
            return _open_file(path)
        return _of_today(found, path)
    return _open_file(path)


def _open_file(path: Path) -> BenchmarkStudy:
    """Open a file of results, without writing anything."""
    from reportgen import pipeline
    from reportgen.api.stored_run import results_study

    job = pipeline.open_job(path, path.parent)
    if job.study.results is None:
        raise StudyError(f"{path}: found a manifest that executes; allowed {ALLOWED}")
    return results_study(job)


def _results_in(path: Path) -> dict[str, Any]:
    """Return the content of a results.json."""
    try:
        found = read_json(path)
    except (ValueError, OSError) as error:
        raise StudyError(f"{path}: found no results ({error}); allowed {ALLOWED}") from None
    if not isinstance(found, dict) or not {"schema_version", "design", "sections"} <= found.keys():
        raise StudyError(f"{path}: found no results.json; allowed {ALLOWED}")
    return found


def _of_today(found: dict[str, Any], path: Path) -> dict[str, Any]:
    """Return the content of a results.json whose shape is known."""
    from reportgen.rendering.results_json import restore_pairs

    check_schema_version(found, path)
    try:
        return restore_pairs(found, path.parent)
    except (KeyError, TypeError, AttributeError):
        return found  # what is damaged is said where it is read


def _extract(revision: str, inside: str, folder: Path) -> Path:
    """Write the files of a path in a git revision into a folder, and return their place."""
    # As git has it, the path begins at the top of the repository, or at the current folder with
    # "./".
    found = _git("rev-parse", "--verify", "--end-of-options", f"{revision}^{{commit}}")
    commit = found.decode().strip()
    if inside.startswith(("./", "../")):
        inside = normpath(_git("rev-parse", "--show-prefix").decode().strip() + inside)
    target = inside.rstrip("/")
    listed = _git("ls-tree", "-r", "-z", "--full-tree", "--name-only", commit, "--", target)
    names = [name for name in listed.decode().split("\0") if name]
    if not names:
        raise StudyError(f"{revision}:{inside}: found no file in {commit[:12]}; allowed {ALLOWED}")
    is_file = names == [target]
    place = folder / PurePosixPath(target).name
    wanted = [name for name in names if is_file or _is_of_run(PurePosixPath(name), target)]
    for name in wanted[:MOST_FILES]:
        relative = "" if is_file else PurePosixPath(name).relative_to(target).as_posix()
        file = place / relative if relative else place
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_bytes(_git("cat-file", "blob", f"{commit}:{name}"))
    return place


def _is_of_run(path: PurePosixPath, folder: str) -> bool:
    """Whether a file is one that a run is read from; no link leads out of the folder."""
    parts = path.relative_to(folder).parts
    in_warehouse = parts[:1] == (WAREHOUSE,) and len(parts) == 2
    has_pairs = PurePosixPath(*parts) == PurePosixPath(PAIRS)
    return (len(parts) == 1 or in_warehouse or has_pairs) and (
        path.suffix == ".parquet" or path.name in (PROVENANCE, RESULTS, "study.json")
    )


def _git(*words: str) -> bytes:
    """Return what git prints of what the repository holds: nothing is fetched, no filter runs."""
    command = ["git", "-c", "protocol.allow=never", *words]
    try:
        done = subprocess.run(command, capture_output=True, timeout=SECONDS, check=False)
    except (OSError, subprocess.TimeoutExpired) as error:
        raise StudyError(f"git: found no answer ({error}); allowed git, installed") from None
    if done.returncode:
        message = done.stderr.decode(errors="replace").strip().splitlines()
        found = message[-1] if message else f"exit code {done.returncode}"
        raise StudyError(f"git {words[0]}: found {found}; allowed what the repository holds")
    return done.stdout


# ---------------------------------------------------------------------------------- readings


def _of_study(name: str, study: BenchmarkStudy, *, has_verdicts: bool) -> RunReading:
    """Read a run that has values."""
    from reportgen.design import design_of

    job, warehouse, origin = study.parts
    if warehouse.is_table:
        raise StudyError(f"{name}: found a table that is no experiment; allowed {ALLOWED}")
    design = design_of(job.study, warehouse)
    verdicts: dict[PairKey, PairVerdict] = {}
    for dataset in study.datasets if has_verdicts else ():
        verdicts |= _verdicts(study.pairs(dataset=dataset))
    if has_verdicts and len(study.datasets) > 1 and not design.factors:
        verdicts |= _verdicts(study.domain())
    setup = job.study.setup
    manifest = expand_shorthand(job.study.source.data).get("setup") or {}
    entries = {
        (kind, _name_of(entry)): entry
        for kind, key in (("data set", "datasets"), ("candidate", "candidates"))
        for entry in manifest.get(key) or ()
    }
    own = job.study.path.name
    files = {n: sha for n, sha in origin.inputs.items() if n != own} if setup else {}
    data = {Path(n).name for d in (setup.datasets if setup else ()) for n in (d.file, d.test) if n}
    return RunReading(
        name=name,
        study=study.name,
        datasets=design.datasets,
        candidates=design.candidates,
        measures=design.measures,
        seed=design.seed if setup else None,
        alpha=design.alpha,
        relevance=design.relevance,
        problem=design.problem,
        resampling=design.resampling,
        provenance=origin,
        verdicts=verdicts,
        rankings=_rankings(verdicts, design.candidates),
        consensus=dict(_consensus(study)) if has_verdicts else {},
        warehouse=warehouse,
        entries=entries,
        files=files,
        data_files={n: sha for n, sha in files.items() if Path(n).name in data},
        versions=origin.fit_versions,
    )


def _name_of(entry: Any) -> str:
    """Return the name of a data set's entry in a manifest."""
    return str(entry.get("name", "")) if isinstance(entry, Mapping) else str(entry)


def _verdicts(pairs: pd.DataFrame) -> dict[PairKey, PairVerdict]:
    """Return the verdicts of a frame of pairs; without a data set they are over all.

    Its columns are those of a `PairTable`, whose names the rows of results.json have, too.
    """
    found = {}
    for row in pairs.to_dict(orient="records"):
        key = PairKey(row.get("dataset"), row["measure"], row["first"], row["second"])
        found[key] = PairVerdict(row["decision"], row["favoured"] or "")
    return found


def _row_verdict(row: Mapping[str, Any], measure: Measure) -> PairVerdict:
    """Return the verdict of a row of results.json."""
    if not row.get("significant"):
        return PairVerdict(row["decision"], "")
    is_above = float(row["estimate"]) > (1.0 if row.get("scale") == "ratio" else 0.0)
    return PairVerdict(
        row["decision"], row["second" if is_above == measure.is_smaller_better else "first"]
    )


def _rankings(
    verdicts: Mapping[PairKey, PairVerdict], candidates: Sequence[str]
) -> dict[tuple[str | None, str], Ranking]:
    """Return the groups that the verdicts order; where they are no order, who is unbeaten."""
    scopes = dict.fromkeys((key.dataset, key.measure) for key in verdicts)
    found = {}
    for scope in scopes:
        own = {k: d for k, d in verdicts.items() if (k.dataset, k.measure) == scope}
        named = {name for key in own for name in (key.first, key.second)}
        names = [name for name in candidates if name in named]
        incidence = np.zeros((len(names), len(names)), dtype=np.bool_)
        for key, verdict in own.items():
            i, j = names.index(key.first), names.index(key.second)
            incidence[i, j] = verdict.favoured == key.first
            incidence[j, i] = verdict.favoured == key.second
        groups = chain(incidence)
        leading = (tuple(unbeaten(incidence)),) if groups is None else groups
        order = tuple(tuple(names[i] for i in group) for group in leading)
        found[scope] = Ranking(order, groups is not None)
    return found


def _consensus(study: BenchmarkStudy) -> Iterable[tuple[tuple[str | None, str], tuple[Order, ...]]]:
    """Yield the consensus of each data set over relations, and of each measure over data sets."""
    several = len(study.datasets) > 1
    for scope in (
        *((None, measure) for measure in study.measures if several),
        *((dataset, "") for dataset in study.datasets if len(study.measures) > 1),
    ):
        dataset, measure = scope
        try:
            frame = study.consensus(measure or None, dataset)
        except (StudyError, KeyError):  # of settings, or of too few values
            continue
        orders: dict[int, dict[int, list[str]]] = {}
        for row in frame.to_dict(orient="records"):
            levels = orders.setdefault(row["order"], {})
            levels.setdefault(row["level"], []).append(row["candidate"])
        if orders:
            chains = (tuple(map(tuple, levels.values())) for levels in orders.values())
            yield scope, tuple(sorted(chains))


def _of_results(name: str, found: Mapping[str, Any]) -> RunReading:
    """Read a results.json, which has no values."""
    try:
        design, sections = found["design"], found["sections"]
        datasets = tuple(_dataset_design(design, name) for name in design["datasets"])
        measures = tuple(
            Measure(m["name"], m["better"], m.get("unit") or "") for m in design["measures"]
        )
        at = {m.name: m for m in measures}
        verdicts = {
            PairKey(d, m, row["first"], row["second"]): _row_verdict(row, at[m])
            for d, by_measure in (sections.get("inference") or {}).items()
            for m, own in by_measure.items()
            for row in own.get("pairs") or ()
        } | {
            PairKey(None, m, row["first"], row["second"]): _row_verdict(row, at[m])
            for m, own in ((sections.get("domain") or {}).get("verdict") or {}).items()
            for row in own.get("pairs") or ()
        }
        optima = {(d, ""): own for d, own in (sections.get("consensus") or {}).items()} | {
            (None, m): own
            for m, own in ((sections.get("domain") or {}).get("consensus") or {}).items()
        }
        about = found["provenance"]
        known = {k: about.get(k, "") for k in ("date", "command", "platform", "processor")}
        origin = Provenance(
            **known,
            versions=about.get("versions") or {},
            inputs=about.get("inputs") or {},
            manifest=about.get("manifest") or "",
            commit=about.get("commit") or "",
        )
        candidates = tuple(design["candidates"])
        reading = RunReading(
            name=name,
            study=str(found["study"].get("name", "")),
            datasets=datasets,
            candidates=candidates,
            measures=measures,
            seed=None if design.get("source") else design["seed"],
            alpha=float(design["alpha"]),
            relevance=design.get("relevance") or {},
            problem=design.get("problem"),
            resampling=design.get("resampling") or {},
            provenance=origin,
            verdicts=verdicts,
            rankings=_rankings(verdicts, candidates),
            versions=origin.versions,
            consensus={
                scope: tuple(
                    sorted(
                        tuple(tuple(group) for group in order["chain"])
                        for order in own.get("relations") or ()
                        if order.get("chain")
                    )
                )
                for scope, own in optima.items()
            },
        )
        parts, kinds = _kinds()
        kinds.validate_python(tuple(getattr(reading, part) for part in parts))
    except ValidationError as error:  # a ValueError, too
        first = error.errors()[0]
        place = ".".join(map(str, (parts[int(first["loc"][0])], *first["loc"][1:])))
        fault = f"{place}: {first['msg']}"
    except (KeyError, TypeError, AttributeError, ValueError, OverflowError) as error:
        fault = repr(error)
    else:
        return reading
    raise WarehouseError(
        f"{name}: found a damaged results.json ({fault[:300]}); allowed one as a run has written it"
    )


@cache
def _kinds() -> tuple[tuple[str, ...], TypeAdapter[Any]]:
    """Return the parts of a reading that a results.json gives, and what checks their kinds."""
    hints = get_type_hints(RunReading, localns={"Warehouse": object}, include_extras=True)
    own = [f.name for f in fields(RunReading) if MISSING is f.default is f.default_factory]
    parts = tuple(name for name in own if name not in ("name", "rankings"))
    config = ConfigDict(
        revalidate_instances="always", strict=True, allow_inf_nan=False, str_max_length=LONGEST
    )
    kinds: Any = tuple[tuple(hints[name] for name in parts)]  # type: ignore[misc]
    return parts, TypeAdapter(kinds, config=config)


def _dataset_design(design: Mapping[str, Any], name: str) -> DatasetDesign:
    """Read the sizes of a data set from the design of a results.json."""
    sizes = (design.get("sizes") or {}).get(name) or {}
    return DatasetDesign(
        name,
        int(design["replications"][name]),
        int(sizes.get("n_missing") or 0),
        sizes.get("n_observations"),
        sizes.get("n_variables"),
        sizes.get("n_classes"),
        resampling=sizes.get("resampling") or {},
    )
