"""The conclusion of a report, from which its abstract is written: `conclude`."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import replace
from typing import Any, TypeVar

from reportgen.conclusion.comparison import caveats_of, compare, new_data_of, order_line
from reportgen.conclusion.cost import Cost, cost_of
from reportgen.conclusion.result import (
    Caveats,
    Comparison,
    Conclusion,
    Corner,
    Corners,
    Division,
    Kind,
    Ranks,
    Scope,
    Tally,
    Untested,
)
from reportgen.conclusion.settings import changes_of
from reportgen.report import Report
from reportgen.sections.archetypes.result import ArchetypesResult
from reportgen.sections.domain.result import DomainResult
from reportgen.sections.eda.result import MeasureExploration
from reportgen.sections.frontier.result import FrontierResult
from reportgen.sections.inference.result import MeasureInference
from reportgen.sections.items.result import ItemsResult
from reportgen.sections.psychoanalysis.result import Psychoanalysis
from reportgen.sections.sensitivity.result import Sensitivity
from reportgen.warehouse import Measure

__all__ = ["Conclusion", "conclude"]

REASONS = {"one-candidate": "one-candidate", "too-few-blocks": "one-replication"}

Found = TypeVar("Found")


def conclude(report: Report) -> Conclusion | None:
    """Conclude from the results of a report's sections.

    Parameters
    ----------
    report : Report

    Returns
    -------
    Conclusion or None
        None where the sections that would say something are not there, or found
        nothing.
    """
    if report.design.is_table:
        return _of_table(report)
    if len(report.design.datasets) == 1:
        return _of_dataset(report)
    found = _of_settings(report) or _of_tasks(report) or _of_domain(report) or _of_datasets(report)
    return replace(found, division=_division(report)) if found else None


# ------------------------------------------------------------------------------ one data set


def _of_dataset(report: Report) -> Conclusion | None:
    """Conclude on the only data set."""
    explored = _main(_results(report, "eda"), MeasureExploration)
    inferred = _main(_results(report, "inference"), MeasureInference)
    if inferred is None or inferred.unavailable or not len(inferred.pairs):
        return _of_means(report, explored, inferred)
    comparison = compare(inferred, report.design, report.design.datasets[0].name)
    return Conclusion(
        "dataset",
        caveats_of(inferred, report.design, _scope(inferred), inferred.n_missing),
        comparison,
        new_data_of(inferred, comparison),
        _cost(report, comparison),
        line=order_line(comparison),
    )


def _scope(inferred: MeasureInference) -> Scope:
    """Return what a verdict on one data set speaks of."""
    if inferred.target == "generating-process":
        return "process"
    if inferred.target == "items-like-these":
        return "items"
    if inferred.method is not None and inferred.method.name == "welch":
        return "samples"
    reason = inferred.new_data.reason if inferred.new_data else None
    return "test-sample" if reason == "fixed-test-sample" else "one-dataset"


def _of_means(
    report: Report, explored: MeasureExploration | None, inferred: MeasureInference | None
) -> Conclusion | None:
    """Conclude where nothing was tested: there are means at best."""
    means, measure, n = _means(explored, inferred)
    if not means or measure is None:
        return None
    reason: Any = "not-asked"
    if len(means) == 1:
        reason = "one-candidate"
    elif inferred is not None:
        reason = REASONS.get(inferred.unavailable or "", "not-shared")
    elif n == 1:
        reason = "one-replication"
    found = Untested(measure, report.design.datasets[0].name, reason, n, means)
    kind: Kind = "alone" if reason == "one-candidate" else "untested"
    absent = explored.absent if explored else inferred.absent if inferred else ()
    return Conclusion(kind, Caveats("one-dataset", absent=absent), untested=found)


def _means(
    explored: MeasureExploration | None, inferred: MeasureInference | None
) -> tuple[dict[str, float], Measure | None, int]:
    """Return means, the best first, of what measure, and the replications that they rest on."""
    if explored is not None:
        measure, n = explored.measure, max((row.n for row in explored.summary), default=0)
        means = {row.candidate: row.mean for row in explored.summary}
    elif inferred is not None:
        measure, n, means = inferred.measure, inferred.n_used, dict(inferred.means)
    else:
        return {}, None, 0
    sign = 1 if measure.is_smaller_better else -1
    return dict(sorted(means.items(), key=lambda item: sign * item[1])), measure, n


# --------------------------------------------------------------------------- several data sets


def _of_settings(report: Report) -> Conclusion | None:
    """Conclude on how the verdict changes, where all data sets are settings of one."""
    by_base = _main(_results(report, "sensitivity"), dict)
    found = next(iter((by_base or {}).values()), None)
    if not isinstance(found, Sensitivity) or not found.is_whole:
        return None
    changes = changes_of(found)
    if changes is None:
        return None
    targets = {i.target for i in _inferred(report, found.measure.name)}
    scope: Scope = "process" if targets == {"generating-process"} else "settings"
    are_dependent = {row.is_dependent for row in found.tested}
    caveats = Caveats(
        scope,
        changes.n_settings,
        is_dependent=True in are_dependent,
        dependent=found.dependent if False in are_dependent else (),
    )
    return Conclusion("settings", caveats, changes=changes)


def _of_tasks(report: Report) -> Conclusion | None:
    """Conclude on the tasks of an evaluation, for other items of them."""
    found = next((r for r in _results(report, "items") if isinstance(r, ItemsResult)), None)
    verdict = found.main if found else None
    if found is None or verdict is None or not len(verdict.pairs):
        return None
    domain = next((r for r in _results(report, "domain") if isinstance(r, DomainResult)), None)
    comparison = compare(verdict, report.design, None)
    n_missing = sum(row.n_missing for row in domain.rows) if domain else 0
    return Conclusion(
        "domain",
        caveats_of(verdict, report.design, "tasks", n_missing),
        comparison,
        cost=_cost(report, comparison),
        ranks=_ranks(domain, comparison) if domain else {},
        line=order_line(comparison),
    )


def _of_domain(report: Report) -> Conclusion | None:
    """Conclude over data sets."""
    found = next((r for r in _results(report, "domain") if isinstance(r, DomainResult)), None)
    verdict = found.verdict.get(found.main) if found else None
    if found is None or verdict is None or not len(verdict.pairs):
        return None
    comparison = compare(verdict, report.design, None)
    scope: Scope = "domain" if verdict.target == "domain" else "settings"
    return Conclusion(
        "domain",
        caveats_of(verdict, report.design, scope, sum(row.n_missing for row in found.rows)),
        comparison,
        cost=_cost(report, comparison),
        ranks=_ranks(found, comparison),
        line=order_line(comparison, found.consensus.get(found.main)),
    )


def _ranks(found: DomainResult, comparison: Comparison) -> dict[str, Ranks]:
    """Count on how many data sets a candidate's mean is the best, and the worst, of all."""
    is_smaller_better = comparison.measure.is_smaller_better
    best, worst = dict.fromkeys(comparison.candidates, 0), dict.fromkeys(comparison.candidates, 0)
    for row in found.rows:
        means = {name: x for name, x in row.means.items() if name in best}
        if len(means) < 2:
            continue
        low, high = min(means.values()), max(means.values())
        for name, mean in means.items():
            best[name] += mean == (low if is_smaller_better else high)
            worst[name] += mean == (high if is_smaller_better else low)
    return {name: Ranks(best[name], worst[name]) for name in best}


