"""Serves the code of a project that is evaluated for each request."""
