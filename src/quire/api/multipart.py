"""Reading ``multipart/form-data``: its text parts become nested fields, as in other forms.

Files are for the media library; elsewhere they are read past, so that a form that happens to carry
one is answered for its fields.
"""

from urllib.parse import quote

from python_multipart.exceptions import FormParserError
from python_multipart.multipart import MultipartParser, parse_options_header

from quire.api.messages import AsgiReceive
from quire.errors import BadRequestError, PayloadTooLargeError
from quire.query.querystring import parse

_MALFORMED = "the multipart body cannot be read"
_MOST_PARTS = 1000


async def read_form(content_type: bytes, receive: AsgiReceive, limit: int) -> object:
    """Return the text parts of a form, nested as their names say; ``None`` for an empty body.

    ``limit`` is how many bytes of text there may be; what is no UTF-8 in it becomes U+FFFD. Raises
    BadRequestError for a body that is no such form, PayloadTooLargeError for one with too much
    text or too many parts.
    """
    _, options = parse_options_header(content_type)
    boundary = options.get(b"boundary")
    if not boundary:
        raise BadRequestError(_MALFORMED)
    form = _Form(limit)
    received = 0
    try:
        parser = MultipartParser(boundary, form.callbacks())  # type: ignore[arg-type]  # by name
        more = True
        while more:
            message = await receive()
            if message["type"] != "http.request":
                raise BadRequestError(_MALFORMED)
            chunk = message.get("body", b"")
            received += len(chunk)
            parser.write(chunk)
            more = bool(message.get("more_body"))
        parser.finalize()
    except FormParserError:
        raise BadRequestError(_MALFORMED) from None
    if not received:
        return None
    if not form.ended:
        raise BadRequestError(_MALFORMED)
    return parse("&".join(form.pairs))


class _Form:
    """Collects the text parts of a form while it is parsed."""

    def __init__(self, limit: int) -> None:
        self.pairs: list[str] = []
        self.ended = False
        self._limit = limit
        self._size = 0
        self._header = b""
        self._value = b""
        self._disposition = b""
        self._name: bytes | None = None
        self._text: list[bytes] = []

    def callbacks(self) -> dict[str, object]:
        """Return what the parser is to call."""
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

    def _begin(self) -> None:
        if len(self.pairs) >= _MOST_PARTS:
            raise PayloadTooLargeError
        self._disposition, self._name, self._text = b"", None, []

    def _on_field(self, data: bytes, start: int, end: int) -> None:
        self._header += data[start:end]

    def _on_value(self, data: bytes, start: int, end: int) -> None:
        self._value += data[start:end]

    def _on_header_end(self) -> None:
        if self._header.lower() == b"content-disposition":
            self._disposition = self._value
        self._header = self._value = b""

    def _on_headers(self) -> None:
        _, options = parse_options_header(self._disposition)
        if b"filename" not in options:
            self._name = options.get(b"name")

    def _on_data(self, data: bytes, start: int, end: int) -> None:
        if self._name is None:
            return
        self._size += end - start
        if self._size > self._limit:
            raise PayloadTooLargeError
        self._text.append(data[start:end])

    def _end(self) -> None:
        if self._name is not None:
            name = quote(self._name.decode(errors="replace"), safe="[]")
            text = b"".join(self._text).decode(errors="replace")
            self.pairs.append(f"{name}={quote(text)}")

    def _finish(self) -> None:
        self.ended = True
