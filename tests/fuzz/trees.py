"""Trees of JSON in which some values are others."""

from __future__ import annotations

import json
from copy import deepcopy
from typing import Any

from hypothesis import strategies as st

from tests.fuzz.manifests import HOSTILE
from tests.fuzz.names import names
from tests.fuzz.outcome import leaves

ODD = st.sampled_from(HOSTILE) | names | st.floats() | st.integers()


@st.composite
def changed(draw: st.DrawFn, tree: Any, most: int = 3) -> Any:
    """Draw a tree in which one to `most` parts are left out, others, moved or twice."""
    found = deepcopy(tree)
    for _ in range(draw(st.integers(1, most))):
        places = [place for place, _ in leaves(found)]
        if not places:
            return found
        place = draw(st.sampled_from(places))
        place = place[: draw(st.integers(1, len(place)))]
        node = found
        for key in place[:-1]:
            node = node[_own(node, key)]
        last = _own(node, place[-1])
        match draw(st.sampled_from(("drop", "value", "value", "nest", "move", "twice"))):
            case "drop":
                del node[last]
            case "value":
                node[last] = deepcopy(draw(ODD))  # of which some can be changed
            case "nest":
                node[last] = draw(st.sampled_from(([node[last]], {"": node[last]})))
            case "move":
                node[last] = deepcopy(draw(st.sampled_from([found, node, node[last]])))
            case "twice" if isinstance(node, list):
                node.append(deepcopy(node[last]))
            case "twice":
                node[draw(names)] = deepcopy(node[last])
    return found


def as_json(tree: Any) -> bytes:
    """Return the text of a tree, which may have numbers and letters that JSON has not."""
    return json.dumps(tree, default=str).encode("utf-8", "surrogatepass")


def _own(node: Any, key: str) -> Any:
    return int(key) if isinstance(node, list) else key
