"""Creates the content API of a schema runtime."""

import structlog
from msgspec import Struct

from quire.auth.authenticator import Authenticator
from quire.auth.shared_counters import SharedCounters
from quire.clock import Clock
from quire.content_api.admin_pages import AdminPages
from quire.content_api.application import ContentApi, OtherApi, OtherResponders
from quire.content_api.around_reads import AroundReads
from quire.content_api.batch.handler import BatchApi
from quire.content_api.cache_control import SharedCaching
from quire.content_api.content_types import ModelApi
from quire.content_api.customised_routes import guarded_routes
from quire.content_api.documents import DocumentApi
from quire.content_api.headers import Cors, ResponseHeaders, pdf_policy, security_headers
from quire.content_api.locales import LocaleApi
from quire.content_api.openapi_routes import PATH as DESCRIPTION
from quire.content_api.openapi_routes import DescriptionApi
from quire.content_api.project_javascript.routes import ScriptServices
from quire.content_api.public_files import PageProvider, PublicFiles
from quire.content_api.python_routes import custom_route
from quire.content_api.readiness import Readiness
from quire.content_api.response_cache import ResponseCache
from quire.content_api.routes import Authorizer, Route, RouteTable
from quire.content_api.scripted_reads import ScriptedReads
from quire.content_api.server_timing import TimedAuthenticator
from quire.content_api.swagger_page import PATH as REFERENCE
from quire.content_api.swagger_page import SwaggerPage
from quire.content_api.upload_routes import FileApi
from quire.content_api.uploaded_files import UploadedFiles
from quire.content_api.user_routes import AccountApis
from quire.content_manager.content_version import ContentVersion
from quire.customisations import Customisations, HookGuard
from quire.database.schema_version import WriteCheck
from quire.database.settings_target import kind_of
from quire.database.stores.auth_rows import Accounts
from quire.database.tables.inspection import wanted_tables
from quire.database.tables.table_map import map_tables
from quire.document_service.read_service import ReadService
from quire.document_service.service import DocumentService
from quire.hooks.registry import Extensions
from quire.metrics.caches import CacheCounter
from quire.runtime.services import Services
from quire.schema.model import Schema
from quire.settings import Settings
from quire.uploads.service import MediaLibrary
from quire.uploads.setup import open_transform_cache
from quire.uploads.transforms import TransformRules

_log = structlog.get_logger("quire")
_MOST_NAMED_TYPES = 20


class ContentParts(Struct, frozen=True, kw_only=True):
    """The parts of the content API that were created for the same schema.

    ``require_schema`` raises an error if the tables have another schema; ``other_api`` handles
    requests to the admin API.
    """

    accounts: Accounts
    reader: ReadService
    documents: DocumentService
    library: MediaLibrary
    account_apis: AccountApis
    content_version: ContentVersion
    require_schema: WriteCheck
    other_api: OtherApi | None
    customisations: Customisations


def assemble_content(services: Services, parts: ContentParts) -> ContentApi:
    """Create the content API. Types that are guarded by JavaScript are disabled, and logged."""
    settings = services.settings
    schema = parts.reader.schema
    customisations = parts.customisations
    _log_closed(customisations)
    authorizer = Authorizer(customisations.closed.keys() | _missing(customisations, schema))
    authenticator = _authenticator(services, parts)
    return ContentApi(
        RouteTable(
            _routes(
                settings,
                parts,
                authorizer,
                authenticator,
                customisations,
                services.clock,
                services.services.calls,
                services.metrics.caches.responses,
            ),
            settings.api.prefix.rstrip("/"),
        ),
        parts.content_version,
        authenticator,
        settings=settings,
        headers=ResponseHeaders(security_headers(settings.security), Cors(settings.cors)),
        authorizer=authorizer,
        engine=parts.documents.engine,
        responders=OtherResponders(
            readiness=Readiness(
                services.database,
                kind_of(settings).inspector,
                tables=wanted_tables(map_tables(parts.reader.schema)),
                require_schema=parts.require_schema,
                stop_notice=services.stop_notice,
            ),
            public=PublicFiles(
                project=settings.project,
                public=settings.project / settings.public.directory,
                uploads=_uploaded_files(settings, parts.library),
                pages=_pages(settings, parts.documents.engine.extensions),
            ),
            api=parts.other_api,
            successor=services.successor,
            observer=services.metrics.observer,
            tracing=services.tracing,
            shared_caching=SharedCaching(schema, settings.cdn)
            if settings.cdn.cache_control
            else None,
        ),
    )


