"""The media library: files that people upload, pictures in other sizes, folders.

Nothing here knows HTTP. What a caller may do is asked before any of this is called.
"""
