"""The content API: HTTP in, JSON out, no rules of its own."""
