"""All settings, with defaults and descriptions.

Nothing is read here. A section is a frozen dataclass, a setting is one field of it, and its name in
``quire.toml`` is the field's name in the table of the section's name. To add a setting, add a field
here and a row in ``docs/settings.md``.
"""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field, fields, is_dataclass, replace
from datetime import timedelta
from functools import cache
from pathlib import Path
from types import MappingProxyType
from typing import Literal
from urllib.parse import urlsplit

from quire.errors import ConfigurationError
from quire.settings.code_settings import ExtensionSettings
from quire.settings.setting_types import (
    CLIENT,
    DURATION,
    FLAG,
    HEADER_VALUE,
    METADATA_KEY,
    NETWORKS,
    ORIGINS,
    PATH,
    PREFIX,
    SIZES,
    STORAGE,
    TEXT,
    URL,
    InvalidValueError,
    Setting,
    SettingType,
    choice,
    integer,
    list_of,
    optional,
    setting,
    table_of,
)

NAMES = list_of(TEXT, "strings")
SOURCES = table_of(NAMES, "directives to lists of sources")
STORAGE_TYPES = (
    *("biginteger", "boolean", "date", "datetime", "decimal", "email", "enumeration", "float"),
    *("integer", "json", "password", "richtext", "string", "text", "time", "uid"),
)
"""The attribute types that a custom field may be stored as."""


def _storage_type(value: object) -> str:
    if isinstance(value, str) and value in STORAGE_TYPES:
        return value
    raise InvalidValueError(
        f"{value!r} is none of the types {', '.join(STORAGE_TYPES)}. "
        "An attribute type of Python code is named in the schema, in pluginOptions.quire."
    )


CUSTOM_FIELD_TYPES = table_of(
    SettingType("an attribute type", _storage_type, _storage_type),
    f"custom fields to attribute types ({', '.join(STORAGE_TYPES)})",
)
CACHE_CONTROLS = table_of(HEADER_VALUE, 'uids of content types, or "*", to values of Cache-Control')
SECRET: SettingType[str | None] = SettingType(TEXT.expected, TEXT.read, TEXT.read_text)


def _database_url(value: object) -> str:
    text = TEXT.read(value)
    try:
        urlsplit(text)
    except ValueError:  # its text may contain the password
        raise InvalidValueError(
            "expected a URL such as postgresql://user:password@host/name, "
            "in which [ and ] of a password are written as %5B and %5D"
        ) from None
    return text


_URL = SettingType(TEXT.expected, _database_url, _database_url)
DATABASE_URL: SettingType[str | None] = SettingType(_URL.expected, _URL.read, _URL.read_text)
DATABASE_URLS = list_of(_URL, "strings")

Environment = Literal["production", "development"]
NEW_SECRETS_COMMAND = "quire config --new-secrets"
LOCAL_HOSTS = frozenset({"localhost", "127.0.0.1", "::1"})
"""Names and addresses of this machine, as they are written in settings and URLs."""


@dataclass(frozen=True, slots=True, kw_only=True)
class ServerSettings:
    """``[server]``: where and how the server listens."""

    host: str = setting(TEXT, "Address to listen on.", default="0.0.0.0", variable="HOST")  # noqa: S104 (the default that deployments of such projects rely on)
    port: int = setting(
        integer(0, 65535), "Port to listen on; 0 chooses a free one.", default=1337, variable="PORT"
    )
    workers: int = setting(integer(1, 256), "Number of server processes.", default=1)
    url: str | None = setting(
        optional(URL),
        "Public URL of the server, used in links that it creates.",
        default=None,
        variable="PUBLIC_URL",
    )
    trusted_proxies: tuple[str, ...] = setting(
        NETWORKS,
        "Proxies whose `X-Forwarded-For` and `X-Forwarded-Proto` headers are trusted.",
        default=(),
    )
    keep_alive_timeout: timedelta = setting(
        DURATION,
        "How long a connection without requests stays open; longer than proxies and load balancers "
        "keep it for their next request, often 60 seconds.",
        default=timedelta(seconds=75),
    )
    shutdown_timeout: timedelta = setting(
        DURATION,
        "How long running requests may take to finish at shutdown; the others then get 503.",
        default=timedelta(seconds=10),
    )
    drain_timeout: timedelta = setting(
        DURATION,
        "How long a server that is shutting down continues to respond while `/_ready` returns "
        "503, so that proxies stop sending requests.",
        default=timedelta(0),
    )
    calls_file: Path = setting(
        PATH,
        "File in which all processes of this machine count rate-limited calls.",
        default=Path(".tmp/calls"),
    )


