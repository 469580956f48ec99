"""The contents of a report: every chosen section, analysed, drawn and tabulated."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any

from reportgen.completeness import keep
from reportgen.document import SectionContent, Table
from reportgen.errors import StudyError
from reportgen.sections.base import Section
from reportgen.streams import stream
from reportgen.study.faults import listed, shown
from reportgen.study.manifest import AnalysisOptions, SectionChoice, Study
from reportgen.warehouse import Warehouse


def chosen_sections(
    study: Study,
    sections: Mapping[str, Section],
    warehouse: Warehouse,
    names: Sequence[str] | None = None,
) -> tuple[SectionChoice, ...]:
    """Return the sections the report shall have, with their options.

    Parameters
    ----------
    study : Study
    sections : mapping of str to Section
        Every section there is.
    warehouse : Warehouse
        Where the study lists no sections: those that apply to it.
    names : sequence of str, optional
        In place of the study's, in this order; each has to be in `sections`.
    """
    models = {name: section.options for name, section in sections.items()}
    choices = study.choices(models)
    if warehouse.is_table:
        asked = names if names is not None else [c.name for c in choices if study.sections]
        _check_take_tables(asked, sections)
    if names is not None:
        given = {choice.name: choice for choice in choices}
        default = study.default_options
        return tuple(given.get(n) or SectionChoice(n, default(models[n])) for n in names)
    if study.sections is not None:
        return choices
    return tuple(c for c in choices if sections[c.name].applies(warehouse))


def _check_take_tables(names: Iterable[str], sections: Mapping[str, Section]) -> None:
    """Refuse sections that speak of experiments only."""
    taking = [name for name, section in sections.items() if section.takes_tables]
    for name in names:
        if name not in taking:
            raise StudyError(
                f"sections: found {shown(name)} beside results: table; allowed {listed(taking)}, "
                "as a table is no experiment"
            )


def contents_of(
    study: Study,
    sections: Mapping[str, Section],
    chosen: Sequence[SectionChoice],
    warehouse: Warehouse,
) -> Iterator[SectionContent]:
    """Analyse, draw and tabulate every chosen section, once or for every data set.

    Parameters
    ----------
    study : Study
    sections : mapping of str to Section
        Every section there is: what is chosen may require others.
    chosen : sequence of SectionChoice
    warehouse : Warehouse
    """
    options = {choice.name: choice.options for choice in chosen}
    maker = _Maker(study, sections, warehouse, options)
    for choice in chosen:
        for dataset in maker.scopes(sections[choice.name]):
            yield maker.content(choice.name, dataset)


class _Maker:
    """Makes the contents of one report; what a section requires is analysed once."""

    def __init__(
        self,
        study: Study,
        sections: Mapping[str, Section],
        warehouse: Warehouse,
        options: Mapping[str, AnalysisOptions],
    ) -> None:
        self._study = study
        self._sections = sections
        self._warehouse = warehouse
        self._options = options
        self._results: dict[tuple[str, str | None], Any] = {}
        self._kept: dict[str, Warehouse] = {}

    def scopes(self, section: Section) -> tuple[str | None, ...]:
        """Return what the section is computed for: every data set, or None for the study."""
        return self._warehouse.datasets if section.scope == "dataset" else (None,)

    def content(self, name: str, dataset: str | None) -> SectionContent:
        """Return one section's content for one data set or for the study."""
        from reportgen.drawing import Canvas

        section, result = self._sections[name], self._result(name, dataset)
        datasets = self._warehouse.datasets
        number = 0 if dataset is None else 1 + datasets.index(dataset)
        canvas = Canvas.of(self._warehouse.candidates, len(datasets), f"{name}-{number}")
        return SectionContent(
            name,
            dataset,
            result,
            self._of(name),
            section.draw(result, canvas),
            section.tabulate(result),
            self._overview(name) if number == 1 and len(datasets) > 1 else (),
        )

    def _overview(self, name: str) -> tuple[Table, ...]:
        datasets = self._warehouse.datasets
        return self._sections[name].overview({d: self._result(name, d) for d in datasets})

    def _of(self, name: str) -> AnalysisOptions:
        """Return a section's options; of one that is only required, its defaults."""
        model = self._sections[name].options
        return self._options.get(name) or self._study.default_options(model)

    def _result(self, name: str, dataset: str | None) -> Any:
        """Return a result; of all data sets at once where they depend on one another."""
        if (name, dataset) not in self._results:
            section = self._sections[name]
            if dataset is not None and section.settles:
                found = {scope: self._analysed(name, scope) for scope in self._warehouse.datasets}
                settled = section.settle(found, self._of(name))
                self._results |= {(name, scope): settled[scope] for scope in settled}
            else:
                self._results[name, dataset] = self._analysed(name, dataset)
        return self._results[name, dataset]

    def _analysed(self, name: str, dataset: str | None) -> Any:
        section = self._sections[name]
        required = {need: self._required(need, dataset) for need in section.requires}
        whole = self._under(self._of(name))
        view = whole if dataset is None else whole.only(dataset)
        rng = stream(self._study.seed, name, *([] if dataset is None else [dataset]))
        return section.analyse(view, self._of(name), rng, **required)

    def _under(self, options: AnalysisOptions) -> Warehouse:
        """Return what a section's rule for missing values leaves of the warehouse."""
        if options.missing not in self._kept:
            self._kept[options.missing] = keep(self._warehouse, options.missing).warehouse
        return self._kept[options.missing]

    def _required(self, name: str, dataset: str | None) -> Any:
        """Return the result a section builds on: of its data set, or of all by name."""
        scopes = self.scopes(self._sections[name])
        if dataset is not None or scopes == (None,):
            return self._result(name, dataset if scopes != (None,) else None)
        return {scope: self._result(name, scope) for scope in scopes}
