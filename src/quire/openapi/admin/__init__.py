"""The description of the admin API."""