@dataclass(frozen=True, slots=True, kw_only=True)
class ApiSettings:
    """``[api]``: the content API."""

    prefix: str = setting(PREFIX, "Path prefix of the content API.", default="/api")
    default_limit: int = setting(
        integer(1), "Page size when the request does not name one.", default=25
    )
    max_limit: int | None = setting(optional(integer(1)), "Maximum page size.", default=100)
    with_count: bool = setting(
        FLAG,
        "Include the total number of entries in lists unless the request says otherwise.",
        default=True,
    )
    strict_params: bool = setting(
        FLAG, "Reject unknown query parameters instead of ignoring them.", default=False
    )
    drafts_need_token: bool = setting(
        FLAG,
        "Return drafts to API tokens only, not to anonymous visitors or end users.",
        default=False,
    )
    private_attributes: tuple[str, ...] = setting(
        NAMES,
        "Attributes that are left out of all responses, whatever the content type.",
        default=(),
    )
    reference: Literal["auto", "on", "off"] = setting(
        choice("auto", "on", "off"),
        "Whether to serve the API reference at `/docs`; `auto` is `on` in development.",
        default="auto",
    )


_NO_DIRECT_URL = (
    "Backups cannot go through a connection pooler (database.pooler): "
    "set DATABASE_DIRECT_URL to the URL of the PostgreSQL server itself."
)


@dataclass(frozen=True, slots=True, kw_only=True)
class DatabaseSettings:
    """``[database]``: where the content is stored."""

    client: Literal["sqlite", "postgres"] = setting(
        CLIENT, "Kind of database.", default="sqlite", variable="DATABASE_CLIENT"
    )
    filename: Path = setting(
        PATH,
        "Path of the SQLite database; not inside a folder that is served.",
        default=Path(".tmp/data.db"),
        variable="DATABASE_FILENAME",
    )
    journal_mode: Literal["wal", "keep"] = setting(
        choice("wal", "keep"),
        "Switch an SQLite database to write-ahead logging, or keep its journal mode.",
        default="wal",
    )
    busy_timeout_ms: int = setting(
        integer(0, 600_000), "Milliseconds to wait for the lock of another writer.", default=5000
    )
    slow_query_ms: int = setting(
        integer(1, 60_000),
        "Milliseconds after which a read of SQLite is moved from the event loop to a thread.",
        default=5,
    )
    read_queue: int = setting(
        integer(1),
        "Maximum number of slow SQLite reads that run or wait; further ones get 503.",
        default=100,
    )
    read_timeout_ms: int = setting(
        integer(1, 3_600_000), "Milliseconds after which a read is aborted.", default=30_000
    )
    archive_days: int = setting(
        integer(0, 36_500),
        "Days for which data removed by a migration stays archived; 0 keeps it forever.",
        default=30,
    )
    url: str | None = setting(
        DATABASE_URL,
        "URL of a PostgreSQL database; it replaces the connection settings below.",
        default=None,
        variable="DATABASE_URL",
        private=True,
    )
    host: str = setting(
        TEXT, "Host of the database.", default="localhost", variable="DATABASE_HOST"
    )
    port: int = setting(
        integer(1, 65535), "Port of the database.", default=5432, variable="DATABASE_PORT"
    )
    name: str = setting(TEXT, "Name of the database.", default="strapi", variable="DATABASE_NAME")
    username: str = setting(
        TEXT, "User of the database.", default="strapi", variable="DATABASE_USERNAME"
    )
    password: str | None = setting(
        SECRET, "Password of that user.", default=None, variable="DATABASE_PASSWORD", private=True
    )
    schema: str = setting(
        TEXT, "Schema inside a PostgreSQL database.", default="public", variable="DATABASE_SCHEMA"
    )
    timezone: str | None = setting(
        optional(TEXT),
        "Time zone in which a PostgreSQL database stores timestamps; by default that of the "
        "system.",
        default=None,
        variable="TZ",
    )
    ssl: bool = setting(
        FLAG, "Connect to the database over TLS.", default=False, variable="DATABASE_SSL"
    )
    ssl_verify: bool = setting(
        FLAG,
        "Verify the certificate of the database server and its host name.",
        default=True,
        variable="DATABASE_SSL_REJECT_UNAUTHORIZED",
    )
    pool_max: int = setting(
        integer(2, 1000),
        "Maximum connections per process. One is for writes; if there are at least three, one "
        "checks for commits of other processes.",
        default=10,
        variable="DATABASE_POOL_MAX",
    )
    pool_timeout_ms: int = setting(
        integer(1, 600_000), "Milliseconds to wait for a free connection.", default=15_000
    )
    connect_timeout_ms: int = setting(
        integer(1, 600_000), "Milliseconds to wait for a new connection.", default=5000
    )
    replicas: tuple[str, ...] = setting(
        DATABASE_URLS,
        "URLs of PostgreSQL standbys that serve reads.",
        default=(),
        variable="DATABASE_REPLICA_URLS",
        private=True,
    )
    replica_wait_ms: int = setting(
        integer(0, 60_000),
        "Milliseconds that a read waits for a standby to catch up; then it goes to the primary "
        "server.",
        default=100,
    )
    pooler: bool = setting(
        FLAG,
        "A connection pooler in transaction mode is in between.",
        default=False,
    )
    direct_url: str | None = setting(
        DATABASE_URL,
        "URL of the PostgreSQL server itself, without the pooler, for backups.",
        default=None,
        variable="DATABASE_DIRECT_URL",
        private=True,
    )

    def direct(self) -> "DatabaseSettings":
        """Return the settings without the pooler, for ``pg_dump`` and ``psql``.

        These programs change settings of their session, such as ``search_path``. A pooler in
        transaction mode would pass them on, with the connection of the server, to other clients.
        Raises ConfigurationError without ``direct_url``.
        """
        if self.client != "postgres" or not self.pooler:
            return self
        if self.direct_url is None:
            raise ConfigurationError(_NO_DIRECT_URL)
        return replace(self, url=self.direct_url, pooler=False)


