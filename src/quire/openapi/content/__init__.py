"""The routes of the content API, described: a module for each resource."""
