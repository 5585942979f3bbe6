"""Clients generated from the OpenAPI documents, used with a running server.

The one in Python is part of the test suite; `python -m tests.clients` makes those in TypeScript,
which need Node.js and npm.
"""
