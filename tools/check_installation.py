"""Install what users install, in clean environments, and use it.

    python tools/check_installation.py [--pythons 3.12,3.13,3.14]

Builds wheel and sdist; installs them with pip and uv, with the newest packages and with the lowest
that pyproject.toml allows; calls the program, also as a module, and the API there, runs the
quickstart, checks every example and a study of `reportgen init`, and prints how large each
environment is (pip compiles modules, uv does not) and how long the API takes to import. Runs the
wheel by uvx and pipx, which install nothing that stays. Then resolves the dependencies for other
Pythons, of wheels alone: these are not run here. Needs the network, and uv beside this Python.
"""

from __future__ import annotations

import argparse
import os
import subprocess
import sys
import venv
from collections.abc import Sequence
from pathlib import Path
from tempfile import TemporaryDirectory

ROOT = Path(__file__).resolve().parent.parent
UV = Path(sys.executable).parent / "uv"
CALL = """
import sys, time
begin = time.perf_counter()
import reportgen
imported = time.perf_counter() - begin
errors = {"lda": [0.30, 0.32, 0.29, 0.31, 0.33, 0.28], "svm": [0.2, 0.21, 0.18, 0.22, 0.19, 0.2]}
study = reportgen.compare(errors, measure="misclassification", name="toy")
assert study.check("svm better than lda"), study
study.report("out", formats=["html"])
assert not {"IPython", "pytest"} & set(sys.modules)
print(f"import {imported:.3f} s")
"""
ROWS = [
    f"toy,{b},{candidate},misclassification,{value + b / 1000}"
    for b in range(5)
    for candidate, value in (("lda", 0.3), ("svm", 0.2))
]


def call(command: Sequence[object], folder: Path, **more: object) -> str:
    """Run a command in a folder that does not know the checkout; end with its output if it fails.

    `more` are variables of its environment.
    """
    known = {name: value for name, value in os.environ.items() if not name.startswith("PYTHON")}
    done = subprocess.run(
        [str(part) for part in command],
        cwd=folder,
        env=known | {name: str(value) for name, value in more.items()},
        capture_output=True,
        text=True,
        check=False,
    )
    if done.returncode:
        sys.exit(f"{' '.join(map(str, command))}\n{done.stdout}{done.stderr}")
    return done.stdout.strip()


def check(package: Path, kind: str, folder: Path) -> str:
    """Install a package in a new environment, use it, and say how that went.

    Parameters
    ----------
    package : Path
        Wheel or sdist.
    kind : {"pip", "uv", "lowest"}
        What installs it; the lowest packages through uv.
    folder : Path
        For the environment.
    """
    home = folder / f"{kind}-{package.suffix.lstrip('.')}"
    venv.create(home, with_pip=kind == "pip")
    python = home / "bin" / "python"
    if kind == "pip":
        call([python, "-m", "pip", "install", "--quiet", package], folder)
    elif kind == "uv":
        call([UV, "pip", "install", "--quiet", "--python", python, package], folder)
    else:
        install = [UV, "pip", "install", "--quiet", "--python", python]
        lowest = ["--resolution", "lowest-direct", "-r", ROOT / "pyproject.toml"]
        call([*install, *lowest], folder)
        call([*install, "--no-deps", package], folder)
    work = work_folder(home)
    program = home / "bin" / "reportgen"
    told = {
        call([program, "--version"], work),
        call([python, "-m", "reportgen", "--version"], work),
    }
    if told != {f"reportgen {version_of(package)}"}:
        sys.exit(f"{package.name}: found {' and '.join(sorted(told))} as its version")
    call([program, "run", "toy.csv", "--format", "html,pdf"], work)
    call([program, "init", "quickstart", "--example", "quickstart"], work)
    call([python, "-m", "reportgen", "run", "quickstart/study.yaml"], work)
    call([program, "init", "mine"], work)
    call([program, "check", "mine/study.yaml"], work)
    for study in sorted((ROOT / "studies").glob("*.yaml")):
        call([program, "init", study.stem, "--example", study.stem], work / "examples")
        call([program, "check", f"{study.stem}/study.yaml"], work / "examples")
    call([python, "-c", CALL], work)  # compiles all modules
    said = call([python, "-c", CALL], work)
    size = sum(f.stat().st_size for f in (home / "lib").rglob("*") if f.is_file()) / 1e6
    return f"{kind:7} {package.name:32} {size:5.0f} MB, {said}"


def work_folder(home: Path) -> Path:
    """Make a folder with a file of results, and one for examples."""
    work = home / "work"
    (work / "examples").mkdir(parents=True)
    head = "dataset,replication,candidate,measure,value"
    (work / "toy.csv").write_text("\n".join([head, *ROWS, ""]), encoding="utf-8")
    return work


def version_of(package: Path) -> str:
    """Return the version in the name of a wheel or an sdist."""
    return package.name.removesuffix(".tar.gz").split("-")[1]


def run_once(wheel: Path, kind: str, folder: Path) -> str:
    """Run a wheel without installing it, and say how that went.

    Parameters
    ----------
    wheel : Path
    kind : {"uvx", "pipx"}
    folder : Path
        For what they keep.
    """
    work = work_folder(folder / kind)
    words: list[object] = [UV, "tool", "run"]
    words += ["--from", wheel] if kind == "uvx" else ["pipx", "run", "--spec", wheel]
    call([*words, "reportgen", "run", "toy.csv"], work, PIPX_HOME=folder / "pipx-home")
    names = sorted(path.name for path in (work / "output" / "toy").glob("report.*"))
    return f"{kind:7} {wheel.name:32} wrote {', '.join(names)}"


def resolve(python: str, folder: Path) -> str:
    """Resolve the dependencies for another Python, of wheels alone."""
    target = folder / f"requirements-{python}.txt"
    options = ["--python-version", python, "--only-binary", ":all:", "--quiet", "-o", target]
    call([UV, "pip", "compile", ROOT / "pyproject.toml", *options], folder)
    lines = target.read_text(encoding="utf-8").splitlines()
    n = sum("==" in line for line in lines)
    return f"Python {python}: {n} packages, all of them wheels; not run here"


def main() -> None:
    """Check all."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("--pythons", default="3.12,3.13,3.14")
    given = parser.parse_args()
    with TemporaryDirectory() as name:
        folder = Path(name)
        call([sys.executable, "-m", "build", "--no-isolation", "--outdir", folder, ROOT], folder)
        wheel, sdist = next(folder.glob("*.whl")), next(folder.glob("*.tar.gz"))
        for package, kind in ((wheel, "pip"), (wheel, "uv"), (wheel, "lowest"), (sdist, "pip")):
            print(check(package, kind, folder), flush=True)
        for kind in ("uvx", "pipx"):
            print(run_once(wheel, kind, folder), flush=True)
        for python in given.pythons.split(","):
            print(resolve(python, folder), flush=True)


if __name__ == "__main__":
    main()
