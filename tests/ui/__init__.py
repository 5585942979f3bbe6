"""The admin UI in a browser, on a server that runs as a process of its own."""