@dataclass(frozen=True, slots=True, kw_only=True)
class SecretSettings:
    """Keys and salts; from the environment or ``.env`` only."""

    app_keys: tuple[str, ...] = setting(
        NAMES, "Keys that sign session cookies.", default=(), variable="APP_KEYS", private=True
    )
    api_token_salt: str | None = setting(
        SECRET,
        "Salt of the hashes of API tokens.",
        default=None,
        variable="API_TOKEN_SALT",
        private=True,
    )
    admin_jwt_secret: str | None = setting(
        SECRET,
        "Key that signs the tokens of administrators.",
        default=None,
        variable="ADMIN_JWT_SECRET",
        private=True,
    )
    transfer_token_salt: str | None = setting(
        SECRET,
        "Salt of the hashes of transfer tokens.",
        default=None,
        variable="TRANSFER_TOKEN_SALT",
        private=True,
    )
    jwt_secret: str | None = setting(
        SECRET,
        "Key that signs the tokens of end users.",
        default=None,
        variable="JWT_SECRET",
        private=True,
    )
    encryption_key: str | None = setting(
        SECRET,
        "Key that encrypts API tokens that stay readable in the admin.",
        default=None,
        variable="ENCRYPTION_KEY",
        private=True,
    )


@dataclass(frozen=True, slots=True, kw_only=True)
class UploadSettings:
    """``[uploads]``: uploaded files."""

    directory: Path = setting(PATH, "Folder of the uploaded files.", default=Path("public/uploads"))
    size_limit: int = setting(
        integer(1), "Maximum size of a file, in bytes.", default=1_000_000_000
    )
    request_limit: int = setting(
        integer(1), "Maximum size of all files in one request, in bytes.", default=10_000_000_000
    )
    breakpoints: Mapping[str, int] = setting(
        table_of(integer(1, 100_000), "format names to widths in pixels"),
        "Image formats to create, each with its maximum width and height in pixels.",
        default=MappingProxyType({"large": 1000, "medium": 750, "small": 500}),
    )
    variants: tuple[str, ...] = setting(
        list_of(choice("webp", "avif"), '"webp" or "avif"'),
        "Further image types in which each image is stored, in all its sizes.",
        default=(),
    )
    pixel_limit: int = setting(
        integer(1), "Maximum number of pixels of an image.", default=268_402_689
    )
    allowed_types: tuple[str, ...] | None = setting(
        optional(NAMES),
        'Allowed file types, such as "image/png" or "image/*"; all by default.',
        default=None,
    )
    denied_types: tuple[str, ...] = setting(
        NAMES, "Rejected file types, even if they are allowed.", default=()
    )
    storage: str = setting(
        STORAGE,
        "Where files are stored: in the folder, in a bucket, or in a storage backend of the "
        "project's code.",
        default="local",
        variable="UPLOADS_STORAGE",
    )
    endpoint: str | None = setting(
        optional(URL),
        "URL of the object storage service, if it is not the default one.",
        default=None,
    )
    region: str | None = setting(optional(TEXT), "Region of the bucket.", default=None)
    access_key: str | None = setting(
        SECRET,
        "Access key id for the bucket.",
        default=None,
        variable="AWS_ACCESS_KEY_ID",
        private=True,
    )
    secret_key: str | None = setting(
        SECRET,
        "Secret access key for the bucket.",
        default=None,
        variable="AWS_SECRET_ACCESS_KEY",
        private=True,
    )
    public_url: str | None = setting(
        optional(URL),
        "URL prefix of files that another server delivers.",
        default=None,
    )
    private: bool = setting(FLAG, "Serve files only through signed links.", default=False)
    link_lifetime: timedelta = setting(
        DURATION, "How long a signed link is valid.", default=timedelta(minutes=15)
    )
    transform_sizes: tuple[int, ...] = setting(
        SIZES, "Widths and heights in pixels that anybody may request of an image.", default=()
    )
    transform_key: str | None = setting(
        SECRET,
        "Key that signs requests for other sizes.",
        default=None,
        variable="UPLOADS_TRANSFORM_KEY",
        private=True,
    )
    transform_directory: Path = setting(
        PATH, "Folder for the cache of transformed images.", default=Path(".tmp/transforms")
    )
    transform_cache: int = setting(
        integer(1), "Maximum size of this cache, in bytes.", default=1_000_000_000
    )
    threads: int = setting(integer(1, 64), "Threads per process for image processing.", default=2)
    temporary_directory: Path = setting(
        PATH, "Folder for files during upload.", default=Path(".tmp/uploads")
    )

    @property
    def storage_backend(self) -> str | None:
        """The backend of the project's code that files are in; ``None`` for folder and bucket."""
        return None if self.storage == "local" or "://" in self.storage else self.storage


