"""The studies that come with the program can be run."""

from __future__ import annotations

from pathlib import Path

import pytest

from reportgen.catalogue.characteristics import sample_of
from reportgen.exchange.tidy import study_results
from reportgen.sections import find_sections
from reportgen.stats.characteristics import characterise
from reportgen.study.manifest import Study, load_study
from reportgen.study.setup import make_setup

FOLDER = Path(__file__).parents[1] / "studies"
STUDIES = sorted(FOLDER.glob("*.yaml"))


def _load(name: str) -> Study:
    return load_study(FOLDER / name, {n: s.options for n, s in find_sections().items()})


@pytest.mark.parametrize("path", STUDIES, ids=lambda path: path.stem)
def test_every_name_is_there(path: Path) -> None:
    study = _load(path.name)
    if study.results is None:
        assert make_setup(study).size.n_fits > 0
    else:
        assert study_results(study).frame["value"].notna().any()
    assert path.read_text(encoding="utf-8").startswith("#")  # what it is, and how long it takes


def test_skeletons_are_made_up_as_their_program_says() -> None:
    warehouse = study_results(_load("skeletons.yaml"))
    assert warehouse.is_table
    facts = warehouse.facts["skeletons"]
    assert (facts["n_observations"], facts["n_variables"]) == (300, 9)
    assert facts["labels"][-1] == "b300"  # type: ignore[index]


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


def test_the_toy_has_one_data_set_that_a_plane_separates() -> None:
    setup = make_setup(_load("toy-separability.yaml"))
    assert [d.name for d in setup.datasets] == ["ds1", "ds2"]
    first, second = (characterise(sample_of(d))["i2r.fcc"] for d in setup.datasets)
    assert first > 0.8
    assert second < 0.2
    assert setup.resampling.described()["fraction"] == pytest.approx(2 / 3)
    assert len(setup.characterised.names) == 16
    (scheme,) = setup.characterised.schemes
    assert scheme.scheme == "bootstrap"


def test_classics_take_data_sets_as_units() -> None:
    study = _load("classics.yaml")
    (choice,) = [c for c in study.sections or () if c.name == "psychoanalysis"]
    assert choice.options.cluster == "dataset"  # type: ignore[attr-defined]
    assert choice.options.min_size == 2  # type: ignore[attr-defined]


def test_three_scenarios_are_those_of_the_dissertation() -> None:
    study = _load("three-scenarios.yaml")
    setup = make_setup(study)
    assert setup.size.n_replications == 200
    (options,) = [c.options for c in study.sections or () if c.name == "sequential"]
    assert options.pairs == (("lda", "svm"), ("rf", "svm"), ("svm", "svm-1.01"))  # type: ignore[attr-defined]


def test_classics_in_stages_are_the_same_fits() -> None:
    """Only how many there are is another matter: either finds the other's in a journal."""
    fixed, staged = (make_setup(_load(f"classics{which}.yaml")) for which in ("", "-adaptive"))
    assert staged.seed == fixed.seed
    assert [d.digest for d in staged.datasets] == [d.digest for d in fixed.datasets]
    assert [c.name for c in staged.candidates] == [c.name for c in fixed.candidates]
    assert staged.resampling.stages is not None
    assert staged.resampling.stages.most == fixed.resampling.replications
    assert staged.resampling.stages.area == (-0.01, 0.01)


def test_sensitivity_varies_curvature_and_size() -> None:
    setup = make_setup(_load("sensitivity.yaml"))
    settings = [dataset.setting for dataset in setup.datasets]
    assert len({s.name for s in settings if s is not None}) == 12
    assert {s.base for s in settings if s is not None} == {"line"}


def test_the_effect_of_resampling_is_that_of_four_ways() -> None:
    setup = make_setup(_load("resampling-effect.yaml"))
    ways = [resampling.scheme for resampling in setup.own.values()]
    assert ways == ["bootstrap", "subsampling", "repeated-k-fold", "hold-out"]
