"""System rows: a module for each table or group of tables that the server keeps for itself."""
