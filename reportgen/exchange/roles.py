"""What each column of a table is, and why: one rule for files, frames and mappings of any shape.

What the user names comes first, then names, then values. A column of numbers that is no result,
such as an index, a size or a setting, is left out, and the reason is told.
"""

from __future__ import annotations

import logging
import re
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from dataclasses import replace
from typing import Any, Literal

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from reportgen.catalogue.measures import known_measure
from reportgen.catalogue.measures.directions import SIZES, known_direction
from reportgen.data_classes import dataclass
from reportgen.errors import ExchangeError
from reportgen.exchange.items import find_item_columns
from reportgen.exchange.processes import PROCESS, columns_of_processes, process_column
from reportgen.exchange.replications import (
    COORDINATE,
    NUMBERED,
    OWN_NAME,
    coordinates,
    named_coordinates,
)
from reportgen.exchange.statuses import FLAGS, names_outcomes
from reportgen.exchange.table import (
    IGNORED,
    N_VALUES,
    ROW_NAMES,
    RawTable,
    cells_of,
    numbers_of,
    plain_name,
    result_name,
    tracker_part,
    unknown_column,
)
from reportgen.performance_measure import EVALUATIONS, target_exponent
from reportgen.stats.arrays import Array
from reportgen.study.errors import listed
from reportgen.units import unit_named

