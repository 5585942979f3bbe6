"""One package per database, with all its differences."""
