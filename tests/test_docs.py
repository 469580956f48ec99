"""What the documents say is true: examples run, links lead somewhere."""

from __future__ import annotations

import doctest
import json
import os
import re
import shutil
import subprocess
import sys
from importlib.util import module_from_spec, spec_from_file_location
from pathlib import Path

import pytest

from reportgen import stats
from reportgen.sections import find_sections
from reportgen.study.manifest import load_study
from reportgen.study.schema.options import AnalysisOptions
from tests.schemas import validator_of

ROOT = Path(__file__).resolve().parent.parent
DOCUMENTS = [
    *(ROOT / name for name in ("README.md", "CONTRIBUTING.md", "CHANGELOG.md")),
    *sorted((ROOT / "docs").glob("*.md")),
    *sorted((ROOT / "benchmarks").glob("*.md")),
]
FILE_IN_TEXT = re.compile(r"^`([\w/.]+)`\n\n```\w+\n(.*?)^```$", re.MULTILINE | re.DOTALL)
MANIFEST_IN_TEXT = re.compile(r"^```yaml\n(.*?)^```$", re.MULTILINE | re.DOTALL)
LINK = re.compile(r"\]\((?!https?:|#)([^)#]+)")


@pytest.mark.parametrize("document", DOCUMENTS, ids=lambda p: p.name)
def test_links_lead_somewhere(document: Path) -> None:
    targets = LINK.findall(document.read_text(encoding="utf-8"))
    assert not [target for target in targets if not (document.parent / target).exists()]


PATH_IN_TEXT = re.compile(r"`((?:[\w.-]+/)+[\w.-]*|[\w-]+\.(?:md|toml|yaml|cff))`")


def test_contributing_names_paths_that_exist() -> None:
    text = (ROOT / "CONTRIBUTING.md").read_text(encoding="utf-8")
    paths = {path for path in PATH_IN_TEXT.findall(text) if "halves" not in path}
    assert len(paths) > 40
    generated = {"../shared/reference", "site/"}  # not in the checkout
    assert not [path for path in sorted(paths - generated) if not (ROOT / path).exists()]


