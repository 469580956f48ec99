"""Resampling: scheme, assessment, and requirements on the data."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import field, replace
from hashlib import sha256
from types import MappingProxyType
from typing import TYPE_CHECKING, Literal

from reportgen.catalogue.candidates.recipes import PACKAGES
from reportgen.catalogue.measures.prediction import ComputedMeasure
from reportgen.catalogue.names import unknown_name
from reportgen.data_classes import dataclass
from reportgen.errors import SetupError
from reportgen.performance_measure import Problem
from reportgen.study.errors import shown
from reportgen.study.given_samples import (
    FixedSample,
    import_splitter,
    name_of_splitter,
    period_samples,
    read_samples,
    split_samples,
)
from reportgen.study.manifest import Study
from reportgen.study.schema.resampling import (
    FOLDED,
    FOLDS,
    Assessment,
    NamedScheme,
    ResamplingEntry,
    StagesEntry,
)
from reportgen.study.splitters import resampling_of_splitter
from reportgen.study.stages import Stages

if TYPE_CHECKING:
    from reportgen.catalogue.datasets.dataset import DataSet

Scheme = NamedScheme | Literal["fresh"]
PARAMETRIC: Scheme = "parametric-bootstrap"
UNSTRATIFIED: tuple[Scheme, ...] = (
    *("bayesian-bootstrap", PARAMETRIC, "given", "time-series", "fresh"),
)
SHARED_OUT: tuple[Scheme, ...] = ("subsampling", "hold-out")
USES_TEST_SAMPLE: tuple[Assessment, ...] = ("fixed", "merged")
APPARENT: Mapping[Assessment, str] = MappingProxyType(
    {"learning": "the learning sample", "bootstrap": "a bootstrap sample"}
)
"""Assessments whose test samples hold what was learnt from, with their words."""
USUAL: Mapping[Problem, Assessment] = MappingProxyType(
    {"simulation": "fresh", "competition": "fixed", "real-world": "out-of-bag"}
)
"""The default assessment of a problem."""
ALLOWED: Mapping[Problem, tuple[Assessment, ...]] = MappingProxyType(
    {
        "simulation": ("fresh", "fixed"),
        "competition": ("fixed",),
        "real-world": (
            *("out-of-bag", "merged", "cross-validation", "fresh", "learning", "bootstrap"),
        ),
    }
)


@dataclass(frozen=True, slots=True)
class Resampling:
    """The resampling of learning and test samples."""

    # "bootstrap", "subsampling": with and without replacement; "k-fold", "repeated-k-fold": each
    # part of a partition is tested on once; "hold-out": one split; "bayesian-bootstrap": random
    # weights of all observations; "parametric-bootstrap": drawn from the generator with estimated
    # parameters; "given": the user's; "time-series": of observations in the order of time, each
    # period is tested on after what came before; "fresh": drawn anew from the generator
    # (simulations).
    scheme: Scheme
    replications: int  # number B of learning samples of each data set
    # Of subsampling and hold-out: size of a learning sample over the number of observations; else
    # 1.
    fraction: float = 1.0
    stratify: bool = False  # whether every class keeps its share in the learning samples
    # What a replication is tested on: "out-of-bag", what was not drawn; "merged", the same of
    # learning and test sample put together; "cross-validation", folds inside the sample; "fixed",
    # the data set's test sample; "fresh", a new one each time; "learning", the learning sample
    # itself; "bootstrap", a bootstrap sample of all observations.
    assessment: Assessment = "out-of-bag"
    folds: int = 0  # number of folds of k-fold schemes, or inside the sample; else 0
    # By data set, of whatever scheme: samples that are known before.
    given: Mapping[str, tuple[FixedSample, ...]] = field(default_factory=dict)
    # What else makes them, as words: a splitter, the column of the time, a gap.
    made_by: Mapping[str, str | int] = field(default_factory=dict)
    # Where the replications are the most there can be, and come in stages.
    stages: Stages | None = None
    has_overlap: bool = False  # whether a given sample tests on what it teaches

    @property
    def is_out_of_bag(self) -> bool:
        """Whether a replication is tested on what it was not taught."""
        return self.assessment in ("out-of-bag", "merged")

    @property
    def has_curves(self) -> bool:
        """Whether a replication is one fit, to observations that all replications share."""
        return (
            self.scheme not in ("fresh", "parametric-bootstrap")
            and self.assessment != "cross-validation"
        )

    def key_of(self, dataset: str) -> list[object]:
        """Return what a data set's fits depend on; of the first schemes it never changes."""
        key: list[object] = [self.scheme, self.fraction, self.stratify]
        if self.assessment != "out-of-bag" or self.folds:
            key += [self.assessment, self.folds]
        if self.given or self.scheme == "given":
            rows = [(sample.learn, sample.test) for sample in self.given.get(dataset, ())]
            key.append(sha256(json.dumps(rows).encode()).hexdigest())
        return key

    def renamed(self, old: str, new: str) -> Resampling:
        """Return it for a data set under another name, which the given samples then have."""
        return replace(self, given={new: self.given[old]}) if old in self.given else self

    def described(self) -> dict[str, object]:
        """Return the scheme and its options as the manifest names them."""
        options: dict[str, object] = {"scheme": self.scheme, "replications": self.replications}
        if self.scheme in SHARED_OUT:
            options["fraction"] = self.fraction
        if self.folds:
            options["folds"] = self.folds
        if self.scheme == "repeated-k-fold":
            options["repeats"] = self.replications // self.folds
        if self.assessment != "out-of-bag":
            options["assessment"] = self.assessment
        if self.stages:
            options["stages"] = self.stages.described()
        options |= self.made_by
        if self.has_overlap:
            options["overlap"] = True
        return {**options, "stratify": True} if self.stratify else options

    @property
    def label(self) -> str:
        """Short name, in which schemes of one study differ.

        Examples
        --------
        >>> Resampling("subsampling", 100, 0.5).label
        'subsampling 50%'
        >>> Resampling("repeated-k-fold", 50, folds=10).label
        '5 × 10-fold'
        """
        name: str = self.scheme
        if self.scheme in SHARED_OUT:
            name = f"{self.scheme} {100 * self.fraction:.3g}%"
        elif self.scheme == "k-fold":
            name = f"{self.folds}-fold"
        elif self.scheme == "repeated-k-fold":
            name = f"{self.replications // self.folds} × {self.folds}-fold"
        inner = f", {self.folds}-fold inside" if self.assessment == "cross-validation" else ""
        if self.assessment in APPARENT:
            inner = f", tested on {APPARENT[self.assessment]}"
        if self.scheme == "fresh" and self.assessment == "fixed":
            inner = ", one test sample"
        made = "".join(f", {key} {value}" for key, value in self.made_by.items())
        return name + inner + (", stratified" if self.stratify else "") + made

    def check(self, dataset: DataSet) -> None:
        """Raise a SetupError unless the data set can be resampled like this."""
        if self.stratify and self.scheme in UNSTRATIFIED:
            drawn = "the fresh samples of a simulation" if self.scheme == "fresh" else self.scheme
            raise SetupError(f"found stratify with {drawn}; allowed with samples of observations")
        if self.stratify and not dataset.classes:
            raise SetupError(
                f"found stratify with the data set {dataset.name!r}, which has no classes; "
                "allowed with "
                "classification"
            )
        self._check_test_sample(dataset)
        if self.folds and self.scheme != "fresh" and dataset.n_units < self.folds:
            raise SetupError(
                f"found folds: {self.folds}; allowed at most {dataset.n_units}, what the data set "
                f"{dataset.name!r} can be divided into"
            )
        if self.fraction * dataset.n_units < 1:
            raise SetupError(
                f"found fraction: {self.fraction:g}, which leaves nothing to learn from of the "
                f"{dataset.n_units} observations or groups of the data set {dataset.name!r}; "
                "allowed a share that leaves one at least"
            )
        if self.scheme == PARAMETRIC and not dataset.can_be_estimated:
            raise SetupError(
                f"found parametric-bootstrap; the data set {dataset.name!r} is not of a generator "
                "whose parameters are estimated; allowed other schemes"
            )
        if self.scheme == "bayesian-bootstrap" and dataset.groups is not None:
            raise SetupError(
                f"found bayesian-bootstrap, which weights observations, with groups of the data "
                f"set {dataset.name!r}; allowed schemes that draw them, such as bootstrap"
            )
        if self.given or self.scheme == "given":
            self._check_fixed_samples(dataset)

    def _check_fixed_samples(self, dataset: DataSet) -> None:
        """Check that the user's samples are of this data set."""
        if dataset.name not in self.given:
            raise unknown_name("data set of the given samples:", dataset.name, self.given)
        samples = self.given[dataset.name]
        if len(samples) < self.replications:
            raise SetupError(
                f"found {len(samples)} given samples of the data set {dataset.name!r}; "
                f"allowed {self.replications}, as many as of the others"
            )
        last = max(max(*sample.learn, *sample.test) for sample in samples)
        if last >= dataset.n:
            raise SetupError(
                f"found the observation {last + 1} in a given sample of the data set "
                f"{dataset.name!r}; allowed 1 to {dataset.n}"
            )
        if dataset.groups is None:
            return
        for number, sample in enumerate(samples, start=1):
            learn, test = (set(dataset.groups[list(r)]) for r in (sample.learn, sample.test))
            if learn & test:
                of = "periods" if self.scheme == "time-series" else "given samples"
                raise SetupError(
                    f"found a group of the data set {dataset.name!r} in both {of} of "
                    f"replication {number}; allowed groups that stay together"
                )

    def _check_test_sample(self, dataset: DataSet) -> None:
        """Check that there is a test sample where it is needed, and none where it is not."""
        if self.scheme == "fresh":
            if dataset.source is None:
                raise SetupError(
                    f"found simulation with the data set {dataset.name!r}, which is fixed; "
                    "allowed data sets with a generator"
                )
            if dataset.n_test == 0:
                raise SetupError(
                    f"found the data set {dataset.name!r} without a test sample; allowed "
                    "n_test, the size "
                    "of those that are simulated, with it"
                )
            return
        needed = self.assessment in USES_TEST_SAMPLE
        if needed and dataset.n_test == 0:
            raise SetupError(
                f"found the data set {dataset.name!r} without a test sample; allowed test (a "
                "file) or "
                "n_test (of a generator) with it"
            )
        if dataset.n_test and not needed:
            raise SetupError(
                f"found the data set {dataset.name!r} with a test sample, which is not used; "
                "allowed "
                "problem: competition, or assessment: merged"
            )


