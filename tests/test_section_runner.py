"""What a report is made of: the sections that are chosen, and what these require."""

from __future__ import annotations

import logging
from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass, field
from itertools import chain
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from reportgen.crew import parallel_mapper
from reportgen.performance_measure import Measure
from reportgen.rendering.results_json import plain
from reportgen.report import Table
from reportgen.section_runner import chosen_sections, make_contents
from reportgen.sections import find_sections
from reportgen.sections.base import Section
from reportgen.stats.columns import Column
from reportgen.study.manifest import Study, load_study
from reportgen.study.schema.options import AnalysisOptions
from reportgen.warehouse import Warehouse
from tests.builders import warehouse_of_rows


@dataclass(frozen=True, slots=True)
class Said(Section):
    """A section that says what it was given, and counts how often."""

    calls: Counter[str | None] = field(default_factory=Counter)

    @property
    def options(self) -> type[AnalysisOptions]:
        return AnalysisOptions

    def applies(self, warehouse: Warehouse) -> bool:
        return self.name != "shy"

    @property
    def settles(self) -> bool:
        return False

    def analyse(self, warehouse: Warehouse, options: Any, rng: Any, **required: Any) -> Any:
        self.calls[", ".join(warehouse.datasets)] += 1
        return {"alpha": options.alpha, "draw": rng.random(), **required}

    def draw(self, result: Any, canvas: Any) -> tuple[()]:
        return ()

    def tabulate(self, result: Any) -> tuple[()]:
        return ()

    def overview(self, results: Mapping[str, Any]) -> tuple[Table, ...]:
        cells = tuple((name,) for name in results)
        return (Table("overview", "", (Column("dataset", "Data set", "dataset"),), cells),)


@pytest.fixture
def sections() -> dict[str, Section]:
    declared = (
        Said("first", "", "dataset"),
        Said("second", "", "dataset", ("first",)),
        Said("whole", "", "study", ("first",)),
        Said("shy", "", "study"),
    )
    return {section.name: section for section in declared}


@pytest.fixture
def warehouse() -> Warehouse:
    rows = [(d, r, k, "m", float(r)) for d in ("x", "y") for r in (1, 2) for k in ("a", "b")]
    return warehouse_of_rows(rows)


def _study(folder: Path, sections: dict[str, Section], more: str = "") -> Study:
    (folder / "r.csv").write_text("candidate,replication,mse\na,1,2\n")
    path = folder / "study.yaml"
    path.write_text(f"results: r.csv\nanalysis: {{alpha: 0.2}}\n{more}")
    return load_study(path, {name: section.options for name, section in sections.items()})


def _contents(study: Study, sections: Any, warehouse: Warehouse, *names: str) -> list[Any]:
    chosen = chosen_sections(study, sections, warehouse, names or None)
    return list(make_contents(study, sections, chosen, warehouse))


def test_a_section_that_shares_work_knows_among_how_many(
    tmp_path: Path, sections: dict[str, Section], warehouse: Warehouse
) -> None:
    sections["sharing"] = Said("sharing", "", "dataset", shares_work=True)
    found = _contents(_study(tmp_path, sections), sections, warehouse, "sharing", "first")
    assert [content.result.get("n_datasets") for content in found] == [2, 2, None, None]


def test_what_is_required_is_analysed_once_and_shown_only_where_chosen(
    tmp_path: Path,
    sections: dict[str, Section],
    warehouse: Warehouse,
    caplog: pytest.LogCaptureFixture,
) -> None:
    study = _study(tmp_path, sections)
    with caplog.at_level(logging.INFO, "reportgen"):
        found = _contents(study, sections, warehouse, "whole", "second")
    stages = ["analysing first", "analysing whole", "analysing second", "drawing"]
    assert caplog.messages == stages
    assert [(c.name, c.dataset) for c in found] == [
        ("whole", None),
        ("second", "x"),
        ("second", "y"),
    ]
    assert sections["first"].calls == {"x": 1, "y": 1}  # type: ignore[attr-defined]
    assert found[0].result["first"]["y"] is found[2].result["first"]
    assert found[0].result["first"]["y"]["alpha"] == 0.2


class Made(list[Any]):
    """Results that workers have made."""

    is_made = True

    def __iter__(self) -> Any:
        return self

    def __next__(self) -> Any:
        if not self:
            raise StopIteration
        return self.pop(0)


def test_what_is_made_of_data_sets_is_drawn_while_the_study_is_analysed(
    tmp_path: Path,
    sections: dict[str, Section],
    warehouse: Warehouse,
    caplog: pytest.LogCaptureFixture,
) -> None:
    study = _study(tmp_path, sections)
    begun: list[str] = []

    def mapper(function: Any, *tasks: Any) -> Made:
        own = [*zip(*tasks, strict=False)]
        begun.append(f"{function.__name__} {own[0][0].name}" if own else "")
        return Made(function(*task) for task in own)

    chosen = chosen_sections(study, sections, warehouse, ("whole", "second"))
    with caplog.at_level(logging.INFO, "reportgen"):
        found = list(make_contents(study, sections, chosen, warehouse, mapper))
    assert [c.name for c in found] == ["whole", "second", "second"]
    assert begun.index("_draw_task second") < begun.index("_analyse_task whole")
    stages = ["analysing first", "analysing second", "analysing whole", "drawing"]
    assert caplog.messages == stages


