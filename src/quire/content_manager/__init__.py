"""Content as administrators manage it: what they see of it, and what they may do to it."""
