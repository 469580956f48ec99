"""Verdicts on pairs in the fixed words of the report: those of figures and tables."""

from __future__ import annotations

from collections.abc import Mapping

from reportgen.sections.sequential.monitored import Monitored
from reportgen.sections.sequential.result import DIRECTIONS, Monitoring
from reportgen.stats.decisions import OPPOSITE, Decision
from reportgen.stats.sequential.verdicts import Verdict

BRIEF = {
    "better, not relevant": "b., not rel.",
    "worse, not relevant": "w., not rel.",
    "not distinguished": "not dist.",
    "better, relevance open": "b., rel. open",
    "worse, relevance open": "w., rel. open",
    "equivalent, direction open": "eq., dir. open",
}
DECISIONS: Mapping[Decision, str] = {
    "better-relevant": "relevantly better",
    "worse-relevant": "relevantly worse",
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


def stages_words(monitoring: Monitoring, pair: Monitored) -> str:
    """Return what the stages say of a pair, and what they leave open.

    Parameters
    ----------
    monitoring : Monitoring
    pair : Monitored
    """
    word = verdict_word(monitoring, pair, pair.verdict) or "open"
    if word == "open" or pair.decided_at is not None:
        return word
    return f"{word}, direction open" if word == "equivalent" else f"{word}, relevance open"


def fixed_word(monitoring: Monitoring, pair: Monitored, decision: Decision | None) -> str | None:
    """Return the verdict of a fixed design on the one of a pair that leads.

    Parameters
    ----------
    monitoring : Monitoring
    pair : Monitored
    decision : str or None
        Of first against second.
    """
    if decision is None:
        return None
    is_turned = monitoring.leads(pair)[0] != pair.first
    said = OPPOSITE[decision] if is_turned else decision
    return DECISIONS.get(said, said)
