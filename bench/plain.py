"""The plain server: a bare ASGI application that returns fixed bytes from memory.

What it costs per request is what HTTP costs: the same server program, the same bodies, no
content API at all. ``python -m bench.plain PORT ANSWERS`` serves the file ANSWERS, a JSON object
from request target (path and query) to body.
"""

import json
import sys
from collections.abc import Awaitable, Callable, Mapping, MutableMapping
from pathlib import Path
from typing import Any, TypeAlias

import uvicorn

_Message: TypeAlias = MutableMapping[str, Any]
_Application: TypeAlias = Callable[
    [_Message, Callable[[], Awaitable[_Message]], Callable[[_Message], Awaitable[None]]],
    Awaitable[None],
]


def plain_application(responses: Mapping[str, str]) -> _Application:
    """Return an ASGI application that answers each known target with its body, others with 404."""
    bodies = {target.encode("ascii"): body.encode() for target, body in responses.items()}

    async def application(
        scope: _Message,
        _receive: Callable[[], Awaitable[_Message]],
        send: Callable[[_Message], Awaitable[None]],
    ) -> None:
        query: bytes = scope["query_string"]
        path: bytes = scope["raw_path"]
        body = bodies.get(path + b"?" + query if query else path)
        headers = [
            (b"content-type", b"application/json; charset=utf-8"),
            (b"content-length", str(len(body or b"")).encode()),
        ]
        status = 404 if body is None else 200
        await send({"type": "http.response.start", "status": status, "headers": headers})
        await send({"type": "http.response.body", "body": body or b""})

    return application


def main() -> None:
    """Serve until a signal comes; the arguments are the port and the file of responses."""
    port, path = sys.argv[1:]
    responses = json.loads(Path(path).read_text(encoding="utf-8"))
    uvicorn.run(
        plain_application(responses),
        host="127.0.0.1",
        port=int(port),
        loop="uvloop",
        http="httptools",
        lifespan="off",
        access_log=False,
        log_level="warning",
    )


if __name__ == "__main__":
    main()
