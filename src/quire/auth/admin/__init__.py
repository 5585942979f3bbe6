"""Administrators: accounts, sign-in, roles and permissions."""
