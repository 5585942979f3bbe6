"""Parses JavaScript, and converts values as JavaScript does.

Nothing here runs JavaScript.
"""
