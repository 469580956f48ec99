"""What an execution has given, or what results that exist are taken for."""

from __future__ import annotations

from typing import TYPE_CHECKING

from reportgen.data_classes import dataclass

if TYPE_CHECKING:
    from reportgen.report import MeasuredWith
    from reportgen.warehouse import Warehouse


@dataclass(frozen=True, slots=True)
class Execution:
    """The result of an execution."""

    warehouse: Warehouse  # one row a fit and measure; fits that it did not begin are skipped
    # n_run, n_reused: Fits that were done now, and that the journal had.
    n_run: int = 0
    n_reused: int = 0
    measured_with: tuple[MeasuredWith, ...] = ()  # versions with which the fits were made
    fault: str = ""  # why what was measured is not to be reported as it is; empty where it is.