def resamplings_of(
    study: Study,
    measures: Sequence[ComputedMeasure],
    datasets: Sequence[DataSet] = (),
    splitter: object = None,
) -> tuple[Resampling, ...]:
    """Return the ways in which the samples of a study come about: mostly one.

    `study`: one with a setup.
    `measures`: of which the first decides when stages end, where they name none.
    `datasets`: those that a splitter splits, or that are in the order of time.
    `splitter`: what a call brings in place of an import path.
    Raises SetupError if problem, scheme and assessment do not go together, a file of given samples
    cannot be read, a splitter makes none, or two ways are the same.
    """
    if study.setup is None:
        raise SetupError(f"{study.path}: found results, which are not executed; allowed a setup")
    entries = study.setup.resampling
    several = entries if isinstance(entries, tuple) else (entries,)
    columns = list(dict.fromkeys(entry.time for entry in several if entry.time is not None))
    if len(columns) > 1:
        raise SetupError(f"found time: {columns[0]} and time: {columns[1]}; allowed one column")
    found = tuple(
        _split(entry, study, datasets, splitter)
        if entry.splitter is not None
        else _resampling(entry, study, study.setup.problem, measures, datasets)
        for entry in several
    )
    labels = [resampling.label for resampling in found]
    twice = next((label for label in labels if labels.count(label) > 1), None)
    if twice:
        raise SetupError(f"found {twice} twice; allowed ways to draw samples that differ")
    if len(found) > 1 and any(resampling.stages for resampling in found):
        raise SetupError("found stages in one of several ways to draw samples; allowed one way")
    return found


