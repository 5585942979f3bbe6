"""The only room that knows tables, SQL, dialects and drivers."""
