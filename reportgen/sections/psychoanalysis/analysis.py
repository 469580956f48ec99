"""The characteristics of data sets that decide who does best (Eugster 2011, chapter 5).

Compares the characteristics of learning samples with those of the whole data set.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

import numpy as np
import pandas as pd
from numpy.random import Generator

from reportgen.data_classes import dataclass
from reportgen.sections.datasets import Mapper, bases_of, in_turn, shares_observations
from reportgen.sections.psychoanalysis import Options
from reportgen.sections.psychoanalysis.result import (
    BradleyTerryModels,
    Psychoanalysis,
    Trait,
    TreeNode,
    TreeSupport,
    Unavailable,
    Untested,
    Variation,
)
from reportgen.sections.psychoanalysis.tree import (
    Names,
    divides_only_datasets,
    fit_worths,
    recurrence,
    resample_tree,
    written,
)
from reportgen.sections.psychoanalysis.units import (
    Samples,
    characteristics_of,
    factors_of,
    samples_of,
)
from reportgen.stats.arrays import Array
from reportgen.stats.characteristics import FURTHER, TABLE_5_1
from reportgen.stats.subsamples import SubsampleSupport
from reportgen.stats.worths.instability import Kind
from reportgen.stats.worths.tree import Characteristic, Ending, Growth, grow, per_dataset
from reportgen.study.errors import measure_name
from reportgen.targets import Target
from reportgen.warehouse import CHARACTERISED, Warehouse

QUANTILES = (0.05, 0.25, 0.5, 0.75, 0.95)
NONE = (None,) * len(QUANTILES)


def vary(table: pd.DataFrame, datasets: Sequence[str]) -> tuple[Variation, ...]:
    """Compare every characteristic of the learning samples with the data set's own.

    `table`: `Warehouse.characteristics`.
    `datasets`: in their order.
    """
    whole = table[table["replication"].isna()].set_index("dataset")
    samples = table[table["replication"].notna()]
    names = [
        c
        for c in table.columns
        if c not in CHARACTERISED and pd.api.types.is_numeric_dtype(table[c])
    ]
    return tuple(_variations(samples, whole, names, datasets))


def own_scheme(resampling: Mapping[str, object]) -> str:
    """Return the name of the study's own scheme; "" where it is unknown."""
    scheme, fraction = str(resampling.get("scheme", "")), resampling.get("fraction")
    return f"{scheme} {100 * fraction:.3g}%" if isinstance(fraction, float) else scheme


def _variations(
    samples: pd.DataFrame, whole: pd.DataFrame, names: Sequence[str], datasets: Sequence[str]
) -> Iterator[Variation]:
    groups = dict(iter(samples.groupby(["dataset", "scheme"], sort=False)))
    schemes = list(dict.fromkeys(samples["scheme"]))
    for name in names:
        for scheme in schemes:
            for dataset in datasets:
                rows = groups.get((dataset, scheme))
                if rows is None:
                    continue
                values = rows[name].to_numpy(np.float64, na_value=np.nan)
                values = values[np.isfinite(values)]
                known = float(whole[name].get(dataset, np.nan)) if name in whole else np.nan
                if len(values):
                    yield _variation(name, dataset, scheme, values, known)


def _variation(name: str, dataset: str, scheme: str, values: Array, whole: float) -> Variation:
    quantiles: Sequence[float | None] = NONE
    if np.isfinite(whole) and whole != 0:
        quantiles = np.quantile((values - whole) / abs(whole), QUANTILES).tolist()
    sd = float(values.std(ddof=1)) if len(values) > 1 else 0.0
    return Variation(
        name,
        dataset,
        scheme,
        whole if np.isfinite(whole) else None,
        len(values),
        float(values.mean()),
        sd,
        *quantiles,
    )


SMALLEST_NODE = 2  # data sets
LARGEST_SEED = 2**31


