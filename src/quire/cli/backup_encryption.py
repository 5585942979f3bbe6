"""Encryption of backups by age, with the public key of a recipient."""

import os
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from pathlib import Path
from typing import IO

import pyrage

from quire.errors import ApplicationError, ConfigurationError

ENCRYPTED_SUFFIX = ".age"


def require_recipient(recipient: str) -> None:
    """Raise ConfigurationError for an invalid public key of age."""
    try:
        pyrage.x25519.Recipient.from_str(recipient)
    except pyrage.RecipientError as error:
        raise ConfigurationError(
            f"{recipient!r} is no public key of age, such as `age-keygen` prints: {error}."
        ) from error


@contextmanager
def encrypted_into(file: IO[bytes], recipient: str) -> Iterator[IO[bytes]]:
    """Encrypt what is written to the yielded file into another one.

    A thread encrypts the data of a pipe, so that nothing is ever stored in plain text.
    """
    read_end, write_end = os.pipe()
    key = pyrage.x25519.Recipient.from_str(recipient)

    def encrypt() -> None:
        with os.fdopen(read_end, "rb") as source:
            pyrage.encrypt_io(source, file, [key])

    with ThreadPoolExecutor(1, thread_name_prefix="quire-backup") as thread:
        encryption = thread.submit(encrypt)
        try:
            with os.fdopen(write_end, "wb") as target:
                yield target
        except BrokenPipeError:
            encryption.result()  # its error says why it has stopped reading
            raise
        encryption.result()


def decrypt_backup(path: Path, identity: Path, target: Path) -> None:
    """Decrypt a backup into a file that nobody else may read.

    ``identity`` is a file with secret keys, as `age-keygen` writes it. Raises ApplicationError when
    it has none, when none matches, and for a backup that is damaged or truncated.
    """
    try:
        keys = [
            line.strip()
            for line in identity.read_text("utf-8").splitlines()
            if line.strip() and not line.startswith("#")
        ]
        identities = [pyrage.x25519.Identity.from_str(key) for key in keys]
    except (pyrage.IdentityError, UnicodeDecodeError) as error:
        raise ApplicationError(f"{identity} is no file of secret keys of age.") from error
    descriptor = os.open(target, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600)
    with os.fdopen(descriptor, "wb") as output, path.open("rb") as source:
        try:
            pyrage.decrypt_io(source, output, identities)
        except (pyrage.DecryptError, OSError) as error:
            raise ApplicationError(
                f"{path} cannot be decrypted with {identity}: {error}."
            ) from error
