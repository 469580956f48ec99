"""Directions of measures whose names the field knows: which side is better."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from functools import lru_cache
from types import MappingProxyType
from unicodedata import normalize

from reportgen.performance_measure import Better

LARGER = frozenset(
    """
    acc accnorm accuracy accuracyscore adjustedmutualinfoscore adjustedrandindex adjustedrandscore
    ami ari auc aucpr aucroc auprc auroc averageprecision averageprecisionscore bacc balacc
    balancedaccuracy balancedaccuracyscore bertscore bleu chrf cider cindex cohenkappa
    cohenkappascore cohenskappa comet concordance concordanceindex correct correctness dice
    dicescore dsc elbo elo episodereturn exactmatch explainedvariance explainedvariancescore f1
    f1score f2 f2score fbeta fbetascore fmeasure fps fscore gain gmean hitrate hypervolume
    informedness iou iscorrect jaccard jaccardindex jaccardscore kappa likelihood loglik
    loglikelihood map matthewscorrcoef mauc mcc mcfadden meteor miou mos mrr ndcg ndcgscore nmi
    normalizedmutualinfoscore npv pass passed passrate ppv prauc prec precision precisionscore
    profit psnr qps r2 r2score recall recallscore resolved return returns reward roc rocauc
    rocaucscore rouge rougel rsq rsquare rsquared score sens sensitivity silhouette silhouettescore
    solved spec specificity spice ssim success successrate throughput tnr tokensper tokenspersec
    tokenspersecond top1 top10 top3 top5 tpr truenegativerate truepositiverate utility vmeasure
    vmeasurescore winrate youden youdensj
    """.split()
)
"""Names of measures whose larger values are better, in lower case, letters and digits alone."""
SMALLER = frozenset(
    """
    absoluteerror aic asd assd ber bic brier brierloss brierscore brierscoreloss carbon ce cer
    classificationerror cost costs cputime crossentropy crps deviance duration ece eer elapsed
    emissions energy err error errorrate errors falsenegativerate falsepositiverate fdr fid fnr
    focalloss fpr hamming hammingloss hausdorff hd95 hinge hingeloss huberloss igd kld kldivergence
    latency logloss loss lpips mae mape mase maxerror meanabsoluteerror meanabsolutepercentageerror
    meanperclasserror meanpinballloss meansquarederror meansquaredlogerror medae
    medianabsoluteerror mem memory memoryusage misclass misclassification misclassificationerror
    misclassificationrate mistakes mmce mse msle nll nmae nrmse par10 par2 perclasserror perplexity
    pinball pinballloss quantileloss rae regret relativeerror risk rmae rmse rmsle rmsse
    rootmeansquarederror rootmeansquaredlogerror rrse runtime seconds secs smape squarederror
    squaredloss sse suboptimality ter time timefit timepredict timetest timetrain vmiscl wallclock
    walltime wape wer xent zerooneloss
    """.split()
)
"""Names of measures whose smaller values are better, likewise."""
SIZES = frozenset({"size", "modelsize", "filesize", "modelbytes", "nparameters", "nparams"})
"""Words whose measure is better when smaller, only alone: a test sample has a size, too."""
UNITS = frozenset("s sec ms us ns minutes h hours b kb mb gb kib mib gib bytes".split())
CONTEXT = UNITS | frozenset(
    """
    avg average bag best binary classif cv dev eval evaluation final fit fitting holdout inference
    macro max maximum mean median micro model of oob oof out outer overall peak predict predicting
    prediction regr run running sample samples scoring test testing total train training tuning val
    valid validation weighted wall cpu elapsed process user system clock gpu ram absolute squared
    relative normalized normalised adjusted rate top k at predictive taken min percent pct
    """.split()
)
"""Words before or after such a name that leave its meaning as it is: of which sample, in which
unit, of what it is a mean."""
OF_SAMPLES = frozenset(
    """
    test testing train training val valid validation holdout eval evaluation cv oof oob dev
    """.split()
)
AT_RANK = re.compile(
    r"(p|r|hr|prec|precision|rec|recall|hits?|map|ndcg|mrr|pass|success|acc|accuracy|f1)\s?@\s?\d+",
    re.IGNORECASE,
)
"""Of rankings: P@10 is a precision."""
NEGATIONS = ("neg", "negative", "minus")
WORDS = re.compile(r"[A-Z]+(?![a-z])\d*|[A-Z]?[a-z]+\d*|\d+")
DASH = "[-\u2010-\u2015\u2212]"
COMPLEMENT = re.compile(
    rf"\(?\s*(100\s*%?|1(\.0*)?)?\s*{DASH}\s*\(?(?P<of>[^()]*[a-z][^()]*)\)?\s*\)?"
    rf"|(?P<before>.*[a-z].*)\(\s*(100\s*%?|1)?\s*{DASH}\s*\)",
    re.IGNORECASE,
)
"""1 - AUC, -loss, AUC (1-): better on the other side than what is subtracted."""
ARITHMETIC = re.compile(
    rf"[^\w\s./()\[\]%@:,&'#^-]|[^\x00-\x7f]|(?<![a-z0-9_])[0-9.]+\s*/|/\s*[0-9]|\^\s*{DASH}|\({DASH}"
)
"""What else makes another number of a measure, or nobody knows what it does."""
ARROWS: Mapping[str, Better] = MappingProxyType(
    {
        **dict.fromkeys("\u2191\u2b06\u25b2\u21d1", "larger"),
        **dict.fromkeys("\u2193\u2b07\u25bc\u21d3", "smaller"),
    }
)
"""Signs beside names in the tables of papers."""
OPPOSITE: Mapping[Better, Better] = MappingProxyType({"smaller": "larger", "larger": "smaller"})


@lru_cache(65_536)  # a column is asked about again and again
def known_direction(name: str) -> Better | None:
    """Return which values of a measure are better by its name; None where that is open.

    Words such as test, mean and fit may stand around what is measured. A name that also has other
    words says nothing: the gap of an accuracy is no accuracy.

    Examples
    --------
    >>> known_direction("test_score"), known_direction("valLoss"), known_direction("fit_time")
    ('larger', 'smaller', 'smaller')
    >>> known_direction("neg_mean_squared_error"), known_direction("zeal")
    ('larger', None)
    >>> known_direction("std_test_score"), known_direction("test_size")
    (None, None)
    >>> known_direction("1 - AUC"), known_direction("-loss"), known_direction("accuracy / 2")
    ('smaller', 'larger', None)
    >>> known_direction("gain ↑"), known_direction("accuracy ↓")
    ('larger', None)
    """
    plain = normalize("NFKC", name).strip()
    if AT_RANK.fullmatch(plain):
        return "larger"
    arrows = {ARROWS[letter] for letter in plain if letter in ARROWS}
    bare = plain.translate(dict.fromkeys(map(ord, ARROWS)))
    side = _of_formula(bare)
    if not arrows:
        return side
    return arrows.pop() if len(arrows) == 1 and side in (None, *arrows) else None


def _of_formula(text: str) -> Better | None:
    """Return the direction of a name, or of what is left of one that is subtracted."""
    if match := COMPLEMENT.fullmatch(text.strip()):
        inner = _of_formula(match["of"] or match["before"])
        return None if inner is None else OPPOSITE[inner]
    if ARITHMETIC.search(text):
        return None
    words = [word.lower() for word in WORDS.findall(text)]
    if "".join(words) in SIZES:
        return "smaller"
    if "score" in words and not UNITS.isdisjoint(words):
        return None
    return next((side for core in _cores(words) if (side := _direction(core))), None)


def without_sample(name: str) -> str:
    """Return a name in lower case with dashes, without the words for a sample around it.

    Examples
    --------
    >>> without_sample("test_rmse"), without_sample("RMSE (val)"), without_sample("1 - test AUC")
    ('rmse', 'rmse', '')
    """
    if COMPLEMENT.fullmatch(name.strip()) or ARITHMETIC.search(normalize("NFKC", name)):
        return ""
    words = [word.lower() for word in WORDS.findall(name)]
    while words and words[0] in OF_SAMPLES:
        words = words[1:]
    while words and words[-1] in OF_SAMPLES:
        words = words[:-1]
    return "-".join(words)


def _cores(words: list[str]) -> Iterator[list[str]]:
    """Yield what is left without words of context at both ends, the longest first."""
    first = _n_context(words)
    last = len(words) - _n_context(words[::-1])
    spans = [(i, j) for i in range(first + 1) for j in range(last, len(words) + 1) if i < j]
    for i, j in sorted(spans, key=lambda span: span[0] - span[1]):
        yield words[i:j]


def _n_context(words: list[str]) -> int:
    """Count the words of context that lead."""
    is_core = [word.rstrip("0123456789") not in {"", *CONTEXT} for word in words]
    return is_core.index(True) if any(is_core) else len(words)


def _direction(words: list[str]) -> Better | None:
    """Return the direction of words that name a measure and nothing else."""
    name = "".join(words)
    side: Better | None = "larger" if name in LARGER else "smaller" if name in SMALLER else None
    if side is None and words[0] in NEGATIONS and len(words) > 1:
        inner = next((found for core in _cores(words[1:]) if (found := _direction(core))), None)
        side = None if inner is None else OPPOSITE[inner]
    return side