Role = Literal[
    "dataset",
    "candidate",
    "measure",
    "value",
    "status",
    "n_learn",
    "n_distinct",
    "n_test",
    "item",
    "cluster",
    "epoch",
    "process",
    "replication",
    "performance",
    "spread",
    "left out",
]
"""Performances are of a measure in a tidy table, of a candidate in a wide one, and of a data set
where a row is a candidate."""
Shape = Literal["tidy", "wide", "leaderboard"]
Reason = Literal[
    "user",
    "name",
    "values",
    "no-name",
    "counter",
    "no-result",
    "constant",
    "empty",
    "of-datasets",
    "of-candidates",
    "whole-numbers",
    "of-others",
    "setting",
    "text",
    "other-sample",
    "other-measure",
    "duration",
]
REASON_WORDS: Mapping[Reason, str] = {
    "user": "as the user says",
    "name": "by its name",
    "values": "by its values",
    "no-name": "it has no name",
    "counter": "it numbers the rows",
    "no-result": "its name is not that of a result",
    "constant": "it is the same in all rows",
    "empty": "it has no values",
    "of-datasets": "it is the same for all candidates of a data set",
    "of-candidates": "it is the same in all rows of a candidate",
    "whole-numbers": "whole numbers far above the others",
    "of-others": "it sums up the other columns",
    "setting": "a setting or a note",
    "text": "text",
    "other-sample": "of a validation or training sample, beside better ones",
    "other-measure": "of another measure, or of no candidate",
    "duration": "how long a run was open, beside results; compared where `measures` names it",
}
CANDIDATE = ("candidate", "algorithm", "learner", "method", "estimator")
SPELLINGS: Mapping[Role, tuple[str, ...]] = {
    "dataset": ("dataset",),
    "candidate": CANDIDATE,
    "measure": ("measure",),
    "value": ("value",),
    "status": ("status",),
    "n_learn": ("nlearn",),
    "n_distinct": ("ndistinct",),
    "n_test": ("ntest",),
}
"""Names of columns, in lower case and without blanks, dashes and underscores."""
SECOND_CHOICE: Mapping[Role, tuple[str, ...]] = {
    "dataset": ("data", "problem", "task"),
    "candidate": ("classifier", "regressor", "model"),
}
"""Further names where no column has one of these."""
OF_MEASURES = ("metric", "metricname", "measurename", "criterion")
OF_KNOWN_MEASURES = frozenset(
    """
    variable scoring scoringname evalmetric evaluationmetric scorer scorename objective metrictype
    scoretype lossname
    """.split()
)
"""Likewise where all cells are names of known measures."""
NAMING_MEASURES = OF_KNOWN_MEASURES.union(OF_MEASURES)
OF_VALUES = ("value", "score", "result", "metricvalue", "performance", "estimate")
"""Names of columns of measures, and of their values, where both are there."""
IDS: Mapping[Role, tuple[str, ...]] = {
    "dataset": ("datasetname", "taskname", "datasetid", "taskid"),
    "candidate": (
        "modelname",
        "algorithmname",
        "methodname",
        "modelid",
        "algorithmid",
        "learnerid",
    ),
}
"""Likewise of text; numbers of such a name rather count."""
THIRD_CHOICE: Mapping[Role, frozenset[str]] = {
    "dataset": frozenset(
        """
        benchmark benchmarkname corpus corpora env environment envname envid environmentname game
        gamename cohort collection suite testset evalset database datasource
        datensatz jeudedonnées jeu conjuntodedatos 数据集 データセット
        """.split()
    ),
    "candidate": frozenset(
        """
        algo algos framework architecture arch approach solver solvername system systemname agent
        agentname tool toolname library engine pipeline technique strategy policy command
        config configuration variant optimizer backbone network classifiername
        algorithms methods models learners classifiers estimators regressors candidates
        algorithmus verfahren methode modell méthode methode modèle modele algorithme
        método metodo modelo algoritmo 方法 模型 算法 手法 モデル
        """.split()
    ),
}
"""Likewise of text that differs, and of candidates beside results with known names."""
CANDIDATES, DATASETS = (
    (*SPELLINGS[role], *SECOND_CHOICE[role]) for role in ("candidate", "dataset")
)
"""All names of columns of candidates, and of data sets."""
OF_ITEMS: tuple[Role, ...] = ("item", "cluster", "epoch")
COLUMNS = "columns"  # in place of the name of a column: the columns are the data sets
OF_COUNTS = frozenset(
    """
    samples instances observations examples features attributes variables classes
    nsamples ninstances nobs nobservations nexamples nfeatures nattributes nvariables nclasses nrows
    ncols numsamples numinstances numfeatures numclasses samplesize dimension dimensions
    vars clauses nodes edges vertices constraints literals rows cols columns images objects pixels
    tokens words documents tasks jobs machines items cities customers volume volumeml volumemm3
    tumorsize rowsreturned filesize sizemb sizekb ntrain ntest ncities njobs nvars nclauses nnodes
    seeds runs nseeds nruns numseeds numruns nrepeats nfolds
    """.split()
)
OF_TESTS = frozenset(
    """
    rank ranks ranking avgrank averagerank meanrank rankmean p pvalue pval pvalues padj
    std stdev stddev stderr standarddeviation standarderror
    """.split()
)
NO_RESULTS = (
    OF_COUNTS
    | OF_TESTS
    | frozenset(
        """
        id ids index idx row rows rowid rownumber rowname line uuid guid hash runid jobid taskid
        experimentid trialid timestamp date datetime day month year starttime endtime started
        finished created updated
        lr learningrate batchsize weightdecay momentum dropout epoch epochs maxepochs nepochs
        numepochs step steps globalstep maxsteps nsteps maxiter niter
        sd se sem variance ci dim radius db pid gpu gpus ngpus ncpus threads nthreads version
        exitcode returncode retcode support nestimators maxdepth trainsize testsize conflow confhigh
        trainingiteration iterationssincerestore timesincerestore timethisiters timestepstotal
        episodestotal
        worker workers workerid retry retries attempt attempts host hostid node nodeid rankid port
        """.split()
    )
)
"""Names of columns of numbers that are no performances, as `plain_name` writes them; in a tidy
table alone: candidates and data sets, which the columns of other tables are, have such names too
(logistic regression is LR), and their values tell."""
OF_MODELS = frozenset(
    """
    params parameters nparams nparameters numparams numparameters modelsize memoryusage flops gflops
    macs contextlength contextsize contextwindow embeddingdimension embeddingdimensions embeddingdim
    maxtokens vocabsize winrate meanwinrate winrates
    """.split()
)
"""Names of columns of numbers that describe a candidate; no candidate or data set is called so."""
COUNTED = re.compile(r"(#|no\.|nr\.|number of|num of)\s*\w", re.IGNORECASE)
"""Beginnings of names that say that a column counts something."""
OF_WIDE = frozenset(
    """
    average avg averages overall size sizes total wins losses ties best worst difference diff
    delta optimum optimal opt bks bestknown bestknownsolution ub lb upperbound lowerbound gain
    gains relimprovement relativeimprovement baselineerror fastest slowest threshold alpha cohensd
    effectsize errorreduction reduction improvement speedup ratio ir imbalance imbalanceratio
    noise noiselevel sparsity density entropy difficulty correlation missing missingrate
    missingfrac missingfraction
    """.split()
)
"""Likewise of columns beside those of candidates."""
OF_WHOLE = frozenset(
    """
    n no nr p k d number count participant participantid respondent respondentid rater raterid user
    userid subject subjectid patient patientid person case caseid student studentid player playerid
    customer customerid session sessionid game gameid episode week block plot instance instanceid
    unit unitid image imageid
    """.split()
)
"""Likewise where all values are whole numbers."""
DURATIONS = frozenset(
    """
    runtime duration elapsed elapsedtime timeelapsed walltime wallclock wallclocktime timetotal
    """.split()
)
"""Likewise where there are other results: how long a run was kept open; without words around."""
AROUND = frozenset("s sec secs second seconds ms min mins minutes h hrs hours in run job".split())
IDENTIFIERS = frozenset(
    "id uuid guid hash sha md5 digest commit revision date timestamp job".split()
)
"""Last words of the names of what tells rows apart."""
LIMITS = frozenset("ci lcl ucl lci uci".split())
"""Words of names of limits of confidence."""
BESIDE = LIMITS | frozenset(
    "lower upper low high lo hi lb ub l95 u95 rank ranks p n \u00b1 speedup ratio gain".split()
)
"""Words behind the name of another column, of its limits, ranks and such."""
SIDES = {"lower": "upper", "low": "high", "lo": "hi", "lb": "ub"}
"""Likewise last ones, of two limits around a column."""
RESOURCES = frozenset("gpu mem memory ram vram".split())
"""Words of measures that may be settings, where they are constant."""
OF_COSTS = RESOURCES | frozenset(
    """
    time times latency runtime walltime wallclock cputime secs seconds
    cost costs energy emissions carbon size bytes
    """.split()
)
"""Words of measures of what a result costs: in a wide table hardly candidates."""
SAMPLES: tuple[frozenset[str], ...] = (
    frozenset(("test", "testing", "holdout")),
    frozenset(("val", "valid", "validation", "dev", "eval")),
    frozenset(("train", "training")),
)
"""Words for samples in names of results; where there are results of the first ones, those of
others are left out of a tracker's file."""
SUMMARIES: Mapping[str, tuple[Callable[..., Any], ...]] = {
    **dict.fromkeys(
        ("mean", "average", "avg", "averages", "overall", "meansd", "meanstd", "avgstd"),
        (np.nanmean,),
    ),
    "median": (np.nanmedian,),
    "total": (np.nansum,),
    **dict.fromkeys(("min", "minimum"), (np.nanmin,)),
    **dict.fromkeys(("max", "maximum"), (np.nanmax,)),
    **dict.fromkeys(
        (
            "best",
            "worst",
            "fastest",
            "slowest",
            "vbs",
            "oracle",
            "virtualbest",
            "virtualbestsolver",
        ),
        (np.nanmin, np.nanmax),
    ),
}
"""What a column of such a name is of the others, where it is no candidate, or data set."""
SUMS = re.compile(
    r"(macro|micro|grand|overall|weighted)?"
    r"(avg|average|mean|median|geomean|geommean|geometricmean|gm|total|sum|overall)s?"
    r"((wo|without|excl|excluding|over|of|across).{0,30}|(data)?sets|tasks|benchmarks|problems"
    r"|folds|seeds|runs|sd|std|se|stderr|time|runtime)?"
    r"|(fit|train(ing)?|test(ing)?|run|cpu|wall|inference|predict(ion)?)*time(s|ms|sec|min|h)?"
    r"|vbs|sbs|unique|scores?|harmonicmean|hmean|speedup|par|parscore|n?params|parameters|(un)?solved|timeouts"
    r"|\u00f8|\u03c3|\u03bc|\u5e73\u5747(\u503c|\u6570)?|\u5747\u503c|\u4e2d\u4f4d\u6570|\u5408\u8ba1"
    r"|\u5408\u8a08"
    r"|\u6807\u51c6\u5dee|\u6a19\u6e96\u504f\u5dee|mittel(wert)?|durchschnitt|standardabweichung|stdabw|summe"
    r"|gesamt|(mittlerer)?rang|siege|moyenne|m\u00e9diane|\u00e9carttype|ecarttype|somme|media|promedio"
    r"|mediana|desviaci[o\u00f3]n(est[a\u00e1]ndar)?|suma"
    r"|(avg|average|mean|overall|friedman)?(accuracy|error|score)?rank(ing)?s?(mean|avg|average)?"
    r"|(no|nr|numberof|num)?(of)?(wins?|losses|ties|best)(best|ties|losses|draws|rates?)*"
    r"|wtl|wdl|windrawloss|wintieloss|std|stdev|stddev|sd|standarddeviation|stderr|all|count"
    r"|min|minimum|max|maximum|worst|winrates?"
    r"|(wilcoxon|friedman|nemenyi|holm|ttest|sign)*p(values?)?(vs.{0,30})?"
    r"|(\u03b4|\u2206|delta|diff|difference|gain|improvement)s?((vs|to|over).{0,30})?"
)
"""Of rows that may be no data set, in lower case, of letters alone."""
EMPTY_SETS = ("\u2205", "\u2300")
"""Signs that look as the one of a mean."""
DATE = re.compile(r"[0-9]{1,4}([-/.])[0-9]{1,2}\1[0-9]{1,4}(?![0-9])")
MOST_SEARCHED = 40  # columns of which one may be the difference of two others
FEWEST_EQUAL = 3  # rows in which it is
OF_POINTS = ("time", "timestamp", "unixtime", "walltime", "wallclock", "runtime")
FROM, TO = 9e8, 2.2e9  # seconds since 1970: from 1998 to 2039
FEWEST_COUNTED = 5  # rows: of 1 to 5 in any order, one in 26 by chance, and fewer of results
FEWEST_WHOLE = 4  # different whole numbers among fractions, which are hardly so by chance
MOST_FRACTIONS = 0.9
MOST_ROUNDED = 0.1  # of the standard deviation of quotients: else any column may be one
LEAST_CHANCE = 1e-6  # that a candidate is the difference of two others to its last digit
OF_DIFFERENCES = frozenset(
    "diff difference delta gain gap improvement margin ratio quotient speedup relative".split()
)
FAR = 10.0  # times the largest value of all others
FURTHER = 300.0  # likewise: more than a candidate in per cent beside shares
INTERNAL = re.compile(r"_[a-z]\w*|system[./].*")  # of W&B

