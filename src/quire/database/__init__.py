"""The only package that knows tables, SQL, dialects and drivers."""
