"""The limits of the settings for reads of the server itself, and for the project's code."""

from quire.hooks.registry import CodeLimits
from quire.query.resolve.scope import ReadLimits
from quire.settings import Settings


def inner_limits(settings: Settings) -> ReadLimits:
    """Return the limits of reads by the server itself: any page size, but limited work."""
    return ReadLimits(
        default_limit=settings.api.default_limit,
        max_limit=None,
        filter_values=settings.limits.filter_values,
        rows=settings.limits.rows,
        response_size=settings.limits.response_size,
        followed_relations=settings.limits.followed_relations,
    )


def code_limits(settings: Settings) -> CodeLimits:
    """Return the limits of the project's Python code."""
    extensions = settings.extensions
    return CodeLimits(
        hook_seconds=extensions.hook_seconds,
        prepare_seconds=extensions.prepare_seconds,
        route_seconds=extensions.route_seconds,
        job_seconds=extensions.job_seconds,
        delivery_seconds=extensions.delivery_seconds,
        statements=extensions.statements,
        levels=extensions.levels,
        rows=extensions.rows,
        argument_bytes=extensions.argument_bytes,
    )
