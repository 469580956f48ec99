"""Models, tests, scores and reports beside those of other packages.

    python benchmarks/peers.py [--without-peers] [--only rank_tests,reports] [--small]

Peers are no packages of this program; they are installed for this benchmark only, in an environment
of its own that also has reportgen, and what is not there, or cannot be imported, is left out:

    python -m venv peers
    peers/bin/pip install . statsmodels scikit-posthocs autorank baycomp
    peers/bin/pip install choix arena-rank bencheval skrub multiqc
    peers/bin/python benchmarks/peers.py

rliable 1.2 rests on arch 7, which cannot be imported beside pandas 3: it has an environment with
pandas 2 and rliable instead of these (`--only aggregates`: what is compared there takes no pandas).

Every line has the processor seconds of this program, on one thread, with their limit, if there is
one, and a ratio measured in the same run: those of the peer over them (with how far the two results
differ), or else them over one plain pass over the values. statsmodels takes ten seconds or more.
Where the seconds of R packages are known (another machine), they stand behind, for orientation.
`--small` takes little of everything: it shows that all parts run, and measures nothing.
"""

from __future__ import annotations

import argparse
import json
import os
import resource
import subprocess
import sys
import warnings
from collections.abc import Callable
from concurrent.futures import ProcessPoolExecutor
from contextlib import redirect_stdout
from importlib.util import find_spec
from io import StringIO
from multiprocessing import get_context
from pathlib import Path
from tempfile import TemporaryDirectory
from time import process_time
from typing import Any

import numpy as np
from numpy.typing import NDArray
from threadpoolctl import threadpool_limits

from reportgen.stats.aggregation.scores import N_DRAWS as N_AGGREGATES
from reportgen.stats.aggregation.scores import Scores, aggregate, interquartile_means
from reportgen.stats.blocks.incomplete import fit_incomplete_blocks
from reportgen.stats.blocks.model import fit_block_model
from reportgen.stats.consensus_relations.nearest import nearest_relations
from reportgen.stats.domain.incomplete import fit_incomplete_domain
from reportgen.stats.domain.model import DomainModel, fit_domain_model
from reportgen.stats.multiplicity.simultaneous import (
    bonferroni_pairs,
    max_abs_t_pairs,
    tukey,
    tukey_kramer,
)
from reportgen.stats.ranking import within_block_ranks
from reportgen.stats.ranks.bayesian_signed_rank import N_DRAWS as N_POSTERIOR
from reportgen.stats.ranks.bayesian_signed_rank import signed_rank_posterior
from reportgen.stats.ranks.friedman import friedman_test
from reportgen.stats.ranks.nemenyi import compare_mean_ranks
from reportgen.stats.relations.relations import of_statistic
from reportgen.stats.worths.battles import BattleModel, Battles, battle_pairs, fit_battles
from reportgen.stats.worths.bradley_terry import fit
from reportgen.stats.worths.elo import elo_scores

Array = NDArray[np.float64]

ALPHA = 0.05
DOMAIN = (33, 100, 6)  # data sets, replications, candidates
LOCAL = (21, 250, 6)
LARGE = (100, 1000, 30)
ARENA = (100_000, 100)  # battles, models
N_BOOTSTRAP = 1000  # of Arena's intervals
TASKS = (51, 84)  # tasks, methods
CONSENSUS = (25, 30)  # relations, candidates
SCORES = (33, 10, 6)  # data sets, replications, candidates
REPORTED = 10  # data sets, of 60 values each
AT_LEAST = 0.2  # seconds that a call is repeated for
AREA = (-0.01, 0.01)  # of differences that mean nothing in practice
GAPS = 0.05
TIMES_STATSMODELS = 500  # so much faster at least
R_SECONDS = Path(__file__).resolve().parents[2] / "shared/reference/golden/timings_r.json"


