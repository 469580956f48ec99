"""Factors of a design, by the columns that number replications: folds, repeats and seeds.

A column is known by its name, the design by its levels: folds of one division or of several, and
seeds that all splits have in common or not. Values of several seeds on one split are averaged.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from reportgen.data_classes import dataclass
from reportgen.exchange.table import Labels, RawTable, plain_name
from reportgen.stats.pairs.shared_data import Crossing
from reportgen.warehouse.items import ItemTables, by_item, ranks_within

Role = str
"""What a column numbers: a fold, a repeat, a split, a seed, a run of a search for hyperparameters
("tuning"), or any other source of variation by its own name."""

NAMES: Mapping[Role, frozenset[str]] = {
    "fold": frozenset("fold folds cvfold kfold testfold outerfold split partition".split()),
    "repeat": frozenset(
        "repeat repeats repetition cvrepeat rep replication replicate resample".split()
    ),
    "seed": frozenset(
        """
        seed randomseed randomstate modelseed initseed trainseed run trial restart torchseed npseed
        numpyseed rng rngseed globalseed orderseed shuffleseed weightseed weightsseed dropoutseed
        augmentationseed
        """.split()
    ),
    "split": frozenset("splitseed dataseed resampleseed bootstrapseed samplingseed".split()),
    "tuning": frozenset(
        """
        tuning tuningseed tuningrun tuneseed tunerun search searchseed searchrun hpo hposeed hporun
        """.split()
    ),
}
SPLITS: tuple[Role, ...] = ("repeat", "split", "fold")
"""What divides the data; all else varies on one division."""
OF_BOTH = (
    re.compile(
        r"fold[\W_]*(?P<fold>\d+)[\W_]*rep(?:eat|etition)?[\W_]*(?P<repeat>\d+)", re.IGNORECASE
    ),
    re.compile(
        r"rep(?:eat|etition)?[\W_]*(?P<repeat>\d+)[\W_]*fold[\W_]*(?P<fold>\d+)", re.IGNORECASE
    ),
)
"""How one column names a fold and a repeat, as caret does: Fold1.Rep2."""
OF_FOLD = re.compile(r"(cv[\W_]*)?fold[\W_]*\d+", re.IGNORECASE)
"""How a column of whatever name names folds alone."""
NUMBERING = re.compile(r"(id|no|nr|index|idx)$")  # of a name that says that it is a number
MOST_FOLDS = 20  # of more splits nobody knows that they are folds
NEARLY_ALL = 0.9  # of the cells of two factors that cross


def role_of(column: str) -> Role | None:
    """Return what a column numbers, by the letters of its name.

    Examples
    --------
    >>> role_of("cv_fold"), role_of("Random State"), role_of("Repeat ID"), role_of("round")
    ('fold', 'seed', 'repeat', None)
    """
    letters = NUMBERING.sub("", re.sub(r"[^a-z]", "", plain_name(column)))
    return next((role for role, names in NAMES.items() if letters in names), None)


@dataclass(frozen=True, slots=True)
class Factors:
    """The columns of a design, and their levels in every row of the performances."""

    columns: Mapping[Role, str]  # the file's column of each role that is there
    levels: pd.DataFrame  # columns dataset and the roles; the rows are those of the performances.
    is_declared: bool = False  # whether the user says what each column numbers

    @property
    def has_seeds_of_splits(self) -> bool:
        """Whether a split has several values of a candidate, by seeds."""
        if not self._split or not self._runs:
            return False
        splits = self.levels.drop_duplicates()
        return bool(splits.duplicated(["dataset", *self._split]).any())

    @property
    def _split(self) -> list[str]:
        """The roles that divide the data; a repeat alone numbers seeds as well as splits."""
        found = [role for role in SPLITS if role in self.columns]
        return [] if found == ["repeat"] and not self.is_declared else found

    @property
    def _runs(self) -> list[str]:
        """The roles of what varies on one division of the data."""
        return [role for role in self.columns if role not in self._split]

    @property
    def of_runs(self) -> tuple[str, ...]:
        """The file's columns of what varies on one division of the data."""
        return tuple(self.columns[role] for role in self._runs)

    def sources(self, frame: pd.DataFrame) -> dict[str, dict[str, Any]]:
        """Return by data set which sources of variation its replications, or their runs, have.

        `frame`: the performances in the rows of `levels`, before runs are averaged.
        Result: `split`, whether replications are splits of the data; `levels`, by source the level
        of every replication, where there are no splits, else of every run of a split. Empty where
        nothing but the split varies, and where runs of different splits have nothing in common.
        """
        found: dict[str, dict[str, Any]] = {}
        runs, has_split = self._runs, self.has_seeds_of_splits
        if (self._split and not has_split) or runs == ["repeat"]:
            return found
        meetings = self.seeds() if has_split else {}
        own = self.levels.assign(replication=frame["replication"].to_numpy())
        for name, rows in own.groupby("dataset", observed=True, sort=False):
            if meetings.get(str(name), {}).get("seeds_are") == "nested":
                found[str(name)] = {"split": True, "levels": {}}
                continue
            # a run of splits is a combination of levels, numbered as in `averaged`
            keys = runs if has_split else ["replication"]
            each = rows.drop_duplicates(keys).sort_values(keys)
            levels = {role: each[role].astype(int).tolist() for role in runs}
            found[str(name)] = {"split": has_split, "levels": levels}
        return found

    def schemes(self) -> dict[str, dict[str, Any]]:
        """Return scheme, folds and repeats of each data set; none where they are not known."""
        found: dict[str, dict[str, Any]] = {}
        if "fold" not in self.columns:
            return found
        for name, own in self.levels.groupby("dataset", observed=True, sort=False):
            folds, repeats = int(own["fold"].nunique()), 1
            if "repeat" in self.columns:
                repeats = int(own["repeat"].nunique())
                cells = own[["repeat", "fold"]].drop_duplicates()
                if _crossing(own, "repeat", "fold") == "nested":
                    folds = int(own.groupby("repeat")["fold"].nunique().max())
                elif folds > 1 and len(cells) == repeats:  # it numbers the splits themselves
                    repeats = int(cells["fold"].value_counts().max())
            if 2 <= folds <= MOST_FOLDS:
                scheme = "repeated-k-fold" if repeats > 1 else "k-fold"
                more = {"repeats": repeats} if repeats > 1 else {}
                found[str(name)] = {"scheme": scheme, "folds": folds, **more}
        return found

    def seeds(self) -> dict[str, dict[str, Any]]:
        """Return how many seeds each data set has, and how they meet the splits."""
        found: dict[str, dict[str, Any]] = {}
        for name, own in self.levels.groupby("dataset", observed=True, sort=False):
            split = own.groupby(self._split, observed=True).ngroup()
            run = own.groupby(self._runs, observed=True).ngroup()
            both = own[["dataset"]].assign(split=split, run=run)
            meeting = _crossing(both, "split", "run")
            per_split = both.groupby("split")["run"].nunique().max()
            n = per_split if meeting == "nested" else run.nunique()
            found[str(name)] = {"seeds": int(n), "seeds_are": meeting}
        return found

    def averaged(self, tables: ItemTables) -> ItemTables:
        """Make every split one replication: its values are the means over its seeds.

        `tables`: with a replication for every seed of a split, in the rows of `levels`.
        Result: `runs` has the values of every seed; there are no items.
        """
        own = self.levels
        split = own.groupby(self._split, observed=True).ngroup().to_numpy()
        seed = own.groupby(self._runs, observed=True).ngroup().to_numpy(np.int64)
        nested = {name for name, found in self.seeds().items() if found["seeds_are"] == "nested"}
        dataset = pd.factorize(own["dataset"])[0]
        within = ranks_within(dataset * (split.max() + 1) + split, seed)
        is_nested = own["dataset"].astype(str).isin(nested).to_numpy()
        items = pd.DataFrame(
            {
                "dataset": tables.frame["dataset"],
                "replication": tables.frame["replication"],
                "item": split.astype(str),
                "cluster": None,
                "epoch": np.where(is_nested, within, seed),
            }
        ).drop_duplicates(["dataset", "replication"])
        found = by_item(ItemTables(tables.frame, items, tables.failures))
        return ItemTables(found.frame, tables.items, found.failures, found.runs)


