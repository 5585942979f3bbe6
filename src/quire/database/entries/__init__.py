"""Rows of content: queries, copies, links and deletion.

Works on rows of any content type or component; which of them are drafts, published or of which
locale is decided by the caller.
"""
