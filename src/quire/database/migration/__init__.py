"""Migrates tables and rows from one schema to another, without losing data."""
