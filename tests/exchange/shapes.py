"""One small input of each shape that docs/imports.md lists, and its means by plain pandas."""

from __future__ import annotations

import json
import shutil
import sqlite3
import struct
import zipfile
from collections.abc import Callable, Mapping
from contextlib import closing
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any
from xml.sax.saxutils import escape

import numpy as np
import pandas as pd
from sklearn.datasets import load_iris
from sklearn.model_selection import GridSearchCV, KFold, cross_validate
from sklearn.tree import DecisionTreeClassifier

from reportgen.study.schema import MeasureEntry
from reportgen.study.splitters import resampling_of_splitter

FILES = Path(__file__).parent / "files"  # that other programs have written
ACCURACY = (MeasureEntry(name="accuracy"),)
PERFORMANCE = (MeasureEntry(name="performance", better="larger"),)
ZEAL = (MeasureEntry(name="zeal", better="larger"),)
KEYS = ["dataset", "candidate"]

GRID = pd.MultiIndex.from_product([("d1", "d2"), (1, 2, 3), ("lda", "rf")])
BASE = GRID.to_frame(index=False, name=["dataset", "seed", "candidate"]).assign(
    accuracy=[0.71, 0.82, 0.69, 0.84, 0.73, 0.81, 0.62, 0.57, 0.64, 0.55, 0.61, 0.59]
)
"""Two data sets, three seeds, two candidates: a row each."""
MEANS = BASE.groupby(KEYS)["accuracy"].mean()
WIDE = BASE.pivot(index=["dataset", "seed"], columns="candidate", values="accuracy").reset_index()
BOARD = MEANS.unstack("candidate").rename_axis(columns=None).reset_index()
"""A row a data set, of their means."""
TASKS = MEANS.unstack("dataset").assign(d3=[0.91, 0.83]).rename_axis(columns=None).reset_index()
"""A leaderboard: a row a candidate."""
OF_TASKS = TASKS.melt("candidate", var_name="dataset").set_index(KEYS)["value"]

Made = tuple[Any, "pd.Series[float] | None"]


@dataclass(frozen=True)
class Shape:
    """An input of a shape: a path, or an object of Python."""

    row: str  # of the table in docs/imports.md
    make: Callable[[Path], Any]  # writes it; with its means where these are not those of BASE
    refused: str = ""  # a pattern of the error, where it is refused or asked about
    measure: str = ""  # whose means are compared; the first one when empty
    options: Mapping[str, Any] = field(default_factory=dict)  # of `read_results`
    of_object: Mapping[str, Any] = field(default_factory=dict)  # of `object_table`


SHAPES: list[Shape] = []


def shape(row: str, refused: str = "", measure: str = "", **options: Any) -> Any:
    """Register the function that makes an input of a shape."""

    def register(make: Callable[[Path], Any]) -> Callable[[Path], Any]:
        SHAPES.append(Shape(row, make, refused, measure, options))
        return make

    return register


def csv(folder: Path, frame: pd.DataFrame, name: str = "results.csv", **how: Any) -> Path:
    """Write a table."""
    frame.to_csv(folder / name, index=False, **how)
    return folder / name


def document(path: Path, content: Any) -> Path:
    """Write JSON."""
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(json.dumps(content))
    return path


def long(values: Mapping[tuple[str, str], float]) -> pd.Series[float]:
    """Return means by data set and candidate."""
    return pd.Series(values).rename_axis(KEYS)


# --- tables ------------------------------------------------------------------------------


@shape("a value a row: `dataset`, `replication`, `candidate`, `measure`, `value`")
def _(folder: Path) -> Made:
    tidy = BASE.rename(columns={"seed": "replication", "accuracy": "value"})
    return csv(folder, tidy.assign(measure="accuracy")), None


@shape("a fit a row, a column a measure")
def _(folder: Path) -> Path:
    return csv(folder, BASE.assign(auc=0.5))


@shape("a fit a row, a column a measure", refused="'zeal' of unknown direction")
def _(folder: Path) -> Path:
    return csv(folder, BASE.rename(columns={"accuracy": "zeal"}))


@shape("separated by commas, semicolons (also with decimal commas), tabs or bars")
def _(folder: Path) -> Path:
    return csv(folder, BASE, sep=";", decimal=",")


@shape("separated by commas, semicolons (also with decimal commas), tabs or bars")
def _(folder: Path) -> Path:
    return csv(folder, BASE, "results.tsv", sep="\t")


@shape("separated by commas, semicolons (also with decimal commas), tabs or bars")
def _(folder: Path) -> Path:
    return csv(folder, BASE, "results.txt", sep="|")


@shape(
    "separated by commas, semicolons (also with decimal commas), tabs or bars",
    refused="is there a decimal comma",
)
def _(folder: Path) -> Path:
    path = csv(folder, BASE)
    path.write_text(path.read_text().replace("0.", "0,"))
    return path


