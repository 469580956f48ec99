"""Battles: a row for each comparison of two models by a judge, who prefers one or neither.

As Chatbot Arena, MT-Bench, AlpacaEval and many others write them: the two in columns such as
`model_a` and `model_b`, and who has won in `winner`, or in columns of 0 and 1. A battle is a
replication that two candidates have: 1 for who is preferred, 0 for the other one, 1/2 each for a
tie. Which one was shown first, the judge, the prompt and what else is known of a battle go along as
characteristics of the replication. A square table of wins, models on both sides, is read likewise
where the user says that it is one.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from types import MappingProxyType
from typing import Any

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from reportgen.data_classes import dataclass
from reportgen.exchange.readers.fits import Fits, Format, Part, constant, first_column
from reportgen.exchange.table import MISSING, RawTable, cells_of, numbers_of
from reportgen.performance_measure import ELO, STYLED
from reportgen.study.errors import listed, shown
from reportgen.study.looks import LOOKS, Looks
from reportgen.units import unit_named

SIDES: tuple[tuple[str, str], ...] = (
    ("modela", "modelb"),
    ("model1", "model2"),
    ("generator1", "generator2"),
    ("systema", "systemb"),
    ("candidatea", "candidateb"),
    ("playera", "playerb"),
    ("modelleft", "modelright"),
    ("leftmodel", "rightmodel"),
    ("left", "right"),
    ("a", "b"),
)
"""Names of the columns of the two, without blanks and underscores, in the order in which they are
shown."""
OUTCOMES = ("winner", "preference", "preferred", "choice")
ONE_HOT = ("winnermodela", "winnermodelb", "winnertie")
GAMES = ("g1winner", "g2winner")
"""Winners of MT-Bench: of the two as they stand, and with the second shown first."""
JUDGES = ("judge", "judgeid", "annotator", "annotatorid", "user", "userid", "voter", "rater")
PROMPTS = ("questionid", "promptid", "prompt", "instruction", "question", "itemid", "item")
FURTHER: Mapping[str, tuple[str, ...]] = MappingProxyType(
    {
        "category": ("category", "topic", "taskcategory"),
        "language": ("language", "lang"),
        "turn": ("turn", "nturns"),
        "length": ("length", "promptlength", "sumusertokens", "usertokens", "prompttokens"),
        "time": ("tstamp", "timestamp", "time", "date"),
    }
)
"""Names of the columns of what else is known of a battle."""

STYLE = re.compile(
    r"(length|len|tokens?|chars|characters|words|sentences|lines|headers?|headings|lists?|bullets"
    r"|bolds?|italics?|markdown|code|links?|emojis?)(_?(count|len|length))?",
    re.IGNORECASE,
)
"""What style is called in the name of a column that each of the two has."""
MATES: Mapping[str, str] = MappingProxyType({"a": "b", "1": "2", "left": "right"})
"""What the first one's column has in its name, and the second one's in its place."""

FIRST, TIE, SECOND, LOST, BAD = 1, 0, -1, 2, 3
WORDS: Mapping[str, int] = MappingProxyType(
    dict.fromkeys(("modela", "a", "left", "first", "model1", "assistanta", "responsea"), FIRST)
    | dict.fromkeys(("modelb", "b", "right", "second", "model2", "assistantb", "responseb"), SECOND)
    | dict.fromkeys(("tie", "tied", "ties", "draw", "equal", "same", "both", "bothgood"), TIE)
    | dict.fromkeys(("tiebothbad", "bothbad", "botharebad", "neither"), BAD)
    | dict.fromkeys(("error", *MISSING), LOST)
)
"""What is written in place of the winner's name, without blanks and signs."""
ALLOWED = "model_a, model_b, tie, both_bad, or the name of one of the two"
LONGEST_PROMPT = 80  # characters up to which a prompt is its own name; longer ones are numbered


