"""Tables of scores and battles: where candidates stand by both, and what both say of pairs."""

from __future__ import annotations

from reportgen.notation import scale
from reportgen.report import CANDIDATE, Column, ColumnOf, Table
from reportgen.sections.agreement.result import AgreementResult, PairAgreement, Standing
from reportgen.units import Words

MOST_PAIRS = 66  # of a dozen candidates; of more those of opposite decisions alone
TOGETHER = {"same": "alike", "opposite": "oppositely", "one": "one of them", "none": "open"}


def tabulate(result: AgreementResult | None) -> tuple[Table, ...]:
    """Lay out the candidates, and their pairs."""
    return () if result is None else (_standings(result), _pairs(result))


def _standings(result: AgreementResult) -> Table:
    """One row a candidate, the best score first."""
    plane = result.plane
    written = scale(plane.measure, [s.elo for s in result.standings])
    columns: list[ColumnOf[Standing]] = [
        CANDIDATE,
        Column("mean", "Mean", "value", plane.main_measure.better),
        (Column("ranks", "Ranks by scores", "text"), lambda s: Words(_range(s.ranks))),
        Column("elo", "Elo", "value", "larger", scale=written),
        (Column("elo_ranks", "Ranks by battles", "text"), lambda s: Words(_range(s.elo_ranks))),
        Column("n", "Battles", "count"),
    ]
    return Table.of(
        result.standings,
        columns,
        name="standings",
        measure=result.measures[0],
        scale=scale(plane.main_measure, [s.mean for s in result.standings]),
    )


def _pairs(result: AgreementResult) -> Table:
    """One row a pair, the better score first: whom both decide better."""
    rows = result.pairs if len(result.pairs) <= MOST_PAIRS else result.opposite
    columns: list[ColumnOf[PairAgreement]] = [
        (Column("first", "Candidate", "candidate"), lambda p: p.first),
        (Column("second", "against", "candidate"), lambda p: p.second),
        (Column("own", "Better by scores", "text"), lambda p: Words(p.better[0] or "open")),
        (Column("other", "Better by battles", "text"), lambda p: Words(p.better[1] or "open")),
        (Column("together", "Decided", "text"), lambda p: Words(TOGETHER[p.together])),
    ]
    return Table.of(
        rows,
        columns,
        name="agreement-pairs",
        measure=result.measures[0],
        scale=scale(result.plane.main_measure, [0.0, 1.0]),
    )


def _range(ranks: tuple[int, int]) -> str:
    low, high = ranks
    return str(low) if low == high else f"{low}–{high}"