def main() -> None:
    """Measure and print."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("--without-peers", action="store_true")
    parts = (domain_models, local_models, one_consensus, rank_tests, posteriors, aggregates)
    parts += (worths, reports, large_domain)
    names = ",".join(part.__name__ for part in parts)
    parser.add_argument("--only", default=names, help=f"of {names}")
    options = parser.parse_args()
    warm_up()
    for part in parts:
        if part.__name__ in options.only.split(","):
            part(not options.without_peers)


def simulated(shape: tuple[int, int, int], seed: int = 1) -> Array:
    """Return misclassification-like values of a domain, shape (M, B, K)."""
    rng = np.random.default_rng(seed)
    m, b, k = shape
    effects = 0.1 * rng.normal(size=(m, 1, 1)) + 0.05 * rng.normal(size=(m, 1, k))
    noise = 0.03 * rng.normal(size=(m, b, 1)) + 0.02 * rng.normal(size=shape)
    return np.asarray(0.2 + 0.01 * np.arange(k) + effects + noise)


def warm_up() -> None:
    """Let what is imported late be imported before the clock runs."""
    intervals(fit_domain_model(simulated((4, 3, 3))))
    intervals(fit_incomplete_domain(list(gappy(simulated((4, 9, 3))))))
    intervals(fit_domain_model(simulated((9, 3, 3)), "unstructured"))


def seconds(work: Callable[[], Any], at_least: float | None = None) -> tuple[float, Any]:
    """Return the seconds of a call, the best of as many as fill some time, and its result.

    Of a clock too coarse for one call, their mean.
    """
    times: list[float] = []
    while sum(times) <= (AT_LEAST if at_least is None else at_least):
        begin = process_time()
        result = work()
        times.append(process_time() - begin)
    return min(times) or sum(times) / len(times), result


def tell(what: str, own: float, ratio: float, over: str, limit: float | None = None) -> None:
    """Print a line."""
    limited = f" (limit {limit:g} s)" if limit else ""
    print(f"{what:52} {own:9.4f} s{limited}, {ratio:.3g} {over}", flush=True)


def plain_pass(values: Array) -> float:
    """Return the seconds of one sum over the values."""
    return seconds(values.sum, 0.05)[0]


def r_seconds(*names: str) -> str:
    """Return what R took for a step, in words; nothing where it is not known."""
    if not R_SECONDS.exists():
        return ""
    quiet = json.loads(R_SECONDS.read_text(encoding="utf-8"))["quiet"]
    return f"; R: {sum(quiet[name] for name in names):.3g} s"


def is_there(package: str, has_peers: bool) -> bool:
    """Whether a peer can be asked; says so if not."""
    if not has_peers:
        return False
    if find_spec(package):
        return True
    print(f"{package} is not installed: left out (see the beginning of {Path(__file__).name})")
    return False


# ------------------------------------------------------------------------------- models


def intervals(model: DomainModel) -> Any:
    """Return simultaneous intervals of all pairs."""
    if model.method == "f":
        return tukey(model.estimates, ALPHA)
    return max_abs_t_pairs(model.estimates, ALPHA, np.random.default_rng(1))


def gappy(values: Array) -> Array:
    """Remove a share of the values at random."""
    return np.where(np.random.default_rng(2).random(values.shape) < GAPS, np.nan, values)


def domain_models(has_peers: bool) -> None:
    """Time the models of a domain, and statsmodels' for the same values."""
    values = simulated(DOMAIN)
    size, bare = " x ".join(map(str, DOMAIN)), plain_pass(values)
    own, model = seconds(lambda: fit_domain_model(values))
    tell(f"domain model {size}", own, own / bare, "plain passes")
    both, _ = seconds(lambda: intervals(fit_domain_model(values)))
    orientation = r_seconds("gh_domain_text_fit")
    tell("the same with its intervals", both, both / bare, f"plain passes{orientation}")
    gaps = list(gappy(values))
    for structure in ("interaction", "unstructured"):
        some, _ = seconds(lambda s=structure: fit_incomplete_domain(gaps, s))
        tell(f"the same, 5% gaps, {structure}", some, some / own, "times without gaps", 1.0)
    if is_there("statsmodels", has_peers):
        beside_statsmodels(values, own, model)


