"""One small input of each shape of Python objects, and of nested mappings in JSON documents.

Likewise rows of the table in docs/imports.md.
"""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pandas as pd

from reportgen.study.schema import MeasureEntry
from tests.exchange.shapes import BASE, KEYS, WIDE, Made, Shape, csv, document

OBJECTS: list[Shape] = []
ONE = BASE[BASE["dataset"] == "d1"]
NAMED = BASE.assign(dataset=BASE["dataset"].replace({"d1": "iris", "d2": "wine"}))


def one(row: str, refused: str = "", **options: Any) -> Any:
    """Register the function that makes an object, whose numbers are of `accuracy`."""

    def register(make: Callable[[Path], Any]) -> Callable[[Path], Any]:
        OBJECTS.append(Shape(row, make, refused, "accuracy", options, {"measure": "accuracy"}))
        return make

    return register


def told(row: str, refused: str = "") -> Any:
    """Likewise of a tidy one, of which `accuracy` is taken."""
    return one(row, refused, measures=(MeasureEntry(name="accuracy"),))


def means(frame: pd.DataFrame) -> pd.Series[float]:
    """Return means by data set and candidate."""
    own = frame if "dataset" in frame else frame.assign(dataset="data")
    return own.groupby(KEYS)["accuracy"].mean()


def nested(frame: pd.DataFrame, *keys: str) -> dict[Any, Any]:
    """Return mappings of keys, one in the other, to the value of a row."""
    groups = frame.groupby(keys[0], sort=False)
    if len(keys) == 1:
        return {key: float(own["accuracy"].iloc[0]) for key, own in groups}
    return {key: nested(own, *keys[1:]) for key, own in groups}


@told('a mapping of columns, `{"model": […], "accuracy": […]}`')
def _(folder: Path) -> Made:
    return BASE.to_dict("list"), None


@told("names as bytes, as HDF5 and NumPy hand them out")
def _(folder: Path) -> Made:
    texts = [name for name in BASE if not pd.api.types.is_numeric_dtype(BASE[name])]
    own = BASE.assign(**{name: BASE[name].map(str.encode) for name in texts})
    return {name.encode(): column.to_list() for name, column in own.items()}, None


@one('the same of a wide table, `{"fold": […], "lda": […], "rf": […]}`')
def _(folder: Path) -> Made:
    own = WIDE[WIDE["dataset"] == "d1"].drop(columns="dataset").rename(columns={"seed": "fold"})
    return own.to_dict("list"), means(ONE.drop(columns="dataset"))


@told("mappings of candidates to `fold1`, `seed=1` or 0, 1, …, also the other way")
def _(folder: Path) -> Made:
    return nested(ONE, "candidate", "seed"), means(ONE.drop(columns="dataset"))


@told("mappings of candidates to `fold1`, `seed=1` or 0, 1, …, also the other way")
def _(folder: Path) -> Made:
    own = ONE.assign(seed=[f"fold{i}" for i in ONE["seed"]])
    return nested(own, "seed", "candidate"), means(ONE.drop(columns="dataset"))


@told(
    "mappings of candidates to `fold1`, `seed=1` or 0, 1, …, also the other way",
    refused="names .*, which are numbers",
)
def _(folder: Path) -> dict[Any, Any]:
    return nested(ONE.assign(seed=ONE["seed"] * 11), "candidate", "seed")


@told("mappings of data sets, candidates, replications and measures, in each other")
def _(folder: Path) -> Made:
    return {"accuracy": nested(BASE, "dataset", "candidate", "seed")}, None


@told("mappings of candidates to data sets", refused="with names of candidates, and the candidates")
def _(folder: Path) -> dict[Any, Any]:
    return nested(NAMED[NAMED["seed"] == 1], "candidate", "dataset")


@told('mappings to `{"mean": …, "std": …}`, also with `count`', refused="a description of values")
def _(folder: Path) -> dict[Any, Any]:
    own = ONE.groupby("candidate")["accuracy"].agg(["mean", "min"])
    return {str(k): row.to_dict() for k, row in own.iterrows()}


@told('mappings to `{"mean": …, "std": …}`, also with `count`')
def _(folder: Path) -> Made:
    own = ONE.groupby("candidate")["accuracy"].agg(["mean", "std", "count"])
    found = {str(k): row.to_dict() for k, row in own.iterrows()}
    return found, means(ONE.drop(columns="dataset"))


@told("mappings of candidates to series with labels in another order")
def _(folder: Path) -> Made:
    series = {k: own.set_index("seed")["accuracy"] for k, own in ONE.groupby("candidate")}
    return {**series, "rf": series["rf"].iloc[::-1]}, means(ONE.drop(columns="dataset"))


@told(
    "mappings of candidates to series with labels in another order",
    refused="other names than those of the first",
)
def _(folder: Path) -> dict[Any, Any]:
    series = {k: own.set_index("seed")["accuracy"] for k, own in ONE.groupby("candidate")}
    return {**series, "rf": series["rf"].iloc[1:]}


NESTED = 'JSON: `{"iris": {"rf": {"accuracy": 0.9, …}}}`, nested mappings whose names tell'


@told(NESTED)
def _(folder: Path) -> Made:
    tables: dict[Any, Any] = {}
    for (dataset, candidate), own in BASE.groupby(KEYS)["accuracy"]:
        tables.setdefault(dataset, {})[candidate] = {"accuracy": own.tolist()}
    return document(folder / "r.json", tables), None


