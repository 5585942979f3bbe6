"""The file types that may be uploaded."""

from collections.abc import Iterable

from msgspec import Struct

from quire.errors import ValidationError
from quire.uploads.file_types import UNKNOWN, ZIP, type_of_extension
from quire.uploads.processing import RecognisedFile

_CONTRADICTION = "MIME type is not allowed"
_GROUPS = frozenset({"image", "video", "audio"})


class AllowedTypes(Struct, frozen=True, kw_only=True):
    """Allowed and denied types of files.

    Both contain types such as ``image/png``, groups such as ``image/*`` or ``image``, and ``file``
    for everything that is neither image, video nor audio. An empty ``allowed`` allows all.
    ``denied`` wins over ``allowed``.
    """

    allowed: tuple[str, ...] = ()
    denied: tuple[str, ...] = ()

    def check(self, file: RecognisedFile) -> None:
        """Check the type of a file: by its name, as declared, and by its bytes.

        Office documents and other archives with an extension of their own need not be allowed as
        archives, as in Strapi, but must not be denied. Raises ValidationError.
        """
        if not self._lets_in(file.mime):
            raise ValidationError(f"File type '{file.mime}' is not allowed")
        declared = file.incoming.declared.partition(";")[0].strip().lower()
        named_type = type_of_extension(file.ext)
        other_types = {named_type, declared or None}
        if file.sniffed_type != ZIP or named_type is None:
            other_types.add(file.sniffed_type)
        is_refused = any(not self._lets_in(type_) for type_ in self._specific_types(other_types))
        if is_refused or (file.sniffed_type is not None and self._is_denied(file.sniffed_type)):
            raise ValidationError(_CONTRADICTION)

    def _lets_in(self, type_: str) -> bool:
        if self._is_denied(type_):
            return False
        lower = type_.lower()
        return not self.allowed or any(_matches(pattern, lower) for pattern in self.allowed)

    def _is_denied(self, type_: str) -> bool:
        return any(_matches(pattern, type_.lower()) for pattern in self.denied)

    def _specific_types(self, types: Iterable[str | None]) -> list[str]:
        """Leave out unknown types, and a generic declared type."""
        return [type_ for type_ in types if type_ and type_ != UNKNOWN]


def _matches(pattern: str, type_: str) -> bool:
    lower = pattern.lower()
    group = type_.partition("/")[0]
    if lower in {"*", "*/*"}:
        return True
    if lower in {"file", "files"}:
        return group not in _GROUPS
    if "/" not in lower:
        return group == lower.removesuffix("s")
    return group == lower[:-2] if lower.endswith("/*") else type_ == lower