def beside_statsmodels(values: Array, own: float, model: DomainModel) -> None:
    """Fit the same model by statsmodels, and hold the two against each other."""
    import pandas as pd
    from statsmodels.regression.mixed_linear_model import MixedLM

    m, b, k = np.indices(values.shape)
    columns = {"value": values.ravel(), "m": m.ravel(), "b": b.ravel(), "k": k.ravel()}
    parts = {"interaction": "0 + C(k)", "replication": "0 + C(b)"}

    def fit() -> Any:
        frame = pd.DataFrame(columns)
        peer = MixedLM.from_formula(
            "value ~ 0 + C(k)", frame, groups="m", re_formula="1", vc_formula=parts
        )
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            return peer.fit(reml=True)

    peer, found = seconds(fit)
    tell(
        "statsmodels' MixedLM of the same",
        own,
        peer / own,
        f"times as fast (limit {TIMES_STATSMODELS}); statsmodels {peer:.3g} s",
    )
    variances = [*found.vcomp, found.cov_re.to_numpy()[0, 0], found.scale]
    ours = [
        model.interaction_variance,
        model.replication_variance,
        model.dataset_variance,
        model.variance,
    ]
    apart = np.abs(np.array(variances) / np.array(ours, dtype=np.float64) - 1).max()
    means = np.abs(found.fe_params.to_numpy() - model.means).max()
    print(
        f"    means differ by {means:.1e}, variances by {apart:.1e} of theirs; REML criterion "
        f"{model.reml_criterion:.8f}, statsmodels {-2 * found.llf:.8f}"
    )


def local_models(_has_peers: bool) -> None:
    """Time the models of many single data sets with Tukey's intervals."""
    values = simulated(LOCAL)
    gaps, bare = gappy(values), plain_pass(values)
    complete, _ = seconds(lambda: [tukey(fit_block_model(own).estimates, ALPHA) for own in values])
    orientation = r_seconds("local21_lmer_only", "local21_glht_confint")
    tell(
        f"{LOCAL[0]} local models, Tukey",
        complete,
        complete / bare,
        f"plain passes{orientation}",
        0.5,
    )
    some, _ = seconds(
        lambda: [tukey_kramer(fit_incomplete_blocks(own).estimates, ALPHA) for own in gaps]
    )
    tell("the same, 5% gaps in each", some, some / complete, "times without gaps", 0.5)


def large_domain(_has_peers: bool) -> None:
    """Time three million values, in a process of its own for its memory."""
    with ProcessPoolExecutor(1, get_context("spawn")) as pool:
        own, ratio, megabytes = pool.submit(_large_domain, LARGE).result()
    size = " x ".join(map(str, LARGE))
    tell(f"domain model {size}, both structures, intervals", own, ratio, "plain passes", 10.0)
    print(f"    peak memory {megabytes / 1024:.2f} GiB (limit 2)")


def _large_domain(shape: tuple[int, int, int]) -> tuple[float, float, float]:
    values = simulated(shape)
    begin = process_time()
    tukey(fit_domain_model(values).estimates, ALPHA)
    free = fit_domain_model(values, "unstructured")
    max_abs_t_pairs(free.estimates, ALPHA, np.random.default_rng(1))
    own = process_time() - begin
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
    return own, own / plain_pass(values), peak


# ---------------------------------------------------------------------- orders and ranks


def one_consensus(_has_peers: bool) -> None:
    """Time a linear consensus of 25 rankings of 30 candidates."""
    rng = np.random.default_rng(7)
    n, k = CONSENSUS
    worth = np.linspace(0, 1, k) + 0.3 * rng.standard_normal(CONSENSUS)
    members = np.array([of_statistic(row) for row in np.round(8 * worth) / 8])
    bare, _ = seconds(lambda: members.sum(axis=0), 0.05)
    own, found = seconds(lambda: nearest_relations(members, None, "linear", limit=1))
    proven = "proven" if found.is_proven else "not proven"
    tell(
        f"consensus, {n} relations of {k}, linear", own, own / bare, f"plain passes; {proven}", 1.0
    )


def rank_tests(has_peers: bool) -> None:
    """Time pairs by ranks, and one measure's whole comparison over data sets."""
    values = simulated((1, 250, 12))[0]
    if is_there("scikit_posthocs", has_peers):
        beside_posthocs(values)
    if is_there("autorank", has_peers):
        beside_autorank(simulated((33, 1, 6))[:, 0])


def conover(ranks: Array) -> Array:
    """Return Conover's p-values of all pairs: the t tests of the block model of the ranks."""
    from scipy.special import stdtr

    found = bonferroni_pairs(fit_block_model(ranks).estimates, ALPHA)
    return np.asarray(2 * stdtr(found.df, -np.abs(found.statistic)))