log = logging.getLogger(__name__)


@dataclass(frozen=True, slots=True)
class ColumnRole:
    """What a column is, and by what that is known."""

    column: str
    role: Role
    reason: Reason


@dataclass(frozen=True, slots=True)
class Roles:
    """What each column of a table is."""

    shape: Shape
    of: tuple[ColumnRole, ...]

    def columns(self, role: Role) -> tuple[str, ...]:
        """Return the columns of a role; of replications the first changes last."""
        return tuple(own.column for own in self.of if own.role == role)

    def column(self, role: Role) -> str | None:
        """Return the one column of a role; None where there is none."""
        return next(iter(self.columns(role)), None)

    @property
    def named(self) -> dict[str, str]:
        """The file's column by our name for it; of replications and performances there are more."""
        several = ("replication", "performance", "spread", "left out")
        return {own.role: own.column for own in self.of if own.role not in several}

    def note(self, table: RawTable) -> None:
        """Note in a table the columns that may be taken for results, and are left out."""
        is_tidy = self.shape == "tidy"
        left = [own for own in self.of if own.role == "left out"]
        words = [
            f"{listed([own.column])} ({REASON_WORDS[own.reason]})"
            for own in left
            if not (is_tidy and own.reason == "text" and not is_known(own.column))
        ]
        if words:
            log.log(
                logging.INFO if is_tidy else logging.WARNING,
                "%s: left out: %s (%s names what is meant otherwise)",
                table.path,
                listed(words),
                "columns=" if table.is_argument else "`columns` below `results`",
            )
        table.decided.extend(("left-out-column", text) for text in words)
        texts = [c.column for c in left if c.reason == "text" and not is_known(c.column)]
        if is_tidy and texts:
            table.decided.append(("not-read", listed(texts)))


def shape_of(table: RawTable, *, is_wide: bool) -> Shape:
    """Return the shape of a table, as the user says."""
    of_columns = table.user_columns.get("dataset") == COLUMNS and COLUMNS not in table.columns
    return "leaderboard" if of_columns else "wide" if is_wide else "tidy"


def refuse_nested(table: RawTable, wanted: Collection[str]) -> None:
    """Refuse columns of lists and records that the user names, or whose names mean something.

    `wanted`: the names of the measures that the user wants.
    Another one that is left out may be a note; without these the results would be others.
    """
    given = {k: (c,) if isinstance(c, str) else tuple(c) for k, c in table.user_columns.items()}
    ignored = given.pop(IGNORED, ())
    table.refuse_nested([*wanted, *(c for own in given.values() for c in own)])
    known = {name for names in SPELLINGS.values() for name in names}
    for name in table.nested:
        plain = plain_name(name)
        if (plain in known or COORDINATE.fullmatch(plain)) and name not in ignored:
            allowed = "a name or a number in each cell; "
            allowed += f"{table.key('columns', {IGNORED: name}, is_alone=False)} leaves it out"
            raise table.error(f"values of type {table.nested[name]}", allowed, column=name)


def complete(table: RawTable, shape: Shape) -> RawTable:
    """Return a table without the columns that the user leaves out, and with names of its rows.

    A column without a name is read where the user names it, or where it names the data sets of a
    wide table, which has no other column that tells its rows apart.
    Raises ExchangeError if the user leaves out a column that is not there.
    """
    ignored = table.user_columns.get(IGNORED, ())
    ignored = (ignored,) if isinstance(ignored, str) else tuple(ignored)
    for name in ignored:
        if not any(name in own for own in (table.columns, table.unnamed, table.nested)):
            raise unknown_column(table, name, IGNORED)
    named = {
        c for own in table.user_columns.values() for c in ([own] if isinstance(own, str) else own)
    }
    added = {name: cells for name, cells in table.unnamed.items() if name in named}
    columns = {c: cells for c, cells in table.columns.items() if c not in ignored}
    whole = replace(table, columns={**added, **columns})
    if shape == "wide" and not added and not tells_rows(whole):
        texts = {n: c for n, c in table.unnamed.items() if not _is_numeric_column(whole, n, c)}
        added = dict(list(texts.items())[:1])
    left = {n: c for n, c in table.unnamed.items() if n not in added and n not in ignored}
    return replace(whole, columns={**added, **columns}, unnamed=left)


def tells_rows(table: RawTable) -> bool:
    """Whether columns with names tell the rows of a wide table apart."""
    given = {"dataset", OWN_NAME} & table.user_columns.keys()
    has_datasets = any(plain_name(column) in DATASETS for column in table.columns)
    return bool(given or has_datasets or named_coordinates(table) or find_item_columns(table))


