"""The studies that come with the program can be run."""

from __future__ import annotations

from pathlib import Path

import pytest

from reportgen.sections import find_sections
from reportgen.study.manifest import Study, load_study
from reportgen.study.setup import make_setup

FOLDER = Path(__file__).parents[1] / "studies"
STUDIES = sorted(FOLDER.glob("*.yaml"))


def _load(name: str) -> Study:
    return load_study(FOLDER / name, {n: s.options for n, s in find_sections().items()})


@pytest.mark.parametrize("path", STUDIES, ids=lambda path: path.stem)
def test_every_name_is_there(path: Path) -> None:
    setup = make_setup(_load(path.name))
    assert setup.size.n_fits > 0
    assert path.read_text(encoding="utf-8").startswith("#")  # what it is, and how long it takes


def test_classics_are_a_domain() -> None:
    setup = make_setup(_load("classics.yaml"))
    size = setup.size
    assert (size.n_datasets, size.n_candidates, size.n_replications) == (13, 6, 100)
    assert len({dataset.digest for dataset in setup.datasets}) == 13


def test_monks3_is_the_experiment_of_the_dissertation() -> None:
    setup = make_setup(_load("monks3.yaml"))
    assert [(d.name, d.n) for d in setup.datasets] == [("monks3", 554)]
    assert setup.resampling.described() == {"scheme": "bootstrap", "replications": 250}
    tuned = {
        c.name
        for c in setup.candidates
        if "cross-validation" in c.description or "1-SE" in c.description
    }
    assert tuned == {"knn", "rpart", "svm", "nnet"}


def test_cars_has_the_modern_car() -> None:
    setup = make_setup(_load("cars.yaml"))
    (cars,) = setup.datasets
    assert cars.n == 51
    assert [c.name for c in setup.candidates] == ["lm", "rlm", "spline", "loess"]
