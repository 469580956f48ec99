from __future__ import annotations

import numpy as np
import pytest

from reportgen.stats.archetypal_analysis import descent
from reportgen.stats.archetypal_analysis.descent import (
    Limits,
    archetype_sweep,
    descend,
    frank_wolfe_gap,
    resume,
    slope,
)
from reportgen.stats.archetypal_analysis.initialisation import beginnings
from reportgen.stats.archetypal_analysis.problem import (
    Bisquare,
    Problem,
    Squared,
    bisquare_of,
    settled,
)
from tests.stats.archetypal_analysis.tables import mixed

# Rounding of a sum of squares of size about 100.
ROUNDING = 1e-10


def problem(seed=1, with_gaps=False):
    """Return rows around a simplex, some of them with gaps."""
    rng = np.random.default_rng(seed)
    rows = mixed(3 * rng.standard_normal((4, 3)), 60, rng) + 0.3 * rng.standard_normal((64, 3))
    seen = rng.random(rows.shape) < (0.8 if with_gaps else 1)
    seen[~seen.any(axis=1), 0] = True
    rows = np.where(seen, rows - rows.mean(axis=0), 0.0)
    hull = np.flatnonzero(seen.all(axis=1))
    return Problem.of(rows, hull, seen if with_gaps else None)


def begin(task, k=3):
    """Begin twice, as different rows."""
    shares = np.zeros((2, k, len(task.hull)))
    shares[0, np.arange(k), np.arange(k)] = 1
    shares[1, np.arange(k), np.arange(k, 2 * k)] = 1
    return shares


LOSSES = [
    Squared(np.ones(64)),
    Squared(np.linspace(0, 2, 64)),
    Bisquare(2.0),
]


@pytest.mark.parametrize("with_gaps", [False, True])
@pytest.mark.parametrize("loss", LOSSES, ids=["plain", "weighted", "bisquare"])
def test_plain_sweeps_never_rise(loss, with_gaps):
    task = problem(with_gaps=with_gaps)
    state = settled(task, begin(task), loss)
    for _ in range(40):
        following = settled(task, archetype_sweep(task, state, loss), loss, state.mixtures)
        assert (following.objective <= state.objective + ROUNDING).all()
        state = following


@pytest.mark.slow
@pytest.mark.parametrize("with_gaps", [False, True])
@pytest.mark.parametrize("loss", LOSSES, ids=["plain", "weighted", "bisquare"])
def test_a_descent_never_rises_and_ends_where_plain_sweeps_rest(loss, with_gaps):
    task = problem(with_gaps=with_gaps)
    found = descend(task, begin(task), loss, Limits())
    assert all(d.is_converged for d in found)
    assert all((np.diff(d.trace) <= ROUNDING).all() for d in found)
    state = settled(task, np.stack([d.shares for d in found]), loss)
    assert state.objective == pytest.approx([d.objective for d in found])
    assert (frank_wolfe_gap(task, state, loss) <= 1.1e-6 * state.objective).all()
    again = settled(task, archetype_sweep(task, state, loss), loss)
    assert again.objective == pytest.approx(state.objective, rel=1e-6)
    assert state.shares.sum(axis=2) == pytest.approx(1)
    assert (state.shares >= 0).all()


@pytest.mark.parametrize("loss", LOSSES, ids=["plain", "weighted", "bisquare"])
def test_a_descent_goes_on_as_if_it_had_never_rested(loss):
    task, many = problem(), Limits()
    whole = descend(task, begin(task), loss, many)
    for n_sweeps in (1, 4):
        rested = descend(task, begin(task), loss, Limits(sweeps=n_sweeps))
        assert not any(d.is_converged for d in rested)
        found = resume(task, rested, loss, many)
        for one, other, before in zip(whole, found, rested, strict=True):
            assert other.trace[: n_sweeps + 1] == before.trace
            assert other.trace == pytest.approx(one.trace, rel=1e-9)


