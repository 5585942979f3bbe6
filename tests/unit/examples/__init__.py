"""The example projects."""