def _is_numeric_column(table: RawTable, name: str, cells: Any) -> bool:
    """Whether a column has numbers, but for the names of sums below them."""
    own = replace(table, columns={name: cells})
    sums = [bool(cell) and is_summary_name(str(cell)) for cell in cells_of(own, name)]
    return own.take(np.flatnonzero(~np.array(sums, bool))).is_numeric(name)


def find_roles(table: RawTable, shape: Shape, wanted: Collection[str] = ()) -> Roles:
    """Find out what each column of a table is.

    `shape`: see `shape_of`.
    `wanted`: the columns of the measures that the user names; nothing else is a performance then.
    Raises ExchangeError if a column that the user names is missing, or two may mean the same.
    """
    found = [*_named(table, shape), *(ColumnRole(c, "spread", "name") for c in _spreads(table))]
    has_dataset = any(own.role == "dataset" for own in found)
    taken = [own.column for own in found]
    items = find_item_columns(table, taken)
    found += [
        ColumnRole(items[role], role, "user" if role in table.user_columns else "name")
        for role in OF_ITEMS
        if role in items
    ]
    if not items and isinstance(epoch := table.user_columns.get("epoch"), str):
        if epoch not in table.columns:
            raise unknown_column(table, epoch, "epoch")
        found.append(ColumnRole(epoch, "epoch", "user"))
        taken.append(epoch)
    if (process := process_column(table)) is not None:
        is_told = PROCESS in table.user_columns
        found.append(ColumnRole(process, "process", "user" if is_told else "name"))
    elif table.n_processes is not None:  # and the user counts them
        columns = [c for c in columns_of_processes(table) if c not in taken]
        found += [ColumnRole(c, "left out", "name") for c in columns]
    taken = [own.column for own in found]
    by_user = OWN_NAME in table.user_columns
    own = coordinates(table, [*taken, *items.values(), *wanted])
    found += [ColumnRole(c, "replication", "user" if by_user else "name") for c in own]
    taken = [own.column for own in found]
    others = [c for c in table.columns if c not in taken and c not in _candidates(table, shape)]
    if shape == "wide" and not has_dataset:
        text = None if items else _first_text(table, [c for c in others if not _is_note(table, c)])
        if text is not None and own and _are_single(table, own):
            named, ignored = (
                table.key("columns", {role: text}, is_alone=False) for role in ("dataset", IGNORED)
            )
            raise table.error(
                f"the column {listed([text])} ({listed(table.labels(text).names)}) beside "
                f"{listed(own)}, which tells the rows apart alone",
                f"{named} where it names data sets, {ignored} where it does not",
            )
        if text is not None and not own and _is_identifier(table, text):
            keys = [table.key("columns", {r: text}, is_alone=False) for r in ("dataset", OWN_NAME)]
            raise table.error(
                f"the column {listed([text])}, which names no data sets by its name or cells",
                f"{keys[0]} where a row is of a data set, {keys[1]} where all rows are of one",
            )
        if text is not None:
            role: Role = "replication" if _are_numbered(table, text) and not own else "dataset"
            found.append(ColumnRole(text, role, "values"))
            others.remove(text)
    numbered = [c for c in named_coordinates(table, (*taken, *wanted)) if c in others]
    found += [ColumnRole(c, "left out", "name") for c in numbered]
    others = [c for c in others if c not in numbered]
    _refuse_mangled(table, shape, [c for c in others if c not in wanted])
    found += _rest(table, shape, found, others, wanted)
    is_index = {ROW_NAMES} if table.has_ordered_rows else set()  # of a frame, no column
    unnamed = [c for c in table.unnamed if c not in is_index and not c.startswith("__")]
    found += [ColumnRole(c, "left out", "no-name") for c in unnamed]
    return Roles(shape, tuple(found))


def _refuse_mangled(table: RawTable, shape: Shape, columns: Collection[str]) -> None:
    """Refuse numbers in a column such as rf.1 beside rf, as pandas names a second one."""
    if shape == "wide" and "candidate" in table.user_columns:
        return
    for column in columns:
        base, point, number = column.rpartition(".")
        if point and number.isdecimal() and base in columns and table.is_numeric(column):
            raise table.error(
                f"the columns {listed([base, column])}, as pandas calls the second of two columns "
                f"named {base}",
                "a name of its own for each, such as acc_mean and acc_std for means and their "
                f"spreads; {table.key('columns', {IGNORED: column}, is_alone=False)} leaves it out",
            )


def _spreads(table: RawTable) -> tuple[str, ...]:
    """Return the columns of spreads and of numbers of values that are there."""
    given = table.user_columns.get(N_VALUES)
    found = [c for own in table.spreads.values() for c in (own.spread, own.n_values)]
    found += [given] if isinstance(given, str) else []
    if isinstance(given, str) and given not in table.columns:
        raise unknown_column(table, given, N_VALUES)
    return tuple(dict.fromkeys(c for c in found if c is not None and c in table.columns))


def _candidates(table: RawTable, shape: Shape) -> tuple[str, ...]:
    """Return the columns of a wide table that the user names as candidates."""
    given = table.user_columns.get("candidate", ())
    if shape != "wide" or isinstance(given, str):
        return ()
    for name in given:
        if name not in table.columns:
            raise unknown_column(table, name, "a candidate")
    return tuple(given)


def _named(table: RawTable, shape: Shape) -> list[ColumnRole]:
    """Return the roles that the user gives, or names tell."""
    found: dict[Role, ColumnRole] = {}
    several = (OWN_NAME, IGNORED, *OF_ITEMS)
    for role in SPELLINGS:
        name = table.user_columns.get(role)
        if role in several or not isinstance(name, str):
            continue
        if shape == "leaderboard" and role == "dataset":
            continue
        if name not in table.columns:
            raise unknown_column(table, name, role)
        found[role] = ColumnRole(name, role, "user")
    if shape == "wide":
        allowed: tuple[Role, ...] = ("dataset",)
    elif shape == "leaderboard":
        allowed = ("candidate", "status")
    else:
        allowed = tuple(SPELLINGS)
    for role in allowed:
        if role in found:
            continue
        column = _spelled(table, role, [own.column for own in found.values()])
        if column is not None:
            found[role] = ColumnRole(column, role, "name")
    if "measure" in allowed and "measure" not in found:
        taken = [own.column for own in found.values() if own.role != "value"]
        found |= _measure_and_value(table, taken)
    if "status" in allowed and "status" not in found:
        taken = [own.column for own in found.values()]
        outcomes = names_outcomes(table, [c for c in table.columns if c not in taken])
        if outcomes:
            found["status"] = ColumnRole(_one(table, "status", outcomes), "status", "name")
    return list(found.values())


