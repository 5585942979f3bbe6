"""Several writes in one request, all of them or none: ``POST /api/_batch``."""
