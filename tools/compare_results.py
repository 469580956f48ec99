"""Compare two results.json, of version 1 to 3 of their schema.

Version 2 has the pairs of candidates in another shape, and in version 3 verdicts speak of another
target; what is in both is compared, whatever the
shape: pairs are matched by data set, measure, candidates, method and target. Everything else is
compared as it stands. Needs Python only.

Examples
--------
    python tools/compare_results.py before/results.json after/results.json
    python tools/compare_results.py before/results.json after/results.json --ignore provenance
    python tools/compare_results.py before/results.json after/results.json --verdicts --changed
"""

from __future__ import annotations

import argparse
import json
import sys
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

VERSIONS = (1, 2, 3)
TOLERANCE = 1e-9  # relative: far below what is printed, far above what another processor changes
LONGEST = 60  # characters of a value in a line
DOMAIN = ""  # stands for a data set in the verdicts over all of them; none has that name

MIRRORED = {
    "better-relevant": "worse-relevant",
    "better": "worse",
    "worse": "better",
    "worse-relevant": "better-relevant",
}
"""The decision of second against first."""

SIGNED = ("estimate", "difference", "statistic", "rank_difference", "d", "cliff_delta")
"""What changes its sign where first and second change places."""

BOUNDS = (("lower", "upper"), ("joint_lower", "joint_upper"))
"""What then changes sign and place."""

OPPOSITE = (("below", "above"), ("wins", "losses"))
"""What then changes its place."""

RENAMED = {
    "absent": "missing_candidates",
    "affinity": "interaction",
    "against": "many_to_one",
    "loss": "regret",
    "n_otherwise": "n_changed",
    "n_turned": "n_reversed",
    "road": "method",
    "roads": "methods",
    "turned": "reversals",
    "turned_by_ranks": "rank_reversals",
}
"""Keys of earlier files by the keys that hold the same now."""

Row = dict[str, Any]


class InputError(Exception):
    """A file is no results.json."""


@dataclass(frozen=True)
class Difference:
    """One difference: where it is, and what either file has there."""

    path: str
    old: str
    new: str

    def __str__(self) -> str:
        """Write it in one line."""
        return f"{self.path}: {self.old} -> {self.new}"


@dataclass
class Comparison:
    """All differences of two files.

    Attributes
    ----------
    tolerance : float
        Relative, of numbers.
    ignored : sequence of str
        Paths that are not compared, with all that is below them.
    is_mapped : bool
        Whether the versions differ, so that keys of pairs may have come or gone.
    found : list of Difference
    gone, come : set of str
        Keys of pairs that only one version has.
    """

    tolerance: float = TOLERANCE
    ignored: Sequence[str] = ()
    is_mapped: bool = False
    found: list[Difference] = field(default_factory=list)
    gone: set[str] = field(default_factory=set)
    come: set[str] = field(default_factory=set)

    def add(self, path: str, old: Any, new: Any) -> None:
        """Add a difference."""
        if not self._is_ignored(path):
            self.found.append(Difference(path, shown(old), shown(new)))

    def compare(self, path: str, old: Any, new: Any) -> None:
        """Compare two values of any kind."""
        if self._is_ignored(path):
            return
        if isinstance(old, dict) and isinstance(new, dict):
            self.compare_items(path, old, new)
        elif isinstance(old, list) and isinstance(new, list):
            self._compare_lists(path, old, new)
        elif not self.is_same(old, new):
            self.add(path, old, new)

    def compare_items(self, path: str, old: Mapping[str, Any], new: Mapping[str, Any]) -> None:
        """Compare what stands under the same keys; a key of one side is a difference."""
        for key in dict.fromkeys((*old, *new)):
            here = f"{path}.{key}" if path else key
            if key not in new:
                self.add(here, old[key], MISSING)
            elif key not in old:
                self.add(here, MISSING, new[key])
            else:
                self.compare(here, old[key], new[key])

    def compare_rows(self, path: str, old: Row, new: Row) -> None:
        """Compare what is said of one pair; keys may come and go with the version."""
        if old["first"] != new["first"]:
            new = reversed_row(new)
        if self.is_mapped:
            self.gone |= old.keys() - new.keys()
            self.come |= new.keys() - old.keys()
            both = [key for key in old if key in new]
            old, new = ({key: row[key] for key in both} for row in (old, new))
            if old.get("p_value") is None or new.get("p_value") is None:  # version 1 had one p only
                old.pop("p_value", None)
                new.pop("p_value", None)
        self.compare_items(path, old, new)

    def is_same(self, old: Any, new: Any) -> bool:
        """Whether two values are equal, numbers within the tolerance."""
        numbers = (int, float)
        if isinstance(old, bool) or isinstance(new, bool):
            return old is new
        if isinstance(old, numbers) and isinstance(new, numbers):
            return abs(old - new) <= self.tolerance * max(abs(old), abs(new))
        return bool(old == new)

    def _compare_lists(self, path: str, old: list[Any], new: list[Any]) -> None:
        if is_pairs(old) and is_pairs(new):
            before, after = by_pair(old), by_pair(new)
            for key in dict.fromkeys((*before, *after)):
                here = f"{path}[{key}]"
                if key in before and key in after:
                    self.compare_rows(here, before[key], after[key])
                else:
                    self.add(here, before.get(key, MISSING), after.get(key, MISSING))
        elif len(old) != len(new):
            self.add(path, old, new)
        else:
            for i, (before, after) in enumerate(zip(old, new, strict=True)):
                self.compare(f"{path}[{i}]", before, after)

    def _is_ignored(self, path: str) -> bool:
        return any(path == p or path.startswith((f"{p}.", f"{p}[")) for p in self.ignored)


