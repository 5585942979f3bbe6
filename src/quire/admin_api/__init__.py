"""The admin API: HTTP in, JSON out, for those who administer and edit."""
