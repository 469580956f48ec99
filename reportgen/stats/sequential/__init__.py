"""Sequential benchmarking: tests on accumulating replications, and when to stop.

`tracks`, `signed_rank_track` and `significance` describe what was measured; nothing
is guaranteed of them. `recursive` (with `combination` and `rules`), `group` and
`anytime` decide with a level that holds however often they look; `two_procedures`
and `families` put several such tests together.
"""
