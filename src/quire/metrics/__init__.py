"""Measurements of a running server, and their Prometheus text form."""
