"""Documents: what is written, and by which rules. The only way to change content."""