@dataclass(frozen=True, slots=True)
class _Columns:
    """The columns by which a table of battles is known."""

    first: str
    second: str
    outcome: tuple[str, ...]  # one, the three of 0 and 1, or the two games of MT-Bench

    @staticmethod
    def of(table: RawTable) -> _Columns | None:
        """Find them; None where the table has none."""
        for names in SIDES:
            first, second = (first_column(table, [name]) for name in names)
            if first is None or second is None:
                continue
            for kind in (ONE_HOT, GAMES):
                found = [first_column(table, [name]) for name in kind]
                if all(found):
                    return _Columns(first, second, tuple(c for c in found if c))
            one = first_column(table, OUTCOMES)
            if one is not None:
                return _Columns(first, second, (one,))
        return None


def _matches(table: RawTable) -> bool:
    return _Columns.of(table) is not None or (
        unit_named(table.unit).is_contest and _is_square(table)
    )


def _read(table: RawTable) -> Fits:
    """Lay out every battle as two values of one replication."""
    columns = _Columns.of(table)
    if columns is None:
        return _of_matrix(table)
    names = [_names(table, column) for column in (columns.first, columns.second)]
    rows = np.arange(table.n_rows)
    if len(columns.outcome) == len(GAMES):
        games = [_outcomes(table, column, names) for column in columns.outcome]
        rows, codes = np.repeat(rows, 2), np.column_stack(games).ravel()
        is_turned = np.tile([False, True], table.n_rows)
    else:
        one = _one_hot if len(columns.outcome) == len(ONE_HOT) else _of_column
        codes, is_turned = one(table, columns.outcome, names), np.zeros(table.n_rows, np.bool_)
    is_lost = codes == LOST
    if is_lost.any():
        table.decided.append(("battles-lost", f"{int(is_lost.sum()):,}"))
    rows, codes, is_turned = rows[~is_lost], codes[~is_lost], is_turned[~is_lost]
    if not len(rows):
        raise table.error("no battle with a winner or a tie", ALLOWED, column=columns.outcome[0])
    kept, facts = _at_look(table, rows)
    return _fits(table, names, rows[kept], codes[kept], is_turned[kept], facts)


def _at_look(
    table: RawTable, rows: NDArray[np.intp]
) -> tuple[slice | NDArray[np.intp], dict[str, object]]:
    """Return the battles of the look at hand, in their order, where looks were planned."""
    if table.looks is None:
        return slice(None), {}
    looks = Looks.of({**table.looks, "n_there": len(rows)})
    least = looks.planned[0]
    if len(rows) < least:
        raise table.error(f"{len(rows):,} battles", f"those of the first look, {least:,}, or more")
    order = _order_of_time(table, rows)
    told = f"{looks.number} of {len(looks.planned)}, at the first {looks.n:,} of {len(rows):,}"
    table.decided.append(("battles-look", told))
    kept = (np.arange(len(rows)) if order is None else order)[: looks.n]
    return kept, {LOOKS: looks.described()}


def _order_of_time(table: RawTable, rows: NDArray[np.intp]) -> NDArray[np.intp] | None:
    """Return the battles in the order of their times; None where not all of them are known."""
    column = first_column(table, FURTHER["time"])
    if column is None:
        return None
    cells = pd.Series(cells_of(table, column), dtype=object).iloc[rows]
    times = pd.to_numeric(cells, errors="coerce")
    if times.isna().any():
        times = pd.to_datetime(cells, errors="coerce", format="ISO8601", utc=True)
    return None if times.isna().any() else np.argsort(times.to_numpy(), kind="stable")


def _names(table: RawTable, column: str) -> list[str]:
    """Return the names of models in a column."""
    found = table.labels(column)
    return [found.names[code] for code in found.codes.tolist()]


