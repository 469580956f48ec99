"""Exact consensus relations: the orders of a class that are nearest to an ensemble.

`nearest` divides the candidates into blocks. In each `block` the dual prices of a linear `program`
guide branch and bound to an optimum, its proof, and all optima. `ranges` follows the optima over
the weight of each member; `orders` has the domains of the pairs and the costs. No package at hand
finds all optima with a proof: integer programs return one.
"""
