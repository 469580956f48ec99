"""Sequential benchmarking: tests on accumulating replications, and when to stop.

`tracks`, `signed_rank_track` and `significance` describe what was measured; nothing
is guaranteed of them. `recursive` (with `combination` and `rules`), `group`, `anytime`
and `bounded` decide with a level that holds at all their looks; `two_procedures`
and `families` put several such tests together.
"""