def _routes(
    settings: Settings,
    parts: ContentParts,
    authorizer: Authorizer,
    authenticator: Authenticator,
    customisations: Customisations,
    now: Clock,
    calls: SharedCounters,
    counter: CacheCounter,
) -> list[Route]:
    reader, documents = parts.reader, parts.documents
    routes = [
        custom_route(route, documents, calls, now) for route in documents.engine.extensions.routes
    ]
    responses = ResponseCache(reader.database.versions, settings.cache.responses, counter)
    around = AroundReads(documents)
    reads = ScriptedReads(reader, responses, around)
    scripts = ScriptServices(
        reader=reader,
        documents=documents,
        now=now,
        environment=settings.environment,
        jwt_user_id=authenticator.jwt_user_id,
    )
    for content_type in reader.schema.api_types:
        handlers = DocumentApi(reader, documents, content_type, responses)
        usual = around.content_routes(handlers.routes())
        served = customisations.routes.get(content_type.uid)
        routes += (
            usual
            if served is None
            else guarded_routes(content_type.uid, usual, served, reads, scripts)
        )
    in_batches = Authorizer(
        customisations.closed.keys()
        | _missing(customisations, reader.schema)
        | _guarded_actions(customisations)
    )
    for api in (
        BatchApi(reader, documents, in_batches, limit=settings.limits.batch_operations),
        parts.account_apis,
        FileApi(
            reader, parts.library, authorizer, limits=settings.limits, uploads=settings.uploads
        ),
        LocaleApi(reader),
        ModelApi(reader.schema),
    ):
        routes += around.content_routes(api.routes())
    routes += DescriptionApi(reader.schema, authorizer, routes, settings).routes()
    return routes


def _authenticator(services: Services, parts: ContentParts) -> Authenticator:
    settings = services.settings
    is_timed = services.is_timed
    authenticator = TimedAuthenticator if is_timed else Authenticator
    return authenticator(
        services.database,
        parts.accounts,
        clock=services.clock,
        api_token_salt=settings.secrets.api_token_salt,
        jwt_secret=settings.secrets.jwt_secret,
        cache_size=settings.cache.tokens,
        sessions=parts.account_apis.sessions,
        counter=services.metrics.caches.credentials,
    )


def _pages(settings: Settings, extensions: Extensions) -> list[PageProvider]:
    document = f"{settings.api.prefix.rstrip('/')}/{DESCRIPTION}"
    is_shown = {"on": True, "off": False, "auto": settings.is_development}[settings.api.reference]
    pages: list[PageProvider] = [
        AdminPages(
            api_prefix=settings.api.prefix,
            document=document,
            reference=REFERENCE if is_shown else None,
            admin=settings.secrets.admin_jwt_secret is not None,
            sources=settings.security.content_security_policy,
            modules=extensions.admin_modules,
        )
    ]
    if is_shown:
        pages.append(SwaggerPage(document))
    return pages


def _uploaded_files(settings: Settings, library: MediaLibrary) -> UploadedFiles:
    uploads = settings.uploads
    return UploadedFiles(
        library.storage,
        settings.project / uploads.directory,
        open_transform_cache(settings, library),
        TransformRules(sizes=frozenset(uploads.transform_sizes), key=uploads.transform_key),
        links=library.links,
        lifetime=uploads.link_lifetime,
        pdf_policy=pdf_policy(settings.security),
    )


def _log_closed(customisations: Customisations) -> None:
    """Log what the project's own JavaScript disables."""
    for name, files in customisations.closed.items():
        subject = "content type" if name.count(".") == 1 else "action"
        _log.warning(f"{subject} is closed", uid=name, files=", ".join(files))
    guards_by_code: dict[tuple[str, str], list[HookGuard]] = {}
    for guard in customisations.guards:
        guards_by_code.setdefault((guard.place, guard.reason), []).append(guard)
    for guards in guards_by_code.values():
        uids = [guard.uid for guard in guards]
        others = len(uids) - _MOST_NAMED_TYPES
        named_uids = ", ".join(uids[:_MOST_NAMED_TYPES])
        actions = tuple(dict.fromkeys(action for guard in guards for action in guard.actions))
        _log.warning(
            "documents are closed",
            uid=named_uids if others <= 0 else f"{named_uids} and {others} more",
            actions=", ".join(actions),
            reason=guards[0].explanation(actions),
        )


def _missing(customisations: Customisations, schema: Schema) -> frozenset[str]:
    """Return the actions of content types that no route has."""
    return frozenset(
        f"{content_type.uid}.{action}"
        for content_type in schema.api_types
        for action in customisations.missing_actions(content_type)
    )


def _guarded_actions(customisations: Customisations) -> frozenset[str]:
    """Return the actions whose routes check or change requests, which batches would bypass."""
    return frozenset(
        f"{uid}.{route.action}"
        for uid, routes in customisations.routes.items()
        for route in routes
        if route.needs_user
        or route.is_refused
        or route.steps
        or route.read is not None
        or route.is_scripted
    )
