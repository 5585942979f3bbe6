"""The media library: files, images in several sizes, folders.

Nothing here knows HTTP. What a caller may do is asked before any of this is called.
"""
