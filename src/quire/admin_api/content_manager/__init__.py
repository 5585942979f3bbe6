"""The content manager over HTTP: what the screens for content, and tools like them, stand on."""
