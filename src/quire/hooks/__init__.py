"""Hooks, routes and documents of a project's Python code as values; no database and no HTTP.

Decorators mark functions (`marks`, `routes`), `quire.extension_loading` collects the marks into a
snapshot (`registry`). `quire.document_service` calls hooks with a `write`, `quire.content_api`
serves the routes, and `document` and `shape` are what reads return.
"""
