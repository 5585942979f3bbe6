"""What can be done to documents: one action per file, each on a sequence of intents.

Every write, from wherever it comes, goes through one of these; nothing else touches rows.
"""
