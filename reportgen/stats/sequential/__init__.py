"""Sequential benchmarking: tests on accumulating replications, and when to stop.

`paths` and `paired_paths` describe what was measured, and `orders` what other orders of the
replications would have shown; nothing is guaranteed of them. `recursive` and `stages`, `group` and
`anytime` decide with a level that holds at all their looks. `exchangeability` raises alarms of
changes in series of runs.
"""
