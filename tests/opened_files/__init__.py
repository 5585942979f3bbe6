"""Detects processes that open a SQLite file a second time outside of the one module."""
