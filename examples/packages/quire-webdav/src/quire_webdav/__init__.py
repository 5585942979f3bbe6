"""Uploaded files of Quire on a WebDAV server."""