@dataclass(frozen=True, slots=True, kw_only=True)
class PublicSettings:
    """``[public]``: static files."""

    directory: Path = setting(PATH, "Folder of the public files.", default=Path("public"))


@dataclass(frozen=True, slots=True, kw_only=True)
class CorsSettings:
    """``[cors]``: which web pages may call the server from a browser."""

    origins: tuple[str, ...] = setting(
        ORIGINS,
        "Origins that may read responses and send cookies; with the default, any origin may "
        "read, without cookies.",
        default=("*",),
    )
    methods: tuple[str, ...] = setting(
        NAMES,
        "Allowed methods in preflight responses.",
        default=("GET", "POST", "PUT", "PATCH", "DELETE", "HEAD", "OPTIONS"),
    )
    headers: tuple[str, ...] = setting(
        NAMES,
        "Allowed request headers in preflight responses.",
        default=("Content-Type", "Authorization", "Origin", "Accept", "If-Match"),
    )
    expose_headers: tuple[str, ...] = setting(
        NAMES, "Response headers that scripts of other origins may read.", default=("ETag",)
    )
    max_age: timedelta = setting(
        DURATION, "How long browsers may cache a preflight response.", default=timedelta(days=365)
    )


@dataclass(frozen=True, slots=True, kw_only=True)
class SecuritySettings:
    """``[security]``: protective headers."""

    content_security_policy: Mapping[str, tuple[str, ...]] = setting(
        SOURCES,
        "Directives that replace those of the same name; an empty list removes one.",
        default=MappingProxyType({}),
    )
    hsts_max_age: timedelta | None = setting(
        optional(DURATION),
        "`max-age` of `Strict-Transport-Security`; without it the header is not sent.",
        default=timedelta(days=365),
    )
    frame_options: Literal["DENY", "SAMEORIGIN"] = setting(
        choice("DENY", "SAMEORIGIN"), "Value of `X-Frame-Options`.", default="SAMEORIGIN"
    )


@dataclass(frozen=True, slots=True, kw_only=True)
class UserRateLimit:
    """``[users.rate_limit]``: calls of the routes with which end users sign in and register."""

    enabled: bool = setting(FLAG, "Whether calls are limited.", default=True)
    max: int = setting(integer(1), "Calls of one route per client in an interval.", default=10)
    interval: timedelta = setting(DURATION, "The interval.", default=timedelta(minutes=1))


@dataclass(frozen=True, slots=True, kw_only=True)
class AdminRateLimit:
    """``[admin.rate_limit]``: attempts of administrators to sign in."""

    enabled: bool = setting(FLAG, "Whether attempts are limited.", default=True)
    max: int = setting(
        integer(1), "Attempts per client address and e-mail in an interval.", default=5
    )
    interval: timedelta = setting(DURATION, "The interval.", default=timedelta(minutes=5))