@shape(
    "separated by commas, semicolons (also with decimal commas), tabs or bars",
    refused="leave out what parts thousands",
)
def _(folder: Path) -> Path:
    times = BASE.drop(columns="accuracy").assign(time=["1,234", "980"] * (len(BASE) // 2))
    return csv(folder, times, sep=";")


@shape("Parquet, also with the index of a data frame")
def _(folder: Path) -> Path:
    BASE.set_index("candidate").to_parquet(folder / "r.parquet")
    return folder / "r.parquet"


@shape("JSON: records, columns, or either by candidate")
def _(folder: Path) -> Path:
    BASE.to_json(folder / "r.json", orient="records")
    return folder / "r.json"


@shape("JSON: records, columns, or either by candidate")
def _(folder: Path) -> Path:
    own = {c: t.drop(columns="candidate").to_dict("list") for c, t in BASE.groupby("candidate")}
    return document(folder / "r.json", own)


@shape("a column without a name, or of the index, in a tidy table")
def _(folder: Path) -> Path:
    BASE.to_csv(folder / "r.csv")
    return folder / "r.csv"


@shape("a number of the row, in any order")
def _(folder: Path) -> Path:
    return csv(folder, BASE.assign(nr=np.random.default_rng(1).permutation(12) + 1))


@shape("`lr`, `epochs`, `rank`, `p-value`, `id`, `git_sha`, `run_date`, `best_epoch`, `ci_low`, …")
def _(folder: Path) -> Path:
    hashes = [f"{i:07x}" for i in range(9_437_183, 9_437_195)]
    own = {"best_epoch": [i % 7 for i in range(12)], "run_date": 20_240_101, "slurm_job": 1234}
    limits = {"ci_low": BASE["accuracy"] - 0.1, "accuracy_lower": BASE["accuracy"] - 0.2}
    limits["accuracy_upper"] = BASE["accuracy"] + 0.1
    frame = BASE.assign(lr=0.1, rank=range(12), timestamp=1.7e9, git_sha=hashes, **own, **limits)
    return csv(folder, frame)


@shape("a constant, a size by data set, a setting by candidate, of no known measure")
def _(folder: Path) -> Path:
    depth, size = BASE["candidate"].map({"lda": 1.5, "rf": 3}), BASE["dataset"].str[1:].astype(int)
    return csv(folder, BASE.assign(gamma=0.5, depth=depth, width=size * 100))


@shape(
    "a constant, a size by data set, a setting by candidate, of no known measure",
    refused="'gamma' of unknown direction",
)
def _(folder: Path) -> Path:
    return csv(folder, BASE.drop(columns="accuracy").assign(gamma=[0.1, 0.2, 0.3, 0.5] * 3))


@shape("a date, a text, an empty column")
def _(folder: Path) -> Path:
    return csv(folder, BASE.assign(date="2026-03-01", notes="good", empty=""))


@shape("a data set a row, a column a candidate, `wide:` or a frame", wide=True, measures=ACCURACY)
def _(folder: Path) -> Path:
    return csv(folder, WIDE)


@shape("a data set a row, a column a candidate, `wide:` or a frame", measures=PERFORMANCE)
def _(folder: Path) -> pd.DataFrame:
    return WIDE


@shape(
    "a data set a row, a column a candidate, `wide:` or a frame",
    refused=r"or a wide table \(a row a data set",
)
def _(folder: Path) -> Path:
    return csv(folder, WIDE)


@shape(
    "the same without a column of data sets, and a first column of texts without a name",
    wide=True,
    measures=ACCURACY,
)
def _(folder: Path) -> Path:
    BOARD.set_index("dataset").rename_axis(None).to_csv(folder / "w.csv")
    return folder / "w.csv"


@shape(
    "the same with whole numbers far above the others, or `n_samples`, `rank`, `p-value`, `lr` "
    "that are off them",
    wide=True,
    measures=ACCURACY,
)
def _(folder: Path) -> Path:
    return csv(folder, BOARD.assign(points=[150, 990], n_samples=[150, 178]))


@shape(
    "the same with whole numbers far above the others, or `n_samples`, `rank`, `p-value`, `lr` "
    "that are off them",
    refused="which may be a candidate or not",
    wide=True,
    measures=ACCURACY,
)
def _(folder: Path) -> Path:
    return csv(folder, BOARD.assign(lr=[0.7, 0.7]))


@shape("the same with `LR`, `CI`, `STEP` of values like the others", wide=True, measures=ACCURACY)
def _(folder: Path) -> Made:
    frame = BOARD.assign(LR=[0.75, 0.61])
    return csv(folder, frame), frame.melt("dataset", var_name="candidate").set_index(KEYS)["value"]


@shape(
    "the same with a `mean`, `average`, `best` or `total` of the candidates",
    wide=True,
    measures=ACCURACY,
)
def _(folder: Path) -> Path:
    return csv(folder, BOARD.assign(mean=BOARD[["lda", "rf"]].mean(axis=1)))


@shape(
    "the same with a `mean`, `average`, `best` or `total` of the candidates",
    refused="which may be a candidate or not",
    wide=True,
    measures=ACCURACY,
)
def _(folder: Path) -> Path:
    return csv(folder, BOARD.assign(average=[0.7, 0.6]))


@shape(
    "the same with the rows Average, Avg. rank, Wins, W/T/L, or a mean of the others",
    refused="Average",
    wide=True,
    measures=ACCURACY,
)
def _(folder: Path) -> Path:
    odd = BOARD.iloc[:1].assign(dataset="Average", lda=0.7, rf=0.6)
    return csv(folder, pd.concat([BOARD, odd]))


@shape(
    "the same with the rows Average, Avg. rank, Wins, W/T/L, or a mean of the others",
    wide=True,
    measures=ACCURACY,
)
def _(folder: Path) -> Path:
    average = BOARD.mean(numeric_only=True).to_frame().T.assign(dataset="Average")
    return csv(folder, pd.concat([BOARD, average]))


@shape("data sets `sum`, `mean`, `best` in a tidy table")
def _(folder: Path) -> Made:
    frame = BASE.replace({"dataset": {"d1": "sum", "d2": "best"}})
    return csv(folder, frame), frame.groupby(KEYS)["accuracy"].mean()


@shape("the same with `task` and `item_id`", measures=PERFORMANCE)
def _(folder: Path) -> Made:
    items = WIDE.rename(columns={"dataset": "task", "seed": "item_id"})
    return items, None


@shape(
    "a candidate a row, a column a task",
    columns={"candidate": "candidate", "dataset": "columns"},
    measures=ACCURACY,
)
def _(folder: Path) -> Made:
    return csv(folder, TASKS), OF_TASKS


@shape("a candidate a row, a column a task", refused="a row a candidate, and 3 columns of numbers")
def _(folder: Path) -> Path:
    return csv(folder, TASKS)


@shape("a candidate a row, columns of known measures")
def _(folder: Path) -> Made:
    frame = pd.DataFrame({"model": ["a", "b"], "accuracy": [0.7, 0.8], "auc": [0.6, 0.9]})
    return csv(folder, frame), long({("results", "a"): 0.7, ("results", "b"): 0.8})


@shape(
    "`model.name`, `data.name`, `params.model`, `params.dataset`, `params.seed`",
    measure="test_acc",
)
def _(folder: Path) -> Path:
    names = {"candidate": "model.name", "dataset": "data.name", "accuracy": "test_acc"}
    return csv(folder, BASE.rename(columns=names))


@shape("a column `process`, `pid`, `fork`", unit="sample")
def _(folder: Path) -> Made:
    own = pd.concat([BASE, BASE]).rename(columns={"seed": "process"})
    return csv(folder, own), MEANS


@shape("runs with seeds of their own, also of different numbers", unit="sample")
def _(folder: Path) -> Made:
    own = BASE.assign(seed=range(12)).drop(index=[0, 7])
    return csv(folder, own), own.groupby(KEYS)["accuracy"].mean()


@shape("runs with seeds of their own, also of different numbers", refused="seed")
def _(folder: Path) -> Path:
    return csv(folder, BASE.assign(seed=range(12)))


@shape(
    "a data set by `task` and `budget`, a candidate by `model` and `prompt`",
    columns={"dataset": ["task", "budget"], "candidate": ["model", "prompt"]},
)
def _(folder: Path) -> Made:
    names = {"dataset": "task", "candidate": "model"}
    parts = BASE.rename(columns=names).assign(budget=20, prompt="few")
    own = BASE.assign(dataset=BASE["dataset"] + " budget=20", candidate=BASE["candidate"] + " few")
    return csv(folder, parts), own.groupby(KEYS)["accuracy"].mean()


@shape("`accuracy` beside `acc` or `acc (%)`, the same measure")
def _(folder: Path) -> Path:
    return csv(folder, BASE.assign(acc=0.5))


@shape(
    "`accuracy` beside `acc` or `acc (%)`, the same measure",
    refused="each of which may be the measure accuracy",
)
def _(folder: Path) -> Path:
    return csv(folder, BASE.rename(columns={"accuracy": "Accuracy"}).assign(acc=0.5))


@shape("the least number of floating point, as some programs write a BLEU of 0", measure="bleu",
       measures=(MeasureEntry(name="bleu", better="larger"),))  # fmt: skip
def _(folder: Path) -> Made:
    least = BASE.assign(bleu=BASE["accuracy"].where(BASE["seed"] != 2, np.finfo(float).tiny))
    zero = BASE.assign(bleu=BASE["accuracy"].where(BASE["seed"] != 2, 0.0))
    return csv(folder, least), zero.groupby(KEYS)["bleu"].mean()


@shape("a measure that some data sets lack", measure="accuracy")
def _(folder: Path) -> Made:
    own = BASE.assign(auc=0.5, accuracy=BASE["accuracy"].where(BASE["dataset"] == "d1"))
    return csv(folder, own), own.groupby(KEYS)["accuracy"].mean()


def lm_eval(folder: Path, metrics: Mapping[str, str], scale: float = 1.0) -> Made:
    """Write logs of lm-evaluation-harness: a task a data set, with a measure of its own."""
    date, means = "2026-10-01T10-11-12.345678", BASE.copy()
    means.loc[means["dataset"] == "d2", "accuracy"] *= scale
    for name, own in means.groupby("candidate"):
        about = {"model_name": name, "higher_is_better": {d: {m: True} for d, m in metrics.items()}}
        document(folder / str(name) / f"results_{date}.json", about)
        for d, rows in own.groupby("dataset"):
            lines = [
                json.dumps({"doc_id": i, "doc_hash": f"h{i}", metrics[str(d)]: x})
                for i, x in enumerate(rows["accuracy"])
            ]
            (folder / str(name) / f"samples_{d}_{date}.jsonl").write_text("\n".join(lines))
    return folder, means.groupby(KEYS)["accuracy"].mean()


@shape("logs of tasks with different main measures", measure="primary")
def _(folder: Path) -> Made:
    return lm_eval(folder, {"d1": "acc", "d2": "f1"})


@shape("the same where they have different scales or sides", measure="bleu")
def _(folder: Path) -> Made:
    path, means = lm_eval(folder, {"d1": "acc", "d2": "bleu"}, scale=100.0)
    return path, means["d2":"d2"]


@shape("two columns that may both be the candidate")
def _(folder: Path) -> Path:
    return csv(folder, BASE.assign(method="cv"))


@shape("two columns that may both be the candidate", refused="each of which may be the candidate")
def _(folder: Path) -> Path:
    named = {"candidate": "learner"}
    return csv(folder, BASE.rename(columns=named).assign(method=["cv", "loo"] * (len(BASE) // 2)))


@shape("two columns that may both be the candidate")
def _(folder: Path) -> Path:
    return csv(folder, BASE.rename(columns={"candidate": "model"}).assign(method="cv", task="c"))


@shape("the same with a column a candidate and measure, `rf~Accuracy`, as caret writes them")
def _(folder: Path) -> tuple[Path, Any]:
    own = BASE[BASE["dataset"] == "d1"].pivot(index="seed", columns="candidate", values="accuracy")
    wide = pd.DataFrame(
        {f"{c}~{m}": own[c] * s for c in own for m, s in (("Accuracy", 1), ("Kappa", 2))}
    )
    frame = wide.assign(Resample=[f"Fold{i}" for i in own.index])
    return csv(folder, frame, "d1.csv"), MEANS["d1":"d1"]


@shape("`train_acc`, `acc_val`, `test_acc` in any other table")
def _(folder: Path) -> Path:
    acc = BASE["accuracy"]
    frame = BASE.drop(columns="accuracy").assign(
        train_acc=acc + 0.1, acc_val=acc - 0.1, test_acc=acc
    )
    return csv(folder, frame)


@shape("`1 - AUC`, `-loss`, `AUC (1-)`, `accuracy ↑`", measure="1 - AUC")
def _(folder: Path) -> Path:
    frame = BASE.rename(columns={"accuracy": "1 - AUC"})
    return csv(folder, frame.assign(**{"zeal ↑": 1 - frame["1 - AUC"]}))


@shape("`1 - AUC`, `-loss`, `AUC (1-)`, `accuracy ↑`", refused="of unknown direction")
def _(folder: Path) -> Path:
    return csv(folder, BASE.rename(columns={"accuracy": "accuracy ↓"}))


@shape(
    "`Fold1`, `Fold2`, … or `seed_0`, … as columns of a tidy table", refused="names of replications"
)
def _(folder: Path) -> Path:
    table = BASE.pivot(index=["dataset", "candidate"], columns="seed", values="accuracy")
    return csv(folder, table.rename(columns="seed_{}".format).reset_index())


@shape("a fold of -1 beside 0, 1, …", refused="found -1 among numbers")
def _(folder: Path) -> Path:
    means = BASE.groupby(KEYS)["accuracy"].mean().reset_index().assign(seed=-1)
    return csv(folder, pd.concat([BASE, means]).rename(columns={"seed": "fold"}))


@shape("`train_time`, `training time (s)`, `inference_time`", measure="fit-time")
def _(folder: Path) -> Path:
    frame = BASE.rename(columns={"accuracy": "Training Time (s)"})
    return csv(folder, frame.assign(inference_time=frame["Training Time (s)"] / 9))


@shape(
    "the same with `rf_lci`, `rf upper`, `rf time`, `rf rank` beside `rf`",
    wide=True,
    measures=ACCURACY,
)
def _(folder: Path) -> Path:
    more = {"lda_lci": WIDE["lda"] - 0.1, "rf upper": WIDE["rf"] + 0.1, "rf time": WIDE["rf"] / 2}
    return csv(folder, WIDE.assign(**more))


@shape("`metric` and `score`, or what `melt` writes, in place of `measure` and `value`")
def _(folder: Path) -> Path:
    wider = BASE.assign(f1=BASE["accuracy"] / 2)
    long = wider.melt(["dataset", "seed", "candidate"], var_name="metric", value_name="score")
    return csv(folder, long)


@shape(
    "a text that is the same for all candidates of a replication, without data sets",
    refused="where it tells data sets apart",
)
def _(folder: Path) -> Path:
    seeds = BASE["seed"] + 10 * (BASE["dataset"] == "d2")
    return csv(folder, BASE.rename(columns={"dataset": "language"}).assign(seed=seeds))


@shape(
    "the same with a difference of two candidates, or the mean of all, under any name",
    wide=True,
    measures=ACCURACY,
)
def _(folder: Path) -> Path:
    return csv(folder, WIDE.assign(gain=WIDE["lda"] - WIDE["rf"]))


@shape("the same with `rf_train`, `rf_test`, or `rf (test)`", wide=True, measures=ACCURACY)
def _(folder: Path) -> Path:
    names = {c: f"{c}_test" for c in ("lda", "rf")}
    train = {f"{c}_train": WIDE[c] + 0.1 for c in ("lda", "rf")}
    return csv(folder, WIDE.rename(columns=names).assign(**train))


@shape(
    "the same with names of measures for all candidates, or data sets",
    refused="with the names of measures",
    wide=True,
    measures=ACCURACY,
)
def _(folder: Path) -> Path:
    return csv(folder, BOARD.assign(dataset=["f1", "auc"]))


@shape(
    "the same with `**0.93**`, `0.9/0.8` among the cells",
    refused="column rf: found",
    wide=True,
    measures=ACCURACY,
)
def _(folder: Path) -> Path:
    return csv(folder, BOARD.assign(rf=[f"**{x}**" for x in BOARD["rf"]]))


@shape("a frame of folds with rows `mean` and `std` below", wide=True, measures=ACCURACY)
def _(folder: Path) -> tuple[pd.DataFrame, Any]:
    folds = WIDE.loc[WIDE["dataset"] == "d1", ["lda", "rf"]].reset_index(drop=True)
    below = pd.concat([folds, folds.agg(["mean", "std"])])
    return below, folds.mean().rename_axis("candidate").to_frame("accuracy").assign(
        dataset="data"
    ).set_index("dataset", append=True).swaplevel()["accuracy"]


@shape(
    "a frame of folds with rows `mean` and `std` below",
    refused="rows mean, std, a description of values",
    wide=True,
    measures=ACCURACY,
)
def _(folder: Path) -> pd.DataFrame:
    return WIDE[["lda", "rf"]].agg(["mean", "std"])


@shape("rows named `Fold 1`, `seed0`, `rep-2` in a wide table", wide=True, measures=ACCURACY)
def _(folder: Path) -> tuple[Path, Any]:
    own = WIDE[WIDE["dataset"] == "d1"]
    frame = own.assign(dataset=[f"Fold {i}" for i in own["seed"]]).drop(columns="seed")
    return csv(folder, frame.rename(columns={"dataset": ""}), "d1.csv"), MEANS["d1":"d1"]


@shape("a mapping of candidates to measures and their values", measure="accuracy")
def _(folder: Path) -> tuple[dict[str, Any], Any]:
    means = BASE[BASE["dataset"] == "d1"].groupby("candidate")["accuracy"].mean()
    expected = pd.Series(means.to_numpy(), pd.MultiIndex.from_product([["data"], means.index]))
    return {str(c): {"accuracy": x, "f1": x / 2} for c, x in means.items()}, expected


@shape(
    "the same with `#classes`, `Params (B)`, `time_min`, `IR`, `noise`",
    wide=True,
    measures=ACCURACY,
)
def _(folder: Path) -> Path:
    others = {"#classes": [2, 10], "Params (B)": [0.7, 0.6], "time_min": [7.5, 99.0]}
    return csv(folder, BOARD.assign(**others))


@shape(
    "the same with `#classes`, `Params (B)`, `time_min`, `IR`, `noise`",
    refused="the column time_min, which may be a candidate",
    wide=True,
    measures=ACCURACY,
)
def _(folder: Path) -> Path:
    return csv(folder, BOARD.assign(time_min=[0.6, 0.8]))


@shape("`accuracy` beside `acc` or `acc (%)`, the same measure")
def _(folder: Path) -> Path:
    return csv(folder, BASE.assign(**{"acc (%)": BASE["accuracy"] * 100}))


@shape("`accuracy` beside `acc` or `acc (%)`, the same measure", measure="accuracy")
def _(folder: Path) -> tuple[Path, Any]:
    frame = BASE.assign(**{"acc (%)": BASE["accuracy"] * 100}).drop(columns="accuracy")
    return csv(folder, frame), MEANS * 100


@shape("`accuracy` beside `acc` or `acc (%)`, the same measure", measures=ACCURACY)
def _(folder: Path) -> tuple[Path, Any]:
    frame = BASE.assign(**{"acc (%)": BASE["accuracy"] / 100}).drop(columns="accuracy")
    return csv(folder, frame), MEANS / 100  # in per cent by the name alone


@shape("curves of runs in columns, as below a chart of Weights & Biases", refused="curves of train")
def _(folder: Path) -> Path:
    steps = np.linspace(0.5, 0.9, 9)
    runs = {f"{run} - acc{end}": steps for run in ("a", "b") for end in ("", "__MIN", "__MAX")}
    return csv(folder, pd.DataFrame({"Step": range(9), **runs}))


@shape(
    "curves of runs in columns, as below a chart of Weights & Biases",
    refused="curves of train",
    wide=True,
    measures=ACCURACY,
)
def _(folder: Path) -> Path:
    return csv(
        folder, pd.DataFrame({"epoch": range(1, 10), "a": 0.5, "b": np.linspace(0.5, 0.9, 9)})
    )


@shape(
    "seeds of one candidate that no other one has",
    refused="no replication in common with any other",
)
def _(folder: Path) -> Path:
    more = BASE[BASE["candidate"] == "rf"].assign(candidate="svm")
    return csv(folder, pd.concat([BASE, more.assign(seed=more["seed"] + 100)]))


@shape("`95.3 (1)`, with the rank of each row in brackets", wide=True, measures=ACCURACY)
def _(folder: Path) -> tuple[Path, Any]:
    board = BOARD.assign(svm=[0.5, 0.9])
    board = pd.concat([board, board.assign(dataset=["d3", "d4"], rf=[0.3, 0.95])])
    values = board.set_index("dataset").round(3)
    ranks = values.rank(axis=1, ascending=False).astype(int)
    texts = values.astype(str) + " (" + ranks.astype(str) + ")"
    return csv(folder, texts.reset_index()), values.stack()


@shape(
    "a mapping of candidates to their values, or of data sets to such mappings",
    measures=PERFORMANCE,
)
def _(folder: Path) -> dict[str, Any]:
    by_dataset = {d: t.groupby("candidate")["accuracy"] for d, t in BASE.groupby("dataset")}
    return {d: {c: x.to_numpy() for c, x in own} for d, own in by_dataset.items()}


@shape("a mapping of candidates to their values, or of data sets to such mappings", refused="nan")
def _(folder: Path) -> dict[str, Any]:
    return {"lda": [0.7, 0.8], "rf": [0.7]}


@shape("a frame of which an index names data sets or candidates")
def _(folder: Path) -> pd.DataFrame:
    return BASE.set_index(KEYS)


@shape(
    'JSON: `{"results": [records], …}`, or as pandas writes it with `orient="split"` or `"table"`'
)
def _(folder: Path) -> Path:
    content = {"version": 2, "results": BASE.to_dict("records"), "host": {"cores": 4}}
    return document(folder / "r.json", content)


@shape(
    'JSON: `{"results": [records], …}`, or as pandas writes it with `orient="split"` or `"table"`'
)
def _(folder: Path) -> Path:
    BASE.sample(frac=1, random_state=1).to_json(folder / "r.json", orient="split")
    return folder / "r.json"


@shape(
    'JSON: `{"results": [records], …}`, or as pandas writes it with `orient="split"` or `"table"`'
)
def _(folder: Path) -> Path:
    BASE.to_json(folder / "r.json", orient="table")
    return folder / "r.json"


@shape("JSON of one record a line, `.jsonl`")
def _(folder: Path) -> Path:
    BASE.to_json(folder / "r.jsonl", orient="records", lines=True)
    return folder / "r.jsonl"


@shape("JSON of one record a line, `.jsonl`", refused="line 2: found .*; allowed a mapping")
def _(folder: Path) -> Path:
    (folder / "r.jsonl").write_text('{"candidate": "rf", "accuracy": 0.9}\n[1, 2]\n')
    return folder / "r.jsonl"


@shape("records with a mapping `metrics`, `scores`, `results` or `config`", measure="accuracy")
def _(folder: Path) -> Path:
    rows = BASE.rename(columns={"candidate": "model"}).to_dict("records")
    records = [
        {"config": {"model": r["model"], "seed": r["seed"]}, "dataset": r["dataset"],
         "scores": {"accuracy": r["accuracy"], "rmse": 2.5}} for r in rows
    ]  # fmt: skip
    return document(folder / "r.json", records)


@shape("records with a mapping `metrics`, `scores`, `results` or `config`")
def _(folder: Path) -> list[dict[str, Any]]:
    rows = BASE.to_dict("records")
    return [{**row, "metrics": {"accuracy": row.pop("accuracy")}} for row in rows]


@shape("`.csv.gz`, `.tsv.gz`, `.json.gz`, `.jsonl.gz`")
def _(folder: Path) -> Path:
    return csv(folder, BASE, "r.csv.gz")


@shape("`.csv.gz`, `.tsv.gz`, `.json.gz`, `.jsonl.gz`")
def _(folder: Path) -> Path:
    return csv(folder, BASE, "r.TSV.gz", sep="\t")


@shape("`.csv.gz`, `.tsv.gz`, `.json.gz`, `.jsonl.gz`")
def _(folder: Path) -> Path:
    BASE.to_json(folder / "r.json.gz")
    return folder / "r.json.gz"


@shape("`.csv.gz`, `.tsv.gz`, `.json.gz`, `.jsonl.gz`")
def _(folder: Path) -> Path:
    BASE.to_json(folder / "r.jsonl.gz", orient="records", lines=True)
    return folder / "r.jsonl.gz"


@shape("`.csv.gz`, `.tsv.gz`, `.json.gz`, `.jsonl.gz`", refused="within it")
def _(folder: Path) -> Path:
    (folder / "r.parquet.gz").write_bytes(b"")
    return folder / "r.parquet.gz"


@shape("`.csv.gz`, `.tsv.gz`, `.json.gz`, `.jsonl.gz`", refused="row 4, column dataset: found not")
def _(folder: Path) -> Path:
    return csv(folder, BASE.assign(dataset=["d1", "d1", None, *["d1"] * 9]), "r.csv.gz")


@shape("`.csv.gz`, `.tsv.gz`, `.json.gz`, `.jsonl.gz`", refused="no whole file of gzip")
def _(folder: Path) -> Path:
    path = csv(folder, BASE, "r.csv.gz")
    path.write_bytes(path.read_bytes()[:-9])
    return path


@shape("empty rows, and rows with the name of a sum and no candidate, such as `TOTAL,,,0.81`")
def _(folder: Path) -> Path:
    path = csv(folder, BASE)
    path.write_text(path.read_text() + ",,,\nTOTAL,,,0.68\n,,,\n,,mean,0.68\n")
    return path


@shape("rows `mean`, `std` in a column of folds or seeds, below its numbers")
def _(folder: Path) -> Path:
    of_all = BASE.groupby(KEYS, as_index=False)["accuracy"].mean().assign(seed="mean")
    return csv(folder, pd.concat([BASE, of_all, of_all.assign(seed="std", accuracy=0.01)]))


@shape("the same row twice", refused=r"\(2 such rows\).*; 2 rows have the same cells as an earlier")
def _(folder: Path) -> Path:
    return csv(folder, pd.concat([BASE, BASE.iloc[[1, 7]]]))


@shape("the same row twice", refused=r"\(1 such row\).* these rows differ in their results alone")
def _(folder: Path) -> Path:
    return csv(folder, pd.concat([BASE, BASE.iloc[[1]].assign(accuracy=0.1)]))


@shape("cells `-`, `—`, `?`, `n.a.` among numbers")
def _(folder: Path) -> Made:
    marked = BASE.assign(accuracy=BASE["accuracy"].astype(object))
    marked.loc[[1, 4], "accuracy"] = ["–", "?"]
    return csv(folder, marked), BASE.drop(index=[1, 4]).groupby(KEYS)["accuracy"].mean()


@shape("`0.70 (0.67-0.73)` or `0.70 [0.67, 0.73]`, an interval of 95%")
def _(folder: Path) -> Made:
    means = MEANS.round(2).reset_index()
    texts = [f"{x} ({x - 0.03:.2f}–{x + 0.04:.2f})" for x in means["accuracy"]]
    texts[0] = texts[0].replace("(", "[").replace("–", ", ").replace(")", "]")
    return csv(folder, means.assign(accuracy=texts)), MEANS.round(2)


@shape(
    "`0.70 (0.67-0.73)` or `0.70 [0.67, 0.73]`, an interval of 95%",
    refused=r"found '0.9 \(0.67-0.73\)'; allowed a number with",
)
def _(folder: Path) -> Path:
    means = MEANS.round(2).reset_index()
    texts = [f"{x} ({x - 0.03:.2f}-{x + 0.04:.2f})" for x in means["accuracy"]]
    return csv(folder, means.assign(accuracy=[*texts[:-1], "0.9 (0.67-0.73)"]))


NUMBERED = WIDE[WIDE["dataset"] == "d1"].set_index("seed")[["lda", "rf"]].rename_axis(None)


@shape("the same with numbers in that column", wide=True, measures=ACCURACY, replication="rows")
def _(folder: Path) -> Made:
    NUMBERED.to_csv(folder / "d1.csv")
    return folder / "d1.csv", MEANS[MEANS.index.get_level_values(0) == "d1"]


@shape(
    "the same with numbers in that column",
    wide=True,
    measures=ACCURACY,
    refused="or `replication: rows` below `results` in the manifest where they are its repl",
)
def _(folder: Path) -> Path:
    NUMBERED.to_csv(folder / "d1.csv")
    return folder / "d1.csv"


ANSWERS = BASE.drop(columns="accuracy").assign(
    correct=[True, False, True, True, False, True, True, True, False, False, True, False]
)
CORRECT = ANSWERS.groupby(KEYS)["correct"].mean()


@shape("`sample_id`, `doc_id`, `prompt_id`, … that candidates share, beside right and wrong")
def _(folder: Path) -> Made:
    return csv(folder, ANSWERS.rename(columns={"seed": "sample_id"})), CORRECT


@shape("`sample_id`, `doc_id`, `prompt_id`, … that candidates share, beside right and wrong")
def _(folder: Path) -> Made:
    uids = "uid-" + ANSWERS["seed"].astype(str)
    answers = ANSWERS.drop(columns="seed").assign(task_uid=uids, correct=ANSWERS["correct"] * 1)
    return answers, CORRECT


@shape(
    "the same without marks, or another id in each row",
    refused="found no column of replications",
)
def _(folder: Path) -> Path:
    return csv(folder, BASE.assign(doc_id=range(12)).drop(columns="seed"))


@shape(
    "the same without marks, or another id in each row",
    refused="found no column of replications",
)
def _(folder: Path) -> Path:
    return csv(folder, BASE.rename(columns={"seed": "problem_id"}))


@shape(
    "the same without marks, or another id in each row",
    refused="problem_id",
)
def _(folder: Path) -> Path:
    halves = [BASE.rename(columns={"seed": "problem_id"}).assign(fold=i) for i in (0, 1)]
    return csv(folder, pd.concat(halves))


@shape("`data_seed`, `split_seed`, `torch_seed`, `rng`, …")
def _(folder: Path) -> Path:
    return csv(folder, BASE.rename(columns={"seed": "data_seed"}))


@shape("`data_seed`, `split_seed`, `torch_seed`, `rng`, …")
def _(folder: Path) -> pd.DataFrame:
    return BASE.rename(columns={"seed": "rng"}).assign(torch_seed=BASE["seed"] + 7)


@shape("`worker`, `host`, `node`, `port`, `attempt`, `retries`")
def _(folder: Path) -> Path:
    rng = np.random.default_rng(3)
    noise = {name: rng.integers(0, 4, 12) for name in ("worker", "node", "attempt", "retries")}
    return csv(folder, BASE.assign(**noise, port=rng.integers(4000, 5000, 12), host="n1"))


# --- spreadsheets, papers, R -------------------------------------------------------------


def xlsx(path: Path, sheets: Mapping[str, list[list[Any]]], merged: str = "") -> Path:
    """Write the least that a workbook has.

    `merged`: a range of each sheet.
    A cell that begins with = is a formula, a pair a formula with its value.
    """
    kind = "http://schemas.openxmlformats.org/spreadsheetml/2006/main"
    office = "http://schemas.openxmlformats.org/officeDocument/2006/relationships"
    package = "http://schemas.openxmlformats.org/package/2006"

    def cell(value: Any) -> str:
        if value is None:
            return "<c/>"
        if isinstance(value, tuple):
            kept = 't="str"' if isinstance(value[1], str) else ""
            return f"<c {kept}><f>{escape(value[0])}</f><v>{escape(str(value[1]))}</v></c>"
        if isinstance(value, str) and value.startswith("="):
            return f"<c><f>{escape(value[1:])}</f></c>"
        if isinstance(value, str):
            return f'<c t="inlineStr"><is><t>{escape(value)}</t></is></c>'
        return f"<c><v>{value!r}</v></c>"

    with zipfile.ZipFile(path, "w") as file:
        listed = "".join(
            f'<sheet name="{name}" sheetId="{i}" r:id="r{i}"/>' for i, name in enumerate(sheets, 1)
        )
        related = "".join(
            f'<Relationship Id="r{i}" Type="{office}/worksheet" Target="worksheets/s{i}.xml"/>'
            for i, _ in enumerate(sheets, 1)
        )
        parts = "".join(
            f'<Override PartName="/xl/worksheets/s{i}.xml" ContentType='
            '"application/vnd.openxmlformats-officedocument.spreadsheetml.worksheet+xml"/>'
            for i, _ in enumerate(sheets, 1)
        )
        file.writestr(
            "[Content_Types].xml",
            f'<Types xmlns="{package}/content-types"><Default Extension="rels" ContentType='
            '"application/vnd.openxmlformats-package.relationships+xml"/><Override PartName='
            '"/xl/workbook.xml" ContentType="application/vnd.openxmlformats-officedocument.'
            f'spreadsheetml.sheet.main+xml"/>{parts}</Types>',
        )
        file.writestr(
            "_rels/.rels",
            f'<Relationships xmlns="{package}/relationships"><Relationship Id="a" '
            f'Type="{office}/officeDocument" Target="xl/workbook.xml"/></Relationships>',
        )
        file.writestr(
            "xl/workbook.xml",
            f'<workbook xmlns="{kind}" xmlns:r="{office}"><sheets>{listed}</sheets></workbook>',
        )
        file.writestr(
            "xl/_rels/workbook.xml.rels",
            f'<Relationships xmlns="{package}/relationships">{related}</Relationships>',
        )
        ranges = f'<mergeCells count="1"><mergeCell ref="{merged}"/></mergeCells>' * bool(merged)
        for i, rows in enumerate(sheets.values(), 1):
            body = "".join(f"<row>{''.join(map(cell, row))}</row>" for row in rows)
            file.writestr(
                f"xl/worksheets/s{i}.xml",
                f'<worksheet xmlns="{kind}"><sheetData>{body}</sheetData>{ranges}</worksheet>',
            )
    return path


def ods(path: Path, sheets: Mapping[str, list[list[Any]]]) -> Path:
    """Write the least that a spreadsheet of OpenDocument has."""
    names = {
        key: f"urn:oasis:names:tc:opendocument:xmlns:{key}:1.0"
        for key in ("office", "table", "text", "manifest")
    }

    def cell(value: Any) -> str:
        if value is None:
            return "<table:table-cell/>"
        if isinstance(value, str) and value.startswith("="):
            return f'<table:table-cell table:formula="of:{escape(value)}"/>'
        if isinstance(value, str):
            text = f"<text:p>{escape(value)}</text:p>"
            return f'<table:table-cell office:value-type="string">{text}</table:table-cell>'
        return f'<table:table-cell office:value-type="float" office:value="{value!r}"/>'

    tables = "".join(
        f'<table:table table:name="{name}">'
        + "".join(f"<table:table-row>{''.join(map(cell, r))}</table:table-row>" for r in rows)
        + "</table:table>"
        for name, rows in sheets.items()
    )
    spaces = " ".join(f'xmlns:{key}="{name}"' for key, name in names.items())
    mime = "application/vnd.oasis.opendocument.spreadsheet"
    with zipfile.ZipFile(path, "w") as file:
        file.writestr("mimetype", mime)
        file.writestr(
            "META-INF/manifest.xml",
            f'<manifest:manifest {spaces}><manifest:file-entry manifest:full-path="/" '
            f'manifest:media-type="{mime}"/></manifest:manifest>',
        )
        file.writestr(
            "content.xml",
            f"<office:document-content {spaces}><office:body><office:spreadsheet>{tables}"
            "</office:spreadsheet></office:body></office:document-content>",
        )
    return path


def cells(frame: pd.DataFrame) -> list[list[Any]]:
    """Return header and rows."""
    return [list(frame.columns), *frame.astype(object).to_numpy().tolist()]


@shape("a spreadsheet, `.xlsx` or `.ods`, with one sheet")
def _(folder: Path) -> Path:
    return xlsx(folder / "r.xlsx", {"Runs": cells(BASE), "Empty": []})


@shape("a spreadsheet, `.xlsx` or `.ods`, with one sheet")
def _(folder: Path) -> Path:
    return ods(folder / "r.ods", {"Runs": [[], *cells(BASE)]})


@shape("a spreadsheet, `.xlsx` or `.ods`, with one sheet")
def _(folder: Path) -> Path:
    rows = [["Table 1"], *cells(BASE), [], ["bold: the best"]]
    return ods(folder / "r.ods", {"Runs": rows})


@shape("a spreadsheet, `.xlsx` or `.ods`, with one sheet", refused="row 1: found 'Table 1' alone")
def _(folder: Path) -> Path:
    return ods(folder / "r.ods", {"Runs": [["Table 1"], ["a note"], *cells(BASE)[1:]]})


@shape("a spreadsheet with several sheets", item="Runs")
def _(folder: Path) -> Path:
    return xlsx(folder / "r.xlsx", {"Notes": [["a", "b"], [1, 2]], "Runs": cells(BASE)})


@shape("a spreadsheet with several sheets", refused="2 sheets with cells; allowed one of Notes, R")
def _(folder: Path) -> Path:
    return xlsx(folder / "r.xlsx", {"Notes": [["a", "b"], [1, 2]], "Runs": cells(BASE)})


@shape("a spreadsheet with formulas")
def _(folder: Path) -> Path:
    rows = [[*row[:3], ("1-A1", row[3])] for row in cells(BASE)[1:]]
    return xlsx(folder / "r.xlsx", {"Runs": [list(BASE.columns), *rows]})


@shape("a spreadsheet with formulas")
def _(folder: Path) -> Path:
    rows = [[*row, ('IF(A1>1,"x","")', "")] for row in cells(BASE)[1:]]
    return xlsx(folder / "r.xlsx", {"Runs": [[*BASE.columns, "remark"], *rows]})


@shape("a spreadsheet with formulas", item="Runs & more")
def _(folder: Path) -> Path:
    sheets = {"Notes": [["a"], ["=B1"]], "Runs &amp; more": cells(BASE)}
    return xlsx(folder / "r.xlsx", sheets)


@shape("a spreadsheet with formulas", item="Runs")
def _(folder: Path) -> Path:
    return ods(folder / "r.ods", {"Notes": [["a", "=[.B1]"]], "Runs": cells(BASE)})


@shape("a spreadsheet with formulas", refused="a formula without its value")
def _(folder: Path) -> Path:
    return xlsx(folder / "r.xlsx", {"Runs": [*cells(BASE), ["d1", 4, "lda", "=D2+0.1"]]})


@shape("a spreadsheet with formulas", refused="a formula without its value")
def _(folder: Path) -> Path:
    return ods(folder / "r.ods", {"Runs": [*cells(BASE), ["d1", 4, "lda", "=[.D2]"]]})


BLOCK = [[None if 1 < i < 7 and j == 0 else x for j, x in enumerate(row)]
         for i, row in enumerate(cells(BASE))]  # fmt: skip


@shape("a spreadsheet with merged cells, as pandas writes an index of several levels")
def _(folder: Path) -> Path:
    return xlsx(folder / "r.xlsx", {"Runs": BLOCK}, merged="A2:A7")


@shape(
    "blank cells of names, not merged",
    refused="sheet Runs, row 3, column dataset: found nothing; allowed a printable name .fill",
)
def _(folder: Path) -> Path:
    return xlsx(folder / "r.xlsx", {"Runs": BLOCK})


LATEX = r"""
\begin{table} \caption{Accuracy}
\begin{tabular}{l|cc} \toprule
Data set & \multicolumn{1}{c}{\textsc{lda}} & rf$^{\dagger}$ \\ \midrule % by hand
d\_1 & $0.71$ & \textbf{0.82} \\
d\_2 & \textbf{\underline{0.62}} & .57\\[2pt]
\cmidrule(lr){2-3}
d\_3 & -- & {\bf 0.5} \\ \bottomrule
\end{tabular}
\end{table}
"""
OF_PAPER = long({("d_1", "lda"): 0.71, ("d_1", "rf"): 0.82, ("d_2", "lda"): 0.62,
                 ("d_2", "rf"): 0.57, ("d_3", "lda"): np.nan, ("d_3", "rf"): 0.5})  # fmt: skip


@shape("a table of a paper in LaTeX, `wide:` or a candidate a row", wide=True, measures=ACCURACY)
def _(folder: Path) -> Made:
    (folder / "t.tex").write_text(LATEX)
    return folder / "t.tex", OF_PAPER


@shape("a table of a paper in LaTeX, `wide:` or a candidate a row", wide=True, measures=ACCURACY)
def _(folder: Path) -> Made:
    text = LATEX.replace("0.82}", r"0.82} $\pm$ 0.01").replace(".57", r"$\mathbf{.57}_{\pm .02}$")
    text = text.replace("$0.71$", r"0.71$\pm$0.03").replace("0.62}", r"0.62}{\small (0.1)}")
    (folder / "t.tex").write_text(text.replace("--", "").replace("0.5}", r"0.5$\pm$0.1}"))
    return folder / "t.tex", OF_PAPER


@shape("a table of a paper in LaTeX, `wide:` or a candidate a row", refused="found 2 tables")
def _(folder: Path) -> Path:
    (folder / "t.tex").write_text(LATEX + LATEX)
    return folder / "t.tex"


@shape("a table of a paper in LaTeX, `wide:` or a candidate a row", refused="a header of 2 rows")
def _(folder: Path) -> Path:
    head = r"\toprule & \multicolumn{2}{c}{accuracy} \\ \cmidrule{2-3}"
    (folder / "t.tex").write_text(LATEX.replace(r"\toprule", head.replace(r"\cmidrule{2-3}", "")))
    return folder / "t.tex"


LATEX_ROW = "a table of a paper in LaTeX, `wide:` or a candidate a row"
GROUPED = r"""
\begin{tabular*}{\textwidth}{llc} \hline
{\bf Dataset} & Model & accuracy \\\\% by hand
\hline
\multicolumn{3}{l}{\textit{Small}} \\\\% best
\multirow{2}{*}{iris} & LDA & 0.93 \\ \cline{2-3}
 & RF & 0.95 \\ \hline
\multicolumn{3}{l}{\textit{Large}} \\
 & LDA & 0.9 \\
\multirow{-2}{*}{wine} & RF & 0.8\,\\ \hline
\end{tabular*}
""".replace(r"\\\\", r"\\")


@shape(LATEX_ROW)
def _(folder: Path) -> Made:
    (folder / "t.tex").write_text(GROUPED)
    return folder / "t.tex", long({("iris", "LDA"): 0.93, ("iris", "RF"): 0.95,
                                   ("wine", "LDA"): 0.9, ("wine", "RF"): 0.8})  # fmt: skip


@shape(LATEX_ROW, refused="the title 'Large' within the table, and 'iris, LDA' above and below it")
def _(folder: Path) -> Path:
    (folder / "t.tex").write_text(GROUPED.replace("wine", "iris"))
    return folder / "t.tex"


@shape(LATEX_ROW, refused="line 5: found a header of 2 rows")
def _(folder: Path) -> Path:
    head = r"\toprule & \multicolumn{2}{c}{accuracy} \\ \cmidrule(lr){2-3}"
    (folder / "t.tex").write_text(LATEX.replace(r"\toprule", f"{head}\n"))
    return folder / "t.tex"


@shape(LATEX_ROW, refused="line 4: found a table within a table")
def _(folder: Path) -> Path:
    (folder / "t.tex").write_text(
        LATEX.replace("Data set", r"\begin{tabular}{l}Data\\set\end{tabular}")
    )
    return folder / "t.tex"


@shape("a table in Markdown, likewise", wide=True, measures=ACCURACY)
def _(folder: Path) -> Made:
    (folder / "t.md").write_text(
        "# Results\n\n| data | [lda](https://a.b) | rf † |\n|:---|---:|---:|\n"
        "| d_1 | 0.71 | **0.82** |\n| d_2 | **0.62** | `.57` |\n| d_3 | – | *0.5* |\n\nMore.\n"
    )
    return folder / "t.md", OF_PAPER


@shape("a table in Markdown, likewise", refused="line 4: found 3 cells; allowed 2")
def _(folder: Path) -> Path:
    (folder / "t.md").write_text("\na | b\n--|--\n1|2|3\n")
    return folder / "t.md"


@shape("a table in Markdown, likewise", refused="line 5: found a row after the end of the table")
def _(folder: Path) -> Path:
    (folder / "t.md").write_text("a | b\n--|--\nu|2\n\nv|3\n")
    return folder / "t.md"


@shape("a table in Markdown, likewise", refused="line 5: found a row after the end of the table")
def _(folder: Path) -> Path:
    (folder / "t.md").write_text("|a|b|\n|-|-|\n|u|2|\nMore.\n| v | 3 |\n")
    return folder / "t.md"


@shape(
    "a data frame of R, whose row names are the data sets of a wide table",
    wide=True,
    measures=ACCURACY,
)
def _(folder: Path) -> Made:
    """As R's save() lays out data.frame(a = c(.7, .8), b = c(.6, .9), row.names = c("u", "v"))."""
    means = {("u", "a"): 0.7, ("u", "b"): 0.6, ("v", "a"): 0.8, ("v", "b"): 0.9}
    parts: list[int | float | str] = [3, 262658, 197888, 5, "UTF-8"]  # R 4.2.2, in UTF-8
    parts += [1026, 1, 262153, 1, "d", 787, 2, 14, 2, 0.7, 0.8, 14, 2, 0.6, 0.9]
    parts += [1026, 1, 262153, 5, "names", 16, 2, 262153, 1, "a", 262153, 1, "b"]
    parts += [1026, 1, 262153, 5, "class", 16, 1, 262153, 10, "data.frame"]
    parts += [1026, 1, 262153, 9, "row.names", 16, 2, 262153, 1, "u", 262153, 1, "v", 254, 254]
    codes = {int: ">i", float: ">d"}
    packed = [p.encode() if isinstance(p, str) else struct.pack(codes[type(p)], p) for p in parts]
    (folder / "x.rda").write_bytes(b"RDX3\nX\n" + b"".join(packed))
    return folder / "x.rda", long(means)


@shape("arrays of R's benchmark, samples x algorithms x measures x data sets")
def _(folder: Path) -> Made:
    array = {("monks3", "lda"): np.mean([0.266, 0.372, 0.573])}  # as R prints them
    return FILES / "array.RData", long(array)


@shape("a file of R with several tables", item="view")
def _(folder: Path) -> Made:
    return FILES / "frames.rda", long({("monks3", "lda"): np.mean([0.266, 0.372, 0.573])})


@shape("a file of R with several tables", refused="found the tables view, plain")
def _(folder: Path) -> Path:
    return FILES / "frames.rda"


@shape("pickles, `.npy`, `.joblib`", refused="may run code when it is read")
def _(folder: Path) -> Path:
    (folder / "r.pkl").write_bytes(b"\x80\x04.")
    return folder / "r.pkl"


# --- trackers, searches and training -----------------------------------------------------


RUNS = BASE.assign(state="finished")
CRASHED = pd.concat([RUNS, RUNS.iloc[:1].assign(seed=4, state="crashed", accuracy=0.01)])


OF_TRACKERS = "`State`, `status`, `run_status` of Weights & Biases, MLflow, Optuna, Ray, SLURM"


@shape(OF_TRACKERS)
def _(folder: Path) -> Path:
    return csv(folder, CRASHED.rename(columns={"state": "State"}))


@shape(OF_TRACKERS)
def _(folder: Path) -> Path:
    return csv(folder, CRASHED.rename(columns={"state": "JobStatus"}))


@shape("codes at the exit of programs: `exit_code`, `ExitCode`, `returncode`")
def _(folder: Path) -> Path:
    codes = {"finished": "0:0", "crashed": "137:0"}
    return csv(folder, CRASHED.rename(columns={"state": "ExitCode"}).replace(codes))


OTHER = (
    "other columns by which runs with a result have not ended well: `outcome`, `failed`, `error`"
)


@shape(OTHER, refused="the column outcome, by which 1 run with a result may not have ended well")
def _(folder: Path) -> Path:
    return csv(folder, CRASHED.rename(columns={"state": "outcome"}))


@shape(OTHER, columns={"status": "failed"})
def _(folder: Path) -> Path:
    failed = CRASHED["state"] == "crashed"
    return csv(folder, CRASHED.drop(columns="state").assign(failed=failed))


@shape(OF_TRACKERS, refused="found 'odd'")
def _(folder: Path) -> Path:
    return csv(folder, RUNS.rename(columns={"state": "status"}).replace("finished", "odd"))


@shape("a run that crashed and was done again")
def _(folder: Path) -> Path:
    return csv(folder, pd.concat([CRASHED.iloc[-1:].assign(seed=1), RUNS]))


@shape("a state without a word")
def _(folder: Path) -> Path:
    return csv(folder, RUNS.assign(status=["", *["ok"] * 11]).drop(columns="state"))


@shape("`metrics.…`, `params.…`, `tags.…` of MLflow; `Runtime`, `_step` of Weights & Biases")
def _(folder: Path) -> Path:
    names = {"candidate": "params.model", "dataset": "params.dataset", "seed": "params.seed",
             "accuracy": "metrics.accuracy"}  # fmt: skip
    frame = BASE.rename(columns=names).assign(status="FINISHED", Runtime=range(12), _step=99)
    return csv(folder, frame.assign(**{"params.lr": 0.1, "tags.user": "anna"}))


@shape("`runtime`, `elapsed`, … beside memory or cost alone", measure="elapsed")
def _(folder: Path) -> Path:
    frame = BASE.rename(columns={"accuracy": "elapsed"})
    return csv(folder, frame.assign(memory_mb=[i**1.5 for i in range(12)]))


@shape("`runtime`, `Duration (s)`, `elapsed`, `wall_clock` beside another result")
def _(folder: Path) -> Path:
    return csv(folder, BASE.assign(**{"Duration (s)": [i**1.5 for i in range(12)]}))


@shape(
    "results of test, validation and training samples in a file of a tracker",
    measure="test_accuracy",
)
def _(folder: Path) -> Path:
    names = {"accuracy": "metrics.test_accuracy"}
    return csv(folder, BASE.rename(columns=names).assign(**{"metrics.val_accuracy": 0.5}))


@shape("`run_id`, another one in each row")
def _(folder: Path) -> Path:
    return csv(folder, BASE.assign(run_id=[f"{7919 * i:08x}" for i in range(12)]))


TRIALS = BASE.rename(columns={"candidate": "params_model", "accuracy": "value"}).assign(
    number=range(12), state="COMPLETE"
)
SEARCH = {"candidate": "params_model", "replication": "seed"}


@shape("trials of a search by Optuna", columns=SEARCH, measures=ACCURACY)
def _(folder: Path) -> Path:
    return csv(folder, TRIALS)


@shape("trials of a search by Optuna", refused="trials of a search by Optuna, which are no repl")
def _(folder: Path) -> Path:
    return csv(folder, TRIALS)


def optuna(path: Path, studies: tuple[str, ...] = ("s",)) -> Path:
    """Write the tables of Optuna's schema that hold trials, as Optuna 4 makes them."""
    categories = {"name": "CategoricalDistribution", "attributes": {"choices": ["lda", "rf"]}}
    with closing(sqlite3.connect(path)) as base:
        base.executescript(
            """
            CREATE TABLE studies (study_id INTEGER, study_name VARCHAR(512));
            CREATE TABLE study_directions (direction TEXT, study_id INTEGER, objective INTEGER);
            CREATE TABLE trials (trial_id INTEGER, number INTEGER, study_id INTEGER, state TEXT);
            CREATE TABLE trial_params (
                trial_id INTEGER, param_name TEXT, param_value FLOAT, distribution_json TEXT);
            CREATE TABLE trial_values (
                trial_id INTEGER, objective INTEGER, value FLOAT, value_type VARCHAR(7));
            CREATE TABLE trial_user_attributes (trial_id INTEGER, key TEXT, value_json TEXT);
            """
        )
        for study, name in enumerate(studies, start=1):
            base.execute("INSERT INTO studies VALUES (?, ?)", (study, name))
            base.execute("INSERT INTO study_directions VALUES ('MAXIMIZE', ?, 0)", (study,))
            rows = [*BASE.itertuples(index=False), ("d1", 9, "rf", 0.1)]
            for number, (dataset, seed, candidate, accuracy) in enumerate(rows):
                trial, state = 100 * study + number, "COMPLETE" if number < 12 else "PRUNED"
                base.execute(
                    "INSERT INTO trials VALUES (?, ?, ?, ?)", (trial, number, study, state)
                )
                of = float(candidate == "rf")
                chosen = (trial, "model", of, json.dumps(categories))
                base.execute("INSERT INTO trial_params VALUES (?, ?, ?, ?)", chosen)
                value = (trial, 0, accuracy, "FINITE")
                base.execute("INSERT INTO trial_values VALUES (?, ?, ?, ?)", value)
                for key, attribute in (("seed", seed), ("dataset", dataset)):
                    told = (trial, key, json.dumps(attribute))
                    base.execute("INSERT INTO trial_user_attributes VALUES (?, ?, ?)", told)
        base.commit()
    return path


STORED = {"candidate": "params_model", "replication": "user_attrs_seed",
          "dataset": "user_attrs_dataset"}  # fmt: skip


@shape("a database of Optuna (SQLite)", columns=STORED, measures=ZEAL, measure="zeal")
def _(folder: Path) -> Path:
    return optuna(folder / "study.db")


@shape("a database of Optuna (SQLite)", refused="trials of a search by Optuna, which are no repl")
def _(folder: Path) -> Path:
    return optuna(folder / "study.db")


@shape("a database of Optuna (SQLite)", refused="found 2 studies; allowed one of s, t")
def _(folder: Path) -> Path:
    return optuna(folder / "study.db", ("s", "t"))


@shape("the folder of MLflow, `mlruns`", measure="test_acc")
def _(folder: Path) -> Path:
    for i, (dataset, seed, candidate, accuracy) in enumerate(BASE.itertuples(index=False)):
        run = folder / "mlruns" / "7" / f"{i:032x}"
        for part in ("metrics", "params", "tags"):
            (run / part).mkdir(parents=True)
        (run / "meta.yaml").write_text(f"run_id: {i:032x}\nstatus: 3\nlifecycle_stage: active\n")
        for key, value in (("model", candidate), ("dataset", dataset), ("seed", seed)):
            (run / "params" / key).write_text(str(value))
        (run / "metrics" / "test_acc").write_text(f"17 0.1 0\n19 {accuracy!r} 2\n18 0.2 1\n")
        model = run.parent / "models" / f"m-{i:032x}"  # as of MLflow 3
        shutil.copytree(run, model)
        (model / "meta.yaml").write_text(f"model_id: m-{i:032x}\nsource_run_id: {i:032x}\n")
    failed = folder / "mlruns" / "7" / "f" / "meta.yaml"
    for part in ("metrics", "params"):
        (failed.parent / part).mkdir(parents=True)
    failed.write_text("run_id: f\nstatus: 4\nlifecycle_stage: active\n")
    for key, value in (("model", "lda"), ("dataset", "d1"), ("seed", "4")):
        (failed.parent / "params" / key).write_text(value)
    return folder / "mlruns"


@shape("a folder of Hydra's multirun, with a file of results a run", measure="test/acc")
def _(folder: Path) -> Path:
    for i, (dataset, seed, candidate, accuracy) in enumerate(BASE.itertuples(index=False)):
        run = folder / "multirun" / str(i)
        (run / ".hydra").mkdir(parents=True)
        (run / ".hydra" / "config.yaml").write_text(
            f"model:\n  name: {candidate}\n  depth: 3\ndata:\n  name: {dataset}\nseed: {seed}\n"
        )
        document(run / "metrics.json", {"test/acc": accuracy, "done": True})
    for name in ("multirun.yaml", "optimization_results.yaml"):
        (folder / "multirun" / name).write_text("name: optuna\n")
    return folder / "multirun"


@shape("a folder of Hydra's multirun, with a file of results a run", refused="without results")
def _(folder: Path) -> Path:
    (folder / "0" / ".hydra").mkdir(parents=True)
    (folder / "0" / ".hydra" / "config.yaml").write_text("model: lda\n")
    return folder


@shape("the folder of Weights & Biases, `wandb`", measure="test/acc")
def _(folder: Path) -> Path:
    for i, (dataset, seed, candidate, accuracy) in enumerate(BASE.itertuples(index=False)):
        files = folder / "wandb" / f"run-20260301_{i:06}-ab{i}" / "files"
        document(files / "wandb-summary.json", {"test/acc": accuracy, "_runtime": i, "_step": 9})
        settings = (("model", candidate), ("dataset", dataset), ("seed", seed))
        texts = [f"{key}:\n  desc: null\n  value: {value}\n" for key, value in settings]
        (files / "config.yaml").write_text(
            "wandb_version: 1\n_wandb:\n  value: {}\n" + "".join(texts)
        )
    return folder / "wandb"


LOG = pd.concat([BASE.assign(epoch=e, accuracy=BASE["accuracy"] - 0.1 * (2 - e)) for e in range(3)])


@shape("a log of training with `epoch` or `step`, one row a run")
def _(folder: Path) -> Path:
    return csv(folder, BASE.assign(epoch=49))


@shape("the same with many rows a run", epoch="last")
def _(folder: Path) -> Path:
    return csv(folder, LOG)


@shape("the same with many rows a run", refused="epoch")
def _(folder: Path) -> Path:
    return csv(folder, LOG)


NAMED = "the same with a column of another name, such as `round` or `tokens_seen`"


@shape(NAMED, epoch="last")
def _(folder: Path) -> Path:
    return csv(folder, LOG.rename(columns={"epoch": "tokens_seen"}))


@shape(NAMED, epoch="last", columns={"epoch": "era"})
def _(folder: Path) -> Path:
    return csv(folder, LOG.rename(columns={"epoch": "era"}))


@shape(NAMED, refused="and no column of epochs", epoch="last")
def _(folder: Path) -> Path:
    return csv(folder, LOG.rename(columns={"epoch": "era"}))


@shape("the same with `nan` or `inf` in that epoch", epoch="last")
def _(folder: Path) -> Made:
    frame = LOG.reset_index(drop=True)
    frame.loc[24, "accuracy"] = np.nan
    means = frame[frame["epoch"] == 2].groupby(KEYS)["accuracy"].mean()
    return csv(folder, frame, na_rep="nan"), means


@shape("`epochs` of early stopping, a row a run, none numbered", replication="rows")
def _(folder: Path) -> Path:
    return csv(folder, BASE.drop(columns="seed").assign(epochs=[9, 7, 8, 9, 6, 5] * 2))


@shape("`epochs` of early stopping, a row a run, none numbered", refused="ignore|epoch")
def _(folder: Path) -> Path:
    return csv(folder, BASE.drop(columns="seed").assign(epochs=[9, 7, 8, 9, 6, 5] * 2))


@shape("the same with `iteration`, `run` or `trial` in place of `epoch`", epoch="last")
def _(folder: Path) -> Path:
    return csv(folder, LOG.rename(columns={"epoch": "iteration"}))


@shape("the same with `iteration`, `run` or `trial` in place of `epoch`", refused="epoch: last")
def _(folder: Path) -> Path:
    logs = [BASE.assign(run=e, accuracy=BASE["accuracy"] + 0.01 * e) for e in range(6)]
    return csv(folder, pd.concat(logs))


@shape("a folder of logs of Keras or Lightning, a file a run", epoch="last", measure="val_acc")
def _(folder: Path) -> Made:
    for (candidate, seed), own in LOG[LOG["dataset"] == "d1"].groupby(["candidate", "seed"]):
        log = own[["epoch", "accuracy"]].rename(columns={"accuracy": "val_acc"})
        csv(folder, log, f"{candidate}_seed{seed}.csv")
    means = MEANS.loc[["d1"]].rename({"d1": folder.name}, level=0)
    return folder, means


@shape("a folder of logs of Keras or Lightning, a file a run", refused="epoch")
def _(folder: Path) -> Path:
    for name in ("lda_seed0.csv", "rf_seed0.csv"):
        (folder / name).write_text("epoch,val_acc\n0,0.1\n1,0.2\n")
    return folder


@shape("`93.3%`, or a share with values above 1")
def _(folder: Path) -> Made:
    return csv(folder, BASE.assign(accuracy=BASE["accuracy"].map("{:.0%}".format))), 100 * MEANS


@shape("`93.3%`, or a share with values above 1")
def _(folder: Path) -> Made:
    return csv(folder, BASE.assign(accuracy=100 * BASE["accuracy"])), 100 * MEANS


@shape("`93.3%`, or a share with values above 1", refused="values above 1, and others up to 1")
def _(folder: Path) -> Path:
    return csv(folder, BASE.assign(accuracy=BASE["accuracy"] * [100.0, *[1] * 11]))


ITEMS = BASE.rename(columns={"dataset": "task", "seed": "item_id", "accuracy": "score"})
ITEMS = ITEMS.assign(score=(BASE["accuracy"] > 0.7).map({True: "pass", False: "fail"}))


@shape("True/False, T/F, CORRECT/INCORRECT, pass/fail, yes/no, C/I of items")
def _(folder: Path) -> Made:
    means = (BASE["accuracy"] > 0.7).groupby([BASE["dataset"], BASE["candidate"]]).mean()
    return csv(folder, ITEMS), means


@shape("True/False, T/F, CORRECT/INCORRECT, pass/fail, yes/no, C/I of items", refused="no numbers")
def _(folder: Path) -> Path:
    return csv(folder, ITEMS.replace("fail", "perhaps"))


@shape("the same beside results of a table without items")
def _(folder: Path) -> Path:
    return csv(folder, BASE.assign(converged=True, ok="yes"))


@shape("`82.2 ± 1.6`, `93.3(0.5)`, `0.93 (3)`")
def _(folder: Path) -> Path:
    cells = BOARD[["lda", "rf"]].map("{!r} ± 0.02".format).assign(dataset=BOARD["dataset"])
    return csv(folder, cells.melt("dataset", var_name="candidate", value_name="accuracy"))


def _cells(folder: Path) -> Path:
    cells = BOARD[["lda", "rf"]].map("{!r} ± 0.02".format).assign(dataset=BOARD["dataset"])
    return csv(folder, cells)


OF_FIVE = {"wide": True, "measures": ACCURACY, "n_values": 5}
shape("`82.2 ± 1.6` with `n_values: 5`", spread="sd", **OF_FIVE)(_cells)
shape("`82.2 ± 1.6` with `n_values: 5`", refused="spread: se", **OF_FIVE)(_cells)


@shape("`acc_mean, acc_std`; wide: `lda_mean, lda_sd`", wide=True, measures=ACCURACY)
def _(folder: Path) -> Path:
    named = BOARD.rename(columns={"lda": "lda_mean", "rf": "rf_mean"})
    return csv(folder, named.assign(lda_sd=0.01, rf_sd=0.02))


@shape("`acc_mean, acc_std`; wide: `lda_mean, lda_sd`", refused="'acc_std', 'acc_se' of")
def _(folder: Path) -> Path:
    named = MEANS.reset_index(name="acc_mean")
    return csv(folder, named.assign(acc_std=[0.1, 0.2, 0.3, 0.2], acc_se=[0.01, 0.02, 0.03, 0.01]))


@shape(
    "`acc_mean, acc_std`; wide: `lda_mean, lda_sd`",
    refused="or be a candidate",
    wide=True,
    measures=ACCURACY,
)
def _(folder: Path) -> Path:
    return csv(folder, BOARD.assign(lda_sd=0.01))


OF_VALUES = "`acc_mean, acc_std, n`; also `acc_count`, `runs`"


@shape(OF_VALUES)
def _(folder: Path) -> Path:
    found = BASE.groupby(KEYS)["accuracy"].agg(["mean", "std", "count"]).reset_index()
    return csv(folder, found.set_axis([*KEYS, "acc_mean", "acc_std", "acc_count"], axis=1))


@shape(OF_VALUES, refused="values of each mean or the observations")
def _(folder: Path) -> Path:
    return csv(folder, MEANS.reset_index(name="acc_mean").assign(acc_std=0.01, n=150))


@shape(
    "a candidate about 100 times off the others, or constant and far above them, zeros far from "
    "the rest, equal values, copies of a candidate"
)
def _(folder: Path) -> Path:
    return csv(folder, BASE.assign(mse=BASE["accuracy"] * 100))


# --- cross-validation and searches -------------------------------------------------------


@shape("`fold` beside `seed`, `repeat` or `run`")
def _(folder: Path) -> Made:
    folds = pd.concat([BASE.assign(fold=k, accuracy=BASE["accuracy"] + k / 100) for k in range(5)])
    return csv(folder, folds), folds.groupby(KEYS)["accuracy"].mean()


def _validated(depth: int) -> dict[str, Any]:
    x, y = load_iris(return_X_y=True)
    model = DecisionTreeClassifier(max_depth=depth, random_state=1)
    return cross_validate(model, x, y, cv=3)


@shape("`cross_validate` of scikit-learn, by candidate, or with a column `model`", measure="score")
def _(folder: Path) -> Made:
    results = {f"depth {d}": _validated(d) for d in (1, 3)}
    return results, long({("data", k): own["test_score"].mean() for k, own in results.items()})


@shape("`cross_validate` of scikit-learn, by candidate, or with a column `model`", measure="score")
def _(folder: Path) -> Made:
    tables = [pd.DataFrame(_validated(d)).assign(model=f"depth {d}") for d in (1, 3)]
    frame = pd.concat(tables).rename_axis("split").reset_index()
    means = frame.groupby("model")["test_score"].mean()
    return csv(folder, frame), long({("data", str(k)): x for k, x in means.items()})


@shape("the same in mappings by data set, in Python", measure="score")
def _(folder: Path) -> Made:
    results = {d: {f"depth {k}": _validated(k) for k in (1, 3)} for d in ("d1", "d2")}
    means = {(d, k): x["test_score"].mean() for d, own in results.items() for k, x in own.items()}
    return results, long(means)


@shape(
    'a mapping whose keys are pairs, `("lda", "d1")`',
    refused=r"names of two parts, such as \('lda', 'd1'\); allowed a mapping of data sets",
)
def _(folder: Path) -> dict[tuple[str, str], Any]:
    return {(str(k), str(d)): own.tolist() for (d, k), own in BASE.groupby(KEYS)["accuracy"]}


@shape(
    "a splitter of scikit-learn as `resampling`, in Python",
    resampling=resampling_of_splitter(KFold(3)),
)
def _(folder: Path) -> Path:
    return csv(folder, BASE.rename(columns={"seed": "fold"}))


@shape("`cv_results_` of a search by scikit-learn", measure="score")
def _(folder: Path) -> Made:
    x, y = load_iris(return_X_y=True)
    search = GridSearchCV(DecisionTreeClassifier(random_state=1), {"max_depth": [1, 3]}, cv=3)
    results = search.fit(x, y).cv_results_
    means = dict(zip(("max_depth=1", "max_depth=3"), results["mean_test_score"], strict=True))
    frame = pd.DataFrame(results)
    return csv(folder, frame), long({("results", k): value for k, value in means.items()})


@shape("`bmr$score()` of mlr3")
def _(folder: Path) -> Path:
    names = {"dataset": "task_id", "candidate": "learner_id", "seed": "iteration",
             "accuracy": "classif.acc"}  # fmt: skip
    return csv(folder, BASE.rename(columns=names).assign(nr=1, resampling_id="cv"))


@shape("a prediction a row: candidate, observation, truth, prediction, folds")
def _(folder: Path) -> Made:
    rng = np.random.default_rng(3)
    rows = pd.MultiIndex.from_product([["lda", "rf"], range(1, 31)], names=["learner", "row_ids"])
    frame = rows.to_frame(index=False).assign(
        fold=lambda t: t["row_ids"] % 3 + 1,
        truth=lambda t: np.where(t["row_ids"] % 2, "yes", "no"),
        response=rng.choice(["yes", "no"], 60),
    )
    errors = (frame["truth"] != frame["response"]).groupby(frame["learner"]).mean()
    return csv(folder, frame), long({("results", str(k)): x for k, x in errors.items()})


# --- other programs ----------------------------------------------------------------------


ESTIMATES = "`collect_metrics()` of tidymodels: `.metric`, `.estimate`, `wflow_id`, `id`"
OF_D1 = BASE[BASE["dataset"] == "d1"]


@shape(ESTIMATES, measure="accuracy")
def _(folder: Path) -> Made:
    rows = [
        {"wflow_id": k, ".config": "Preprocessor1_Model1", "id": f"Fold{s:02d}", ".metric": m,
         ".estimator": "binary", ".estimate": x if m == "accuracy" else 0.2}
        for s, k, x in OF_D1[["seed", "candidate", "accuracy"]].itertuples(index=False)
        for m in ("accuracy", "mn_log_loss")
    ]  # fmt: skip
    means = OF_D1.groupby("candidate")["accuracy"].mean()
    return csv(folder, pd.DataFrame(rows)), long({("results", str(k)): x for k, x in means.items()})


@shape(ESTIMATES)
def _(folder: Path) -> Made:
    table = pd.DataFrame(
        {"wflow_id": "rf", ".config": ["a", "b"], ".metric": "rmse", ".estimator": "standard",
         "mean": [0.5, 0.7], "n": 10, "std_err": [0.01, 0.02]}
    )  # fmt: skip
    return csv(folder, table), long({("results", "rf a"): 0.5, ("results", "rf b"): 0.7})


@shape("results of Weka's Experimenter: `Key_Dataset`, `Key_Run`, `Key_Fold`, `Key_Scheme`")
def _(folder: Path) -> Made:
    schemes = {"lda": "weka.classifiers.functions.LDA", "rf": "weka.classifiers.trees.RandomForest"}
    table = pd.DataFrame(
        {"Key_Dataset": BASE["dataset"], "Key_Run": 1, "Key_Fold": BASE["seed"],
         "Key_Scheme": BASE["candidate"].map(schemes), "Key_Scheme_options": "''",
         "Date_time": 20240301.1234, "Number_correct": 9, "Kappa_statistic": 0.5,
         "Percent_correct": 100 * BASE["accuracy"], "Correlation_coefficient": "?"}
    )  # fmt: skip
    means = {(d, schemes[k].rpartition(".")[2]): 100 * x for (d, k), x in MEANS.items()}
    return csv(folder, table), long(means)


@shape(
    "hyperfine's CSV: `command`, `mean`, `stddev`, `median`",
    refused="allowed its JSON, which has them: hyperfine --export-json",
)
def _(folder: Path) -> Path:
    table = pd.DataFrame({"command": ["a", "b"], "mean": [1.0, 2.0], "stddev": 0.1, "median": 1.5})
    return csv(folder, table.assign(user=0.5, system=0.1, min=0.9, max=3.0))


@shape("`results_….json` of lm-evaluation-harness without samples", measure="acc")
def _(folder: Path) -> Made:
    for model in ("lda", "rf"):
        results = {
            d: {"alias": d, "acc,none": MEANS[d, model], "acc_stderr,none": 0.1}
            for d in ("d1", "d2")
        }
        sides = {d: {"acc": True} for d in results}
        content = {"results": results, "higher_is_better": sides, "model_name": model}
        document(folder / f"results_{model}.json", content)
    return folder, MEANS


@shape("`results_….json` of lm-evaluation-harness without samples", measure="exact_match strict")
def _(folder: Path) -> Made:
    of_task = {"exact_match,strict": 0.4, "exact_match,flexible": 0.6}
    content = {"results": {"gsm8k": of_task}, "model_name": "rf",
               "higher_is_better": {"gsm8k": {"exact_match": True}}}  # fmt: skip
    path = document(folder / "results_rf.json", content)
    return path, long({("gsm8k", "rf"): 0.4})


@shape("a wide table with a column of True and False", wide=True, measures=ACCURACY)
def _(folder: Path) -> Made:
    return csv(folder, BOARD.assign(converged=[True, False])), MEANS


@shape("a wide table with a column of True and False", measure="performance", measures=PERFORMANCE)
def _(folder: Path) -> Made:
    return BOARD.assign(converged=[True, False]), MEANS


@shape("benchopt's results", measure="objective_value", measures=(
    MeasureEntry(name="objective_value", better="smaller"),))  # fmt: skip
def _(folder: Path) -> Made:
    table = pd.read_parquet(FILES / "benchopt.parquet")
    of = table.groupby(["dataset_name", "solver_name", "idx_rep"])["objective_value"].last()
    return FILES / "benchopt.parquet", of.groupby(level=[0, 1]).mean().rename_axis(KEYS)


@shape("benchopt's results", refused="'objective_norm' of unknown direction")
def _(folder: Path) -> Path:
    return FILES / "benchopt.parquet"


AMLB = BASE.rename(columns={"dataset": "task", "candidate": "framework", "accuracy": "result"})
AMLB = AMLB.assign(fold=AMLB["seed"] - 1).drop(columns="seed")


@shape("`results.csv` of the AutoML benchmark")
def _(folder: Path) -> Path:
    return csv(folder, AMLB.assign(metric="acc", acc=AMLB["result"], auc=0.5))


@shape("the same without `metric`, as older versions write it")
def _(folder: Path) -> Path:
    return csv(folder, AMLB.assign(acc=AMLB["result"], auc=0.5, logloss=np.nan))


@shape("the same without `metric`, as older versions write it", refused="no column metric, and res")
def _(folder: Path) -> Path:
    return csv(folder, AMLB.assign(acc=0.89, auc=np.nan))


def _accuracy_tables(folder: Path) -> None:
    for candidate, own in BASE.groupby("candidate"):
        wide = own.pivot(index="dataset", columns="seed", values="accuracy")
        wide.rename(columns=lambda seed: seed - 1).to_csv(
            folder / f"{candidate}_accuracy.csv", index_label="Resamples:"
        )


@shape("`<algorithm>_accuracy.csv` of aeon or tsml, or a folder of them")
def _(folder: Path) -> Path:
    _accuracy_tables(folder)
    return folder


@shape("`<algorithm>_accuracy.csv` of aeon or tsml, or a folder of them")
def _(folder: Path) -> Made:
    _accuracy_tables(folder)
    return folder / "lda_accuracy.csv", MEANS.loc[:, ["lda"]]


@shape("the folder `<algorithm>/Predictions` of aeon or tsml")
def _(folder: Path) -> Path:
    for dataset, seed, candidate, accuracy in BASE.itertuples(index=False):
        path = folder / candidate / "Predictions" / dataset / f"testResample{seed - 1}.csv"
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(f"{dataset},{candidate},test,{seed},MILLISECONDS\nno\n{accuracy},1,1,-1,-1"
                        ",2,-1,-1,-1\n1,1,,0,1\n")  # fmt: skip
    return folder


@shape("TabArena: `method`, `task`, `metric_error`")
def _(folder: Path) -> Made:
    frame = BASE.rename(columns={"dataset": "task", "candidate": "method"})
    frame = frame.assign(metric_error=1 - frame["accuracy"], imputed=False).drop(columns="accuracy")
    return csv(folder, frame), 1 - MEANS


@shape("samples of lm-evaluation-harness", measure="acc")
def _(folder: Path) -> Made:
    rows = [
        (
            "choice",
            path.parent.name.replace("__", "/"),
            pd.read_json(path, lines=True)["acc"].mean(),
        )
        for path in (FILES / "lm-eval").rglob("samples_choice_*.jsonl")
    ]
    return FILES / "lm-eval", pd.DataFrame(rows).set_index([0, 1])[2].rename_axis(KEYS)


@shape("logs of Inspect")
def _(folder: Path) -> Made:
    for model, scores in (("m/a", "CCI"), ("m/b", "CII")):
        document(
            folder / f"{model[-1]}.json",
            {
                "version": 2, "status": "success",
                "eval": {"created": "2026-01-01", "task": "t", "model": model, "scorers": [
                    {"name": "match", "metrics": [{"name": "inspect_ai/accuracy"}]}]},
                "samples": [{"id": i, "epoch": 1, "metadata": {}, "scores": {"match": {"value": x}}}
                            for i, x in enumerate(scores)],
            },
        )  # fmt: skip
    return folder, long({("t", "m/a"): 2 / 3, ("t", "m/b"): 1 / 3})


@shape("Every Eval Ever")
def _(folder: Path) -> Made:
    for model, score in (("a", 0.5), ("b", 0.75)):
        entry = {
            "evaluation_result_id": "gsm8k#0",
            "evaluation_name": "gsm8k",
            "metric_config": {"lower_is_better": False},
            "score_details": {"score": score},
        }
        document(folder / f"{model}.json",
                 {"schema_version": "0.3.0", "evaluation_id": f"gsm8k/{model}/1",
                  "model_info": {"name": model, "id": model},
                  "evaluation_results": [entry]})  # fmt: skip
    return folder, long({("gsm8k", "a"): 0.5, ("gsm8k", "b"): 0.75})


@shape("`per_instance_stats.json` of HELM")
def _(folder: Path) -> Made:
    for model, hits in (("a", (1, 0, 1, 1)), ("b", (0, 0, 1, 0))):
        rows = [
            {"instance_id": f"id{i}", "train_trial_index": 0,
             "stats": [{"name": {"name": "exact_match", "split": "test"}, "count": 1, "sum": hit}]}
            for i, hit in enumerate(hits)
        ]  # fmt: skip
        document(folder / f"mmlu:model={model}" / "per_instance_stats.json", rows)
    return folder, long({("mmlu", "a"): 0.75, ("mmlu", "b"): 0.25})


@shape("promptfoo's JSON")
def _(folder: Path) -> Made:
    rows = [
        {"provider": {"id": provider}, "promptIdx": 0, "testIdx": i, "vars": {"word": f"w{i}"},
         "testCase": {"vars": {"word": f"w{i}"}}, "success": hit, "score": float(hit),
         "failureReason": 1 - hit}
        for provider, hits in (("a", (1, 0, 1)), ("b", (0, 0, 1))) for i, hit in enumerate(hits)
    ]  # fmt: skip
    for row in rows:
        row["success"] = bool(row["success"])
    path = document(folder / "out.json", {"evalId": "e", "config": {"description": "words"},
                                          "results": {"version": 3, "results": rows}})  # fmt: skip
    return path, long({("words", "a"): 2 / 3, ("words", "b"): 1 / 3})


@shape("trials of Harbor or Terminal-Bench", measure="reward")
def _(folder: Path) -> Made:
    for agent, rewards in (("a", (1.0, 0.0, 1.0)), ("b", (0.0, 0.0, 1.0))):
        for i, reward in enumerate(rewards):
            document(
                folder / agent / f"t{i}__1" / "result.json",
                {"task_name": f"t{i}", "trial_name": f"t{i}__1", "source": "tb",
                 "agent_info": {"name": agent}, "verifier_result": {"rewards": {"reward": reward}},
                 "exception_info": None, "started_at": "2026-01-01T00:00:00Z",
                 "finished_at": "2026-01-01T00:01:00Z"},
            )  # fmt: skip
    return folder, long({("tb", "a"): 2 / 3, ("tb", "b"): 1 / 3})


@shape("MTEB: `<model>/<revision>/<task>.json`")
def _(folder: Path) -> Made:
    for (dataset, candidate), mean in MEANS.items():
        of = folder / "results" / f"org__{candidate}" / "r1"
        subsets = [{"hf_subset": s, "main_score": mean + x} for s, x in (("de", -0.1), ("en", 0.1))]
        scores = {"test": subsets, "train": [{"main_score": 1}]}
        content = {"task_name": dataset, "mteb_version": "1.12", "scores": scores}
        document(of / f"{dataset}.json", content)
        document(of / "model_meta.json", {"name": f"org/{candidate}", "revision": "r1"})
    return folder, MEANS.rename(lambda name: f"org/{name}", level=1)


def mteb(folder: Path, scores: Mapping[str, Mapping[str, Mapping[str, float]]]) -> Path:
    """Write the scores of a task by model, sample and subset."""
    for model, samples in scores.items():
        own = {
            sample: [{"hf_subset": name, "main_score": x} for name, x in subsets.items()]
            for sample, subsets in samples.items()
        }
        document(folder / model / "r1" / "T.json", {"task_name": "T", "scores": own})
    return folder


@shape("MTEB: `<model>/<revision>/<task>.json`")
def _(folder: Path) -> Made:
    a = {"dev": {"en": 0.9, "fr": 0.1}, "test": {"en": 0.2}}
    mteb(folder, {"a": a, "b": {"dev": {"en": 0.8, "ja": 0.3}}})
    return folder, long({("T", "a"): 0.9, ("T", "b"): 0.8})


@shape("MTEB: `<model>/<revision>/<task>.json`", refused="samples test of the task 'T', and dev of")
def _(folder: Path) -> Path:
    return mteb(folder, {"a": {"dev": {"en": 0.9}}, "b": {"test": {"en": 0.8}}})


@shape("MTEB: `<model>/<revision>/<task>.json`", refused="subsets ja of the task 'T', and en of")
def _(folder: Path) -> Path:
    return mteb(folder, {"a": {"test": {"en": 0.9}}, "b": {"test": {"ja": 0.8}}})


@shape("SWE-bench: the report of a run, or `results/results.json`", measure="resolved")
def _(folder: Path) -> Made:
    names = [f"django__django-{i}" for i in range(4)]
    for agent, n in (("a.run1", 3), ("b.run1", 1)):
        lists = {"submitted_ids": names, "resolved_ids": names[:n], "unresolved_ids": names[n:]}
        document(folder / f"{agent}.json", {**lists, "error_ids": [], "schema_version": 2})
    return folder, long({("SWE-bench", "a.run1"): 0.75, ("SWE-bench", "b.run1"): 0.25})


@shape("SWE-bench: the report of a run, or `results/results.json`", measure="resolved")
def _(folder: Path) -> Made:
    for agent, hits, lost in (("a", "123", "4"), ("b", "1", "")):
        lists = {"resolved": list(hits), "no_generation": list(lost), "no_logs": []}
        document(folder / agent / "results" / "results.json", lists)
    return folder, long({("SWE-bench", "a"): 3 / 4, ("SWE-bench", "b"): 1 / 4})


# --- timings and optimisers --------------------------------------------------------------

TIMES = {"quick": [3.0, 2.0, 4.0], "merge": [5.0, 6.0, 4.0]}  # nanoseconds
OF_TIMES = {name: np.mean(times) * 1e-9 for name, times in TIMES.items()}


@shape("pytest-benchmark")
def _(folder: Path) -> Made:
    content = json.loads((FILES / "pytest-benchmark.json").read_text())
    rows = [(b["group"], b["name"], np.mean(b["stats"]["data"])) for b in content["benchmarks"]]
    means = pd.DataFrame(rows).set_index([0, 1])[2].rename_axis(KEYS)
    return FILES / "pytest-benchmark.json", means


@shape("pyperf")
def _(folder: Path) -> Made:
    content = json.loads((FILES / "pyperf" / "old.json").read_text())
    means = {
        ("old", own["metadata"]["name"]): np.mean(
            [np.exp(np.log(run["values"]).mean()) for run in own["runs"] if "values" in run]
        )
        for own in content["benchmarks"]
    }
    return FILES / "pyperf" / "old.json", long(means)


@shape("hyperfine")
def _(folder: Path) -> Made:
    results = [{"command": c, "mean": np.mean(t), "times": t} for c, t in TIMES.items()]
    path = document(folder / "sorts.json", {"results": results})
    return path, long({("sorts", c): np.mean(t) for c, t in TIMES.items()})


@shape("Google Benchmark", measure="time")
def _(folder: Path) -> Made:
    rows = [
        {"name": f"BM_{c}/8", "run_name": f"BM_{c}/8", "run_type": "iteration",
         "repetition_index": i, "real_time": x, "cpu_time": x / 2, "time_unit": "ns"}
        for c, times in TIMES.items() for i, x in enumerate(times)
    ]  # fmt: skip
    mean = {**rows[0], "name": "BM_quick/8_mean", "run_type": "aggregate", "real_time": 99.0}
    path = document(folder / "b.json", {"context": {"num_cpus": 8}, "benchmarks": [*rows, mean]})
    return path, long({("8", f"BM_{c}"): mean for c, mean in OF_TIMES.items()})


@shape("Google Benchmark", refused="aggregates only")
def _(folder: Path) -> Path:
    row = {
        "name": "a_mean",
        "run_name": "a",
        "run_type": "aggregate",
        "real_time": 1,
        "cpu_time": 1,
    }
    return document(folder / "b.json", {"context": {}, "benchmarks": [row]})


@shape("criterion, `target/criterion`")
def _(folder: Path) -> Made:
    for function, times in TIMES.items():
        new = folder / "criterion" / "sort" / function / "new"
        counts = [10, 20, 30]
        total = [n * t for n, t in zip(counts, times, strict=True)]
        document(new / "sample.json", {"sampling_mode": "Linear", "iters": counts, "times": total})
        about = {"group_id": "sort", "function_id": function, "value_str": "n=9"}
        document(new / "benchmark.json", about)
    return folder / "criterion", long({("sort (n=9)", c): mean for c, mean in OF_TIMES.items()})


@shape("JMH")
def _(folder: Path) -> Made:
    content = [
        {"jmhVersion": "1.37", "benchmark": f"org.Sort.{method}", "mode": "avgt", "forks": 3,
         "params": {"n": "9"}, "primaryMetric": {"score": 1.0, "scoreUnit": "ns/op",
                                                 "rawData": [[x - 1, x + 1] for x in times]}}
        for method, times in TIMES.items()
    ]  # fmt: skip
    path = document(folder / "jmh.json", content)
    return path, long({("Sort (n=9)", c): mean for c, mean in OF_TIMES.items()})


@shape("JMH", refused="found no rawData")
def _(folder: Path) -> Path:
    own = {"benchmark": "a.b", "mode": "sample", "primaryMetric": {"scoreUnit": "ns/op"}}
    return document(folder / "jmh.json", [own])


def _go(times: Mapping[str, list[float]]) -> str:
    lines = [
        f"BenchmarkSort/{c}-8 \t 1000\t {t} ns/op\t 16 B/op" for c, ts in times.items() for t in ts
    ]
    return "\n".join(["goos: linux", "pkg: example.com/sorts", *lines, "PASS", "ok  \t1.2s", ""])


@shape("`go test -bench`, as benchstat takes it: a file, or a file a candidate", measure="time")
def _(folder: Path) -> Made:
    (folder / "bench.txt").write_text(_go(TIMES))
    return folder / "bench.txt", long({("Sort", c): mean for c, mean in OF_TIMES.items()})


@shape("`go test -bench`, as benchstat takes it: a file, or a file a candidate", measure="time")
def _(folder: Path) -> Made:
    for name, times in (("old", TIMES["merge"]), ("new", TIMES["quick"])):
        (folder / f"{name}.txt").write_text(_go({"quick": times}))
    means = {("Sort/quick", "old"): OF_TIMES["merge"], ("Sort/quick", "new"): OF_TIMES["quick"]}
    return folder, long(means)


@shape("`data.js` of github-action-benchmark")
def _(folder: Path) -> Made:
    commits = [
        {"commit": {"id": commit}, "date": 1, "tool": "googlecpp",
         "benches": [{"name": "sort", "value": x, "unit": "ns/iter"}]}
        for commit, times in TIMES.items() for x in times
    ]  # fmt: skip
    text = json.dumps({"lastUpdate": 1, "entries": {"Benchmark": commits}})
    (folder / "data.js").write_text(f"window.BENCHMARK_DATA = {text};\n")
    return folder / "data.js", long({("sort", c): mean for c, mean in OF_TIMES.items()})


@shape("asv", measure="memory")
def _(folder: Path) -> Made:
    path = next((FILES / "asv" / "laptop").glob("d58c9324-*.json"))
    found = json.loads(path.read_text())["results"]["benchmarks.peakmem_list"][0]
    return FILES / "asv", long({("benchmarks.peakmem_list", "d58c93244ba1"): found[0]})


@shape("COCO", measure="evaluations")
def _(folder: Path) -> Made:
    means = {}
    for path in (FILES / "coco").rglob("*.info"):
        runs = path.read_text().splitlines()[2].split(", ")[1:]
        counts = [float(run.split(":")[1].split("|")[0]) for run in runs]
        means[f"bbob f{path.stem[-1]} 2-D", path.parent.name] = np.mean(counts)
    return FILES / "coco", long(means)


@shape("IOHprofiler", measure="evaluations")
def _(folder: Path) -> Made:
    means = {}
    for path in (FILES / "iohprofiler").rglob("IOHprofiler_f*.json"):
        content = json.loads(path.read_text())
        for scenario in content["scenarios"]:
            name = f"{content['function_name']} {scenario['dimension']}-D"
            of = name, content["algorithm"]["name"]
            means[of] = np.mean([run["evals"] for run in scenario["runs"]])
    return FILES / "iohprofiler", long(means)


# --- what people add to tables, and how they write them -----------------------------------


@shape("a title, lines with `#`, or `sep=;` above the header; UTF-16; the header again below")
def _(folder: Path) -> Path:
    text = BASE.to_csv(index=False)
    head, rows = text.split("\n", 1)
    text = f"Results of the first round\n\n# commit 1a2b\n{head}\n{head}\n{rows}"
    (folder / "results.csv").write_bytes(text.encode("utf-16"))
    return folder / "results.csv"


@shape("a title, lines with `#`, or `sep=;` above the header; UTF-16; the header again below")
def _(folder: Path) -> Path:
    (folder / "results.csv").write_text(f"sep=;\n{BASE.to_csv(index=False, sep=';')}")
    return folder / "results.csv"


@shape("`framework`, `algo`, `system`, … and `benchmark`, `corpus`, `env`, … for want of others")
def _(folder: Path) -> Path:
    return csv(folder, BASE.rename(columns={"candidate": "framework", "dataset": "benchmark"}))


@shape(
    "rows that differ in another column of text alone", refused="which site .d1, d2. tells apart"
)
def _(folder: Path) -> Path:
    means = MEANS.reset_index()
    return csv(folder, means.rename(columns={"dataset": "site"}))


@shape("a candidate `average`, `best` or `VBS`")
def _(folder: Path) -> Path:
    third = BASE[BASE["candidate"] == "rf"].assign(candidate="svm")
    table = pd.concat([BASE, third.assign(accuracy=1.2 - third["accuracy"])])
    by = table.groupby(["dataset", "seed"])["accuracy"]
    sums = [by.mean().reset_index().assign(candidate="average")]
    sums += [by.max().reset_index().assign(candidate="VBS")]
    path = csv(folder, pd.concat([table, *sums]))
    return path, table.groupby(KEYS)["accuracy"].mean()


@shape("`Model, Fold 1, Fold 2, …` with the measure that these are values of", measures=ACCURACY)
def _(folder: Path) -> Made:
    one = BASE[BASE["dataset"] == "d1"]
    folds = one.pivot(index="candidate", columns="seed", values="accuracy")
    folds = folds.rename(columns="Fold {}".format).assign(Mean=folds.mean(axis=1))
    path = csv(folder, folds.rename_axis("Model").reset_index(), "d1.csv")
    return path, MEANS[MEANS.index.get_level_values(0) == "d1"]


@shape(
    "`Model, Fold 1, Fold 2, …` with the measure that these are values of",
    refused="names of replications: Fold 1, Fold 2, Fold 3; allowed the one measure",
)
def _(folder: Path) -> Path:
    one = BASE[BASE["dataset"] == "d1"]
    folds = one.pivot(index="candidate", columns="seed", values="accuracy")
    return csv(folder, folds.rename(columns="Fold {}".format).rename_axis("Model").reset_index())


@shape(
    "`run_1, run_2, …` or `accuracy_1, accuracy_2, accuracy_3`",
    wide=True,
    measures=ACCURACY,
    refused="names of replications: run_1, run_2, run_3",
)
def _(folder: Path) -> Path:
    runs = BASE[BASE["candidate"] == "rf"].pivot(index="dataset", columns="seed", values="accuracy")
    return csv(folder, runs.rename(columns="run_{}".format).reset_index())


@shape(
    "`run_1, run_2, …` or `accuracy_1, accuracy_2, accuracy_3`",
    refused="names of replications: accuracy_1, accuracy_2, accuracy_3",
)
def _(folder: Path) -> Path:
    runs = BASE.pivot(index=KEYS, columns="seed", values="accuracy")
    return csv(folder, runs.rename(columns="accuracy_{}".format).reset_index())


SCORES = BASE.rename(columns={"accuracy": "score"})
SIDE = "`score` beside `higher_is_better`, `direction`, `scoring`, `eval_metric`, …"


@shape(SIDE, measure="log-loss")
def _(folder: Path) -> Path:
    return csv(folder, SCORES.assign(scoring="log_loss"))


@shape(SIDE, refused="'accuracy', of which larger values are better by its name, and smaller ones")
def _(folder: Path) -> Path:
    return csv(folder, BASE.assign(lower_is_better=True))


UNIT = "a column `unit` or `…_unit`"


@shape(UNIT)
def _(folder: Path) -> Path:
    return csv(folder, BASE.rename(columns={"accuracy": "time"}).assign(time_unit="ms"))


@shape(UNIT, refused="values of 'time' in ms, s, by the column time_unit")
def _(folder: Path) -> Path:
    units = BASE["candidate"].map({"lda": "ms", "rf": "seconds"})
    return csv(folder, BASE.rename(columns={"accuracy": "time"}).assign(time_unit=units))


@shape("one measure under two names, `acc` and `accuracy`, never side by side")
def _(folder: Path) -> Path:
    is_rf = BASE["candidate"] == "rf"
    columns = {"acc": BASE["accuracy"].where(is_rf), "accuracy": BASE["accuracy"].where(~is_rf)}
    return csv(folder, BASE.assign(**columns))


@shape("one measure under two names, `acc` and `accuracy`, never side by side")
def _(folder: Path) -> Path:
    labels = BASE["dataset"].map({"d1": "Accuracy", "d2": "accuracy"})
    return csv(folder, BASE.rename(columns={"accuracy": "value"}).assign(measure=labels))


REPEATED = "a name twice in a header: `lda, sd, rf, sd.1`, `accuracy, accuracy.1`"


@shape(REPEATED, wide=True, measures=ACCURACY)
def _(folder: Path) -> Path:
    board = BOARD.assign(**{"sd": 0.01, "sd.1": 0.02})
    return csv(folder, board[["dataset", "lda", "sd", "rf", "sd.1"]])


@shape(REPEATED, refused="the columns accuracy, accuracy.1, as pandas calls the second of two")
def _(folder: Path) -> Path:
    return csv(folder, BASE.assign(**{"accuracy.1": 0.01}))


@shape(
    "the same with `winner` or `significant` beside folds",
    wide=True,
    measures=ACCURACY,
)
def _(folder: Path) -> Made:
    one = WIDE[WIDE["dataset"] == "d1"].drop(columns="dataset")
    own = one.assign(winner=one[["lda", "rf"]].idxmax(axis=1), significant="yes")
    return csv(folder, own, "d1.csv"), MEANS[MEANS.index.get_level_values(0) == "d1"]


ANOTHER_TEXT = (
    "the same with another text beside folds that tell the rows apart, or with dates or `uuid` "
    "alone"
)


@shape(
    ANOTHER_TEXT,
    wide=True,
    measures=ACCURACY,
    refused=r"the column host \(n1, n2, n3\) beside seed",
)
def _(folder: Path) -> Path:
    one = WIDE[WIDE["dataset"] == "d1"].drop(columns="dataset")
    return csv(folder, one.assign(host=["n1", "n2", "n3"]))


@shape(
    ANOTHER_TEXT,
    wide=True,
    measures=ACCURACY,
    refused="the column uuid, which names no data sets",
)
def _(folder: Path) -> Path:
    return csv(folder, BOARD.rename(columns={"dataset": "uuid"}))


@shape(
    "data sets with names of candidates: rows and columns are swapped",
    wide=True,
    measures=ACCURACY,
    refused="the data sets lda, rf, with names of candidates, and the candidates d1, d2, d3",
)
def _(folder: Path) -> Path:
    return csv(folder, TASKS.rename(columns={"candidate": "name"}))


@shape("`fold_0, fold_1, overall`", refused="'overall' beside fold_1, fold_2, fold_3")
def _(folder: Path) -> Path:
    means = BASE.groupby(KEYS, as_index=False)["accuracy"].mean().assign(fold="overall")
    folds = BASE.assign(fold=BASE["seed"].map("fold_{}".format)).drop(columns="seed")
    return csv(folder, pd.concat([folds, means]))


@shape("folds from 0 for one candidate, and from 1 for others", refused="seed from 0 to 2 for 'rf'")
def _(folder: Path) -> Path:
    return csv(folder, BASE.assign(seed=BASE["seed"] - (BASE["candidate"] == "rf")))


@shape(
    "`2.281` beside `998` between semicolons", refused="clear what their point parts, beside 998"
)
def _(folder: Path) -> Path:
    table = BASE.rename(columns={"accuracy": "time"}).astype({"time": str})
    return csv(folder, table.assign(time=["2.281", "998"] * 6), sep=";")


@shape(
    "`excluded`, `converged`, or a note `DIVERGED - ignore`", refused="the column converged, by w"
)
def _(folder: Path) -> Path:
    return csv(folder, BASE.assign(converged=[True] * 11 + [False]))


@shape(
    "scalars of TensorBoard, `run, tag, step, value`", refused="epoch: step}` below `results` in"
)
def _(folder: Path) -> Path:
    named = BASE.rename(columns={"candidate": "run", "seed": "step", "accuracy": "value"})
    return csv(folder, named.assign(tag="val/acc")[["run", "tag", "step", "value"]])


@shape("times and sizes with their units: `3m29.5s`, `00:02:24`, `30 ms`, `1.2 GB`", measure="time")
def _(folder: Path) -> Made:
    table = BASE.rename(columns={"accuracy": "time"})
    seconds = table["time"].map("{:.2f}".format)
    texts = [f"1m{s}s" for s in seconds]
    texts[1] = f"00:01:{float(seconds[1]):05.2f}"
    texts[2] = f"{60 + float(seconds[2]):.2f} s"
    means = table.assign(time=60 + table["time"]).groupby(KEYS)["time"].mean()
    return csv(folder, table.assign(time=texts)), means


@shape(
    "times and sizes with their units: `3m29.5s`, `00:02:24`, `30 ms`, `1.2 GB`",
    refused="such as '7:38' in time",
)
def _(folder: Path) -> Path:
    return csv(folder, BASE.drop(columns="accuracy").assign(time="7:38"))


TITLES = "a title of a part, a note or a legend in the first cell alone"


@shape(TITLES)
def _(folder: Path) -> Path:
    head, *rows = BASE.to_csv(index=False).splitlines()
    lines = [head, "Baselines,,,", *rows[:4], "Ours,,,", *rows[4:], "* mean of 5 runs,,,"]
    (folder / "results.csv").write_text("\n".join(lines))
    return folder / "results.csv"


@shape(TITLES)
def _(folder: Path) -> Path:
    return xlsx(folder / "r.xlsx", {"Runs": [*cells(BASE), ["Source: our runs"]]})


OF_BOTH = "the same with candidates and the measure in names, `rf_time, rf_nodes, svm_time, …`"


@shape(OF_BOTH, wide=True, measures=(MeasureEntry(name="dice"),))
def _(folder: Path) -> Path:
    others = {f"{c}_hd95": 8.5 for c in ("lda", "rf")}
    return csv(
        folder, BOARD.rename(columns={c: f"{c}_dice" for c in ("lda", "rf")}).assign(**others)
    )


@shape(OF_BOTH, wide=True, measures=ACCURACY)
def _(folder: Path) -> Path:
    table = BOARD.rename(columns={c: f"{c}_test_acc" for c in ("lda", "rf")})
    return csv(folder, table.assign(lda_train_acc=0.99, rf_train_acc=0.98))


@shape("the same with a status of each candidate, `rf_time, rf_status`", wide=True,
       measures=(MeasureEntry(name="time"),))  # fmt: skip
def _(folder: Path) -> Made:
    table = BOARD.rename(columns={c: f"{c}_time" for c in ("lda", "rf")})
    path = csv(folder, table.assign(lda_status="ok", rf_status=["ok", "TIMEOUT"]))
    return path, MEANS.mask(MEANS.index == ("d2", "rf"))


@shape("the same with whole numbers alone", wide=True, measures=(MeasureEntry(name="cost"),))
def _(folder: Path) -> Made:
    costs = {"ILS": [5002, 5595, 5224, 5391], "GA": [5103, 5480, 5301, 5350]}
    costs |= {"ACO": [5050, 5530, 5289, 5402], "SA": [5210, 5444, 5199, 5333]}
    board = pd.DataFrame({"instance": [f"q{i}" for i in range(4)], **costs})
    means = board.melt("instance", var_name="candidate").rename(columns={"instance": "dataset"})
    return csv(folder, board), means.set_index(KEYS)["value"].astype(float)


SIZES = "the same with whole numbers of some columns among fractions, or `opt`, `BKS`, `UB`, `LB`"


@shape(
    SIZES, wide=True, measures=(MeasureEntry(name="time"),), refused="the columns V, E, each of w"
)
def _(folder: Path) -> Path:
    table = WIDE.groupby("dataset", as_index=False)[["lda", "rf"]].mean()
    table = pd.concat([table, table.assign(dataset=["d3", "d4"])]).assign(
        lda=[1.25, 2.43, 3.17, 4.21], rf=[1.31, 2.22, 3.91, 4.44]
    )
    return csv(folder, table.assign(V=[3, 5, 2, 4], E=[1, 2, 5, 4]))


@shape(SIZES, wide=True, measures=(MeasureEntry(name="cost"),), refused="the column BKS, which may")
def _(folder: Path) -> Path:
    return csv(folder, BOARD.assign(BKS=[0.6, 0.5]))


@shape("`System, en-de, en-fr` with `wide:`", wide=True, measures=(MeasureEntry(name="bleu"),),
       refused="candidates in the column System, in a table declared to be wide")  # fmt: skip
def _(folder: Path) -> Path:
    return csv(folder, TASKS.rename(columns={"candidate": "System"}))


@shape("`rf_seed0, rf_seed1` as candidates, or `iris_fold0` as data sets",
       refused="candidates that differ in the number of a run: lda_seed1, rf_seed1")  # fmt: skip
def _(folder: Path) -> Path:
    names = BASE["candidate"] + "_seed" + BASE["seed"].astype(str)
    return csv(folder, BASE.assign(candidate=names).drop(columns="seed"))


@shape("`4,878` in one column and `0.56` in another, or `5.752` and `0,72`",
       refused="'5.752' beside numbers of auc whose decimals are after a comma")  # fmt: skip
def _(folder: Path) -> Path:
    table = BASE.rename(columns={"accuracy": "time"}).assign(time="5.752", auc="0,72")
    return csv(folder, table, sep=";")


@shape("a setting with replications of its own for each value",
       refused="the setting lr, of which each candidate has several values with 3")  # fmt: skip
def _(folder: Path) -> Path:
    other = BASE.assign(seed=BASE["seed"] + 3, lr=0.01)
    return csv(folder, pd.concat([BASE.assign(lr=0.1), other]))


@shape("whole numbers that tell rows apart, such as a horizon", refused="which horizon tells apart")
def _(folder: Path) -> Path:
    return csv(folder, BASE.rename(columns={"seed": "horizon"}))


@shape(
    "a header of several rows",
    refused="a header of several rows: , lda, lda, rf, rf, then , acc, f1",
)
def _(folder: Path) -> Path:
    pairs = pd.MultiIndex.from_product([["lda", "rf"], ["acc", "f1"]])
    frame = pd.DataFrame(
        [[0.1, 0.2, 0.3, 0.4]], index=pd.Index(["d1"], name="dataset"), columns=pairs
    )
    frame.to_csv(folder / "results.csv")
    return folder / "results.csv"


@shape(
    "the word `timeout` or `out of memory` in any column of text", refused="the column answer, by"
)
def _(folder: Path) -> Path:
    table = BASE.rename(columns={"accuracy": "time"})
    return csv(folder, table.assign(answer=["sat"] * 11 + ["timeout"]))


BATTLES = pd.DataFrame(
    {
        "model_a": ["lda", "svm", "lda", "rf"],
        "model_b": ["svm", "lda", "rf", "svm"],
        "winner": ["model_a", "tie", "model_b", "tie (bothbad)"],
    }
)
OF_BATTLES = {"lda": (1 + 0.5 + 0) / 3, "svm": (0 + 0.5 + 0.5) / 3, "rf": (1 + 0.5) / 2}


def won(folder: Path, frame: pd.DataFrame, means: Mapping[str, float] = OF_BATTLES) -> Made:
    """Write battles; with the shares of them that each one has won, ties counted half."""
    frame.to_csv(folder / "arena.csv", index=False)
    return folder / "arena.csv", long({("arena", name): mean for name, mean in means.items()})


@shape("battles: `model_a`, `model_b`, `winner`", measure="elo")
def _(folder: Path) -> Made:
    return won(folder, BATTLES)


@shape("battles: `model_a`, `model_b`, `winner`", refused="found 'me'; allowed model_a")
def _(folder: Path) -> Made:
    return won(folder, BATTLES.replace("tie", "me"))


@shape("battles with the winner in columns of 0 and 1", measure="elo")
def _(folder: Path) -> Made:
    flags = {"winner_model_a": [1, 0, 0, 0], "winner_model_b": [0, 0, 1, 0]}
    return won(folder, BATTLES.drop(columns="winner").assign(**flags, winner_tie=[0, 1, 0, 1]))


@shape("battles with the winner in columns of 0 and 1", refused="found 0, 0, 0")
def _(folder: Path) -> Made:
    flags = dict.fromkeys(("winner_model_a", "winner_model_b", "winner_tie"), 0)
    return won(folder, BATTLES.drop(columns="winner").assign(**flags))


@shape("judgments of MT-Bench: `model_1`, `model_2`, `g1_winner`, `g2_winner`", measure="elo")
def _(folder: Path) -> Made:
    frame = pd.DataFrame(
        {"model_1": ["lda", "lda"], "model_2": ["rf", "rf"],
         "g1_winner": ["model_1", "tie"], "g2_winner": ["model_2", "model_1"]}
    )  # fmt: skip
    return won(folder, frame, {"lda": 2.5 / 4, "rf": 1.5 / 4})


@shape("`preference` of AlpacaEval between `generator_1` and `generator_2`", measure="elo")
def _(folder: Path) -> Made:
    frame = BATTLES.set_axis(["generator_1", "generator_2", "preference"], axis=1)
    return won(folder, frame.assign(preference=[1.1, 1.5, 2.0, 0.0]))


@shape("a square of wins, models on both sides", measure="elo", unit="comparison")
def _(folder: Path) -> Made:
    (folder / "arena.csv").write_text("model,lda,rf\nlda,,3\nrf,1,\n")
    return folder / "arena.csv", long({("arena", "lda"): 0.75, ("arena", "rf"): 0.25})


@shape(
    "a square of wins, models on both sides", refused="2.5; allowed how often", unit="comparison"
)
def _(folder: Path) -> Made:
    (folder / "arena.csv").write_text("model,lda,rf\nlda,,2.5\nrf,1,\n")
    return folder / "arena.csv", None
