"""The actions on documents: one function for each command.

`quire.document_service.service` alone calls them; nothing else writes rows of content.
"""
