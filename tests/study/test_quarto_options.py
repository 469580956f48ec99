"""Options of Quarto in a manifest: what lays out, with plain values."""

from __future__ import annotations

from typing import Any

import pytest
from pydantic import ValidationError

from reportgen.study.schema import QuartoEntry

LAID_OUT: tuple[dict[str, Any], ...] = (
    {"journal": "elsevier", "options": {"journal": {"name": "Journal of Examples", "model": "5p"}}},
    {"journal": "acm", "options": {"acm-metadata": {"doi": "10.1145/1.2", "final": True}}},
    {"format": "ieee-pdf", "options": {"ieee": {"short-title": "Words, and more"}}},
    {"format": "html", "options": {"theme": "cosmo", "toc": True, "linkcolor": "#336699"}},
    {"format": "typst", "options": {"margin": {"x": "1.5cm"}, "papersize": "us-letter"}},
    {
        "format": "pdf",
        "options": {
            "mainfont": "Noto Serif",
            "mainfontfallback": ["Noto Serif CJK SC:"],
            "geometry": ["margin=1in", "letterpaper"],
            "fig-width": 5.5,
        },
    },
)


@pytest.mark.parametrize("entry", LAID_OUT)
def test_what_lays_out_is_allowed(entry: dict[str, Any]) -> None:
    assert QuartoEntry.model_validate(entry).options == entry["options"]


CONCEPTS: tuple[Any, ...] = (
    "Computing methodologies > Machine learning",
    ["Software", {"concept": "Networks~Network reliability", "significance": "medium"}],
    r"\ccsdesc[500]{Computing}",
    r"\\ccsdesc[500]{Computing}",
    (
        "\\begin{CCSXML}\n<ccs2012><concept>…</concept></ccs2012>\n\\end{CCSXML}\n\n"
        "\\ccsdesc[500]{Computing methodologies~Machine learning}\n\\ccsdesc{Software}\n"
    ),
)
NO_CONCEPTS: tuple[Any, ...] = (
    *(r"\input{x}", r"\ccsdesc[500]{\input{x}}", r"\ccsdesc{a}\write18{y}", "`x`{=latex}", "$x$"),
    *("{{< env X >}}", "<b>x</b>", "", {}, 5, "x" * 400, ["a", ["b"]], {"concept": "a", "x": 1}),
    *({"concept": "a", "significance": "most"}, {"concept": "a", "significance": ["high"]}),
    r"\begin{CCSXML}\end{CCSXML}",
)


@pytest.mark.parametrize("form", ["acm-pdf", "pdf"])
@pytest.mark.parametrize("concepts", CONCEPTS)
def test_concepts_of_acm_are_plain_values(form: str, concepts: Any) -> None:
    options = {"acm-metadata": {"ccs": concepts}}
    assert QuartoEntry.model_validate({"format": form, "options": options}).options == options


@pytest.mark.parametrize("concepts", NO_CONCEPTS)
def test_what_is_no_concept_is_refused(concepts: Any) -> None:
    options = {"acm-metadata": {"ccs": concepts}}
    with pytest.raises(ValidationError, match="allowed concepts, such as Computing method"):
        QuartoEntry.model_validate({"journal": "acm", "options": options})


VALUES = (
    *(r"\input{x}", r"\write18", "$x$", "`x`", "`x`{=latex}", "{{< env X >}}", "{{{< x >}}}"),
    *("<b>x</b>", "<script>", ":::", "@fig-a", "[^1]", "^[x]", "[x](y)", "![x](y)", "a\nb", "~x~"),
    *("../x", "/etc/passwd", "Path=/etc/", "https://e.org/x", "x.lua", "x.scss", "a|b", "x" * 400),
)
KEYS = (
    *("filters", "engine", "include-in-header", "header-includes", "template", "css", "csl"),
    *("output-file", "pdf-engine-opt", "resource-path", "bibliography", "reference-doc", "from"),
    *("html-math-method", "embed-resources", "metadata-files", "title-block-banner", "a b", "{x}"),
)


@pytest.mark.parametrize("value", VALUES)
@pytest.mark.parametrize("form", ["pdf", "ieee-pdf"])
def test_what_is_more_than_plain_text_is_refused(value: str, form: str) -> None:
    for options in (
        {"mainfont": value},
        {"geometry": ["a", value]},
        {"journal": {"name": {"a": [value]}}},
    ):
        with pytest.raises(ValidationError, match="allowed plain text without TeX") as told:
            QuartoEntry.model_validate({"format": form, "options": options})
        (key,) = options
        assert told.value.errors()[0]["ctx"]["at"][:2] == ("options", key)


@pytest.mark.parametrize("key", KEYS)
@pytest.mark.parametrize("form", ["pdf", "ieee-pdf"])
def test_what_acts_is_refused(key: str, form: str) -> None:
    for options in ({key: "x"}, {"journal": {key: "x"}}, {"journal": [{"a": {key: 1}}]}):
        with pytest.raises(ValidationError, match=r"allowed (?:options|keys)"):
            QuartoEntry.model_validate({"format": form, "options": options})


def test_only_an_extension_has_keys_of_its_own() -> None:
    options = {"ieee": {"a": 1}}
    assert QuartoEntry.model_validate({"format": "ieee-pdf", "options": options})
    for entry in ({"format": "pdf"}, {"journal": "jmlr"}):
        with pytest.raises(ValidationError, match="found ieee; allowed options that lay out"):
            QuartoEntry.model_validate({**entry, "options": options})


def test_options_are_few() -> None:
    many = {f"x{i}": i for i in range(300)}
    with pytest.raises(ValidationError, match="found 300 options; allowed at most 200"):
        QuartoEntry.model_validate({"format": "ieee-pdf", "options": many})