@told(NESTED, refused="with names of candidates, and the candidates iris, wine")
def _(folder: Path) -> Path:
    own = NAMED[NAMED["seed"] == 1]
    return document(folder / "r.json", nested(own, "candidate", "dataset"))


FRAMES = "mappings to frames of which all columns are measures"


@told(FRAMES)
def _(folder: Path) -> Made:
    frames = {k: own[["accuracy"]].reset_index(drop=True) for k, own in ONE.groupby("candidate")}
    return frames, means(ONE.drop(columns="dataset"))


@told(FRAMES, refused="accuracy, which are measures, beside zeal")
def _(folder: Path) -> dict[Any, Any]:
    return {k: own[["accuracy"]].assign(zeal=3) for k, own in ONE.groupby("candidate")}


@told("a series without names, whose index has texts")
def _(folder: Path) -> Made:
    own = ONE.drop(columns="dataset")
    return means(own).droplevel("dataset").rename_axis(None).rename(None), means(own)


LEVELS = "a frame with columns of several levels, as after `pivot` or `unstack`"


@told(LEVELS)
def _(folder: Path) -> Made:
    return BASE.pivot(index="seed", columns=KEYS, values="accuracy"), None


@told(LEVELS)
def _(folder: Path) -> Made:
    own = NAMED.pivot(index="seed", columns=KEYS, values="accuracy")
    return own.rename_axis(columns=[None, None]), means(NAMED)


@told(LEVELS, refused=r"do not tell what is what; allowed names of the levels: frame.columns.names")
def _(folder: Path) -> pd.DataFrame:
    own = BASE.replace({"candidate": {"lda": "ours", "rf": "theirs"}})
    frame = own.pivot(index="seed", columns=KEYS, values="accuracy")
    return frame.rename_axis(columns=[None, None])


AGG = 'a frame after `groupby(…).agg(["mean", "std"])` or `describe()`'


@told(AGG)
def _(folder: Path) -> Made:
    return BASE.groupby(KEYS)[["accuracy"]].agg(["mean", "std", "count"]), None


@told(AGG, refused="a description of values")
def _(folder: Path) -> pd.DataFrame:
    return BASE.groupby(KEYS)[["accuracy"]].agg(["min", "max"])


@told("a frame with columns named `fold` or `seed`, and rows that are candidates")
def _(folder: Path) -> Made:
    own = ONE.pivot(index="candidate", columns="seed", values="accuracy")
    return own, means(ONE.drop(columns="dataset"))


@told(
    "a frame with columns named `fold` or `seed`, and rows that are candidates",
    refused="and no candidates",
)
def _(folder: Path) -> pd.DataFrame:
    return BASE[BASE["candidate"] == "rf"].pivot(index="dataset", columns="seed", values="accuracy")


@told("a structured array of numpy; an array of xarray with names of its dimensions")
def _(folder: Path) -> Made:
    return BASE.to_records(index=False), None


FOLDS = "a candidate a row, columns `fold1`, `seed=1`, …, also with a first column without a name"
FOLDED = ONE.pivot(index="candidate", columns="seed", values="accuracy").rename_axis(columns=None)
WIDELY: Any = {"wide": True, "measures": (MeasureEntry(name="accuracy"),)}


@told(FOLDS)
def _(folder: Path) -> Made:
    return FOLDED.add_prefix("fold").rename_axis(None), means(ONE.drop(columns="dataset"))


@one(FOLDS, **WIDELY)
def _(folder: Path) -> Made:
    frame = FOLDED.add_prefix("seed=").rename_axis("").reset_index()
    return csv(folder, frame, "data.csv"), means(ONE.drop(columns="dataset"))


@one(FOLDS, refused="which may be replications or candidates", **WIDELY)
def _(folder: Path) -> Path:
    return csv(folder, FOLDED.rename_axis("").reset_index())


DESCRIBED = "a wide table of `mean`, `std`, `25%`, …, in rows or columns, as after `describe()`"
WIDE_OF_ONE = FOLDED.T.reset_index(drop=True).rename_axis(columns=None)


@told(DESCRIBED, refused="a description of values")
def _(folder: Path) -> pd.DataFrame:
    return WIDE_OF_ONE.describe()


@one(DESCRIBED, refused="a description of values", **WIDELY)
def _(folder: Path) -> Path:
    return csv(folder, WIDE_OF_ONE.describe().T.reset_index())


@told("a wide table whose rows have the names of its columns", refused="not their correlations")
def _(folder: Path) -> pd.DataFrame:
    return WIDE_OF_ONE.corr()


@told(
    "a wide table with `y_true` or `target` beside candidates",
    refused="has true values by its name",
)
def _(folder: Path) -> pd.DataFrame:
    return WIDE_OF_ONE.assign(y_true=0.7)


NOTES = "mappings of candidates to measures beside notes or settings"


@told(NOTES)
def _(folder: Path) -> Made:
    own = ONE[ONE["seed"] == 1]
    found = {
        k: {"accuracy": x, "note": "x", "lr": 0.1} for k, x in nested(own, "candidate").items()
    }
    return found, means(own.drop(columns="dataset"))


@told(NOTES, refused="accuracy, which are measures, beside zeal")
def _(folder: Path) -> dict[Any, Any]:
    return {k: {"accuracy": [0.7, 0.8], "zeal": [3, 4]} for k in ("lda", "rf")}


@told('JSON: `{"a": {"p": 0.9, …}, …}`, names that tell nothing', refused="names that do not tell")
def _(folder: Path) -> Path:
    return document(folder / "r.json", {"a": {"p": 0.9, "q": 0.8}, "b": {"p": 0.7, "q": 0.9}})
