"""Typed models of a project's content, for programs that read it: what ``quire types`` writes.

`shapes` says which classes there are and what they hold, for all languages; there is a module for
each language, which knows nothing of the schema.
"""
