"""Generated data against their definitions."""

from __future__ import annotations

import re
from dataclasses import replace

import numpy as np
import pytest

from reportgen.catalogue.datasets import DATASETS, find_dataset, generators

EXACT = 1e-12


@pytest.mark.parametrize(
    ("name", "rows", "ones"),
    # Thrun et al. (1991): class 1 among all 432 combinations of each problem.
    [("monks1", 556, 216), ("monks2", 601, 142), ("monks3", 554, 228)],
)
def test_monks_cover_all_combinations(name: str, rows: int, ones: int) -> None:
    monks = find_dataset(name)
    attributes = monks.inputs.to_numpy(int)
    assert monks.n == rows
    assert len(np.unique(attributes[:432], axis=0)) == 432
    assert [len(c.cat.categories) for _, c in monks.inputs.items()] == [3, 3, 2, 3, 4, 2]
    assert int(monks.response[:432].sum()) == ones


@pytest.mark.parametrize(("name", "wrong"), [("monks1", 0), ("monks2", 0), ("monks3", 6)])
def test_monks_learning_part(name: str, wrong: int) -> None:
    monks = find_dataset(name)
    attributes = monks.inputs.to_numpy(int)
    assert len(np.unique(attributes[432:], axis=0)) == len(attributes) - 432
    truth = {tuple(row): y for row, y in zip(attributes[:432], monks.response[:432], strict=True)}
    labels = [truth[tuple(row)] for row in attributes[432:]]
    assert int((labels != monks.response[432:]).sum()) == wrong


def test_monk3_by_the_published_rule() -> None:
    monks = find_dataset("monks3")
    a = monks.inputs.to_numpy(int)[:432]
    published = [
        (row[4] == 3 and row[3] == 1) or (row[4] != 4 and row[1] != 3) for row in a.tolist()
    ]
    assert monks.response[:432].astype(bool).tolist() == published


def test_spirals_lie_on_their_curves() -> None:
    inputs, target = generators.spirals(101, np.random.default_rng(1), cycles=1.5, sd=0.0)
    points = inputs.to_numpy()
    first = points[(target == "1").to_numpy()]
    second = points[(target == "2").to_numpy()]
    w = np.arange(51) * 1.5 / 51
    assert np.linalg.norm(first, axis=1) == pytest.approx((2 * w + 1) / 3, abs=EXACT)
    assert first[0] == pytest.approx([1 / 3, 0.0], abs=EXACT)
    assert second[0] == pytest.approx([-1 / 3, 0.0], abs=EXACT)
    assert len(second) == 50


def test_noise_is_at_right_angles_to_the_spiral() -> None:
    plain, _ = generators.spirals(400, np.random.default_rng(1), cycles=1, sd=0.0)
    noisy, target = generators.spirals(400, np.random.default_rng(1), cycles=1, sd=0.05)
    is_first = (target == "1").to_numpy()
    shift = (noisy - plain).to_numpy()[is_first]
    steps = np.gradient(plain.to_numpy()[is_first], axis=0)
    lengths = np.linalg.norm(steps, axis=1) * np.linalg.norm(shift, axis=1)
    # Differences approximate the tangent to about a hundredth of a radian inside.
    assert np.abs((shift * steps).sum(axis=1) / lengths)[1:-1].max() < 0.02
    assert np.linalg.norm(shift, axis=1).std() > 0.01


@pytest.mark.parametrize("d", [2, 20])
def test_twonorm_has_breimans_bayes_error(d: int) -> None:
    inputs, target = generators.twonorm(20_000, np.random.default_rng(3), d=d)
    points = inputs.to_numpy()
    is_first = (target == "1").to_numpy()
    # Standard error of a mean of 10,000 standard normals: 0.01.
    assert points[is_first].mean(axis=0) == pytest.approx(2 / np.sqrt(d), abs=0.05)
    assert points[~is_first].mean(axis=0) == pytest.approx(-2 / np.sqrt(d), abs=0.05)
    error = np.mean((points.sum(axis=1) > 0) != is_first)
    assert error == pytest.approx(0.02275, abs=0.004)


N_DRAWN = 200_000
CLOSE = 0.0025  # four standard errors of a share near 10% among N_DRAWN


def _normal(x: np.ndarray, mean: np.ndarray | float, variance: float = 1.0) -> np.ndarray:
    """Return the log density of independent normal inputs, but for a constant."""
    d = x.shape[1]
    return -0.5 * (((x - mean) ** 2).sum(axis=1) / variance + d * np.log(variance))


@pytest.mark.slow
@pytest.mark.parametrize(("name", "published"), [("ringnorm", 0.013), ("threenorm", 0.105)])
def test_the_least_error_is_the_published_one(name: str, published: float) -> None:
    data = find_dataset(name, N_DRAWN, rng=np.random.default_rng(4))
    x, a = data.inputs.to_numpy(), 2 / np.sqrt(20)
    if name == "ringnorm":
        first, second = _normal(x, 0.0, 4.0), _normal(x, a)
    else:
        first = np.logaddexp(_normal(x, a), _normal(x, -a)) - np.log(2)
        second = _normal(x, np.where(np.arange(20) % 2 == 0, a, -a))
    wrong = np.mean((second > first) != (data.response == 1))
    assert abs(wrong - published) < CLOSE


