"""Principals and their permissions: values only, no database and no HTTP."""
