"""The PostgreSQL dialect, driver and target."""
