"""The PostgreSQL server of the tests: found or started when a test first wants it, and never left.

`server_url` is the way in. What cannot be had makes tests fail, and says what is missing.
"""