def _fits(
    table: RawTable,
    names: Sequence[Sequence[str]],
    rows: NDArray[np.intp],
    codes: NDArray[np.intp],
    is_turned: NDArray[np.bool_],
    facts: Mapping[str, object] | None = None,
) -> Fits:
    """Put battles together, each of a row of the table."""
    # `is_turned`: whether the second of the row was shown first.
    first, second = (np.array(own, dtype=object)[rows] for own in names)
    is_same = first == second
    if is_same.any():
        row = int(rows[is_same.argmax()])
        raise table.error(f"{shown(names[0][row])} against itself", "two models", row=row)
    both = np.column_stack([first, second]).ravel()
    models, places = np.unique(both.astype(str), return_inverse=True)
    _check_links(table, models.tolist(), places.reshape(-1, 2))
    labels = table.as_labels("model", [str(name) for name in both])
    gain = np.where(codes == FIRST, 1.0, np.where(codes == SECOND, 0.0, 0.5))
    values = np.column_stack([gain, 1 - gain]).ravel()
    n = len(rows)
    known, cluster = _known(table, rows)
    known |= _style(table, rows, is_turned)
    known = {
        "first": np.where(is_turned, second, first),
        **({"both bad": (codes == BAD).astype(np.float64)} if (codes == BAD).any() else {}),
        **known,
    }
    head = {"dataset": table.path.stem, "replication": np.arange(1, n + 1), "scheme": ""}
    characteristics = pd.DataFrame({**head, **known}).astype(
        {"dataset": object, "replication": "Int64", "scheme": object, "first": "category"}
    )
    n_bad = int((codes == BAD).sum())
    if n_bad:
        table.decided.append(("battles-bad", f"{n_bad:,}"))
    if cluster:
        table.decided.append(("battles-clusters", cluster))
    return Fits(
        constant(table.path.stem, 2 * n),
        labels,
        np.repeat(np.arange(1, n + 1), 2),
        np.repeat(rows, 2),
        (Part(ELO.name, np.arange(2 * n), values),),
        {ELO.name: ELO},
        unit="comparison",
        facts={**({"cluster": cluster} if cluster else {}), **(facts or {})},
        characteristics=characteristics,
    )


def _check_links(table: RawTable, models: list[str], pairs: NDArray[np.intp]) -> None:
    """Refuse models that no battles link: nothing says who of two groups is better."""
    from reportgen.stats.worths.comparisons import groups_of_links

    group = groups_of_links(pairs, len(models))
    n_groups = int(group.max()) + 1
    if n_groups == 1:
        return
    groups = [listed([models[i] for i in np.flatnonzero(group == g)]) for g in range(n_groups)]
    raise table.error(
        f"{n_groups} groups of models that never met: {'; '.join(groups[:5])}",
        "battles that link all models, directly or through others; or a file for each group",
    )


# ----------------------------------------------------------------------------- outcomes


def _of_column(
    table: RawTable, outcome: tuple[str, ...], names: Sequence[Sequence[str]]
) -> NDArray[np.intp]:
    return _outcomes(table, outcome[0], names)


def _outcomes(table: RawTable, column: str, names: Sequence[Sequence[str]]) -> NDArray[np.intp]:
    """Read who has won; numbers are 1 for the first, 2 for the second, 0 or 1.5 for a tie."""
    # Between 1 and 2 they are the nearer one's, as AlpacaEval weighs preferences.
    cells = [(cell or "").strip() for cell in cells_of(table, column)]
    numbers = [_number(cell) for cell in dict.fromkeys(cells) if cell.casefold() not in MISSING]
    if numbers and all(x is not None for x in numbers):
        if max(x for x in numbers if x is not None) > 1:
            return np.array([_of_number(table, column, i, c) for i, c in enumerate(cells)])
        row = next(i for i, cell in enumerate(cells) if cell)
        allowed = f"1 and 2 (0 or 1.5 for a tie); {ALLOWED}"
        raise table.error(shown(cells[row]), allowed, row=row, column=column)
    known = {cell: WORDS.get(_plain(cell)) for cell in dict.fromkeys(cells)}
    found = np.empty(len(cells), dtype=np.intp)
    for row, (cell, first, second) in enumerate(zip(cells, *names, strict=True)):
        code = FIRST if cell == first else SECOND if cell == second else known[cell]
        if code is None:
            raise table.error(shown(cell), ALLOWED, row=row, column=column)
        found[row] = code
    return found


