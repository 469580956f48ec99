"""What a report answers of checklists of authors and referees: items, numbers, places.

`answer` reads the answers from a report; `templates/document/checklists.md.j2` puts them into
words. Items are those of the paper checklist of NeurIPS (2025) and of REFORMS (Kapoor et al., 2024,
Science Advances 10(18), table 1), grouped by what they ask about.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from types import MappingProxyType

from reportgen.conclusion.result import Conclusion, conclusion_of
from reportgen.conclusion.verdict import Comparison
from reportgen.performance_measure import Measure
from reportgen.report import Answer, Fact, Report
from reportgen.sections.inference.result import MeasureInference
from reportgen.stats.pairs.shared_data import holds_learnt
from reportgen.targets import TARGETS

NEURIPS, REFORMS = "neurips-2025", "reforms-2024"

MODULES = ("abc", "abcde", "abcdefg", "abc", "abcdef", "abc", "abc", "ab")  # of REFORMS

CHECKLISTS: Mapping[str, tuple[str, ...]] = MappingProxyType(
    {
        NEURIPS: tuple(str(n) for n in range(1, 17)),
        REFORMS: tuple(f"{n}{x}" for n, letters in enumerate(MODULES, 1) for x in letters),
    }
)
"""All items of each checklist, in its order."""

DISJOINT = (
    *("bootstrap", "subsampling", "hold-out", "k-fold", "repeated-k-fold", "time-series", "fresh"),
)
"""Schemes whose test samples have no observation of the learning sample, by construction."""

WITHIN = "cross-validation"
"""The assessment inside the learning sample, whose folds may share what was drawn twice."""

Items = Mapping[str, tuple[str, ...]]
Found = tuple[tuple[str, ...], Mapping[str, Fact], tuple[str, ...]]
"""Places, facts, and what is missing."""


def answer(report: Report) -> tuple[Answer, ...]:
    """Return what a report answers, topic by topic, and last what only its authors can answer.

    `report`: with its conclusion.
    Result: every item of each checklist is in one of them or several; none for a table that is no
    experiment.
    """
    if report.design.is_table:
        return ()
    found = [Answer(topic, items, *read(report)) for topic, (items, read) in TOPICS.items()]
    return (*found, Answer("authors", _remaining(), (), {}, ("authors",)))


def _remaining() -> Items:
    """Return the items that no topic is about."""
    asked = {
        name: {item for items, _ in TOPICS.values() for item in items.get(name, ())}
        for name in CHECKLISTS
    }
    return {
        name: tuple(item for item in items if item not in asked[name])
        for name, items in CHECKLISTS.items()
    }


# ------------------------------------------------------------------------------- the claims


def _limits(report: Report) -> Found:
    """Return whether the abstract says what its decisions speak of."""
    found = conclusion_of(report)
    if found is None:
        return (), {}, ("no-conclusion",)
    facts: dict[str, Fact] = {"target": found.target or ""}
    return ("result",), facts | {"n_caveats": len(found.caveats.told)}, ()


def _generality(report: Report) -> Found:
    """Return what is decided beyond the data that were used."""
    found = conclusion_of(report)
    if found is None or not _tests_place(found):
        return (), {}, ("one-by-one" if _tests_apart(report)[0] else "not-tested",)
    verdict, target = found.verdict, found.target
    if verdict is not None and verdict.is_untestable:
        return (), {}, ("too-few",)
    if target is None or not TARGETS[target].is_shown or (verdict is None and target != "process"):
        return (), {}, ("these-data",)
    facts: dict[str, Fact] = {"target": target}
    if verdict is not None:
        counts = {"n_pairs": verdict.n_pairs, "n_decided": verdict.n_decided}
        facts |= {"n_units": verdict.n_units, **counts}
    return _tests_place(found), facts, ()


def _tests(report: Report) -> Found:
    """Return by what pairs are decided."""
    found = conclusion_of(report)
    if found is None:
        return _tests_apart(report)
    places, verdict, changes = _tests_place(found), found.verdict, found.changes
    if verdict is not None and verdict.is_untestable:
        return (), {}, ("too-few",)
    if verdict is not None:
        return places, *_verdict(report, verdict, found)
    if changes is None:
        return _tests_apart(report)
    has_residuals = _has_residuals(report, changes.measure)
    facts: dict[str, Fact] = {
        "alpha": report.design.alpha,
        "n_tested": changes.n_tested,
        "n_pairs": changes.n_pairs,
        "n_always": changes.n_always,
        "n_never": changes.n_never,
        "has_residuals": has_residuals,
    }
    return places, facts, () if has_residuals else ("assumptions",)


def _tests_apart(report: Report) -> Found:
    """Return what is tested on single data sets, by intervals or else by stages."""
    inferred = [v for c in report.of_section("inference") for v in [*c.verdicts][:1] if v.pairs]
    followed = [
        m
        for content in report.of_section("sequential")
        for m in list(content.result.values())[:1]
        if m.pairs
    ]
    tested = inferred or followed
    if not tested:
        return (), {}, ("not-tested",)
    if inferred:
        n_decided = sum(v.pairs.n_significant for v in inferred)
        n_open = sum(int(v.pairs.is_open.sum()) for v in inferred)
        if n_open == sum(len(v.pairs) for v in inferred):
            return (), {}, ("too-few",)
    else:
        n_decided = sum(len(m.with_verdict("different", "slight")) for m in followed)
        n_open = sum(len(m.with_verdict("open")) for m in followed)
    facts: dict[str, Fact] = {
        "alpha": report.design.alpha,
        "n_apart": len(tested),
        "by": "intervals" if inferred else "stages",
        "n_pairs": sum(len(one.pairs) for one in tested),
        "n_decided": n_decided,
        "n_open": n_open,
    }
    own = "inference" if inferred else "sequential"
    place = "datasets" if len(report.design.datasets) > 1 else own
    has_residuals = bool(inferred) and _has_residuals(report, inferred[0].measure)
    facts |= {"has_residuals": has_residuals}
    return (place,), facts, () if has_residuals else ("assumptions",)


def _has_residuals(report: Report, measure: Measure) -> bool:
    """Whether residuals are examined wherever pairs are tested by a measure."""
    found = (content.result.get(measure.name) for content in report.of_section("inference"))
    tested = [i for i in found if isinstance(i, MeasureInference) and i.pairs]
    return bool(tested) and all(i.diagnostics is not None for i in tested)


def _verdict(
    report: Report, v: Comparison, found: Conclusion
) -> tuple[Mapping[str, Fact], tuple[str, ...]]:
    """Return facts and gaps of a verdict on the main measure."""
    facts: dict[str, Fact] = {
        "basis": v.basis,
        "alpha": v.alpha,
        "n_pairs": v.n_pairs,
        "n_family": v.n_family,
        "n_decided": v.n_decided,
        "n_open": int(v.pairs.is_open.sum()),
        "n_units": v.n_units,
        "is_over_datasets": v.dataset is None,
    }
    has_residuals = v.dataset is not None and _has_residuals(report, v.measure)
    missing = (
        *(("dependent",) if found.caveats.is_dependent else ()),
        *(() if has_residuals else ("assumptions",)),
    )
    return facts | {"has_residuals": has_residuals}, missing


def _tests_place(found: Conclusion) -> tuple[str, ...]:
    """Return where the decisions stand; nowhere without any."""
    if found.verdict is not None:
        return ("domain" if found.verdict.dataset is None else "inference",)
    if found.changes is not None:
        return ("sensitivity",)
    return ()


# ------------------------------------------------------------------------- the experiment


def _data(report: Report) -> Found:
    """Return which data sets there are, and of what size."""
    datasets = report.design.datasets
    n_sized = sum(dataset.n_observations is not None for dataset in datasets)
    facts = {"n_datasets": len(datasets), "n_sized": n_sized, **_inputs(report)}
    unit = report.design.unit  # of items and battles the design counts the observations
    is_counted = n_sized == len(datasets) or unit.is_nested or unit.is_contest
    gaps = () if is_counted else ("sizes",)
    address = () if all(dataset.formula for dataset in datasets) else ("data-address",)
    return ("design", "provenance"), facts, (*gaps, *_digests(report), *address)


def _samples(report: Report) -> Found:
    """Return how learning and test samples were drawn."""
    design = report.design
    if not design.scheme:
        return (), {}, ("scheme",)
    numbers = [dataset.n_replications for dataset in design.datasets]
    return ("design",), {"scheme": design.scheme, "least": min(numbers), "most": max(numbers)}, ()


def _separation(report: Report) -> Found:
    """Return whether no observation of a test sample was learnt from."""
    design = report.design
    ways = [design.resampling_of(dataset) for dataset in design.datasets]
    if design.source or not all(ways):
        return (), {}, ("read",)
    if not all(_is_disjoint(way) for way in ways):
        return (), {}, ("given-samples",)
    return ("design",), {"scheme": design.scheme}, ()


def _is_disjoint(way: Mapping[str, object]) -> bool:
    """Whether learning and test samples have no observation in common; a splitter is held to it."""
    is_apart = way.get("scheme") in DISJOINT or "splitter" in way
    return is_apart and way.get("assessment") != WITHIN and not holds_learnt(way)


def _candidates(report: Report) -> Found:
    """Return whether a manifest defines the candidates."""
    facts: dict[str, Fact] = {"n_candidates": len(report.design.candidates)}
    if report.design.source:
        return (), facts, ("read",)
    if not report.provenance.manifest:
        return (), facts, ("no-manifest",)
    return ("design", "provenance"), facts, ()


def _hyperparameters(report: Report) -> Found:
    """Return how many candidates chose hyperparameters."""
    design = report.design
    if not design.choices:
        return (), {}, ("read" if design.source else "no-choices",)
    n = len({choice.candidate for choice in design.choices})
    return ("choices",), {"n_choosing": n, "n_candidates": len(design.candidates)}, ()


def _measures(report: Report) -> Found:
    """Return whether the measures are defined; scores of battles are by the methods of pairs."""
    is_scored = report.design.unit.is_contest and bool(report.of_section("inference"))
    are_defined = is_scored or not report.design.source
    facts = {"n_measures": len(report.design.measures), "are_defined": are_defined}
    if not are_defined:
        return ("design",), facts, ("definitions",)
    return ("design", "inference" if is_scored else "how-measured"), facts, ()


def _missing(report: Report) -> Found:
    """Return how many values of the experiment are missing."""
    design = report.design
    facts: dict[str, Fact] = {
        "n_missing": design.n_missing,
        "n_values": design.n_values,
        "missing_rule": design.missing_rule,
        "n_removed": sum(dataset.n_removed for dataset in design.datasets),
    }
    places = ("design", "missing") if design.failures else ("design",)
    return places, facts, ("missing-inputs",)


def _code(report: Report) -> Found:
    """Return by what the results can be made again."""
    design, origin = report.design, report.provenance
    facts = {"seed": design.seed, "n_versions": len(origin.versions), **_inputs(report)}
    gaps = (("fits-elsewhere", bool(design.source)), ("revision", not origin.commit))
    found = tuple(name for name, holds in gaps if holds)
    missing = (*found, *_digests(report), "code-address")
    return ("provenance",), facts | {"has_revision": bool(origin.commit)}, missing


def _compute(report: Report) -> Found:
    """Return on what, and in which time, the fits were made."""
    origin, design = report.provenance, report.design
    if design.source:
        return (), {}, ("fits-elsewhere",)
    facts: dict[str, Fact] = {
        name: origin.execution[name]
        for name in ("fits", "reused_fits", "workers", "seconds")
        if isinstance(origin.execution.get(name), int | float)
    }
    is_timed = bool(facts.get("fits")) and "seconds" in facts and not facts.get("reused_fits")
    facts |= {"has_memory": design.has_memory}
    return ("provenance",), facts, (*(() if is_timed else ("time",)), "machine-memory")


def _inputs(report: Report) -> dict[str, Fact]:
    return {"n_inputs": len(report.provenance.inputs)}


def _digests(report: Report) -> tuple[str, ...]:
    return () if report.provenance.inputs else ("digests",)


TOPICS: Mapping[str, tuple[Items, Callable[[Report], Found]]] = MappingProxyType(
    {
        "tests": ({NEURIPS: ("7",), REFORMS: ("7b", "7c")}, _tests),
        "limits": ({NEURIPS: ("2",), REFORMS: ("1a", "8b")}, _limits),
        "generality": ({REFORMS: ("8a",)}, _generality),
        "data": ({REFORMS: ("2a", "3e")}, _data),
        "samples": ({NEURIPS: ("6",), REFORMS: ("5c",)}, _samples),
        "separation": ({REFORMS: ("6a",)}, _separation),
        "candidates": ({REFORMS: ("5a",)}, _candidates),
        "hyperparameters": ({NEURIPS: ("6",), REFORMS: ("5e",)}, _hyperparameters),
        "measures": ({REFORMS: ("7a",)}, _measures),
        "missing": ({REFORMS: ("3f", "4a")}, _missing),
        "code": ({NEURIPS: ("4", "5"), REFORMS: ("2b", "2d", "2e")}, _code),
        "compute": ({NEURIPS: ("8",), REFORMS: ("2c",)}, _compute),
    }
)
"""What is asked about: the items that ask it, and what reads the answer."""
