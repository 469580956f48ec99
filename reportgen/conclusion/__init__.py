"""The conclusion of a report, from which its abstract is written: `conclude`."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import replace
from typing import TYPE_CHECKING, Any, TypeVar

from reportgen.conclusion.recommendation import Cost, Recommendation, recommend
from reportgen.conclusion.result import (
    ArchetypeProfiles,
    Caveats,
    Conclusion,
    Corner,
    FirstSplit,
    Settled,
    Untested,
    order_line,
)
from reportgen.conclusion.verdict import Comparison, of_domain, of_inference
from reportgen.performance_measure import Measure
from reportgen.report import Design, Report
from reportgen.sections.domain.result import DomainResult, DomainVerdict
from reportgen.sections.eda.analysis import MeasureExploration
from reportgen.sections.inference.result import MeasureInference
from reportgen.stats.pair_table import PairTable
from reportgen.stats.pairs.shared_data import holds_learnt
from reportgen.stats.ranking import sort_best_first
from reportgen.stats.verdict import Verdict
from reportgen.targets import DecidingTarget

if TYPE_CHECKING:
    from reportgen.sections.items.analysis import ItemsResult

__all__ = ["Conclusion", "conclude"]

REASONS = {"one-candidate": "one-candidate", "too-few-blocks": "one-replication"}
UNTESTED = Recommendation("untested")

Found = TypeVar("Found")


def conclude(report: Report) -> Conclusion | None:
    """Conclude from the results of a report's sections; not where one that decides is lost."""
    if report.lacks_verdict:
        return None
    if report.design.is_table:
        return _of_table(report)
    if len(report.design.datasets) == 1:
        found = _with_observation(_of_dataset(report), report)
        found = replace(found, settled=_settled(report)) if found else None
    else:
        found = _of_settings(report) or _of_domain(report) or _of_parts(report)
        found = replace(found, division=_division(report)) if found else None
    if found is None:
        return None
    return _of_new_data(replace(found, contradicted=_contradicted(report)), report)


def _of_dataset(report: Report) -> Conclusion | None:
    """Conclude on the only data set."""
    explored = _main(_results(report, "eda"), MeasureExploration)
    inferred = _main(_results(report, "inference"), MeasureInference)
    if inferred is None or inferred.unavailable or not len(inferred.pairs):
        return _of_means(report, explored, inferred)
    verdict = of_inference(inferred, report.design)
    caveats = caveats_of(inferred, verdict, report.design, inferred.n_missing)
    return _decided(report, verdict, caveats)


def _with_observation(found: Conclusion | None, report: Report) -> Conclusion | None:
    """Return the conclusion with the observation that makes the difference, if one does."""
    explored = _main(_results(report, "eda"), MeasureExploration)
    own = explored.observation if explored is not None else None
    if found is None or explored is None or own is None or not own.is_decisive:
        return found
    return replace(found, observation=own, observed=explored.measure)


def _settled(report: Report) -> Settled | None:
    """Return after how many replications the pairs that the study names are settled, if all are."""
    listed = [c.result for c in report.of_section("sequential") if c.is_listed]
    if not listed:
        return None
    from reportgen.sections.sequential.analysis import Monitoring

    found = _main(listed, Monitoring)
    if found is None or found.choice != "named" or found.run or found.decided_at is None:
        return None
    equivalent = found.with_verdict("equivalent")
    better = found.with_verdict("different", "slight")
    return Settled(
        found.decided_at,
        found.n_replications,
        tuple(found.leads(pair) for pair in better),
        tuple(found.leads(pair) for pair in equivalent),
        len(found.pairs) - len(better) - len(equivalent),
        found.target == "conditional",
    )


def _of_new_data(found: Conclusion, report: Report) -> Conclusion:
    """Return the conclusion that recommends nobody by how well is known what was learnt from."""
    told = found.verdict or found.changes or found.untested
    learnt = _learnt(report, told.measure) if told is not None else ()
    is_part = found.changes is not None and len(learnt) < len(report.design.datasets)
    if not learnt or found.untested is not None or is_part:
        return replace(found, learnt=learnt)
    return replace(found, learnt=learnt, recommendation=found.recommendation.withheld())


def _learnt(report: Report, measure: Measure) -> tuple[str, ...]:
    """Return the data sets whose test samples hold what was learnt from; of times none."""
    if measure.is_of_machine:
        return ()
    design = report.design
    return tuple(d.name for d in design.datasets if holds_learnt(design.resampling_of(d)))


def _contradicted(report: Report) -> tuple[tuple[str, str], ...]:
    """Return pairs, the better by scores first, of which battles decide the opposite."""
    if not report.of_section("agreement"):
        return ()
    from reportgen.sections.agreement.analysis import AgreementResult

    found = _one(report, "agreement", AgreementResult)
    pairs = (pair.better for pair in found.opposite) if found is not None else ()
    return tuple((own, other) for own, other in pairs if own and other)


