"""Plots that several sections draw."""
