"""Authentication: credentials, sessions, accounts, roles, rate limits."""
