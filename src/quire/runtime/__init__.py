"""Puts a running project together: what is made once, and what is made anew for each schema."""
