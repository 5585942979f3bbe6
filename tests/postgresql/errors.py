"""Errors of finding or starting a PostgreSQL server for the tests."""


class NoServerError(Exception):
    """There is no PostgreSQL server for the tests, and none can be started."""
