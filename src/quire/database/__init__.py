"""Tables, SQL, dialects and drivers; no other package knows them."""
