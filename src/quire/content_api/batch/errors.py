"""Adds the position of an operation to its errors."""

from collections.abc import Mapping

from quire.errors import AppError


class OperationErrors:
    """Says, in errors raised inside, which operation they are about."""

    def __init__(self, index: int) -> None:
        self._index = index

    def __enter__(self) -> None:
        """Nothing is done until something fails."""

    def __exit__(self, _: object, error: BaseException | None, __: object) -> None:
        """Put the operation before the path of the error, and leave it on its way."""
        if isinstance(error, AppError):
            error.details = _placed(error.details or {}, self._index)


def _placed(details: Mapping[str, object], index: int) -> dict[str, object]:
    place = ["operations", str(index)]
    placed: dict[str, object] = {**details, "operation": index}
    errors = details.get("errors")
    if isinstance(errors, list):
        placed["errors"] = [{**e, "path": [*place, "data", *e.get("path", ())]} for e in errors]
    if "key" in details:
        path = details.get("path")
        inside = "data" if details.get("source") == "body" else None
        parts = [*place, inside, path if isinstance(path, str) else None]
        placed["path"] = ".".join(part for part in parts if part)
    return placed
