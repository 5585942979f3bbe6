"""Evaluates parsed functions, as far as their behaviour is known for certain."""
