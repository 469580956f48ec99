"""A study with its verdicts, as a user of Python holds it."""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence
from dataclasses import replace
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal, get_args

from reportgen.api import frames
from reportgen.errors import SectionError, StudyError
from reportgen.formats import Density
from reportgen.progress import live_progress
from reportgen.report import Length
from reportgen.study.errors import describe_unknown, given_path, listed, measure_name, shown
from reportgen.study.schema import HtmlForm, MeansSort, Spread

if TYPE_CHECKING:
    import pandas as pd
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

    from reportgen.api.agreement import Agreement
    from reportgen.api.claims import Checks
    from reportgen.api.contents import Contents
    from reportgen.api.document import Document
    from reportgen.conclusion.result import Conclusion
    from reportgen.pipeline import Job
    from reportgen.rendering.latex import Paper
    from reportgen.report import Provenance, Report
    from reportgen.section_runner import SectionRunner
    from reportgen.sections.plan.analysis import Plan
    from reportgen.stats.verdict import Verdict
    from reportgen.study.manifest import SectionChoice
    from reportgen.study.schema import LatexEntry
    from reportgen.study.schema.options import AnalysisOptions, Expectation
    from reportgen.warehouse import Warehouse

LENGTHS: tuple[Length, ...] = get_args(Length)
LAYOUTS: tuple[HtmlForm, ...] = get_args(HtmlForm)
ALLOWED_IN_LATEX = {
    "spread": ", ".join(get_args(Spread)),
    "reference": "the name of a candidate, True or False",
    "sort": ", ".join(get_args(MeansSort)),
    "columns": "1, 2",
    "width": "250 to 600",
}
"""Values of the options of `to_latex`."""
OF_ONE: tuple[str, ...] = ("eda", "inference")
OF_SEVERAL = ("inference", "items", "domain", "sensitivity")
OF_TABLE = ("archetypes",)
"""Sections that a conclusion is read from."""


