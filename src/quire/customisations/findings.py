"""Findings of a scan of a project's JavaScript."""

from collections.abc import Iterable, Mapping
from typing import Literal

from msgspec import Struct, field

from quire.customisations.hook_guards import HookGuard
from quire.customisations.javascript_files import SourceFile
from quire.customisations.served_routes import (
    CORE_ACTIONS,
    ServedRoute,
    UnservedRoute,
    core_routes,
)
from quire.schema.model import ContentType, Schema

FindingKind = Literal[
    "routes",
    "controller",
    "policy",
    "middleware",
    "service",
    "lifecycles",
    "document middleware",
    "start-up",
    "extension",
    "plugin",
    "cron",
    "configuration",
]
Effect = Literal["closed", "warning", "ignored", "replaced"]


class Finding(Struct, frozen=True):
    """A file with behaviour that Quire does not have.

    ``file`` is relative to the project, with slashes. ``closes`` are the content types (by uid) and
    the actions (``api::article.article.find``) that the file disables, or would if it were not
    ignored or replaced; ``sentence`` explains it. ``guards`` are the actions on documents among
    them that also others than routes may take.
    """

    file: str
    kind: FindingKind
    effect: Effect
    sentence: str
    closes: tuple[str, ...] = ()
    guards: tuple[HookGuard, ...] = ()

    def __str__(self) -> str:
        return f"{self.file}: {self.sentence}"


def warning_of(
    file: SourceFile, kind: FindingKind, sentence: str, closes: Iterable[str] = ()
) -> Finding:
    """Return the finding of a file whose disabled actions are not determined yet."""
    return Finding(file.path, kind, "warning", sentence, tuple(closes))


class Customisations(Struct, frozen=True):
    """All findings of the scan.

    ``closed`` maps the uid of a content type, or the name of one of its actions, to the files that
    disable it. ``routes`` are the core routes of the types with router files; all others have the
    usual ones. ``unserved`` are routes to code that does not run. ``unused_ignores`` are entries of
    the setting ``migration.ignore`` without a matching finding, and ``unused_replacements`` are
    places of functions with the files that they would replace. ``custom_actions`` are those of the
    routes of the project's Python code, by uid. ``guards`` are actions on documents that are
    disabled wherever they are taken.
    """

    closed: Mapping[str, tuple[str, ...]]
    findings: tuple[Finding, ...]
    unused_ignores: tuple[str, ...] = ()
    unused_replacements: tuple[tuple[str, str], ...] = ()
    routes: Mapping[str, tuple[ServedRoute, ...]] = field(default_factory=dict)
    unserved: tuple[UnservedRoute, ...] = ()
    custom_actions: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    guards: tuple[HookGuard, ...] = ()

    def routed_actions(self, schema: Schema) -> dict[str, tuple[str, ...]]:
        """Return the actions of routes, by uid, for types with other than the usual ones."""
        actions_by_uid = {
            uid: tuple(dict.fromkeys(route.action for route in routes))
            for uid, routes in self.routes.items()
        }
        for uid, actions in self.custom_actions.items():
            content_type = schema.content_types.get(uid)
            usual_actions = (
                () if content_type is None else (name for _, _, name in core_routes(content_type))
            )
            actions_by_uid[uid] = tuple(
                dict.fromkeys((*actions_by_uid.get(uid, usual_actions), *actions))
            )
        return actions_by_uid

    def closed_actions(self, content_type: ContentType) -> frozenset[str]:
        """Return the disabled core actions of a content type, without the uid."""
        uid = content_type.uid
        if uid in self.closed:
            return frozenset(CORE_ACTIONS)
        guarded_names = {
            name for guard in self.guards if guard.uid == uid for name in guard.core_actions
        }
        return frozenset(
            name for name in CORE_ACTIONS if f"{uid}.{name}" in self.closed or name in guarded_names
        )

    def missing_actions(self, content_type: ContentType) -> frozenset[str]:
        """Return the core actions of a content type that no route has."""
        usual_actions = {name for _, _, name in core_routes(content_type)}
        routes = self.routes.get(content_type.uid)
        if routes is None:
            return frozenset()
        return frozenset(usual_actions - {route.action for route in routes})