@dataclass(frozen=True, slots=True, kw_only=True)
class UserSessionSettings:
    """``[users.sessions]``: sessions of end users, with ``users.jwt_management = "refresh"``."""

    access_expires_in: timedelta = setting(
        DURATION, "Lifetime of an access token.", default=timedelta(minutes=10)
    )
    idle: timedelta = setting(
        DURATION,
        "How long a session lasts without a refresh.",
        default=timedelta(days=14),
    )
    longest: timedelta = setting(
        DURATION, "Maximum lifetime of a session.", default=timedelta(days=30)
    )
    http_only: bool = setting(
        FLAG,
        "Send the refresh token in an `HttpOnly` cookie only, not in the response body.",
        default=False,
    )
    cookie_name: str = setting(TEXT, "Name of that cookie.", default="strapi_up_refresh")
    cookie_path: str = setting(TEXT, "Path of that cookie.", default="/")
    cookie_domain: str | None = setting(
        optional(TEXT), "Domain of that cookie; by default the host of the request.", default=None
    )
    cookie_same_site: Literal["strict", "lax", "none"] = setting(
        choice("strict", "lax", "none"), "`SameSite` of that cookie.", default="lax"
    )
    cookie_secure: bool = setting(
        FLAG, "Send that cookie over TLS only, in production.", default=True
    )
    cookie_max_age: timedelta | None = setting(
        optional(DURATION),
        "How long browsers keep that cookie; by default until they are closed.",
        default=None,
    )


@dataclass(frozen=True, slots=True, kw_only=True)
class UserSettings:
    """``[users]``: end users."""

    jwt_management: Literal["legacy-support", "refresh"] = setting(
        choice("legacy-support", "refresh"),
        "What end users get at sign-in: one long-lived token, or a short-lived access token and "
        "a refresh token.",
        default="legacy-support",
    )

    jwt_expires_in: timedelta = setting(
        DURATION, "Lifetime of the long-lived token.", default=timedelta(days=30)
    )
    reset_expires_in: timedelta = setting(
        DURATION,
        "How long a code for a password reset is valid.",
        default=timedelta(hours=1),
    )
    register_fields: tuple[str, ...] = setting(
        NAMES,
        "Attributes that may be set at registration besides user name, e-mail and password.",
        default=(),
    )
    sessions: UserSessionSettings = field(default_factory=UserSessionSettings)
    rate_limit: UserRateLimit = field(default_factory=UserRateLimit)


@dataclass(frozen=True, slots=True, kw_only=True)
class MailSettings:
    """``[mail]``: the SMTP server, and the sender of mails."""

    host: str | None = setting(
        optional(TEXT),
        "Host of the SMTP server; without it no mail is sent (`quire dev` prints mails).",
        default=None,
        variable="SMTP_HOST",
    )
    port: int = setting(
        integer(1, 65535), "Port of the SMTP server.", default=587, variable="SMTP_PORT"
    )
    security: Literal["starttls", "tls", "none"] = setting(
        choice("starttls", "tls", "none"),
        "`starttls` upgrades the connection before signing in, `tls` starts with TLS.",
        default="starttls",
    )
    username: str | None = setting(
        optional(TEXT),
        "User name for the SMTP server.",
        default=None,
        variable="SMTP_USERNAME",
    )
    password: str | None = setting(
        SECRET,
        "Password for the SMTP server.",
        default=None,
        variable="SMTP_PASSWORD",
        private=True,
    )
    sender: str = setting(
        TEXT,
        "Default sender address.",
        default="no-reply@localhost",
    )
    timeout: timedelta = setting(
        DURATION, "Timeout of the SMTP server.", default=timedelta(seconds=20)
    )


@dataclass(frozen=True, slots=True, kw_only=True)
class AdminSettings:
    """``[admin]``: administrators."""

    registration: Literal["link", "open"] = setting(
        choice("link", "open"),
        "Who may become the first administrator: whoever has the link that is printed at "
        "startup, or the first visitor.",
        default="link",
    )
    revisions: int = setting(
        integer(0),
        "How many revisions of an entry are kept per locale; 0 disables revisions.",
        default=50,
    )
    docs_url: str | None = setting(
        optional(URL),
        "URL of this documentation, such as the folder `docs` of a repository; each screen of "
        "the admin UI links to its page.",
        default=None,
    )
    rate_limit: AdminRateLimit = field(default_factory=AdminRateLimit)


@dataclass(frozen=True, slots=True, kw_only=True)
class WebhookSettings:
    """Calls to other servers after events."""

    private_addresses: bool = setting(
        FLAG,
        "Whether webhooks may call private and local addresses.",
        default=False,
    )
    queue: int = setting(
        integer(1),
        "Maximum number of pending deliveries per webhook; further events are dropped.",
        default=10_000,
    )
    log_days: int = setting(
        integer(1, 36_500), "How many days the log of deliveries is kept.", default=7
    )


