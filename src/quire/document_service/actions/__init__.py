"""The actions on documents: one module each, for a sequence of commands.

Every write goes through one of these; nothing else writes rows of content.
"""
