"""Models of a domain of which there is one value a data set and candidate."""

from __future__ import annotations

from math import inf

import numpy as np
from numpy.typing import NDArray

from reportgen.stats.block_model import BlockModel, fit_block_model
from reportgen.stats.domain_model import DomainModel, Structure, hotelling
from reportgen.stats.parameters import ParameterEstimates

Array = NDArray[np.float64]


def fit_dataset_means(means: Array, structure: Structure = "interaction") -> DomainModel:
    r"""Compare candidates with data sets as blocks, :math:`p_{mk} = \kappa_k + \beta_m + e_{mk}`.

    Parameters
    ----------
    means : ndarray of shape (M, K)
        One value a data set and candidate, complete, M, K >= 2.
    structure : {"interaction", "unstructured"}
        "interaction": the :math:`e_{mk}` are independent with one variance, in
        which the data sets' own way with a candidate and the error of its value
        cannot be told apart. "unstructured": a data set's K values have any
        covariance.

    Returns
    -------
    DomainModel
        With "interaction" `variance` is that of the e, there is no variance of
        replications, and effects of data set by candidate are 0: they cannot be
        predicted. With "unstructured" `covariance` is that of the values, and
        there are no other variances and no criterion.

    Raises
    ------
    ValueError
        If `means` is not such a matrix, or the candidates differ in the same
        way on every data set.

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


def _of_blocks(model: BlockModel) -> DomainModel:
    k = len(model.means)
    return DomainModel(
        structure="interaction",
        means=model.means,
        standard_errors=np.full(k, model.standard_error),
        standard_error_df=np.full(k, model.standard_error_df),
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
        method="exact",
        estimates=model.estimates,
        asymptotic=ParameterEstimates(model.means, model.estimates.covariance, inf),
    )


def _without_structure(means: Array) -> DomainModel:
    n_datasets, n_candidates = means.shape
    kappa = means.mean(axis=0)
    covariance = np.cov(means, rowvar=False)
    level = (means - kappa).mean(axis=1)
    df = float(n_datasets - 1)
    return DomainModel(
        structure="unstructured",
        means=kappa,
        standard_errors=np.sqrt(covariance.diagonal() / n_datasets),
        standard_error_df=np.full(n_candidates, df),
        dataset_variance=None,
        interaction_variance=None,
        covariance=covariance,
        replication_variance=None,
        variance=None,
        sigma_rank=int(np.linalg.matrix_rank(means - kappa)),
        zeros=(),
        dataset_effects=level,
        interaction_effects=np.zeros(means.shape),
        reml_criterion=None,
        equality=hotelling(means),
        method="hotelling",
        estimates=ParameterEstimates(kappa, covariance / n_datasets, df),
        asymptotic=ParameterEstimates(kappa, covariance / n_datasets, inf),
    )
