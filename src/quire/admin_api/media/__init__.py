"""The media library over HTTP: files, folders, bulk actions, settings."""
