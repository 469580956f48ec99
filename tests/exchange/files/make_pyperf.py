"""Timings of two calls by pyperf: THIS -p 7 -n 3 -w 1 --loops 20 -o FILE.

Facts of the machine are left out.
"""

import pyperf

runner = pyperf.Runner()
runner.timeit("sort", stmt="sorted(range(300))")
runner.timeit("join", stmt="','.join(map(str, range(300)))")