@dataclass(frozen=True, slots=True)
class _Units:
    """The unit that the tests take for independent."""

    counts: Array
    names: Names


@dataclass(frozen=True, slots=True)
class _TreeResults:
    """The results where candidates can be compared."""

    tree: TreeNode
    models: BradleyTerryModels
    unlinked: tuple[str, ...]
    untested: Untested | None
    stands_for_datasets: bool
    stability: TreeSupport | None
    recurrence: SubsampleSupport | None


def analyse(
    warehouse: Warehouse, options: Options, rng: Generator, mapper: Mapper = in_turn
) -> dict[str, Psychoanalysis]:
    """Compare the candidates pair by pair, and see what their worths change with.

    `rng`: for permutations and subsamples of the data sets.
    `mapper`: grows the trees of the subsamples, in turn or side by side.
    Result: by measure: the main one, or the one that the options name.
    """
    measure = warehouse.measures[0].name
    if options.measure is not None:
        measure = measure_name(options.measure)
    samples = samples_of(warehouse, measure, options.epsilon)
    given, levels = characteristics_of(warehouse, samples, options.characteristics)
    growth = _growth(samples, options, rng)
    units = _units(samples, given, levels, options, _target(warehouse, samples, options))
    found, unavailable = _grow_trees(samples, units, growth, options, mapper, any_given=bool(given))
    return {
        measure: Psychoanalysis(
            tree=found.tree if found else None,
            bradley_terry=found.models if found else None,
            measure=samples.measure,
            cluster=options.cluster,
            unavailable=unavailable,
            untested=found.untested if found else None,
            alpha=options.alpha,
            epsilon=options.epsilon,
            min_size=growth.min_size,
            permutations=growth.n_permutations,
            candidates=samples.candidates,
            missing_candidates=samples.missing_candidates,
            datasets=samples.datasets,
            unlinked=found.unlinked if found else (),
            n_samples=len(samples.counts),
            n_dropped=samples.n_dropped,
            dropped=samples.dropped,
            missing_by_dataset=samples.missing_by_dataset,
            empty=tuple(d for d in warehouse.datasets if d not in samples.datasets),
            bases=bases_of(warehouse, samples.datasets),
            factors=tuple(f.name for f in factors_of(warehouse, samples.datasets)[0]),
            shares_observations=shares_observations(warehouse),
            n_units=len(units.counts),
            n_parameters=len(found.models.pooled.parameters) if found else 0,
            stands_for_datasets=found.stands_for_datasets if found else False,
            characteristics=_traits(samples, given, levels, units),
            stability=found.stability if found else None,
            recurrence=found.recurrence if found else None,
            variation=vary(warehouse.characteristics, warehouse.datasets),
            own_scheme=own_scheme(warehouse.resampling),
        )
    }


def _growth(samples: Samples, options: Options, rng: Generator) -> Growth:
    """Return how the tree grows; with learning samples as units as R does it."""
    seed = int(rng.integers(LARGEST_SEED))
    if options.cluster == "none":
        return Growth(
            options.alpha,
            options.min_size or max(2 * samples.largest, 1),
            options.max_depth,
            order_free=False,
            n_permutations=0,
            seed=seed,
        )
    return Growth(
        options.alpha,
        options.min_size or SMALLEST_NODE,
        options.max_depth,
        n_permutations=options.permutations,
        seed=seed,
    )


def _target(warehouse: Warehouse, samples: Samples, options: Options) -> Target:
    """Return what p-values speak of: no data sets like these by what was chosen or learnt from."""
    is_drawn = options.cluster == "dataset" and not bases_of(warehouse, samples.datasets)
    return "domain" if is_drawn and not warehouse.is_learnt(samples.measure) else "conditional"


