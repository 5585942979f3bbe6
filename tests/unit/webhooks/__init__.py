"""Events, and their delivery to webhooks."""