def _measure_and_value(table: RawTable, taken: Sequence[str]) -> dict[Role, ColumnRole]:
    """Return the columns of measures and values where these have other names, as of a melt."""
    # A column of text names the measures, and the one column of a name such as score has the
    # values.
    columns = [c for c in table.columns if c not in taken]
    texts = [c for c in columns if _names_measures(table, c)]
    values = [c for c in columns if plain_name(c) in OF_VALUES and table.is_numeric(c)]
    if len(texts) != 1 or len(values) != 1:
        return {}
    return {
        "measure": ColumnRole(texts[0], "measure", "name"),
        "value": ColumnRole(values[0], "value", "name"),
    }


def _names_measures(table: RawTable, column: str) -> bool:
    """Whether a column of text has the names of measures."""
    name = plain_name(column)
    if name not in NAMING_MEASURES or table.is_numeric(column):
        return False
    return name in OF_MEASURES or all(map(is_known, table.labels(column).names))


def has_candidates(columns: Collection[str]) -> bool:
    """Whether a column has the name of those of candidates."""
    names = set(map(plain_name, columns))
    others = THIRD_CHOICE["candidate"]
    return bool(names & {*CANDIDATES}) or (bool(names & others) and any(map(is_known, columns)))


def _spelled(table: RawTable, role: Role, taken: Sequence[str]) -> str | None:
    """Return the one column that has the name of a role; the exact one before others."""
    # A column with one name in all rows comes after those that tell rows apart.
    found = [
        [c for c in table.columns if plain_name(c) in own.get(role, ()) and c not in taken]
        for own in (SPELLINGS, SECOND_CHOICE, IDS)
    ]
    found[-1] = [c for c in found[-1] if not table.is_numeric(c)]
    if not any(found) and (role == "dataset" or any(map(is_known, table.columns))):
        names = THIRD_CHOICE.get(role, frozenset())
        others = [c for c in table.columns if plain_name(c) in names and c not in taken]
        found = [[c for c in others if not table.is_numeric(c) and _tells_apart(table, c)]]
    if role in SECOND_CHOICE and sum(map(len, found)) > 1:
        varying = {c for own in found for c in own if _tells_apart(table, c)}
        found = [[c for c in own if c in varying] for own in found] if varying else found
    fitting = next(filter(None, found), [])
    exact = [c for c in fitting if c == role]
    return _one(table, role, exact or fitting) if fitting else None


def _tells_apart(table: RawTable, column: str) -> bool:
    """Whether a column has several cells, and not another one in each row."""
    return 1 < len(table.columns[column].unique()) < table.n_rows


def _one(table: RawTable, role: Role, fitting: Sequence[str]) -> str:
    """Return the column that may have a role; refuse several."""
    if len(fitting) > 1:
        raise table.error(
            f"the columns {listed(fitting)}, each of which may be the {role}",
            f"one of them, such as {table.key('columns', {role: fitting[0]})}",
        )
    return fitting[0]


def _first_text(table: RawTable, columns: Iterable[str]) -> str | None:
    """Return the first column of text without any number."""
    return next((c for c in columns if table.is_text(c) and not table.is_numeric(c)), None)


def _is_note(table: RawTable, column: str) -> bool:
    """Whether a column of text says yes or no, or names other columns: such as the best one."""
    cells = {(cell or "").strip() for cell in cells_of(table, column)} - {""}
    return bool(cells) and (
        cells <= table.columns.keys() or {cell.lower() for cell in cells} <= FLAGS.keys()
    )


def _are_single(table: RawTable, columns: Sequence[str]) -> bool:
    """Whether no two rows have the same cells in some columns."""
    frame = pd.DataFrame({c: cells_of(table, c) for c in columns})
    return not frame.duplicated().any()


def _is_identifier(table: RawTable, column: str) -> bool:
    """Whether a column of text tells rows apart by dates, commits or such."""
    if not IDENTIFIERS.isdisjoint({*_words(column)[-1:]} - {"id"}):
        return True
    return all(DATE.match(name) for name in table.labels(column).names)


def is_summary_name(name: str) -> bool:
    """Whether a name is that of rows that sum up others; a data set may have it, too.

    Examples
    --------
    >>> [is_summary_name(n) for n in ("Average", "Avg. rank", "Wins/best", "W/T/L", "iris")]
    [True, True, True, True, False]
    """
    bare = re.sub(r"[\W\d_]", "", name.lower())
    if name.strip() in EMPTY_SETS:
        return True
    is_numbered = bare == "p" and any(letter.isdigit() for letter in name)  # a participant
    return SUMS.fullmatch(bare) is not None and not is_numbered


def _are_numbered(table: RawTable, column: str) -> bool:
    """Whether all names of a column are such as "Fold 1" and seed0."""
    return all(NUMBERED.fullmatch(name) for name in table.labels(column).names)


def is_known(name: str) -> bool:
    """Whether it is known which values of a measure are better, by its name."""
    name = result_name(name)
    is_run_time = name == EVALUATIONS.name or target_exponent(name) is not None
    return is_run_time or known_measure(name) is not None or known_direction(name) is not None


def _rest(
    table: RawTable,
    shape: Shape,
    found: Sequence[ColumnRole],
    columns: Sequence[str],
    wanted: Collection[str],
) -> list[ColumnRole]:
    """Return which of the other columns are performances, and why the rest is none."""
    named = _candidates(table, shape)
    if named:
        rest = [ColumnRole(c, "left out", "user") for c in columns]
        return [*(ColumnRole(c, "performance", "user") for c in named), *rest]
    if wanted and shape == "tidy":
        return [ColumnRole(c, "performance", "user") for c in columns]
    if shape == "tidy" and {"measure", "value"} & {own.role for own in found}:
        return [ColumnRole(c, "performance", "values") for c in columns if table.is_numeric(c)]
    names_results = any(tracker_part(c) == "metrics" for c in table.columns)
    why = {
        c: reason
        for c in columns
        if (reason := _by_name(table, shape, c, names_results=names_results))
    }
    open_ = [c for c in columns if c not in why]
    by_values = _by_values(table, shape, found, open_)
    if shape == "tidy":
        results = [c for c in open_ if c not in by_values]
        is_log = _is_log(table) or any(own.role == "epoch" for own in found)
        others = _of_other_samples(results, is_log=is_log)
        by_values |= dict.fromkeys(others, "other-sample")
        times = {c for c in open_ if _is_duration(c) and c not in table.known}
        if any(not is_cost(c) for c in set(open_) - times - by_values.keys()):
            by_values |= dict.fromkeys(times, "duration")
    if set(open_) > by_values.keys() or shape != "tidy":
        why |= by_values  # what is all there is remains: nobody knows better
    kept = [ColumnRole(c, "performance", "values") for c in columns if c not in why]
    if shape == "tidy":
        kept.sort(key=lambda own: (is_cost(own.column), sample_of(own.column)))
    return [*kept, *(ColumnRole(c, "left out", why[c]) for c in columns if c in why)]


