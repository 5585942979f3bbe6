"""Detects processes that open a database file a second time, past the module that may."""
