"""Work that goes on in the background of a server: queues in the database, and their workers."""
