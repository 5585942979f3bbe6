"""The status codes of successful responses of the admin API: mostly 200."""

from collections.abc import Mapping

from quire.content_api.routes import Route

OK, CREATED, ACCEPTED, NO_CONTENT = 200, 201, 202, 204

_OTHERS: Mapping[tuple[str, str], int] = {
    ("POST", "admin/api-tokens"): CREATED,
    ("POST", "admin/api-tokens/:id/regenerate"): CREATED,
    ("POST", "admin/roles"): CREATED,
    ("POST", "admin/users"): CREATED,
    ("POST", "admin/webhooks"): CREATED,
    ("POST", "admin/x/second-factor"): CREATED,
    ("POST", "admin/x/media/import"): CREATED,
    ("POST", "admin/x/media/:id/crop"): CREATED,
    ("POST", "admin/x/outbox/:id/replay"): ACCEPTED,
    ("POST", "admin/x/samples/:uid"): CREATED,
    ("POST", "admin/x/schedules/:name/run"): CREATED,
    ("POST", "admin/x/views"): CREATED,
    ("POST", "admin/x/webhooks/:id/deliveries/:delivery/redeliver"): ACCEPTED,
    ("POST", "admin/forgot-password"): NO_CONTENT,
    ("POST", "content-manager/collection-types/:uid"): CREATED,
    ("POST", "content-type-builder/components"): CREATED,
    ("POST", "content-type-builder/content-types"): CREATED,
    ("PUT", "content-type-builder/content-types/:uid"): CREATED,
    ("POST", "upload"): CREATED,
    ("POST", "upload/files"): CREATED,
    ("POST", "upload/folders"): CREATED,
}


def success_status(route: Route) -> int:
    """Return the status of a route's answer to what it did as it was asked to."""
    if route.status != OK:
        return route.status
    return _OTHERS.get((route.method, route.path.strip("/")), OK)
