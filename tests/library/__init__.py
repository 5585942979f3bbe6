"""A small library as content: model, rows, queries, and a statement log.

Every attribute type and every kind of edge occurs once or twice. Tests of reading share it.
"""
