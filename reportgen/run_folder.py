"""The folder of a run: what it holds, and whether that belongs to a study."""

from __future__ import annotations

import json
import os
import shlex
from collections import Counter
from collections.abc import Mapping, Sequence
from contextlib import suppress
from dataclasses import replace
from glob import escape
from hashlib import sha256
from pathlib import Path
from typing import TYPE_CHECKING, Any

from reportgen import provenance
from reportgen.catalogue.candidates.programs import named_files
from reportgen.catalogue.plugins import code_of, installed_code_of
from reportgen.errors import StudyError, WarehouseError
from reportgen.file_writing import write_text
from reportgen.path_redaction import redact_command
from reportgen.report import RESULTS, Provenance
from reportgen.study.manifest import Study
from reportgen.study.schema import SEED
from reportgen.study.schema.resampling import ResamplingEntry, StagesEntry
from reportgen.study.shorthand import expand_shorthand

if TYPE_CHECKING:
    from reportgen.warehouse import Warehouse

WAREHOUSE = "warehouse"
PROVENANCE = "provenance.json"
JOURNAL = "journal"  # of an execution, in the same folder
INPUT = ".input"  # in a run's folder: whose results it holds
DIGITS = 16  # of the digest of a place
NEAR = 3  # folders above a run's, in which its study may be
PROGRAM = ("reportgen", "run")
PLUGINS, TEMPLATES = "--allow-plugins", "--allow-templates"
SET = "--set"


def command_of(
    path: Path,
    settings: Sequence[str],
    *,
    allow_plugins: bool = False,
    allow_templates: bool = False,
) -> str:
    """Write the command that makes a report again, as a shell reads it.

    Examples
    --------
    >>> command_of(Path("in/my study.yaml"), ["seed=7"])
    "reportgen run 'my study.yaml' --set seed=7"
    """
    words = [*PROGRAM, path.name]
    for text in settings:
        words += [SET, text]
    leave = ((PLUGINS, allow_plugins), (TEMPLATES, allow_templates))
    return shlex.join([*words, *(option for option, is_given in leave if is_given)])


def with_templates(command: str, *, allow_templates: bool) -> str:
    """Return a recorded command as it allows a study's own templates now.

    Examples
    --------
    >>> with_templates("reportgen run study.yaml", allow_templates=True)
    'reportgen run study.yaml --allow-templates'
    >>> with_templates("reportgen run study.yaml --allow-templates", allow_templates=False)
    'reportgen run study.yaml'
    """
    if not command.startswith(f"{shlex.join(PROGRAM)} "):  # of a call from Python
        return command
    bare = command.removesuffix(f" {TEMPLATES}")
    return f"{bare} {TEMPLATES}" if allow_templates else bare


def files_of(path: str | Path) -> list[Path]:
    """Return the files by which a run or its warehouse is read; of a path that is neither, it."""
    folder = Path(path)
    try:
        inner = folder if (folder / PROVENANCE).is_file() else folder / WAREHOUSE
        return [folder, folder / RESULTS, *inner.iterdir()]
    except (OSError, ValueError):  # no folder, or no path
        return [folder, folder / RESULTS]


def inputs_of(study: Study) -> dict[str, Path]:
    """Return every file that a study is made of, by a name of its own."""
    paths = [study.path] if study.text else []
    if study.results:
        paths.append(study.folder / study.results.path)
    if study.results:
        way = study.results.resampling
        others = (study.results.characteristics, study.results.settings, way and way.file)
        battles = study.results.battles
        paths += [study.folder / name for name in (*others, battles and battles.file) if name]
    if study.setup:
        datasets, ways = study.setup.datasets, study.setup.resampling
        named = [name for d in datasets for name in (d.file, d.test)]
        named += [way.file for way in (ways if isinstance(ways, tuple) else (ways,))]
        paths += [study.folder / name for name in named if name]
        for candidate in study.setup.candidates:
            names = (*named_files(candidate.command or (), study.folder), *candidate.files)
            paths += [study.folder / name for name in names]
    distinct = dict.fromkeys(paths)
    n_named = Counter(path.name for path in distinct)
    return {p.name if n_named[p.name] == 1 else f"{p.parent.name}/{p.name}": p for p in distinct}


def study_digests(study: Study) -> dict[str, str]:
    """Return a digest of each part of a study on which its warehouse depends.

    Manifests with the same content in another spelling have the same digests.
    """
    parts = {**_measured_part(study.source.data), **_stage_part(study), **_plugin_parts(study)}
    return {key: _digest(value) for key, value in parts.items()}


def _stage_part(study: Study) -> dict[str, Any]:
    """Return the options of the analysis that end stages; nothing where there are none."""
    way = study.setup.resampling if study.setup else None
    stages = way.replications if isinstance(way, ResamplingEntry) else None
    if not isinstance(stages, StagesEntry):
        return {}
    measure = stages.measure or study.measures[0].name
    area = study.analysis.relevance.get(measure)
    return {"stage rule": [stages.alpha or study.analysis.alpha, area]}


def _plugin_parts(study: Study) -> dict[str, Any]:
    """Return what changes with the code of plug-ins; nothing of those that are gone."""
    found = {name: code_of(name, study.folder) for name in study.plugins}
    own = {name: code for name, code in found.items() if code}
    installed = {name: installed_code_of(name, study.folder) for name in study.plugins}
    return {
        **({"version of its plug-ins": own} if own else {}),
        **{
            f"version of the plug-in {name}": [provenance.plugin_versions([name]), code]
            for name, code in installed.items()
            if code
        },
    }


