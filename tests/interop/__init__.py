"""Round trips with the reference: each server goes on with a database that the other wrote."""
