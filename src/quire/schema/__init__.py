"""Content types, components and attributes, loaded and frozen."""
