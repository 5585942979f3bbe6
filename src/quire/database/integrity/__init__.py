"""Finds and repairs rows that contradict each other or the schema."""
