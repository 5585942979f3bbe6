"""Rows of content: queries, copies, links and deletion.

Works on rows of any content type or component; callers decide which of them are drafts or
published, and of which locale.
"""