def _of_domain(report: Report) -> Conclusion | None:
    """Conclude over data sets, or over the tasks of an evaluation for other items of them."""
    found, tasks = _one(report, "domain", DomainResult), _tasks(report)
    own = tasks.main if tasks is not None else None
    if own is None and found is not None and found.main == report.design.measures[0].name:
        own = found.verdict.get(found.main)
    if own is None or not len(own.pairs):
        return None
    n_missing = own.n_missing if tasks else found.n_missing if found else 0
    options = (content.options for content in report.of_section("domain"))
    is_asked = any(getattr(own, "target", None) == "experiment" for own in options)
    verdict = of_domain(own, is_asked=is_asked)
    consensus = found.consensus.get(found.main) if found is not None and tasks is None else None
    caveats = caveats_of(own, verdict, report.design, n_missing)
    return _decided(report, verdict, caveats, consensus)


def _decided(
    report: Report, verdict: Comparison, caveats: Caveats, consensus: Any = None
) -> Conclusion:
    """Recommend by a verdict and what candidates cost."""
    costs, line = _costs(report, verdict), order_line(verdict, consensus)
    return Conclusion("verdict", recommend(verdict, costs), verdict, costs, line, caveats)


def _costs(report: Report, verdict: Comparison) -> tuple[Cost, ...]:
    """Read what candidates cost, by measures that all of them have."""
    found = []
    for measure in _cost_measures(report, verdict.measure):
        tested = _cost_verdict(report, verdict, measure.name)
        names = set() if tested is None else {*tested.means}
        if tested is None or not {*verdict.means} <= names or not measure.is_smaller_better:
            continue
        means = {name: tested.means[name] for name in verdict.means}
        is_ratio = tested.pairs.scale == "ratio"
        found.append(Cost(measure, means, is_ratio, _cheaper(tested.pairs), tested.pairs))
    return tuple(found)


def _cost_measures(report: Report, main: Measure) -> tuple[Measure, ...]:
    """Return the measures of cost that the study declares, else the first time."""
    others = [m for m in report.design.measures if m != main]
    if report.design.costs is not None:
        return tuple(m for m in others if m.name in report.design.costs)
    times = [m for m in others if m.is_time and not main.is_time]
    return tuple(sorted(times, key=lambda m: m.name != "fit-time")[:1])


def _cost_verdict(report: Report, verdict: Comparison, name: str) -> Verdict | None:
    """Return the cost's own verdict on what the main one is about, on the same data sets."""
    if verdict.dataset is not None:
        own = next(_inferred(report, name), None)
        return own if own is not None and not own.unavailable else None
    domain, main = _one(report, "domain", DomainResult), verdict.verdict
    found = domain.verdict.get(name) if domain else None
    if found is None or not isinstance(main, DomainVerdict):
        return None
    return found if {*found.datasets} == {*main.datasets} else None


def _cheaper(pairs: PairTable) -> tuple[tuple[str, str], ...]:
    """Return who is decided cheaper than whom, by more than the area of equivalence."""
    rows = (p.better_first for p in pairs if p.significant and p.decision != "equivalent")
    return tuple((p.first, p.second) for p in rows)


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
    seen = explored or inferred
    missing_candidates = seen.missing_candidates if seen else ()
    return Conclusion("untested", UNTESTED, caveats=Caveats(missing_candidates), untested=found)


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
    return sort_best_first(means, is_smaller_better=measure.is_smaller_better), measure, n


def _of_parts(report: Report) -> Conclusion | None:
    """Conclude where each data set has a verdict, and there is none over all."""
    tested = {
        content.dataset: own
        for content in report.of_section("inference")
        if content.dataset is not None
        and (own := _first(content.result, MeasureInference)) is not None
        and len(own.pairs)
    }
    if not tested:
        return None
    main = report.design.measures[0]
    others = {d: own.measure for d, own in tested.items() if own.measure != main}
    measure = main if len(others) < len(tested) else next(iter(others.values()))
    targets = {own.deciding_target for own in tested.values()}
    untested = Untested(
        measure,
        None,
        "over-data-sets",
        0,
        {},
        {d: own.leaders for d, own in tested.items()} if len(targets) == 1 else {},
        targets.pop() if len(targets) == 1 else None,
        {d: own for d, own in others.items() if own != measure},
    )
    return Conclusion("untested", UNTESTED, untested=untested)


def _of_settings(report: Report) -> Conclusion | None:
    """Conclude on how the verdict changes, where all data sets are settings of one."""
    by_base = _main(_results(report, "sensitivity"), dict)
    found = next(iter((by_base or {}).values()), None)
    if found is None:
        return None
    from reportgen.conclusion.settings import changes_of
    from reportgen.sections.sensitivity.analysis import Sensitivity

    if not isinstance(found, Sensitivity) or not found.is_whole:
        return None
    changes = changes_of(found, _learnt(report, found.measure))
    if changes is None:
        return None
    targets = {i.deciding_target for i in _inferred(report, found.measure.name)}
    target: DecidingTarget = "process" if targets == {"process"} else "experiment"
    are_dependent = {row.is_dependent for row in found.tested}
    caveats = Caveats(
        is_dependent=True in are_dependent,
        dependent=found.dependent if False in are_dependent else (),
    )
    advice = Recommendation("settings", target, recommended=changes.recommended)
    return Conclusion("settings", advice, caveats=caveats, changes=changes)


