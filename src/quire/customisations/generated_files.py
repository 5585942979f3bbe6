"""Recognises unmodified files of a generator.

Such a file only asks for the default behaviour of content types, so nothing is lost when its
JavaScript does not run. The exports of a file are plain data as read by ``javascript.modules``.
"""

from quire.javascript.modules import EmptyFunction, Factory

_EMPTY_EXPORTS: tuple[object, ...] = ({}, EmptyFunction())
_HOOKS = frozenset({"register", "bootstrap", "destroy"})


def is_empty(exported: object) -> bool:
    """Whether a module exports an empty object."""
    return exported == {}


def is_core_controller(exported: object, uid: str) -> bool:
    """Whether a module exports the core controller of the type, or no actions."""
    return exported == {} or _is_factory(exported, "createCoreController", uid)


def is_core_service(exported: object, uid: str) -> bool:
    """Whether a module exports the core service of the type, or no methods."""
    return exported == {} or _is_factory(exported, "createCoreService", uid)


def routed_uid(exported: object) -> str | None:
    """Return the uid whose core routes a module exports unchanged, else ``None``."""
    match exported:
        case Factory("createCoreRouter", (str() as uid, *rest)) if rest in ([], [{}]):
            return uid
    return None


def is_empty_start_up(exported: object) -> bool:
    """Whether the start-up functions that a module exports do nothing."""
    if not isinstance(exported, dict):
        return False
    return _HOOKS.issuperset(exported) and all(
        function in _EMPTY_EXPORTS for function in exported.values()
    )


def _is_factory(exported: object, name: str, uid: str) -> bool:
    match exported:
        case Factory(found, (str() as of, *rest)) if found == name and of == uid:
            return rest in ([], [{}])
    return False
