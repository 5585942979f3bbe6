"""From the tables that a database has to those that a changed schema wants, with nothing lost."""
