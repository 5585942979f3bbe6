"""Detection of file types, as in the reference."""

import pytest

from quire.uploads.file_types import UNKNOWN, extension_of_type, is_svg, sniff, type_of

DOCX = "application/vnd.openxmlformats-officedocument.wordprocessingml.document"
PNG = b"\x89PNG\r\n\x1a\n" + bytes(20)


@pytest.mark.parametrize(
    ("ext", "declared", "head", "expected"),
    [
        (".png", "text/plain", PNG, "image/png"),
        (".jpg", "image/png", PNG, "image/jpeg"),
        (".txt", "image/png", PNG, "text/plain"),
        (".png", UNKNOWN, PNG, "image/png"),
        (".png", UNKNOWN, b"MZ", "application/x-msdownload"),
        (".exe", "image/png", b"MZ", "application/x-msdos-program"),
        (".txt", UNKNOWN, b"hello", "text/plain"),
        ("", UNKNOWN, b"hello", UNKNOWN),
        ("", "", b"hello", UNKNOWN),
        ("", "text/plain", b"hello", "text/plain"),
        (".bin", UNKNOWN, b"\0\0\0\x18ftypmp42", "video/mp4"),
        (".x", "weird/type", b"hello", "weird/type"),
        (".x", "weird/type; a=b", b"hello", "weird/type"),
        (".x", "weird/type", PNG, "image/png"),
        ("", "text/plain", PNG, "image/png"),
        ("", "text/plain", b"<svg/>", "text/plain"),
        (".docx", UNKNOWN, b"PK\x03\x04", DOCX),
        (".x", UNKNOWN, b"PK\x03\x04", "application/zip"),
        (".doc", UNKNOWN, b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1", "application/x-cfb"),
        (".pages", UNKNOWN, b"hello", "application/vnd.apple.pages"),
        (".wmv", UNKNOWN, b"hello", "video/x-ms-wmv"),
        (".3gp", "x/y", b"hello", "video/3gpp"),
        (".py", UNKNOWN, b"hello", UNKNOWN),
        (".PNG", "IMAGE/PNG", PNG, "IMAGE/PNG"),
        (".svg", UNKNOWN, b"<svg/>", "image/svg+xml"),
        (".md", UNKNOWN, b"# x", "text/markdown"),
        (".gz", "x/y", b"", "application/gzip"),
    ],
)
def test_names_tell_more_than_declarations_and_less_than_silence(
    ext: str, declared: str, head: bytes, expected: str
) -> None:
    assert type_of(ext, declared, head) == expected


@pytest.mark.parametrize(
    ("head", "expected"),
    [
        (b"RIFF\0\0\0\0WEBPVP8 ", "image/webp"),
        (b"RIFF\0\0\0\0WAVEfmt ", "audio/wav"),
        (b"JUNK\0\0\0\0WEBP", None),
        (b"\0\0\0\x1cftypavif", "image/avif"),
        (b"\0\0\0\x1cftypheic", "image/heic"),
        (b"%PDF-1.4", "application/pdf"),
        (b"PK\x03\x04", "application/zip"),
        (b'<?xml version="1.0"?><a/>', "application/xml"),
        (b'\xef\xbb\xbf<?xml version="1.0"?><svg/>', "image/svg+xml"),
        (b"OggS" + bytes(24) + b"OpusHead", "audio/ogg; codecs=opus"),
        (b"OggS" + bytes(40), "application/ogg"),
        (b"ID3\x03\0\0\0\0\0\x02\0\0fLaC", "audio/flac"),
        (b"ID3\x03\0\0\0\0\x7f\x7f" + bytes(50), "audio/mpeg"),
        (b"\xff\xfb\x90\x64", "audio/mpeg"),
        (b"\xff\xf1\x50\x80", "audio/aac"),
        (b"\x1a\x45\xdf\xa3\x9f\x42\x82\x88matroska", "video/matroska"),
        (b"\0\0\0\x18ftyp3gp4", "video/3gpp"),
        (bytes(257) + b"ustar\0", "application/x-tar"),
        (b"\x47" + bytes(187) + b"\x47", "video/mp2t"),
        (b"plain text", None),
        (b"", None),
    ],
)
def test_first_bytes_tell_the_type(head: bytes, expected: str | None) -> None:
    assert sniff(head) == expected


def test_a_page_that_holds_a_picture_late_is_no_picture() -> None:
    assert not is_svg(b"<html>" + b" " * 2000 + b"<svg/>")


@pytest.mark.parametrize(
    ("type_", "expected"),
    [
        ("image/jpeg", ".jpeg"),
        ("text/plain", ".txt"),
        (UNKNOWN, ".bin"),
        ("image/webp", ".webp"),
        ("video/mp4", ".mp4"),
        ("nothing/known", ""),
    ],
)
def test_files_without_an_extension_get_that_of_their_type(type_: str, expected: str) -> None:
    assert extension_of_type(type_) == expected
