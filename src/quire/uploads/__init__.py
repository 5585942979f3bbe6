"""The media library: files, images in several sizes, folders.

This package does not know HTTP. Callers check permissions first.
"""
