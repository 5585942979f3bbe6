"""Evaluates parsed functions, as far as what they do is known for certain."""
