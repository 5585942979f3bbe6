"""Hooks of a project's Python code as values; knows no database and no HTTP.

Decorators mark functions (`marks`), `quire.extensions` collects the marks into a snapshot
(`extensions`), and `quire.document_service` calls the functions with what they work on (`write`).
"""