def test_starts_that_rested_early_and_late_go_on_side_by_side():
    task, loss = problem(), LOSSES[0]
    early, late = (descend(task, begin(task), loss, Limits(sweeps=n)) for n in (2, 5))
    together = resume(task, [early[0], late[1]], loss, Limits())
    alone = [resume(task, [d], loss, Limits())[0] for d in (early[0], late[1])]
    for one, other in zip(alone, together, strict=True):
        assert other.trace == pytest.approx(one.trace, rel=1e-9)


@pytest.mark.slow
@pytest.mark.parametrize("with_gaps", [False, True])
def test_known_mixtures_only_help(with_gaps):
    task, loss = problem(with_gaps=with_gaps), LOSSES[0]
    state = settled(task, begin(task), loss)
    start = state.mixtures.copy()
    start[:, :, ::3] = 0
    before = start.copy()
    for some in (slice(0, 1), slice(0, 2)):
        # rows with a single cell have several best mixtures
        again = settled(task, begin(task)[some], loss, start[some])
        assert again.squares == pytest.approx(state.squares[some], abs=1e-9)
    assert (start == before).all()
    known = descend(task, begin(task), loss, Limits(), start)
    plain = descend(task, begin(task), loss, Limits())
    # Several best mixtures of one row may lead a start to different optima.
    ends = [min(d.objective for d in found) for found in (known, plain)]
    assert ends[0] == pytest.approx(ends[1], rel=1e-9)


@pytest.mark.parametrize("with_gaps", [False, True])
def test_the_step_of_one_archetype_is_exact(with_gaps):
    task, loss = problem(with_gaps=with_gaps), Squared(np.linspace(0.5, 2, 64))
    state = settled(task, begin(task), loss)
    shares = archetype_sweep(task, state, loss)[0]
    seen = np.ones_like(task.rows) if task.observed is None else task.observed

    def objective(last):
        archetypes = np.vstack([shares[:-1], last]) @ task.corners
        left = (task.rows - state.mixtures[0].T @ archetypes) * seen
        return float(loss.weights @ (left**2).sum(axis=1))

    best = objective(shares[-1])
    for corner in np.eye(len(task.hull)):
        assert objective(0.999 * shares[-1] + 0.001 * corner) >= best - ROUNDING


@pytest.mark.parametrize("with_gaps", [False, True])
@pytest.mark.parametrize("loss", LOSSES, ids=["plain", "weighted", "bisquare"])
def test_the_slope_is_that_of_the_objective(loss, with_gaps):
    task, rng = problem(with_gaps=with_gaps), np.random.default_rng(3)
    shares = rng.dirichlet(np.ones(len(task.hull)), (2, 3))
    move = rng.dirichlet(np.ones(len(task.hull)), (2, 3)) - shares
    up, down = (settled(task, shares + s * move, loss).objective for s in (1e-5, -1e-5))
    found = slope(task, settled(task, shares, loss), loss)[0] * (move @ task.corners)
    assert found.sum(axis=(1, 2)) == pytest.approx((up - down) / 2e-5, rel=1e-5)


def test_cells_that_were_not_observed_have_no_say():
    task, loss = problem(with_gaps=True), Squared(np.ones(64))
    full = Problem.of(task.rows, task.hull, np.ones_like(task.observed))
    plain = Problem.of(task.rows, task.hull)
    same = [descend(t, begin(t), loss, Limits())[0].objective for t in (full, plain)]
    assert same[0] == pytest.approx(same[1], rel=1e-7)
    state = settled(task, begin(task), loss)
    assert (state.residuals[:, ~task.observed] == 0).all()
    assert (state.objective < settled(plain, begin(plain), loss).objective).all()


def test_an_archetype_within_the_others_goes_elsewhere():
    square = np.array([[-1.0, -1], [1, -1], [-1, 1], [1, 1]])
    task = Problem.of(np.vstack([square, [[-0.2, -0.2]]]), np.arange(5))
    start = np.zeros((1, 4, 5))
    start[0, [0, 1, 2, 3], [0, 1, 2, 4]] = 1
    found = descend(task, start, Squared(np.ones(5)), Limits())[0]
    assert found.objective == pytest.approx(0, abs=1e-9)


