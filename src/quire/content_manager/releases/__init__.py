"""Releases: named sets of documents that are published or unpublished together.

`store` reads and writes Strapi's tables for them, `publication` publishes a release in one
transaction or as a trial, `undo` restores the former public state, and `entries` describes the
entries of a release for one administrator.
"""