def with_present_keys(value: Any) -> Any:
    """Rename the keys that earlier files had.

    >>> with_present_keys({"turned": [["a", "b"]], "change": "turned"})
    {'reversals': [['a', 'b']], 'change': 'reversed'}
    """
    if isinstance(value, dict):
        renamed = {RENAMED.get(k, k): with_present_keys(v) for k, v in value.items()}
        if renamed.get("change") == "turned":
            renamed["change"] = "reversed"
        return renamed
    return [with_present_keys(v) for v in value] if isinstance(value, list) else value


class Missing:
    """Stands for what one file does not have."""


MISSING = Missing()


def shown(value: Any) -> str:
    """Write a value shortly.

    >>> shown([1, 2]), shown({"a": 1}), shown(0.25), shown("x")
    ('[1, 2]', '{"a": 1}', '0.25', '"x"')
    """
    if value is MISSING:
        return "nothing"
    text = json.dumps(value, ensure_ascii=False)
    if len(text) <= LONGEST:
        return text
    if isinstance(value, dict | list):
        return f"{len(value)} {'keys' if isinstance(value, dict) else 'entries'}"
    return f"{text[:LONGEST]}…"


# ------------------------------------------------------------------------------------- pairs


def is_pairs(rows: Any) -> bool:
    """Whether a value is a list of rows about pairs of candidates."""
    return (
        isinstance(rows, list)
        and bool(rows)
        and all(isinstance(row, dict) for row in rows)
        and all(isinstance(row.get(key), str) for row in rows for key in ("first", "second"))
    )


def named(row: Row) -> str:
    """Name the pair of a row, whichever comes first in it."""
    return " - ".join(sorted((row["first"], row["second"])))


def by_pair(rows: Iterable[Row]) -> dict[str, Row]:
    """Key rows by what tells them apart: the pair, and where it has them its method and target."""
    found: dict[str, Row] = {}
    for row in map(normal, rows):
        parts = (named(row), row.get("method"), row.get("target"))
        stem = key = ", ".join(str(part) for part in parts if part)
        number = 1
        while key in found:
            number += 1
            key = f"{stem} #{number}"
        found[key] = row
    return found


def normal(row: Row) -> Row:
    """Bring a row about a pair into the keys of version 2.

    A row of version 1 has one p-value, which is adjusted, unless it has Holm's, too.

    >>> normal({"first": "b", "second": "a", "estimate": 1.0, "p_value": 0.1})
    {'first': 'b', 'second': 'a', 'estimate': 1.0, 'p_value': None, 'adjusted_p_value': 0.1}
    """
    row = dict(row)
    if "adjusted_p_value" in row:
        return row
    if "difference" in row and "estimate" not in row and "superiority" not in row:  # of rank sums
        row["estimate"] = row.pop("difference")
    if "p_value_holm" in row:
        row["adjusted_p_value"] = row.pop("p_value_holm")
    elif "p_value" in row:
        row["adjusted_p_value"], row["p_value"] = row["p_value"], None
    return row


