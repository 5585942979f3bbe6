"""Encrypts API tokens, so that administrators can see them again.

AES-256-GCM under the SHA-256 of the project's encryption key, written as
``v1:<iv>:<ciphertext>:<tag>`` in hexadecimal, with an IV of 16 random bytes.
"""

import hashlib
import secrets

from cryptography.exceptions import InvalidTag
from cryptography.hazmat.primitives.ciphers.aead import AESGCM

_VERSION = "v1"
_IV_BYTES = 16
_TAG_BYTES = 16


def encrypt_token(token: str, encryption_key: str) -> str:
    """Encrypt a token, so that it can be shown again."""
    iv = secrets.token_bytes(_IV_BYTES)
    ciphertext = _cipher(encryption_key).encrypt(iv, token.encode(), None)
    content, tag = ciphertext[:-_TAG_BYTES], ciphertext[-_TAG_BYTES:]
    return f"{_VERSION}:{iv.hex()}:{content.hex()}:{tag.hex()}"


def decrypt_token(encrypted_token: str, encryption_key: str) -> str | None:
    """Decrypt a token, ``None`` for another key or modified data."""
    version, *parts = encrypted_token.split(":")
    if version != _VERSION or len(parts) != 3:
        return None
    try:
        iv, content, tag = (bytes.fromhex(part) for part in parts)
        return _cipher(encryption_key).decrypt(iv, content + tag, None).decode()
    except (ValueError, InvalidTag):
        return None


def _cipher(encryption_key: str) -> AESGCM:
    return AESGCM(hashlib.sha256(encryption_key.encode()).digest())
