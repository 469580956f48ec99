"""Workers of a cluster measure with the versions that the journal names, or not at all."""

from __future__ import annotations

from collections.abc import Mapping

from reportgen.errors import ExecutionError

NAMED = 3  # workers that an error names


def check_versions(ours: Mapping[str, str], theirs: Mapping[str, Mapping[str, str]]) -> None:
    """Refuse workers on which other versions are installed than here.

    Parameters
    ----------
    ours : mapping
        Version by package.
    theirs : mapping
        The same by worker.

    Raises
    ------
    ExecutionError
        Naming workers and packages.

    Examples
    --------
    >>> check_versions({"numpy": "2.1"}, {"a": {"numpy": "2.1"}})
    """
    differing = {worker: _differing(ours, own) for worker, own in theirs.items()}
    told = [f"{differing[worker]} on {worker}" for worker in theirs if differing[worker]]
    if told:
        more = f", and others on {len(told) - NAMED} more workers" if len(told) > NAMED else ""
        raise ExecutionError(
            f"--cluster: found {'; '.join(told[:NAMED])}{more}; allowed the versions that are "
            "here: performances and times of one study are to be comparable"
        )


def _differing(ours: Mapping[str, str], theirs: Mapping[str, str]) -> str:
    """List the packages that differ; empty where none does."""
    return ", ".join(
        f"{name} {theirs.get(name, 'missing')} (here {ours.get(name, 'missing')})"
        for name in dict.fromkeys((*ours, *theirs))
        if ours.get(name) != theirs.get(name)
    )