def _plain(cell: str) -> str:
    text = cell.casefold()
    return text if text in MISSING else re.sub(r"[^a-z0-9]+", "", text)


def _number(cell: str) -> float | None:
    try:
        return float(cell)
    except ValueError:
        return None


def _of_number(table: RawTable, column: str, row: int, cell: str) -> int:
    if cell.casefold() in MISSING:
        return LOST
    x = float(cell)
    if not (x == 0 or 1 <= x <= 2):
        raise table.error(shown(cell), "1 to 2, and 0 for a tie", row=row, column=column)
    return TIE if x in (0, 1.5) else FIRST if x < 1.5 else SECOND


def _one_hot(
    table: RawTable, outcome: tuple[str, ...], _names: Sequence[Sequence[str]]
) -> NDArray[np.intp]:
    """Read three columns of which one has a 1."""
    flags = np.column_stack([table.numbers(column) for column in outcome])
    is_odd = ~(np.isin(flags, (0.0, 1.0)).all(axis=1) & (flags.sum(axis=1) == 1))
    if is_odd.any():
        row = int(is_odd.argmax())
        found = ", ".join(f"{x:g}" for x in flags[row])
        allowed = f"one 1 and two 0 among {listed(outcome)}"
        raise table.error(found, allowed, row=row)
    return np.asarray(np.array([FIRST, SECOND, TIE])[flags.argmax(axis=1)])


# ---------------------------------------------------------------- what is known of battles


def _known(table: RawTable, rows: NDArray[np.intp]) -> tuple[dict[str, Any], str]:
    """Return what is known of battles, and what their clusters are: judge, prompt or nothing."""
    given = table.user_columns.get("cluster")
    sources = {"judge": JUDGES, "prompt": PROMPTS, **FURTHER}
    columns = {name: first_column(table, own) for name, own in sources.items()}
    if isinstance(given, str):
        columns = {"cluster": given, **columns}
    found: dict[str, Any] = {}
    for name, column in columns.items():
        if column is None:
            continue
        if name == "length":
            lengths = numbers_of(table, column)[rows]
            if np.isfinite(lengths).any():
                found[name] = lengths
            continue
        texts = pd.Series(cells_of(table, column), dtype=object).iloc[rows].reset_index(drop=True)
        if texts.nunique() < 1:
            continue
        if name == "prompt" and texts.dropna().str.len().max() > LONGEST_PROMPT:
            numbers, _ = pd.factorize(texts)
            texts = pd.Series(numbers + 1).astype(str).where(texts.notna(), None)
        found[name] = texts.astype("category")
    clusters = [name for name in ("cluster", "judge", "prompt") if _repeats(found.get(name))]
    return found, clusters[0] if clusters else ""


def _style(
    table: RawTable, rows: NDArray[np.intp], is_turned: NDArray[np.bool_]
) -> dict[str, NDArray[np.float64]]:
    """Return differences in style of the one shown first and the other, as shares of the sum."""
    # Parts of a count (headers of six levels) are added up.
    sums: dict[str, list[NDArray[np.float64]]] = {}
    for column, mate, name in _style_columns(table):
        both = [np.nan_to_num(numbers_of(table, own)) for own in (column, mate)]
        known = sums.setdefault(name, [np.zeros(table.n_rows), np.zeros(table.n_rows)])
        known[0] += both[0]
        known[1] += both[1]
    found = {}
    for name, (first, second) in sums.items():
        total = first + second
        if (first < 0).any() or (second < 0).any():
            continue
        share = np.divide(first - second, total, out=np.zeros_like(total), where=total > 0)
        own = np.where(is_turned, -share[rows], share[rows])
        if np.ptp(own) > 0:
            found[f"{STYLED}{name}"] = own
    return found