@pytest.mark.parametrize("d", [2, 3])  # beyond, the ball leaves the cube
def test_the_circle_has_half_of_the_cube(d: int) -> None:
    data = find_dataset("circle", N_DRAWN, {"d": d}, np.random.default_rng(2))
    assert abs(data.response.mean() - 0.5) < 2 * CLOSE
    radii = np.sqrt((data.inputs**2).sum(axis=1))
    assert radii[data.response == 0].max() <= radii[data.response == 1].min()


@pytest.mark.parametrize(
    ("name", "noise", "mean", "sd"),
    [
        # scikit-learn's own generators are the second source: mean and SD of 10^6 values each
        ("friedman1", 1.0, 14.414, 4.986),
        ("friedman2", 125.0, 479.5, 399.1),
        ("friedman3", 0.1, 1.324, 0.3318),
    ],
)
def test_friedmans_functions(name: str, noise: float, mean: float, sd: float) -> None:
    data = find_dataset(name, N_DRAWN, {"noise": noise}, np.random.default_rng(6))
    assert data.task == "regression"
    assert data.response.mean() == pytest.approx(mean, rel=0.01)
    assert data.response.std() == pytest.approx(sd, rel=0.01)
    quiet = find_dataset(name, 1000, {"noise": 0.0}, np.random.default_rng(6))
    x = quiet.inputs.to_numpy()
    made = {
        "friedman1": lambda: 10 * np.sin(np.pi * x[:, 0] * x[:, 1])
        + 20 * (x[:, 2] - 0.5) ** 2 + 10 * x[:, 3] + 5 * x[:, 4],
        "friedman2": lambda: (x[:, 0] ** 2 + (x[:, 1] * x[:, 2] - 1 / (x[:, 1] * x[:, 3])) ** 2)
        ** 0.5,
        "friedman3": lambda: np.arctan(
            (x[:, 1] * x[:, 2] - 1 / (x[:, 1] * x[:, 3])) / x[:, 0]
        ),
    }  # fmt: skip
    assert quiet.response == pytest.approx(made[name]())


@pytest.mark.parametrize("name", [name for name in DATASETS if find_dataset(name).source])
def test_formulas_have_every_option(name: str) -> None:
    source = find_dataset(name).source
    assert source is not None
    options = source.options
    assert all(option in source.formula(options) for option in options)
    changed = replace(source, options={**options, "sd": 0.125, "noise": 0.125, "d": 7.0})
    numbers = set(re.findall(r"[\d.]*\d", changed.formula()))
    assert {"0.125"} <= numbers or not {"sd", "noise"} & set(options)
    assert {"7"} <= numbers or "d" not in options


def test_formulas_name_inputs_one_by_one_and_no_noise_that_is_none() -> None:
    circle, plane = (
        find_dataset(name, options={"d": 2.0}).source for name in ("circle", "hyperplane")
    )
    assert circle is not None
    assert plane is not None
    assert circle.formula().startswith("x1 and x2 are uniform")
    assert plane.formula().endswith("class 2 is where x1 > 0")
    assert plane.formula({"noise"}).endswith("with probability noise")


def _computed(formula: str, x: np.ndarray) -> np.ndarray:
    """Compute the response of a printed formula, without its noise."""
    right = formula.split(";", maxsplit=1)[0].removeprefix("y = ").removesuffix(" + e")
    for printed, code in (("²", "**2"), ("√", "sqrt"), ("π", "pi"), ("−", "-")):
        right = right.replace(printed, code)
    names = {f"x{j + 1}": x[:, j] for j in range(x.shape[1])} | {"x": x[:, 0], "pi": np.pi}
    product = re.sub(r"(?<=[\w.)]) (?=[\w(])", " * ", right)  # what stands side by side
    functions = {"sin": np.sin, "sqrt": np.sqrt, "arctan": np.arctan}
    return np.asarray(eval(product, functions, names))


@pytest.mark.parametrize(
    ("name", "options"),
    [("linear", {"b1": 1.5, "b2": -0.25}), ("friedman1", {}), ("friedman2", {}), ("friedman3", {})],
)
def test_printed_formulas_give_the_responses(name: str, options: dict[str, float]) -> None:
    quiet = find_dataset(name, 50, {**options, "noise": 0.0}, np.random.default_rng(6))
    assert quiet.source is not None
    x = quiet.inputs.to_numpy()
    # Twelve digits: the products are of another order.
    assert quiet.response == pytest.approx(_computed(quiet.source.formula(), x), rel=1e-12)


@pytest.mark.parametrize("name", ["monks1", "monks2", "monks3"])
def test_artificial_data_without_a_generator_say_how_they_arise(name: str) -> None:
    assert find_dataset(name).formula.startswith("class 1 is where")
    assert ("5%" in find_dataset(name).formula) == (name == "monks3")
