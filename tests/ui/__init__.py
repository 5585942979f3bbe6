"""The admin UI in a browser, with a server in a separate process."""