def _division(report: Report) -> FirstSplit | None:
    """Read what decides who does best, where the study asks for it and it was tested."""
    listed = [c.result for c in report.of_section("psychoanalysis") if c.is_listed]
    if not listed:
        return None
    from reportgen.sections.psychoanalysis.result import Psychoanalysis

    found = _main(listed, Psychoanalysis)
    if found is None or found.measure != report.design.measures[0] or not found.is_tested:
        return None
    if found.tree is None or found.split is None:
        return FirstSplit(None)
    if found.recurrence is not None and not found.recurrence.is_reportable:
        return None  # a division that most subsamples do not find again is for its section alone
    trait = found.trait(found.split.characteristic)
    return FirstSplit(trait.name, trait.definition, not found.is_reportable, found.tree.leads_alike)


def _of_table(report: Report) -> Conclusion | None:
    """Conclude on the archetypes of a table."""
    from reportgen.sections.archetypes.analysis import ArchetypesResult

    found = _one(report, "archetypes", ArchetypesResult)
    if found is None or found.unavailable:
        return None
    recurrence = found.recurrence
    corners = ArchetypeProfiles(
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
    return Conclusion("table", UNTESTED, corners=corners)


def _results(report: Report, section: str) -> Iterator[Any]:
    """Yield the results of a section."""
    return (content.result for content in report.of_section(section))


def _one(report: Report, section: str, kind: type[Found]) -> Found | None:
    """Return the first result of a section that is of some kind."""
    return next((r for r in _results(report, section) if isinstance(r, kind)), None)


def _tasks(report: Report) -> ItemsResult | None:
    """Return the result over the tasks of an evaluation, where there is one."""
    if not report.of_section("items"):
        return None
    from reportgen.sections.items.analysis import ItemsResult

    return _one(report, "items", ItemsResult)


def _inferred(report: Report, measure: str) -> Iterator[MeasureInference]:
    """Yield the inferences on one measure, data set by data set."""
    for result in _results(report, "inference"):
        if isinstance(result, Mapping) and isinstance(result.get(measure), MeasureInference):
            yield result[measure]


def _main(results: Iterable[Any], kind: type[Found]) -> Found | None:
    """Return the main measure's part of the first result: the first that is there."""
    return _first(next(iter(results), None), kind)


def _first(result: Any, kind: type[Found]) -> Found | None:
    """Return the first measure's part of a result by measure."""
    first = next(iter(result.values()), None) if isinstance(result, Mapping) else None
    return first if isinstance(first, kind) else None


def caveats_of(
    found: MeasureInference | DomainVerdict, verdict: Comparison, design: Design, n_missing: int
) -> Caveats:
    """Gather what the conclusion must not be believed for."""
    missing_candidates = tuple(
        name for name in design.candidates if name not in found.pairs.candidates
    )
    present = [name for name in design.candidates if name not in missing_candidates]
    datasets = design.datasets
    if isinstance(found, DomainVerdict) and found.method == "these-tasks":
        datasets = tuple(d for d in datasets if d.name in found.datasets)
    gaps = {name for d in datasets for name, n in d.missing.items() if n}
    n_blocks = sum(d.n_replications for d in datasets)
    n_by_design = 0
    if "stages" in design.resampling:  # what these leave out by design is not missing
        n_by_design = n_blocks * len(design.candidates) - design.n_values // len(design.measures)
    n_of_missing, n_outliers, n_changed = 0, 0, 0
    influence: tuple[str, ...] = ()
    leaders_without: tuple[str, ...] = ()
    if isinstance(found, DomainVerdict):
        if n_missing and found.method != "these-tasks":
            own = (
                d for d in design.datasets if d.name in (*found.datasets, *found.missing_datasets)
            )
            n_of_missing = len(missing_candidates) * sum(d.n_replications for d in own)
        first = next(iter(found.influence or ()), None)
        if first is not None and {*first.leaders_without} != {*verdict.not_worse}:
            influence, leaders_without = (first.dataset,), first.leaders_without
    elif found.outlier is not None:
        n_outliers = len(found.outlier.replications)
        n_changed = len(found.outlier.changed(found.pairs))
    return Caveats(
        missing_candidates=missing_candidates,
        n_missing=n_missing - n_of_missing,
        n_values=n_blocks * len(present) - n_by_design,
        incomplete_candidates=tuple(name for name in present if name in gaps),
        complete=tuple(name for name in present if name not in gaps),
        is_dependent=verdict.target == "experiment"
        and verdict.dataset is not None
        and design.has_folds,
        influence=influence,
        leaders_without=leaders_without,
        n_outliers=n_outliers,
        n_changed=n_changed,
        gained=tuple(name for name in leaders_without if name not in verdict.not_worse),
        lost=tuple(n for n in verdict.not_worse if influence and n not in leaders_without),
        is_undecided_without=bool(influence) and len(leaders_without) == len(verdict.means),
    )
