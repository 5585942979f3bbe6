"""Sign-in through providers: OAuth 2, OpenID Connect, OAuth 1.

`provider_presets` has the URLs and profile formats of known providers; `state` stores the state
between two requests of a browser; `oauth1` and `oauth2` are the clients; `http` sends the requests.
"""
