"""``status``, ``locale`` and publication filters."""

from collections.abc import Mapping

from msgspec import Struct

from quire.errors import ValidationError
from quire.query.plan import LocaleScope, PublicationFilter, Status
from quire.query.querystring import QueryValue
from quire.query.resolve.errors import CheckStage, Param
from quire.query.resolve.scope import Scope
from quire.schema.model import ContentType

BAD_PUBLICATION = (
    "Invalid value for 'publicationFilter'. Expected one of: "
    + ", ".join(mode.value for mode in PublicationFilter)
    + "."
)
BAD_HAS_PUBLISHED = (
    "Invalid value for 'hasPublishedVersion'. Expected boolean or 'true'/'false' string."
)
_MODES = {mode.value: mode for mode in PublicationFilter}
_OLDER_MODES = {
    "true": PublicationFilter.HAS_PUBLISHED_VERSION_DOCUMENT,
    "false": PublicationFilter.NEVER_PUBLISHED_DOCUMENT,
}


def resolve_status(query: Mapping[str, QueryValue]) -> Status:
    """Return the requested status: published by default; any other text is draft."""
    return "published" if query.get("status", "published") == "published" else "draft"


def resolve_status_of_uses(query: Mapping[str, QueryValue]) -> Status | None:
    """Return which entries files lead to: all of them by default.

    Unlike for documents, Strapi takes any other text for published.
    """
    match query.get("status"):
        case None:
            return None
        case "draft":
            return "draft"
        case _:
            return "published"


def resolve_publication(
    query: Mapping[str, QueryValue], model: ContentType, scope: Scope
) -> PublicationFilter | None:
    """Parse ``publicationFilter`` and its older form ``hasPublishedVersion``.

    Strapi checks the first one with the keys, and the second one when it reads documents: after
    everything else, and not for users and files.
    """
    older = query.get("hasPublishedVersion") if model.is_api else None
    older_mode = _OLDER_MODES.get(older) if isinstance(older, str) else None
    if older is not None and older_mode is None:
        scope.for_parameter(Param.HAS_PUBLISHED, "hasPublishedVersion").report_unconvertible(
            BAD_HAS_PUBLISHED
        )
    value = query.get("publicationFilter")
    if value is None:
        return older_mode
    mode = _MODES.get(value) if isinstance(value, str) else None
    if mode is None:
        details = {"source": "query", "param": "publicationFilter"}
        scope.findings.add(
            (CheckStage.KEYS, Param.PUBLICATION), ValidationError(BAD_PUBLICATION, details)
        )
    return mode


class LocaleChoice(Struct, frozen=True):
    """The locales of a read; ``slot`` holds the code or the list of codes."""

    scope: LocaleScope
    slot: int | None = None


def resolve_locale(
    value: QueryValue, model: ContentType, default_locale: str | None, scope: Scope
) -> LocaleChoice:
    """Parse ``locale``; the default is the default locale.

    A project without a default locale reads entries of every locale.
    """
    if not model.localized:
        return LocaleChoice(LocaleScope.IGNORED)
    if isinstance(value, dict):
        scope.report_unconvertible("The locale parameter must be a string or an array of strings")
        return LocaleChoice(LocaleScope.ALL)
    if isinstance(value, list):
        codes = [code for code in value if isinstance(code, str)]
        return LocaleChoice(LocaleScope.SOME, scope.slots.add([*codes]))
    if value == "*":
        return LocaleChoice(LocaleScope.ALL)
    code = value or default_locale
    if code is None:
        return LocaleChoice(LocaleScope.ALL)
    return LocaleChoice(LocaleScope.ONE, scope.slots.add(code))
