"""The tables of a schema: names, metadata, DDL, indexes, inspection and initial rows."""
