"""Checks directories of Strapi projects: whether they open, and how much is served.

``python -m tests.corpus DIRECTORY…`` takes projects, or directories of projects. Nothing is changed
in them: a project that is served (``--serve``) is copied first.
"""
