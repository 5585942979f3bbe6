"""Passwords: bcrypt, never in the event loop.

Hashing takes tens of milliseconds by design, so it runs on separate threads.
"""

import asyncio
from concurrent.futures import ThreadPoolExecutor

import bcrypt

MAX_BYTES = 72
"""bcrypt ignores further bytes; longer passwords are rejected where they are set."""

_ROUNDS = 10
_DUMMY = b"$2b$10$C6UzMDM.H6dfI/f/IKcEeO7ZK8wVIsNnS1Vz0lG/o6bY3CjVQpRWq"
"""A hash of a random password: unknown accounts take as long as known ones."""

_threads = ThreadPoolExecutor(2, thread_name_prefix="quire-bcrypt")


def hash_password(password: str, rounds: int = _ROUNDS) -> str:
    """Hash a password; takes tens of milliseconds, call it off the event loop.

    Bytes that bcrypt ignores are cut off here, as they are in checks.
    """
    salt = bcrypt.gensalt(rounds, prefix=b"2a")
    return bcrypt.hashpw(password.encode()[:MAX_BYTES], salt).decode()


async def hash_in_background(password: str) -> str:
    """Hash a password without blocking the event loop."""
    loop = asyncio.get_running_loop()
    return await loop.run_in_executor(_threads, hash_password, password)


async def verify_password(password: str, hashed: str | None) -> bool:
    """Check a password against its hash; ``None`` (no such account) takes the same time."""
    loop = asyncio.get_running_loop()
    return await loop.run_in_executor(_threads, _verify, password, hashed)


def _verify(password: str, password_hash: str | None) -> bool:
    hash_bytes = _DUMMY if password_hash is None else password_hash.encode()
    try:
        matches = bcrypt.checkpw(password.encode()[:MAX_BYTES], hash_bytes)
    except ValueError:
        return False
    return matches and password_hash is not None
