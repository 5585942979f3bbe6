"""The content-type builder over HTTP."""
