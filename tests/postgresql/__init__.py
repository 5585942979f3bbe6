"""The PostgreSQL server of the tests: found or started on demand, and stopped at the end.

`server_url` is the way in. What cannot be had makes tests fail, and says what is missing.
"""