def factors_of(
    table: RawTable,
    columns: Sequence[str],
    frame: pd.DataFrame,
    scheme: str = "",
    declared: Mapping[Role, str] | None = None,
) -> Factors | None:
    """Return the factors that number the replications of a table.

    `columns`: the columns that number replications.
    `frame`: the performances, tidy, each with the `row` of the table that it is from.
    `scheme`: that the user gives. Where it is repeated k-fold and no column numbers the repeats,
    seeds do.
    `declared`: the column of each role, where the user says it.
    Result: None where some column has another name, or two have one role that are no seeds.
    """
    labels = {column: table.labels(column) for column in columns}
    found = dict(declared) if declared else _named_roles(labels)
    if not found or len(found) < len(columns):
        return None
    is_repeat = scheme == "repeated-k-fold" and "repeat" not in found and not declared
    if is_repeat and "seed" in found:
        found["repeat"] = found.pop("seed")
    rows = frame["row"].to_numpy(np.int64)
    levels = frame[["dataset"]].reset_index(drop=True)
    if len(columns) == 1 and (both := _of_both(labels[columns[0]])) is not None:
        for role, own in both.items():
            levels[role] = own[rows]
        return Factors(dict.fromkeys(both, columns[0]), levels)
    for role, column in found.items():
        levels[role] = _numbers(labels[column])[rows]
    return Factors(found, levels, bool(declared))


