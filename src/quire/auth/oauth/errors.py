"""Errors of providers; their messages are logged and not sent to clients."""


class ProviderError(Exception):
    """A provider does not return a profile."""


class IdentityError(ProviderError):
    """An invalid ID token."""