def is_of_items(table: RawTable, roles: Roles) -> bool:
    """Whether the rows of a table are items that candidates answered."""
    return (
        bool(roles.columns("item")) or unit_named(table.unit).is_nested or table.items is not None
    )


def is_of_tracker(table: RawTable) -> bool:
    """Whether a tracker of experiments has written a table, by its own columns."""
    return any(
        tracker_part(c) or INTERNAL.fullmatch(c) or plain_name(c) == "runid" for c in table.columns
    )


def _is_log(table: RawTable) -> bool:
    """Whether a table is a tracker's, or a log of training, which name samples by custom."""
    is_log = any("/" in c or plain_name(c) == "epoch" for c in table.columns)
    return is_log or is_of_tracker(table)


def _of_other_samples(columns: Collection[str], *, is_log: bool) -> set[str]:
    """Return the results of validation and training samples, where there are better ones."""
    # `is_log`: whether names are as trackers write them: then all results are of the best sample,
    # and what Keras calls `acc` beside `val_acc` is of training; else each is held against its
    # like.
    results = [c for c in columns if not is_cost(c)]
    samples = {c: sample_of(c) for c in results}
    if is_log:
        samples |= {c: len(SAMPLES) - 1 for c in results if f"val_{c}" in columns}
        named = [c for c in results if any(map(names_sample, _words(c)))]
        best = min((samples[c] for c in named), default=0)
        return {c for c in results if samples[c] > best}
    alike: dict[str, list[str]] = {}
    for column in results:
        words = [word for word in _words(column) if not names_sample(word)]
        alike.setdefault("".join(words), []).append(column)
    others: set[str] = set()
    for own in alike.values():
        best = min(samples[c] for c in own)
        others.update(c for c in own if samples[c] > best)
    return others


def names_sample(word: str) -> bool:
    """Whether a word is that of a test, validation or training sample."""
    return any(word.lower() in words for words in SAMPLES)


def sample_of(column: str) -> int:
    """Return of which sample a result is, by its name: 0 of test, or none; 1, 2: see `SAMPLES`.

    Examples
    --------
    >>> [sample_of(c) for c in ("val_acc", "train_loss", "auc", "test_train_gap", "train_time")]
    [1, 2, 0, 0, 0]
    """
    words = set(_words(column))
    if is_cost(column):
        return 0
    return next((i for i, names in enumerate(SAMPLES) if words & names), 0)


def _words(column: str) -> list[str]:
    """Return the words of a column's name, in lower case.

    Examples
    --------
    >>> _words("valLoss"), _words("Duration (s)"), _words("git_sha")
    (['val', 'loss'], ['duration', 's'], ['git', 'sha'])
    """
    return re.findall(r"[a-z]+", re.sub(r"(?<=[a-z])(?=[A-Z])", " ", column).lower())


def _names_no_result(column: str) -> bool:
    """Whether words of a name say that a column tells rows apart, or has limits of confidence.

    Examples
    --------
    >>> [_names_no_result(c) for c in ("git_sha", "acc_id", "grid", "best_epoch", "acc_ci_low")]
    [True, False, False, True, True]
    """
    words = _words(column) or [""]
    if words[-1] in IDENTIFIERS:
        return known_direction(" ".join(words[:-1])) is None  # accuracy in distribution
    return words[-1] in ("epoch", "epochs", "step") or not LIMITS.isdisjoint(words)


def _is_limit(table: RawTable, column: str) -> bool:
    """Whether a column is one of two, named as such, between which the values of a third lie."""
    for low, high in SIDES.items():
        side = next((s for s in (low, high) if column.lower().endswith(s)), None)
        if side is None:
            continue
        base = column[: -len(side)]
        pair = [c for s in (low, high) for c in table.columns if c.lower() == (base + s).lower()]
        between = base.rstrip(" _.-")
        if len(pair) < 2 or not between or between not in table.columns:
            continue
        if not all(map(table.is_numeric, (*pair, between))):
            continue
        lower, value, upper = (numbers_of(table, c) for c in (pair[0], between, pair[1]))
        is_there = np.isfinite(lower) & np.isfinite(value) & np.isfinite(upper)
        if is_there.any() and bool(((lower <= value) & (value <= upper))[is_there].all()):
            return True
    return False


def _is_duration(column: str) -> bool:
    """Whether a column says how long a run was open.

    Examples
    --------
    >>> [_is_duration(c) for c in ("Duration (s)", "elapsed_seconds", "Runtime", "train_time")]
    [True, True, True, False]
    """
    words = _words(column)
    bare = [word for word in words if word not in AROUND]
    return not DURATIONS.isdisjoint(("".join(words), "".join(bare)))


def is_cost(column: str) -> bool:
    """Whether a column is, by its name, a time, a size or a price.

    Examples
    --------
    >>> [is_cost(c) for c in ("train_time (s)", "Runtime", "memory_mb", "Memory Net", "accuracy")]
    [True, True, True, False, False]
    """
    is_one = known_direction(column) == "smaller" and not OF_COSTS.isdisjoint(_words(column))
    return is_one or _is_duration(column)


def _by_name(table: RawTable, shape: Shape, column: str, *, names_results: bool) -> Reason | None:
    """Return why a column is no performance, by its name and the kind of its cells."""
    # `names_results`: whether some columns say that they are results, as trackers write it.
    if column in table.known:
        return None
    if not table.is_numeric(column):
        return _of_text(table, shape, column)
    part = tracker_part(column)
    if part in ("params", "tags"):
        return "setting"
    if names_results and part != "metrics":
        return "no-result"
    name = plain_name(column)
    if name in OF_MODELS and not (shape == "tidy" and is_known(column)):
        return "no-result"
    if COUNTED.match(column) and _is_whole(numbers_of(table, column)):
        return "no-result"
    if shape != "tidy":
        return None  # candidates have such names, too: the values tell
    if name in NO_RESULTS or INTERNAL.fullmatch(column) or _names_no_result(column):
        return "no-result"
    if _is_limit(table, column):
        return "no-result"
    if name in OF_WHOLE and _is_whole(numbers_of(table, column)):
        return "no-result"
    return None


