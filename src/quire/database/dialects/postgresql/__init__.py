"""PostgreSQL: everything that is true of it alone."""
