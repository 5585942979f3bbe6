"""Mails: what one is, how its text is filled in, and who takes it. Knows no accounts."""
