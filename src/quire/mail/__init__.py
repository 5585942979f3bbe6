"""Mails: messages, templates, senders."""
