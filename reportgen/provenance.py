"""Provenance: versions, machine, digests of the inputs, and the date."""

from __future__ import annotations

import json
import logging
import os
import platform
import subprocess
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import asdict, replace
from datetime import UTC, datetime
from hashlib import file_digest, sha256
from importlib.metadata import PackageNotFoundError, packages_distributions, version
from pathlib import Path
from typing import Any

from pydantic import TypeAdapter, ValidationError

from reportgen.errors import SetupError, WarehouseError
from reportgen.file_writing import write_text
from reportgen.installation import EPOCH, epoch_fault
from reportgen.json_text import read_json
from reportgen.report import MeasuredWith, Provenance
from reportgen.version import __version__

PACKAGES = (
    "numpy",
    "scipy",
    "pandas",
    "scikit-learn",
    "matplotlib",
    "weasyprint",
)

log = logging.getLogger(__name__)

DIGEST = "digest"  # the key of provenance.json with that of all others
EVERY_FIT = ("numpy", "scipy", "scikit-learn")
"""Packages on which every fit depends; a candidate's own packages are part of its definition."""


def collect(
    inputs: Mapping[str, str],
    *,
    manifest: str,
    command: str,
    folder: Path,
    execution: Mapping[str, Any],
    study_digests: Mapping[str, str],
    warehouse: str,
    measured_with: tuple[MeasuredWith, ...] = (),
    plugins: Sequence[str] = (),
) -> Provenance:
    """Describe this run of the program.

    `inputs`: SHA-256 of everything that went in, by its name.
    `manifest`, `command`: see `Provenance`.
    `folder`: the study's folder, whose repository's revision is recorded.
    `execution`: Facts about the execution, JSON values.
    `study_digests`, `warehouse`, `measured_with`: see `Provenance`.
    `plugins`: packages, by the name they are imported by, whose versions are recorded, too.
    """
    return Provenance(
        date=timestamp(),
        command=command,
        versions=computing_versions() | plugin_versions(plugins),
        **machine(),
        inputs=dict(inputs),
        manifest=manifest,
        commit=_commit(folder),
        execution=dict(execution),
        study_digests=dict(study_digests),
        warehouse=warehouse,
        measured_with=measured_with,
    )


def computing_versions() -> dict[str, str]:
    """Return the versions of all that computes and draws."""
    return installed_versions(PACKAGES)


def reporting_versions(recorded: Provenance) -> dict[str, str]:
    """Return the versions of all that computes and draws now, and of the plug-ins of a run.

    `recorded`: of the run: its plug-ins took part in the fits, and need not be installed here.
    """
    own = {"Python", "reportgen", *PACKAGES}
    plugins = {name: v for name, v in recorded.versions.items() if name not in own}
    return computing_versions() | plugins


def machine() -> dict[str, str]:
    """Return platform and processor."""
    return {"platform": f"{platform.system()} {platform.machine()}", "processor": _processor()}


def linear_algebra() -> str:
    """Return the libraries of linear algebra, with the kernels that they have chosen.

    Such as "openblas 0.3.31 Haswell"; "" where nothing is known. The last bits of what they
    compute differ between kernels, which are chosen by the processor.
    """
    from threadpoolctl import threadpool_info

    found = (info for info in threadpool_info() if info["user_api"] == "blas")
    keys = ("internal_api", "version", "architecture")
    names = {" ".join(str(info[key]) for key in keys if info.get(key)) for info in found}
    return ", ".join(sorted(names))


def plugin_versions(packages: Iterable[str]) -> dict[str, str]:
    """Return the versions of the distributions that bring packages; what has none is left out."""
    packages = tuple(packages)
    brought = packages_distributions() if packages else {}
    names = [name for package in packages for name in brought.get(package, (package,))]
    return _known_versions(dict.fromkeys(names))


def measuring_versions() -> dict[str, str]:
    """Return the versions of what every fit in this process and its workers depends on."""
    return installed_versions(EVERY_FIT)


def hashes(inputs: Mapping[str, Path]) -> dict[str, str]:
    """Return the SHA-256 of files by their names; of a folder, that of all its files' hashes."""
    return {name: _hash(path) for name, path in inputs.items()}


def _hash(path: Path) -> str:
    if path.is_dir():
        files = sorted(file for file in path.rglob("*") if file.is_file() and not file.is_symlink())
        lines = [f"{_hash(file)}  {file.relative_to(path).as_posix()}\n" for file in files]
        return sha256("".join(lines).encode()).hexdigest()
    with path.open("rb") as file:
        return file_digest(file, "sha256").hexdigest()