def _of_text(table: RawTable, shape: Shape, column: str) -> Reason | None:
    """Return why a column without numbers is none of performances; None where it should be one."""
    if not table.is_text(column):
        return "text" if shape == "tidy" else None  # the reader says what it found
    cells = [(cell or "").strip() for cell in cells_of(table, column)]
    filled = [c for c in cells if c]
    if not filled:
        return "empty" if shape == "tidy" else None
    begins = sum(bool(re.match(r"[\W_]*[0-9]", c)) for c in filled)
    is_date = sum(bool(DATE.match(c)) for c in filled)
    if shape != "tidy" and (begins > is_date or len(filled) < len(cells) / 2):
        return None  # numbers with something beside them: the reader says what
    return "text"


def _by_values(
    table: RawTable, shape: Shape, found: Sequence[ColumnRole], columns: Sequence[str]
) -> dict[str, Reason]:
    """Return which columns of numbers are no performances by their values."""
    numeric = [c for c in columns if table.is_numeric(c)]
    if shape != "tidy":
        return _beside_others({c: numbers_of(table, c) for c in numeric}, table, shape)
    why: dict[str, Reason] = {}
    codes: dict[Role, NDArray[np.int64]] = {
        own.role: _codes(table, own.column) for own in found if own.role in ("dataset", "candidate")
    }
    for column in numeric:
        is_size = plain_name(column) in SIZES
        if _is_unix_time(column, numbers_of(table, column)) and column not in table.known:
            why[column] = "no-result"
            continue
        is_result = column in table.known or (is_known(column) and not is_size)
        if is_result and (column in table.known or RESOURCES.isdisjoint(_words(column))):
            continue
        values = numbers_of(table, column)
        if is_result and np.unique(values).size > 1:
            continue
        if not np.isfinite(values).any():
            why[column] = "empty"
        elif table.n_rows > 1 and np.unique(values).size == 1 and not is_size:
            why[column] = "constant"
        elif _counts(values):
            why[column] = "counter"
        elif _is_of(values, codes, "dataset", "candidate"):
            why[column] = "of-datasets"
        elif not is_size and _is_of(values, codes, "candidate", "dataset"):
            why[column] = "of-candidates"
    return why


@np.errstate(over="ignore", invalid="ignore")  # of numbers that are refused later
def _beside_others(
    numbers: Mapping[str, Array], table: RawTable, shape: Shape
) -> dict[str, Reason]:
    """Return the columns of numbers that stand beside those of candidates, or of data sets."""
    # Raises ExchangeError where a name speaks for that and the values do not say.
    why: dict[str, Reason] = {}
    asked: list[str] = []
    dubious = {c for c, own in numbers.items() if c not in table.known and _is_dubious(c, own)}
    unsure = dubious.union(c for c in numbers if plain_name(c) in SUMMARIES)
    whole = {c for c, own in numbers.items() if _is_whole(own)}
    why |= dict.fromkeys(_differences(numbers), "of-others")
    compared = {c for c in numbers if "vs" in _words(c) or _is_beside(c, numbers)}
    unsure |= compared
    if len(numbers) > 2:
        counters = {c for c in numbers if _counts_many(numbers[c]) and c not in table.known}
        if len(counters) == 1:
            why |= dict.fromkeys(counters, "counter")
    for column, values in numbers.items():
        if column in why:
            continue
        if column not in unsure and (column not in whole or len(whole) == len(numbers)):
            continue
        others = {name: own for name, own in numbers.items() if name != column and name not in why}
        sure = [own for name, own in others.items() if name not in unsure]
        if not others or column in table.known:
            continue
        rest = np.column_stack(sure or list(others.values()))
        if rest.shape[1] > 1 and _is_summary(column, values, rest):
            why[column] = "of-others"
        elif column in compared:
            why[column] = "no-result"
        elif column in dubious:
            off = share_off(values, rest)
            is_other = _is_other(column, values, rest) or is_cost(column)
            if (is_other and off > 0) or _is_far(values, rest):
                why[column] = "no-result"
            elif is_other or off > 0.5 or plain_name(column) in OF_WIDE:
                asked.append(column)
        elif _is_whole(values) and not _is_whole(rest.ravel()):
            if _counts(values):
                why[column] = "counter"
            elif rest.shape[1] > 1 and not _is_constant(values) and _is_above(values, rest):
                why[column] = "whole-numbers"
            elif _is_whole_among_fractions(values, rest):
                asked.append(column)
    if asked:
        raise _which_meaning(table, shape, asked, [c for c in numbers if c not in why])
    return why


def _differences(numbers: Mapping[str, Array]) -> list[str]:
    """Return the columns that are the difference, or the mean, of columns before them."""
    # The mean of two candidates, and of many columns, is not searched.
    found: list[str] = []
    names = [c for c, own in numbers.items() if not _is_constant(own) and np.isfinite(own).all()]
    if len(names) > MOST_SEARCHED:
        return found
    for i, name in enumerate(names):
        own, before = numbers[name], [c for c in names[:i] if c not in found]
        if len(own) < FEWEST_EQUAL or len(before) < 2:
            continue
        rest = np.column_stack([numbers[c] for c in before])
        tolerance = rounding_of(own) + 1e-9
        gaps = np.abs(np.abs(rest[:, :, None] - rest[:, None, :]) - np.abs(own)[:, None, None])
        is_quotient = not _is_whole(own) and _is_quotient(own, rest)
        is_mean = len(before) > 2 and bool((np.abs(rest.mean(axis=1) - own) <= tolerance).all())
        share = 1.0 if own.std() <= 2 * tolerance else 2 * tolerance / own.std()
        chance = len(before) ** 2 * share ** len(own)
        is_told = _names_difference(name, before) or chance < LEAST_CHANCE
        if is_told and (is_mean or is_quotient or bool((gaps <= tolerance).all(axis=0).any())):
            found.append(name)
    return found


@np.errstate(divide="ignore", invalid="ignore")
def _is_quotient(values: Array, others: Array) -> bool:
    """Whether a column is one other divided by another, to the digits that are written."""
    # `others`: shape (rows, columns).
    if not (others > 0).all():
        return False
    quotients = others[:, :, None] / others[:, None, :]
    rounded = np.array([rounding_of(own) for own in others.T])[None] / others
    tolerance = rounding_of(values) + quotients * (rounded[:, :, None] + rounded[:, None, :])
    is_sharp = tolerance <= MOST_ROUNDED * quotients.std(axis=0)
    return bool(
        ((np.abs(quotients - values[:, None, None]) <= tolerance) & is_sharp).all(axis=0).any()
    )


