"""The versions that the workers of a cluster have to have."""

from __future__ import annotations

from collections.abc import Mapping

from reportgen.errors import ExecutionError

NAMED = 3  # workers that an error names


def check_versions(ours: Mapping[str, str], theirs: Mapping[str, Mapping[str, str]]) -> None:
    """Refuse workers on which other versions are installed than here.

    `ours`: version by package.
    `theirs`: the same by worker.
    Raises ExecutionError naming workers and packages.

    Examples
    --------
    >>> check_versions({"numpy": "2.1"}, {"a": {"numpy": "2.1"}})
    """
    differing = {worker: _differing(ours, own) for worker, own in theirs.items()}
    mismatches = [f"{differing[worker]} on {worker}" for worker in theirs if differing[worker]]
    if mismatches:
        n_more = len(mismatches) - NAMED
        more = f", and others on {n_more} more workers" if n_more > 0 else ""
        named = "; ".join(mismatches[:NAMED])
        raise ExecutionError(
            f"--cluster: found {named}{more}; allowed the versions that are "
            "here: results of one study are to be comparable"
        )


def _differing(ours: Mapping[str, str], theirs: Mapping[str, str]) -> str:
    """List the packages that differ; empty where none does."""
    return ", ".join(
        f"{name} {theirs.get(name, 'missing')} (here {ours.get(name, 'missing')})"
        for name in dict.fromkeys((*ours, *theirs))
        if ours.get(name) != theirs.get(name)
    )
