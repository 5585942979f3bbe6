"""Python code of projects: loaded, checked, and called when documents are written."""
