"""Serves the code of a project that is evaluated request by request."""
