"""What a manifest says of a candidate."""

from __future__ import annotations

from reportgen.study.kinds import Name
from reportgen.study.options import Strict


class CandidateEntry(Strict):
    """A candidate algorithm: a name from the catalogue."""

    name: Name
