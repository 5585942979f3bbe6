"""Signatures of webhook requests (Standard Webhooks).

A receiver with the secret of a webhook can verify the sender of a request, and its time. The secret
of each webhook is derived from one secret of the project.
"""

import base64
import hashlib
import hmac
from collections.abc import Mapping

_PREFIX = "whsec_"


def webhook_secret(key: str, webhook_id: int) -> str:
    """Return the secret of a webhook; ``key`` is the project's secret."""
    purpose = f"quire webhook {webhook_id}".encode()
    return _PREFIX + base64.b64encode(hmac.digest(key.encode(), purpose, hashlib.sha256)).decode()


def signature_headers(secret: str, delivery_id: str, seconds: int, body: bytes) -> dict[str, str]:
    """Return the headers that sign a body which is sent at a time."""
    signed = f"{delivery_id}.{seconds}.".encode() + body
    raw = base64.b64decode(secret.removeprefix(_PREFIX))
    digest = base64.b64encode(hmac.digest(raw, signed, hashlib.sha256)).decode()
    return {
        "webhook-id": delivery_id,
        "webhook-timestamp": str(seconds),
        "webhook-signature": f"v1,{digest}",
    }


def is_signed(secret: str, headers: Mapping[str, str], body: bytes) -> bool:
    """Tell whether a body was signed with a secret; header names are in lower case."""
    try:
        seconds = int(headers["webhook-timestamp"])
        wanted = signature_headers(secret, headers["webhook-id"], seconds, body)
        return hmac.compare_digest(headers["webhook-signature"], wanted["webhook-signature"])
    except (KeyError, ValueError):
        return False