def _of_datasets(report: Report) -> Conclusion | None:
    """Conclude on several data sets one by one."""
    tested = {
        content.dataset: inferred
        for content in report.of_section("inference")
        if content.dataset is not None
        and (inferred := _first(content.result, MeasureInference)) is not None
        and not inferred.unavailable
        and len(inferred.pairs)
    }
    if not tested:
        return None
    winners: dict[str, list[str]] = {}
    unbeaten = [*report.design.candidates]
    compared = {name: compare(i, report.design, name) for name, i in tested.items()}
    for dataset, comparison in compared.items():
        if comparison.winner is not None:
            winners.setdefault(comparison.winner, []).append(dataset)
        unbeaten = [name for name in unbeaten if name in comparison.leaders]
    ordered = sorted(winners.items(), key=lambda item: -len(item[1]))
    measure = next(iter(tested.values())).measure
    won = {name: tuple(own) for name, own in ordered}
    foreseen = ((name, new_data_of(tested[name], compared[name])) for name in tested)
    new_data = {name: found for name, found in foreseen if found and found.reason is None}
    tally = Tally(measure, len(tested), won, tuple(unbeaten), compared, new_data)
    return Conclusion("datasets", Caveats("datasets", len(tested)), tally=tally)


def _cost(report: Report, comparison: Comparison) -> Cost | None:
    """Read the times, where the report has the section on them."""
    result = next((r for r in _results(report, "frontier") if isinstance(r, FrontierResult)), None)
    found = result.chosen if result else None
    if result is None or found is None or result.main != comparison.measure.name:
        return None
    name = found.measure.name
    if comparison.dataset is not None:
        tested = next((i for i in _inferred(report, name) if not i.unavailable), None)
        return cost_of(found, comparison, tested.pairs if tested else None)
    domain = next((r for r in _results(report, "domain") if isinstance(r, DomainResult)), None)
    verdict = domain.verdict.get(name) if domain else None
    return cost_of(found, comparison, verdict.pairs if verdict else None)


