"""Code of a project that is evaluated request by request, once it is known to be understood."""
