"""Types of bodies, queries and responses that many routes of the admin API have."""

from typing import Annotated, Generic, Literal, TypeVar

from msgspec import UNSET, Meta, Struct, UnsetType, field

from quire.content_api import response_types
from quire.content_api.body_decoding import RequestBody
from quire.content_api.validators import Range, RowId

T = TypeVar("T")

OK, CREATED, ACCEPTED, NO_CONTENT = 200, 201, 202, 204

ADMINISTRATORS = "Administrators"
"""The tag of routes about administrators and their roles."""

SIGNING_IN = "Signing in"
"""The tag of routes for sign-in, and about second factors."""

WEBHOOKS = "Webhooks"
"""The tag of routes about webhooks and their deliveries."""

PROJECT = "Project"
"""The tag of routes about the project as a whole."""

END_USERS = "End users"
"""The tag of routes about end users and their roles."""

EXTRAS = "Quire's own"
"""The tag of routes below ``/admin/x`` about content."""

VIEWS = "Views"
"""The tag of routes about the views of lists and forms."""

CONTENT = "Content"
"""The tag of routes about entries."""

MEDIA = "Media"
"""The tag of routes about files and folders."""

CONTENT_TYPES = "Content types"
"""The tag of routes of the content-type builder."""

IdText = Annotated[int | str, RowId()]
"""The id of a row, as a number or as text."""

Moment = response_types.Moment
BEFORE_ID_DESCRIPTION = "The id of the last row that is known."
FreeObject = response_types.FreeObject
DataEnvelope = response_types.DataEnvelope


class AdminPagination(Struct, rename="camel"):
    """The place of a page in a list."""

    page: int
    page_size: int
    page_count: int
    total: int


class PageEnvelope(Struct, Generic[T]):
    """A page of a list."""

    results: list[T]
    pagination: AdminPagination


class ProjectModels(Struct, frozen=True):
    """Marks a schema that depends on the content types of a project."""

    name: str


ManagedEntry = Annotated[FreeObject, ProjectModels("ManagedEntry")]
"""An entry of any content type, in responses."""

EntryInput = Annotated[FreeObject, ProjectModels("EntryInput")]
"""The writable values of an entry of any content type."""


class RowIds(RequestBody):
    """Several rows."""

    ids: Annotated[list[IdText], Range(1)]


DocumentIdList = Annotated[list[object], Meta(extra_json_schema={"items": {"type": "string"}})]


class DocumentIds(RequestBody, forbid_unknown_fields=False):
    """Several documents."""

    document_ids: DocumentIdList


class DocumentCounts(Struct):
    """How many documents there are, by their status."""

    draft: int
    published: int
    modified: int


EntryStatus = Literal["draft", "published", "modified"]


class RecentEntry(Struct, rename="camel", kw_only=True):
    """An entry that was changed or published lately."""

    document_id: str
    locale: str | UnsetType | None = UNSET
    title: object = UNSET
    content_type_uid: str
    content_type_display_name: str | UnsetType = UNSET
    kind: str | UnsetType = UNSET
    updated_at: Moment | UnsetType | None = UNSET
    published_at: Moment | UnsetType | None = UNSET
    status: EntryStatus | UnsetType = UNSET


class RowCount(Struct):
    """The number of affected rows."""

    count: int


class EntryMeta(Struct, rename="camel"):
    """The other versions and locales of an entry, and the computed fields of the project's code.

    ``computed_errors`` says why computed fields are missing.
    """

    available_locales: list[FreeObject]
    available_status: list[FreeObject]
    computed: FreeObject | UnsetType = UNSET
    computed_errors: dict[str, "ComputedError"] | UnsetType = UNSET


class ComputedError(Struct, omit_defaults=True):
    """Why a computed field is missing: its function has refused, or ``code`` has failed."""

    message: str | UnsetType = UNSET
    code: "ProjectFunction | UnsetType" = UNSET


class ProjectFunction(Struct):
    """A function of the project, by its file and line; super admins see which."""

    function: str | UnsetType = UNSET
    place: str | UnsetType = UNSET


class FailedReadRule(Struct, rename="camel"):
    """A content type whose entries are missing, because a rule on reading them has failed."""

    uid: str
    display_name: str
    code: ProjectFunction


class NoEntry(RequestBody):
    """The response for a missing entry."""


class EntryResponse(Struct):
    """An entry, with its other versions and locales."""

    data: ManagedEntry | NoEntry | UnsetType = UNSET
    meta: EntryMeta | UnsetType = UNSET


class CreatorSummary(Struct, rename="camel", kw_only=True):
    """The creator or the editor of an entry."""

    id: int
    firstname: str | UnsetType | None = UNSET
    lastname: str | UnsetType | None = UNSET
    username: str | UnsetType | None = UNSET
    email: str | UnsetType | None = UNSET
    is_active: bool | UnsetType | None = UNSET


class Localization(Struct, rename="camel", kw_only=True):
    """An entry in another locale."""

    id: int
    document_id: str
    locale: str | None
    updated_at: Moment | UnsetType | None = UNSET
    published_at: Moment | UnsetType | None = UNSET
    status: str | UnsetType = UNSET


class ResultList(Struct, Generic[T]):
    """A page of a list, with its pagination."""

    data: list[T]
    meta: "EntryListMeta"


class EntryListMeta(Struct):
    """The pagination of a list."""

    pagination: AdminPagination


class PageQuery(Struct, rename="camel", kw_only=True):
    """Which page of a list is shown."""

    page: int | UnsetType = UNSET
    page_size: int | UnsetType = UNSET


class ListQuery(PageQuery, kw_only=True):
    """Which entries of a list are shown, and in which order."""

    sort: str | UnsetType = UNSET
    search: str | UnsetType = field(name="_q", default=UNSET)
    filters: FreeObject | UnsetType | None = UNSET


class LocaleQuery(Struct, kw_only=True):
    """The locale of an entry."""

    locale: Annotated[
        str | UnsetType, Meta(description="A code; the default locale without it.")
    ] = UNSET


class StatusQuery(Struct):
    """The status of an entry."""

    status: Literal["draft", "published"] | UnsetType = UNSET
