"""Migrations: from the tables of one schema to those of another."""
