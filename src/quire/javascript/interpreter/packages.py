"""Functions of packages that code may call: random identifiers of ``crypto`` and ``uuid``."""

import base64
import secrets
import uuid
from collections.abc import Callable, Mapping, Sequence

from quire.javascript.interpreter.values import HostFunction, HostObject, UnsupportedError

_MAX_BYTES = 1024
_ENCODINGS: Mapping[object, Callable[[bytes], str]] = {
    "hex": bytes.hex,
    "base64": lambda found: base64.b64encode(found).decode(),
    "base64url": lambda found: base64.urlsafe_b64encode(found).decode().rstrip("="),
}


async def _random_uuid(arguments: Sequence[object]) -> object:
    if arguments:
        raise UnsupportedError("a UUID with options")
    return str(uuid.uuid4())


async def _random_bytes(arguments: Sequence[object]) -> object:
    """Return random bytes, which support conversion to text."""
    match arguments:
        case [int() as count] if not isinstance(count, bool) and 0 <= count <= _MAX_BYTES:
            random_bytes = secrets.token_bytes(count)
        case _:
            raise UnsupportedError("random bytes of a size that is not known")

    async def text(arguments: Sequence[object]) -> object:
        encode = (
            _ENCODINGS.get(arguments[0]) if arguments and isinstance(arguments[0], str) else None
        )
        if encode is None:
            raise UnsupportedError("bytes in another encoding")
        return encode(random_bytes)

    return HostObject({"length": count, "toString": HostFunction(text)})


_RANDOM_UUID = HostFunction(_random_uuid)
_CRYPTO = HostObject({"randomUUID": _RANDOM_UUID, "randomBytes": HostFunction(_random_bytes)})

PACKAGES: Mapping[str, HostObject] = {
    "crypto": _CRYPTO,
    "node:crypto": _CRYPTO,
    "uuid": HostObject({"v4": _RANDOM_UUID}),
}
"""The packages that code may import, by name."""

WEB_CRYPTO = HostObject({"randomUUID": _RANDOM_UUID})
"""The global ``crypto``, which has less than the module."""
