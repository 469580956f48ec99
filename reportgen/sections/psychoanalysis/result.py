"""Results of the psychoanalysis: characteristics, worths and the tree; no words."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import field
from typing import Literal

from reportgen.data_classes import HIDDEN, dataclass
from reportgen.performance_measure import Measure
from reportgen.stats.subsamples import SubsampleSupport
from reportgen.targets import Target

SAME = 1e-6  # relative difference of worths that are equal but for where the fit has ended

Ending = Literal["stable", "small", "deep", "separated", "untestable", "uniform", "no-cut"]


@dataclass(frozen=True, slots=True)
class NodeTest:
    """Whether worths change along one characteristic in one node.

    Attributes
    ----------
    p_value : float
        Adjusted for the characteristics that were tested in the node.
    p_value_alone : float
    n_permutations : int
        0 for an asymptotic p-value.
    critical_value : float
        That the statistic exceeds when the adjusted p-value is at most alpha; infinite where so
        few permutations cannot reach it.
    levels : tuple of str
        Of a categorical one.
    places, path : tuple of float
        Values up to which units were added, and the statistic there; none of a categorical one.
    """

    characteristic: str
    statistic: float
    df: int
    p_value: float
    p_value_alone: float
    n_permutations: int
    n_units: int
    target: Target
    critical_value: float
    levels: tuple[str, ...]
    places: tuple[float, ...] = field(default=(), metadata=HIDDEN)
    path: tuple[float, ...] = field(default=(), metadata=HIDDEN)


@dataclass(frozen=True, slots=True)
class NumericSplit:
    """A division at a cutpoint: units with this value or less go to the first child.

    Attributes
    ----------
    p_value : float
        Adjusted.
    missing_first : bool
        Whether units without a value go to the first child.
    same : tuple of str
        Other characteristics that could divide the units in the same way.
    alike : tuple of str
        Further ones that go with it: absolute rank correlation of .8 or more over the units.
    """

    characteristic: str
    cutpoint: float
    p_value: float
    missing_first: bool
    same: tuple[str, ...]
    alike: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class LevelSplit:
    """A division of categories: units with one of `levels` go to the first child."""

    characteristic: str
    levels: tuple[str, ...]
    other_levels: tuple[str, ...]
    p_value: float
    missing_first: bool
    same: tuple[str, ...]
    alike: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Condition:
    """The condition of a node on one characteristic.

    Attributes
    ----------
    above, up_to : float or None
        Bounds of a numeric one.
    levels : tuple of str
        Of a categorical one.
    """

    characteristic: str
    above: float | None = None
    up_to: float | None = None
    levels: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class TreeNode:
    """A node of the tree of worths, and what is below it.

    Attributes
    ----------
    number : int
        1 for the root, then the first child and all below it before the second.
    n, n_samples : int
        Units of the test, and learning samples.
    datasets : mapping of str to int
        Learning samples of each data set in the node.
    conditions : tuple of Condition
        The way from the root.
    split : NumericSplit, LevelSplit or None
    worths, log_worths : mapping of str to float
    log_nu : float
    order : tuple of str
        Candidates, the largest worth first.
    is_separated : bool
        Whether worths have no finite estimate; penalised ones then stand here.
    rising, falling : tuple of str
        Whose worths go up or down without end.
    ending : str or None
        Why there are no children.
    tests : tuple of NodeTest
        Of the characteristics that could be tested, the smallest p-value first.
    children : tuple of TreeNode
        None or two.
    """

    number: int
    n: int
    n_samples: int
    datasets: Mapping[str, int]
    conditions: tuple[Condition, ...]
    split: NumericSplit | LevelSplit | None
    worths: Mapping[str, float]
    log_worths: Mapping[str, float]
    log_nu: float
    log_likelihood: float
    order: tuple[str, ...]
    is_separated: bool
    rising: tuple[str, ...]
    falling: tuple[str, ...]
    ending: Ending | None
    tests: tuple[NodeTest, ...]
    children: tuple[TreeNode, ...]

    def walk(self) -> Iterator[TreeNode]:
        """Yield this node and all below it, in the order of their numbers."""
        yield self
        for child in self.children:
            yield from child.walk()

    @property
    def leaves(self) -> tuple[TreeNode, ...]:
        """The nodes without children."""
        return tuple(node for node in self.walk() if not node.children)

    @property
    def inner(self) -> tuple[TreeNode, ...]:
        """The nodes with children."""
        return tuple(node for node in self.walk() if node.children)

    @property
    def ranks(self) -> tuple[tuple[str, ...], ...]:
        """The candidates by worth, the largest first; those of one worth together."""
        found: list[list[str]] = []
        for name in self.order:
            if found and self.worths[name] >= self.worths[found[-1][0]] * (1 - SAME):
                found[-1].append(name)
            else:
                found.append([name])
        return tuple(tuple(sorted(group, key=list(self.worths).index)) for group in found)

    @property
    def n_orders(self) -> int:
        """Different orders of the candidates in the leaves."""
        return len({leaf.ranks for leaf in self.leaves})

    @property
    def has_penalty(self) -> bool:
        """Whether worths of some leaf are penalised, as they have no finite estimate."""
        return any(leaf.is_separated for leaf in self.leaves)

    @property
    def leads_alike(self) -> bool:
        """Whether the same candidates lead on both sides of the division."""
        return bool(self.children) and len({child.ranks[0] for child in self.children}) == 1

    @property
    def leaders(self) -> tuple[tuple[str, ...], ...]:
        """Those that lead in some leaf, the same ones once."""
        return tuple(dict.fromkeys(leaf.ranks[0] for leaf in self.leaves))


@dataclass(frozen=True, slots=True)
class Untestable:
    """Names of characteristics without a test: the same everywhere, not defined, known of few."""

    same: tuple[str, ...]
    unknown: tuple[str, ...]
    rare: tuple[str, ...]


Cluster = Literal["dataset", "none"]
Unavailable = Literal["one-candidate", "no-values", "not-linked"]
Untested = Literal["no-characteristics", "no-variation", "too-few-units"]


@dataclass(frozen=True, slots=True)
class Trait:
    """One characteristic over the units of the test.

    Attributes
    ----------
    name : str
    definition, unit : str
        Empty where there is none.
    kind : {"numeric", "categorical"}
    n_missing, n_values : int
        Units without a value, and different values.
    least, greatest : float or None
        Over the units; None for categories.
    values : mapping of str to (float, str or None)
        Of each data set: the mean over its learning samples, or the most frequent category.
    """

    name: str
    definition: str
    unit: str
    kind: Literal["numeric", "categorical"]
    n_missing: int
    n_values: int
    least: float | None
    greatest: float | None
    values: Mapping[str, float | str | None]


@dataclass(frozen=True, slots=True)
class Worths:
    """A Bradley-Terry model with ties.

    Attributes
    ----------
    reference : str
        Has log worth 0.
    parameters : tuple of str
        Rows of the covariance; log_nu last, where ties occur.
    log_worths, worths : mapping of str to float
        Worths sum to 1.
    covariance : tuple of tuples of float
        It takes comparisons for independent.
    log_nu : float
        Minus infinity without a tie.
    log_likelihood : float
    n_comparisons : int
    is_separated, is_penalised : bool
        Whether the estimate by maximum likelihood is not finite; a penalised one then stands here.
    rising, falling : tuple of str
        Candidates whose worths then go up, or down, without end.
    clustered_errors : mapping of str to float
        Standard errors of the log worths, but the reference's, with data sets as units; empty
        where there are too few.
    fit_statistic, fit_df, fit_p_value : float, int, float or None
        Deviance against free probabilities in every pair; None for a saturated model.
    """

    reference: str
    parameters: tuple[str, ...]
    log_worths: Mapping[str, float]
    worths: Mapping[str, float]
    covariance: tuple[tuple[float, ...], ...]
    log_nu: float
    log_likelihood: float
    n_comparisons: int
    is_separated: bool
    is_penalised: bool
    rising: tuple[str, ...]
    falling: tuple[str, ...]
    clustered_errors: Mapping[str, float] = field(default_factory=dict)
    fit_statistic: float | None = None
    fit_df: int | None = None
    fit_p_value: float | None = None


@dataclass(frozen=True, slots=True)
class BradleyTerryModels:
    """The worths of all comparisons together, and data set by data set."""

    pooled: Worths
    datasets: Mapping[str, Worths]


@dataclass(frozen=True, slots=True)
class TreeSupport:
    """Trees of subsamples of the data sets.

    Attributes
    ----------
    n_trees, n_failed : int
        Trees, and subsamples in which the candidates were not linked.
    share : float
        Of the data sets that each tree had.
    root, anywhere : mapping of str to float
        Share of the trees that divide by the characteristic first, or at all.
    n_leaves : mapping of int to int
        Trees by their number of leaves.
    cuts : mapping of str to (float, float)
        Quartiles of the cutpoints at the root, of characteristics that divide five trees or more.
    """

    n_trees: int
    n_failed: int
    share: float
    root: Mapping[str, float]
    anywhere: Mapping[str, float]
    n_leaves: Mapping[int, int]
    cuts: Mapping[str, tuple[float, float]]

    @property
    def first(self) -> str | None:
        """The characteristic that most trees divide by first; None where none divides."""
        name = max(self.root, key=lambda name: self.root[name], default=None)
        return name if name is not None and self.root[name] > 0 else None

    def n_first(self, name: str) -> int:
        """Return how many trees divide by a characteristic first."""
        return round(self.root.get(name, 0.0) * self.n_trees)


@dataclass(frozen=True, slots=True)
class Variation:
    """A characteristic of learning samples compared with that of the whole data set.

    Attributes
    ----------
    scheme : str
        Of the learning samples; "" for the study's own.
    whole : float or None
        Of the data set.
    n : int
        Learning samples that have a value.
    mean, sd : float
        Over the learning samples.
    low, lower, middle, upper, high : float or None
        Quantiles (.05, .25, .5, .75, .95) of the relative deviations (sample - whole) / |whole|;
        None where the data set's value is 0 or missing.
    """

    characteristic: str
    dataset: str
    scheme: str
    whole: float | None
    n: int
    mean: float
    sd: float
    low: float | None
    lower: float | None
    middle: float | None
    upper: float | None
    high: float | None


@dataclass(frozen=True, slots=True)
class Psychoanalysis:
    """The best candidates by kind of data set, for one measure.

    Attributes
    ----------
    tree : TreeNode or None
        Its root alone where no characteristic divides.
    bradley_terry : BradleyTerryModels or None
    measure : Measure
    cluster : {"dataset", "none"}
        Units of the tests: data sets, or learning samples.
    unavailable : str or None
        Why there are no worths.
    untested : str or None
        Why nothing could be tested.
    alpha, epsilon : float
    min_size, permutations : int
    candidates, missing_candidates : tuple of str
        Those that were compared, and those without a value.
    datasets : tuple of str
        With complete learning samples.
    unlinked : tuple of str
        Data sets on which comparisons do not link all candidates.
    n_samples, n_dropped : int
        Learning samples in which all candidates have a value, and the others.
    dropped : mapping of str to int
        The others by data set.
    missing_by_dataset : mapping of str to tuple of str
        Candidates without any value by data set, where there are some: they are
        in none of its comparisons.
    empty : tuple of str
        Data sets without a complete learning sample, which take no part.
    bases : mapping of str to int
        Data sets of which there are several settings: how many.
    factors : tuple of str
        What the settings differ in; they are among the characteristics.
    shares_observations : bool
        Whether settings of one data set hold the same observations.
    n_units, n_parameters : int
        Units of the tests, and free parameters of the worths.
    stands_for_datasets : bool
        Whether the first division does no more than part the data sets, though learning samples
        are the units.
    characteristics : tuple of Trait
    stability : TreeSupport or None
        None where there are too few data sets.
    recurrence : SubsampleSupport or None
        In how many subsamples the tree divides by the same characteristic first; None where it
        does not divide, or that cannot be assessed.
    variation : tuple of Variation
    own_scheme : str
        What the study's resampling is called.
    """

    tree: TreeNode | None
    bradley_terry: BradleyTerryModels | None
    measure: Measure
    cluster: Cluster
    unavailable: Unavailable | None
    untested: Untested | None
    alpha: float
    epsilon: float
    min_size: int
    permutations: int
    candidates: tuple[str, ...]
    missing_candidates: tuple[str, ...]
    datasets: tuple[str, ...]
    unlinked: tuple[str, ...]
    n_samples: int
    n_dropped: int
    dropped: Mapping[str, int]
    missing_by_dataset: Mapping[str, tuple[str, ...]]
    empty: tuple[str, ...]
    bases: Mapping[str, int]
    factors: tuple[str, ...]
    shares_observations: bool
    n_units: int
    n_parameters: int
    stands_for_datasets: bool
    characteristics: tuple[Trait, ...]
    stability: TreeSupport | None
    recurrence: SubsampleSupport | None
    variation: tuple[Variation, ...]
    own_scheme: str

    @property
    def is_reportable(self) -> bool:
        """Whether the tree divides data sets, and returns often enough to be a finding."""
        is_of_datasets = self.cluster == "dataset"
        return is_of_datasets and self.recurrence is not None and self.recurrence.is_reportable

    @property
    def split(self) -> NumericSplit | LevelSplit | None:
        """The first division."""
        return self.tree.split if self.tree else None

    @property
    def is_tested(self) -> bool:
        """Whether some characteristic was tested over all data sets."""
        return self.tree is not None and bool(self.tree.tests)

    @property
    def schemes(self) -> tuple[str, ...]:
        """Resampling schemes whose learning samples are described; "" is the study's own."""
        return tuple(dict.fromkeys(v.scheme for v in self.variation))

    @property
    def n_kept(self) -> int:
        """Data sets of a subsample."""
        return round(self.stability.share * len(self.datasets)) if self.stability else 0

    @property
    def untestable(self) -> Untestable:
        """The characteristics without a test over all data sets."""
        tested = {test.characteristic for test in self.tree.tests} if self.tree else set()
        others = [t for t in self.characteristics if t.name not in tested]
        return Untestable(
            tuple(t.name for t in others if t.n_values == 1),
            tuple(t.name for t in others if t.n_values == 0),
            tuple(t.name for t in others if t.n_values > 1),
        )

    @property
    def within(self) -> tuple[TreeNode, ...]:
        """The divisions that part only the learning samples of one data set."""
        is_of_rows = self.tree is not None and self.cluster == "none"
        inner = self.tree.inner if self.tree and is_of_rows else ()
        return tuple(node for node in inner if len(node.datasets) == 1)

    @property
    def separated(self) -> tuple[str, ...]:
        """The data sets whose own worths have no finite estimate."""
        models = self.bradley_terry.datasets if self.bradley_terry else {}
        return tuple(name for name, worths in models.items() if worths.is_separated)

    @property
    def n_bases(self) -> int:
        """Data sets, several settings of one counted once."""
        return len(self.datasets) - sum(self.bases.values()) + len(self.bases)

    def trait(self, name: str) -> Trait:
        """Return a characteristic by its name."""
        return next(t for t in self.characteristics if t.name == name)
