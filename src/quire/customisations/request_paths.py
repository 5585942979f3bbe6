"""The paths of requests that read or write a content type, for the analysis of middlewares."""

from collections.abc import Mapping
from itertools import takewhile

from quire.customisations.end_user_routes import END_USER_PREFIX, END_USER_ROUTES
from quire.customisations.router_files import Routes
from quire.schema.model import FILE_UID, ContentType

ADMIN_PATHS = ("/admin", "/content-manager")
_PATHS_OF_PLUGINS = {
    END_USER_PREFIX: ("/users", "/users-permissions"),
    "plugin::upload.": ("/upload",),
    "plugin::i18n.": ("/i18n",),
}
_PUBLIC_FILES = "/uploads"
"""The folder of uploaded files, which Strapi serves after all middlewares."""


def request_paths(
    types: Mapping[str, ContentType], routes: Routes, prefix: str
) -> dict[str, tuple[str, ...]]:
    """Return the folders of the paths of requests, by uid of a type or name of an account action.

    Types that have no routes are left out. ``prefix`` is that of the content API.
    """
    below = prefix.rstrip("/")
    paths = {
        uid: tuple(f"{below}{path}" for path in type_paths)
        for uid, content_type in types.items()
        if (type_paths := _paths_of_type(content_type, routes))
    }
    if FILE_UID in paths:
        paths[FILE_UID] = (*paths[FILE_UID], _PUBLIC_FILES)
    for route in END_USER_ROUTES:
        name = f"{END_USER_PREFIX}{route.action}"
        paths[name] = (*paths.get(name, ()), f"{below}{_folder(f'/{route.path}')}")
    return paths


def _paths_of_type(content_type: ContentType, routes: Routes) -> tuple[str, ...]:
    uid = content_type.uid
    if content_type.is_api:
        registered = (_folder(one.route.path) for one in routes.registered.get(uid, ()))
        return tuple(dict.fromkeys((f"/{content_type.route_name}", *registered)))
    for start, paths in _PATHS_OF_PLUGINS.items():
        if uid.startswith(start):
            return paths
    return ()


def _folder(path: str) -> str:
    """Return the segments of a path before the first one with a parameter."""
    segments = takewhile(lambda segment: not {":", "(", "*"} & {*segment}, path.split("/"))
    return "/".join(segments)
