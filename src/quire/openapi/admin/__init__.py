"""The admin API described: its routes by resource, and the document of them."""
