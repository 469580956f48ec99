"""Reading a study is light: what is not needed for it is not imported."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parent.parent

HEAVY = frozenset({"jinja2", "matplotlib", "pandas", "pyarrow", "scipy", "seaborn", "sklearn"})
"""Packages that only data, analyses, fits and reports need."""

LATER_STAGES = (
    "reportgen.catalogue.datasets",
    "reportgen.catalogue.candidates.estimators",
    "reportgen.catalogue.candidates.tuning",
    "reportgen.crew",
    "reportgen.drawing",
    "reportgen.exchange",
    "reportgen.execution",
    "reportgen.rendering",
    "reportgen.section_runner",
    "reportgen.stats",
    "reportgen.study.setup",
    "reportgen.warehouse",
)
# Columns of tables declare themselves where a report is described; what they say needs no analysis.
OF_TABLES = {"reportgen.stats", "reportgen.stats.columns", "reportgen.stats.decisions"}

OF_FITS = (
    "reportgen.catalogue.candidates.estimators",
    "reportgen.catalogue.characteristics",
    "reportgen.catalogue.datasets",
    "reportgen.execution.characteristics",
    "reportgen.execution.plan",
    "reportgen.execution.runner",
    "reportgen.stats.characteristics",
    "reportgen.study.setup",
)
OF_REPORTS = ("reportgen.conclusion", "reportgen.drawing", "reportgen.rendering")

PRINT_MODULES = "\nimport json, sys\nprint(json.dumps(sorted(sys.modules)))"


def loaded_by(code: str, folder: Path) -> set[str]:
    """Return the modules that another process has loaded after running the code."""
    done = subprocess.run(
        [sys.executable, "-c", code + PRINT_MODULES],
        cwd=folder,
        capture_output=True,
        text=True,
        check=True,
    )
    return set(json.loads(done.stdout.splitlines()[-1]))


def is_of(module: str, package: str) -> bool:
    return module == package or module.startswith(f"{package}.")


def heavy_of(modules: set[str]) -> set[str]:
    return {module.partition(".")[0] for module in modules} & HEAVY


def write_inputs(folder: Path) -> None:
    """Write a manifest of an experiment, and a file of results."""
    (folder / "study.yaml").write_text(
        "setup: {datasets: [iris], candidates: [lda, svm, {name: nnet, tune: published}]}\n"
        "measures: [misclassification]\n"
    )
    (folder / "results.csv").write_text("candidate,dataset,replication,error\na,d,1,0.5\n")


def test_the_flow_imports_a_layer_when_its_stage_begins(tmp_path: Path) -> None:
    """The pipeline, and a manifest read without the sections' options."""
    write_inputs(tmp_path)
    modules = loaded_by(
        "from pathlib import Path\n"
        "import reportgen.pipeline\n"
        "from reportgen.study.manifest import load_study\n"
        "assert load_study(Path('study.yaml'), {}).setup is not None",
        tmp_path,
    )
    assert "reportgen.study.manifest" in modules
    assert not heavy_of(modules)
    assert not {m for m in modules - OF_TABLES for stage in LATER_STAGES if is_of(m, stage)}


@pytest.mark.slow
@pytest.mark.parametrize("file", ["study.yaml", "results.csv"])
def test_opening_a_study_imports_no_analysis(tmp_path: Path, file: str) -> None:
    write_inputs(tmp_path)
    modules = loaded_by(
        "from pathlib import Path\n"
        "from reportgen.pipeline import open_job\n"
        f"assert len(open_job(Path({file!r}), Path('output')).sections) > 5",
        tmp_path,
    )
    assert not {m for m in modules if is_of(m, "scipy.stats") or is_of(m, "sklearn")}
    parts = {m for m in modules if is_of(m, "reportgen.sections")}
    assert not {m for m in parts if m.split(".")[-1] in ("analysis", "figures", "tables")}


