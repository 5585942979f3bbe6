"""Errors of providers; their messages are logged and not sent to clients."""


class ProviderError(Exception):
    """A provider that does not say who somebody is."""


class IdentityError(ProviderError):
    """An ID token that proves nothing."""
