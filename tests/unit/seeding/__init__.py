"""Content files and their rows."""
