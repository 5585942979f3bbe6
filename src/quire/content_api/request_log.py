"""The request log: one line per request, JSON for machines or text for a terminal.

Lines bypass the `logging` module, which takes several times as long. They are written to standard
error like all others, in one write each.
"""

import re
import sys
from collections.abc import Callable
from contextlib import suppress
from urllib.parse import unquote

import orjson

from quire.access.principal import ApiToken, EndUser
from quire.clock import Clock, iso_from_ms, now_ms
from quire.content_api.http_messages import Request
from quire.logging import present_trace_id
from quire.query.python_parameters import sent_query

_SECRETS = frozenset(
    {
        "code",
        "code_verifier",
        "confirmation",
        "jwt",
        "key",
        "oauth_verifier",
        "s",
        "signature",
        "state",
    }
)
"""Names of parameters, in lower case, whose values are masked; also as parts of other names."""
_SECRET_WORDS = ("password", "secret", "token")
"""The values of names that contain one of these are masked, too."""
_MASK = "***"
_PARTS = re.compile(r"[\[\].]+")


def mask_query(raw_query: bytes) -> str:
    """Return a query string for the log, with secret values masked."""
    return "&".join(_mask_parameter(pair) for pair in raw_query.decode("latin-1").split("&"))


def _mask_parameter(pair: str) -> str:
    name, separator, value = pair.partition("=")
    if value and _is_secret(unquote(name).lower()):
        value = _MASK
    return f"{name}{separator}{value}"


def _is_secret(name: str) -> bool:
    if any(word in name for word in _SECRET_WORDS):
        return True
    return not _SECRETS.isdisjoint(_PARTS.split(name))


class RequestLog:
    """Writes a line for each request."""

    def __init__(
        self,
        *,
        as_json: bool,
        clock: Clock = now_ms,
        write: Callable[[str], object] | None = None,
    ) -> None:
        """``write`` takes complete lines; by default it writes to standard error."""
        self._line = _json_line if as_json else _text_line
        self._clock = clock
        self._write = write

    def add(self, request: Request, status: int, size: int, seconds: float) -> None:
        """Write the line of a request after its response.

        ``size`` is the number of bytes of the response's body; ``seconds`` is what it took.
        """
        facts: dict[str, object] = {
            "event": "request",
            "method": request.method,
            "path": request.path.decode("latin-1"),
        }
        if query := sent_query(request.raw_query):
            facts["query"] = mask_query(query)
        facts |= {
            "status": status,
            "duration_ms": round(seconds * 1000, 3),
            "bytes": size,
            "principal": principal_kind(request),
            **({} if request.denial is None else {"reason": request.denial}),
            "request_id": request.id.decode(),
            "client": None if request.client is None else request.client[0],
            "logger": "quire.requests",
            "level": "info",
            "timestamp": iso_from_ms(self._clock()),
        }
        trace_id = present_trace_id()
        if trace_id is not None:
            facts["trace_id"] = trace_id
        write = self._write or sys.stderr.write
        # A failing log (a full disk, a closed pipe) must not end connections.
        with suppress(OSError, ValueError):
            write(self._line(facts))


def principal_kind(request: Request) -> str:
    """Return the kind of a principal, which is unknown before authentication."""
    if getattr(request, "administrator", None) is not None:
        return "administrator"
    match getattr(request, "principal", None):
        case ApiToken():
            return "api-token"
        case EndUser():
            return "user"
        case _:
            return "anonymous"


def _json_line(fields: dict[str, object]) -> str:
    return orjson.dumps(fields).decode() + "\n"


def _text_line(fields: dict[str, object]) -> str:
    query = f"?{fields['query']}" if "query" in fields else ""
    # A name of a role, or an error of the project's code, may have line breaks.
    reason = f" ({ascii(fields['reason'])[1:-1]})" if "reason" in fields else ""
    line = (
        f"{fields['timestamp']} {fields['method']} {fields['path']}{query} {fields['status']}"
        f" {fields['duration_ms']} ms {fields['bytes']} bytes"
        f" {fields['principal']} {fields['request_id']}{reason}\n"
    )
    # Data of clients must not contain terminal control sequences.
    return line.encode("ascii", "backslashreplace").decode()
