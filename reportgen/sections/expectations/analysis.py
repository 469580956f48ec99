"""Claims are decided: by own intervals, as facts, or by what sections describe.

The family are the m distinct contrasts that the claims asked together name: a pair of candidates,
or the mean of one, by a measure on a data set or over all. Each has the interval of its own
differences for what decides in a report (`reportgen.study.target`), at level alpha / m
(Bonferroni): for new data of the source by the rule of `reportgen.stats.pairs.new_data`, over data
sets by the model where the study asks for one, else that of the verdicts
(`reportgen.stats.pairs.paired_max_t`), so that the probability that any claim holds or fails
wrongly is about alpha at most, as far as differences are not strongly skewed (docs/gates-size.md),
for new data nominally. After an execution in s stages, whose end depends on the values, it is
alpha / (m s): whichever stage was the last, its intervals hold.

References
----------
.. [1] O. J. Dunn (1961), "Multiple comparisons among means", JASA 56.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from typing import Any, get_args

from numpy.random import Generator

from reportgen.data_classes import dataclass
from reportgen.errors import StudyError
from reportgen.sections.expectations import Options
from reportgen.sections.expectations.contrasts import (
    OUTCOME_AT,
    ContrastValues,
    Key,
    contrast_of,
    values_of,
)
from reportgen.sections.expectations.levels import Level, best_contrast, level_kinds, levels_of
from reportgen.sections.expectations.result import (
    ClaimTest,
    Contrast,
    ExpectationsResult,
    Family,
    Outcome,
    Reason,
    together,
)
from reportgen.stats.pair_table import PairTable
from reportgen.study.claims import (
    Claim,
    Names,
    bounds_of,
    claim_fault,
    limit_of,
    place_of_pair,
    read_claim,
)
from reportgen.study.comparison import area_on
from reportgen.study.errors import describe_unknown, shown
from reportgen.study.schema.options import AnalysisOptions, Expectation, Undecided
from reportgen.study.stages import stages_of
from reportgen.warehouse import FAILED, Warehouse

REASONS: tuple[Reason, ...] = get_args(Reason)
"""Of several contrasts that are undecided the first of these is told."""
UNSOUGHT = ("one-relation", "no-search")  # of a consensus of very many candidates


def analyse(
    warehouse: Warehouse, options: Options, rng: Generator, **sections: Any
) -> ExpectationsResult:
    """Decide on the claims of a study.

    `rng`: not used.
    `sections`: results of the sections that `options.required_sections` names, where they apply.
    Raises StudyError if a claim cannot be read, names what is not there, or has no bounds by its
    measure.
    """
    return decide(warehouse, options.expect, options, sections, options.on_undecided)


@dataclass(frozen=True, slots=True)
class Asked:
    """A claim with what it is about."""

    claim: Claim  # with its measure, and its data set (None over all)
    # Candidates whose difference it is about; one and None of a mean.
    pairs: tuple[tuple[str, str | None], ...]
    on_undecided: Undecided

    @property
    def keys(self) -> tuple[Key, ...]:
        """The contrasts, whichever candidate comes first."""
        claim = self.claim
        return tuple(
            (str(claim.measure), claim.dataset, frozenset({a} if b is None else {a, b}))
            for a, b in self.pairs
        )


def decide(
    warehouse: Warehouse,
    claims: Sequence[Expectation],
    options: AnalysisOptions,
    sections: Mapping[str, Any],
    on_undecided: Undecided = "warn",
) -> ExpectationsResult:
    """Decide on claims that are asked together.

    `options`: of the study's analysis.
    `sections`: results of the sections that the claims need (`required_sections`), where they
    apply.
    `on_undecided`: what an undecided claim does that does not say so itself.
    Raises StudyError if a claim cannot be read, names what is not there, or has no bounds by its
    measure.
    """
    asked = _asked(warehouse, claims, on_undecided)
    family = Family(
        options.alpha, len({key for own in asked for key in own.keys}), _n_stages(warehouse)
    )
    task = _Task(warehouse, options, sections, family, {}, levels_of(warehouse))
    gates = tuple(task.decide(own) for own in asked)
    return ExpectationsResult(
        gates,
        family.alpha,
        family.n_contrasts,
        family.n_stages,
        on_undecided,
        tuple(dict.fromkeys(c.target for gate in gates for c in gate.contrasts)),
        {measure.name: measure for measure in warehouse.measures},
    )


def questions_of(
    warehouse: Warehouse,
    claims: Sequence[Expectation],
    options: AnalysisOptions,
    sections: Mapping[str, Any],
) -> tuple[Question | None, ...]:
    """Return what each claim asks of the values; None of checks.

    `options`, `sections`: as of `decide`.
    Raises StudyError if a claim cannot be read, names what is not there, or has no bounds by its
    measure.
    """
    task = _Task(warehouse, options, sections, Family(options.alpha, 1), {}, levels_of(warehouse))
    every = _asked(warehouse, claims, "warn")
    return tuple(
        task.question(own) if own.claim.is_tested and not task.is_of_best(own.claim) else None
        for own in every
    )


def _asked(
    warehouse: Warehouse, claims: Sequence[Expectation], on_undecided: Undecided
) -> list[Asked]:
    """Read the claims of a study."""
    names = names_of(warehouse)
    return [
        ask(
            read_claim(entry.claim, names, measure=entry.measure, dataset=entry.dataset),
            names,
            entry.on_undecided or on_undecided,
        )
        for entry in claims
    ]


def _n_stages(warehouse: Warehouse) -> int:
    """Return at how many times an execution could have ended."""
    stages = stages_of(warehouse)
    return len(stages.ends) if stages else 1


def names_of(warehouse: Warehouse) -> Names:
    """Return what claims about a warehouse can name."""
    measures = tuple(measure.name for measure in warehouse.measures)
    return Names(warehouse.candidates, measures, warehouse.datasets, level_kinds(warehouse))


def ask(claim: Claim, names: Names, on_undecided: Undecided = "warn") -> Asked:
    """Complete a claim: by the main measure, on the only data set or over all.

    `names`: all known.
    """
    candidates, measures, datasets = names.candidates or (), names.measures, names.datasets
    if claim.is_tested and measures and datasets:
        only = datasets[0] if len(datasets) == 1 and not claim.is_of_domain else None
        measure, dataset = claim.measure or measures[0], claim.dataset or only
        claim = replace(claim, measure=measure, dataset=dataset)
    kind = names.levels.get(claim.first)
    alike = candidates if kind is None else [k for k, own in names.levels.items() if own == kind]
    return Asked(claim, tuple(_pairs(claim, alike)), on_undecided)


def _pairs(claim: Claim, candidates: Sequence[str]) -> Iterator[tuple[str, str | None]]:
    """Yield the contrasts of a claim."""
    if claim.relation == "best":
        yield from ((claim.first, name) for name in candidates if name != claim.first)
    elif claim.is_tested:
        yield claim.first, claim.second or None


@dataclass(frozen=True, slots=True)
class Question:
    """What a claim asks of the values of its measure."""

    values: ContrastValues
    pairs: tuple[tuple[str, str | None], ...]  # its contrasts
    limit: float  # of a mean, in the measure's unit
    bounds: tuple[float, float]  # of the contrasts, on the scale of comparison


@dataclass(frozen=True, slots=True)
class _Task:
    """A study whose claims are decided."""

    warehouse: Warehouse
    options: AnalysisOptions
    sections: Mapping[str, Any]
    family: Family
    known: dict[tuple[str, str | None, bool, bool], ContrastValues]
    levels: Mapping[str, Level]  # of factors of the candidates

    def is_of_best(self, claim: Claim) -> bool:
        """Whether a claim compares best settings."""
        return claim.first in self.levels and self.levels[claim.first].is_best

    def decide(self, asked: Asked) -> ClaimTest:
        """Decide on a claim."""
        claim = asked.claim
        if claim.is_tested:
            return self._by_intervals(asked)
        decide = {
            "failures": self._by_failures,
            "consensus": self._by_consensus,
            "tree": self._by_tree,
        }[claim.relation]
        outcome, reason, more = decide(claim)
        return ClaimTest(
            claim.text,
            claim.relation,
            "check",
            outcome,
            reason,
            asked.on_undecided,
            more.pop("measure", claim.measure),
            claim.dataset,
            **more,
        )

    # ------------------------------------------------------------------------- intervals

    def question(self, asked: Asked) -> Question:
        """Return what a claim that is tested asks of the values."""
        claim = asked.claim
        place, alone = (str(claim.measure), claim.dataset), claim.is_of_experiment
        is_of_levels = claim.first in self.levels
        # no model has means, or levels of factors
        is_modelled = claim.dataset is None and claim.is_of_pairs and not is_of_levels
        key = (*place, alone, is_modelled)
        if key not in self.known:
            verdict = self._verdict(claim) if is_modelled else None
            self.known[key] = values_of(
                self.warehouse, *place, self.options, is_of_experiment=alone, verdict=verdict
            )
        values = self.known[key]
        if is_of_levels and not self.is_of_best(claim):
            kind = self.levels[claim.first].kind
            own = {k: x.candidates for k, x in self.levels.items() if x.kind == kind}
            values = values.of_groups(own)
        if values.kind.is_contest and not claim.is_of_pairs:
            raise StudyError(
                f"claim {shown(claim.text)}: found a limit of {claim.measure}; allowed a "
                "comparison of two, as scores of battles have no zero"
            )
        measure, scale = values.measure, values.pair_scale if claim.is_of_pairs else values.scale
        area = area_on(scale, self.options.relevance.get(measure.name))
        if fault := claim_fault(claim, measure, scale, area):
            raise StudyError(f"claim {shown(claim.text)}: {fault}")
        bounds = bounds_of(claim, measure, scale, area)
        return Question(values, asked.pairs, limit_of(claim, measure), bounds)

    def _by_intervals(self, asked: Asked) -> ClaimTest:
        """Decide by the intervals of the contrasts."""
        claim, question = asked.claim, self.question(asked)
        values, bounds = question.values, question.bounds
        alpha, m = self.family.alpha, self.family.n_comparisons
        if self.is_of_best(claim):
            found = tuple(
                best_contrast(values, a, str(b), self.levels, bounds, alpha, m)
                for a, b in asked.pairs
            )
        else:
            found = tuple(
                contrast_of(values, *pair, question.limit, bounds, alpha, m) for pair in asked.pairs
            )
        is_of_candidates = claim.is_of_pairs and claim.first not in self.levels
        verdict = self._verdict(claim) if is_of_candidates else None
        if verdict is not None:
            told = (_of_report(c, claim, verdict.pairs_for(c.target), bounds) for c in found)
            found = tuple(replace(c, verdict=own) for c, own in zip(found, told, strict=True))
        outcome = together([c.outcome for c in found])
        return ClaimTest(
            claim.text,
            claim.relation,
            "gate",
            outcome,
            _reason(found) if outcome == "undecided" else None,
            asked.on_undecided,
            claim.measure,
            claim.dataset,
            values.unit,
            found,
            None if verdict is None else _family_size(verdict),
            verdict_alpha=None if verdict is None else verdict.alpha,
        )

    def _verdict(self, claim: Claim) -> Any | None:
        """Return the report's verdict of a measure, where it has one."""
        if claim.dataset is None:
            found = self.sections.get(self.warehouse.unit.section_over)
            return None if found is None else found.verdict.get(claim.measure)
        return self.sections.get("inference", {}).get(claim.dataset, {}).get(claim.measure)

    # ---------------------------------------------------------------------------- checks

    def _by_failures(self, claim: Claim) -> tuple[Outcome, Reason | None, dict[str, Any]]:
        """Count the fits that failed."""
        frame = self.warehouse.frame
        rows = frame[frame["status"].isin(FAILED)]
        if claim.dataset is not None:
            rows = rows[rows["dataset"] == claim.dataset]
        fits = rows[["dataset", "replication", "candidate"]].drop_duplicates()
        names = tuple(name for name in self.warehouse.candidates if name in set(fits["candidate"]))
        more = {"n_failed": len(fits), "found": names}
        return ("fails" if len(fits) else "holds"), None, more

    def _by_consensus(self, claim: Claim) -> tuple[Outcome, Reason | None, dict[str, Any]]:
        """Look who comes first in all optimal orders."""
        consensus, measure = self._consensus(claim)
        if consensus is None or not consensus.relations:
            is_unsought = consensus is not None and consensus.unavailable in UNSOUGHT
            reason: Reason = "no-search" if is_unsought else "no-consensus"
            return "undecided", reason, {"measure": measure}
        first = tuple(dict.fromkeys(k for order in consensus.relations for k in order.best))
        more = {"measure": measure, "found": first}
        if claim.first not in first:
            return "fails", None, more
        is_known = consensus.is_proven and not consensus.has_more
        if first == (claim.first,) and is_known:
            return "holds", None, more
        return "undecided", "tied", more

    def _consensus(self, claim: Claim) -> tuple[Any | None, str | None]:
        """Return the consensus on a data set or, by a measure, over all."""
        datasets = self.warehouse.datasets
        own = claim.dataset or (datasets[0] if len(datasets) == 1 else None)
        if own is not None and not claim.is_of_domain:
            return self.sections.get("consensus", {}).get(own), None
        name = claim.measure or self.warehouse.measures[0].name
        domain = self.sections.get("domain")
        return (None if domain is None else domain.consensus.get(name)), name

    def _by_tree(self, claim: Claim) -> tuple[Outcome, Reason | None, dict[str, Any]]:
        """Look whether a characteristic divides the tree of worths."""
        trees = self.sections.get("psychoanalysis") or {}
        name = claim.measure or next(iter(trees), None)
        tree = None if name is None else trees.get(name)
        if tree is None or tree.tree is None:
            return "undecided", "no-tree", {"measure": name}
        known = [trait.name for trait in tree.characteristics]
        if claim.characteristic not in known:
            unknown = describe_unknown("characteristic", claim.characteristic, known)
            raise StudyError(f"claim {shown(claim.text)}: {unknown}")
        splits = [node.split for node in tree.tree.inner if node.split]
        found = tuple(dict.fromkeys(split.characteristic for split in splits))
        is_there = claim.characteristic in found
        return ("holds" if is_there else "fails"), None, {"measure": name, "found": found}


def _reason(contrasts: Sequence[Contrast]) -> Reason:
    """Return why a claim is undecided."""
    found = {c.reason for c in contrasts if c.outcome == "undecided" and c.reason is not None}
    return min(found, key=REASONS.index, default="no-values")


def _of_report(
    contrast: Contrast, claim: Claim, table: PairTable | None, bounds: tuple[float, float]
) -> Outcome | None:
    """Return what the report's pairs that speak of the same target say of a claim."""
    first, second = contrast.first, contrast.second
    if table is None or second is None or not {first, second} <= set(table.candidates):
        return None
    row, pair = table.row_of(first, second), table.between(first, second)
    if row is None or pair is None or pair.scale != contrast.scale:
        return None
    if table.is_open[row] or contrast.is_beyond:
        return "undecided"
    return OUTCOME_AT[place_of_pair(claim, pair, bounds)]


def _family_size(verdict: Any) -> int:
    """Return how many pairs the report's verdicts hold for at once."""
    if verdict.family is not None:
        return int(verdict.family.n_pairs)
    return int((~verdict.pairs.is_open).sum())