def _digest(value: Any) -> str:
    text = json.dumps(json.loads(json.dumps(value)), sort_keys=True)  # all keys become text first
    return sha256(text.encode()).hexdigest()


def check_is_own(study: Study, folder: Path, warehouse: Path) -> None:
    """Refuse a run's folder that has the results of another input.

    A file that was moved or renamed is the same input as long as it asks for the same.

    `folder`: the run's.
    `warehouse`: where its warehouse is.
    Raises StudyError if the folder holds the results of another input.
    """
    if not (warehouse / PROVENANCE).is_file():
        return
    recorded = provenance.read(warehouse / PROVENANCE)
    file, own = folder / INPUT, study.path.name
    known = file.read_text(encoding="utf-8").strip() if file.is_file() else ""
    name = known.partition(" ")[2] or _study_of(recorded)
    if known == _input_of(study, folder) or (not known and name == own):  # of 0.1: the name alone
        return
    if _changed_parts(study, recorded, provenance.hashes(inputs_of(study))):
        other = f"another {name}" if name == own else name
        raise StudyError(
            f"{folder}: found the results of {other}, which {own} would replace; "
            "allowed a folder of its own: --output DIR or --set study.name=NAME; or this one once "
            "what is in it is moved or removed"
        )


def record_input(study: Study, folder: Path) -> None:
    """Note in a run's folder whose results it has: the file's name, and a digest of its place."""
    text = f"{_input_of(study, folder)}\n"
    write_text(folder / INPUT, text, follows=False)


def study_folder(folder: Path) -> Path | None:
    """Return the folder of the study whose results a run's folder has.

    `folder`: the run's.
    Result: None where the study is not in the current folder, in one above the run's, or in a
    folder of one of these: the run's folder knows a digest of its place only.
    """
    file = folder / INPUT
    known = file.read_text(encoding="utf-8").strip() if file.is_file() else ""
    name = Path(known.partition(" ")[2]).name
    if not name:
        return None
    bases = folder.resolve().parents[:NEAR]
    with suppress(FileNotFoundError):  # the current folder may be gone
        bases = (Path.cwd(), *bases)
    for base in bases:
        for path in (base / name, *sorted(base.glob(f"*/{escape(name)}"))):
            if path.is_file() and _place_of(path, folder) == known:
                return path.parent
    return None


def _input_of(study: Study, folder: Path) -> str:
    """Return a digest that identifies a study's file, without its place."""
    return _place_of(study.path, folder)


def _place_of(path: Path, folder: Path) -> str:
    path = path.resolve()
    try:
        seen = Path(os.path.relpath(path, folder.resolve())).as_posix()
    except ValueError:  # on another drive
        seen = path.as_posix()
    return f"{sha256(seen.encode()).hexdigest()[:DIGITS]} {path.name}"


def _study_of(recorded: Provenance) -> str:
    """Return the name of the file that a command runs."""
    try:
        words = shlex.split(recorded.command)
    except ValueError:  # of a call from Python
        words = []
    return words[len(PROGRAM)] if len(words) > len(PROGRAM) else "another study"


def read_run(study: Study, folder: Path, command: str) -> tuple[Warehouse, Provenance]:
    """Return what was measured, and its provenance under the study as it is now.

    `folder`: where the warehouse is.
    `command`: what makes the report of this study.
    Raises StudyError if nothing was executed yet, or with another seed, setup or data.
    Raises WarehouseError if what is stored is damaged, or storing it was broken off.
    """
    from reportgen.warehouse.files import read_warehouse, warehouse_digest

    file = folder / PROVENANCE
    if not file.exists():
        found, how = "nothing stored yet", "is measured"
        if (folder / JOURNAL).exists():
            found, how = "an execution that was interrupted", "goes on where it stopped"
        raise StudyError(f"{folder}: found {found}; allowed a whole run, which {how} by: {command}")
    recorded = provenance.read(file)
    inputs = provenance.hashes(inputs_of(study))
    other = _changed_parts(study, recorded, inputs)
    if other:
        raise StudyError(
            f"{folder}: found what was measured by `{recorded.command}` with another "
            f"{' and '.join(other)}; allowed what this study asks for, which is measured by: "
            f"{command}"
        )
    warehouse = read_warehouse(folder)
    if recorded.warehouse not in ("", warehouse_digest(folder)):
        raise WarehouseError(
            f"{folder}: found {PROVENANCE} of other results than are stored with it, as storing "
            "it was "
            f"broken off; allowed those of one run, which is stored by: {command}"
        )
    shown = redact_command(command, study.folder)
    origin = replace(recorded, command=shown, manifest=study.text, inputs=inputs)
    return warehouse, replace(origin, versions=provenance.reporting_versions(recorded))


def _changed_parts(study: Study, recorded: Provenance, inputs: Mapping[str, str]) -> list[str]:
    """Name what was another when the warehouse was filled."""
    now, then = study_digests(study), recorded.study_digests
    keys = [key for key in now if now[key] != then.get(key, now[key])]
    data = {n: sha for n, sha in inputs.items() if n != study.manifest}
    files = [n for n, sha in data.items() if recorded.inputs.get(n, sha) != sha]
    return keys or files


def _measured_part(data: Mapping[str, Any]) -> dict[str, Any]:
    """Return the part of a manifest on which the warehouse depends."""
    spelled = expand_shorthand(data)
    measures = spelled.get("measures") or ()
    return {
        "seed": spelled.get("seed", SEED) if spelled.get("setup") else None,
        "setup": spelled.get("setup"),
        "results": spelled.get("results"),
        "measures": [{k: v for k, v in entry.items() if k != "relevance"} for entry in measures],
    }
