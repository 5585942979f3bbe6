"""Signing in through somebody else, by OAuth 2 or OpenID Connect.

`presets` knows where the usual providers are and how each says who somebody is; `flow` keeps what
has to be kept between two requests of a browser; `exchange` speaks with a provider; `identity`
checks what it has signed.
"""