def _named_roles(labels: Mapping[str, Labels]) -> dict[Role, str]:
    """Return the column of each role by their names; several seeds go by their own."""
    roles: dict[str, Role] = {}
    for column, own in labels.items():
        is_fold = all(OF_FOLD.fullmatch(name) for name in own.names)
        role = "fold" if is_fold else role_of(column)
        if role is not None:
            roles[column] = role
    seeds = [column for column, role in roles.items() if role == "seed"]
    several = {column: plain_name(column) for column in seeds} if len(seeds) > 1 else {}
    return {several.get(column, role): column for column, role in roles.items()}


def _numbers(labels: Labels) -> NDArray[np.int64]:
    """Number the levels of each row; 1, 01 and 1.0 are one."""
    try:
        own = np.array([float(name) for name in labels.names])
    except ValueError:
        return np.asarray(labels.codes, np.int64)
    return np.asarray(np.unique(own, return_inverse=True)[1][labels.codes], np.int64)


def _of_both(labels: Labels) -> dict[Role, NDArray[np.int64]] | None:
    """Return repeat and fold of each row, where the cells of a column name both."""
    for pattern in OF_BOTH:
        if all(pattern.fullmatch(name) for name in labels.names):
            found = map(pattern.fullmatch, labels.names)
            numbers = np.array([[int(m[r]) for r in ("repeat", "fold")] for m in found if m])
            return {"repeat": numbers[labels.codes, 0], "fold": numbers[labels.codes, 1]}
    return None


def _crossing(levels: pd.DataFrame, a: str, b: str) -> Crossing:
    """Return whether each level of b is in one level of a, in nearly all, or in some."""
    cells = levels[[a, b]].drop_duplicates()
    n_a, n_b = cells[a].nunique(), cells[b].nunique()
    if n_a > 1 and (cells.groupby(b)[a].nunique() == 1).all():
        return "nested"
    return "crossed" if len(cells) >= NEARLY_ALL * n_a * n_b else "partial"
