"""Tables of the monitoring: pairs, fixed designs and stages, with verdicts in fixed words."""

from __future__ import annotations

from reportgen.notation import scale
from reportgen.report import Column, ColumnOf, Table
from reportgen.sections.sequential.result import (
    DIRECTIONS,
    FixedVerdict,
    Monitored,
    Monitoring,
    SequentialResult,
)
from reportgen.stats.decisions import OPPOSITE, decision_words
from reportgen.stats.sequential.stages import Verdict


def verdict_word(monitoring: Monitoring, pair: Monitored, verdict: Verdict | None) -> str | None:
    """Return the verdict on the one of a pair with the better mean."""
    if verdict is None or verdict not in DIRECTIONS:
        return "given up" if verdict == "not-distinguished" else verdict
    is_first = monitoring.winner(pair, verdict) == monitoring.leads(pair)[0]
    word = "better" if is_first else "worse"
    return f"{word}, not relevant" if verdict.endswith("equivalent") else word


def stages_words(monitoring: Monitoring, pair: Monitored) -> str:
    """Write the verdict of the stages on a pair, and what they leave open."""
    word = verdict_word(monitoring, pair, pair.verdict) or "open"
    if word == "open" or pair.decided_at is not None:
        return word
    return (
        f"{word}, direction not established"
        if word == "equivalent"
        else f"{word}, relevance not established"
    )


def fixed_word(monitoring: Monitoring, pair: Monitored, fixed: FixedVerdict | None) -> str | None:
    """Return the verdict of a fixed design on the one of a pair that leads."""
    if fixed is None:
        return None
    if monitoring.leads(pair)[0] != pair.first:
        return decision_words(OPPOSITE[fixed.decision], -fixed.way)
    return decision_words(fixed.decision, fixed.way)


def tabulate(result: SequentialResult) -> tuple[Table, ...]:
    """Lay out one table a measure, fixed designs where there are, the stages of a single pair."""
    found = [m for m in result.values() if m.pairs]
    stages = [m for m in found if len(m.pairs) == 1 and len(m.pairs[0].stages) > 1]
    fixed = [m for m in found if any(pair.at for pair in m.pairs)]
    return (*map(_pairs, found), *map(_fixed_designs, fixed), *map(_stages, stages))


def _pairs(monitoring: Monitoring) -> Table:
    """One row a pair: since when it is clear, and when each method decides."""
    columns: list[ColumnOf[Monitored]] = [
        (Column("pair", "Pair, better first", "pair"), monitoring.leads),
        (
            Column("difference", "Times" if monitoring.is_ratio else "Advantage", "difference"),
            monitoring.advantage,
        ),
        (
            Column("point", "p stays low from", "count"),
            lambda p: p.point_of_consecutive_significance,
        ),
        (
            Column("stable_from", "Any order from", "count"),
            lambda p: p.random_orders and p.random_orders.stable_from,
        ),
        (Column("verdict", "By stages", "text"), lambda p: stages_words(monitoring, p)),
        Column("decided_at", "Settled after", "count"),
        (
            Column("group_at", "Group sequential", "count"),
            lambda p: p.group_sequential and p.group_sequential.replication,
        ),
        (
            Column("sign_at", "Sign e-process", "count"),
            lambda p: p.anytime and p.anytime.sign_decided_at,
        ),
    ]
    return Table.of(
        monitoring.by_advantage,
        columns,
        name="pairs",
        measure=monitoring.measure.name,
        scale=scale(monitoring.measure, monitoring.differences, is_ratio=monitoring.is_ratio),
        is_wide=True,
    )


def _fixed_designs(monitoring: Monitoring) -> Table:
    """One row a pair: the verdicts of fixed designs."""
    sizes = (*monitoring.fixed_sizes, monitoring.n_replications)
    columns = (
        Column("pair", "Pair, better first", "pair"),
        *(Column(f"at_{n}", f"With {n}", "text") for n in sizes),
        Column("p_value", "p-value with all, alone", "pvalue"),
        Column("adjusted_p_value", "adjusted", "pvalue"),
    )
    rows = []
    for pair in monitoring.by_advantage:
        fixed = {verdict.replications: verdict for verdict in pair.at}
        words = (fixed_word(monitoring, pair, fixed.get(n)) for n in sizes)
        last = pair.at[-1] if pair.at else None
        p_values = (last.p_value, last.adjusted_p_value) if last else (None, None)
        rows.append((monitoring.leads(pair), *words, *p_values))
    return Table("fixed", monitoring.measure.name, columns, tuple(rows), is_wide=True)


def _stages(monitoring: Monitoring) -> Table:
    """One row a stage of the only pair."""
    columns = (
        Column("replication", "Replications", "count"),
        Column("p_value", "p-value of the stage", "pvalue"),
        Column("alpha_star", "Level left", "number"),
        Column("alpha_1", "Rejects up to", "number"),
        Column("alpha_0", "Accepts above", "number"),
        Column("c", "Critical value", "number"),
        Column("decision", "Decision", "text"),
    )
    return Table.of(
        monitoring.pairs[0].stages, columns, name="stages", measure=monitoring.measure.name
    )