@dataclass(frozen=True, slots=True, kw_only=True)
class JobSettings:
    """``[jobs]``: functions of the project that run in the background."""

    workers: int = setting(
        integer(0, 1000),
        "How many jobs a server process runs at the same time; 0 runs none.",
        default=4,
    )
    queues: tuple[str, ...] = setting(
        NAMES, "Queues whose jobs this process runs; all queues if empty.", default=()
    )
    log_days: int = setting(integer(1, 36_500), "How many days finished jobs are kept.", default=7)


@dataclass(frozen=True, slots=True, kw_only=True)
class AuditSettings:
    """``[audit]``: the audit log."""

    log_days: int | None = setting(
        optional(integer(1, 36_500)),
        "How many days rows of the audit log are kept; all are kept without it.",
        default=None,
    )
    system_rows: int | None = setting(
        optional(integer(1)),
        "How many rows about writes of Python code with `as_system` are kept, the latest ones.",
        default=100_000,
    )


@dataclass(frozen=True, slots=True, kw_only=True)
class BackupSettings:
    """``[backup]``: the defaults of `quire backup`, and when servers make backups."""

    folder: Path = setting(PATH, "Folder of the backups.", default=Path("backups"))
    keep: int | None = setting(
        optional(integer(1)), "How many backups to keep; older ones are deleted.", default=None
    )
    recipient: str | None = setting(
        optional(TEXT), "Public key of `age` for which backups are encrypted.", default=None
    )
    schedule: str | None = setting(
        optional(TEXT),
        "When a server makes backups: a cron expression, in UTC.",
        default=None,
    )


@dataclass(frozen=True, slots=True, kw_only=True)
class LocaleSettings:
    """``[i18n]``: languages."""

    initial_locale: str = setting(
        TEXT,
        "Default locale of a new database.",
        default="en",
        variable="STRAPI_PLUGIN_I18N_INIT_LOCALE_CODE",
    )


@dataclass(frozen=True, slots=True, kw_only=True)
class FeatureSettings:
    """``[features]``: optional features."""

    first_published_at: bool = setting(
        FLAG,
        "Add `firstPublishedAt` to types with draft and publish "
        "(`future.experimental_firstPublishedAt` of `config/features.js`).",
        default=False,
    )


@dataclass(frozen=True, slots=True, kw_only=True)
class CacheSettings:
    """``[cache]``: sizes of the caches of each process, in entries unless stated otherwise."""

    queries: int = setting(integer(0), "Parsed query strings.", default=4000)
    plans: int = setting(integer(0), "Read plans with their compiled statements.", default=2000)
    counts: int = setting(integer(0), "Totals of lists.", default=20_000)
    pages: int = setting(
        integer(0),
        "Expensive pages of lists (sorted without an index, or deep): their ids, up to 250 per "
        "page.",
        default=1000,
    )
    responses: int = setting(
        integer(0),
        "Responses to reads of content, in bytes. Any commit invalidates them.",
        default=33_554_432,
    )
    tokens: int = setting(integer(0), "Verified credentials.", default=2000)


@dataclass(frozen=True, slots=True, kw_only=True)
class LimitSettings:
    """``[limits]``: the limits of one request."""

    json_body: int = setting(
        integer(1), "Maximum size of a JSON body, in bytes.", default=1_048_576
    )
    form_body: int = setting(
        integer(1), "Maximum size of a URL-encoded body, in bytes.", default=57_344
    )
    populate_depth: int | None = setting(
        optional(integer(1, 100)), "Maximum depth of populated relations.", default=20
    )
    populate_nodes: int = setting(
        integer(1),
        "Maximum number of populated relations and components in one request.",
        default=2000,
    )
    filter_values: int = setting(
        integer(1),
        "Maximum number of values in one list of a filter (`$in`, `$or` and the like).",
        default=1000,
    )
    rows: int = setting(
        integer(1),
        "Maximum number of rows that one read may fetch, populated ones included, and of "
        "entries in its response: an entry that is populated in several places counts each "
        "time.",
        default=200_000,
    )
    response_size: int = setting(
        integer(1), "Maximum size of a response to a read of content, in bytes.", default=20_000_000
    )
    followed_relations: int = setting(
        integer(1),
        "Maximum number of relations, components and media attributes in the filters and sort "
        "orders of one request.",
        default=100,
    )
    batch_operations: int = setting(
        integer(1), "Maximum number of operations in a batch.", default=100
    )


