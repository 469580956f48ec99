"""Hansen's approximate p-values."""

from __future__ import annotations

from math import exp

import numpy as np
import pytest
from scipy.special import chdtrc

from reportgen.stats.distributions.supremum import (
    MOST_PARAMETERS,
    _laws,
    log_hansen_p_value,
    sup_p_value,
)

# Hansen simulated the process at some times only, whose largest value is smaller. Shares of the
# exact p-values, here .003 to .3, and their differences between neighbouring rows:
BELOW = (0.75, 1.05)
ROUGH = 0.07
LIMIT_OF_ONE_BREAK = 1e-9


def span_of(trimmed: float) -> float:
    return ((1 - trimmed) / trimmed) ** 2


@pytest.mark.slow
def test_every_row_of_the_table_is_near_the_exact_law_and_its_neighbours() -> None:
    for n_parameters in range(1, MOST_PARAMETERS + 1):
        shares, laws = _laws(n_parameters)
        assert shares == pytest.approx(np.append(np.arange(1, 50, 2) / 100, 0.5))
        assert laws.shape == (26, 3)
        at = n_parameters + 6 + 3 * np.sqrt(n_parameters)
        spans = [span_of(share) for share in shares[:-1]]
        found = np.exp([log_hansen_p_value(at, n_parameters, span) for span in spans])
        ratios = found / [sup_p_value(at, n_parameters, span) for span in spans]
        assert BELOW[0] < ratios.min()
        assert ratios.max() < BELOW[1]
        assert np.abs(np.diff(ratios)).max() < ROUGH


def test_between_two_rows_probabilities_are_interpolated() -> None:
    low, middle, high = (
        exp(log_hansen_p_value(10.0, 3, span_of(share))) for share in (0.15, 0.16, 0.17)
    )
    assert middle == pytest.approx((low + high) / 2)
    single = chdtrc(3, 10.0)
    near, half = (exp(log_hansen_p_value(10.0, 3, span_of(share))) for share in (0.49, 0.4925))
    assert half == pytest.approx(0.75 * near + 0.25 * single)


def test_beyond_the_table_the_nearest_law_holds() -> None:
    assert log_hansen_p_value(10.0, 3, span_of(0.001)) == log_hansen_p_value(10.0, 3, span_of(0.01))
    one_break = exp(log_hansen_p_value(10.0, 3, 1.0))
    assert one_break == pytest.approx(chdtrc(3, 10.0), rel=LIMIT_OF_ONE_BREAK)
    many = exp(log_hansen_p_value(75.0, 41, 81.0))
    assert many == pytest.approx(sup_p_value(75.0, 41, 81.0))
    assert log_hansen_p_value(2e4, 41, 81.0) < -740


def test_where_probabilities_underflow_their_logs_do_not() -> None:
    logs = [log_hansen_p_value(x, 6, 81.0) for x in (1500.0, 2500.0, 5000.0)]
    assert np.isfinite(logs).all()
    assert np.diff(logs) == pytest.approx([-500, -1250], rel=0.2)
    assert log_hansen_p_value(0.0, 6, 81.0) == 0


def test_what_is_no_statistic_is_refused() -> None:
    for statistic, n_parameters, span in ((-1.0, 2, 4.0), (1.0, 0, 4.0), (1.0, 2, 0.5)):
        with pytest.raises(ValueError, match="got"):
            log_hansen_p_value(statistic, n_parameters, span)
