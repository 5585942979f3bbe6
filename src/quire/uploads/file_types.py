"""Detects file types by name, declared type and content.

As in Strapi, generic declared types are replaced by the type of the content, all others by that of
the name's extension.
"""

from collections.abc import Mapping
from mimetypes import MimeTypes
from types import MappingProxyType

HEAD = 4100
"""How many bytes of a file are needed to detect its type."""

UNKNOWN = "application/octet-stream"
SVG = "image/svg+xml"

_MIME_TYPES = MimeTypes()
"""Python's own table of types, without the types that this machine adds."""

_TYPE_BY_EXTENSION: Mapping[str, str] = MappingProxyType(
    {
        ".7z": "application/x-7z-compressed",
        ".aac": "audio/x-aac",
        ".apk": "application/vnd.android.package-archive",
        ".avif": "image/avif",
        ".bz2": "application/x-bzip2",
        ".docx": "application/vnd.openxmlformats-officedocument.wordprocessingml.document",
        ".epub": "application/epub+zip",
        ".exe": "application/x-msdos-program",
        ".flac": "audio/x-flac",
        ".geojson": "application/geo+json",
        ".glb": "model/gltf-binary",
        ".gltf": "model/gltf+json",
        ".gpx": "application/gpx+xml",
        ".gz": "application/gzip",
        ".heic": "image/heic",
        ".heif": "image/heif",
        ".ics": "text/calendar",
        ".jsonld": "application/ld+json",
        ".kml": "application/vnd.google-earth.kml+xml",
        ".log": "text/plain",
        ".m4a": "audio/mp4",
        ".m4v": "video/x-m4v",
        ".markdown": "text/markdown",
        ".md": "text/markdown",
        ".mid": "audio/midi",
        ".mkv": "video/x-matroska",
        ".odp": "application/vnd.oasis.opendocument.presentation",
        ".ods": "application/vnd.oasis.opendocument.spreadsheet",
        ".odt": "application/vnd.oasis.opendocument.text",
        ".oga": "audio/ogg",
        ".ogg": "audio/ogg",
        ".ogv": "video/ogg",
        ".opus": "audio/ogg",
        ".otf": "font/otf",
        ".pptx": "application/vnd.openxmlformats-officedocument.presentationml.presentation",
        ".psd": "image/vnd.adobe.photoshop",
        ".rar": "application/vnd.rar",
        ".rtf": "application/rtf",
        ".stl": "model/stl",
        ".toml": "application/toml",
        ".ttf": "font/ttf",
        ".wav": "audio/wave",
        ".weba": "audio/webm",
        ".webp": "image/webp",
        ".woff": "font/woff",
        ".woff2": "font/woff2",
        ".xhtml": "application/xhtml+xml",
        ".xlsx": "application/vnd.openxmlformats-officedocument.spreadsheetml.sheet",
        ".xml": "application/xml",
        ".xz": "application/x-xz",
        ".yaml": "text/yaml",
        ".yml": "text/yaml",
    }
)

_EXTENSIONS: Mapping[str, str] = MappingProxyType(
    {
        "audio/mpeg": ".mpga",
        "audio/wav": ".wav",
        "image/jpeg": ".jpeg",
        "image/tiff": ".tif",
        "image/x-icon": ".ico",
        "text/html": ".html",
        "text/markdown": ".markdown",
        "text/plain": ".txt",
        "text/xml": ".xml",
        UNKNOWN: ".bin",
    }
)
"""The usual extensions of types with several, or with none in the table of names."""

