"""The routes by which administrators change content types and components."""
