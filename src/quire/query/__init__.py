"""What a request asks for: from the raw query string to a plan that a database can answer.

Nothing in this room does input or output, and nothing in it knows a table, SQL or HTTP.
"""
