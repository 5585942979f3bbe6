"""The media library for administrators: files, folders, what is done to many, and its options."""
