"""Encryption of export archives: AES-128 in ECB mode, with a key derived by scrypt.

The format is Strapi's. It has no salt and no authentication: it protects the content from readers,
but does not detect changes.
"""

import hashlib
from io import RawIOBase
from typing import IO

# The format requires ECB; nothing else of the project uses it.
from cryptography.hazmat.primitives.ciphers import Cipher
from cryptography.hazmat.primitives.ciphers.algorithms import AES
from cryptography.hazmat.primitives.ciphers.modes import ECB
from cryptography.hazmat.primitives.padding import PKCS7

_BLOCK_BYTES = 16
_CHUNK_BYTES = 1 << 16


class WrongKeyError(Exception):
    """The end of the archive does not decrypt to padding: another key, or damage."""


class DecryptingReader(RawIOBase):
    """Reads the decrypted content of a file. ``read`` raises WrongKeyError."""

    def __init__(self, source: IO[bytes], key: str) -> None:
        self._source = source
        self._decryptor = _cipher(key).decryptor()
        self._padding = PKCS7(8 * _BLOCK_BYTES).unpadder()
        self._ready = b""
        self._is_finished = False

    def readable(self) -> bool:
        """Return that this can be read."""
        return True

    def readinto(self, buffer: memoryview) -> int:  # type: ignore[override]  # any buffer there
        """Fill a buffer with decrypted bytes; returns how many, 0 at the end."""
        while not self._ready and not self._is_finished:
            self._ready = self._read_block()
        chunk = self._ready[: len(buffer)]
        buffer[: len(chunk)] = chunk
        self._ready = self._ready[len(chunk) :]
        return len(chunk)

    def _read_block(self) -> bytes:
        chunk = self._source.read(_CHUNK_BYTES)
        if chunk:
            return self._padding.update(self._decryptor.update(chunk))
        self._is_finished = True
        try:
            return self._padding.update(self._decryptor.finalize()) + self._padding.finalize()
        except ValueError as error:
            raise WrongKeyError from error


class EncryptingWriter(RawIOBase):
    """Encrypts what is written to it into a file; `close` writes the padding."""

    def __init__(self, target: IO[bytes], key: str) -> None:
        self._target = target
        self._encryptor = _cipher(key).encryptor()
        self._padding = PKCS7(8 * _BLOCK_BYTES).padder()

    def writable(self) -> bool:
        """Return that this can be written."""
        return True

    def write(self, data: bytes) -> int:  # type: ignore[override]  # any buffer there
        """Encrypt some bytes; returns how many, which is all of them."""
        self._target.write(self._encryptor.update(self._padding.update(bytes(data))))
        return len(data)

    def close(self) -> None:
        """Write the rest with its padding; the file itself stays open."""
        if not self.closed:
            last = self._encryptor.update(self._padding.finalize())
            self._target.write(last + self._encryptor.finalize())
        super().close()


def _cipher(key: str) -> Cipher[ECB]:
    derived_key = hashlib.scrypt(key.encode(), salt=b"", n=1 << 14, r=8, p=1, dklen=_BLOCK_BYTES)
    return Cipher(AES(derived_key), ECB())  # noqa: S305 - the mode of the format
