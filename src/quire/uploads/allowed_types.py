"""The file types that may be uploaded."""

import re
from collections.abc import Iterator

from msgspec import Struct

from quire.errors import ValidationError
from quire.uploads.file_types import SVG, UNKNOWN, ZIP, type_of_extension
from quire.uploads.processing import RecognisedFile

_CONTRADICTION = "MIME type is not allowed"
_GROUPS = frozenset({"image", "video", "audio"})


class AllowedTypes(Struct, frozen=True, kw_only=True):
    """Allowed and denied types of files.

    Both contain types such as ``image/png``, patterns such as ``image/*``, groups such as
    ``image``, and ``file`` for everything that is neither image, video nor audio. ``allowed`` is
    ``None`` if all types are allowed. ``denied`` wins over ``allowed``.
    """

    allowed: tuple[str, ...] | None = None
    denied: tuple[str, ...] = ()

    def check(self, file: RecognisedFile) -> None:
        """Check the type of a file. Raises ValidationError.

        As in Strapi, neither the declared type nor those of the name and of the bytes may be
        denied. The type of the file must be allowed, and so must that of its bytes; only Office
        documents, and others with an extension of their own, need not be allowed as archives.
        """
        for type_ in _types(file):
            if _is_listed(type_, self.denied):
                raise ValidationError(f"File type '{type_}' is not allowed")
        if self.allowed is None:
            return
        if not self.allowed or not self._allows_bytes(file, self.allowed):
            raise ValidationError(_CONTRADICTION)
        if not _is_listed(file.mime, self.allowed):
            raise ValidationError(f"File type '{file.mime}' is not allowed")

    def _allows_bytes(self, file: RecognisedFile, allowed: tuple[str, ...]) -> bool:
        """Tell whether the type that the bytes show is allowed.

        SVG has no signature, so its extension or declared type counts.
        """
        sniffed_type = file.sniffed_type
        named_type = type_of_extension(file.ext)
        is_confirmed = sniffed_type == named_type == _declared_type(file).lower()
        if sniffed_type is None or sniffed_type == SVG or is_confirmed:
            return True
        if sniffed_type == ZIP and named_type is not None and _is_listed(named_type, allowed):
            return True
        return _is_listed(sniffed_type, allowed)


def _declared_type(file: RecognisedFile) -> str:
    return file.incoming.declared.partition(";")[0].strip()


def _types(file: RecognisedFile) -> Iterator[str]:
    """Yield the types of a file: the declared one, those of its name and of its bytes."""
    declared_type = _declared_type(file)
    if declared_type and declared_type.lower() != UNKNOWN:
        yield declared_type
    named_type = type_of_extension(file.ext)
    if named_type is not None:
        yield named_type
    if file.sniffed_type is not None:
        yield file.sniffed_type
    yield file.mime


def _is_listed(type_: str, patterns: tuple[str, ...]) -> bool:
    return any(_matches(pattern.lower(), type_.lower()) for pattern in patterns)


def _matches(pattern: str, type_: str) -> bool:
    group = type_.partition("/")[0]
    if "*" in pattern:
        parts = (re.escape(part) for part in pattern.split("*"))
        return re.fullmatch(".*".join(parts), type_) is not None
    if pattern in {"file", "files"}:
        return group not in _GROUPS
    if "/" not in pattern:
        return group == pattern.removesuffix("s")
    return type_ == pattern
