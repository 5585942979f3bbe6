"""From a raw query string to a plan that a database can run.

This package does no I/O, and does not know tables, SQL or HTTP.
"""