def _style_columns(table: RawTable) -> Iterator[tuple[str, str, str]]:
    """Yield columns of the first, those of the second, and what they hold."""
    for column in table.columns:
        parts = re.split(r"([_.\s-])", str(column))
        for at, part in enumerate(parts):
            mate = MATES.get(part.casefold())
            if mate is None:
                continue
            other = "".join([*parts[:at], mate, *parts[at + 1 :]])
            word = STYLE.search("".join([*parts[:at], "_", *parts[at + 1 :]]))
            if word is None or other not in table.columns:
                continue
            if all(np.isfinite(numbers_of(table, own)).any() for own in (column, other)):
                yield column, other, word[1].casefold()


def _repeats(texts: pd.Series[Any] | None) -> bool:
    """Whether several battles are of one, and these are enough to be clusters."""
    from reportgen.stats.worths.battles import FEWEST_CLUSTERS

    return texts is not None and FEWEST_CLUSTERS <= texts.nunique() < texts.notna().sum()


# ------------------------------------------------------------------------- a table of wins


def _is_square(table: RawTable) -> bool:
    """Whether models stand on both sides."""
    return _sides(table) is not None


def _sides(table: RawTable) -> tuple[list[str], list[str]] | None:
    """Return the names of the rows, and the columns of the same names."""
    every = {**table.unnamed, **table.columns}
    for head in (*table.unnamed, *(c for c in table.columns if table.is_text(c))):
        names = [str(name) for name in every[head].to_pylist()]
        columns = [c for c in table.columns if c != head]
        if len(set(names)) == len(names) and {c.strip() for c in columns} == {*names}:
            return names, columns
    return None


def _of_matrix(table: RawTable) -> Fits:
    """Take a battle for every win that a square table counts."""
    if table.looks:
        raise table.error("looks at a table of wins, which has no order", "a row a battle")
    sides = _sides(table)
    assert sides is not None
    names, columns = sides
    models = [column.strip() for column in columns]
    wins = np.column_stack([table.numbers(column) for column in columns])
    wins[[names.index(m) for m in models], range(len(models))] = 0.0  # of a model against itself
    wins = np.nan_to_num(wins)
    is_odd = (wins < 0) | (wins != np.round(wins))
    if is_odd.any():
        row, place = np.unravel_index(int(is_odd.argmax()), wins.shape)
        allowed = "how often the model of the row has won, a whole number"
        column = columns[int(place)]
        raise table.error(f"{wins[row, place]:g}", allowed, row=int(row), column=column)
    winner, loser = np.nonzero(wins)
    times = wins[winner, loser].astype(np.intp)
    rows = np.repeat(winner, times)
    both = [np.array(own, dtype=object) for own in (names, models)]
    first, second = np.repeat(both[0][winner], times), np.repeat(both[1][loser], times)
    table.decided.append(("wins-matrix", f"{len(rows):,}"))
    fits = _fits(
        table,
        (first.tolist(), second.tolist()),
        np.arange(len(rows)),
        np.full(len(rows), FIRST),
        np.zeros(len(rows), np.bool_),
    )
    assert fits.characteristics is not None
    unknown = fits.characteristics.drop(columns="first")  # which one was shown first
    return Fits(
        fits.datasets,
        fits.candidates,
        fits.replications,
        np.repeat(rows, 2),
        fits.parts,
        fits.known,
        unit=fits.unit,
        characteristics=unknown,
    )


def frame_of_wins(wins: pd.DataFrame) -> pd.DataFrame:
    """Return a square data frame with its index as a column, where that names its columns."""
    is_named = list(map(str, wins.index)) == list(map(str, wins.columns))
    if not is_named or {"model_a", "a"} & set(map(str, wins.columns)):
        return wins
    return wins.rename_axis(index="model", columns=None).reset_index()


FORMATS = (
    Format(
        "battles",
        "model_a, model_b and winner, or names like these",
        "Chatbot Arena and others",
        _matches,
        _read,
    ),
)
