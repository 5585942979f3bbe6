"""The document service: the only way to write content."""
