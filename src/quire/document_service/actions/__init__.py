"""The actions on documents: one module each, on a sequence of commands.

Every write, from wherever it comes, goes through one of these; nothing else touches rows.
"""
