"""Turns the content files of a project into the first content of its database.

``content`` is what the files say, ``read`` and ``check`` get it out of them or list every fault,
``media`` puts the files of the media library in their place, ``rows`` makes programs of it all, and
``project`` runs them: everything is stored, or nothing.
"""
