"""Releases: named sets of documents that are published or unpublished together.

`store` keeps them in the tables that Strapi has for them, `publication` carries a release out in
one transaction or tries it, `undo` restores what was public before, and `entries` shows the entries
of a release to one administrator.
"""
