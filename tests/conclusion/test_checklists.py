"""What a report answers of checklists: every item, every place, every number, for every kind."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from dataclasses import replace
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from reportgen.conclusion.checklists import CHECKLISTS, NEURIPS, REFORMS, TOPICS, answer
from reportgen.fit_issues import HyperparameterChoice
from reportgen.rendering import page, quarto
from reportgen.rendering.composition import compose
from reportgen.rendering.embedding import extras
from reportgen.rendering.layout import for_review
from reportgen.rendering.render_context import HTML, RenderContext
from reportgen.report import Answer, Layout, Report
from reportgen.units import COMPARISON, ITEM
from tests.builders import warehouse_of
from tests.conclusion.cases import over
from tests.made_up import MADE_UP, MadeUp, report_of
from tests.rendering import as_quarto
from tests.rendering.pages import Page
from tests.schemas import results

pytestmark = pytest.mark.usefixtures("blanks_as_figures")

KINDS = [name for name in MADE_UP if name != "table"]
BRIEF = ("few", "one-value-a-cell")
TEMPLATE = "document/checklists.md.j2"


@cache
def made(name: str) -> Report:
    return report_of(MADE_UP[name])


def executed(report: Report, **more: Any) -> Report:
    """Return the report of a study that ran its fits itself."""
    design = replace(report.design, source="", **more)
    facts = {"fits": 480, "reused_fits": 0, "workers": 2, "seconds": 12.5}
    origin = replace(report.provenance, manifest="candidates: []", commit="c" * 40, execution=facts)
    found = replace(report, design=design, provenance=origin)
    return replace(found, checklists=answer(found))


def by_topic(report: Report) -> dict[str, Answer]:
    return {found.topic: found for found in report.checklists}


# ------------------------------------------------------------ the numbers, read from results.json

Results = Mapping[str, Any]


def verdict(r: Results) -> Any:
    return r["conclusion"]["verdict"]


def pairs(r: Results) -> list[Any]:
    """The pairs that decide, as sections have them; without one verdict those of all data sets."""
    found, sections = verdict(r) if r["conclusion"] else None, r["sections"]
    if found is None:
        every = sections.get("inference") or sections["sequential"]
        first = [next(iter(of.values())) for of in every.values()]
        lists = [own["pairs"] if isinstance(own, dict) else own for own in first]
        return [entry for own in lists for entry in own if entry["first"]]
    of = sections["domain"]["verdict"] if found["dataset"] is None else sections["inference"]
    of = of if found["dataset"] is None else of[found["dataset"]]
    listed: list[Any] = of[found["measure"]["name"]]["pairs"]
    return listed


def told(r: Results) -> int:
    v = r["conclusion"]["caveats"]
    holding = ("missing_candidates", "influence", "n_changed", "is_dependent", "n_missing")
    return min(2, sum(bool(v[name]) for name in holding))


def residuals(r: Results) -> bool:
    c = r["conclusion"] or {"verdict": None, "changes": None}
    decided = c["verdict"]
    if (decided and decided["dataset"] is None) or "inference" not in r["sections"]:
        return False
    inferred = r["sections"]["inference"]
    measure = decided or c["changes"] or r["design"]
    measure = (measure.get("measure") or measure["measures"][0])["name"]
    tested = [found[measure] for found in inferred.values() if found[measure]["pairs"]]
    return all(one["diagnostics"] is not None for one in tested)


def pairs_of(r: Results, _: str) -> int:
    changes = r["conclusion"] and r["conclusion"]["changes"]
    return changes["n_pairs"] if changes else len(pairs(r))


def n_decided(r: Results, _: str) -> int:
    """Those of stages are as the section words them."""
    stages = ("less", "greater", "less-equivalent", "greater-equivalent")
    return sum(p["significant"] if "significant" in p else p["verdict"] in stages for p in pairs(r))


def n_open(r: Results, _: str) -> int:
    if r["conclusion"] and verdict(r):
        return len(pairs(r)) - verdict(r)["n_family"]
    return sum(p.get("verdict", p.get("decision")) == "open" for p in pairs(r))


FACTS: Mapping[str, Callable[[Results, str], Any]] = {
    "basis": lambda r, _: verdict(r)["basis"],
    "alpha": lambda r, _: r["design"]["alpha"],
    "n_pairs": pairs_of,
    "n_decided": n_decided,
    "n_family": lambda r, _: verdict(r)["n_family"],
    "n_open": n_open,
    "n_apart": lambda r, _: len(r["sections"].get("inference") or r["sections"]["sequential"]),
    "by": lambda r, _: "intervals" if "inference" in r["sections"] else "stages",
    "n_units": lambda r, _: verdict(r)["n_units"],
    "is_over_datasets": lambda r, _: verdict(r)["dataset"] is None,
    "has_residuals": lambda r, _: residuals(r),
    "n_tested": lambda r, _: r["conclusion"]["changes"]["n_tested"],
    "n_always": lambda r, _: r["conclusion"]["changes"]["n_always"],
    "n_never": lambda r, _: r["conclusion"]["changes"]["n_never"],
    "target": lambda r, _: r["conclusion"]["target"] or "",
    "n_caveats": lambda r, _: told(r),
    "n_datasets": lambda r, _: len(r["design"]["datasets"]),
    "n_sized": lambda r, _: sum(
        d["n_observations"] is not None for d in r["design"]["sizes"].values()
    ),
    "n_inputs": lambda r, _: len(r["provenance"]["inputs"]),
    "scheme": lambda r, _: r["design"]["resampling"]["scheme"],
    "least": lambda r, _: min(r["design"]["replications"].values()),
    "most": lambda r, _: max(r["design"]["replications"].values()),
    "n_candidates": lambda r, _: len(r["design"]["candidates"]),
    "n_choosing": lambda r, _: len({c["candidate"] for c in r["design"]["choices"]}),
    "n_measures": lambda r, _: len(r["design"]["measures"]),
    "are_defined": lambda r, _: not r["design"]["source"],
    "n_missing": lambda r, _: r["design"]["n_missing"],
    "n_values": lambda r, _: r["design"]["n_values"],
    "missing_rule": lambda r, _: r["design"]["missing_rule"],
    "n_removed": lambda r, _: sum(d["n_removed"] for d in r["design"]["sizes"].values()),
    "seed": lambda r, _: r["design"]["seed"],
    "n_versions": lambda r, _: len(r["provenance"]["versions"]),
    "has_revision": lambda r, _: bool(r["provenance"]["commit"]),
    "fits": lambda r, _: r["provenance"]["execution"]["fits"],
    "reused_fits": lambda r, _: r["provenance"]["execution"]["reused_fits"],
    "workers": lambda r, _: r["provenance"]["execution"]["workers"],
    "seconds": lambda r, _: r["provenance"]["execution"]["seconds"],
    "has_memory": lambda r, _: any(
        m["name"] in ("fit-memory", "predict-memory", "fit-predict-memory")
        for m in r["design"]["measures"]
    ),
}


def hold_against_results(report: Report) -> None:
    found = results(report)
    assert [a["topic"] for a in found["checklists"]] == [*TOPICS, "authors"]
    for one in found["checklists"]:
        for name, value in one["facts"].items():
            assert value == FACTS[name](found, one["topic"]), (one["topic"], name)


def hold_places(report: Report, folder: Path) -> Page:
    page.render(report, folder / "report.html")
    made = Page((folder / "report.html").read_text(encoding="utf-8"))
    places = {place for one in report.checklists for place in one.places}
    assert places <= set(made.ids)
    return made


# ------------------------------------------------------------------------------- the checklists


def test_the_checklists_have_as_many_items_as_their_authors_say() -> None:
    assert len(CHECKLISTS[NEURIPS]) == 16
    assert len(CHECKLISTS[REFORMS]) == 32
    assert CHECKLISTS[REFORMS][:4] == ("1a", "1b", "1c", "2a")
    assert CHECKLISTS[REFORMS][-2:] == ("8a", "8b")


@pytest.mark.slow
@pytest.mark.parametrize("name", KINDS)
def test_every_item_has_an_answer_or_a_reason(name: str) -> None:
    report = made(name)
    for checklist, items in CHECKLISTS.items():
        found = {item for one in report.checklists for item in one.items.get(checklist, ())}
        assert found == set(items)
    assert all(one.places or one.missing for one in report.checklists)
    assert by_topic(report)["authors"].missing == ("authors",)


def test_a_table_is_no_experiment() -> None:
    assert made("table").checklists == ()
    assert results(made("table"))["checklists"] == []


@pytest.mark.parametrize("name", KINDS)
def test_facts_are_those_of_the_results(name: str) -> None:
    hold_against_results(made(name))
    hold_against_results(executed(made(name)))


@pytest.mark.slow
@pytest.mark.parametrize("name", KINDS)
def test_places_are_in_the_page(name: str, tmp_path: Path) -> None:
    for report in (made(name), executed(made(name))):
        found = hold_places(report, tmp_path)
        text = " ".join(found.text.split())
        assert ("How this report answers the checklists" in text) == (name not in BRIEF)


def test_a_link_leads_to_each_place(tmp_path: Path) -> None:
    report = executed(made("one-dataset"))
    found = hold_places(report, tmp_path)
    linked = {link for link in found.links if link.startswith("#")}
    assert {f"#{place}" for one in report.checklists for place in one.places} <= linked
    assert {link[1:] for link in linked} <= set(found.ids)


# ---------------------------------------------------------------------------------- predicates


def test_results_that_were_read_do_not_say_how_fits_were_made() -> None:
    found = by_topic(made("domain"))
    topics = ("samples", "separation", "candidates", "hyperparameters", "compute")
    assert all(not found[topic].places and found[topic].missing for topic in topics)
    assert "fits-elsewhere" in found["code"].missing
    assert "definitions" in found["measures"].missing
    assert found["tests"].places == ("domain",)


def test_what_the_report_itself_counts_and_defines_is_answered() -> None:
    report = made("domain")
    assert "sizes" in by_topic(report)["data"].missing
    items = replace(report, design=replace(report.design, unit=ITEM))
    found = {one.topic: one for one in answer(items)}
    assert "sizes" not in found["data"].missing
    assert "definitions" in found["measures"].missing
    inferred = made("one-dataset")
    assert "definitions" in by_topic(inferred)["measures"].missing
    battles = replace(inferred, design=replace(inferred.design, unit=COMPARISON))
    found = {one.topic: one for one in answer(battles)}
    assert "sizes" not in found["data"].missing
    assert found["measures"].places == ("design", "inference")
    assert not found["measures"].missing


def test_an_executed_study_says_it() -> None:
    choice = HyperparameterChoice("d", "anna", "k", 60, 1, 2, 3, 5, 40)
    report = executed(made("one-dataset"), choices=(choice,))
    hold_against_results(report)
    found = by_topic(report)
    assert found["separation"].places == ("design",)
    assert found["candidates"].places == ("design", "provenance")
    assert found["hyperparameters"].facts == {"n_choosing": 1, "n_candidates": 4}
    assert found["compute"].facts["seconds"] == 12.5
    assert found["compute"].missing == ("machine-memory",)
    assert found["code"].missing == ("digests", "code-address")


def test_what_is_not_known_is_said() -> None:
    report = executed(made("one-dataset"))
    (dataset,) = report.design.datasets
    made_here = executed(report, datasets=(replace(dataset, formula="y = x"),))
    assert "data-address" in by_topic(executed(report))["data"].missing
    assert "data-address" not in by_topic(made_here)["data"].missing
    for way, reason in (
        ({"scheme": "given"}, "given-samples"),
        ({"scheme": "bootstrap", "assessment": "cross-validation"}, "given-samples"),
        ({"scheme": "bootstrap", "assessment": "learning"}, "given-samples"),
        ({}, "read"),
    ):
        datasets = (replace(dataset, resampling={}),)
        other = executed(report, datasets=datasets, resampling=way)
        assert by_topic(other)["separation"].missing == (reason,)
    assert by_topic(executed(report, datasets=datasets))["separation"].missing == ()
    origin = replace(report.provenance, execution={"reused_fits": 480, "seconds": 0.1})
    found = {a.topic: a for a in answer(replace(report, provenance=origin))}
    assert found["compute"].missing == ("time", "machine-memory")
    found = {a.topic: a for a in answer(replace(report, conclusion=None, contents=()))}
    assert found["tests"].missing == found["generality"].missing == ("not-tested",)
    assert found["limits"].missing == ("no-conclusion",)


def test_decisions_that_may_be_wrong_say_why() -> None:
    assert "dependent" not in by_topic(made("folds"))["tests"].missing  # new data decide
    assert by_topic(made("gaps"))["tests"].missing == ("assumptions",)  # three data sets
    assert by_topic(made("gaps"))["generality"].places == ()
    assert by_topic(made("archetypes"))["tests"].missing == ("not-tested",)


@pytest.mark.parametrize("name", ["inference", "sequential"])
def test_tests_of_single_data_sets_are_told(name: str) -> None:
    means = np.array([[0.05, 0.1, 0.12], [0.5, 0.1, 0.05]])
    values = over(means, ("lda", "knn", "rpart"), 40)
    study = MadeUp(lambda: warehouse_of(values, ("lda", "knn", "rpart")), (name,))
    report = report_of(study)
    hold_against_results(report)
    found = by_topic(report)
    assert found["tests"].places == ("datasets",)
    assert found["tests"].facts["n_pairs"] == 6
    assert found["generality"].missing == ("one-by-one",)


def test_the_kinds_of_decisions() -> None:
    assert by_topic(made("settings"))["tests"].facts["n_tested"] == 8
    assert by_topic(made("settings"))["generality"].facts == {"target": "process"}
    assert by_topic(made("stages"))["tests"].facts["basis"] == "stages"
    assert by_topic(made("one-value-a-cell"))["tests"].facts["is_over_datasets"]


# --------------------------------------------------------------------------------------- words


def test_every_reason_and_place_has_words() -> None:
    source = (Path(page.__file__).parents[2] / "templates" / TEMPLATE).read_text(encoding="utf-8")
    code = Path(answer.__code__.co_filename).read_text(encoding="utf-8")
    tables = dict(re.findall(r"set (REASONS|PLACES) = \{(.*?)\n\}", source, re.DOTALL))
    words = {name: set(re.findall(r'^  "([\w-]+)":', body, re.M)) for name, body in tables.items()}
    named = set(re.findall(r'"([a-z-]+)"', code))
    assert words["REASONS"] <= named
    assert words["PLACES"] <= named
    reports = [made(name) for name in KINDS] + [executed(made(name)) for name in KINDS]
    answers = [one for report in reports for one in report.checklists]
    assert {reason for one in answers for reason in one.missing} <= words["REASONS"]
    assert {place for one in answers for place in one.places} <= words["PLACES"]


@pytest.mark.slow
def test_links_of_quarto_lead_to_headings(tmp_path: Path) -> None:
    for name in KINDS:
        quarto.render(executed(made(name)), tmp_path / name / "index.qmd")
        text = as_quarto.whole(tmp_path / name / "index.qmd")
        assert ("{#sec-checklists}" in text) == (name not in BRIEF)
        links = {link for link in re.findall(r"\(#(sec-[\w-]+)\)", text) if "sec-data-" not in link}
        assert all(f"{{#{link}}}" in text for link in links)
        assert links or name in BRIEF


def test_numbers_are_written_as_they_are() -> None:
    report = executed(made("one-dataset"))
    context = RenderContext(report, HTML, (), extras())
    part = compose(context).checklists
    assert part is not None
    text = " ".join(re.sub(r"<[^>]+>", " ", context.insert_labels(part.body)).split())
    assert "Simultaneous intervals of 6 pairs at 95%" in text
    assert "480 fits in 12.5 s by 2 workers" in text
    assert "4 candidates" in text
    assert "None of 480 values are missing" in text


def test_a_paper_for_review_does_not_speak_of_what_it_hides() -> None:
    report = replace(executed(made("one-dataset")), layout=Layout(is_anonymous=True))
    part = compose(RenderContext(for_review(report), HTML, (), extras())).checklists
    assert part is not None
    assert "revision" not in part.body
