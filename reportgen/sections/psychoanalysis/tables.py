"""Tables of the psychoanalysis: characteristics, tests, nodes and worths."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from reportgen.report import CANDIDATE, DATASET, Column, ColumnOf, Table
from reportgen.sections.psychoanalysis.figures import condition_words
from reportgen.sections.psychoanalysis.result import NodeTest, Psychoanalysis, Trait, TreeNode

MOST_LEAVES = 6  # whose worths are columns


def tabulate(result: Mapping[str, Psychoanalysis]) -> tuple[Table, ...]:
    """Lay out what the report shows, and everything else as files."""
    return tuple(t for found in result.values() for t in _tables(found))


def _tables(result: Psychoanalysis) -> Iterator[Table]:
    if result.characteristics:
        yield _characteristics(result)
    if result.tree is not None:
        yield _tests(result, result.tree)
        yield _nodes(result, result.tree)
        yield _worths(result, result.tree)
        yield _by_dataset(result)
    if result.variation:
        yield _variation(result)


def _characteristics(result: Psychoanalysis) -> Table:
    """One row a characteristic: its range, its test at the root, its part in resampled trees.

    Without those that cannot be tested, where others can; the table of the data sets has them.
    """
    columns: list[ColumnOf[Trait]] = [
        (Column("characteristic", "Characteristic", "text"), lambda t: t.name),
        (Column("definition", "What it is", "text"), lambda t: _what(t, result)),
        Column("least", "From", "setting"),
        Column("greatest", "To", "setting"),
    ]
    tests = {t.characteristic: t for t in result.tree.tests} if result.tree else {}
    if tests:
        columns += [
            (Column("statistic", "Statistic", "statistic"), lambda t: tests[t.name].statistic),
            (Column("p_value", "Adjusted p", "pvalue"), lambda t: tests[t.name].p_value),
        ]
    if result.stability:
        root, anywhere = result.stability.root, result.stability.anywhere
        columns += [
            (
                Column("root", "First in resampled trees (%)", "number"),
                lambda t: 100 * root[t.name] if t.name in root else None,
            ),
            (
                Column("anywhere", "Anywhere (%)", "number"),
                lambda t: 100 * anywhere[t.name] if t.name in anywhere else None,
            ),
        ]
    traits = [t for t in result.characteristics if t.name in tests or not tests]
    traits.sort(key=lambda t: tests[t.name].p_value if t.name in tests else 2.0)
    return Table.of(
        traits, columns, name="characteristics", measure=result.measure.name, is_wide=True
    )


def _what(trait: Trait, result: Psychoanalysis) -> str | None:
    """Return the definition of a characteristic, where there is one."""
    return "set by the study" if trait.name in result.factors else trait.definition or None


def _tests(result: Psychoanalysis, root: TreeNode) -> Table:
    """One row a node and characteristic."""
    columns: tuple[ColumnOf[tuple[TreeNode, NodeTest]], ...] = (
        (Column("node", "Node", "count"), lambda row: row[0].number),
        (Column("characteristic", "Characteristic", "text"), lambda row: row[1].characteristic),
        (Column("statistic", "Statistic", "statistic"), lambda row: row[1].statistic),
        (Column("df", "Parameters", "count"), lambda row: row[1].df),
        (Column("p_value", "Adjusted p", "pvalue"), lambda row: row[1].p_value),
        (Column("p_value_alone", "p alone", "pvalue"), lambda row: row[1].p_value_alone),
        (Column("divides", "Divides", "text"), lambda row: _divides(*row)),
    )
    rows = [(node, test) for node in root.walk() for test in node.tests]
    return Table.of(rows, columns, name="tests", measure=result.measure.name)


def _divides(node: TreeNode, test: NodeTest) -> str | None:
    return "yes" if node.split and node.split.characteristic == test.characteristic else None


def _nodes(result: Psychoanalysis, root: TreeNode) -> Table:
    """One row a node: the way to it, its size, who leads in it."""
    units = "Data sets" if result.cluster == "dataset" else "Learning samples"
    columns: tuple[ColumnOf[TreeNode], ...] = (
        (Column("node", "Node", "count"), lambda node: node.number),
        (
            Column("way", "Way to it", "text"),
            lambda node: " and ".join(condition_words(c) for c in node.conditions) or "all",
        ),
        Column("n", units, "count"),
        (Column("order", "Candidates by worth", "order"), lambda node: node.ranks),
        (
            Column("divided_by", "Divided by", "text"),
            lambda node: node.split and node.split.characteristic,
        ),
        (Column("p_value", "Adjusted p", "pvalue"), _p_value),
    )
    measure = result.measure.name
    return Table.of(root.walk(), columns, name="nodes", measure=measure, is_wide=True)


def _p_value(node: TreeNode) -> float | None:
    """Return the p-value of the split, else the smallest one of a node without a split."""
    if node.split:
        return node.split.p_value
    return node.tests[0].p_value if node.tests else None


def _worths(result: Psychoanalysis, root: TreeNode) -> Table:
    """One row a candidate: log worth of all comparisons, and the worths in every leaf."""
    pooled = result.bradley_terry.pooled if result.bradley_terry else None
    log_worths, errors, worths = (
        (pooled.log_worths, pooled.clustered_errors, pooled.worths) if pooled else ({}, {}, {})
    )
    columns: list[ColumnOf[str]] = [
        (CANDIDATE, str),
        (Column("log_worth", "Log worth", "number"), log_worths.get),
    ]
    if errors:
        columns.append((Column("standard_error", "Standard error", "number"), errors.get))
    columns.append((Column("worth", "Worth", "number", "larger"), worths.get))
    leaves = root.leaves if root.children else ()
    for leaf in leaves[:MOST_LEAVES]:
        worth = Column(f"worth in {leaf.number}", f"Node {leaf.number}", "number", "larger")
        columns.append((worth, leaf.worths.get))
    names = root.order if pooled else ()
    return Table.of(names, columns, name="worths", measure=result.measure.name)


def _by_dataset(result: Psychoanalysis) -> Table:
    """One row a data set: its characteristics and the worths on it."""
    models = result.bradley_terry.datasets if result.bradley_terry else {}
    columns = (
        DATASET,
        *(Column(f"worth of {name}", name, "number") for name in result.candidates),
        *(
            Column(t.name, t.name, "number" if t.kind == "numeric" else "text")
            for t in result.characteristics
        ),
    )
    rows = tuple(
        (
            dataset,
            *(models[dataset].worths[k] if dataset in models else None for k in result.candidates),
            *(t.values.get(dataset) for t in result.characteristics),
        )
        for dataset in result.datasets
    )
    return Table("datasets", result.measure.name, columns, rows, is_wide=True)


def _variation(result: Psychoanalysis) -> Table:
    """One row a characteristic, data set and scheme: learning samples compared with the whole."""
    columns = (
        Column("characteristic", "Characteristic", "text"),
        DATASET,
        (Column("scheme", "Scheme", "text"), lambda v: v.scheme or result.own_scheme or None),
        Column("whole", "Whole data set", "number"),
        Column("mean", "Mean of the samples", "number"),
        Column("sd", "Standard deviation", "number"),
        Column("low", "5% quantile of deviations", "number"),
        Column("middle", "Median", "number"),
        Column("high", "95% quantile", "number"),
    )
    return Table.of(result.variation, columns, name="variation", measure=result.measure.name)
