"""The content manager over HTTP, used by the content screens."""
