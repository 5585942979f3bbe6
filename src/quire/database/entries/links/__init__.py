"""Links between rows: relations and media, in columns and link tables.

Everything here works on row ids. Callers decide which rows stand for which documents (drafts,
published versions, locales).
"""
