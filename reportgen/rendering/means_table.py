r"""The table of a paper: data sets by candidates, mean and spread, what is best, against whom.

Bold and marks are read from the verdicts on the data sets: nothing is decided here. Of one data set
the candidates are rows, and the measures columns.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Any

import numpy as np
from markupsafe import Markup

from reportgen.data_classes import dataclass
from reportgen.errors import StudyError
from reportgen.measures import MEASURE_WORDS
from reportgen.notation import NOTHING, NumberFormat, number_format
from reportgen.performance_measure import Measure
from reportgen.rendering.latex_tables import ERROR, Cell, Columns, Grid, is_upright, write_table
from reportgen.rendering.latex_text import ALLOW_BREAK, breakable, escape_latex
from reportgen.rendering.markup import pieces
from reportgen.report import Report
from reportgen.stats.ranking import sort_best_first
from reportgen.study.errors import describe_unknown, shown
from reportgen.study.schema import MeansEntry, Spread
from reportgen.targets import GENERALISATIONS
from reportgen.warehouse.rows import natural_order
from reportgen.warehouse.spreads import MeanOfValues, means_of_values

if TYPE_CHECKING:
    from reportgen.rendering.render_context import RenderContext
    from reportgen.stats.verdict import Verdict

NAME = "means"
MOST = 8  # candidates that are columns; of more, those with the best means
MOST_TOLD = 6  # cells with gaps that the note names
BETTER, WORSE, UNTESTED = r"$\circ$", r"$\bullet$", r"$^{\dagger}$"
SHORT = 9  # letters of a head that stands on one line
USUAL = MeansEntry()


@dataclass(frozen=True, slots=True)
class _Group:
    """The candidates by one measure on one data set, or over all of them."""

    name: str  # of the data set
    measure: Measure
    means: Mapping[str, MeanOfValues]
    verdict: Verdict | None

    @property
    def tested(self) -> frozenset[str]:
        """Candidates of which some pair could be decided on."""
        if self.verdict is None:
            return frozenset()
        pairs = self.verdict.pairs
        places = {*pairs.first[~pairs.is_open].tolist(), *pairs.second[~pairs.is_open].tolist()}
        return frozenset(pairs.candidates[k] for k in places)

    @property
    def bold(self) -> frozenset[str]:
        """Candidates that no other is significantly better than; without a test the best mean."""
        if self.verdict is not None and self.tested:
            return frozenset(self.verdict.leaders) & self.tested
        values = {name: own.mean for name, own in self.means.items()}
        if len(values) < 2:
            return frozenset()
        best = (min if self.measure.is_smaller_better else max)(values.values())
        return frozenset(name for name, value in values.items() if value == best)

    def mark(self, name: str, reference: str | None) -> str:
        """Return the sign of a candidate that is significantly better or worse than another."""
        if self.verdict is None or reference is None:
            return ""
        pairs = self.verdict.pairs
        if name not in pairs.candidates or reference not in pairs.candidates:
            return ""
        i, j = pairs.candidates.index(name), pairs.candidates.index(reference)
        better = pairs.incidence
        return BETTER if better[i, j] else WORSE if better[j, i] else ""

    def lacks_pair(self, name: str, reference: str) -> bool:
        """Whether a candidate with values could not be decided on against another."""
        if self.verdict is None or not {name, reference} <= self.means.keys():
            return False
        pairs = self.verdict.pairs
        has_both = [
            {pairs.candidates[a], pairs.candidates[b]} == {name, reference}
            for a, b in zip(pairs.first.tolist(), pairs.second.tolist(), strict=True)
        ]
        return not (np.array(has_both, bool) & ~pairs.is_open).any()


def has_means(report: Report) -> bool:
    """Whether a study has the table: its values are means of candidates, no battles, no table."""
    return not (report.design.is_table or report.design.unit.is_contest)


def write_means(
    report: Report,
    context: RenderContext,
    label: str,
    *,
    measure: str | None = None,
    options: MeansEntry = USUAL,
    columns: Columns = 1,
    width: float = 450.0,
) -> str:
    """Write the table in LaTeX.

    `context`: of LaTeX, for the words.
    `measure`: of one data set all are there where none is chosen.
    `options`: of what stands in the table, and in which order.
    `columns`, `width`: of the paper's text; the latter in points.
    Raises StudyError where there is none with these options, or no value.
    """
    _check(report, options)
    design = report.design
    wanted = design.measures[0].name if measure is None else measure
    is_one = len(design.datasets) == 1
    groups = [
        group
        for group in _groups(report)
        if group.means and ((is_one and measure is None) or group.measure.name == wanted)
    ]
    if not groups:
        raise StudyError(f"{report.study.name}: found no value; allowed results with some")
    spread = _spread(report, groups, options.spread)
    reference = _reference(report, groups, options.reference)
    main = groups[0]
    over = None if is_one else _over(report, main.measure)
    names = _ordered(_known(design.candidates, groups), options.sort, main, over, groups)
    shown_names = names if is_one or len(names) <= MOST else _best(names, main, over, groups)
    is_added = reference in names and reference not in shown_names
    if is_added and reference is not None:  # in place of the last of the best
        kept = {*_by_mean(shown_names, main, over, groups)[:-1], reference}
        shown_names = tuple(name for name in names if name in kept)
    if options.sort == "name":
        by_name = {group.name: group for group in groups}
        groups = groups if is_one else [by_name[name] for name in natural_order(by_name)]
    layout = _Layout(report, groups, shown_names, over, spread, reference)
    grid = replace(layout.by_measure() if is_one else layout.by_dataset(), width=width)
    is_wide = spread == "interval" or (spread != "none" and not is_upright(grid, columns))
    is_stacked = is_wide and not is_one
    grid = replace(layout.by_dataset(is_stacked=True), width=width) if is_stacked else grid
    words = layout.words(names, is_one=is_one, is_stacked=is_stacked) | {"is_added": is_added}
    caption, note = (
        " ".join(context.page(f"latex/{name}.tex.j2", words).split())
        for name in ("means_caption", "means_note")
    )
    return write_table(grid, caption, label, note, columns)


# ------------------------------------------------------------------------------- what is asked


def _check(report: Report, options: MeansEntry) -> None:
    """Refuse a reference that is no candidate."""
    own = options.reference
    if isinstance(own, str) and own not in report.design.candidates:
        raise StudyError(
            f"{report.study.name}: {describe_unknown('candidate', own, report.design.candidates)}"
        )


def _spread(report: Report, groups: Sequence[_Group], wanted: Spread | None) -> Spread:
    """Return what stands beside the means: of items an interval, else the standard deviation."""
    means = [own for group in groups for own in group.means.values()]
    known = {
        "sd": any(own.deviation is not None for own in means),
        "error": any(own.standard_error is not None for own in means),
        "interval": any(own.standard_error is not None for own in means),
        "none": True,
    }
    if wanted is not None and not known[wanted]:
        raise StudyError(
            f"{report.study.name}: found spread {shown(wanted)} and no two values of a candidate "
            "on a data set; allowed none"
        )
    usual: Spread = "interval" if report.design.unit.has_clusters else "sd"
    return wanted or (usual if known[usual] else "none")


def _reference(report: Report, groups: Sequence[_Group], wanted: str | bool) -> str | None:
    """Return whom candidates are marked against, if anyone."""
    decided = next((g.verdict.reference for g in groups if g.verdict is not None), None)
    if wanted is False:
        return None
    if wanted is True:
        return decided or report.study.reference
    if decided is not None and wanted != decided:
        raise StudyError(
            f"{report.study.name}: found the reference {shown(wanted)}, and only pairs with "
            f"{shown(decided)} are decided on; allowed {shown(decided)}, or comparisons: all"
        )
    return wanted


# ------------------------------------------------------------------------------- what is there


def _groups(report: Report) -> list[_Group]:
    """Return the data sets by each measure, in the order of the study."""
    verdicts = {
        (content.dataset, verdict.measure.name): verdict
        for content in report.contents
        for verdict in content.verdicts
        if content.dataset is not None
    }
    return [
        _Group(
            own.dataset,
            own.measure,
            means_of_values(own),
            verdicts.get((own.dataset, own.measure.name)),
        )
        for measure in report.design.measures
        for own in report.performances
        if own.measure.name == measure.name
    ]


def _over(report: Report, measure: Measure) -> Verdict | None:
    """Return the verdict over the data sets, where it is on means."""
    verdict: Verdict
    for content in report.of_section(report.design.unit.section_over):
        for verdict in content.verdicts:
            if verdict.measure.name == measure.name and verdict.pairs.scale != "wins":
                return verdict
    return None


def _known(candidates: Sequence[str], groups: Sequence[_Group]) -> tuple[str, ...]:
    return tuple(name for name in candidates if any(name in group.means for group in groups))


def _ordered(
    names: tuple[str, ...],
    sort: str,
    main: _Group,
    over: Verdict | None,
    groups: Sequence[_Group],
) -> tuple[str, ...]:
    """Return candidates in the order of the table."""
    if sort == "name":
        return tuple(natural_order(names))
    return names if sort == "study" else _by_mean(names, main, over, groups)


def _by_mean(
    names: tuple[str, ...], main: _Group, over: Verdict | None, groups: Sequence[_Group]
) -> tuple[str, ...]:
    """Return candidates by the verdict's means, else by the mean of what is there, best first."""
    verdict = over or (main.verdict if len(groups) == 1 else None)
    first = [name for name in verdict.order if name in names] if verdict is not None else []
    own = [g for g in groups if g.measure.name == main.measure.name]
    means = {
        name: float(np.mean([g.means[name].mean for g in own if name in g.means] or [np.nan]))
        for name in names
        if name not in first
    }
    return (*first, *sort_best_first(means, is_smaller_better=main.measure.is_smaller_better))