class BenchmarkStudy:
    """Results of candidates on data sets, and what can be concluded from them.

    `compare`, `run`, `evaluate` and `load` return it. Each analysis is computed when it is first
    needed, once; its numbers are those of the report. Nothing is written unless it is requested.

    Parameters
    ----------
    job : Job
        The manifest, checked, and the folder of its run.
    warehouse : Warehouse
        The performances.
    origin : Provenance

    Examples
    --------
    >>> import numpy as np, reportgen
    >>> rng = np.random.default_rng(1)
    >>> study = reportgen.compare(
    ...     {"lda": rng.normal(0.3, 0.02, 60), "svm": rng.normal(0.2, 0.02, 60)},
    ...     measure="misclassification", name="monks3",
    ... )
    >>> study.candidates, study.datasets, study.measures
    (('lda', 'svm'), ('monks3',), ('misclassification',))
    >>> study.check("svm better than lda")[0].outcome  # how the values came about is not known
    'undecided'
    >>> bool(study.check("svm better than lda in this experiment"))
    True
    >>> found = study.gate(
    ...     "svm better than lda in this experiment", "svm within 0.01 of lda in this experiment"
    ... )
    >>> [claim.outcome for claim in found], found.is_failed
    (['holds', 'fails'], True)
    >>> study.gate_power("svm better than lda in this experiment")[0].partition(":")[2]
    ' holds with a probability of 100%; about 6 for 80%'

    Each method of tables returns a data frame:

    >>> study.summary()[["candidate", "n", "mean"]].round(2).values.tolist()
    [['svm', 60, 0.2], ['lda', 60, 0.3]]
    >>> study.ranks()[["candidate", "n_best"]].values.tolist()
    [['svm', 60], ['lda', 0]]
    >>> study.pairs("misclassification", "monks3")[["first", "second", "decision"]].values.tolist()
    [['lda', 'svm', 'worse']]
    >>> study.consensus()[["candidate", "level"]].values.tolist()
    [['svm', 1], ['lda', 2]]
    >>> study.members()[["member", "order"]].values.tolist()
    [['misclassification/verdict', 'svm > lda']]
    >>> study.figures()["name"].tolist()[:4]
    ['pairs', 'residuals', 'distribution', 'boxes']
    >>> "svm -- lda" in study.to_latex("pairs")
    True
    >>> import tempfile
    >>> with tempfile.TemporaryDirectory() as folder:  # for drawings
    ...     article = study.document(folder=folder)
    >>> article.part("inference").splitlines()[0]
    '# The pair {#sec-inference}'

    Several data sets have a verdict over all of them, too:

    >>> names = ["lda", "svm"]
    >>> values = rng.normal([0.3, 0.2], 0.02, size=(8, 10, 2))
    >>> both = reportgen.compare(values, measure="misclassification", candidates=names)
    >>> both.domain()[["first", "second", "decision", "n"]].values.tolist()
    [['lda', 'svm', 'worse', 8]]
    >>> both.rank_ranges()[["candidate", "rank_from", "rank_to"]].values.tolist()
    [['svm', 1, 1], ['lda', 2, 2]]
    >>> both.plan("1pp").unit
    'data sets'
    >>> both.agreement(study).is_contradicted  # of the one data set above
    False
    """

    def __init__(self, job: Job, warehouse: Warehouse, origin: Provenance) -> None:
        self._job = job
        self._warehouse = warehouse
        self._origin = origin

    # ------------------------------------------------------------------------------ contents

    @property
    def name(self) -> str:
        """Name of the study, and of its folder."""
        return self._job.study.name

    @property
    def size(self) -> str:
        """How large the experiment is, and how many values are missing, in one line."""
        from reportgen import pipeline
        from reportgen.design import design_of

        return pipeline.summary(design_of(self._job.study, self._warehouse))

    @property
    def candidates(self) -> tuple[str, ...]:
        """Names of the K candidates."""
        return self._warehouse.candidates

    @property
    def datasets(self) -> tuple[str, ...]:
        """Names of the M data sets."""
        return self._warehouse.datasets

    @property
    def measures(self) -> tuple[str, ...]:
        """Names of the performance measures, the main one first."""
        return tuple(measure.name for measure in self._warehouse.measures)

    @property
    def performances(self) -> pd.DataFrame:
        """All values, one a row: dataset, replication, candidate, measure, value, status, sizes."""
        return self._warehouse.frame.copy()

    @property
    def parts(self) -> tuple[Job, Warehouse, Provenance]:
        """The manifest with the folder of its run, what was measured, and its provenance."""
        return self._job, self._warehouse, self._origin

    @cached_property
    def conclusion(self) -> Conclusion | None:
        """The conclusion of the report, as names, numbers and decisions; None without one."""
        from reportgen.conclusion.result import conclusion_of

        return conclusion_of(self._brief)

    def result(self, section: str, dataset: str | None = None) -> Any:
        """Return the result of a section, as the report has it in `results.json`.

        Parameters
        ----------
        section : str
            Such as "inference".
        dataset : str, optional
            Of sections that are computed for each data set; the only one when left out.

        Raises
        ------
        StudyError
            If there is no such section or data set, or it does not apply to the results.
        """
        return self._result(section, dataset, self._runner)

    # -------------------------------------------------------------------------------- frames

    def summary(self, measure: str | None = None, dataset: str | None = None) -> pd.DataFrame:
        """Return location and spread of each candidate's values, on every data set.

        Parameters
        ----------
        measure, dataset : str, optional
            Only of this one.

        Returns
        -------
        DataFrame
            Columns dataset, measure, candidate, n, mean, sd (divisor n - 1), median, min, max,
            lower_quartile, upper_quartile (type 7); the best mean first.
        """
        explored = self._by_dataset("eda", measure, dataset)
        return frames.summary(explored)

    def ranks(self, measure: str | None = None, dataset: str | None = None) -> pd.DataFrame:
        """Return mean ranks within complete replications, on every data set; 1 is best.

        Where there is one value a data set and candidate, ranks are within data sets, by the main
        measure unless another is named.

        Parameters
        ----------
        measure, dataset : str, optional
            Only of this one.

        Returns
        -------
        DataFrame
            Columns dataset (None over all), measure, candidate, mean_rank (ties averaged), n_best
            and n_best_alone (replications in which no candidate is better; in which all others are
            worse).
        """
        if dataset is None and len(self.datasets) > 1 and not self._warehouse.is_replicated:
            name = self._measure(measure)
            own = self._warehouse.measure(name)
            rows = [self._warehouse.performances(d, name) for d in self.datasets]
            return frames.ranks_over(rows, self.candidates, own)
        return frames.ranks(self._by_dataset("eda", measure, dataset))

    def pairs(self, measure: str | None = None, dataset: str | None = None) -> pd.DataFrame:
        """Return the deciding verdict on every pair of candidates.

        Parameters
        ----------
        measure : str, optional
            Only of this one.
        dataset : str, optional
            That on this data set; left out, that on the only one, or over all of them.

        Returns
        -------
        DataFrame
            Columns dataset (None over all), measure, first, second, estimate (first - second, or
            the ratio of geometric means, see scale), standard_error, lower and upper (simultaneous
            interval),
            statistic, df, p_value (of the pair alone), adjusted_p_value, decision (of first against
            second), significant, favoured (the better one of a decided pair), scale, method,
            target (what the decisions speak of), and what the method adds, such as n, wins, ties
            and losses. A pair with too few values to be decided is undecided, whatever its
            interval.
        """
        if dataset is None and len(self.datasets) > 1 and self._has_domain:
            verdicts = self._chosen(self._over_datasets, measure)
            return frames.pairs([(None, verdict) for verdict in verdicts])
        return frames.pairs(self._by_dataset("inference", measure, dataset))

    def rank_ranges(self, measure: str | None = None, dataset: str | None = None) -> pd.DataFrame:
        """Return the ranks that each candidate can have by what is decided.

        Parameters
        ----------
        measure, dataset : str, optional
            As of `pairs`.

        Returns
        -------
        DataFrame
            Columns dataset (None over all), measure, candidate, mean, rank_from and rank_to (of the
            true mean, 1 the best; all ranges hold at once with probability level), may_be_first
            (whether rank 1 is among them: the best one is one of these), level (1 - alpha), target
            (what the decisions speak of); the best mean first.
        """
        if dataset is None and len(self.datasets) > 1 and self._has_domain:
            verdicts = self._chosen(self._over_datasets, measure)
            return frames.rank_ranges([(None, verdict) for verdict in verdicts])
        return frames.rank_ranges(self._by_dataset("inference", measure, dataset))

    def domain(self, measure: str | None = None) -> pd.DataFrame:
        """Return the verdict on every pair of candidates over all data sets.

        Parameters
        ----------
        measure : str, optional
            Only of this one.

        Returns
        -------
        DataFrame
            Columns as those of `pairs`, without a data set. With fewer than six data sets that
            have both candidates a pair is undecided, whatever its interval.

        Raises
        ------
        StudyError
            If there is one data set only, or they are settings of one.
        """
        return frames.domain(self._chosen(self._brief_result("domain").verdict, measure))

    def consensus(self, measure: str | None = None, dataset: str | None = None) -> pd.DataFrame:
        """Return the orders nearest to those of all data sets or, on one, of all relations.

        Parameters
        ----------
        measure : str, optional
            Over data sets; the main one when left out.
        dataset : str, optional
            Of this data set's relations.

        Returns
        -------
        DataFrame
            Columns order (number of the optimum, from 1), candidate, level (1 is the best; those
            of one level are tied).

        Raises
        ------
        StudyError
            If a measure is chosen for one data set, whose relations are of all measures.
        """
        return frames.consensus(self._consensus(measure, dataset))

    def members(self, measure: str | None = None, dataset: str | None = None) -> pd.DataFrame:
        """Return the relations that the consensus is nearest to.

        Parameters
        ----------
        measure, dataset : str, optional
            As of `consensus`.

        Returns
        -------
        DataFrame
            Columns member, weight, distance (from the first optimum: ordered pairs in one of the
            two), order_class, order (best first; > better, a comma: level; empty of what is no
            weak order).
        """
        return frames.members(self._consensus(measure, dataset))

    # -------------------------------------------------------------------------------- verdicts

    def check(self, *claims: str, measure: str | None = None, dataset: str | None = None) -> Checks:
        """Ask whether claims hold; none raises an exception because it fails.

        Parameters
        ----------
        *claims : str
            "A better than B"; "A within 0.01 of B"; "A not worse than B by 0.02"; "A equivalent to
            B" and "A among the best" by the area of equivalence; "fit-time of A below 2 s"; each
            also "on" a measure or a data set, and "in this experiment"; "no failures", "consensus
            starts with A" and "tree splits on obs.n", which have no error rate. Amounts are in the
            unit of the measure, of one that is compared by ratio they are factors.
        measure, dataset : str, optional
            By which; the main measure, and the only data set or all of them, when left out.

        Returns
        -------
        Checks
            True where all hold. Each "holds", "fails" or is "undecided" by the interval of its
            contrast, as of `gate`; the intervals of all claims that are asked together hold at
            once. "undecided" with too few values, or where nothing is known beyond this experiment
            and the claim does not end "in this experiment".

        Raises
        ------
        StudyError
            If there is no claim, one cannot be read, or names what is not there.
        """
        from reportgen.api.claims import Checks
        from reportgen.sections.expectations.analysis import decide
        from reportgen.study.claims import ALLOWED

        if not claims:
            raise StudyError(f"check: found no claim; allowed {ALLOWED}")
        return Checks(decide(*self._claim_inputs(self._asked(claims, measure, dataset, "check"))))

    @property
    def expects(self) -> tuple[str, ...]:
        """The claims under `expect` in the manifest."""
        return tuple(entry.claim for entry in self._job.study.expect)

    @property
    def claim_lines(self) -> tuple[str, dict[int, int]]:
        """The manifest's name, and the lines of its claims by their places; empty without one."""
        source = self._job.study.source
        lines = {i: source.lines.get(("expect", i)) for i in range(len(self.expects))}
        known = {i: line for i, line in lines.items() if isinstance(line, int)}
        return (source.path.name if source.text else ""), known

    def gate(
        self,
        *claims: str,
        on_undecided: Literal["warn", "fail"] | None = None,
        confirm: BenchmarkStudy | None = None,
    ) -> Checks:
        """Decide on claims as `check` does, those of the manifest too, for a job that ends by them.

        Parameters
        ----------
        *claims : str
            As of `check`. Those of the manifest when left out.
        on_undecided : {"warn", "fail"}, optional
            The manifest's, or "warn", when left out.
        confirm : BenchmarkStudy, optional
            The same, measured anew: a claim that fails here and not there is undecided.

        Returns
        -------
        Checks
            As of `check`; `is_failed` tells whether a run would end with exit code 1.

        Raises
        ------
        StudyError
            If there is no claim, one cannot be read, or names what is not there.
        """
        from reportgen.api.claims import Checks
        from reportgen.sections.expectations.analysis import decide

        word: Any = on_undecided
        again: Any = confirm
        if word is not None and not (isinstance(word, str) and word in ("warn", "fail")):
            raise StudyError(f"gate(on_undecided=…): found {shown(word)}; allowed warn or fail")
        if again is not None and not isinstance(again, BenchmarkStudy):
            raise StudyError(f"gate(confirm=…): found {shown(again)}; allowed a study")
        given = on_undecided or self._job.study.on_undecided
        asked = self._asked(claims)
        found = decide(*self._claim_inputs(asked), given)
        if confirm is not None:
            found = found.confirmed_by(decide(*confirm._claim_inputs(asked), given))
        return Checks(found)

    def gate_power(self, *claims: str) -> tuple[str, ...]:
        """Say with which probability studies like this one decide claims.

        Parameters
        ----------
        *claims : str
            As of `gate`.

        Returns
        -------
        tuple of str
            A line a claim, and one on how they come about: studies are drawn from the differences
            found here, as large as this one and as large as it takes, and judged by the intervals
            of gates. The draws follow the study's seed.

        Raises
        ------
        StudyError
            As of `gate`.
        """
        from reportgen.sections.expectations.analysis import decide, questions_of
        from reportgen.sections.expectations.power import describe_pilot
        from reportgen.streams import stream

        expect = self._asked(claims)
        inputs = self._claim_inputs(expect)
        found, questions = decide(*inputs), questions_of(*inputs)
        rng = stream(self._job.study.seed, "gate-power")
        return describe_pilot(questions, found.gates, found.family, rng)

    def plan(
        self,
        detect: float | str,
        *,
        power: float = 0.8,
        pair: tuple[str, str] | None = None,
        measure: str | None = None,
        dataset: str | None = None,
        costs: Mapping[str, float] | None = None,
    ) -> Plan:
        """Say how much is enough to detect a difference: data sets, splits, seeds, items, battles.

        Parameters
        ----------
        detect : float or str
            The difference: "0.5pp" of shares, "5%" of measures that are compared by ratio, or a
            number in the measure's unit.
        power : float, default 0.8
            With which probability it is to be detected.
        pair : tuple of two str, optional
            The candidates; the two with the best means when left out. Of candidates that are made
            of two factors also two levels of one, such as "prompt steps" and "prompt plain".
        measure : str, optional
            The main one when left out.
        dataset : str, optional
            The only one, or all together, when left out.
        costs : mapping of str to float, optional
            Of a "fit" of one candidate, and of a "unit" (a data set, an item) besides. Left out:
            the mean seconds of a fit where they were measured, else 1.

        Returns
        -------
        Plan
            What is enough with all else kept, and the designs that cost least; `figure` draws
            half widths. It reads as text, `to_frame()` has a row a design.

        Raises
        ------
        StudyError
            If a name is unknown, a number is none that is allowed, or the results have no error of
            the difference.

        Examples
        --------
        >>> import numpy as np, pandas as pd, reportgen
        >>> rng = np.random.default_rng(1)
        >>> values = 0.2 + 0.02 * rng.normal(size=(12, 2))
        >>> frame = pd.DataFrame(values, columns=["a", "b"]).rename_axis("dataset").reset_index()
        >>> long = frame.melt("dataset", var_name="candidate", value_name="misclassification")
        >>> plan = reportgen.compare(long).plan("1pp")
        >>> plan.unit, plan.now.n, plan.enough > 12
        ('data sets', 12, True)
        """
        from pydantic import ValidationError

        from reportgen.sections.expectations.levels import level_kinds
        from reportgen.sections.plan.analysis import plan_study
        from reportgen.streams import stream
        from reportgen.study.claims import PLANNED
        from reportgen.study.schema.options import Expectation, PlanEntry

        if not 0 < power < 1:
            raise StudyError(f"plan(power=…): found {power}; allowed a number between 0 and 1")
        if self._warehouse.is_table:
            raise StudyError("plan: found a table; allowed results of an experiment")
        names = self.candidates
        own = self._measure(measure)
        if pair is not None and len({*pair}) != 2:
            raise StudyError(f"plan(pair=…): found {shown(str(pair))}; allowed two candidates")
        for name in pair or ():
            if name not in names and name not in level_kinds(self._warehouse):
                raise self._unknown("candidate", name, names)
        if dataset is not None and dataset not in self.datasets:
            raise self._unknown("data set", dataset, self.datasets)
        given = dict(costs or {})
        if any(key not in ("fit", "unit") or not x >= 0 for key, x in given.items()):
            raise StudyError(f"plan(costs=…): found {given}; allowed numbers of fit and unit")
        inputs = self._claim_inputs((Expectation(claim=PLANNED, measure=own),))
        warehouse, _, options, sections = inputs
        try:
            asked = PlanEntry.model_validate(
                {
                    "detect": detect,
                    "power": power,
                    "pair": pair,
                    "dataset": dataset,
                    "costs": given,
                }
            )
        except ValidationError:  # of a number or text; the others are looked at above
            raise StudyError(
                f"plan(detect=…): found {shown(repr(detect))}; allowed a finite number, or a text "
                "such as '0.5pp'"
            ) from None
        rng = stream(self._job.study.seed, "plan")
        return plan_study(warehouse, own, asked, options, sections, rng)

    def agreement(
        self,
        other: BenchmarkStudy,
        *,
        measure: str | None = None,
        other_measure: str | None = None,
        alpha: float | None = None,
    ) -> Agreement:
        """Say whether this study and another one of the same candidates agree.

        Scores on items and battles of the same models, say, or one benchmark and another.

        Parameters
        ----------
        other : BenchmarkStudy
        measure, other_measure : str, optional
            Of this study and the other; the main ones when left out.
        alpha : float, optional
            Error probability of pairs that are shown to be ordered differently; the larger one of
            both studies when left out. Each study decides with half of it, or its own level where
            that is less.

        Returns
        -------
        Agreement
            The pairs with the decisions of both, and Kendall's coefficient of the two orders. It
            reads as text, `to_frame()` has a row a pair.

        Raises
        ------
        StudyError
            If they share fewer than two candidates, a measure is unknown, or `alpha` is none.

        Examples
        --------
        >>> import numpy as np, pandas as pd, reportgen
        >>> rng = np.random.default_rng(1)
        >>> right = rng.random((200, 2)) < [0.5, 0.8]
        >>> items = pd.DataFrame(right * 1.0, columns=["a", "b"]).rename_axis("item").reset_index()
        >>> scores = items.melt("item", var_name="candidate", value_name="accuracy")
        >>> won = np.where(rng.random(200) < 0.8, "b", "a")
        >>> battles = pd.DataFrame({"model_a": "a", "model_b": "b", "winner": won})
        >>> found = reportgen.compare(scores, unit="item").agreement(reportgen.battles(battles))
        >>> found.is_contradicted, [(p.first, p.second, p.together) for p in found.pairs]
        (False, [('b', 'a', 'same')])
        """
        from reportgen.api.agreement import agreement_of

        if not isinstance(other, BenchmarkStudy):
            raise StudyError(f"agreement: found {type(other).__name__}; allowed a study")
        if alpha is not None and not 0 < alpha < 1:
            raise StudyError(f"agreement(alpha=…): found {alpha}; allowed a number between 0 and 1")
        own = self._deciding_verdict(self._measure(measure))
        its = other._deciding_verdict(other._measure(other_measure))
        return agreement_of(own, its, (self.name, other.name), alpha)

    def _deciding_verdict(self, measure: str) -> Verdict:
        """Return the verdict on the only data set, or over all."""
        if self._warehouse.is_table:
            raise StudyError(f"{self.name}: found a table; allowed results of an experiment")
        is_over = len(self.datasets) > 1 and self._has_domain
        results = (
            self._over_datasets if is_over else self._brief_result("inference", self._dataset(None))
        )
        found: Verdict | None = results.get(measure)
        if found is None:
            raise StudyError(f"{self.name}: found no comparison by {measure}; allowed one")
        return found

    def _claim_inputs(
        self, expect: Sequence[Expectation]
    ) -> tuple[Warehouse, Sequence[Expectation], AnalysisOptions, dict[str, Any]]:
        """Return what claims are decided by: values, claims, options, results of sections."""
        from reportgen.study.claims import required_sections
        from reportgen.study.manifest import EXPECTATIONS

        needs = required_sections(expect)
        warehouse, options, sections = self._brief_runner.inputs(EXPECTATIONS, needs)
        return warehouse, expect, options, sections

    def _asked(
        self,
        claims: tuple[str, ...],
        measure: str | None = None,
        dataset: str | None = None,
        where: str = "gate",
    ) -> tuple[Expectation, ...]:
        """Return claims that are asked together; those of the manifest where there are none."""
        from reportgen.sections.expectations.analysis import names_of
        from reportgen.study.claims import ALLOWED, read_claim
        from reportgen.study.schema.options import Expectation

        names = names_of(self._warehouse)
        measure = None if measure is None else self._measure(measure)
        dataset = None if dataset is None else self._dataset(dataset)
        for text in claims:
            read_claim(text, names, measure=measure, dataset=dataset, where=where)
        study = self._job.study
        own = tuple(Expectation(claim=c, measure=measure, dataset=dataset) for c in claims)
        expect = own or study.expect
        if not expect:
            raise StudyError(f"{where}: found no claim; allowed {ALLOWED}")
        if self._warehouse.is_table:
            raise StudyError(f"{where}: found a table; allowed results of an experiment")
        study.check_claims(self.candidates, self.measures, self.datasets, names.levels)
        return expect

    # --------------------------------------------------------------------------------- figures

    def figures(self) -> pd.DataFrame:
        """Return which figures there are: columns section, name, measure, dataset."""
        columns = ("section", "name", "measure", "dataset")
        entries = self._contents.figures()
        return frames.records([[getattr(e, c) for c in columns] for e in entries], columns)

    def figure(
        self,
        name: str = "pairs",
        measure: str | None = None,
        dataset: str | None = None,
        *,
        ax: Axes | None = None,
        width: float | None = None,
    ) -> Figure:
        """Draw a figure of the report.

        Parameters
        ----------
        name : str
            As `figures` has it, such as "pairs", "podium", "bsplot"; "intervals" is "pairs".
        measure, dataset : str, optional
            The main measure, and the only data set or all of them, when left out. Figures of one
            data set, such as "podium", need `dataset` where there are several.
        ax : Axes, optional
            Axes of a grid whose place the figure takes, with its height; they are removed.
        width : float, optional
            In points; that of a column of text when left out.

        Returns
        -------
        matplotlib.figure.Figure

        Raises
        ------
        StudyError
            If there is no such figure, or `ax` are no axes of a grid.
        """
        if ax is not None and getattr(ax, "get_subplotspec", lambda: None)() is None:
            raise StudyError(
                f"figure(ax=…): found {shown(type(ax).__name__)}; allowed axes with a place in a "
                "grid, as plt.subplots() makes them"
            )
        wanted = None if measure is None else self._measure(measure)
        own = None if dataset is None else self._dataset(dataset)
        return self._contents.draw(name, wanted, own, ax=ax, width=width)

    # --------------------------------------------------------------------------------- files

    def report(
        self,
        folder: str | os.PathLike[str] | None = None,
        *,
        formats: str | Sequence[str] | None = None,
        length: Length | None = None,
        layout: HtmlForm | None = None,
        sections: str | Sequence[str] | None = None,
        jobs: int | None = 1,
        cluster: str | None = None,
        clean: bool = False,
        allow_templates: bool = False,
    ) -> tuple[Path, ...]:
        """Write the report, and `results.json` and the tables beside it.

        Parameters
        ----------
        folder : str or Path, optional
            Made where it is missing. When left out: `output/<name>`; of a study that `run` or
            `load` has read the folder of the run, or that of the file's name.
        formats : str or sequence of str, optional
            Such as "html" or "md", by the names that `report.formats` of a manifest has; HTML and
            PDF, or the manifest's, when left out.
        length : {"article", "full"}, optional
        layout : {"file", "folder"}, optional
            HTML as one file; or with style, drawings and data beside it and without scripts.
        sections : str or sequence of str, optional
            Only these, in this order.
        jobs : int or None
            Processes; None for the manifest's. With more than one a script has to begin its work
            under `if __name__ == "__main__":`.
        cluster : str, optional
            The address of a Dask scheduler, such as tcp://127.0.0.1:8786, whose workers analyse and
            draw, too.
        clean : bool
            Whether reports of other results in the folder are removed, not moved aside.
        allow_templates : bool
            Whether the study's own templates, and those of its theme, may be rendered, where
            `run` or `load` has not allowed it.

        Returns
        -------
        tuple of Path
            The report's files.

        Raises
        ------
        StudyError
            If there is no such format, length, layout or section.
        ExecutionError
            If the cluster cannot work, or leaves.
        RenderingError
            If a back end fails; what could be written is there.
        SectionError
            If a section could not be computed; the report without it is there.
        """
        from reportgen import pipeline
        from reportgen.run_folder import with_templates

        formats, sections = (
            [names] if isinstance(names, str) else names for names in (formats, sections)
        )
        job = self._job
        if folder is not None:
            job = replace(
                job, folder=given_path("report(folder=…)", folder, "the path of a folder")
            )
        job = replace(job, allow_templates=job.allow_templates or allow_templates)
        pipeline.check_names(job, formats, sections, where="report({}=…)".format)
        if length not in (None, *LENGTHS):
            raise StudyError(f"report(length=…): found {shown(length)}; allowed {listed(LENGTHS)}")
        if layout not in (None, *LAYOUTS):
            raise StudyError(f"report(layout=…): found {shown(layout)}; allowed {listed(LAYOUTS)}")
        options = {"length": length, "html": layout}
        given = {key: value for key, value in options.items() if value is not None}
        if given:
            own = job.study.report.model_copy(update=given)
            job = replace(job, study=replace(job.study, report=own))
        origin = self._origin
        if allow_templates:
            command = with_templates(origin.command, allow_templates=True)
            origin = replace(origin, command=command)
        with live_progress():
            found, files = pipeline.make_report(
                *(job, self._warehouse, origin),
                sections=sections,
                jobs=jobs,
                cluster=cluster,
                formats=formats,
                clean=clean,
            )
        if found.section_faults:
            lost = "; ".join(f"{f.section}: {f.words}" for f in found.section_faults)
            there = ", ".join(map(str, files))
            raise SectionError(f"sections that could not be computed: {lost} (written: {there})")
        return files

    def to_latex(
        self,
        table: str = "pairs",
        measure: str | None = None,
        dataset: str | None = None,
        *,
        spread: Spread | None = None,
        reference: str | bool | None = None,
        sort: MeansSort | None = None,
        columns: Literal[1, 2] | None = None,
        width: float | None = None,
    ) -> str:
        r"""Return a table as the export in LaTeX has it: with caption, label and note.

        Its first line names the packages that it needs.

        Parameters
        ----------
        table : str
            Its name, such as "pairs" or "summary". "means" is the table of a paper: data sets by
            candidates, up to eight, and the best of more; of one data set candidates by measures.
            Bold are those that no other is significantly better than, by the tests of the report.
        measure, dataset : str, optional
            As of `figure`; "means" is of all data sets.
        spread : {"sd", "error", "interval", "none"}, optional
            Of "means", beside each mean: standard deviation, standard error or interval. When left
            out, the manifest's; else an interval of items, and the standard deviation.
        reference : str or bool, optional
            Of "means": the candidate against which others are marked where they are significantly
            better or worse; True for that of the analysis, if there is one, False for none.
        sort : {"study", "name", "best"}, optional
            Of "means": candidates as in the study, by name, or the best mean first.
        columns : {1, 2}, optional
            Of the paper's text: of two, a table takes one where it has room, else both.
        width : float, optional
            Points across the paper's text; 450 when the manifest says nothing else.

        Raises
        ------
        StudyError
            If there is no such table, or if it has no such option.

        Examples
        --------
        >>> import numpy as np, reportgen
        >>> values = np.random.default_rng(1).normal([0.3, 0.2], 0.02, size=(8, 10, 2))
        >>> study = reportgen.compare(values, measure="error", candidates=["lda", "svm"])
        >>> text = study.to_latex("means", reference="lda", sort="best")
        >>> print(text.splitlines()[8])
        Data~set & svm & lda \\
        """
        from reportgen.rendering.names import Key

        given_table: Any = table
        if not isinstance(given_table, str):
            raise StudyError(f"to_latex: found {shown(given_table)}; allowed text, a table's name")
        wanted = None if measure is None else self._measure(measure)
        given = {"spread": spread, "reference": reference, "sort": sort}
        options = self._latex_options(table, given, columns, width)
        if table == "means":
            if dataset is not None:
                raise StudyError(
                    f"to_latex(dataset=…): found {shown(dataset)} for the table means; allowed "
                    "none: it is of all data sets"
                )
            return self._means(wanted, options)
        own = None if dataset is None else self._dataset(dataset)
        found = self._contents.table(table, wanted, own)
        key = Key("table", found.section, found.name, found.measure, found.dataset)
        return self._paper(found.section, options).table(key)

    def _latex_options(
        self,
        table: str,
        given: Mapping[str, object],
        columns: Literal[1, 2] | None,
        width: float | None,
    ) -> LatexEntry:
        """Return the options of a manuscript: the manifest's, and what is given."""
        from pydantic import ValidationError

        from reportgen.study.schema import LatexEntry

        chosen = {name: value for name, value in given.items() if value is not None}
        if chosen and table != "means":
            name, value = next(iter(chosen.items()))
            raise StudyError(
                f"to_latex({name}=…): found {shown(value)} for the table {shown(table)}; allowed "
                "for the table means"
            )
        own = self._job.study.report.latex.model_dump()
        own["means"] |= chosen
        own |= {k: v for k, v in {"columns": columns, "width": width}.items() if v is not None}
        try:
            return LatexEntry.model_validate(own)
        except ValidationError as error:
            first = error.errors()[0]
            name = str(first["loc"][1] if first["loc"][0] == "means" else first["loc"][0])
            found = f"found {shown(first['input'])}; allowed {ALLOWED_IN_LATEX[name]}"
            raise StudyError(f"to_latex({name}=…): {found}") from None

    def _means(self, measure: str | None, options: LatexEntry) -> str:
        """Return the table of data sets by candidates."""
        from reportgen import pipeline
        from reportgen.rendering.latex import means_file
        from reportgen.rendering.means_table import has_means

        if not has_means(self._brief):
            names = listed(self._contents.table_names())
            kind = "a table that is no experiment" if self._warehouse.is_table else "battles"
            raise StudyError(f"{self.name}: found no table means of {kind}; allowed {names}")
        if measure is None and len(self.datasets) > 1:
            measure = self.measures[0]
        folders = pipeline.template_folders(self._job)
        return means_file(self._brief, folders, options, measure)

    def document(
        self,
        stem: Literal["index", "supplement"] = "index",
        folder: str | os.PathLike[str] | None = None,
    ) -> Document:
        """Return the texts of the article for a document of Quarto, part by part.

        Parameters
        ----------
        stem : {"index", "supplement"}
            The article, or its supplement.
        folder : str or Path, optional
            Where its drawings are written, which the texts name as it is here; when left out
            figures/alpha-0.05, of the study's own level, below the working folder.

        Raises
        ------
        StudyError
            If the article has no supplement.
        """
        from reportgen.api.document import document_of

        return document_of(*self.parts, stem, None if folder is None else Path(folder))

    def save(self, path: str | os.PathLike[str]) -> Path:
        """Write results and settings into one file, which `load` reads.

        Parameters
        ----------
        path : str or Path
            A name that ends in .zip.

        Raises
        ------
        StudyError
            If it does not.
        """
        from reportgen.api.archive_files import save

        place = given_path("save(path=…)", path, "the path of a file .zip")
        return save(place, self._job, self._warehouse, self._origin)

    # ---------------------------------------------------------------------------------- views

    def __repr__(self) -> str:
        """Write the verdict in a dozen lines."""
        from reportgen.api.views import text_view

        return text_view(self._brief)

    def _repr_html_(self) -> str:
        """Write the verdict, key numbers and a figure for a notebook."""
        from reportgen.api.views import html_view

        return html_view(self._brief, self._contents_of(self._brief_runner))

    def _repr_markdown_(self) -> str:
        """Write the verdict and key numbers for a document in Word, or in Markdown."""
        from reportgen.api.views import markdown_view

        return markdown_view(self._brief)

    def _repr_latex_(self) -> str:
        """Write the verdict and key numbers for a PDF by LaTeX."""
        from reportgen.api.views import latex_view

        return latex_view(self._brief)

    def _repr_png_(self) -> bytes | None:
        """Draw the figure of all pairs; None where there is none."""
        from reportgen.api.views import png_view

        return png_view(self._contents_of(self._brief_runner))

    def _repr_mimebundle_(self, **_: Any) -> dict[str, str]:
        """Return the view of a notebook, and its texts for programs without HTML."""
        return {
            "text/plain": repr(self),
            "text/html": self._repr_html_(),
            "text/markdown": self._repr_markdown_(),
            "text/latex": self._repr_latex_(),
        }

    def _ipython_display_(self) -> None:
        """Show the view; then the figure alone, for documents in which the view has none."""
        # A program shows one form of each output: a page the view with its figure and nothing of
        # the second, a PDF or a document in Word the text of the first and the picture of the
        # second.
        from base64 import b64encode

        from IPython.display import display

        display(self._repr_mimebundle_(), raw=True)  # type: ignore[no-untyped-call]
        picture = self._repr_png_()
        if picture is not None:
            data = {
                "text/plain": "",  # each output has some
                "text/html": "<!-- in the view -->",
                "image/png": b64encode(picture).decode(),
            }
            display(data, raw=True)  # type: ignore[no-untyped-call]

    # --------------------------------------------------------------------------------- private

    def _result(self, section: str, dataset: str | None, runner: SectionRunner) -> Any:
        """Return the result of a section, as a runner computes it."""
        if section not in self._job.sections:
            raise self._unknown("section", section, tuple(self._job.sections))
        found = self._job.sections[section]
        if not found.applies(self._warehouse):
            raise StudyError(
                f"{self.name}: found the section {section}, which does not apply to these results; "
                f"allowed with {found.wants or 'other results'}"
            )
        with live_progress():
            results = runner.results(section)
        return results[None if found.scope == "study" else self._dataset(dataset)]

    @cached_property
    def _runner(self) -> SectionRunner:
        return self._new_runner()

    @cached_property
    def _brief_runner(self) -> SectionRunner:
        """Of the verdicts alone; their numbers are the same."""
        return self._new_runner("compact")

    def _new_runner(self, density: Density = "full") -> SectionRunner:
        from reportgen.section_runner import SectionRunner

        job = self._job
        models = {name: section.options for name, section in job.sections.items()}
        options = {choice.name: choice.options for choice in job.study.choices(models)}
        return SectionRunner(
            *(job.study, job.sections, self._warehouse, options), media="none", density=density
        )

    @cached_property
    def _choices(self) -> tuple[SectionChoice, ...]:
        """The sections that the report has, with their options."""
        from reportgen.section_runner import chosen_sections

        return chosen_sections(self._job.study, self._job.sections, self._warehouse)

    def _applying(self) -> list[str]:
        """Return the names of the sections that the report has."""
        return [choice.name for choice in self._choices]

    @cached_property
    def _contents(self) -> Contents:
        return self._contents_of(self._runner)

    def _paper(self, section: str, options: LatexEntry) -> Paper:
        """Return a section's tables in LaTeX."""
        from reportgen import pipeline
        from reportgen.rendering.latex import compose_paper

        with live_progress():
            contents = [replace(c, is_listed=True) for c in self._runner.contents([section])]
        report = pipeline.report_of(self._job, self._warehouse, self._origin, contents)
        return compose_paper(report, pipeline.template_folders(self._job), options)

    def _contents_of(self, runner: SectionRunner) -> Contents:
        from reportgen.api.contents import Contents

        sections = {name: self._job.sections[name] for name in self._applying()}
        if len(self.datasets) > 1:  # what is over all of them comes first
            own = sorted(sections.items(), key=lambda item: item[1].scope != "study")
            sections = dict(own)
        return Contents(sections, self.candidates, runner, self._warehouse.unit)

    def _brief_result(self, section: str, dataset: str | None = None) -> Any:
        """Return the result of a section as far as verdicts go."""
        return self._result(section, dataset, self._brief_runner)

    @cached_property
    def _brief(self) -> Report:
        """The report as far as its conclusion is read from it: neither drawn nor tabulated."""
        from reportgen import pipeline

        with live_progress():
            contents = [
                self._brief_runner.content(name, dataset)
                for name in self._concluding()
                for dataset in self._brief_runner.results(name)
            ]
        return pipeline.report_of(self._job, self._warehouse, self._origin, contents)

    def _concluding(self) -> list[str]:
        """Return the sections that the conclusion is read from; no other one is imported for it."""
        of_experiment = OF_ONE if len(self.datasets) == 1 else OF_SEVERAL
        wanted = OF_TABLE if self._warehouse.is_table else of_experiment
        if self._job.study.sections is not None:
            return [name for name in self._applying() if name in wanted]
        return [name for name in wanted if self._job.sections[name].applies(self._warehouse)]

    def _dataset(self, name: str | None) -> str:
        """Return the data set of this name; the only one when there is no name."""
        if name is None:
            if len(self.datasets) > 1:
                found = f"{len(self.datasets)} data sets and none chosen"
                raise StudyError(
                    f"{self.name}: found {found}; allowed dataset= one of {listed(self.datasets)}"
                )
            return self.datasets[0]
        if name not in self.datasets:
            raise self._unknown("data set", name, self.datasets)
        return name

    def _measure(self, name: str | None) -> str:
        """Return the measure of this name; the main one when there is no name."""
        if name is None:
            return self.measures[0]
        own = measure_name(str(name))
        if own not in self.measures:
            raise self._unknown("measure", name, self.measures)
        return own

    def _unknown(self, kind: str, name: str, allowed: Sequence[str]) -> StudyError:
        return StudyError(f"{self.name}: {describe_unknown(kind, name, allowed)}")

    def _chosen(self, results: Mapping[str, Any], measure: str | None) -> list[Any]:
        """Return a section's results of one measure, or of all."""
        measure = None if measure is None else self._measure(measure)
        return [found for name, found in results.items() if measure in (None, name)]

    def _by_dataset(
        self, section: str, measure: str | None, dataset: str | None
    ) -> list[tuple[str, Any]]:
        """Return results by data set and measure, or only of one."""
        wanted = self.datasets if dataset is None else (self._dataset(dataset),)
        return [
            (name, found)
            for name in wanted
            for found in self._chosen(self._brief_result(section, name), measure)
        ]

    @property
    def _has_domain(self) -> bool:
        return self._job.sections["domain"].applies(self._warehouse)

    def _consensus(self, measure: str | None, dataset: str | None) -> Any:
        if dataset is None and len(self.datasets) > 1:
            return self._brief_result("domain").consensus[self._measure(measure)]
        if measure is not None:
            found = f"the measure {shown(measure)} for the consensus on one data set"
            raise StudyError(f"{self.name}: found {found}; allowed none: it is of all measures")
        return self._brief_result("consensus", dataset)

    @property
    def _over_datasets(self) -> Mapping[str, Any]:
        """The verdicts over the data sets by measure; over tasks for other items of these."""
        name = self._warehouse.unit.section_over
        applies = self._job.sections[name].applies(self._warehouse)
        found: Mapping[str, Any] = self._brief_result(name if applies else "domain").verdict
        return found
