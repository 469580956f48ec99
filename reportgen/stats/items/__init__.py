"""Comparisons of models on the same items: questions, problems, documents."""
