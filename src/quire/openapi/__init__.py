"""OpenAPI documents, built on request from the schema and descriptions of routes.

Nobody imports this room at the start of a server: a document is made at the first request for it.
What both APIs need is in `schemas`, `operations` and `document`; `models` and `queries` describe
what a schema says of documents, and `content` the routes of the content API.
"""
