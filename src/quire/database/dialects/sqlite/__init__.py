"""SQLite: the database of a laptop, and of many a server."""
