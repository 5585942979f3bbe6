"""Creates readers of content, with the configured limits."""

from quire.content_api.timing import TimedPlanner
from quire.database.compile.read_plan import NOTHING_PRESENTED
from quire.database.execute.list_cache import ListCache
from quire.database.tables.table_map import TableMap
from quire.document_service.read_planner import ReadPlanner
from quire.document_service.read_service import ReadService
from quire.query.resolve.scope import ReadLimits
from quire.runtime.services import Services
from quire.schema.model import Schema
from quire.settings import Settings
from quire.uploads.signed_links import present_files


def make_reader(services: Services, schema: Schema, tables: TableMap) -> ReadService:
    """Make what reads for the content API."""
    settings, links = services.settings, services.upload_context.links
    api = settings.api
    limits = ReadLimits(
        default_limit=api.default_limit,
        max_limit=api.max_limit,
        with_count=api.with_count,
        strict_params=api.strict_params,
        drafts_need_token=api.drafts_need_token,
        populate_depth=settings.limits.populate_depth,
        populate_nodes=settings.limits.populate_nodes,
        filter_values=settings.limits.filter_values,
        rows=settings.limits.rows,
        response_size=settings.limits.response_size,
        followed_relations=settings.limits.followed_relations,
    )
    planner = TimedPlanner if settings.is_development else ReadPlanner
    planned = planner(
        schema,
        tables,
        services.database.dialect,
        limits,
        default_locale=None,
        plans=settings.cache.plans,
        presented=NOTHING_PRESENTED if links is None else present_files(links),
        counter=services.metrics.caches.plans,
    )
    lists = ListCache(
        services.database.versions,
        totals=settings.cache.counts,
        pages=settings.cache.pages,
        slow_lists=services.slow_lists,
        counters=services.metrics.caches,
    )
    return ReadService(services.database, planned, lists)


def inner_limits(settings: Settings) -> ReadLimits:
    """Return what bounds reads by the server itself: pages of any size, but not any work."""
    return ReadLimits(
        default_limit=settings.api.default_limit,
        max_limit=None,
        filter_values=settings.limits.filter_values,
        rows=settings.limits.rows,
        response_size=settings.limits.response_size,
        followed_relations=settings.limits.followed_relations,
    )
