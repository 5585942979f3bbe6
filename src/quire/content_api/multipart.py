"""Parses ``multipart/form-data`` into nested fields.

Files are for the media library; other routes skip them and use the fields.
"""

from collections.abc import Callable
from urllib.parse import quote

from python_multipart.exceptions import FormParserError
from python_multipart.multipart import MultipartParser, parse_options_header

from quire.content_api.http_messages import AsgiReceive
from quire.errors import BadRequestError, PayloadTooLargeError
from quire.query.querystring import QueryValue, parse

Take = Callable[[bytes], None]
"""Takes a piece of a file."""

_MALFORMED = "the multipart body cannot be read"
_MAX_PARTS = 1000
_UNNAMED = b"unamed"
"""Name of a file that is sent without ``filename``; spelled as in Strapi."""


async def read_form(content_type: bytes, receive: AsgiReceive, limit: int) -> object:
    """Return the text parts of a form, nested by their names; ``None`` for an empty body.

    ``limit`` is the maximum number of bytes of text; invalid UTF-8 in it becomes U+FFFD. Raises
    BadRequestError for a body that is not a form, PayloadTooLargeError for one with too much text
    or too many parts.
    """
    form = Form(limit)
    return form.nested() if await read_parts(form, content_type, receive) else None


async def read_parts(form: "Form", content_type: bytes, receive: AsgiReceive) -> bool:
    """Read a body into a form; tells whether there was one. Raises as `read_form` does."""
    _, options = parse_options_header(content_type)
    boundary = options.get(b"boundary")
    if not boundary:
        raise BadRequestError(_MALFORMED)
    received_bytes = 0
    try:
        parser = MultipartParser(boundary, form.callbacks())  # type: ignore[arg-type]  # by name
        has_more = True
        while has_more:
            message = await receive()
            if message["type"] != "http.request":
                raise BadRequestError(_MALFORMED)
            chunk = message.get("body", b"")
            received_bytes += len(chunk)
            parser.write(chunk)
            await form.settle()
            has_more = bool(message.get("more_body"))
        parser.finalize()
    except FormParserError:
        raise BadRequestError(_MALFORMED) from None
    if received_bytes and not form.ended:
        raise BadRequestError(_MALFORMED)
    return received_bytes > 0


class Form:
    """Collects the text parts of a form while it is parsed, as pairs of name and text.

    Subclasses may accept files: see `begin_file`.
    """

    def __init__(self, limit: int) -> None:
        """``limit`` is the maximum number of bytes of text."""
        self.fields: list[tuple[str, str]] = []
        self.ended = False
        self._parts = 0
        self._limit = limit
        self._size = 0
        self._header = b""
        self._value = b""
        self._headers: dict[bytes, bytes] = {}
        self._name: bytes | None = None
        self._text: list[bytes] = []
        self._take: Take | None = None

    def callbacks(self) -> dict[str, object]:
        """Return the callbacks of the parser."""
        return {
            "on_part_begin": self._begin,
            "on_header_field": self._on_field,
            "on_header_value": self._on_value,
            "on_header_end": self._on_header_end,
            "on_headers_finished": self._on_headers,
            "on_part_data": self._on_data,
            "on_part_end": self._end,
            "on_end": self._finish,
        }

    def nested(self) -> dict[str, QueryValue]:
        """Return the text parts, nested by the brackets in their names."""
        return parse(
            "&".join(f"{quote(name, safe='[]')}={quote(text)}" for name, text in self.fields)
        )

    async def settle(self) -> None:
        """Await pending work, after each piece of the body."""

    def begin_file(self, name: str, filename: str, type_: str) -> "Take | None":  # noqa: ARG002
        """Return the receiver of the bytes of a file; here they are skipped."""
        return None

    def end_file(self) -> None:
        """Called when the current file is complete."""

    def _begin(self) -> None:
        self._parts += 1
        if self._parts > _MAX_PARTS:
            raise PayloadTooLargeError
        self._headers, self._name, self._text, self._take = {}, None, [], None

    def _on_field(self, data: bytes, start: int, end: int) -> None:
        self._header += data[start:end]

    def _on_value(self, data: bytes, start: int, end: int) -> None:
        self._value += data[start:end]

    def _on_header_end(self) -> None:
        self._headers[self._header.lower()] = self._value
        self._header = self._value = b""

    def _on_headers(self) -> None:
        _, options = parse_options_header(self._headers.get(b"content-disposition"))
        name, filename = options.get(b"name", b""), options.get(b"filename", _UNNAMED)
        if b"content-type" in self._headers:
            self._take = self.begin_file(
                name.decode(errors="replace"),
                filename.decode(errors="replace"),
                self._headers[b"content-type"].decode("latin-1").strip(),
            )
        if self._take is None and b"filename" not in options:
            self._name = options.get(b"name")

    def _on_data(self, data: bytes, start: int, end: int) -> None:
        if self._take is not None:
            self._take(data[start:end])
            return
        if self._name is None:
            return
        self._size += end - start
        if self._size > self._limit:
            raise PayloadTooLargeError
        self._text.append(data[start:end])

    def _end(self) -> None:
        if self._take is not None:
            self.end_file()
        elif self._name is not None:
            text = b"".join(self._text).decode(errors="replace")
            self.fields.append((self._name.decode(errors="replace"), text))

    def _finish(self) -> None:
        self.ended = True
