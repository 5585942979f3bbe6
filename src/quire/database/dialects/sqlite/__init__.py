"""The SQLite dialect, driver and target."""
