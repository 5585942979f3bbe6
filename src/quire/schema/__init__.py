"""What content looks like: content types, components and their attributes, loaded and frozen."""
