"""Runs compiled reads: fetches rows, joins them to their parents, and encodes them as JSON."""
