"""Files beside a study that are named like modules: none of them is imported by chance."""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Callable, Sequence
from pathlib import Path

import pytest

from reportgen.module_path import module_path, safe_variables

pytestmark = pytest.mark.slow
ROOT = Path(__file__).resolve().parent.parent
COMMAND = Path(sys.executable).with_name("reportgen")
STUDY = """
seed: 1
measures: [misclassification]
setup:
  datasets: [iris]
  candidates: [lda, {name: knn, tune: {n_neighbors: [1, 5]}}]
  resampling: {scheme: bootstrap, replications: 3}
"""
ESTIMATORS = """
import json

from sklearn.base import BaseEstimator, ClassifierMixin

assert json.loads("[1]") == [1]


class Constant(ClassifierMixin, BaseEstimator):
    def fit(self, X, y):
        self.classes_ = sorted(set(y))
        return self

    def predict(self, X):
        return [self.classes_[0]] * len(X)
"""
OWN = "plugins: [estimators_of_mine]\n" + STUDY.replace(
    "[lda,", "[{name: constant, estimator: estimators_of_mine.Constant},"
)
PACKAGES = (
    *("click", "dask", "distributed", "IPython", "matplotlib", "numexpr", "numpy", "pandas"),
    *("reportgen", "sklearn", "weasyprint"),
)
LOADED_BY_NAME = ("conftest", "jupyter_config", "ipython_config", "mine", "setup", "_quarto")
EVERY = (
    *sorted(sys.stdlib_module_names),
    *PACKAGES,
    *LOADED_BY_NAME,
    *("sitecustomize", "usercustomize"),
)
LATER = ("json", "logging", "multiprocessing", "numpy", "sklearn", "typing")
"""Modules that nobody has imported before the program's first line."""

Call = Callable[..., subprocess.CompletedProcess[str]]


@pytest.fixture
def place(tmp_path: Path) -> Path:
    """Make a folder for a study, which is the working folder of the calls."""
    folder = tmp_path / "study"
    folder.mkdir()
    return folder


@pytest.fixture
def call(place: Path, tmp_path: Path) -> Call:
    """Return a function that runs a command beside files named like modules: none is imported."""

    def called(
        names: Sequence[str], *words: object, path: str = "", code: int = 0
    ) -> subprocess.CompletedProcess[str]:
        marks = tmp_path / "marks"
        marks.mkdir(exist_ok=True)
        for name in names:
            (place / f"{name}.py").write_text(f"open({str(marks / name)!r}, 'w').close()\n")
        others = {k: v for k, v in os.environ.items() if not k.startswith("PYTHON")}
        done = subprocess.run(
            [*map(str, words)],
            cwd=place,
            env={**others, "PYTHONPATH": path, "PYTHONDONTWRITEBYTECODE": "1"},
            capture_output=True,
            text=True,
            check=False,
        )
        assert sorted(mark.name for mark in marks.iterdir()) == []
        assert done.returncode == code, done.stdout + done.stderr
        return done

    return called


def write_script(tmp_path: Path, text: str) -> Path:
    """Write a script away from the study, for its folder is the first that Python looks in."""
    folder = tmp_path / "scripts"
    folder.mkdir()
    script = folder / "script_of_tests.py"
    script.write_text(text)
    return script


def test_files_do_run_where_python_looks_for_them(call: Call) -> None:
    with pytest.raises(AssertionError, match="multiprocessing"):
        call(LATER, sys.executable, "-c", "import multiprocessing")


@pytest.mark.skipif(not COMMAND.exists(), reason="the command is not installed beside Python")
@pytest.mark.parametrize(
    "verbs",
    [
        ("run", "report", "verify"),
        pytest.param(("check",), marks=pytest.mark.slow),
        pytest.param(("execute", "export"), marks=pytest.mark.slow),
    ],
    ids=" ".join,
)
def test_the_command_imports_nothing_that_lies_there(
    call: Call, place: Path, verbs: Sequence[str]
) -> None:
    (place / "study.yaml").write_text(STUDY)
    further = {
        "run": ("--jobs", "2", "--format", "html,json"),
        "report": ("--jobs", "2", "--format", "html,json"),
        "check": ("--probe",),
        "execute": ("--jobs", "2"),
        "export": (),
        "verify": (),
    }
    for verb in verbs:
        study = "output/study" if verb == "verify" else "study.yaml"
        call(EVERY, COMMAND, verb, study, *further[verb])


