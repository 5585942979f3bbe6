"""Unique slugs and a sitemap for content types of Quire."""
