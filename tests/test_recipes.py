"""Recipes of continuous integration: their commands run in order, by the installed wheel.

They run in a repository whose study has an estimator of its own.
"""

from __future__ import annotations

import json
import os
import re
import shutil
import subprocess
from collections.abc import Iterator
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import pytest
from ruamel.yaml import YAML

from reportgen.history.entries import read_history
from reportgen.study.schema import SEED as DEFAULT_SEED
from tests.installed import ROOT, foreign_environment
from tests.rendering.test_site import dead_links

ACTION = ROOT / ".github/actions/reportgen"
RECIPES = ROOT / "docs/recipes"
EXPRESSION = re.compile(
    r"\$\{\{\s*([\w.-]+)(?: == '(?P<asked>\w+)' && '(?P<flag>[\w-]+)' \|\| '')?\s*\}\}"
)
OWN_CODE = re.compile(r"# (?=allow-(?:plugins|templates): true)")
"""What a user takes out of a recipe whose study has modules and templates of its own."""
TEMPLATE = """{% extends "house/sections/inference.md.j2" %}
{% block title %}A title of mine{% endblock %}
"""
KNOWN = {  # what a runner would put into expressions
    "github.token": "secret",
    "github.run_id": "1",
    "github.run_number": "7",
    "github.event.pull_request.number": "12",
    "runner.os": "Linux",
}
OWN_ACTION = "OWNER/reportgen/.github/actions/reportgen@"
USED = {
    *("actions/checkout@v4", "actions/setup-python@v5", "actions/upload-artifact@v4"),
    *("actions/cache/restore@v4", "actions/cache/save@v4"),
    *("actions/upload-pages-artifact@v3", "actions/deploy-pages@v4"),
}
STUDY = """
plugins: [estimators_of_mine]
measures: [misclassification]
setup:
  datasets: [iris]
  candidates: [lda, {name: constant, estimator: estimators_of_mine.Constant}]
  resampling: {scheme: bootstrap, replications: 6}
sections: [inference]
report: {formats: [html]}
expect: [no failures]
"""
ESTIMATORS = """
from sklearn.base import BaseEstimator, ClassifierMixin

PLACE = 0


class Constant(ClassifierMixin, BaseEstimator):
    def fit(self, X, y):
        self.classes_ = sorted(set(y))
        return self

    def predict(self, X):
        return [self.classes_[PLACE]] * len(X)
"""


@dataclass(frozen=True)
class Step:
    """A command of a recipe, with its environment."""

    command: str
    environment: dict[str, str]


def read(text: str) -> Any:
    """Read YAML."""
    return YAML(typ="safe").load(text)


def recipe(name: str) -> str:
    """Return the text of a recipe."""
    return (RECIPES / name).read_text(encoding="utf-8")


def filled(text: str, known: dict[str, str]) -> str:
    """Replace the expressions of a workflow by their values."""

    def value(found: re.Match[str]) -> str:
        if found["asked"] is None:
            return known[found[1]]
        return found["flag"] if known[found[1]] == found["asked"] else ""

    return EXPRESSION.sub(value, text)


def steps_of_action(given: dict[str, str | bool], outer: dict[str, str]) -> Iterator[Step]:
    """Yield the commands of our action."""
    action = read((ACTION / "action.yml").read_text(encoding="utf-8"))
    assert set(given) <= set(action["inputs"])
    inputs = {name: entry.get("default", "") for name, entry in action["inputs"].items()}
    for name, value in given.items():  # GitHub makes text of whatever is given
        inputs[name] = filled(str(value).lower() if isinstance(value, bool) else value, outer)
    known = KNOWN | {f"inputs.{name}": value for name, value in inputs.items()}
    for step in action["runs"]["steps"]:
        needed = re.findall(r"inputs\.(\w+) != ''", step.get("if", ""))
        if "run" in step and all(inputs[name] for name in needed):
            assert step["shell"] == "bash"
            assert "${{" not in step["run"], "an expression in a command could be one itself"
            own = {key: filled(value, known) for key, value in step.get("env", {}).items()}
            yield Step(step["run"], own | {"GITHUB_ACTION_PATH": str(ACTION)})
        elif "uses" in step:
            assert step["uses"] in USED
            filled(str(step["with"]), known)