@dataclass(frozen=True, slots=True, kw_only=True)
class MigrationSettings:
    """``[migration]``: how a project's JavaScript, which Quire does not run, is treated."""

    ignore: tuple[str, ...] = setting(
        NAMES,
        "Files that are accepted although Quire does not run them (paths in the project, or "
        "patterns such as `src/api/*/controllers/*`).",
        default=(),
    )


@dataclass(frozen=True, slots=True, kw_only=True)
class LogSettings:
    """``[log]``: what the server logs."""

    level: Literal["debug", "info", "warning", "error"] = setting(
        choice("debug", "info", "warning", "error"),
        "Minimum level of log lines.",
        default="info",
    )
    format: Literal["auto", "json", "console"] = setting(
        choice("auto", "json", "console"),
        "Format of log lines; `auto` is `console` in development and in a terminal, else `json`.",
        default="auto",
    )
    requests: bool = setting(FLAG, "Log every request.", default=False)


@dataclass(frozen=True, slots=True, kw_only=True)
class MetricsSettings:
    """``[metrics]``: measurements for Prometheus."""

    port: int | None = setting(
        optional(integer(0, 65535)),
        "Port on which metrics are served, not that of the API; 0 chooses a free one. Without "
        "it nothing is measured.",
        default=None,
        variable="METRICS_PORT",
    )
    address: str = setting(
        TEXT,
        "Address on which metrics are served.",
        default="127.0.0.1",
        variable="METRICS_ADDRESS",
    )
    token: str | None = setting(
        SECRET,
        "Bearer token for reading metrics; without it, everybody who reaches the address can "
        "read them.",
        default=None,
        variable="METRICS_TOKEN",
        private=True,
    )
    slow_query_ms: int = setting(
        integer(1, 3_600_000),
        "Milliseconds from which a database read or write counts as slow.",
        default=200,
    )


@dataclass(frozen=True, slots=True, kw_only=True)
class TracingSettings:
    """``[tracing]``: traces by OpenTelemetry, which the extra ``quire[otel]`` installs."""

    endpoint: str | None = setting(
        optional(URL),
        "URL to which spans are sent by OTLP over HTTP; without it there are no traces.",
        default=None,
        variable="OTEL_EXPORTER_OTLP_ENDPOINT",
    )
    service_name: str = setting(
        TEXT, "Name of the server in traces.", default="quire", variable="OTEL_SERVICE_NAME"
    )
    traces_per_second: int = setting(
        integer(1, 1_000_000),
        "How many traces each process starts per second at most, if the environment does not set "
        "`OTEL_TRACES_SAMPLER`.",
        default=10,
    )


@dataclass(frozen=True, slots=True, kw_only=True)
class CdnSettings:
    """``[cdn]``: what shared caches in front of the server keep, and how they are purged."""

    cache_control: Mapping[str, str] = setting(
        CACHE_CONTROLS,
        "`Cache-Control` of public reads, by content type; `*` is the default for others. "
        "Without it the header is not sent.",
        default=MappingProxyType({}),
    )
    tag_header: Literal["Surrogate-Key", "Cache-Tag", ""] = setting(
        choice("Surrogate-Key", "Cache-Tag", ""),
        "Header that names the content of a public response.",
        default="",
    )
    purge: Literal["none", "generic", "varnish", "fastly", "cloudflare"] = setting(
        choice("none", "generic", "varnish", "fastly", "cloudflare"),
        "Service that is called to purge caches after each change of content.",
        default="none",
    )
    purge_url: str | None = setting(
        optional(URL),
        "URL to call; Fastly and Cloudflare have a default.",
        default=None,
        variable="CDN_PURGE_URL",
    )
    purge_zone: str | None = setting(
        optional(TEXT),
        "Id of the Fastly service or the Cloudflare zone.",
        default=None,
        variable="CDN_PURGE_ZONE",
    )
    purge_token: str | None = setting(
        SECRET,
        "Token that authorizes the call.",
        default=None,
        variable="CDN_PURGE_TOKEN",
        private=True,
    )


