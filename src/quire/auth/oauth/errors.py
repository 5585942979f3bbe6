"""What can go wrong with a provider; messages are for the log, and not for clients."""


class ExchangeError(Exception):
    """A provider that does not say who somebody is."""


class IdentityError(ExchangeError):
    """An ID token that proves nothing."""
