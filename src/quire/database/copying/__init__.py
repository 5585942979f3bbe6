"""Copies a database to another one, of the same kind or not.

Entry point: `copy_database`. `structure` plans the tables, `values` converts values, `pages` reads
and writes rows, `progress` stores the progress, and `compare` verifies the copy.
"""