def steps_of_workflow(text: str, known: dict[str, str]) -> Iterator[Step]:
    """Yield the commands of a workflow, and those of our action where it is used."""
    workflow = read(text)
    assert workflow["permissions"]["contents"] == "read"
    (job,) = workflow["jobs"].values()
    for step in job["steps"]:
        if "run" in step:
            assert "${{" not in step["run"]
            own = {key: filled(value, known) for key, value in step.get("env", {}).items()}
            yield Step(step["run"], own)
        elif step["uses"].startswith(OWN_ACTION):
            yield from steps_of_action(step["with"], known)
        else:
            assert step["uses"] in USED


@dataclass(frozen=True)
class Repository:
    """A repository with a study, of which two revisions differ.

    Attributes
    ----------
    folder : Path
    programs : str
        Folders of what commands call.
    base : str
        The first revision.
    """

    folder: Path
    programs: str
    base: str

    def run(self, step: Step) -> subprocess.CompletedProcess[str]:
        """Run a command of a recipe."""
        environment = {
            **foreign_environment(),
            "PATH": f"{self.programs}{os.pathsep}{os.environ['PATH']}",
            "PIP_NO_INDEX": "1",
            "PIP_NO_DEPS": "1",
            "GITHUB_STEP_SUMMARY": str(self.folder / "summary.md"),
            **step.environment,
        }
        return subprocess.run(
            ["bash", "-euo", "pipefail", "-c", step.command],
            cwd=self.folder,
            env=environment,
            capture_output=True,
            text=True,
            check=False,
        )


def program(file: Path, text: str) -> None:
    """Write a program."""
    file.write_text(text, encoding="utf-8")
    file.chmod(0o755)


def git(folder: Path, *words: str) -> str:
    """Run git without a reader's settings."""
    who = ["-c", "user.name=A", "-c", "user.email=a@example.org", "-c", "commit.gpgsign=false"]
    done = subprocess.run(
        ["git", "-C", str(folder), *who, *words], capture_output=True, text=True, check=True
    )
    return done.stdout.strip()


@pytest.fixture
def repository(tmp_path: Path, binaries: Path) -> Repository:
    """Return a repository whose second revision has another estimator."""
    folder, programs = tmp_path / "repository", tmp_path / "bin"
    folder.mkdir()
    programs.mkdir()
    python = binaries / "python"
    program(programs / "pip", f'#!/bin/sh\nexec "{python}" -m pip "$@"\n')
    program(  # the action's checkout is what the wheel was built of
        programs / "python", f'#!/bin/sh\ntest "$2" = pip && exit 0\nexec "{python}" "$@"\n'
    )
    program(programs / "gh", '#!/bin/sh\nprintf "%s\\n" "$@" > gh.txt\n')
    (folder / "study.yaml").write_text(STUDY, encoding="utf-8")
    module = folder / "estimators_of_mine.py"
    module.write_text(ESTIMATORS, encoding="utf-8")
    git(folder, "init", "-q", "-b", "main")
    git(folder, "add", ".")
    git(folder, "commit", "-q", "-m", "first")
    base = git(folder, "rev-parse", "HEAD")
    module.write_text(ESTIMATORS.replace("PLACE = 0", "PLACE = 1"), encoding="utf-8")
    git(folder, "checkout", "-q", "-b", "mine")
    git(folder, "commit", "-q", "-a", "-m", "second")
    return Repository(folder, f"{programs}{os.pathsep}{binaries}", base)


def check_results(repository: Repository, seed: int) -> None:
    """Look at what a recipe leaves: report, site, gates, and the seed in the run."""
    folder = repository.folder
    results = json.loads((folder / "output/study/results.json").read_text(encoding="utf-8"))
    assert results["design"]["seed"] == seed
    assert (folder / "public/study/report.html").exists()
    assert dead_links(folder / "public") == []
    assert (folder / "gates.xml").exists()
    if (folder / "history.parquet").exists():
        index = (folder / "public/index.html").read_text(encoding="utf-8")
        assert '<a href="history/history.html">History</a>' in index


def run_all(repository: Repository, steps: Iterator[Step]) -> str:
    """Run commands in order; each ends well. Return what they write to standard error."""
    told = ""
    for step in steps:
        done = repository.run(step)
        assert done.returncode == 0, (step.command, done.stdout, done.stderr)
        told += done.stderr
    return told


