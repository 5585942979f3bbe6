"""Rows of system tables: one module for each table or group of tables."""
