"""Sign-in through providers: OAuth 2, OpenID Connect, OAuth 1.

`presets` knows where the usual providers are and how each says who somebody is; `flow` keeps what
has to be kept between two requests of a browser; `exchange` speaks with a provider; `identity`
checks what it has signed.
"""