def test_the_schema_imports_no_analysis(tmp_path: Path) -> None:
    modules = loaded_by("import reportgen.pipeline as p\nassert p.schema()", tmp_path)
    assert not {m for m in modules if is_of(m, "scipy.stats") or is_of(m, "sklearn")}
    assert not {m for m in modules if m.startswith("reportgen") and m.endswith(".analysis")}


@pytest.mark.slow
def test_a_report_of_results_needs_no_learning_and_no_distributions(tmp_path: Path) -> None:
    """Their packages take more than a second to import; execution and trees use them."""
    write_inputs(tmp_path)
    (tmp_path / "results.csv").write_text(
        "candidate,dataset,replication,error\n"
        + "".join(f"{c},d,{i},0.{i}{c == 'b':d}\n" for c in "ab" for i in range(1, 10))
    )
    modules = loaded_by(
        "from reportgen.cli import main\n"
        "main(['run', 'results.csv', '--format', 'html', '--jobs', '1'], standalone_mode=False)",
        tmp_path,
    )
    assert "reportgen.rendering.page" in modules
    assert not {m for m in modules if is_of(m, "scipy.stats") or is_of(m, "sklearn")}
    assert not {m for m in modules for part in OF_FITS if is_of(m, part)}
    analysed = {
        m.split(".")[2]
        for m in modules
        if m.startswith("reportgen.sections.") and m[-9:] == ".analysis"
    }
    assert analysed == {"consensus", "eda", "inference", "preferences"}


@pytest.mark.slow
def test_results_alone_are_written_without_what_draws(tmp_path: Path) -> None:
    (tmp_path / "results.csv").write_text(
        "candidate,dataset,replication,error\n"
        + "".join(
            f"{c},data{d},{i},0.{(7 * i + 3 * d) % 10}{k}\n"
            for k, c in enumerate("abc")
            for d in range(7)
            for i in range(1, 10)
        )
    )
    modules = loaded_by(
        "from reportgen.cli import main\n"
        "main(['run', 'results.csv', '--format', 'json', '--jobs', '1'], standalone_mode=False)",
        tmp_path,
    )
    assert "reportgen.sections.domain.figures" in modules
    assert heavy_of(modules) <= {"jinja2", "pandas", "pyarrow", "scipy"}


@pytest.mark.slow
def test_a_check_of_results_imports_no_analysis_and_no_report(tmp_path: Path) -> None:
    write_inputs(tmp_path)
    modules = loaded_by(
        "from reportgen.cli import main\nmain(['check', 'results.csv'], standalone_mode=False)",
        tmp_path,
    )
    assert "reportgen.exchange.tidy" in modules
    assert heavy_of(modules) == {"pandas", "pyarrow"}
    assert "pyarrow.parquet" not in modules
    assert not {m for m in modules for part in (*OF_FITS, *OF_REPORTS) if is_of(m, part)}
    parts = {m for m in modules if is_of(m, "reportgen.sections")}
    assert not {m for m in parts if m.split(".")[-1] in ("analysis", "result", "figures", "tables")}


@pytest.mark.slow
def test_a_comparison_imports_neither_fits_nor_pages(tmp_path: Path) -> None:
    modules = loaded_by(
        "import pandas as pd\n"
        "import reportgen\n"
        "rows = [(c, d, i, i * 0.1 + (c == 'b') * d) for c in 'ab' for d in range(3)\n"
        "        for i in range(5)]\n"
        "table = pd.DataFrame(rows, columns=['candidate', 'dataset', 'replication', 'loss'])\n"
        "assert str(reportgen.compare(table, better='smaller'))",
        tmp_path,
    )
    assert "reportgen.sections.domain.analysis" in modules
    assert heavy_of(modules) <= {"jinja2", "pandas", "pyarrow", "scipy"}
    assert not {m for m in modules if is_of(m, "scipy.stats")}
    assert not {m for m in modules for part in OF_FITS if is_of(m, part)}
    assert not {m for m in modules if is_of(m, "reportgen.rendering.page")}
