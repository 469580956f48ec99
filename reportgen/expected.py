"""Which sections a report will have, and why others will not be there, before it is made."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import pandas as pd

from reportgen.contents import chosen_sections
from reportgen.sections.base import Section
from reportgen.study.manifest import Study
from reportgen.study.setup import Setup
from reportgen.warehouse import CHARACTERISED, Warehouse


def sections_line(
    study: Study,
    sections: Mapping[str, Section],
    known: Warehouse | Setup,
    names: Sequence[str] | None = None,
) -> str:
    """List the sections of a report, and what those that are not chosen by themselves want.

    Parameters
    ----------
    study : Study
    sections : mapping of str to Section
        Every section there is.
    known : Warehouse or Setup
        The results; or what is to be executed.
    names : sequence of str, optional
        The sections that the command line asks for.

    Returns
    -------
    str
        One line.
    """
    if isinstance(known, Setup):
        most, least = expected(known), expected(known, fewest=True)
    else:
        most = least = known
    chosen = _names(study, sections, most, names)
    certain = _names(study, sections, least, names)
    line = f"sections: {', '.join(certain) or 'none'}"
    if open_ := [name for name in chosen if name not in certain]:
        line += f"; after enough stages: {', '.join(open_)}"
    if names is not None or study.sections is not None or most.is_table:
        return line
    left = [_wanting(section) for name, section in sections.items() if name not in chosen]
    return f"{line}; not: {', '.join(left)}" if left else line


def _names(
    study: Study, sections: Mapping[str, Section], known: Warehouse, names: Sequence[str] | None
) -> list[str]:
    return [choice.name for choice in chosen_sections(study, sections, known, names)]


def _wanting(section: Section) -> str:
    return f"{section.name} (wants {section.wants})" if section.wants else section.name


def expected(setup: Setup, *, fewest: bool = False) -> Warehouse:
    """Return a warehouse of the names and numbers that an execution will have, without values.

    Parameters
    ----------
    setup : Setup
    fewest : bool
        Whether replications in stages end with the first stage.
    """
    stages = setup.resampling.stages
    counts = {d.name: setup.resampling_of(d.name).replications for d in setup.datasets}
    if stages and fewest:
        counts = {name: min(stages.size, n) for name, n in counts.items()}
    first, *others = [candidate.name for candidate in setup.candidates]
    cells = [(name, b, first) for name, n in counts.items() for b in range(1, n + 1)]
    cells += [(next(iter(counts)), 1, other) for other in others]
    frame = pd.DataFrame(cells, columns=["dataset", "replication", "candidate"])
    facts = {d.name: {"setting": d.setting.described()} for d in setup.datasets if d.setting}
    characteristics = pd.DataFrame(columns=[*CHARACTERISED, *setup.characterised.names])
    if setup.characterised.names:
        characteristics["dataset"] = list(counts)
    return Warehouse.of(
        frame.assign(measure=setup.measures[0].name, value=0.0),
        [measure.measure for measure in setup.measures],
        datasets=counts,
        candidates=[first, *others],
        facts=facts,
        characteristics=characteristics,
    )
