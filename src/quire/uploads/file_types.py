"""Detects file types by name, declared type and content.

As in Strapi, the type that the content shows counts unless the extension of the name leads to
another one. Otherwise the type of the extension counts, and the declared one only without it.
"""

from collections.abc import Mapping
from importlib.resources import files
from types import MappingProxyType

HEAD = 4100
"""How many bytes of a file are needed to detect its type."""

UNKNOWN = "application/octet-stream"
SVG = "image/svg+xml"
ZIP = "application/zip"


def _read_types() -> tuple[Mapping[str, str], Mapping[str, str]]:
    """Read the types of extensions and the usual extensions of types.

    The table is that of mime-db, which Strapi uses. Each line has a type and its extensions, the
    usual one first; an extension of several types leads to the last one.
    """
    types: dict[str, str] = {}
    extensions: dict[str, str] = {}
    text = files(__package__).joinpath("media_types.txt").read_text("utf-8")
    for line in text.splitlines():
        type_, *names = line.split()
        extensions[type_] = f".{names[0]}"
        types.update((f".{name}", type_) for name in names)
    return MappingProxyType(types), MappingProxyType(extensions)


_TYPE_BY_EXTENSION, _EXTENSION_BY_TYPE = _read_types()

_SIGNATURES: tuple[tuple[int, bytes, str], ...] = (
    (0, b"BM", "image/bmp"),
    (0, b"MZ", "application/x-msdownload"),
    (0, b"x\x01", "application/x-apple-diskimage"),
    (0, b"%!", "application/postscript"),
    (0, b"\x1f\x9d", "application/x-compress"),
    (0, b"\x1f\xa0", "application/x-compress"),
    (0, b"GIF8", "image/gif"),
    (0, b"\x1f\x8b\x08", "application/gzip"),
    (0, b"BZh", "application/x-bzip2"),
    (0, b"CWS", "application/x-shockwave-flash"),
    (0, b"FWS", "application/x-shockwave-flash"),
    (0, b"\xff\xd8\xff\xf7", "image/jls"),
    (0, b"\xff\xd8\xff", "image/jpeg"),
    (0, b"8BPS", "image/vnd.adobe.photoshop"),
    (0, b"FORM", "audio/aiff"),
    (0, b"icns", "image/icns"),
    (0, b"PK\x03\x04", ZIP),
    (0, b"PK\x05\x06", ZIP),
    (0, b"MThd", "audio/midi"),
    (0, b"wOFF\0\1\0\0", "font/woff"),
    (0, b"wOFFOTTO", "font/woff"),
    (0, b"wOF2\0\1\0\0", "font/woff2"),
    (0, b"wOF2OTTO", "font/woff2"),
    (0, b"\xd4\xc3\xb2\xa1", "application/vnd.tcpdump.pcap"),
    (0, b"fLaC", "audio/flac"),
    (0, b"%PDF", "application/pdf"),
    (0, b"\0asm", "application/wasm"),
    (0, b"II*\0", "image/tiff"),
    (0, b"MM\0*", "image/tiff"),
    (0, b"SQLi", "application/x-sqlite3"),
    (0, b"Cr24", "application/x-google-chrome-extension"),
    (0, b"MSCF", "application/vnd.ms-cab-compressed"),
    (0, b"\xed\xab\xee\xdb", "application/x-rpm"),
    (0, b"\x28\xb5\x2f\xfd", "application/zstd"),
    (0, b"\x7fELF", "application/x-elf"),
    (0, b"PAR1", "application/vnd.apache.parquet"),
    (0, b"ttcf", "font/collection"),
    (0, b"\xce\xfa\xed\xfe", "application/x-mach-binary"),
    (0, b"\xcf\xfa\xed\xfe", "application/x-mach-binary"),
    (0, b"\x04\x22\x4d\x18", "application/x-lz4"),
    (0, b"OTTO\0", "font/otf"),
    (0, b"#!AMR", "audio/amr"),
    (0, b"{\\rtf", "application/rtf"),
    (0, b"FLV\x01", "video/x-flv"),
    (0, b"\0\0\x01\xba\x44", "video/MP2P"),
    (0, b"\xca\xfe\xba\xbe\0\0", "application/java-vm"),
    (0, b"\xfd7zXZ\0", "application/x-xz"),
    (0, b"7z\xbc\xaf'\x1c", "application/x-7z-compressed"),
    (0, b"Rar!\x1a\x07", "application/x-rar-compressed"),
    (0, b"solid ", "model/stl"),
    (0, b"BLENDER", "application/x-blender"),
    (0, b"!<arch>\ndebian-binary", "application/x-deb"),
    (0, b"!<arch>", "application/x-unix-archive"),
    (0, b"WEBVTT\n", "text/vtt"),
    (0, b"WEBVTT\r", "text/vtt"),
    (0, b"WEBVTT ", "text/vtt"),
    (0, b"\x89PNG\r\n\x1a\n", "image/png"),
    (0, b"glTF\x02\0\0\0", "model/gltf-binary"),
    (4, b"free", "video/quicktime"),
    (4, b"mdat", "video/quicktime"),
    (4, b"moov", "video/quicktime"),
    (4, b"wide", "video/quicktime"),
    (0, b"gimp xcf ", "image/x-xcf"),
    (0, b"0&\xb2u\x8ef\xcf\x11\xa6\xd9", "application/vnd.ms-asf"),
    (0, b"\0\0\0\x0cjP  \r\n\x87\n", "image/jp2"),
    (0, b"\xff\x0a", "image/jxl"),
    (0, b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1", "application/x-cfb"),
    (0, b"BEGIN:VCARD", "text/vcard"),
    (0, b"BEGIN:VCALENDAR", "text/calendar"),
    (128, b"DICM", "application/dicom"),
    (257, b"ustar\0", "application/x-tar"),
    (257, b"ustar ", "application/x-tar"),
    (0, b"-----BEGIN PGP MESSAGE-----", "application/pgp-encrypted"),
    (0, b"\0\0\x01\xba", "video/mpeg"),
    (0, b"\0\0\x01\xb3", "video/mpeg"),
    (0, b"\0\1\0\0\0", "font/ttf"),
    (0, b"\0\0\1\0", "image/x-icon"),
    (0, b"\0\0\2\0", "image/x-icon"),
)
_RIFF_TYPES: Mapping[bytes, str] = MappingProxyType(
    {b"WEBP": "image/webp", b"WAVE": "audio/wav", b"AVI ": "video/vnd.avi"}
)
_OGG_TYPES: Mapping[bytes, str] = MappingProxyType(
    {
        b"OpusHead": "audio/ogg; codecs=opus",
        b"\x80theora": "video/ogg",
        b"\x01video\0": "video/ogg",
        b"\x7fFLAC": "audio/ogg",
        b"Speex  ": "audio/ogg",
        b"\x01vorbis": "audio/ogg",
    }
)
_BRANDS: Mapping[bytes, str] = MappingProxyType(
    {
        b"avif": "image/avif",
        b"avis": "image/avif",
        b"heic": "image/heic",
        b"heix": "image/heic",
        b"hevc": "image/heic",
        b"mif1": "image/heic",
        b"qt  ": "video/quicktime",
        b"M4V ": "video/x-m4v",
        b"M4VH": "video/x-m4v",
        b"M4VP": "video/x-m4v",
        b"M4A ": "audio/x-m4a",
        b"M4B ": "audio/mp4",
        b"F4A ": "audio/mp4",
        b"F4B ": "audio/mp4",
        b"crx ": "image/x-canon-cr3",
    }
)
_MATROSKA_TYPES: Mapping[bytes, str] = MappingProxyType(
    {b"webm": "video/webm", b"matroska": "video/matroska"}
)
_BYTE_ORDER_MARK = b"\xef\xbb\xbf"
_ID3_HEADER = 10


def sniff(head: bytes) -> str | None:
    """Return the type that the first bytes of a file show, ``None`` if they show none."""
    return SVG if is_svg(head) else _signed_type(head)


def is_svg(head: bytes) -> bool:
    """Tell whether a file begins like an SVG."""
    text = head.removeprefix(_BYTE_ORDER_MARK).lstrip()
    return text.startswith(b"<") and b"<svg" in text[:1000].lower() and b"\0" not in text


def _signed_type(head: bytes) -> str | None:
    """Return the type whose signature a file has; text, also SVG, has none but that of XML."""
    head = head.removeprefix(_BYTE_ORDER_MARK)
    if head[4:8] == b"ftyp":
        brand = head[8:12]
        if brand.startswith(b"3g"):
            return "video/3gpp2" if brand.startswith(b"3g2") else "video/3gpp"
        return _BRANDS.get(brand, "video/mp4")
    if head.startswith(b"RIFF"):
        return _RIFF_TYPES.get(head[8:12])
    if head.startswith(b"OggS"):
        codecs = (type_ for name, type_ in _OGG_TYPES.items() if head.startswith(name, 28))
        return next(codecs, "application/ogg")
    if head.startswith(b"\x1a\x45\xdf\xa3"):
        return next((type_ for name, type_ in _MATROSKA_TYPES.items() if name in head[:64]), None)
    if head.startswith(b"ID3"):
        return _type_after_id3(head)
    for offset, signature, type_ in _SIGNATURES:
        if head.startswith(signature, offset):
            return type_
    if head[:1] == b"\x47" and head[188:189] == b"\x47":
        return "video/mp2t"
    return "application/xml" if head.startswith(b"<?xml ") else _mpeg_audio(head)


def _type_after_id3(head: bytes) -> str | None:
    """Return the type of a file with an ID3 tag, which is MP3 if the tag fills all of ``head``."""
    size = 0
    for byte in head[_ID3_HEADER - 4 : _ID3_HEADER]:
        size = size << 7 | byte & 0x7F
    rest = head[_ID3_HEADER + size :]
    return _signed_type(rest) if rest else "audio/mpeg"


def _mpeg_audio(head: bytes) -> str | None:
    """Return the type of an MPEG audio stream, which begins with eleven bits that are set."""
    if len(head) < 2 or head[0] != 0xFF or head[1] & 0xE0 != 0xE0:
        return None
    layer = head[1] & 0x06
    if layer:
        return "audio/mpeg"
    return "audio/aac" if head[1] & 0x10 else None


def type_of(ext: str, declared: str, head: bytes) -> str:
    """Return the type of a file by its extension, its declared type and its first bytes."""
    stated = declared.partition(";")[0].strip()
    named_type = type_of_extension(ext)
    is_generic = not stated or stated.lower() == UNKNOWN
    # SVG has no signature: what is declared to be a text or a page stays one.
    content_type = sniff(head) if is_generic else _signed_type(head)
    if not is_generic and named_type == stated.lower():
        return stated
    if content_type is not None and (is_generic or named_type is None):
        # Office documents are archives.
        return named_type if content_type == ZIP and named_type is not None else content_type
    return named_type or stated or UNKNOWN


def type_of_extension(ext: str) -> str | None:
    """Return the type of an extension (with its dot), ``None`` for unknown ones."""
    return _TYPE_BY_EXTENSION.get(ext.lower())


def extension_of_type(type_: str) -> str:
    """Return the usual extension of a type, empty for types without one."""
    return _EXTENSION_BY_TYPE.get(type_.lower(), "")
