"""Rows of content: what is asked of them, and how they are copied, led on and removed.

Works on rows of any content type or component; which of them are drafts, published or of which
locale is decided by the caller.
"""
