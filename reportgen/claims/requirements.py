"""The sections whose results claims are held against; light, as manifests ask for it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from types import MappingProxyType

from reportgen.claims.grammar import Relation, read_claim
from reportgen.errors import StudyError
from reportgen.study.schema.options import Expectation

OF_PAIRS = ("inference", "domain", "items")
"""Sections with the verdicts that stand beside those on the claims."""
PLANNED = "a better than b"
"""What a plan is about, by the sections that it needs."""
REQUIRED: Mapping[Relation, tuple[str, ...]] = MappingProxyType(
    {
        "below": (),
        "above": (),
        "failures": (),
        "consensus": ("consensus", "domain"),
        "tree": ("psychoanalysis",),
    }
)


def required_sections(claims: Sequence[Expectation]) -> tuple[str, ...]:
    """Return the sections whose results some claim is held against."""
    needs = (_required(entry.claim) for entry in claims)
    return tuple(dict.fromkeys(name for names in needs for name in names))


def _required(text: str) -> tuple[str, ...]:
    """Return the sections that a claim needs; none of what is no claim, which is told later."""
    try:
        return REQUIRED.get(read_claim(text).relation, OF_PAIRS)
    except StudyError:
        return ()