def _best(
    names: tuple[str, ...], main: _Group, over: Verdict | None, groups: Sequence[_Group]
) -> tuple[str, ...]:
    """Return as many candidates as are columns, in the order that they have."""
    kept = set(_by_mean(names, main, over, groups)[:MOST])
    return tuple(name for name in names if name in kept)


# ------------------------------------------------------------------------------- what is written


@dataclass(frozen=True, slots=True)
class _Layout:
    """The cells of the table, and what its caption speaks of."""

    report: Report
    groups: Sequence[_Group]
    names: tuple[str, ...]
    over: Verdict | None
    spread: Spread
    reference: str | None

    def number_format_of(self, measure: Measure) -> NumberFormat:
        """Return how values of a measure are written."""
        own = [g for g in self.groups if g.measure.name == measure.name]
        return number_format(measure, [x.mean for g in own for x in g.means.values()])

    def by_dataset(self, *, is_stacked: bool = False) -> Grid:
        """Return a row a data set; stacked, the spread stands below the mean."""
        at = self.number_format_of(self.groups[0].measure)
        rows: list[list[Cell]] = []
        for group in self.groups:
            name = breakable(group.name) + self.sign_of(group)
            if is_stacked:
                rows += [
                    [Cell(name), *(self._mean(group, n, at) for n in self.names)],
                    [Cell(""), *(self._below(group, n, at) for n in self.names)],
                ]
            else:
                rows.append([Cell(name), *(self._whole(group, n, at) for n in self.names)])
        first = self.report.design.vocabulary.dataset.capitalize().replace(" ", "~")
        heads = [first, *map(_head, self.names)]
        wordy = [True, *[False] * len(self.names)]
        return Grid(heads, rows, wordy, self._feet(at), together=2 if is_stacked else 1)

    def by_measure(self) -> Grid:
        """Return a row a candidate."""
        formats = [self.number_format_of(group.measure) for group in self.groups]
        rows = [
            [
                Cell(breakable(name)),
                *(self._whole(g, name, at) for g, at in zip(self.groups, formats, strict=True)),
            ]
            for name in self.names
        ]
        heads = ["Candidate"]
        for group, at in zip(self.groups, formats, strict=True):
            words = breakable(_measure_words(group.measure)) + self.sign_of(group)
            heads.append(f"{words} ({escape_latex(at.unit_symbol)})" if at.unit_symbol else words)
        return Grid(heads, rows, [True, *[False] * len(self.groups)])

    def sign_of(self, group: _Group) -> str:
        """Return the sign of what was not tested, where something else was."""
        return UNTESTED if not group.tested and any(g.tested for g in self.groups) else ""

    def _mean(self, group: _Group, name: str, at: NumberFormat) -> Cell:
        own = group.means.get(name)
        if own is None:
            return Cell(escape_latex(NOTHING))
        mark = group.mark(name, self.reference)
        bounds = None
        if self.spread == "interval":
            bounds = own.interval(self.report.design.alpha, group.measure.bounds)
        written = at.value(own.mean, bounds or (None, None))
        return Cell(escape_latex(written), name in group.bold, mark)

    def _whole(self, group: _Group, name: str, at: NumberFormat) -> Cell:
        mean, spread = self._mean(group, name, at), self._spread(group, name, at)
        if not spread:
            return mean
        is_interval = self.spread == "interval"
        return replace(
            mean, text=f"{mean.text} ({spread})" if is_interval else f"{mean.text}{ERROR}{spread}"
        )

    def _below(self, group: _Group, name: str, at: NumberFormat) -> Cell:
        text = self._spread(group, name, at)
        sign = "" if self.spread == "interval" else r"$\pm$ "
        return Cell(rf"{{\scriptsize{{}}{sign}{text}}}" if text else "")

    def _spread(self, group: _Group, name: str, at: NumberFormat) -> str:
        own = group.means.get(name)
        if own is None or self.spread == "none":
            return ""
        if self.spread == "interval":
            bounds = own.interval(self.report.design.alpha, group.measure.bounds)
            return "" if bounds is None else escape_latex(at.interval(*bounds))
        value = own.deviation if self.spread == "sd" else own.standard_error
        return "" if value is None else escape_latex(at.difference(value))

    def _feet(self, at: NumberFormat) -> list[list[Cell]]:
        """Return the means over the data sets, and how often candidates are better and worse."""
        feet = []
        whole = self._total()
        if whole is not None:
            head = "Geometric mean" if whole.verdict and whole.verdict.is_ratio else "Mean"
            feet.append([Cell(head), *(self._mean(whole, name, at) for name in self.names)])
        if self.reference is not None and any(group.tested for group in self.groups):
            signs = [[g.mark(name, self.reference) for g in self.groups] for name in self.names]
            counts = [
                Cell("--" if name == self.reference else f"{s.count(BETTER)}/{s.count(WORSE)}")
                for name, s in zip(self.names, signs, strict=True)
            ]
            feet.append([Cell(f"{BETTER}/{WORSE}"), *counts])
        return feet

    def _total(self) -> _Group | None:
        """Return the candidates over all data sets."""
        if self.over is None:
            return None
        means = {name: MeanOfValues(x, len(self.groups)) for name, x in self.over.means.items()}
        return _Group("", self.over.measure, means, self.over)

    # --------------------------------------------------------------------------- the words

    def words(self, known: Sequence[str], *, is_one: bool, is_stacked: bool) -> dict[str, Any]:
        """Return what the caption and the note say."""
        design = self.report.design
        tested = [group for group in self.groups if group.tested]
        untested = [group for group in self.groups if not group.tested]
        measures = {g.measure.name: g.measure for g in self.groups}
        main = self.groups[0].measure
        whole = self._total()
        return {
            "measures": [_measure_words(m) for m in measures.values()],
            "unit": "" if is_one else self.number_format_of(main).unit_symbol,
            "n_candidates": len(self.names),
            "n_known": len(known),
            "datasets": [group.name for group in self.groups],
            "is_one": is_one,
            "spread": self.spread,
            "is_stacked": is_stacked,
            "has_means": any(own.n > 1 for g in self.groups for own in g.means.values()),
            "level": 100 * (1 - design.alpha),
            "alpha": design.alpha,
            "has_clusters": any(p.clusters is not None for p in self.report.performances),
            "n_tested": len(tested),
            "n_untested": len(untested),
            "all_alike": bool(tested)
            and all(set(g.means) <= g.bold for g in tested if len(g.means) > 1),
            "targets": _listed(_target(g) for g in tested),
            "has_family": any(g.verdict and g.verdict.family for g in tested),
            "decided": next((g.verdict.reference for g in tested if g.verdict), None),
            "reference": self.reference,
            "unmarked": self._unmarked(),
            "better": Markup(BETTER),
            "worse": Markup(WORSE),
            "dagger": Markup(UNTESTED),
            "ratios": [
                _measure_words(m)
                for m in measures.values()
                if any(g.measure is m and g.verdict and g.verdict.is_ratio for g in tested)
            ],
            "has_total": whole is not None,
            "total_tested": whole is not None and bool(whole.tested),
            "is_geometric": bool(self.over and self.over.is_ratio),
            "is_filled": bool(self.over and self.over.own_means),
            "gaps": self._gaps(),
            "has_gaps": any(n not in g.means for g in self.groups for n in self.names),
            "most_told": MOST_TOLD,
        }

    def _unmarked(self) -> int:
        """Count the comparisons with the reference that could not be decided on."""
        if self.reference is None:
            return 0
        return sum(
            group.lacks_pair(name, self.reference)
            for group in self.groups
            if group.tested
            for name in self.names
            if name != self.reference
        )

    def _gaps(self) -> list[tuple[str, str, int, int]]:
        """Return which means rest on fewer values than others of their row."""
        if not self.report.design.unit.shares_rows:
            return []
        found = []
        for group in self.groups:
            most = max(own.n for own in group.means.values())
            found += [
                (name, group.name, group.means[name].n, most)
                for name in self.names
                if name in group.means and group.means[name].n < most
            ]
        return found


def _head(name: str) -> str:
    """Write a name as the head of a column, which may break behind signs."""
    if len(name) < SHORT:
        return breakable(name)
    parts = pieces(name, len(name), len(name)) if "-" in name or "_" in name else [name]
    return ALLOW_BREAK.join(map(breakable, parts))


def _measure_words(measure: Measure) -> str:
    return MEASURE_WORDS.get(measure.name, measure.name)


def _target(group: _Group) -> str:
    pairs = group.verdict.pairs if group.verdict is not None else None
    return GENERALISATIONS[pairs.target].words if pairs is not None and pairs.target else ""


def _listed(names: Iterable[str]) -> tuple[str, ...]:
    return tuple(dict.fromkeys(name for name in names if name))
