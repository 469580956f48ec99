"""What changed between two runs: `reportgen diff`."""

from __future__ import annotations

import os
from collections.abc import Sequence
from typing import TYPE_CHECKING

from reportgen.difference.comparison import compare_readings
from reportgen.difference.reading import read_run
from reportgen.difference.self_comparison import REPEATS, count_false_alarms
from reportgen.study.errors import given_path

if TYPE_CHECKING:
    from reportgen.api.study import BenchmarkStudy
    from reportgen.difference.result import Difference, FalseAlarms

    Run = str | os.PathLike[str] | BenchmarkStudy

SCHEMA_VERSION = 1
"""Of the JSON of a difference."""


def diff(
    first: Run,
    second: Run,
    *,
    measures: Sequence[str] = (),
    alpha: float | None = None,
    shared: bool | None = None,
    confirm: Run | None = None,
) -> Difference:
    """Compare two runs: design, environment, values, verdicts, orders and consensus.

    Values that are equal to the last bit are unchanged, and not tested. Where the runs share their
    replications (the same seed, data and samples) the values of each candidate are compared in
    pairs, else as two samples (Welch), both corrected for skewness; times and sizes by ratio.
    Bonferroni's inequality holds the cells together. A verdict that is another one is tested as the
    change of that difference, over all pairs with a verdict. The probability that any change is
    shown, or any verdict said to have moved, where nothing has changed, is at most `alpha`.

    Parameters
    ----------
    first, second : str, Path or BenchmarkStudy
        Folder of a run, a saved study, a warehouse, a file of results, a `results.json` (then
        nothing is tested), or "REVISION:PATH" of the git repository of the current folder.
    measures : sequence of str
        Only these; all when left out.
    alpha : float, optional
        That of the second run's study when left out.
    shared : bool, optional
        Whether replications of the same number are the same; found out when left out.
    confirm : str, Path or BenchmarkStudy, optional
        The second run made anew: a change is shown where both differ from the first run, to the
        same side.

    Returns
    -------
    Difference

    Raises
    ------
    StudyError
        If there is no run, or no such measure.

    Examples
    --------
    >>> import numpy as np, reportgen
    >>> rng = np.random.default_rng(1)
    >>> lda, svm = rng.normal(0.3, 0.02, (2, 60))
    >>> before, after = (
    ...     reportgen.compare({"lda": lda, "svm": values}, measure="misclassification")
    ...     for values in (svm, svm - 0.1 + rng.normal(0, 0.01, 60))
    ... )
    >>> found = reportgen.diff(before, after)
    >>> [(cell.candidate, cell.status, cell.is_better) for cell in found.cells]
    [('lda', 'unchanged', None), ('svm', 'changed', True)]
    >>> [(v.first, v.second, v.after.decision, v.status) for v in found.verdicts]
    [('lda', 'svm', 'worse', 'moved')]
    """
    both = (read_run(_name(run)).only(measures) for run in (first, second))
    before, after = both
    found = compare_readings(before, after, alpha=alpha, shared=shared)
    if confirm is None or not {"values", "verdicts"} & {*found.changed()}:
        return found
    again = read_run(_name(confirm)).only(measures)
    return found.confirmed_by(compare_readings(before, again, alpha=found.alpha, shared=shared))


def compare_with_itself(
    run: Run,
    *,
    measures: Sequence[str] = (),
    alpha: float | None = None,
    repeats: int = REPEATS,
) -> FalseAlarms:
    """Count how often a comparison of a run with itself raises an alarm.

    Parameters
    ----------
    run : str, Path or BenchmarkStudy
        As of `diff`.
    measures : sequence of str
        Only these; all when left out.
    alpha : float, optional
        That of the study when left out.
    repeats : int

    Returns
    -------
    FalseAlarms

    Examples
    --------
    >>> import numpy as np, reportgen
    >>> from reportgen.difference import compare_with_itself
    >>> values = np.random.default_rng(1).normal(size=(40, 3))
    >>> study = reportgen.compare(values, measure="loss", better="smaller")
    >>> found = compare_with_itself(study, repeats=200)
    >>> found.labels.rate <= 0.1, found.halves.rate <= 0.1
    (True, True)
    """
    reading = read_run(_name(run), has_verdicts=False).only(measures)
    return count_false_alarms(reading, alpha=alpha, repeats=repeats)


def _name(run: Run) -> str | BenchmarkStudy:
    """Return a path as text."""
    from reportgen.api.study import BenchmarkStudy

    if isinstance(run, BenchmarkStudy):
        return run
    given_path("diff", run, "a path, REVISION:PATH, or a study")
    return os.fspath(run)


def render(found: Difference | FalseAlarms, form: str) -> str:
    """Write what was found as text, Markdown, JSON or a page.

    Parameters
    ----------
    found : Difference or FalseAlarms
    form : str
        A format of documents, such as "text" or "html".
    """
    from reportgen.difference.result import Difference
    from reportgen.difference.tables import tabulate
    from reportgen.rendering.document import Document, render_document
    from reportgen.rendering.results_json import format_json, plain

    if form == "json":
        content = plain(found)
        if isinstance(found, Difference):
            content["changed"] = list(found.changed())
        return format_json({"schema_version": SCHEMA_VERSION, **content}) + "\n"
    if not isinstance(found, Difference):
        return render_document(Document("false-alarms", found), form)
    document = Document(
        "difference",
        found,
        found.candidates,
        found.measures,
        found.second.provenance.date,
        tables=tabulate(found),
    )
    return render_document(document, form)
