"""Links between rows: relations of every kind and media, as rows and columns.

Everything here works on row ids. Which rows stand for which documents (drafts, published versions,
locales) is decided by the caller.
"""