_SIGNATURES: tuple[tuple[int, bytes, str], ...] = (
    (0, b"\x89PNG\r\n\x1a\n", "image/png"),
    (0, b"\xff\xd8\xff", "image/jpeg"),
    (0, b"GIF8", "image/gif"),
    (8, b"WEBP", "image/webp"),
    (0, b"II*\0", "image/tiff"),
    (0, b"MM\0*", "image/tiff"),
    (0, b"BM", "image/bmp"),
    (0, b"\0\0\1\0", "image/x-icon"),
    (0, b"8BPS", "image/vnd.adobe.photoshop"),
    (0, b"%PDF", "application/pdf"),
    (0, b"%!PS", "application/postscript"),
    (0, b"{\\rtf", "application/rtf"),
    (0, b"PK\x03\x04", "application/zip"),
    (0, b"7z\xbc\xaf'\x1c", "application/x-7z-compressed"),
    (0, b"Rar!\x1a\x07", "application/x-rar-compressed"),
    (0, b"\x1f\x8b\x08", "application/gzip"),
    (0, b"BZh", "application/x-bzip2"),
    (0, b"\xfd7zXZ\0", "application/x-xz"),
    (0, b"MZ", "application/x-msdownload"),
    (0, b"\x7fELF", "application/x-elf"),
    (0, b"\0asm", "application/wasm"),
    (0, b"SQLite format 3\0", "application/x-sqlite3"),
    (0, b"wOFF", "font/woff"),
    (0, b"wOF2", "font/woff2"),
    (0, b"fLaC", "audio/flac"),
    (0, b"OggS", "audio/ogg"),
    (8, b"WAVE", "audio/wav"),
    (8, b"AVI ", "video/vnd.avi"),
    (0, b"\xff\xfb", "audio/mpeg"),
    (0, b"\x1a\x45\xdf\xa3", "video/webm"),
)
_RIFF_TYPES = frozenset({"image/webp", "audio/wav", "video/vnd.avi"})
_BRANDS: Mapping[bytes, str] = MappingProxyType(
    {
        b"avif": "image/avif",
        b"avis": "image/avif",
        b"heic": "image/heic",
        b"heix": "image/heic",
        b"hevc": "image/heic",
        b"mif1": "image/heic",
        b"qt  ": "video/quicktime",
        b"M4A ": "audio/x-m4a",
    }
)
_MATROSKA = b"matroska"
_MARKUP = (b"\xef\xbb\xbf", b" ", b"\t", b"\r", b"\n")


def sniff(head: bytes) -> str | None:
    """Return the type that the first bytes of a file show, ``None`` if they show none."""
    if head[4:8] == b"ftyp":
        return _BRANDS.get(head[8:12], "video/mp4")
    for offset, signature, type_ in _SIGNATURES:
        if head.startswith(signature, offset):
            if type_ in _RIFF_TYPES and not head.startswith(b"RIFF"):
                continue
            return "video/x-matroska" if type_ == "video/webm" and _MATROSKA in head else type_
    if is_svg(head):
        return SVG
    return "application/xml" if _markup(head).startswith(b"<?xml") else None


def is_svg(head: bytes) -> bool:
    """Tell whether a file begins like an SVG."""
    text = _markup(head)
    return text.startswith(b"<") and b"<svg" in text[:1000].lower() and b"\0" not in text


def _markup(head: bytes) -> bytes:
    for lead in _MARKUP:
        head = head.removeprefix(lead)
    return head.lstrip()


def type_of(ext: str, declared: str, head: bytes) -> str:
    """Return the declared type of a file."""
    stated = declared.partition(";")[0].strip()
    named_type = type_of_extension(ext)
    if not stated or stated.lower() == UNKNOWN:
        return sniff(head) or named_type or UNKNOWN
    if named_type is None or named_type == stated.lower():
        return stated
    return named_type


def type_of_extension(ext: str) -> str | None:
    """Return the type of an extension (with its dot), ``None`` for unknown ones."""
    lower = ext.lower()
    media_type = _TYPE_BY_EXTENSION.get(lower)
    if media_type is not None or not lower.strip("."):
        return media_type
    guessed, encoding = _MIME_TYPES.guess_type(f"x{lower}", strict=True)
    return None if encoding else guessed


def extension_of_type(type_: str) -> str:
    """Return the usual extension of a type, empty for types without one."""
    lower = type_.lower()
    if lower in _EXTENSIONS:
        return _EXTENSIONS[lower]
    by_table = next(
        (ext for ext, media_type in _TYPE_BY_EXTENSION.items() if media_type == lower), None
    )
    return by_table or _MIME_TYPES.guess_extension(lower) or ""