SETTINGS_BESIDE = {
    "matplotlibrc": "backend: module://mine\nfigure.hooks: mine:draw\nlines.linewidth: 40\n",
    "house.mplstyle": "lines.linewidth: 40\n",
    "dask.yaml": "distributed: {worker: {preload: [mine]}, scheduler: {preload: [mine]}}\n",
    "distributed.yaml": "distributed: {worker: {preload: [mine]}}\n",
    ".config/dask/dask.yaml": "distributed: {worker: {preload: [mine]}}\n",
    "_quarto.yml": "project: {type: default, pre-render: mine.py}\n",
    "pyvenv.cfg": "home = .\n",
    "mine.pth": "import mine\n",
    "pytest.ini": "[pytest]\naddopts = -p mine\n",
}
"""What programs and packages read of a working folder, or where they are told to."""


@pytest.mark.skipif(not COMMAND.exists(), reason="the command is not installed beside Python")
def test_settings_beside_a_study_load_nothing_and_change_no_figure(call: Call, place: Path) -> None:
    (place / "study.yaml").write_text(STUDY)
    words = (COMMAND, "run", "study.yaml", "--jobs", "1", "--format", "html,json", "--output")
    call((), *words, "before")
    for name, text in SETTINGS_BESIDE.items():
        (place / name).parent.mkdir(parents=True, exist_ok=True)
        (place / name).write_text(text)
    call(LOADED_BY_NAME, *words, "after")
    drawn = [
        {file.name: file.read_bytes() for file in (place / out / "study/figures").iterdir()}
        for out in ("before", "after")
    ]
    assert drawn[0]
    assert drawn[0] == drawn[1]


RUN = ("-m", "reportgen", "run", "study.yaml", "--jobs", "2", "--format", "json")


@pytest.mark.slow
def test_python_with_a_safe_path_imports_nothing_that_lies_there(call: Call, place: Path) -> None:
    (place / "study.yaml").write_text(STUDY)
    call(EVERY, sys.executable, "-P", *RUN)


def test_python_imports_nothing_after_the_first_line(call: Call, place: Path) -> None:
    (place / "study.yaml").write_text(STUDY)
    call((*LATER, "sitecustomize"), sys.executable, *RUN)


@pytest.mark.slow
@pytest.mark.parametrize("path", [os.pathsep, f".{os.pathsep}{ROOT}", f"{ROOT}{os.pathsep}"])
def test_entries_of_the_path_that_name_no_folder(call: Call, place: Path, path: str) -> None:
    (place / "study.yaml").write_text(STUDY)
    call(LATER, sys.executable, "-P", *RUN, path=path)


@pytest.mark.slow
def test_python_that_ignores_its_environment_needs_a_safe_path(call: Call, place: Path) -> None:
    (place / "study.yaml").write_text(STUDY)
    told = call((), sys.executable, "-E", *RUN, code=2)
    assert "found Python's option -E" in told.stderr
    call(LATER, sys.executable, "-E", "-P", *RUN)


def test_workers_of_a_script_import_nothing_that_lies_there(
    call: Call, place: Path, tmp_path: Path
) -> None:
    (place / "study.yaml").write_text(STUDY)
    text = (
        "import os\n"
        "import reportgen as rg\n"
        "from reportgen.crew import _can_share_locks, parallel_mapper\n"
        "if __name__ == '__main__':\n"
        "    names = ('PYTHONPATH', 'PYTHONSAFEPATH')\n"
        "    before = [os.environ.get(name) for name in names]\n"
        "    assert _can_share_locks()\n"
        "    with parallel_mapper(2, patience=0.0) as mapper:\n"
        "        assert list(mapper(abs, [-1, -2, -3])) == [1, 2, 3]\n"
        "    rg.run('study.yaml', jobs=2)\n"
        "    assert [os.environ.get(name) for name in names] == before\n"
    )
    call(EVERY, sys.executable, write_script(tmp_path, text))


