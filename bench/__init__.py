"""Benchmarks: one seeded database, several servers, equal requests, one table.

Run with ``python -m bench``; ``python -m bench --help`` lists the options.
"""
