"""Compare the reports of the example studies under the kernels of several processors.

OpenBLAS has kernels of its own for each kind of processor, which round differently. A study is
executed once, and its report is made under each kernel: all that is a word, a whole number, a
decision or missing must be the same, and so must numbers but for rounding.

    python tools/compare_kernels.py Haswell Nehalem
    python tools/compare_kernels.py Haswell Nehalem --study studies/cars.yaml
"""

from __future__ import annotations

import argparse
import json
import os
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from pathlib import Path
from typing import Any

STUDIES = ("studies/quickstart.yaml", "studies/cars.yaml")
FEW = ("--set", "setup.resampling.replications=25")  # of these: what is compared is rounding
RELATIVE = 1e-6  # iterations stop at 1e-6 or nearer, and rounding is far below
ABSOLUTE = 1e-9  # what is 0 but for rounding: numbers of results are of the size of measures
UNSTEADY = ("/provenance",)  # when and where a report was made


def differences(first: Any, second: Any, place: str = "") -> Iterator[str]:
    """Yield where two JSON documents differ by more than the rounding of numbers.

    Parameters
    ----------
    first, second
        What `json.load` returns.
    place : str
        Of both in their documents.
    """
    if place in UNSTEADY:
        return
    if isinstance(first, dict) and isinstance(second, dict):
        if list(first) != list(second):
            yield f"{place}: keys {list(first)} and {list(second)}"
        for key in first.keys() & second.keys():
            yield from differences(first[key], second[key], f"{place}/{key}")
    elif isinstance(first, list) and isinstance(second, list):
        if len(first) != len(second):
            yield f"{place}: {len(first)} and {len(second)} elements"
        for number, both in enumerate(zip(first, second, strict=False)):
            yield from differences(*both, f"{place}/{number}")
    elif not _same(first, second):
        yield f"{place}: {first!r} and {second!r}"


def _same(first: Any, second: Any) -> bool:
    """Whether two values are the same, numbers that are not whole but for rounding."""
    if type(first) is float and type(second) is float:
        both_missing = first != first and second != second
        apart = abs(first - second)
        return (
            first == second
            or both_missing
            or apart <= ABSOLUTE + RELATIVE * max(abs(first), abs(second))
        )
    return type(first) is type(second) and bool(first == second)


def results(study: str, kernel: str, executed: Path, place: Path, *more: str) -> Any:
    """Make the report of an executed study under a kernel and return its results.json."""
    output = place / kernel
    shutil.copytree(executed, output)
    _reportgen("report", study, "--format", "json", *more, output=output, kernel=kernel)
    (found,) = output.glob("*/results.json")
    return json.loads(found.read_text(encoding="utf-8"))


def in_use(kernel: str) -> str:
    """Name the kernels that OpenBLAS takes where one is wanted."""
    program = (
        "import numpy, scipy.linalg, threadpoolctl as t;"
        "print(*sorted({i.get('architecture', '') for i in t.threadpool_info()}))"
    )
    found = subprocess.run(
        [sys.executable, "-c", program],
        env={**os.environ, "OPENBLAS_CORETYPE": kernel},
        check=True,
        capture_output=True,
        text=True,
    )
    return found.stdout.strip()


def _reportgen(*words: str, output: Path, kernel: str) -> None:
    environment = {
        **os.environ,
        "OPENBLAS_CORETYPE": kernel,
        "OMP_NUM_THREADS": "1",
        "SOURCE_DATE_EPOCH": "0",
    }
    command = [sys.executable, "-m", "reportgen", *words, "--output", str(output), "--quiet"]
    subprocess.run(command, env=environment, check=True, stdout=subprocess.DEVNULL)


def main() -> int:
    """Compare the kernels and return how the program ends."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("kernels", nargs="+", help="values of OPENBLAS_CORETYPE")
    parser.add_argument("--study", action="append", help="a manifest; repeatable")
    asked = parser.parse_args()
    kernels, is_same = list(dict.fromkeys(asked.kernels)), True
    for kernel in kernels:
        print(f"{kernel}: OpenBLAS uses {in_use(kernel) or 'a kernel without a name'}")
    for study in asked.study or STUDIES:
        with tempfile.TemporaryDirectory() as folder:
            executed = Path(folder, "executed")
            more = FEW if study in STUDIES else ()
            _reportgen("execute", study, *more, output=executed, kernel=kernels[0])
            first, *others = [results(study, k, executed, Path(folder), *more) for k in kernels]
        for kernel, other in zip(kernels[1:], others, strict=True):
            found = list(differences(first, other))
            is_same = is_same and not found
            print(f"{study}: {kernels[0]} and {kernel} differ in {len(found)} places")
            print("".join(f"    {line}\n" for line in found[:50]), end="")
    return 0 if is_same else 1


if __name__ == "__main__":
    sys.exit(main())