def _split(
    entry: ResamplingEntry, study: Study, datasets: Sequence[DataSet], splitter: object
) -> Resampling:
    """Return the samples of a splitter, by the scheme that it has, where that is known."""
    if study.setup is None or study.setup.problem != "real-world":
        raise SetupError(
            "found a splitter, which takes its test samples out of the data, with problem: "
            f"{study.setup.problem if study.setup else ''}; allowed problem: real-world"
        )
    path, packages = str(entry.splitter), (*PACKAGES, *study.plugins)
    cv = import_splitter(path, entry.options, packages) if splitter is None else splitter
    found = {data.name: split_samples(cv, data) for data in datasets}
    samples = {name: own for name, own in found.items() if own is not None}
    number = max(map(len, samples.values()), default=None)
    scheme = resampling_of_splitter(cv, number) or {"scheme": "given"}
    name = name_of_splitter(cv, path if splitter is None else "", entry.options)
    if len(samples) < len(found) and scheme["scheme"] == "given":
        raise SetupError(
            f"found {shown(name)}, which makes other samples each time; allowed a "
            "random_state that is a number"
        )
    is_drawn_here = len(samples) < len(found)
    shares = [len(own[0].learn) / data.n for data in datasets if (own := found[data.name])]
    folds, repeats = scheme.get("folds", 0), scheme.get("repeats", 1)
    usual = scheme.get("replications", folds * repeats or 1)
    made_by = {key: v for key, v in scheme.items() if key in ("gap", "test_size", "window")}
    return Resampling(
        scheme["scheme"],
        usual if is_drawn_here or number is None else number,
        float(scheme.get("fraction", (*shares, 0.5)[0])) if scheme["scheme"] in SHARED_OUT else 1.0,
        scheme.get("stratify", False),
        folds=folds,
        given={} if is_drawn_here else samples,
        made_by={**made_by, "splitter": name},
    )