ON_A_CLUSTER = """
from distributed import LocalCluster
from reportgen.cli import main

if __name__ == "__main__":
    options = {"n_workers": 1, "threads_per_worker": 1, "processes": False}
    with LocalCluster(dashboard_address=None, host="127.0.0.1", protocol="tcp", **options) as found:
        words = ["run", "study.yaml", "--allow-plugins", "--format", "json"]
        main([*words, "--cluster", found.scheduler_address])
"""


@pytest.mark.slow
@pytest.mark.parametrize("text", [STUDY, OWN], ids=["built-in", "own"])
def test_processes_of_a_cluster_import_nothing_that_lies_there(
    call: Call, place: Path, tmp_path: Path, text: str
) -> None:
    (place / "study.yaml").write_text(text)
    (place / "estimators_of_mine.py").write_text(ESTIMATORS)
    told = call(EVERY, sys.executable, write_script(tmp_path, ON_A_CLUSTER))
    assert "0 of 6 values missing" in told.stdout + told.stderr


def test_a_module_that_may_be_loaded_brings_no_other_along(call: Call, place: Path) -> None:
    (place / "study.yaml").write_text(OWN)
    (place / "estimators_of_mine.py").write_text(ESTIMATORS)
    told = call(EVERY, sys.executable, "-P", *RUN, code=2)
    assert "found estimators_of_mine, whose code would run here" in told.stderr
    told = call(EVERY, sys.executable, "-P", *RUN, "--allow-plugins")
    assert "0 of 6 values missing" in told.stdout + told.stderr


def test_a_module_that_is_not_listed_is_told(call: Call, place: Path) -> None:
    (place / "study.yaml").write_text(OWN)
    (place / "estimators_of_mine.py").write_text(f"import rule_of_mine\n{ESTIMATORS}")
    (place / "rule_of_mine.py").write_text("RULE = 1\n")
    told = call((), sys.executable, "-P", *RUN, "--allow-plugins", code=2)
    said = " ".join(told.stderr.split())
    assert "(No module named 'rule_of_mine'); allowed beside the manifest: under plugins:" in said
    both = OWN.replace("[estimators_of_mine]", "[estimators_of_mine, rule_of_mine]")
    (place / "study.yaml").write_text(both)
    call((), sys.executable, "-P", *RUN, "--allow-plugins")


@pytest.mark.slow
def test_a_program_in_python_imports_nothing_that_lies_there(call: Call, place: Path) -> None:
    program = (
        "import json, sys\n"
        "learn, test, answer = sys.argv[1:]\n"
        "n = len(open(test).read().splitlines()) - 1\n"
        "open(answer, 'w').write('\\n'.join(['prediction', *['0'] * n]))\n"
    )
    (place / "program.py").write_text(program)
    words = f'[{sys.executable}, program.py, "{{learn}}", "{{test}}", "{{predictions}}"]'
    candidate = f"[{{name: own, format: csv, command: {words}}},"
    (place / "study.yaml").write_text(STUDY.replace("[lda,", candidate))
    told = call(LATER, sys.executable, "-P", *RUN, "--allow-plugins")
    assert "0 of 6 values missing" in told.stdout + told.stderr


def test_a_relative_folder_of_pythonpath_is_left_once_reportgen_begins(
    call: Call, place: Path
) -> None:
    """What Python itself imports before (sitecustomize, with -m runpy) is not held back."""
    (place / "study.yaml").write_text(STUDY)
    (place / "evil").mkdir()
    (place / "evil" / "json.py").write_text("open('json was here', 'w').close()")
    call((), sys.executable, "-P", *RUN, path="evil")
    assert not (place / "json was here").exists()


def test_only_folders_that_are_named_stay_in_the_path(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    here, there, standard = str(tmp_path), str(tmp_path / "there"), os.path.dirname(os.__file__)  # noqa: PTH120
    monkeypatch.setattr(sys, "path", ["", here, there, standard, "", here])
    monkeypatch.setenv("PYTHONPATH", os.pathsep.join(["", there, ".", "x"]))
    assert module_path() == [there, standard, here]
    assert safe_variables() == {"PYTHONSAFEPATH": "1", "PYTHONPATH": there}
    monkeypatch.setattr(sys, "path", [str(tmp_path / "x"), "x", there, standard])
    assert module_path() == [there, standard]
    monkeypatch.setattr(sys, "path", ["", here, there, standard, "", here])
    monkeypatch.setenv("PYTHONPATH", here)
    assert module_path() == [here, there, standard, here]
