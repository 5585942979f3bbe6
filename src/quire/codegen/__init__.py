"""Typed models of a project's content, as ``quire types`` writes them.

`model_classes` says which classes there are and what they hold, for all languages. There is a
module for each language, and `documents` for the project's own Python code.
"""
