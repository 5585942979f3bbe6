"""What can go wrong with a provider; messages are for the log, and not for clients."""


class ProviderError(Exception):
    """A provider that does not say who somebody is."""


class IdentityError(ProviderError):
    """An ID token that proves nothing."""
