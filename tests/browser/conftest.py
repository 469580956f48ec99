"""Two reports as a reader opens them: of one data set, and of several."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from matplotlib.collections import LineCollection

from reportgen.drawing import Canvas, Sheet
from reportgen.notation import NumberFormat
from reportgen.performance_measure import Measure
from reportgen.pipeline import analyse, measure, open_job
from reportgen.rendering import page
from reportgen.report import Report, SectionContent, Series, Table
from reportgen.stats.columns import Column
from reportgen.warehouse import Warehouse
from tests import made_up
from tests.browser.devtools import Browser, Tab
from tests.builders import warehouse_of
from tests.rendering.conftest import ToyResult, make_report
from tests.schemas import results

ROOT = Path(__file__).resolve().parents[2]
FOLDERS = (Path(__file__).parent / "templates",)
NAMES = ("lda", "<img src=x onerror=alert(1)>", "tree", "svm", "net", "rf")
B, N_TEST = 60, 40
ERROR = Measure("misclassification", "smaller", "share", (0.0, 1.0))
ACCURACY = Measure("accuracy", "larger", "share", (0.0, 1.0))
TIME = Measure("time-fit", "smaller", "s", (0.0, None))


def errors(seed: int, n: int = B, gaps: Sequence[tuple[int, int]] = ((4, 1), (9, 3))) -> np.ndarray:
    """Return shares of few observations: many tie, and some are missing."""
    rng = np.random.default_rng(seed)
    hard = rng.uniform(0.05, 0.2, (n, 1))
    values = rng.binomial(N_TEST, hard + np.linspace(0, 0.1, len(NAMES))) / N_TEST
    for b, k in gaps:
        values[b, k] = np.nan
    return values


def times(seed: int, n: int = B) -> np.ndarray:
    """Return times over three powers of ten."""
    rng = np.random.default_rng(seed)
    return 10 ** rng.normal(np.linspace(-3, 0, len(NAMES)), 0.1, (n, len(NAMES)))


def drawn(values: np.ndarray) -> object:
    """Return what draws every replication of a measure as dots and as a line."""

    def draw(sheet: Sheet) -> None:
        sheet.begin(150)
        axes = sheet.axes(20, 10, 5, 5)
        axes.set(xlim=(-0.5, len(NAMES) - 0.5), ylim=(-0.02, 0.5))
        x = np.arange(len(NAMES))
        whole = [np.column_stack((x, row)) for row in values]
        lines = [line if np.isfinite(line).all() else np.empty((0, 2)) for line in whole]
        joined = LineCollection(lines, colors=sheet.colour("ink"), lw=0.75, alpha=0.2)
        axes.add_collection(joined)
        sheet.link_replications(joined)
        for k, name in enumerate(sheet.styles):
            dots = axes.scatter(
                np.full(len(values), k), values[:, k], s=9, c=sheet.ink(name), lw=0, clip_on=False
            )
            sheet.link_replications(dots, name)
            sheet.link(axes.text(k, 0.45, f"name {k}", ha="center"), name)

    return draw


def content(warehouse: Warehouse, dataset: str, number: int) -> SectionContent:
    """Return what the toy section shows of one data set."""
    found = warehouse.performances(dataset, warehouse.measures[0].name)
    main = found.measure.name
    means = dict(zip(NAMES, np.nanmean(found.values, axis=0).tolist(), strict=True))
    canvas = Canvas.of(NAMES, len(warehouse.datasets), f"toy-{number}")
    series = Series(("candidate", "mean"), tuple(means.items()))
    figure = canvas.figure("places", main, drawn(found.values), alt="Places.", data=series)
    rows = tuple((name, mean, (mean - 0.01, mean + 0.01)) for name, mean in means.items())
    columns = (
        Column("candidate", "Candidate", "candidate"),
        Column("mean", "Mean", "value"),
        Column("interval", "Interval", "interval"),
    )
    scale = NumberFormat(100.0, "%", "pp", 2)
    tables = tuple(Table(name, main, columns, rows, scale) for name in ("means", "ends"))
    order = tuple((name,) for name in sorted(means, key=lambda name: means[name]))
    return SectionContent("toy", dataset, ToyResult(means, order), None, (figure,), tables)


def report_of(warehouse: Warehouse) -> Report:
    """Return the report of a warehouse."""
    made = make_report(warehouse.datasets, NAMES)
    measures = tuple(warehouse.measures)
    found = tuple(warehouse.performances(d, m.name) for d in warehouse.datasets for m in measures)
    contents = tuple(content(warehouse, d, i) for i, d in enumerate(warehouse.datasets))
    design = replace(made.design, measures=measures, failures=())
    return replace(made, design=design, contents=contents, performances=found)


@pytest.fixture(scope="session")
def single() -> Report:
    """Return the report of one data set."""
    return report_of(warehouse_of({ERROR: errors(1), TIME: times(2)}, NAMES, dataset="monks"))


@pytest.fixture(scope="session")
def several() -> Report:
    """Return the report of three data sets on which larger is better."""
    sets = {"iris": 3, "</script><b>sonar": 4, "glass": 5}
    accuracies = {name: 1 - errors(seed, 30, ()) for name, seed in sets.items()}
    taken = {name: times(seed + 10, 30) for name, seed in sets.items()}
    return report_of(warehouse_of({ACCURACY: accuracies, TIME: taken}, NAMES))


@pytest.fixture(scope="session")
def domain() -> Report:
    """Return the report of eight data sets by the program's own sections."""
    return made_up.report_of(made_up.MADE_UP["domain"], is_drawn=True)