@dataclass(frozen=True, slots=True, kw_only=True)
class Settings:
    """The effective settings of one project; made by :func:`quire.settings.load_settings`.

    ``project`` is the absolute path of the project's folder; every path in a section is absolute,
    too. ``notices`` are warnings about valid settings. ``origins`` has the source of every setting
    that is not at its default.
    """

    project: Path
    environment: Environment = setting(
        choice("production", "development"),
        "`development` writes readable logs and includes details of errors and timings in "
        "responses.",
        default="production",
        variable="NODE_ENV",
    )
    server: ServerSettings = field(default_factory=ServerSettings)
    api: ApiSettings = field(default_factory=ApiSettings)
    database: DatabaseSettings = field(default_factory=DatabaseSettings)
    secrets: SecretSettings = field(default_factory=SecretSettings)
    uploads: UploadSettings = field(default_factory=UploadSettings)
    public: PublicSettings = field(default_factory=PublicSettings)
    cors: CorsSettings = field(default_factory=CorsSettings)
    security: SecuritySettings = field(default_factory=SecuritySettings)
    users: UserSettings = field(default_factory=UserSettings)
    mail: MailSettings = field(default_factory=MailSettings)
    admin: AdminSettings = field(default_factory=AdminSettings)
    webhooks: WebhookSettings = field(default_factory=WebhookSettings)
    jobs: JobSettings = field(default_factory=JobSettings)
    audit: AuditSettings = field(default_factory=AuditSettings)
    backup: BackupSettings = field(default_factory=BackupSettings)
    i18n: LocaleSettings = field(default_factory=LocaleSettings)
    features: FeatureSettings = field(default_factory=FeatureSettings)
    cache: CacheSettings = field(default_factory=CacheSettings)
    limits: LimitSettings = field(default_factory=LimitSettings)
    migration: MigrationSettings = field(default_factory=MigrationSettings)
    extensions: ExtensionSettings = field(default_factory=ExtensionSettings)
    custom_fields: Mapping[str, str] = setting(
        CUSTOM_FIELD_TYPES,
        "Attribute types for custom fields of plugins, by the uid of the field.",
        default=MappingProxyType({}),
    )
    log: LogSettings = field(default_factory=LogSettings)
    metrics: MetricsSettings = field(default_factory=MetricsSettings)
    cdn: CdnSettings = field(default_factory=CdnSettings)
    tracing: TracingSettings = field(default_factory=TracingSettings)
    notices: tuple[str, ...] = ()
    origins: Mapping[str, str] = field(default_factory=lambda: MappingProxyType({}))

    @property
    def is_development(self) -> bool:
        """Whether errors and timings may be shown to the client."""
        return self.environment == "development"

    def missing_secrets(self) -> tuple[str, ...]:
        """Return the environment names of the missing secrets, in their usual order."""
        return tuple(
            declaration.variable
            for name, declaration, value in _walk(self.secrets, "secrets")
            if declaration.variable is not None and not value
        )

    def require_secrets(self) -> None:
        """Check that the secrets for credentials of the content API are set.

        Generated secrets would invalidate all tokens at the end of the run, so none are generated.
        Raises :class:`ConfigurationError` that names all missing secrets.
        """
        needed = {"API_TOKEN_SALT", "JWT_SECRET"}
        names = self.missing_secrets()
        if not needed.intersection(names):
            return
        raise ConfigurationError(
            f"These secrets are not set: {', '.join(names)}.\n"
            f"`{NEW_SECRETS_COMMAND} {self.project}` prints lines with new ones for "
            f"{self.project / '.env'}.\n"
            "A project that has been served before needs its old ones: with new ones, tokens and "
            "sessions made so far are no longer valid."
        )

    def explain(self) -> list[tuple[str, str, str]]:
        """Return every setting as ``(name, value, source)``, private values hidden.

        Values have the form of environment variables; paths inside the project are relative to it.
        """
        rows = [("project", str(self.project), "command line")]
        for name, declaration, value in _walk(self, ""):
            origin = self.origins.get(name, "default")
            rows.append((name, self._shown(declaration, value), origin))
        return [*rows, *self.extensions.explain_variables()]

    def _shown(self, setting: Setting[object], value: object) -> str:
        if setting.private:
            return "(set)" if value else "(not set)"
        if isinstance(value, Path) and value.is_relative_to(self.project):
            return str(value.relative_to(self.project))
        return setting.kind.show(value)


def _walk(section: object, prefix: str) -> Iterator[tuple[str, Setting[object], object]]:
    """Yield every setting of a section and its subsections: dotted name, declaration, value."""
    if not is_dataclass(section):
        return
    for declared in fields(section):
        name = f"{prefix}.{declared.name}" if prefix else declared.name
        value = getattr(section, declared.name)
        if METADATA_KEY in declared.metadata:
            yield name, declared.metadata[METADATA_KEY], value
        elif is_dataclass(value):
            yield from _walk(value, name)


@cache
def known_settings() -> Mapping[str, Setting[object]]:
    """Return every setting by its dotted name, in the order in which it is printed."""
    declarations = {name: setting for name, setting, _ in _walk(Settings(project=Path()), "")}
    return MappingProxyType(declarations)
