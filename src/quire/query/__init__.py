"""From a raw query string to a plan that a database can run.

Nothing in this room does input or output, and nothing in it knows a table, SQL or HTTP.
"""
