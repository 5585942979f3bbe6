"""Finding rows that contradict one another or the schema, and mending them."""
