"""Imports content files into a new database.

``content`` is what the files say; ``read`` gets it out of them, or lists every fault that ``check``
and ``entries`` find. ``documents`` writes it by the actions that everything is written by, ``rows``
what stands around it, and ``media`` puts the files of the media library in their place. ``project``
runs it all in one transaction: everything is stored, or nothing.
"""
