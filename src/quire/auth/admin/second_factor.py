"""The second factor of administrators: one-time codes and recovery codes.

One-time codes are time-based (RFC 6238) and supported by every authenticator app: six digits, a new
code every 30 seconds, HMAC-SHA1. Each code can be used once. Secrets are stored encrypted, recovery
codes hashed, under a key of the core store that Strapi does not know and leaves alone.
"""

import base64
import hashlib
import hmac
import secrets
import struct
from collections.abc import Mapping
from urllib.parse import quote

from msgspec import Struct
from msgspec.structs import replace

from quire.auth.admin.user_rows import AdminUser
from quire.auth.token_encryption import decrypt_token, encrypt_token
from quire.clock import Clock
from quire.database.compile.writes import Writes
from quire.database.program import Program
from quire.database.stores.core_store import read_setting, write_setting
from quire.errors import ApplicationError, SecondFactorError

_STEP_MS = 30_000
_DIGITS = 6
_DRIFT = 1
"""How many steps a clock may be off."""
_SECRET_BYTES = 20


def new_secret() -> str:
    """Return a fresh secret, in base 32 as apps take it."""
    return base64.b32encode(secrets.token_bytes(_SECRET_BYTES)).decode()


def code_at(secret: str, step: int) -> str:
    """Return the code of a step."""
    digest = hmac.new(base64.b32decode(secret), struct.pack(">Q", step), hashlib.sha1).digest()
    start = digest[-1] & 0x0F
    number = int.from_bytes(digest[start : start + 4]) & 0x7FFF_FFFF
    return f"{number % 10**_DIGITS:0{_DIGITS}}"


def matching_step(secret: str, code: str, now: int, *, after: int) -> int | None:
    """Return the step of a code; ``now`` is epoch milliseconds.

    Steps up to ``after`` do not count: a code can be used once. ``None`` when none matches.
    """
    current_step = now // _STEP_MS
    matched_step = None
    for step in range(current_step - _DRIFT, current_step + _DRIFT + 1):
        is_match = hmac.compare_digest(code_at(secret, step).encode(), code.encode())
        if is_match and step > after:
            matched_step = step
    return matched_step


def provisioning_uri(secret: str, account: str, issuer: str) -> str:
    """Return the URI from which an app reads a secret, usually as a QR code."""
    label = quote(f"{issuer}:{account}")
    return f"otpauth://totp/{label}?secret={secret}&issuer={quote(issuer)}"


WRONG_CODE = "Invalid code"
ALREADY_ON = "There is a second factor already"
NOT_STARTED = "No second factor has been begun"
SECOND_FACTOR_KEY = "quire_second_factor_"
"""The beginning of the keys of second factors, before the document id of an administrator."""

_RECOVERY_CODES = 10
_RECOVERY_BYTES = 10
_NEVER_USED = -1


class StoredSecondFactor(Struct, frozen=True, kw_only=True):
    """A stored second factor; ``step`` is the last one whose code was used."""

    secret: str
    active: bool
    step: int = _NEVER_USED
    recovery: tuple[str, ...] = ()


