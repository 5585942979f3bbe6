"""Full-text search in published documents of Quire, with SQLite."""
