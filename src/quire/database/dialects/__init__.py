"""One package per database, with everything that differs."""