def reversed_row(row: Row) -> Row:
    """Return the same comparison as second against first.

    >>> reversed_row({"first": "b", "second": "a", "lower": 1, "upper": None, "decision": "better"})
    {'first': 'a', 'second': 'b', 'lower': None, 'upper': -1, 'decision': 'worse'}
    """
    row = {**row, "first": row["second"], "second": row["first"]}
    if row.get("scale") == "ratio":
        ends = [row.get(key) for key in ("estimate", "upper", "lower")]
        inverse = [None if x is None else 1 / x for x in ends]
        row |= dict(zip(("estimate", "lower", "upper"), inverse, strict=True))
        row["statistic"] = minus(row.get("statistic"))
        row["decision"] = MIRRORED.get(row["decision"], row["decision"])
        return row
    for key, value in row.items():
        if key in SIGNED:
            row[key] = minus(value)
        elif isinstance(value, list) and len(value) == 2 and key.endswith("_interval"):
            row[key] = [minus(value[1]), minus(value[0])]
    for low, high in OPPOSITE:
        if low in row and high in row:
            row[low], row[high] = row[high], row[low]
    for low, high in BOUNDS:
        if low in row and high in row:
            row[low], row[high] = minus(row[high]), minus(row[low])
    if "decision" in row:
        row["decision"] = MIRRORED.get(row["decision"], row["decision"])
    return row


def minus(value: Any) -> Any:
    """Change the sign of a number; None stays."""
    return None if value is None else -value


# --------------------------------------------------------------------------------- decisions

Place = tuple[str, str]
"""A data set, or the domain, and a measure."""


@dataclass
class Decisions:
    """What a file says of pairs of candidates, whatever the version.

    Attributes
    ----------
    verdicts : dict
        The row that decides, by place and pair.
    others : dict
        Rows of other methods, by place, method and target, and pair.
    methods : dict
        What describes each method, by place and the method's name.
    adjusted : dict
        Adjusted p-values, by place, name and pair.
    deciding : dict
        The name of the method that makes the verdicts, by place; of version 1.
    names : dict
        The name of the method that rows are of, by place, method and target; of version 2.
    """

    verdicts: dict[tuple[Place, str], Row] = field(default_factory=dict)
    others: dict[tuple[Place, tuple[str, str], str], Row] = field(default_factory=dict)
    methods: dict[tuple[Place, str], dict[str, Any]] = field(default_factory=dict)
    adjusted: dict[tuple[Place, str, str], Any] = field(default_factory=dict)
    deciding: dict[Place, str] = field(default_factory=dict)
    names: dict[tuple[Place, tuple[str, str]], str] = field(default_factory=dict)

    def add_measure(self, place: Place, found: dict[str, Any]) -> None:
        """Add the pairs of one data set and measure, and remove them from its results."""
        rows = found.pop("pairs", None) or []
        roads = found.pop("roads", None) or []
        methods = list((found.pop("methods", None) or {}).values())
        deciding = [row for row in rows if row.get("primary", True)]
        for row in deciding:
            self.verdicts[place, named(row)] = normal(row)
        for row in rows:
            if not row.get("primary", True):
                self._add(place, row)
        if roads:
            self.deciding[place] = roads[0]["name"]
        for road in roads:
            self._add_method(place, road, road.get("n_blocks"))
            for row, p in zip(deciding, road.get("p_values") or (), strict=False):
                self.adjusted[place, road["name"], named(row)] = p
        for method in methods:
            self._add_method(place, method, method.get("n_units"))
            for row in method.get("pairs") or ():
                self._add(place, row)
                self.names[place, kind_of(row)] = method["name"]
                self.adjusted[place, method["name"], named(row)] = normal(row)["adjusted_p_value"]

    def row(self, place: Place, kind: tuple[str, str], pair: str) -> Row | None:
        """Return what a method says of a pair, whether it decides or not."""
        verdict = self.verdicts.get((place, pair))
        if verdict is not None and kind_of(verdict) == kind:
            return verdict
        return self.others.get((place, kind, pair))

    def has_p_values_of(self, name: str, place: Place) -> bool:
        """Whether there are p-values of a method, if not all that version 2 says of its pairs."""
        return (place, name) in self.methods

    def decides(self, place: Place, name: str, other: Decisions) -> bool:
        """Whether a method of this name makes the verdicts, here and in another file."""
        kinds = (
            {kind_of(row) for (at, _), row in file.verdicts.items() if at == place}
            for file in (self, other)
        )
        return self.deciding.get(place) == name and len(set.union(*kinds)) == 1

    def _add(self, place: Place, row: Row) -> None:
        self.others.setdefault((place, kind_of(row), named(row)), normal(row))

    def _add_method(self, place: Place, method: Mapping[str, Any], n_units: Any) -> None:
        properties = {key: method.get(key) for key in ("controls", "law", "n_draws")}
        self.methods[place, method["name"]] = {**properties, "n_units": n_units}


def kind_of(row: Row) -> tuple[str, str]:
    """Return by which method, and of what, a row speaks."""
    return str(row.get("method", "")), str(row.get("target", ""))


