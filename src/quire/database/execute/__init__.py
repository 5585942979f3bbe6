"""Compiled reads run: rows are fetched, joined to their parents and encoded as JSON."""
