"""All candidates together on accumulating replications."""

from __future__ import annotations

import numpy as np

from reportgen.sections.sequential.asked import Asked
from reportgen.sections.sequential.monitored import Monitored
from reportgen.sections.sequential.pairs import stage_results
from reportgen.stats.sequential.staged import OF_MEANS, group_stages
from reportgen.stats.sequential.tracks import (
    block_f_track,
    friedman_track,
    point_of_consecutive_significance,
)


def monitored_together(asked: Asked) -> Monitored | None:
    """Follow the test that all candidates are alike; None with two candidates or few values.

    Parameters
    ----------
    asked : Asked
    """
    present = np.isfinite(asked.values).any(axis=0)
    values = asked.values[:, present]
    complete = np.flatnonzero(np.isfinite(values).all(axis=1))
    if present.sum() < 3 or len(complete) < asked.burn_in:
        return None
    is_of_means = asked.plan.test in OF_MEANS
    track = (block_f_track if is_of_means else friedman_track)(values[complete], asked.burn_in)
    alpha = asked.options.alpha
    point = float(point_of_consecutive_significance(track, alpha))
    p_values = group_stages(values, asked.ends, asked.plan)
    test = asked.plan.tested(p_values.tolist(), alpha) if len(p_values) else None
    decided = test.decision if test and test.is_decided else "undecided"
    return Monitored(
        None,
        None,
        "block-f" if is_of_means else "friedman",
        "two-sided",
        asked.burn_in,
        asked.target,
        tuple((complete[track.n - 1] + 1).tolist()),
        tuple(track.p_values.tolist()),
        tuple(track.statistics.tolist()),
        tuple(track.effects.tolist()),
        None,
        len(complete),
        int(complete[int(point) - 1]) + 1 if np.isfinite(point) else None,
        alpha,
        stage_results(test, asked.ends) if test else (),
        None,
        test.p_value if test else None,
        decided,  # type: ignore[arg-type]
        scale=asked.scale,
    )