def decisions(results: dict[str, Any]) -> Decisions:
    """Remove the decisions on pairs from results and return them."""
    found = Decisions()
    sections = results.get("sections") or {}
    for dataset, measures in (sections.get("inference") or {}).items():
        for measure, content in (measures or {}).items():
            if isinstance(content, dict):
                found.add_measure((dataset, measure), content)
    domain = sections.get("domain") or {}
    verdicts = domain.get("verdict") if isinstance(domain, dict) else None
    for measure, content in (verdicts or _models_that_decide(domain)).items():
        if isinstance(content, dict):
            found.add_measure((DOMAIN, measure), content)
    return found


def _models_that_decide(domain: Mapping[str, Any]) -> dict[str, Any]:
    """Return the models of the domain whose pairs are its verdicts in version 1, as copies."""
    found = {}
    for measure, models in (domain.get("mixed_model") or {}).items():
        basis = (domain.get("bases") or {}).get(measure) or {}
        known: dict[str, Any] = models or {}
        chosen = known.get(basis.get("structure") or "", next(iter(known.values()), None))
        if chosen:
            found[measure] = {"pairs": chosen.get("pairs")}
    return found


# ------------------------------------------------------------------------------ the comparison


def compared(old: dict[str, Any], new: dict[str, Any], comparison: Comparison) -> Comparison:
    """Compare two files; both lose what is said of pairs."""
    comparison.is_mapped = old.pop("schema_version") != new.pop("schema_version")
    for results in (old, new):
        results.setdefault("drawing_faults", [])  # which version 1 did not survive
    before, after = decisions(old), decisions(new)
    domains = [(results.get("sections") or {}).get("domain") or {} for results in (old, new)]
    if not all("verdict" in domain for domain in domains):  # version 1 has models in its place
        for domain in domains:
            domain.pop("verdict", None)
    for place, pair in dict.fromkeys((*before.verdicts, *after.verdicts)):
        here = f"{path_of(place)}.verdict[{pair}]"
        was, now = (file.verdicts.get((place, pair)) for file in (before, after))
        if was and now:
            comparison.compare_rows(here, was, now)
        else:
            comparison.add(here, was or MISSING, now or MISSING)
    _compare_methods(before, after, comparison)
    comparison.compare("", with_present_keys(old), with_present_keys(new))
    return comparison


def _compare_methods(before: Decisions, after: Decisions, comparison: Comparison) -> None:
    """Compare what is not the verdict; tell once of a method that one file alone has."""
    alone: Counter[tuple[str, bool]] = Counter()
    for place, kind, pair in dict.fromkeys((*before.others, *after.others)):
        old, new = (file.row(place, kind, pair) for file in (before, after))
        if old and new:
            comparison.compare_rows(f"{path_of(place)}.pairs[{pair}, {', '.join(kind)}]", old, new)
        elif old or not before.has_p_values_of(after.names.get((place, kind), ""), place):
            alone[f"pairs by {kind[0]} ({kind[1]})", bool(old)] += 1
    for place, name in dict.fromkeys((*before.methods, *after.methods)):
        here = f"{path_of(place)}.methods.{name}"
        if (place, name) in before.methods and (place, name) in after.methods:
            old, new = before.methods[place, name], after.methods[place, name]
            comparison.compare_items(here, old, new)
        elif not before.decides(place, name, after) and not after.decides(place, name, before):
            alone[f"methods called {name}", (place, name) in before.methods] += 1
    for place, name, pair in before.adjusted.keys() & after.adjusted.keys():
        here = f"{path_of(place)}.methods.{name}.adjusted_p_value[{pair}]"
        key = place, name, pair
        comparison.compare(here, before.adjusted[key], after.adjusted[key])
    for (what, is_old), n in alone.items():
        counts = f"{n} of them", MISSING
        comparison.add(what, *(counts if is_old else counts[::-1]))


def path_of(place: Place) -> str:
    """Write where the results of a data set, or of the domain, stand."""
    dataset, measure = place
    return (
        f"sections.domain.{measure}"
        if dataset == DOMAIN
        else f"sections.inference.{dataset}.{measure}"
    )


# --------------------------------------------------------------------------------- the verdicts