def beside_posthocs(values: Array) -> None:
    """Compare all pairs of 12 candidates in 250 blocks."""
    import scikit_posthocs

    upper = np.triu_indices(values.shape[1], k=1)
    pairs: dict[str, tuple[Callable[[Array], Array], Callable[[Array], Any]]] = {
        "Nemenyi": (
            lambda r: compare_mean_ranks(r).p_values,
            scikit_posthocs.posthoc_nemenyi_friedman,
        ),
        "Conover": (conover, scikit_posthocs.posthoc_conover_friedman),
    }
    for name, (ours, theirs) in pairs.items():
        own, p = seconds(lambda test=ours: test(within_block_ranks(values)))
        peer, table = seconds(lambda test=theirs: test(values))
        apart = np.abs(table.to_numpy()[upper] - p).max()
        over = f"times as fast as scikit-posthocs; p-values differ by {apart:.1e}"
        tell(f"{name}'s pairs, 250 blocks of 12", own, peer / own, over)


def beside_autorank(values: Array) -> None:
    """Compare 6 candidates over 33 data sets, one measure: Friedman and Nemenyi."""
    import pandas as pd
    from autorank import autorank

    def ours() -> tuple[float, float]:
        ranks = within_block_ranks(values, is_smaller_better=False)
        return friedman_test(ranks).p_value, compare_mean_ranks(ranks).critical_difference

    def theirs() -> Any:
        frame = pd.DataFrame(values, columns=[f"c{k}" for k in range(values.shape[1])])
        with warnings.catch_warnings(), redirect_stdout(StringIO()):
            warnings.simplefilter("ignore")
            return autorank(frame, force_mode="nonparametric")

    own, (p, critical) = seconds(ours)
    peer, result = seconds(theirs)
    over = (
        f"times as fast as autorank; p differs by {abs(result.pvalue - p):.1e}, "
        f"critical difference by {abs(result.cd - critical):.1e}"
    )
    tell("Friedman and Nemenyi, 33 data sets, 6 candidates", own, peer / own, over)


# ------------------------------------------------------------------- posteriors, scores


def posteriors(has_peers: bool) -> None:
    """Time the Bayesian signed rank test of all pairs of 6 candidates over 33 data sets."""
    means = simulated((SCORES[0], 1, SCORES[2]))[:, 0]
    own, found = seconds(lambda: signed_rank_posterior(means, np.random.default_rng(1), AREA))
    size = f"Bayesian signed ranks, {len(found.first)} pairs, {N_POSTERIOR:,} draws"
    if not is_there("baycomp", has_peers):
        tell(size, own, own / plain_pass(means), "plain passes")
        return
    import baycomp

    def theirs() -> Array:
        pairs = zip(means.T[found.first], means.T[found.second], strict=True)
        probabilities = baycomp.SignedRankTest.probs
        return np.array([probabilities(x, y, AREA[1], nsamples=N_POSTERIOR) for x, y in pairs])

    peer, shares = seconds(theirs)
    apart = np.abs(shares[:, 1] - found.rope).max()
    over = f"times as fast as baycomp; shares of the area differ by {apart:.1e}"
    tell(size, own, peer / own, over)


def aggregates(has_peers: bool) -> None:
    """Time interquartile means of 6 candidates, 33 data sets and 10 replications."""
    parts = list(simulated(SCORES))
    scores = Scores.of(parts)
    own, (found,) = seconds(
        lambda: aggregate(scores, [interquartile_means], np.random.default_rng(1))
    )
    size = f"interquartile means, {N_AGGREGATES:,} draws, {' x '.join(map(str, SCORES))}"
    if not is_there("rliable", has_peers):
        tell(size, own, own / plain_pass(np.array(parts)), "plain passes")
        return
    from rliable import library, metrics

    runs = {str(k): np.array([part[:, k] for part in parts]).T for k in range(SCORES[2])}
    peer, (estimates, _) = seconds(
        lambda: library.get_interval_estimates(
            runs, lambda x: np.array([metrics.aggregate_iqm(x)]), reps=N_AGGREGATES
        )
    )
    apart = max(abs(estimates[str(k)][0] - found.estimate[k]) for k in range(SCORES[2]))
    tell(size, own, peer / own, f"times as fast as rliable; estimates differ by {apart:.1e}")


def battles_of(n: int, n_models: int) -> Battles:
    """Return battles of models of which each is a little better than the one before, no ties."""
    rng = np.random.default_rng(1)
    first = rng.integers(n_models, size=n)
    second = (first + rng.integers(1, n_models, size=n)) % n_models
    is_won = rng.random(n) < 1 / (1 + np.exp((second - first) / n_models))
    return Battles(first, second, np.where(is_won, 1, -1), n_models)


