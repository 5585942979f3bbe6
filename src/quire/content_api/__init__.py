"""The content API over HTTP; it contains no business rules."""
