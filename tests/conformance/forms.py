"""Recorded forms as bodies: text fields first, then files, in their recorded order."""

from collections.abc import Callable, Iterable, Sequence
from typing import Any, NamedTuple

BOUNDARY = "----recorded"
FORM_TYPE = f"multipart/form-data; boundary={BOUNDARY}"


class FilePart(NamedTuple):
    """A file in a form; ``None`` as type sends no type."""

    filename: str
    content: bytes
    type: str | None = "application/octet-stream"
    field: str = "files"


def form(files: Sequence[FilePart] = (), fields: Iterable[tuple[str, str]] = ()) -> bytes:
    """Write a form."""
    parts = [_field(name, text) for name, text in fields]
    parts += [_file(part) for part in files]
    return b"".join(parts) + f"--{BOUNDARY}--\r\n".encode()


def recorded_form(described: Any, asset: Callable[[str], bytes]) -> bytes:  # noqa: ANN401 - JSON
    """Write a form as a scenario describes it; ``asset`` gives files by their names."""
    files = [
        FilePart(
            file["filename"],
            asset(file["asset"]) if "asset" in file else file["text"].encode(),
            file["content_type"],
            file["field"],
        )
        for file in described.get("files", ())
    ]
    return form(files, described.get("fields", ()))


def _field(name: str, text: str) -> bytes:
    head = f'--{BOUNDARY}\r\nContent-Disposition: form-data; name="{name}"\r\n\r\n'
    return f"{head}{text}\r\n".encode()


def _file(part: FilePart) -> bytes:
    disposition = f'form-data; name="{part.field}"; filename="{part.filename}"'
    head = f"--{BOUNDARY}\r\nContent-Disposition: {disposition}\r\n"
    if part.type is not None:
        head += f"Content-Type: {part.type}\r\n"
    return head.encode() + b"\r\n" + part.content + b"\r\n"
