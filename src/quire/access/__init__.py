"""Principals and what they may do: values only, no database and no HTTP."""