@pytest.fixture(scope="session")
def domain_results(domain: Report) -> dict[str, Any]:
    """Return its results.json."""
    return results(domain)


@pytest.fixture(scope="session")
def cars(tmp_path_factory: pytest.TempPathFactory) -> Report:
    """Return the report of some replications of the study of cars, which keeps samples."""
    few = ["setup.resampling.replications=24"]
    job = open_job(ROOT / "studies" / "cars.yaml", tmp_path_factory.mktemp("cars"), few)
    warehouse, origin = measure(job, in_process=True)
    return analyse(job, warehouse, origin, sections=("eda", "inference"), jobs=1)


@pytest.fixture(scope="session")
def cars_results(cars: Report) -> dict[str, Any]:
    """Return its results.json."""
    return results(cars)


@pytest.fixture(scope="session")
def files(
    single: Report,
    several: Report,
    domain: Report,
    cars: Report,
    tmp_path_factory: pytest.TempPathFactory,
) -> dict[str, Path]:
    """Return the pages of the reports."""
    folder = tmp_path_factory.mktemp("pages")
    made = {"single": single, "several": several, "domain": domain, "cars": cars}
    for name, report in made.items():
        page.render(report, folder / f"{name}.html", FOLDERS)
    return {name: folder / f"{name}.html" for name in made}


@pytest.fixture(scope="session")
def browser(chromium: str, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Browser]:
    """Return a browser that all tests share."""
    opened = Browser(chromium, tmp_path_factory.mktemp("profile"))
    yield opened
    opened.close()


@pytest.fixture
def one(browser: Browser, files: dict[str, Path]) -> Iterator[Tab]:
    """Open the report of one data set; nothing may go wrong in it."""
    yield from _opened(browser, files["single"])


@pytest.fixture
def many(browser: Browser, files: dict[str, Path]) -> Iterator[Tab]:
    """Open the report of several data sets."""
    yield from _opened(browser, files["several"])


@pytest.fixture
def whole(browser: Browser, files: dict[str, Path]) -> Iterator[Tab]:
    """Open the report of eight data sets."""
    yield from _opened(browser, files["domain"])


@pytest.fixture
def driven(browser: Browser, files: dict[str, Path]) -> Iterator[Tab]:
    """Open the report of the cars."""
    yield from _opened(browser, files["cars"])


@pytest.fixture(params=["single", "several"])
def either(
    request: pytest.FixtureRequest, browser: Browser, files: dict[str, Path]
) -> Iterator[Tab]:
    """Open each report."""
    yield from _opened(browser, files[request.param])


def _opened(browser: Browser, file: Path) -> Iterator[Tab]:
    """Open a page with its scripts, and look at its faults before it is closed."""
    tab = browser.open(file)
    tab.wait("document.documentElement.classList.contains('scripted')")
    tab.wait("document.querySelector('.pane .base path')")
    yield tab
    assert tab.faults == []
    tab.close()
