"""Tables of programs whose columns have names of their own: tidymodels and Weka.

They are tidy tables otherwise, and are read as such after their columns have our names.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from types import MappingProxyType
from typing import TYPE_CHECKING

from reportgen.exchange.table import RawTable, cells_of
from reportgen.performance_measure import Better, Measure

if TYPE_CHECKING:
    import pyarrow as pa

SIDES: Mapping[Better, str] = MappingProxyType(
    {
        "larger": "kap f_meas pr_auc bal_accuracy j_index ccc ppv npv spec sens mcc rpd rpiq",
        "smaller": "mn_log_loss brier_class huber_loss mape smape mase mpe classification_cost",
    }
)
"""Measures of yardstick that have no other name here, by their documentation."""
OF_YARDSTICK = {
    name: Measure(name, side, better_source="file")
    for side, names in SIDES.items()
    for name in names.split()
}
OTHERS = (
    (
        {"command", "mean", "stddev", "median"},
        "means and standard deviations of hyperfine, without the times of the runs",
        "its JSON, which has them: hyperfine --export-json results.json",
    ),
    (
        {"name", "iterations", "real_time", "cpu_time", "time_unit"},
        "a table of Google Benchmark, whose units and repetitions are told apart in its JSON alone",
        "its JSON: --benchmark_out=results.json --benchmark_out_format=json",
    ),
    (
        {"Benchmark", "Mode", "Samples", "Score", "Unit"},
        "a table of JMH, which has means and no single iterations",
        "its JSON, which has them: -rf json -rff results.json",
    ),
)
"""Columns of tables of programs, what these are, and what is read in their place."""
FOLDS = ("fold", "vfold")  # what rsample calls a split of cross-validation
SCHEME = "weka."
OF_WEKA: Mapping[str, Measure] = MappingProxyType(
    {
        "Percent_correct": Measure("percent-correct", "larger", "%", (0.0, 100.0)),
        "Kappa_statistic": Measure("kappa-statistic", "larger"),
        "Weighted_avg_F_measure": Measure("weighted-avg-f-measure", "larger", "", (0.0, 1.0)),
        "Weighted_avg_area_under_ROC": Measure("weighted-avg-auc", "larger", "", (0.0, 1.0)),
        "Weighted_avg_area_under_PRC": Measure("weighted-avg-auprc", "larger", "", (0.0, 1.0)),
        "Weighted_avg_matthews_correlation": Measure("weighted-avg-mcc", "larger"),
        "Correlation_coefficient": Measure("correlation-coefficient", "larger"),
        "Root_mean_squared_error": Measure("root-mean-squared-error", "smaller"),
        "Mean_absolute_error": Measure("mean-absolute-error", "smaller"),
        "Elapsed_Time_training": Measure("fit-time", "smaller", "s", (0.0, None)),
        "Elapsed_Time_testing": Measure("predict-time", "smaller", "s", (0.0, None)),
    }
)
"""Columns of the Experimenter; the others restate these, or count."""


def with_our_names(table: RawTable) -> RawTable:
    """Return a table of these programs with our names for its columns, another one as it is.

    Raises ExchangeError for scalars of TensorBoard.
    """
    if table.user_columns:
        return table
    names = table.columns.keys()
    if {"run", "tag", "step", "value"} <= names:
        roles = {"candidate": "run", "measure": "tag", "value": "value", "epoch": "step"}
        last = table.key("epoch", "last", is_alone=False)
        raise table.error(
            "scalars of TensorBoard, of which a row is a step of a run and names no candidate",
            f"{table.key('columns', roles)} and {last} where a run is a candidate; else a column "
            "that names the candidates",
        )
    if {".metric", ".estimator"} <= names and names & {".estimate", "mean"}:
        return _of_tidymodels(table)
    if {"Key_Dataset", "Key_Run", "Key_Scheme"} <= names:
        return _of_weka(table)
    return table


def refuse_other_exports(table: RawTable) -> None:
    """Refuse tables of programs that write their results whole in another form."""
    if table.user_columns:
        return
    for columns, found, way in OTHERS:
        if columns <= table.columns.keys():
            raise table.error(found, way)


def _of_tidymodels(table: RawTable) -> RawTable:
    """Rename the columns of collect_metrics(), with or without summarize = FALSE."""
    columns = dict(table.columns)
    found = {"measure": columns[".metric"], "value": columns.get(".estimate", columns.get("mean"))}
    named = [c for c in ("wflow_id", ".config") if c in columns]
    if len(named) == 2 and not _varies_within(table, *named):
        named = named[:1]
    if named:
        found["candidate"] = _joined(table, named)
    found |= {key: columns[key] for key in ("dataset", "model") if key in columns}
    if ".estimate" in columns:
        ids = [c for c in ("id", "id2") if c in columns]
        found |= {_numbered_by(table, c, len(ids)): _digits(table, c) for c in ids}
    else:
        found |= {own: columns[c] for c, own in (("std_err", "se"), ("n", "n")) if c in columns}
    if "candidate" in found:
        found.pop("model", None)
    known = {**OF_YARDSTICK, **table.known}
    return replace(table, columns=found, known=known, program="tidymodels")


def _varies_within(table: RawTable, outer: str, inner: str) -> bool:
    """Whether one cell of a column stands beside several of another."""
    pairs = set(zip(cells_of(table, outer), cells_of(table, inner), strict=True))
    return len(pairs) > len({first for first, _ in pairs})


def _joined(table: RawTable, columns: Sequence[str]) -> pa.ChunkedArray:
    cells = [cells_of(table, c) for c in columns]
    return _texts([" ".join(cell or "" for cell in row) for row in zip(*cells, strict=True)])


def _texts(texts: Sequence[str]) -> pa.ChunkedArray:
    import pyarrow as pa

    return pa.chunked_array([pa.array(texts, pa.string())])


def _numbered_by(table: RawTable, column: str, n: int) -> str:
    """Return what splits of rsample are: Fold01, Repeat1, Bootstrap001."""
    first = next((cell for cell in cells_of(table, column) if cell), "").lower()
    if first.startswith(FOLDS):
        return "fold"
    return "repeat" if n > 1 and column == "id" else "resample"


def _digits(table: RawTable, column: str) -> pa.ChunkedArray:
    """Return the numbers of splits; texts as they are where one has none."""
    cells = [cell or "" for cell in cells_of(table, column)]
    digits = ["".join(c for c in cell if c.isdecimal()) for cell in cells]
    return _texts(digits if all(digits) else cells)


def _of_weka(table: RawTable) -> RawTable:
    """Rename the columns of a result file of the Experimenter."""
    columns = dict(table.columns)
    schemes = [(cell or "").strip() for cell in cells_of(table, "Key_Scheme")]
    short = {scheme: scheme.rpartition(".")[2] for scheme in schemes}
    if len(set(short.values())) < len(short):
        short = {scheme: scheme.removeprefix(SCHEME) for scheme in schemes}
    names = [short[scheme] for scheme in schemes]
    option = "Key_Scheme_options"
    if option in columns and _varies_within(table, "Key_Scheme", option):
        options = [(cell or "").strip(" '") for cell in cells_of(table, option)]
        names = [f"{name} {own}".strip() for name, own in zip(names, options, strict=True)]
    found = {"dataset": columns["Key_Dataset"], "candidate": _texts(names)}
    found["repeat" if "Key_Fold" in columns else "resample"] = columns["Key_Run"]
    if "Key_Fold" in columns:
        found["fold"] = columns["Key_Fold"]
    measures = {c: m for c, m in OF_WEKA.items() if c in columns and table.is_numeric(c)}
    found |= {c: columns[c] for c in measures}
    return replace(table, columns=found, known={**measures, **table.known}, program="Weka")