def refused(done: subprocess.CompletedProcess[str]) -> None:
    """Look at how a recipe ends whose study has code that is not allowed."""
    assert done.returncode == 2, (done.stdout, done.stderr)
    assert (
        "found estimators_of_mine, whose code would run here; allowed with --allow" in done.stderr
    )


@pytest.mark.slow
def test_a_pull_request_is_compared_with_its_base(repository: Repository) -> None:
    known = KNOWN | {"github.event.pull_request.base.sha": repository.base}
    text = OWN_CODE.sub("", recipe("github-pull-request.yml"))
    run_all(repository, steps_of_workflow(text, known))
    check_results(repository, DEFAULT_SEED)
    assert (repository.folder / "baseline/study/results.json").exists()
    words = (repository.folder / "gh.txt").read_text(encoding="utf-8").split()
    assert words[:3] == ["pr", "comment", "12"]
    comment = (repository.folder / "comment.md").read_text(encoding="utf-8")
    assert comment in (repository.folder / "summary.md").read_text(encoding="utf-8")


@pytest.mark.slow
def test_a_nightly_study_has_a_site_and_another_seed_every_night(repository: Repository) -> None:
    text, file = (
        OWN_CODE.sub("", recipe("github-nightly.yml")),
        repository.folder / "history.parquet",
    )
    for n_nights, night in enumerate((7, 8), start=1):
        known = KNOWN | {"github.run_number": str(night)}
        steps = steps_of_workflow(text, known)
        told = run_all(repository, steps if night == 7 else without_sites(steps))
        results = json.loads((repository.folder / "output/study/results.json").read_text("utf-8"))
        assert results["design"]["seed"] == night
        if night == 7:
            check_results(repository, night)
        assert read_history(file)["run"].nunique() == n_nights
        assert "repeats the last one" not in told
    fixed = re.sub(r"\n *seed: .*", "", text)
    assert fixed != text
    for _ in range(2):
        told = run_all(repository, without_sites(steps_of_workflow(fixed, KNOWN)))
    assert "the run repeats the last one: the same values of misclassification" in told
    assert read_history(file)["run"].nunique() == 3


def without_sites(steps: Iterator[Step]) -> Iterator[Step]:
    """Yield the commands that measure and that add to the history; pages of it are left out."""
    for step in steps:
        kept = [line for line in step.command.splitlines() if "history report" not in line]
        if "reportgen run" in step.command:
            yield step
        elif any("history add" in line for line in kept):
            yield replace(step, command="\n".join(kept))


@pytest.mark.slow
@pytest.mark.parametrize("value", [None, False, "yes"])
def test_the_action_runs_no_code_without_leave(
    repository: Repository, value: str | bool | None
) -> None:
    given = {"study": "study.yaml"} | ({} if value is None else {"allow-plugins": value})
    (run,) = (s for s in steps_of_action(given, KNOWN) if "reportgen run" in s.command)
    refused(repository.run(run))


def run_of(recipe_name: str, leave: str) -> Step:
    """Return the command of a recipe that runs its study, with this leave for templates."""
    if recipe_name == "Makefile":
        return Step(f"make report PLUGINS=--allow-plugins TEMPLATES={leave}", {})
    if recipe_name == "gitlab-ci.yml":
        job = read(recipe(recipe_name))["benchmark"]
        own = {"SEED": "1", "PLUGINS": "--allow-plugins", "TEMPLATES": leave}
        return Step(job["script"][0], job["variables"] | own)
    text = (OWN_CODE if leave else re.compile("# (?=allow-plugins)")).sub("", recipe(recipe_name))
    known = KNOWN | {"github.event.pull_request.base.sha": "main"}
    *_, step = (s for s in steps_of_workflow(text, known) if "reportgen run" in s.command)
    return step


@pytest.mark.slow
@pytest.mark.parametrize(
    "name", ["github-nightly.yml", "github-pull-request.yml", "gitlab-ci.yml", "Makefile"]
)
def test_recipes_give_leave_for_templates_where_it_is_said(
    repository: Repository, tmp_path: Path, name: str
) -> None:
    folder = repository.folder
    program(tmp_path / "bin" / "reportgen", '#!/bin/sh\nprintf "%s\\n" "$@" > words.txt\n')
    (folder / "Makefile").write_text(recipe("Makefile"), encoding="utf-8")
    for leave in ("", "--allow-templates"):
        done = repository.run(run_of(name, leave))
        assert done.returncode == 0, (done.stdout, done.stderr)
        words = (folder / "words.txt").read_text(encoding="utf-8").split()
        assert words[0] == "run"
        assert "--allow-plugins" in words
        assert ("--allow-templates" in words) == bool(leave)


