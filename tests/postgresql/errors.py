"""What goes wrong when the tests look for a PostgreSQL server."""


class NoServerError(Exception):
    """There is no PostgreSQL server for the tests, and none can be started."""