def python(folder: Path, *arguments: str) -> str:
    """Run Python on the package that lies in a folder."""
    environment = {**os.environ, "PYTHONPATH": str(folder), "PYTHONDONTWRITEBYTECODE": "1"}
    done = subprocess.run(
        [sys.executable, *arguments],
        cwd=folder,
        env=environment,
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stdout + done.stderr
    return done.stdout


@pytest.fixture(scope="module")
def extended(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Return a copy of the house to which the section of docs/section.md was added."""
    folder = tmp_path_factory.mktemp("extended")
    for name in ("reportgen", "templates"):
        shutil.copytree(ROOT / name, folder / name, ignore=shutil.ignore_patterns("__pycache__"))
    files = FILE_IN_TEXT.findall((ROOT / "docs" / "section.md").read_text(encoding="utf-8"))
    assert len(files) == 5
    for name, text in files:
        path = folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, encoding="utf-8")
    return folder


@pytest.mark.slow
def test_example_section_passes_its_test(extended: Path) -> None:
    python(extended, "-m", "pytest", "-q", "-p", "no:cacheprovider", "tests")


VALUES = {"lda": (0.1, 0.1, 0.4, 0.3), "svm": (0.2, 0.2, 0.2, 0.1)}
RUN_ALL = """
import sys
from reportgen.cli import main
for name in sys.argv[1:]:
    main(["run", name, "--sections", "halves", "--format", "html,json"], standalone_mode=False)
"""


@pytest.fixture(scope="module")
def reported(extended: Path) -> Path:
    """Return the folder of two reports, of one data set and of two, made by one process.

    On the second data set svm fails everywhere.
    """
    head = "dataset,replication,candidate,measure,value"
    for n_datasets in (1, 2):
        rows = [
            f"{dataset},{b},{candidate},misclassification,"
            f"{'' if (dataset, candidate) == ('square', 'svm') else value}"
            for dataset in ("circle", "square")[:n_datasets]
            for candidate, values in VALUES.items()
            for b, value in enumerate(values)
        ]
        path = extended / f"mine{n_datasets}.csv"
        path.write_text("\n".join([head, *rows, ""]), encoding="utf-8")
    python(extended, "-c", RUN_ALL, "mine1.csv", "mine2.csv")
    return extended / "output"


@pytest.mark.slow
@pytest.mark.parametrize("n_datasets", [1, 2])
def test_example_section_reports(reported: Path, n_datasets: int) -> None:
    folder = reported / f"mine{n_datasets}"
    found = json.loads((folder / "results.json").read_text(encoding="utf-8"))
    assert found["sections"]["halves"]["circle"]["misclassification"]["best"] == ["lda", "svm"]
    text = re.sub(r"<[^>]*>", "", (folder / "report.html").read_text(encoding="utf-8"))
    assert "lda has the best mean in the first half, svm in the second." in text
    assert "The halves of the replications disagree" in text or n_datasets > 1
    assert "Complete replications are split in the middle" in text
    assert ("so there are no halves to compare" in text) == (n_datasets > 1)


@pytest.mark.parametrize("document", ["../README", "manifest", "designs", "imports", "estimator"])
def test_parts_of_manifests_are_accepted(document: str, tmp_path: Path) -> None:
    options = {name: section.options for name, section in find_sections().items()}
    text = (ROOT / "docs" / f"{document}.md").read_text(encoding="utf-8")
    parts = MANIFEST_IN_TEXT.findall(text)
    assert parts
    for part in parts:
        for name in re.findall(r"(?:file|test): ([\w.]+)", part):
            (tmp_path / name).touch()
        missing = "" if "measures:" in part else "measures: [accuracy]\n"
        if not re.search(r"^(setup|results):", part, re.MULTILINE):
            missing += "setup: {datasets: [iris], candidates: [svm, rpart]}\n"
        path = tmp_path / "study.yaml"
        path.write_text(missing + part, encoding="utf-8")
        load_study(path, options)


def test_manifest_page_names_every_section_and_option() -> None:
    text = (ROOT / "docs" / "manifest.md").read_text(encoding="utf-8")
    outputs = (ROOT / "docs" / "outputs.md").read_text(encoding="utf-8")
    for name, section in find_sections().items():
        assert f"(`{name}`)" in outputs
        assert f"| `{name}` |" in text
        own = set(section.options.model_fields) - set(AnalysisOptions.model_fields)
        named = {section.options.model_fields[key].alias or key for key in own}
        assert not [key for key in named if f"`{key}`" not in text]
    assert not [key for key in AnalysisOptions.model_fields if f"`{key}`" not in text]


def test_example_of_results_fits_its_schema() -> None:
    example = ROOT / "docs" / "results-example.json"
    validator_of().validate(json.loads(example.read_text(encoding="utf-8")))


@pytest.mark.slow
def test_schema_of_results_has_what_the_program_has(monkeypatch: pytest.MonkeyPatch) -> None:
    """`python tools/results_schema.py` writes it."""
    spec = spec_from_file_location("results_schema", ROOT / "tools" / "results_schema.py")
    assert spec is not None
    assert spec.loader is not None
    tool = module_from_spec(spec)
    monkeypatch.setitem(sys.modules, spec.name, tool)  # where a dataclass looks its names up
    spec.loader.exec_module(tool)
    assert tool.SCHEMA.read_text("utf-8") == tool.text(tool.schema())


PYTHON_IN_TEXT = re.compile(r"^```python\n(.*?)^```$", re.MULTILINE | re.DOTALL)
FUNCTION_IN_TABLE = re.compile(r"^\| `(\w+)` \|", re.MULTILINE)


def test_examples_of_statistics_run() -> None:
    text = (ROOT / "docs" / "statistics.md").read_text(encoding="utf-8")
    blocks = PYTHON_IN_TEXT.findall(text)
    assert len(blocks) > 2
    parser, runner = doctest.DocTestParser(), doctest.DocTestRunner()
    example = parser.get_doctest("".join(blocks), {}, "statistics.md", None, None)
    said: list[str] = []
    found = runner.run(example, out=said.append)
    assert found.attempted > 3
    assert not found.failed, "".join(said)


def test_page_of_statistics_names_every_function() -> None:
    text = (ROOT / "docs" / "statistics.md").read_text(encoding="utf-8")
    assert sorted(FUNCTION_IN_TABLE.findall(text)) == stats.__all__


TEST_IN_TEXT = re.compile(r"`(tests/[\w/]+\.py)::(test_\w+)`")


def test_every_fault_has_its_test() -> None:
    rows = [
        line
        for line in (ROOT / "docs" / "faults.md").read_text(encoding="utf-8").splitlines()
        if line.startswith("| ") and not line.startswith(("| fault", "| ---"))
    ]
    assert len(rows) > 20
    for row in rows:
        named = TEST_IN_TEXT.findall(row)
        assert named, row
        for file, test in named:
            assert f"def {test}(" in (ROOT / file).read_text(encoding="utf-8"), row