def _resampling(
    entry: ResamplingEntry,
    study: Study,
    problem: Problem,
    measures: Sequence[ComputedMeasure],
    datasets: Sequence[DataSet],
) -> Resampling:
    scheme: Scheme = "fresh" if problem == "simulation" else entry.scheme or "bootstrap"
    is_estimated = scheme == PARAMETRIC and problem == "real-world"
    assessment = entry.assessment or ("fresh" if is_estimated else USUAL[problem])
    _check_problem(problem, entry, assessment)
    has_folds = scheme in FOLDED or assessment == "cross-validation"
    given = {}
    if entry.file is not None:
        given = read_samples(study.folder / entry.file, may_overlap=bool(entry.overlap))
    if scheme == "time-series":
        given = {data.name: period_samples(data, entry) for data in datasets}
    made_by = {key: getattr(entry, key) for key in ("time", "gap", "test_size", "window")}
    return Resampling(
        scheme,
        max(map(len, given.values()), default=entry.n_replications),
        (entry.fraction or 2 / 3) if scheme in SHARED_OUT else 1.0,
        entry.stratify,
        assessment,
        (entry.folds or FOLDS) if has_folds else 0,
        given,
        {key: value for key, value in made_by.items() if value is not None},
        _stages(entry, study, measures),
        has_overlap=bool(entry.overlap) and any(s.has_overlap for g in given.values() for s in g),
    )


def _check_problem(problem: Problem, entry: ResamplingEntry, assessment: Assessment) -> None:
    """Raise a SetupError where a problem cannot be resampled and tested like that."""
    if problem == "simulation" and entry.scheme is not None:
        raise SetupError(
            f"found {entry.scheme} in a simulation, whose learning samples are fresh; "
            "allowed replications, and assessment: fresh or fixed"
        )
    if assessment not in ALLOWED[problem]:
        raise SetupError(
            f"found assessment: {assessment} with problem: {problem}; "
            f"allowed {', '.join(ALLOWED[problem])}"
        )
    is_fresh, is_estimated = assessment == "fresh", entry.scheme == PARAMETRIC
    if problem != "simulation" and is_fresh != (is_estimated and problem == "real-world"):
        raise SetupError(
            f"found assessment: {assessment} with {entry.scheme or 'bootstrap'}; allowed fresh "
            f"test samples with simulations and with {PARAMETRIC}"
        )
    if entry.scheme in ("given", "time-series") and assessment in APPARENT:
        raise SetupError(
            f"found assessment: {assessment} with {entry.scheme}, whose samples have test "
            "observations of their own; allowed schemes that draw learning samples"
        )
    if entry.scheme in ("given", "time-series") and problem == "competition":
        raise SetupError(
            f"found {entry.scheme} samples, which have test observations of their own, with "
            "problem: competition; allowed problem: real-world"
        )
    if entry.scheme == "bayesian-bootstrap" and problem != "competition":
        raise SetupError(
            "found bayesian-bootstrap, which leaves no observation out; allowed with "
            "problem: competition, where there is a test sample"
        )


def _stages(
    entry: ResamplingEntry, study: Study, measures: Sequence[ComputedMeasure]
) -> Stages | None:
    """Take level and area of equivalence from the analysis where the stages have none."""
    stages = entry.replications
    if not isinstance(stages, StagesEntry):
        return None
    measure = stages.measure or (measures[0].name if measures else "")
    return Stages(
        stages.stage,
        stages.max,
        measure,
        stages.drop,
        stages.alpha or study.analysis.alpha,
        study.analysis.relevance.get(measure),
        stages.pairs,
        stages.test,
        stages.rule,
        stages.combination,
        stages.multiplicity,
        stages.stop,
    )


@dataclass(frozen=True, slots=True)
class Characterised:
    """The characteristics of learning samples to compute in addition to the performances."""

    names: tuple[str, ...] = ()  # characteristics; none are computed where it is empty
    schemes: tuple[Resampling, ...] = ()  # further schemes whose learning samples are drawn for it
    packages: tuple[str, ...] = ()  # whose characteristics may be loaded
