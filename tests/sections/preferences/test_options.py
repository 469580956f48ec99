"""What a manifest may say under `preferences`, and what it is told of mistakes."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from reportgen.errors import StudyError
from reportgen.sections import find_sections
from reportgen.sections.preferences import Options
from reportgen.study.manifest import Study, load_study, manifest_schema

MEASURES = ("misclassification", "fit-time", "cost")


def load(folder: Path, relations: str, analysis: str = "{}") -> Study:
    """Read a manifest with these relations."""
    (folder / "r.csv").write_text("candidate,replication,error\na,1,0.1\n", "utf-8")
    path = folder / "study.yaml"
    text = f"results: r.csv\nanalysis: {analysis}\nsections:\n  - preferences:\n      relations:\n"
    path.write_text(text + "".join(f"        - {line}\n" for line in relations.splitlines()))
    return load_study(path, {name: s.options for name, s in find_sections().items()})


def options(study: Study) -> Options:
    (choice,) = study.sections or ()
    assert isinstance(choice.options, Options)
    return choice.options


def refused(folder: Path, relations: str, analysis: str = "{}") -> str:
    """Return what is wrong, without the path."""
    with pytest.raises(StudyError) as caught:
        load(folder, relations, analysis).check_names(MEASURES)
    return str(caught.value).replace(f"{folder}/", "").removeprefix("study.yaml:")


def test_relations_have_ids_and_catalogue_names(tmp_path: Path) -> None:
    study = load(
        tmp_path,
        "{measure: Misclassification, by: mixed-model, relevant: not-equivalent}\n"
        "{name: worst, measure: misclassification, by: m-worst, m: 12}\n"
        "{measure: cost, by: quantile, quantile: 0.9, epsilon: 1}",
        "{relevance: {misclassification: [-0.01, 0.01]}}",
    )
    study.check_names(MEASURES)
    entries = options(study).relations or ()
    assert [e.id for e in entries] == ["misclassification/mixed-model", "worst", "cost/quantile"]
    assert [e.measure for e in entries] == ["misclassification", "misclassification", "cost"]
    assert (entries[1].m, entries[2].quantile, entries[2].epsilon) == (12, 0.9, 1.0)


PLACE = "sections.preferences.relations"


@pytest.mark.parametrize(
    ("relations", "message"),
    [
        (
            "{measure: cost, by: mean}\n{name: cost/mean, measure: cost, by: max}",
            (
                f"5: {PLACE}: found two relations with the id 'cost/mean'; allowed each id once: "
                "a name for one of them"
            ),
        ),
        (
            "{measure: cost, by: men}",
            (
                f"6: {PLACE}[1].by: found 'men'; allowed mean, median, max, m-worst, quantile, "
                "verdict, mixed-model, friedman, percentile; did you mean mean?"
            ),
        ),
        (
            "{measure: cost, by: mean, m: 3}",
            f"6: {PLACE}[1].m: found m with by: mean; allowed m with by: m-worst",
        ),
        (
            "{measure: cost, by: max, quantile: 0.9}",
            (
                f"6: {PLACE}[1].quantile: found quantile with by: max; allowed quantile with by: "
                "quantile"
            ),
        ),
        (
            "{measure: cost, by: friedman, epsilon: 0.9}",
            (
                f"6: {PLACE}[1].epsilon: found epsilon with by: friedman; allowed epsilon with by: "
                "mean or median or max or m-worst or quantile"
            ),
        ),
        (
            "{measure: cost, by: friedman, relevant: better}",
            (
                f"6: {PLACE}[1].relevant: found relevant with by: friedman; allowed relevant "
                "with by: verdict or mixed-model"
            ),
        ),
        (
            "{measure: cost, by: mean, epsilon: -1}",
            f"6: {PLACE}[1].epsilon: found -1; allowed a number from 0",
        ),
        (
            "{measure: cost, epsilon: 1}",
            f"6: {PLACE}[1].by: found nothing; allowed a value: this key must be there",
        ),
        (
            "{measure: cots, by: mean}",
            (
                f"6: {PLACE}[1].measure: found 'cots'; allowed misclassification, fit-time, cost; "
                "did you mean cost?"
            ),
        ),
        (
            "{measure: cost, by: mixed-model, relevant: better}",
            (
                f"6: {PLACE}[1].relevant: found relevant: better without an area of cost; allowed "
                "such an area, as in relevance: {cost: [-0.01, 0.01]}"
            ),
        ),
    ],
)
def test_mistakes_are_told(tmp_path: Path, relations: str, message: str) -> None:
    assert refused(tmp_path, relations).startswith(message)


def test_an_empty_list_is_no_default(tmp_path: Path) -> None:
    path = tmp_path / "study.yaml"
    load(tmp_path, "{measure: cost, by: mean}")
    path.write_text("results: r.csv\nsections: [{preferences: {relations: []}}]\n")
    with pytest.raises(StudyError, match="found an empty list; allowed at least one entry"):
        load_study(path, {"preferences": Options})


def test_an_area_may_stand_with_the_section(tmp_path: Path) -> None:
    study = load(tmp_path, "{measure: cost, by: mixed-model, relevant: better}")
    model = options(study)
    with_area = Options(relations=model.relations, relevance={"cost": (-1.0, 1.0)})
    assert with_area.faults_among(MEASURES) == []


def test_the_schema_offers_the_options() -> None:
    schema: dict[str, Any] = manifest_schema({"preferences": Options})
    entry = schema["$defs"]["RelationEntry"]
    assert set(entry["properties"]) == {
        "measure", "by", "name", "relevant", "epsilon", "m", "quantile",
    }  # fmt: skip
    assert all(p.get("description") for p in entry["properties"].values())
    assert entry["required"] == ["measure", "by"]


def test_relations_of_one_adjustment_have_the_inferences_options(tmp_path: Path) -> None:
    (tmp_path / "r.csv").write_text("candidate,replication,error\na,1,0.1\n", "utf-8")
    path = tmp_path / "study.yaml"
    path.write_text(
        "results: r.csv\nanalysis: {family: study}\n"
        "sections:\n  - inference: {alpha: 0.01}\n  - preferences: {variance: pooled}\n"
    )
    study = load_study(path, {name: s.options for name, s in find_sections().items()})
    with pytest.raises(StudyError) as caught:
        study.check_names(MEASURES)
    text = str(caught.value)
    assert "sections.preferences.alpha: found another alpha than inference has" in text
    assert "sections.preferences.variance: found another variance" in text
    assert "relevance" not in text
