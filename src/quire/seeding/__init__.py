"""Imports content files into a new database.

`content` has the values of the files; `load` reads them, with every error that `check` and
`entries` find. `documents` writes them by the actions of the document service, `project` writes
other rows, and `media` copies files into the media library. `project` runs it all in one
transaction: everything is stored, or nothing.
"""