def test_the_bisquare_is_concave_with_its_slopes():
    squares = np.linspace(0, 12, 50)
    loss = Bisquare(3.0)
    singly = np.array([loss.objective(np.array([s])) for s in squares])
    assert (np.diff(singly, 2) <= 1e-12).all()
    slopes = np.diff(singly) / np.diff(squares)
    assert slopes == pytest.approx(loss.slopes((squares[1:] + squares[:-1]) / 2), abs=2e-3)
    assert singly[-1] == pytest.approx(9 / 6)
    assert loss.weights(np.array([0.0, 9, 100])).tolist() == [1, 0, 0]


def test_bounds_count_only_residuals_that_are_not_zero():
    assert bisquare_of(np.array([0, 1e-20, 4, 4, 16]), 4).bound == pytest.approx(12)
    assert bisquare_of(np.zeros(3), 4).bound > 0


@pytest.mark.slow
def test_a_part_of_a_leap_saves_plain_sweeps(monkeypatch):
    rng = np.random.default_rng(8)
    rows = rng.standard_normal((150, 5))
    task, loss = Problem.of(rows - rows.mean(axis=0), np.arange(150)), Squared(np.ones(150))
    counts = []
    for parts in ((1.0,), descent._PARTS):
        sweeps = []
        monkeypatch.setattr(descent, "_PARTS", parts)
        monkeypatch.setattr(
            descent, "archetype_sweep", lambda *a, n=sweeps: n.append(1) or archetype_sweep(*a)
        )
        for seed in range(4):
            shares = beginnings(rows, 4, "random", np.random.default_rng(seed), 1)
            descend(task, shares, loss, Limits(decrease=1e-5))
        counts.append(len(sweeps))
    assert counts[1] < 0.6 * counts[0]


@pytest.mark.slow
@pytest.mark.parametrize("with_gaps", [False, True])
def test_tables_go_down_side_by_side_as_each_for_itself(with_gaps):
    tasks = [problem(seed, with_gaps=with_gaps) for seed in (1, 2, 3)]
    weights = np.linspace(0.5, 2, 3 * 64).reshape(3, 64)
    whole, of = Problem.joined(tasks), np.repeat(np.arange(3), 2)
    begun = np.zeros((6, 3, whole.hull.shape[1]))
    for number, task in enumerate(tasks):
        begun[2 * number : 2 * number + 2, :, : len(task.hull)] = begin(task)
    together = descend(whole.taking(of), begun, Squared(weights[of]), Limits())
    both = np.zeros(2, dtype=int)
    alone = [
        found
        for task, own in zip(tasks, weights, strict=True)
        for found in descend(
            Problem.joined([task]).taking(both), begin(task), Squared(own), Limits()
        )
    ]
    for task, own, one in zip(tasks, weights, together[::2], strict=True):
        state = settled(task, one.state.shares[:, :, : len(task.hull)], Squared(own))
        assert state.objective == pytest.approx(one.state.objective, rel=1e-9)
        gap = frank_wolfe_gap(task, state, Squared(own))
        assert gap < 1e-5 * state.objective
    for one, other in zip(together, alone, strict=True):
        assert one.is_converged
        assert one.objective == pytest.approx(other.objective, rel=1e-6)
        assert one.state.archetypes == pytest.approx(other.state.archetypes, abs=1e-3)


def test_a_problem_is_thinned_among_corners_and_among_other_rows():
    tasks = [problem(seed, with_gaps=True) for seed in (1, 2)]
    whole = Problem.joined(tasks)
    few, some = whole.thinned(3)
    assert some.shape == (2, 22)
    for number, task in enumerate(tasks):
        part, places = few.taking(number), task.hull[::3]
        assert (part.rows == task.rows[some[number]]).all()
        assert (part.observed == task.observed[some[number]]).all()
        assert (some[number][: len(places)] == places).all()
        assert (part.corners[: len(places)] == task.corners[::3]).all()
        assert (part.rows[part.hull[: len(places)]] == task.corners[::3]).all()
        assert (part.corners[len(places) :] == task.corners.mean(axis=0)).all()
        kinds, kind = part.patterns
        assert (kinds[kind] == part.observed).all()