@pytest.mark.slow
@pytest.mark.parametrize(
    ("name", "leave"), [("Makefile", ""), ("github-nightly.yml", "--allow-templates")]
)
def test_recipes_render_templates_of_a_study_only_with_leave(
    repository: Repository, name: str, leave: str
) -> None:
    folder = repository.folder
    (folder / "templates/sections").mkdir(parents=True)
    (folder / "templates/sections/inference.md.j2").write_text(TEMPLATE, encoding="utf-8")
    (folder / "Makefile").write_text(recipe("Makefile"), encoding="utf-8")
    done = repository.run(run_of(name, leave))
    assert done.returncode == 0, (done.stdout, done.stderr)
    (page,) = folder.glob("output/*/report.html")
    assert ("A title of mine" in page.read_text(encoding="utf-8")) == bool(leave)
    assert ("templates/sections/inference.md.j2: not used" in done.stderr) == (not leave)


@pytest.mark.parametrize("value", [None, False, "yes"])
def test_the_action_gives_leave_for_templates_by_true_alone(value: str | bool | None) -> None:
    given = {"study": "study.yaml"} | ({} if value is None else {"allow-templates": value})
    (run,) = (s for s in steps_of_action(given, KNOWN) if "reportgen run" in s.command)
    assert run.environment["TEMPLATES"] == ""


@pytest.mark.slow
def test_the_job_of_gitlab_has_a_site(repository: Repository, wheel: Path) -> None:
    jobs = read(recipe("gitlab-ci.yml"))
    job = jobs["benchmark"]
    variables = job["variables"] | {"REPORTGEN": str(wheel)}
    assert variables["SEED"] == "$CI_PIPELINE_IID"
    own = variables | {"SEED": "12"}
    refused(repository.run(Step("\n".join(job["script"]), own)))
    own |= {"PLUGINS": "--allow-plugins"}
    run_all(repository, iter([Step("\n".join([*job["before_script"], *job["script"]]), own)]))
    check_results(repository, 12)
    run_all(repository, iter([Step("\n".join(jobs["pages"]["script"]), {})]))
    for path in (*job["cache"]["paths"], *job["artifacts"]["paths"]):
        assert (repository.folder / path).exists()


@pytest.mark.slow
def test_a_job_of_gitlab_ends_by_its_expectations_after_its_site(
    repository: Repository, tmp_path: Path
) -> None:
    program(
        tmp_path / "bin" / "reportgen",
        '#!/bin/sh\ntest "$1" = run && exit 1\nmkdir -p public; echo "$1" >> public/done\n',
    )
    job = read(recipe("gitlab-ci.yml"))["benchmark"]
    done = repository.run(Step("\n".join(job["script"]), job["variables"]))
    assert done.returncode == 1
    verbs = (repository.folder / "public/done").read_text(encoding="utf-8").split()
    assert verbs == ["gate", "history", "history", "site"]


@pytest.mark.slow
@pytest.mark.skipif(shutil.which("make") is None, reason="there is no make")
def test_make_does_all(repository: Repository) -> None:
    (repository.folder / "Makefile").write_text(recipe("Makefile"), encoding="utf-8")
    refused(repository.run(Step("make benchmark", {})))
    run_all(repository, iter([Step("make benchmark SEED=5 PLUGINS=--allow-plugins", {})]))
    check_results(repository, 5)
    assert (repository.folder / "comment.md").exists()


def test_a_makefile_names_its_targets() -> None:
    text = recipe("Makefile")
    targets = set(re.findall(r"^(\w+):", text, re.MULTILINE))
    (phony,) = re.findall(r"^\.PHONY: (.*)$", text, re.MULTILINE)
    assert set(phony.split()) == targets
    assert all("\t" in line or not line.startswith(" ") for line in text.splitlines())


def test_the_action_says_what_it_takes() -> None:
    action = read((ACTION / "action.yml").read_text(encoding="utf-8"))
    assert action["runs"]["using"] == "composite"
    assert all(entry["description"] for entry in action["inputs"].values())
    assert [name for name, entry in action["inputs"].items() if entry.get("required")] == ["study"]
    source = (ACTION / "../../..").resolve()
    assert (source / "pyproject.toml").exists()