def worths(has_peers: bool) -> None:
    """Time worths of battles, and Elo scores of 84 methods on 51 tasks."""
    battles = battles_of(*ARENA)
    size = f"{ARENA[0]:,} battles of {ARENA[1]} models"
    counts = battles.counts
    bare = plain_pass(counts)
    own, model = seconds(lambda: fit(counts))
    if is_there("choix", has_peers):
        import choix

        wins = battles.wins_and_ties[0]
        peer, found = seconds(lambda: choix.ilsr_pairwise_dense(wins, tol=1e-10))
        apart = np.abs(found - model.log_worths + model.log_worths.mean() - found.mean()).max()
        over = f"times as fast as choix, which has no covariance; log worths differ by {apart:.1e}"
        tell(f"Bradley-Terry of {size}, counted", own, peer / own, over)
    else:
        tell(f"Bradley-Terry of {size}, counted", own, own / bare, "plain passes")
    own, fitted = seconds(lambda: fit_battles(battles))
    if is_there("arena_rank", has_peers):
        peer, ratings = beside_arena(battles)
        apart = np.abs(ratings - fitted.points).max()
        over = f"times as fast as arena-rank, compiled; points differ by {apart:.1e}"
        tell(f"worths with errors of {size}", own, peer / own, over)
    else:
        tell(f"worths with errors of {size}", own, own / bare, "plain passes")
    pairs, _ = seconds(lambda: battle_pairs(battles, fitted, ALPHA, np.random.default_rng(1)))
    tell("all their pairs, simultaneous intervals", pairs, pairs / own, "times the worths")
    beside_bootstrap(battles, own, fitted, 20 if has_peers else 2)
    means = np.exp(simulated((TASKS[0], 1, TASKS[1]))[:, 0])
    own, elo = seconds(lambda: elo_scores(means, is_smaller_better=True))
    size = f"Elo with intervals, {TASKS[1]} methods on {TASKS[0]} tasks"
    if is_there("bencheval", has_peers):
        peer, points = beside_bencheval(means)
        apart = np.abs(points - points.mean() - elo.points).max()
        over = f"times as fast as bencheval (100 resamples); points differ by {apart:.1e}"
        tell(size, own, peer / own, over)
    else:
        tell(size, own, own / plain_pass(means), "plain passes")


def beside_bootstrap(battles: Battles, own: float, fitted: BattleModel, n_resamples: int) -> None:
    """Take errors by logistic regressions of resampled battles, as Arena's published notebooks do.

    `own`: seconds of the worths with their errors here.
    `n_resamples`: of those that count for 1,000, as every one takes as long.
    """
    peer, points = bootstrap_points(battles, n_resamples)
    errors = np.sqrt(np.diag(fitted.estimates.covariance))
    ratio = np.sqrt((points.var(axis=0, ddof=1) / errors**2).mean())
    over = (
        f"times as fast as {N_BOOTSTRAP:,} logistic regressions of scikit-learn "
        f"({n_resamples} made, {peer / n_resamples:.2g} s each); their deviation "
        f"{ratio:.2f} of the standard errors"
    )
    tell("the same beside a bootstrap", own, peer / n_resamples * N_BOOTSTRAP / own, over)


