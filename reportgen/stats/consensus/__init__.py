"""Exact consensus relations: the orders of a class that are nearest to an ensemble.

`nearest` is the entrance. It cuts the candidates into `blocks`; in each `block` the prices of a
linear `program` guide the `search` for an optimum, its proof, and all that cost the same. `ranges`
follows the optima over the weight of each member.
"""
