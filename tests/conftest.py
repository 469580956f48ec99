"""What many tests need."""

from __future__ import annotations

import gc
import logging
import os
import shutil
import warnings
from collections.abc import Generator, Iterator
from pathlib import Path
from typing import Any

import pytest

from tests.installed import build_wheel, install_wheel

# Several test processes with threads of their own hinder one another, by a factor of ten in places.
# Linear algebra reads this when it is first imported.
for name in ("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS"):
    os.environ.setdefault(name, "1")

with warnings.catch_warnings():
    warnings.simplefilter("ignore")
    from hypothesis import HealthCheck, settings
    from hypothesis.internal.conjecture import providers

ROOT = Path(__file__).resolve().parent.parent

# The same examples in every run: a red test is red again. They are an eighth of the usual: what
# the first do not find, others that never change hardly ever do. `make fuzz` has others, and more.
EXAMPLES = int(os.environ.get("FUZZ_EXAMPLES", "0"))
settings.register_profile(
    "same",
    max_examples=EXAMPLES or 12,
    derandomize=not EXAMPLES,
    deadline=None,
    database=None,
    suppress_health_check=[HealthCheck.function_scoped_fixture],
)
settings.load_profile("same")
# Hypothesis also takes texts and numbers from the modules that a process has loaded, which are
# others in every run of several processes.
providers._get_local_constants = lambda: providers._local_constants

# Reports of the tests have one date, whatever the day.
os.environ.setdefault("SOURCE_DATE_EPOCH", "1761955200")


@pytest.hookimpl(wrapper=True)
def pytest_collection() -> Generator[None, Any, Any]:
    """Let what is collected stay: a sixth of the time would go into looking for garbage in it."""
    gc.disable()
    try:
        return (yield)
    finally:
        gc.freeze()
        gc.enable()
        gc.set_threshold(200_000, 20, 20)  # as the command line does


def pytest_addoption(parser: pytest.Parser) -> None:
    """Add the option that writes the texts of tests/snapshots anew."""
    parser.addoption("--snapshot-update", action="store_true", help="write tests/snapshots anew")


@pytest.fixture(scope="session")
def wheel(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Build the wheel."""
    return build_wheel(tmp_path_factory.mktemp("wheel"))


@pytest.fixture(scope="session")
def binaries(wheel: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Install the wheel away from the checkout, and return the folder of its programs."""
    return install_wheel(wheel, tmp_path_factory.mktemp("installed"))


@pytest.fixture(scope="session")
def snapshot_update(request: pytest.FixtureRequest) -> bool:
    """Return whether snapshots are written anew; they are reviewed as a diff."""
    return bool(request.config.getoption("--snapshot-update"))


@pytest.fixture(scope="module")
def blanks_as_figures() -> Iterator[None]:
    """Draw nothing in a module whose tests ask nothing of drawings, which take longest."""
    from tests.builders import blank_figures

    with blank_figures():
        yield


class _Lost(logging.Handler):
    """Collects what the log says of figures that could not be drawn."""

    def __init__(self) -> None:
        super().__init__(logging.WARNING)
        self.messages: list[str] = []

    def emit(self, record: logging.LogRecord) -> None:
        self.messages.append(record.getMessage())


@pytest.fixture(scope="session", autouse=True)
def _lost_in_session() -> Iterator[list[str]]:
    """Listen to what becomes of figures, in fixtures of modules, too."""
    handler, log = _Lost(), logging.getLogger("reportgen.section_runner")
    log.addHandler(handler)
    yield handler.messages
    log.removeHandler(handler)


@pytest.fixture
def lost_figures(_lost_in_session: list[str]) -> list[str]:
    """Return what the log says of figures that could not be drawn, which is no error then."""
    return _lost_in_session


@pytest.fixture(autouse=True)
def _log_as_at_first() -> None:
    """Let the log go where it goes without the command line, which earlier tests have called."""
    log = logging.getLogger("reportgen")
    log.propagate = True
    log.setLevel(logging.NOTSET)


@pytest.fixture(autouse=True)
def _no_figure_is_lost(
    request: pytest.FixtureRequest, _lost_in_session: list[str]
) -> Iterator[None]:
    """Fail where a figure could not be drawn: a report goes on without it."""
    yield
    found = [*_lost_in_session]
    _lost_in_session.clear()
    assert not found or "lost_figures" in request.fixturenames, found


@pytest.fixture(scope="session")
def root() -> Path:
    """Return the checkout: the folder that has pyproject.toml."""
    return ROOT


@pytest.fixture(scope="session")
def reference() -> Path:
    """Return the folder of reference data and numbers, where it lies beside the checkout."""
    folder = ROOT.parent / "shared" / "reference"
    if not folder.is_dir():
        pytest.skip("the reference data do not lie beside the checkout")
    return folder


@pytest.fixture(scope="session")
def chromium() -> str:
    """Return the path of Chromium, for tests that look at a page as a reader does."""
    found = shutil.which("chromium") or shutil.which("chromium-browser")
    if not found:
        pytest.skip("Chromium is not installed")
    return found
