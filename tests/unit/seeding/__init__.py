"""Content files and the rows that they become."""
