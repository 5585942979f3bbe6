"""Reads Strapi projects: schema, custom fields, database columns."""
