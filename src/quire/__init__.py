"""Quire: a headless content server.

Content types, components, drafts, locales and permissions, described by schema files and served
over an HTTP API from SQLite or PostgreSQL.
"""

__version__ = "0.1.0"
