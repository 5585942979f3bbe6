"""Events after a commit, and their delivery to webhooks."""
