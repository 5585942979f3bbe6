"""The exit codes of the commands."""

DONE = 0
PROBLEMS = 1
"""Problems were found, or the server stopped by itself."""
CANNOT = 2
"""It cannot be done as asked; nothing was changed."""
INTERRUPTED = 130
"""Somebody pressed Ctrl+C."""