def as_reported(recorded: Provenance, results: Path) -> Provenance:
    """Return the provenance that a report states, with what it does not state as recorded.

    `recorded`: of the warehouse.
    `results`: the report's results.json; where there is none, all is as recorded.
    Raises WarehouseError if the file is no results.json.
    """
    if not results.exists():
        return recorded
    try:
        stated = read_json(results)["provenance"]
        return _provenance(asdict(recorded) | stated)
    except (OSError, ValueError, TypeError, KeyError, AttributeError) as error:
        found, allowed = f"no provenance of a report ({error})", "a results.json as it was written"
        raise WarehouseError(f"{results}: found {found}; allowed {allowed}") from error


def is_of_one_run(stated: Provenance, recorded: Provenance, manifest: str) -> bool:
    """Whether a report is of what was recorded, as far as both say.

    `manifest`: the name of the input that may have changed since, as to its analysis.
    """
    inputs, known = (
        {n: sha for n, sha in x.inputs.items() if n != manifest} for x in (stated, recorded)
    )
    common = inputs.keys() & known.keys()
    return (
        (stated.date, stated.execution) == (recorded.date, recorded.execution)
        and all(inputs[name] == known[name] for name in common)
        and bool(common or not inputs or not known)
    )


def _provenance(known: Mapping[str, Any]) -> Provenance:
    """Check that each part is of its kind: whoever wrote it."""
    try:
        return TypeAdapter(Provenance).validate_json(json.dumps(known), strict=True)
    except ValidationError as error:
        first = error.errors()[0]
        raise ValueError(f"{'.'.join(map(str, first['loc']))}: {first['msg']}") from None


def settle(fresh: Provenance, file: Path, *, measured: bool) -> Provenance:
    """Keep the recorded date where nothing has changed since, and store the rest.

    `fresh`: of this run.
    `file`: where the warehouse keeps its provenance.
    `measured`: whether this run measured anything new; if not, the recorded facts of the execution
    stay.
    """
    recorded = read(file) if file.is_file() else None
    if recorded and not measured:
        fresh = replace(fresh, execution=recorded.execution)
        if replace(fresh, date=recorded.date) == recorded:
            return recorded
    file.parent.mkdir(parents=True, exist_ok=True)
    write_text(file, as_text(fresh), follows=False)
    return fresh


def as_text(known: Provenance) -> str:
    """Write provenance as `read` reads it, with a digest that tells what has been changed since."""
    own = asdict(known)
    return json.dumps({**own, DIGEST: _digest(own)}, indent=2, ensure_ascii=False)


def _digest(known: Mapping[str, Any]) -> str:
    """Return the SHA-256 of what is stated, however it is laid out."""
    return sha256(json.dumps(known, sort_keys=True).encode()).hexdigest()


def read(file: Path) -> Provenance:
    """Return the provenance that a warehouse keeps.

    Raises WarehouseError if the file is no provenance.
    """
    try:
        known = read_json(file)
        digest = known.pop(DIGEST, None)
        if digest not in (None, _digest(known)):
            raise ValueError("changed since it was written")
        if digest is None:
            log.warning(
                "%s: without digest, as of version 0.2: what has been changed is not found", file
            )
        if "asked" in known:  # the key of version 0.1
            known["study_digests"] = known.pop("asked")
        if odd := known.keys() - Provenance.__dataclass_fields__.keys():
            raise ValueError(f"{min(odd)[:60]!r}, which nobody knows")
        return _provenance(known)
    except (OSError, ValueError, TypeError, AttributeError) as error:
        raise WarehouseError(
            f"{file}: found no provenance of a warehouse ({error}); allowed one as reportgen has "
            "stored it"
        ) from error


def timestamp() -> str:
    """Return the present date and time (UTC, ISO 8601), SOURCE_DATE_EPOCH where it is set.

    Raises SetupError if that is no number of seconds.
    """
    epoch = os.environ.get(EPOCH)
    if fault := epoch_fault(epoch):
        raise SetupError(fault)
    now = datetime.fromtimestamp(int(epoch), UTC) if epoch else datetime.now(UTC)
    return now.isoformat(timespec="seconds").replace("+00:00", "Z")


def installed_versions(packages: Iterable[str]) -> dict[str, str]:
    """Return the versions of Python, of this program and of those packages that are installed."""
    base = {"Python": platform.python_version(), "reportgen": __version__}
    return base | _known_versions(packages)


def _known_versions(packages: Iterable[str]) -> dict[str, str]:
    found = {}
    for package in packages:
        try:
            found[package] = version(package)
        except PackageNotFoundError:
            continue
    return found


def _processor() -> str:
    try:
        lines = Path("/proc/cpuinfo").read_text(encoding="utf-8").splitlines()
    except OSError:
        return platform.processor()
    models = (line.split(":", 1)[1].strip() for line in lines if line.startswith("model name"))
    return next(models, platform.processor())


def _commit(folder: Path) -> str:
    command = ["git", "-C", str(folder), "rev-parse", "HEAD"]
    try:
        found = subprocess.run(command, capture_output=True, text=True, timeout=10, check=False)
    except (OSError, subprocess.TimeoutExpired):
        return ""
    return found.stdout.strip() if found.returncode == 0 else ""
