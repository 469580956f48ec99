"""Verdicts on pairs in the fixed words of the report: those of figures and tables."""

from __future__ import annotations

from reportgen.sections.sequential.monitored import Monitored
from reportgen.sections.sequential.result import DIRECTIONS, Monitoring
from reportgen.stats.sequential.verdicts import Verdict

BRIEF = {
    "better, not relevant": "b., not rel.",
    "worse, not relevant": "w., not rel.",
    "not distinguished": "not dist.",
}


def verdict_word(monitoring: Monitoring, pair: Monitored, verdict: Verdict | None) -> str | None:
    """Return the verdict on the one of a pair with the better mean.

    Parameters
    ----------
    monitoring : Monitoring
    pair : Monitored
    verdict : str or None
    """
    if verdict is None or verdict not in DIRECTIONS:
        return "not distinguished" if verdict == "not-distinguished" else verdict
    is_first = monitoring.winner(pair, verdict) == monitoring.leads(pair)[0]
    word = "better" if is_first else "worse"
    return f"{word}, not relevant" if verdict.endswith("equivalent") else word
