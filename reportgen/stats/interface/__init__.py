"""Functions from arrays to results, for users: `reportgen.stats` has their names.

Each checks its arguments (`arguments`), calls the kernels that the sections of a report call, and
names what they return. No function computes anything itself.
"""
