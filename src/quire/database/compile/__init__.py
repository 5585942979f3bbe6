"""Read plans as SQL: statements, conditions, joins, union queries and two-phase pages."""
