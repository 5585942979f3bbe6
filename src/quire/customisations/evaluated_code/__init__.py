"""Code of a project that is evaluated for each request, if it is understood completely."""
