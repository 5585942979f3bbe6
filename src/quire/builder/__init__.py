"""Changes the content types of a running project: schema files, tables, servers."""
