"""The rows of the media library: files, folders, and what the library keeps in the core store."""
