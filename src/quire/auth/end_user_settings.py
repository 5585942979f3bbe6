"""The advanced settings of end users, stored in the core store as Strapi does."""

from collections.abc import Mapping

from msgspec import Struct

from quire.database.program import Program
from quire.database.stores.auth_rows import Accounts

ADVANCED_KEY = "plugin_users-permissions_advanced"
_DEFAULT_ROLE = "authenticated"


class AdvancedOptions(Struct, frozen=True, kw_only=True):
    """How accounts are created, and the URLs of pages for their owners.

    ``default_role`` is the type of the role of new end users; ``reset_page`` and ``confirmed_page``
    are URLs.
    """

    unique_email: bool = True
    allow_register: bool = True
    email_confirmation: bool = False
    default_role: str = _DEFAULT_ROLE
    reset_page: str | None = None
    confirmed_page: str | None = None


def advanced_options(accounts: Accounts) -> Program[AdvancedOptions]:
    """Parse the options; missing and invalid ones get their defaults."""
    setting = yield from accounts.stored(ADVANCED_KEY)
    if not isinstance(setting, Mapping):
        return AdvancedOptions()
    return AdvancedOptions(
        unique_email=setting.get("unique_email") is not False,
        allow_register=setting.get("allow_register") is not False,
        email_confirmation=setting.get("email_confirmation") is True,
        default_role=_text(setting, "default_role") or _DEFAULT_ROLE,
        reset_page=_text(setting, "email_reset_password"),
        confirmed_page=_text(setting, "email_confirmation_redirection"),
    )


def _text(setting: Mapping[str, object], name: str) -> str | None:
    value = setting.get(name)
    return value if isinstance(value, str) and value else None
