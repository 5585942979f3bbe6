"""OpenAPI documents, built on request from the schema and descriptions of routes.

This package is not imported at the start of a server: a document is built at the first request for
it. `schemas`, `operations` and `document` serve both APIs; `models` and `queries` describe content
types, and `content` the routes of the content API.
"""
