"""A small library as content: the model, rows, queries, and an account of statements.

Every attribute type and every kind of edge occurs once or twice. Tests of reading share it.
"""
