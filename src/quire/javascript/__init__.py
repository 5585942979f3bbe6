"""Parses JavaScript, and converts values as JavaScript does; evaluates simple functions."""
