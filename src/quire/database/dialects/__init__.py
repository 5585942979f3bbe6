"""One folder per database: whatever differs from one to the next."""