class SecondFactors:
    """The programs of second factors; ``key`` encrypts secrets."""

    def __init__(self, writes: Writes, key: str, clock: Clock) -> None:
        self._writes = writes
        self._key = key
        self._clock = clock

    def get(self, admin_user: AdminUser) -> Program[StoredSecondFactor | None]:
        """Return the second factor of an administrator, enabled or not; ``None`` without one."""
        setting = yield from read_setting(self._writes, _name(admin_user))
        return self._factor(setting)

    def begin(self, admin_user: AdminUser) -> Program[str]:
        """Set up a second factor; returns its secret. It is enabled by `confirm`.

        Raises ApplicationError when one is enabled already.
        """
        stored_factor = yield from self.get(admin_user)
        if stored_factor is not None and stored_factor.active:
            raise ApplicationError(ALREADY_ON)
        factor = StoredSecondFactor(secret=new_secret(), active=False)
        yield from self._store_factor(admin_user, factor)
        return factor.secret

    def confirm(self, admin_user: AdminUser, code: str) -> Program[tuple[str, ...]]:
        """Enable a second factor, with a code that shows that the app has the secret.

        Returns recovery codes. Raises ApplicationError.
        """
        factor = yield from self.get(admin_user)
        if factor is None or factor.active:
            raise ApplicationError(NOT_STARTED)
        step = matching_step(factor.secret, code, self._clock(), after=factor.step)
        if step is None:
            raise ApplicationError(WRONG_CODE)
        return (yield from self._issue_codes(admin_user, replace(factor, active=True, step=step)))

    def renew_codes(self, admin_user: AdminUser, code: str) -> Program[tuple[str, ...]]:
        """Replace the recovery codes. Raises as `require` does."""
        yield from self.require(admin_user, code)
        factor = yield from self.get(admin_user)
        if factor is None or not factor.active:
            raise ApplicationError(NOT_STARTED)
        return (yield from self._issue_codes(admin_user, factor))

    def require(self, admin_user: AdminUser, code: str | None) -> Program[None]:
        """Check a code if a second factor is enabled, and use it up.

        Raises SecondFactorError without one, and ApplicationError for a wrong one.
        """
        factor = yield from self.get(admin_user)
        if factor is None or not factor.active:
            return
        if not code:
            raise SecondFactorError
        updated_factor = self._use_code(factor, code.replace(" ", "").replace("-", "").lower())
        if updated_factor is None:
            raise ApplicationError(WRONG_CODE)
        yield from self._store_factor(admin_user, updated_factor)

    def remove(self, admin_user: AdminUser) -> Program[None]:
        """Remove the second factor of an administrator."""
        yield from write_setting(self._writes, _name(admin_user), {})

    def _use_code(self, factor: StoredSecondFactor, code: str) -> StoredSecondFactor | None:
        """Return the factor after a code was used, ``None`` for a wrong code."""
        step = matching_step(factor.secret, code, self._clock(), after=factor.step)
        if step is not None:
            return replace(factor, step=step)
        code_hash = _hash_code(code)
        remaining_hashes = tuple(
            recovery_hash
            for recovery_hash in factor.recovery
            if not hmac.compare_digest(recovery_hash, code_hash)
        )
        return (
            replace(factor, recovery=remaining_hashes)
            if len(remaining_hashes) < len(factor.recovery)
            else None
        )

    def _issue_codes(
        self, admin_user: AdminUser, factor: StoredSecondFactor
    ) -> Program[tuple[str, ...]]:
        codes = tuple(secrets.token_hex(_RECOVERY_BYTES // 2) for _ in range(_RECOVERY_CODES))
        yield from self._store_factor(
            admin_user, replace(factor, recovery=tuple(map(_hash_code, codes)))
        )
        return tuple(f"{code[:5]}-{code[5:]}" for code in codes)

    def _store_factor(self, admin_user: AdminUser, factor: StoredSecondFactor) -> Program[None]:
        value = {
            "secret": encrypt_token(factor.secret, self._key),
            "active": factor.active,
            "step": factor.step,
            "recovery": list(factor.recovery),
        }
        yield from write_setting(self._writes, _name(admin_user), value)

    def _factor(self, setting: object) -> StoredSecondFactor | None:
        if not isinstance(setting, Mapping) or "secret" not in setting:
            return None
        secret = decrypt_token(str(setting["secret"]), self._key)
        if secret is None:
            # The key has changed: it is safer to lock everybody out than to skip the factor.
            raise ApplicationError(WRONG_CODE)
        step, recovery = setting.get("step"), setting.get("recovery")
        return StoredSecondFactor(
            secret=secret,
            active=setting.get("active") is True,
            step=step if isinstance(step, int) else _NEVER_USED,
            recovery=tuple(map(str, recovery)) if isinstance(recovery, list) else (),
        )


def _name(admin_user: AdminUser) -> str:
    return f"{SECOND_FACTOR_KEY}{admin_user.row.document_id}"


def _hash_code(code: str) -> str:
    """Return the hash of a recovery code; these are random, so no slow hash is needed."""
    return hashlib.sha256(code.encode()).hexdigest()
