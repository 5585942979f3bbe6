"""Changes the schema files of a project, and lets its tables and its servers follow."""