def _units(
    samples: Samples,
    given: Sequence[Characteristic],
    levels: Mapping[str, tuple[str, ...]],
    options: Options,
    target: Target,
) -> _Units:
    """Take learning samples as units, or add up those of each data set."""
    m = len(samples.datasets)
    counts, characteristics = samples.counts, list(given)
    belongs = np.zeros((len(counts), m), dtype=np.intp)
    belongs[np.arange(len(counts)), samples.numbers] = 1
    if options.cluster == "dataset" and m:
        counts, characteristics = per_dataset(counts, given, samples.numbers)
        belongs = np.diag(np.bincount(samples.numbers, minlength=m))
    characteristics = [c for c in characteristics if c.varies]
    return _Units(
        counts,
        Names(
            samples.candidates,
            samples.datasets,
            belongs,
            tuple(characteristics),
            levels,
            target,
            options.alpha,
        ),
    )


def _grow_trees(
    samples: Samples,
    units: _Units,
    growth: Growth,
    options: Options,
    mapper: Mapper,
    *,
    any_given: bool,
) -> tuple[_TreeResults | None, Unavailable | None]:
    """Fit worths and grow the tree, or return why that is impossible."""
    if len(samples.candidates) < 2:
        return None, "one-candidate"
    if not len(samples.counts):
        return None, "no-values"
    reference = len(samples.candidates) - 1
    if options.reference in samples.candidates:
        reference = samples.candidates.index(options.reference)
    try:
        models, unlinked = fit_worths(samples, reference)
    except ValueError:
        return None, "not-linked"
    names = units.names
    root = grow(units.counts, names.characteristics, growth, reference=reference)
    untested: Untested | None = None
    if not names.characteristics:
        untested = "no-variation" if any_given else "no-characteristics"
    elif root.ending in (Ending.SMALL, Ending.UNTESTABLE):
        untested = "too-few-units"
    stability = resample_tree(
        units.counts,
        names,
        growth,
        root,
        options.resamples,
        mapper=mapper,
    )
    tree, alone = written(root, names), divides_only_datasets(root, names)
    returns = recurrence(tree, stability, len(names.datasets))
    return _TreeResults(tree, models, unlinked, untested, alone, stability, returns), None


def _traits(
    samples: Samples,
    given: Sequence[Characteristic],
    levels: Mapping[str, tuple[str, ...]],
    units: _Units,
) -> tuple[Trait, ...]:
    """Describe every characteristic, also those that are the same everywhere."""
    if not given or not samples.datasets:
        return ()
    _, means = per_dataset(samples.counts, given, samples.numbers)
    by_unit = {c.name: c for c in units.names.characteristics}
    return tuple(
        _trait(by_unit.get(c.name, c), mean, levels.get(c.name, ()), samples.datasets)
        for c, mean in zip(given, means, strict=True)
    )


def _trait(
    characteristic: Characteristic,
    mean: Characteristic,
    levels: tuple[str, ...],
    datasets: Sequence[str],
) -> Trait:
    known = characteristic.values[~np.isnan(characteristic.values)]
    is_numeric = characteristic.kind is Kind.NUMERIC
    definition, unit = _definition(characteristic.name)
    values: dict[str, float | str | None] = {}
    for dataset, x in zip(datasets, mean.values.tolist(), strict=True):
        values[dataset] = None if np.isnan(x) else x if is_numeric else levels[int(x)]
    return Trait(
        characteristic.name,
        definition,
        unit,
        "numeric" if is_numeric else "categorical",
        len(characteristic.values) - len(known),
        len(np.unique(known)),
        float(known.min()) if is_numeric and len(known) else None,
        float(known.max()) if is_numeric and len(known) else None,
        values,
    )


def _definition(name: str) -> tuple[str, str]:
    """Return definition and unit of a characteristic of ours."""
    base, _, reduction = name.partition(":")
    found = {c.name: c for c in (*TABLE_5_1, *FURTHER)}.get(base)
    if found is None:
        return "", ""
    more = f", reduced by {reduction}" if reduction else ""
    return f"{found.definition}{more}", found.unit
