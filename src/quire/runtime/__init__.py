"""Creates and connects all parts of a running server."""
