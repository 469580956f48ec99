from __future__ import annotations

import pytest

from reportgen.errors import RenderingError
from reportgen.rendering.references import read_bibtex
from reportgen.rendering.templates import read_references


def test_authors_are_read_in_both_spellings() -> None:
    found = read_bibtex("@article{k, author = {Knuth, Donald E. and Jean-Luc Picard}, year = 1}")
    assert found["k"].long_names == "Knuth,_D._E. and Picard,_J.-L.".replace("_", "\u00a0")
    assert found["k"].short_names == "Knuth and Picard"


def test_three_authors_are_et_al() -> None:
    found = read_bibtex("@article{k, author = {A, B and C, D and E, F}, year = {2000}}")
    assert found["k"].short_names == "A et al."


def test_braces_accents_and_quotes_are_read() -> None:
    entry = r'@book{k, title = "The {R} \& {S} of M{\"u}nch{\'e}n", pages = {1--2},}'
    fields = read_bibtex(entry)["k"].fields
    assert fields["title"] == "The R & S of Münchén"
    assert fields["pages"] == "1–2"


def test_quotes_of_tex_are_printed_as_quotes() -> None:
    entry = "@book{k, title = {``One'' `Student's' {Test}}}"
    assert read_bibtex(entry)["k"].fields["title"] == "“One” ‘Student’s’ Test"


def test_no_reference_of_ours_has_remains_of_tex() -> None:
    for reference in read_references(()).values():
        shown = "".join(v for k, v in reference.fields.items() if k not in ("doi", "url"))
        assert not set("\\{}`'\"$~_^") & set(shown), reference.key


def test_an_open_entry_is_an_error() -> None:
    with pytest.raises(RenderingError, match="not closed"):
        read_bibtex("@book{k, title = {never ends")


def test_every_reference_of_ours_is_complete() -> None:
    for reference in read_references(()).values():
        assert reference.authors, reference.key
        assert reference.year.isdigit(), reference.key
        assert reference.fields["title"], reference.key
