"""The call from Python: results or a manifest in, a study with its verdicts out.

The command line is a thin layer on it.
"""
