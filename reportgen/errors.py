"""Errors: one class for each stage of the flow."""

from __future__ import annotations


class ReportgenError(Exception):
    """Base of all errors that reportgen raises for its user.

    `exit_code`: what the command line returns when the error ends it.
    """

    exit_code = 2


class StudyError(ReportgenError):
    """The manifest cannot be read, or has a value that is not allowed."""


class SetupError(ReportgenError):
    """A name of the manifest has no object behind it."""


class ExchangeError(ReportgenError):
    """A file of results cannot be read into a warehouse."""


class WarehouseError(ReportgenError):
    """The stored performances are damaged or do not fit together."""


class AnalysisError(ReportgenError):
    """A section cannot be computed from the performances at hand."""


class ExecutionError(ReportgenError):
    """Too many fits failed, or the execution could not go on."""

    exit_code = 3


class FindingError(ReportgenError):
    """What a job shall fail on was found: a claim that does not hold, a change, an alarm."""

    exit_code = 1


class SectionError(ReportgenError):
    """A section could not be computed; the report was written without it."""

    exit_code = 5


class RenderingError(ReportgenError):
    """A back end is missing or failed."""

    exit_code = 4
