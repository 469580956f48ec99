"""The version of this package: a module of its own, which imports nothing."""

__version__ = "0.2.0"