def test_all_data_sets_are_laid_out_together_once(
    tmp_path: Path, sections: dict[str, Section], warehouse: Warehouse
) -> None:
    found = _contents(_study(tmp_path, sections), sections, warehouse, "whole", "second")
    assert [[table.rows for table in c.overview] for c in found] == [[], [(("x",), ("y",))], []]
    alone = _contents(_study(tmp_path, sections), sections, warehouse.only("x"), "second")
    assert [c.overview for c in alone] == [()]


def test_the_manifests_sections_have_their_order_and_options(
    tmp_path: Path, sections: dict[str, Section], warehouse: Warehouse
) -> None:
    study = _study(tmp_path, sections, "sections: [shy, {first: {alpha: 0.01}}]\n")
    found = _contents(study, sections, warehouse)
    assert [(c.name, c.result["alpha"]) for c in found] == [
        ("shy", 0.2), ("first", 0.01), ("first", 0.01)
    ]  # fmt: skip


def test_without_a_list_there_are_those_that_apply(
    tmp_path: Path, sections: dict[str, Section], warehouse: Warehouse
) -> None:
    chosen = chosen_sections(_study(tmp_path, sections), sections, warehouse)
    assert [choice.name for choice in chosen] == ["first", "second", "whole"]


def test_sections_are_listed_where_they_are_asked_for(
    tmp_path: Path, sections: dict[str, Section], warehouse: Warehouse
) -> None:
    study = _study(tmp_path, sections)
    assert not any(content.is_listed for content in _contents(study, sections, warehouse))
    assert all(c.is_listed for c in _contents(study, sections, warehouse, "whole", "second"))
    study = _study(tmp_path, sections, "sections: [shy, first]\n")
    assert all(content.is_listed for content in _contents(study, sections, warehouse))


def test_random_numbers_belong_to_section_and_data_set(
    tmp_path: Path, sections: dict[str, Section], warehouse: Warehouse
) -> None:
    study = _study(tmp_path, sections)
    alone = _contents(study, sections, warehouse, "first")
    others = _contents(study, sections, warehouse, "whole", "second", "first")[-2:]
    assert alone[0].result["draw"] != alone[1].result["draw"]
    assert [c.result["draw"] for c in others] == [c.result["draw"] for c in alone]


@dataclass(frozen=True, slots=True)
class Settled(Said):
    """A section whose results depend on those of all data sets."""

    @property
    def settles(self) -> bool:
        return True

    def settle(self, results: Any, options: Any) -> Any:
        self.calls["settled"] += 1
        return {d: {**found, "of": (*results, options.alpha)} for d, found in results.items()}


def test_what_data_sets_say_of_one_another_is_settled_once_before_it_is_used(
    tmp_path: Path, sections: dict[str, Section], warehouse: Warehouse
) -> None:
    sections["first"] = Settled("first", "", "dataset")
    study = _study(tmp_path, sections)
    second, _, whole, *first = _contents(study, sections, warehouse, "second", "whole", "first")
    assert sections["first"].calls == {"x": 1, "y": 1, "settled": 1}  # type: ignore[attr-defined]
    assert second.result["first"]["of"] == ("x", "y", 0.2)
    assert [c.result["of"] for c in first] == [("x", "y", 0.2)] * 2
    assert whole.result["first"]["y"] is first[1].result


def test_data_sets_are_begun_as_soon_as_what_they_need_is_there(
    tmp_path: Path, sections: dict[str, Section], warehouse: Warehouse
) -> None:
    """Workers have the sections that build on the same, and drawings, before they are asked for."""
    told = list[str]()

    def mapper(function: Any, *tasks: Any) -> Any:
        todo = [*zip(*tasks, strict=False)]
        what = f"{function.__name__} {todo[0][0].name}" if todo else "nothing"
        told.append(f"given {what}")
        for task in todo:
            yield function(*task)
        told.append(f"done {what}")

    sections["third"] = Said("third", "", "dataset", ("first",))
    study = _study(tmp_path, sections)
    names = ("first", "second", "whole", "third")
    chosen = chosen_sections(study, sections, warehouse, names)
    list(make_contents(study, sections, chosen, warehouse, _eager(mapper)))
    assert told.index("given _analyse_task third") < told.index("done _analyse_task second")
    assert told.index("given _draw_task first") < told.index("done _analyse_task second")
    assert told.count("given _analyse_task third") == 1


def _eager(mapper: Any) -> Any:
    """Return a mapper whose tasks are given at once."""

    def give(*tasks: Any) -> Any:
        found = mapper(*tasks)
        first = next(found, None)
        return found if first is None else chain([first], found)

    return give


def test_side_by_side_says_the_same_as_in_turn(tmp_path: Path) -> None:
    rng = np.random.default_rng(1)
    rows = [
        (f"set {d}", r, k, "mse", rng.random())
        for d in range(4)
        for r in range(4)
        for k in ("a", "b")
    ]
    warehouse = warehouse_of_rows(rows, [Measure("mse")])
    sections = {n: s for n, s in find_sections().items() if n in ("inference", "preferences")}
    study = _study(tmp_path, sections)
    chosen = chosen_sections(study, sections, warehouse, ["preferences"])
    alone = tuple(make_contents(study, sections, chosen, warehouse))
    with parallel_mapper(2, patience=0.0) as mapper:
        together = tuple(make_contents(study, sections, chosen, warehouse, mapper))
    assert [c.figures for c in together] == [c.figures for c in alone]
    assert [plain(c.result) for c in together] == [plain(c.result) for c in alone]
