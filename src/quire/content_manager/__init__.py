"""Content as administrators manage it: lists, forms, writes, history."""