def verdict_table(old: dict[str, Any], new: dict[str, Any], *, only_changed: bool) -> list[str]:
    """Return the lines of a Markdown table of all verdicts, before and after."""
    before, after = decisions(old).verdicts, decisions(new).verdicts
    heads = ("data set", "measure", "pair", "before", "decision", "after", "decision", "changed by")
    lines = [joined(heads), joined("---" for _ in heads)]
    for key in dict.fromkeys((*before, *after)):
        was, now = before.get(key), after.get(key)
        if was and now and was["first"] != now["first"]:
            now = reversed_row(now)
        is_changed = (was or {}).get("decision") != (now or {}).get("decision")
        if only_changed and not is_changed:
            continue
        row = was or now or {}
        pair = f"{row['first']} - {row['second']}"
        dataset, measure = key[0]
        cells = (dataset or "(domain)", measure, pair)
        numbers = (size(was), decision(was), size(now), decision(now))
        lines.append(joined((*cells, *numbers, reason(was, now) if is_changed else "")))
    return lines


def reason(was: Row | None, now: Row | None) -> str:
    """Return by what a decision has changed: target, scale, gaps or interval.

    >>> reason({"target": "conditional"}, {"target": "generating-process"})
    'target'
    """
    if not was or not now:
        return "new" if now else "gone"
    for key in ("target", "scale"):
        if was.get(key) != now.get(key):
            return key
    if now.get("adverse_first") is not None or was.get("n") != now.get("n"):
        return "gaps"
    return "interval"


def joined(cells: Iterable[str]) -> str:
    """Write a row of a Markdown table."""
    return f"| {' | '.join(cell.replace('|', chr(92) + '|') for cell in cells)} |"


def decision(row: Row | None) -> str:
    """Return the decision on a pair, with its method."""
    return f"{row.get('decision')} ({row.get('method')})" if row else "–"


def size(row: Row | None) -> str:
    """Write an estimate and its interval; of a ratio with a sign of times.

    >>> size({"estimate": 0.123456, "lower": -1, "upper": None})
    '0.1235 (-1 to ?)'
    """
    if not row:
        return "–"
    estimate, lower, upper = (
        "?" if row.get(key) is None else f"{row[key]:.4g}" for key in ("estimate", "lower", "upper")
    )
    return f"{'×' if row.get('scale') == 'ratio' else ''}{estimate} ({lower} to {upper})"


# ----------------------------------------------------------------------------- the command line


def read(path: Path) -> dict[str, Any]:
    """Return the content of a results.json, or of that of a run's folder.

    Raises
    ------
    InputError
        If there is none, or of another version.
    """
    path = path / "results.json" if path.is_dir() else path
    try:
        found = json.loads(path.read_text(encoding="utf-8"))
    except (OSError, ValueError) as error:
        raise InputError(f"{path}: cannot be read ({error})") from error
    if not isinstance(found, dict) or found.get("schema_version") not in VERSIONS:
        raise InputError(f"{path}: found no results.json of version 1 to 3")
    if any(where == "pairs_file" for where in _keys(found)):
        print(f"{path}: its pairs are in a file beside it and not compared", file=sys.stderr)
    return found


def _keys(value: Any) -> Iterator[str]:
    """Yield every key of all mappings in a value."""
    if isinstance(value, dict):
        for key, item in value.items():
            yield key
            yield from _keys(item)
    elif isinstance(value, list):
        for item in value:
            yield from _keys(item)


def main(arguments: Sequence[str] | None = None) -> int:
    """Compare two files, print what differs, and return 1 where anything does."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n\n")[0])
    parser.add_argument("old", type=Path, help="results.json, or the folder of a run")
    parser.add_argument("new", type=Path, help="the same, of version 1 to 3")
    parser.add_argument(
        "--tolerance", type=float, default=TOLERANCE, help="relative, of numbers [%(default)s]"
    )
    parser.add_argument(
        "--ignore",
        action="append",
        default=[],
        metavar="PATH",
        help="such as provenance; repeatable",
    )
    parser.add_argument(
        "--verdicts", action="store_true", help="print a Markdown table of all verdicts instead"
    )
    parser.add_argument("--changed", action="store_true", help="with --verdicts: only what changed")
    chosen = parser.parse_args(arguments)
    try:
        old, new = read(chosen.old), read(chosen.new)
    except InputError as error:
        print(error, file=sys.stderr)
        return 2
    if chosen.verdicts:
        lines = verdict_table(old, new, only_changed=chosen.changed)
        print("\n".join(lines))
        return int(any(not line.endswith("|  |") for line in lines[2:]))
    found = compared(old, new, Comparison(chosen.tolerance, chosen.ignore))
    for difference in found.found:
        print(difference)
    for keys, version in ((found.gone, "OLD"), (found.come, "NEW")):
        if keys:
            print(f"keys of pairs that only {version} has: {', '.join(sorted(keys))}")
    n = len(found.found)
    print(f"{n} difference{'' if n == 1 else 's'}")
    return int(bool(found.found))


if __name__ == "__main__":
    sys.exit(main())