def bootstrap_points(battles: Battles, n_resamples: int) -> tuple[float, Array]:
    """Return the seconds of resamples, and Elo's points of each, of mean 0.

    A resample draws battles with replacement, counts them by pair and winner, and has two rows of
    each pair that met, weighted by the counts: one that the first has won, one that it has lost.
    """
    from sklearn.linear_model import LogisticRegression

    rng, k = np.random.default_rng(2), battles.n_candidates
    n, points = len(battles.first), np.empty((n_resamples, k))
    is_won = (battles.outcome > 0).astype(int)
    code = (battles.first * k + battles.second) * 2 + is_won
    begin = process_time()
    for own in points:
        counts = np.bincount(code[rng.integers(n, size=n)], minlength=2 * k * k)
        rows = np.flatnonzero(counts)
        signs = np.zeros((len(rows), k))
        at = np.arange(len(rows))
        signs[at, rows // 2 // k] = 1
        signs[at, rows // 2 % k] -= 1
        model = LogisticRegression(C=np.inf, fit_intercept=False, tol=1e-8, max_iter=1000)
        model.fit(signs, rows % 2, sample_weight=counts[rows])
        own[:] = model.coef_[0] - model.coef_[0].mean()
    return process_time() - begin, points * 400 / np.log(10)


def beside_arena(battles: Battles) -> tuple[float, Array]:
    """Fit the same battles by arena-rank; its first call, which compiles, is not counted."""
    import pandas as pd
    from arena_rank.models.bradley_terry import BradleyTerry
    from arena_rank.utils.data_utils import PairDataset

    columns = {
        "model_a": battles.first,
        "model_b": battles.second,
        "winner": np.where(battles.outcome > 0, "model_a", "model_b"),
    }
    dataset = PairDataset.from_pandas(pd.DataFrame(columns))

    def theirs() -> Array:
        found = BradleyTerry(battles.n_candidates).compute_ratings_and_cis(dataset)
        return np.asarray(found["ratings"])

    theirs()
    peer, ratings = seconds(theirs)
    return peer, ratings - ratings.mean()


def beside_bencheval(means: Array) -> tuple[float, Array]:
    """Score the same means by bencheval."""
    import pandas as pd
    from bencheval.evaluator import BenchmarkEvaluator

    task, method = np.indices(means.shape)
    columns = {"method": method.ravel(), "task": task.ravel(), "metric_error": means.ravel()}
    frame = pd.DataFrame(columns).astype({"method": str, "task": str})
    evaluator = BenchmarkEvaluator(columns_to_agg_extra=None)
    rows = evaluator.compute_results_per_task(frame)

    def theirs() -> Any:
        return evaluator.compute_elo(
            results_per_task=rows, BOOTSTRAP_ROUNDS=100, round_decimals=None
        )

    peer, found = seconds(theirs)
    names = [str(k) for k in range(means.shape[1])]
    return peer, np.asarray(found.loc[names, "elo"], dtype=np.float64)


# ------------------------------------------------------------------------------- reports


def reports(has_peers: bool) -> None:
    """Time whole reports of the same 600 values, each in a process of its own."""
    sys.path.insert(0, str(Path(__file__).parent))
    from start import PAGE, write_results

    with TemporaryDirectory() as name:
        folder = Path(name)
        write_results(folder / "results.csv", REPORTED)
        (folder / "cells_mqc.csv").write_text(cells(folder / "results.csv"), "utf-8")
        own = processor_seconds(PAGE, folder, 3 if has_peers else 0)
        tell(f"report of {60 * REPORTED} values, HTML and results.json", own, 1.0, "times itself")
        table = (
            "import pandas, skrub; "
            "skrub.TableReport(pandas.read_csv('results.csv'), verbose=0).html()"
        )
        multiqc = ["-m", "multiqc", "cells_mqc.csv", "--force", "--quiet", "--outdir", "multiqc"]
        peers = {"skrub": ["-c", table], "multiqc": multiqc}
        for package, command in peers.items():
            if is_there(package, has_peers):
                peer = processor_seconds([sys.executable, *command], folder)
                what = f"    beside {package}'s report, {peer:.2f} s"
                tell(what, own, peer / own, "times as fast")


def cells(path: Path) -> str:
    """Return results as a table of data sets and replications by candidates, with commas."""
    rows: dict[tuple[str, str], dict[str, str]] = {}
    for line in path.read_text("utf-8").splitlines()[1:]:
        dataset, replication, candidate, value = line.split(",")
        rows.setdefault((dataset, replication), {})[candidate] = value
    names = list(next(iter(rows.values())))
    lines = [",".join(["Sample", *names])]
    lines += [",".join(["-".join(key), *own.values()]) for key, own in rows.items()]
    return "\n".join(lines) + "\n"


def processor_seconds(command: list[str], folder: Path, n_runs: int = 3) -> float:
    """Return the least processor seconds of a command of a few runs, after one to warm up."""
    own = {k: v for k, v in os.environ.items() if k != "PYTHONDONTWRITEBYTECODE"}
    times = []
    for _ in range(1 + n_runs):
        begin = resource.getrusage(resource.RUSAGE_CHILDREN)
        subprocess.run(command, check=True, cwd=folder, env=own, capture_output=True)
        end = resource.getrusage(resource.RUSAGE_CHILDREN)
        times.append(end.ru_utime + end.ru_stime - begin.ru_utime - begin.ru_stime)
    return min(times[1:] or times)


if __name__ == "__main__":
    with threadpool_limits(1):
        main()
