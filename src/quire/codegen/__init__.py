"""Typed models of a project's content, for ``quire types``.

`model_classes` determines the classes and their fields, for all languages. There is a module for
each language, and `documents` for the project's own Python code.
"""