def _is_beside(column: str, names: Collection[str]) -> bool:
    """Whether a name is that of another column with a word behind it for what is not its value.

    Examples
    --------
    >>> [_is_beside(c, ["rf"]) for c in ("rf_lci", "rf time", "rf (train)", "rf2", "rf deep")]
    [True, True, True, False, False]
    """
    ends = [i for i, letter in enumerate(column) if not letter.isalnum()]
    for end in (i for i in ends if column[:i] in names):
        word = column[end:].strip(" _./-()[]").lower()
        if word in BESIDE or names_sample(word) or (word and is_known(word)):
            return True
    return False


def _names_difference(column: str, others: Sequence[str]) -> bool:
    """Whether a name says that a column compares others."""
    words = _words(column)
    named = sum(not set(_words(c)).isdisjoint(words) for c in others)
    return (
        named > 1 or not OF_DIFFERENCES.isdisjoint(words) or bool(set("\u0394\u2206") & {*column})
    )


def _is_dubious(column: str, values: Array) -> bool:
    """Whether a column has a name that speaks against a candidate, or a data set."""
    name = plain_name(column)
    is_odd = name in NO_RESULTS | OF_WIDE or is_cost(column)
    return is_odd or (name in OF_WHOLE and _is_whole(values))


def share_off(values: Array, others: Array) -> float:
    """Return the share of values that lie further from the others than these spread, or reach."""
    own, rest = values[np.isfinite(values)], others[np.isfinite(others)]
    if not own.size or not rest.size:
        return 0.0
    least, most = rest.min(), rest.max()
    reach = max(most - least, np.abs(rest).max() / 2)
    return float(((own < least - reach) | (own > most + reach)).mean())


def _is_far(values: Array, others: Array) -> bool:
    """Whether values are of another size than all others; true if there are none."""
    own, rest = np.abs(values[np.isfinite(values)]), np.abs(others[np.isfinite(others)])
    if not own.size or not rest.size:
        return not own.size
    return bool(own.min() > FURTHER * rest.max() or own.max() * FURTHER < rest.min())


def _is_other(column: str, values: Array, others: Array) -> bool:
    """Whether a name that speaks against results has numbers of a kind that do, too."""
    name = plain_name(column)
    is_counted = name in OF_COUNTS | OF_WHOLE or not _is_whole(others.ravel())
    is_kind = _is_constant(values) or _counts(values) or (_is_whole(values) and is_counted)
    return name in OF_TESTS or is_kind


def _is_above(values: Array, others: Array) -> bool:
    return bool(np.nanmin(values) > FAR * np.nanmax(np.abs(others)))


def _is_unix_time(column: str, values: Array) -> bool:
    """Whether a column called time has points in time: seconds, or milliseconds, since 1970."""
    own = values[np.isfinite(values)]
    if plain_name(column) not in OF_POINTS or not own.size:
        return False
    return any(bool(((own > FROM * scale) & (own < TO * scale)).all()) for scale in (1.0, 1e3))


def _is_whole_among_fractions(values: Array, others: Array) -> bool:
    """Whether whole numbers that differ stand beside columns that have hardly any."""
    fractions = others[:, ~np.apply_along_axis(_is_whole, 0, others)]
    finite = fractions[np.isfinite(fractions)]
    is_fraction = finite != np.round(finite)
    n = np.unique(values[np.isfinite(values)]).size
    return n >= FEWEST_WHOLE and fractions.shape[1] > 1 and is_fraction.mean() > MOST_FRACTIONS


def _is_constant(values: Array) -> bool:
    return len(values) > 1 and np.unique(values).size == 1


def _which_meaning(
    table: RawTable, shape: Shape, asked: Sequence[str], columns: Sequence[str]
) -> ExchangeError:
    """Return the error for columns that may be candidates, or data sets, by their values alone."""
    is_one = len(asked) == 1
    ignored = table.key("columns", {"ignore": asked[0] if is_one else [*asked]}, is_alone=False)
    noun, named = "data set", f"another name of the column{'s' * (not is_one)}"
    if shape == "wide":
        noun = "candidate"
        named = table.key("columns", {"candidate": list(columns)})
    if is_one:
        found = f"the column {listed(asked)}, which may be a {noun} or not, by its name and values"
        allowed = f"{ignored} where it is none, or {named} where it is one"
    else:
        found = f"the columns {listed(asked)}, each of which may be a {noun} or not, by its name "
        found += "and values"
        allowed = f"{ignored} with those that are none, or {named} with those that are"
    return table.error(found, allowed)


def _is_summary(column: str, values: Array, others: Array) -> bool:
    """Whether a column is what its name says of the others: their mean, greatest value or such."""
    tolerance = rounding_of(values) + 1e-9
    return any(
        bool((np.abs(values - function(others, axis=1)) <= tolerance).all())
        for function in SUMMARIES.get(plain_name(column), ())
    )


def rounding_of(values: Array) -> float:
    """Return half a unit of the last decimal that numbers are written with, of six at most."""
    finite = values[np.isfinite(values)]
    digits = next((d for d in range(6) if (np.round(finite, d) == finite).all()), 6)
    return 0.5 * 10.0**-digits


def _counts(values: Array) -> bool:
    """Whether numbers are those of the rows, from 0 or 1, in any order."""
    if len(values) < 3 or not _is_whole(values) or not np.isfinite(values).all():
        return False
    ordered = np.sort(values)
    return bool(ordered[0] in (0, 1) and (np.diff(ordered) == 1).all())


def _counts_many(values: Array) -> bool:
    """Whether numbers are those of five rows or more, which results are by a small chance only."""
    return len(values) >= FEWEST_COUNTED and _counts(values)


def _is_whole(values: Array) -> bool:
    finite = values[np.isfinite(values)]
    return bool(finite.size and (finite == np.round(finite)).all())


def _is_of(values: Array, codes: Mapping[Role, NDArray[np.int64]], key: Role, other: Role) -> bool:
    """Whether a number is always the same of one key, though the other changes."""
    if key not in codes:
        return False
    order = np.argsort(codes[key], kind="stable")
    starts = np.flatnonzero(np.diff(codes[key][order], prepend=-1))
    if len(starts) < 2:
        return False
    others = codes.get(other, np.arange(len(values)))
    numbers = pd.factorize(values, use_na_sentinel=False)[0]
    changes, differs = (
        np.minimum.reduceat(own[order], starts) < np.maximum.reduceat(own[order], starts)
        for own in (others, numbers)
    )
    return bool(changes.all() and not differs.any())


def _codes(table: RawTable, column: str) -> NDArray[np.int64]:
    return np.asarray(pd.factorize(pd.Series(cells_of(table, column), dtype=object))[0], np.int64)
