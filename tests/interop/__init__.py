"""Round trips with the reference: each server uses a database that the other wrote."""
