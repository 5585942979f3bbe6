"""The file types that may be uploaded."""

from collections.abc import Iterable

from msgspec import Struct

from quire.errors import ApplicationError
from quire.uploads.processing import RecognisedFile
from quire.uploads.types import type_of_extension

_CONTRADICTION = "MIME type is not allowed"
_GROUPS = frozenset({"image", "video", "audio"})


class AllowedTypes(Struct, frozen=True, kw_only=True):
    """Types of files that may come in, and those that may not.

    Both hold types such as ``image/png``, groups such as ``image/*`` or ``image``, and ``file`` for
    everything that is neither picture, film nor sound. Nothing ``allowed`` allows all. What is
    ``denied`` is not let in even if it is allowed.
    """

    allowed: tuple[str, ...] = ()
    denied: tuple[str, ...] = ()

    def check(self, file: RecognisedFile) -> None:
        """Refuse a file whose type is not let in: by its name, as declared, or by its bytes.

        Raises ApplicationError.
        """
        if not self._lets_in(file.mime):
            raise ApplicationError(f"File type '{file.mime}' is not allowed")
        declared = file.incoming.declared.partition(";")[0].strip().lower()
        others = {file.told, type_of_extension(file.ext), declared or None} - {None}
        if any(not self._lets_in(str(type_)) for type_ in self._telling(others)):
            raise ApplicationError(_CONTRADICTION)

    def _lets_in(self, type_: str) -> bool:
        lower = type_.lower()
        if any(_matches(pattern, lower) for pattern in self.denied):
            return False
        return not self.allowed or any(_matches(pattern, lower) for pattern in self.allowed)

    def _telling(self, types: Iterable[str | None]) -> list[str]:
        """Leave out the declared type that says nothing."""
        return [type_ for type_ in types if type_ and type_ != "application/octet-stream"]


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