def _division(report: Report) -> Division | None:
    """Read what decides who does best, where the study asks for it and it was tested."""
    listed = (c.result for c in report.of_section("psychoanalysis") if c.is_listed)
    found = _main(listed, Psychoanalysis)
    if found is None or found.measure != report.design.measures[0] or not found.is_tested:
        return None
    if found.tree is None or found.split is None:
        return Division(None)
    trait = found.trait(found.split.characteristic)
    return Division(trait.name, trait.definition, not found.is_reportable, found.tree.leads_alike)


# ------------------------------------------------------------------------------------ tables


def _of_table(report: Report) -> Conclusion | None:
    """Conclude on the archetypes of a table."""
    found = next(
        (r for r in _results(report, "archetypes") if isinstance(r, ArchetypesResult)), None
    )
    if found is None or found.unavailable:
        return None
    recurrence = found.recurrence
    corners = Corners(
        n_rows=found.n_rows,
        n_columns=len(found.columns),
        k=found.k,
        explained=found.explained,
        is_trivial=found.k == 1 or found.is_every_row,
        is_reportable=found.is_reportable,
        share=recurrence.share if recurrence else None,
        n_subsamples=recurrence.n_subsamples if recurrence else 0,
        n_outliers=found.n_outliers,
        corners=tuple(Corner(p.number, p.low, p.high, p.n_rows) for p in found.profiles),
    )
    return Conclusion("table", Caveats("table"), corners=corners)


# ----------------------------------------------------------------------------- results by name


def _results(report: Report, section: str) -> Iterator[Any]:
    """Yield the results of a section."""
    return (content.result for content in report.of_section(section))


def _inferred(report: Report, measure: str) -> Iterator[MeasureInference]:
    """Yield the inferences on one measure, data set by data set."""
    for result in _results(report, "inference"):
        if isinstance(result, Mapping) and isinstance(result.get(measure), MeasureInference):
            yield result[measure]


def _main(results: Iterator[Any], kind: type[Found]) -> Found | None:
    """Return the main measure's part of the first result: the first that is there."""
    return _first(next(results, None), kind)


def _first(result: Any, kind: type[Found]) -> Found | None:
    """Return the first measure's part of a result by measure."""
    first = next(iter(result.values()), None) if isinstance(result, Mapping) else None
    return first if isinstance(first, kind) else None
