"""Domain models of one value a data set and candidate."""

from __future__ import annotations

from dataclasses import replace
from math import inf

import numpy as np

from reportgen.stats.arrays import Array
from reportgen.stats.blocks.incomplete import IncompleteBlockModel, fit_incomplete_blocks
from reportgen.stats.blocks.model import BlockModel, fit_block_model
from reportgen.stats.domain.model import DomainModel, Structure, hotelling
from reportgen.stats.estimates import ParameterEstimates
from reportgen.stats.linear_algebra import n_nonzero
from reportgen.stats.multiplicity.simultaneous import paired_differences


def fit_dataset_means(means: Array, structure: Structure = "interaction") -> DomainModel:
    r"""Compare candidates with data sets as blocks, :math:`p_{mk} = \kappa_k + \beta_m + e_{mk}`.

    `means`: (M, K); one value a data set and candidate, complete, M, K >= 2.
    `structure`: "interaction": the :math:`e_{mk}` are independent with one variance, in which the
    data sets' own way with a candidate and the error of its value cannot be distinguished.
    "unstructured": a data set's K values have any covariance.
    Result: with "interaction" `variance` is that of the e, there is no variance of replications,
    and effects of data set by candidate are 0: they cannot be predicted. With "unstructured"
    `covariance` is that of the values, and there are no other variances and no criterion.
    Raises ValueError if `means` is not such a matrix, or the candidates differ in the same way on
    every data set.

    Notes
    -----
    Tests and intervals are those of the domain model on the same means: that
    rests on nothing else when it is balanced.

    Examples
    --------
    >>> means = np.array([[1.0, 2.0], [3.0, 5.0], [2.0, 5.0]])
    >>> model = fit_dataset_means(means)
    >>> round(model.equality.statistic, 6), model.estimates.df
    (12.0, 2.0)
    >>> fit_dataset_means(means, "unstructured").covariance
    array([[1. , 1.5],
           [1.5, 3. ]])
    """
    model = fit_block_model(means)
    return _without_structure(means) if structure == "unstructured" else _of_blocks(model)


def fit_incomplete_means(means: Array) -> DomainModel:
    """Compare candidates with data sets as blocks, some of which lack candidates.

    `means`: (M, K); NaN where a candidate lacks; every candidate has a value.
    Result: with interaction; all estimates are those of `fit_incomplete_blocks`, and tests Kenward
    and Roger's.
    Raises ValueError if `means` is not such a matrix, or the candidates differ in the same way on
    every data set.
    """
    model = fit_incomplete_blocks(means)
    return _of(
        model,
        errors=model.standard_errors,
        df=model.standard_error_df,
        method="kenward-roger",
        asymptotic=model.asymptotic,
    )


def _of_blocks(model: BlockModel) -> DomainModel:
    k = len(model.means)
    return _of(
        model,
        errors=np.full(k, model.standard_error),
        df=np.full(k, model.standard_error_df),
        method="exact",
        asymptotic=replace(model.estimates, df=inf),
    )


def _of(
    model: BlockModel | IncompleteBlockModel,
    *,
    errors: Array,
    df: Array,
    method: str,
    asymptotic: ParameterEstimates,
) -> DomainModel:
    """Return a model of blocks as one of data sets, without their own way with a candidate."""
    k = len(model.means)
    return DomainModel(
        structure="interaction",
        means=model.means,
        standard_errors=errors,
        standard_error_df=df,
        dataset_variance=model.block_variance,
        interaction_variance=None,
        covariance=None,
        replication_variance=None,
        variance=model.variance,
        sigma_rank=k,
        zeros=("dataset",) if model.is_boundary else (),
        dataset_effects=model.block_effects,
        interaction_effects=np.zeros((len(model.block_effects), k)),
        reml_criterion=model.reml_criterion,
        equality=model.equality,
        method=method,
        estimates=model.estimates,
        asymptotic=asymptotic,
    )


def _without_structure(means: Array) -> DomainModel:
    kappa = means.mean(axis=0)
    found = _bare(kappa, np.cov(means, rowvar=False), len(means))
    apart = np.cov(means - means.mean(axis=1, keepdims=True), rowvar=False) / len(means)
    return replace(
        found,
        estimates=replace(found.estimates, contrast_covariance=apart),
        asymptotic=replace(found.asymptotic, contrast_covariance=apart),
        sigma_rank=n_nonzero(
            np.linalg.svd(means - kappa, compute_uv=False), float(np.abs(means).max())
        ),
        dataset_effects=(means - kappa).mean(axis=1),
        equality=hotelling(means),
        differences=paired_differences(means),
    )


def _bare(kappa: Array, covariance: Array, n_datasets: int) -> DomainModel:
    """Return means with a free covariance, tests and predictions still to come."""
    df, k = float(n_datasets - 1), len(kappa)
    return DomainModel(
        structure="unstructured",
        means=kappa,
        standard_errors=np.sqrt(covariance.diagonal() / n_datasets),
        standard_error_df=np.full(k, df),
        dataset_variance=None,
        interaction_variance=None,
        covariance=covariance,
        replication_variance=None,
        variance=None,
        sigma_rank=k,
        zeros=(),
        dataset_effects=np.zeros(n_datasets),
        interaction_effects=np.zeros((n_datasets, k)),
        reml_criterion=None,
        equality=None,
        method="hotelling",
        estimates=ParameterEstimates(kappa, covariance / n_datasets, df),
        asymptotic=ParameterEstimates(kappa, covariance / n_datasets, inf),
    )
