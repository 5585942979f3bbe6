"""The plugins that a project has: in ``src/plugins``, and as packages in ``package.json``.

None of them runs. Their tables stay as they are, components and attributes that they have brought
into schema files are served; their routes, and types that only their code declares, are not.
"""

import json
import re
from collections.abc import Iterator
from pathlib import Path

from quire.customisations.findings import Finding
from quire.customisations.tree import folders

_PACKAGE_FILE = "package.json"
_PLUGIN = re.compile(
    r"(?:@[\w.-]+/)?(?:strapi-(?:v?5-)?plugin-|plugin-|strapi-).+|.+-strapi-plugin"
)
_OFFICIAL = "@strapi/plugin-"
_SERVED = frozenset({"i18n", "upload", "email", "users-permissions"})
_ONLY_IN_ADMIN = (
    *("ckeditor", "cloud", "color-picker", "config-sync", "documentation", "import-export"),
    *("location-picker", "preview-button", "schema-visualizer", "sentry", "seo"),
    *("sortable-entries", "tiptap", "tinymce", "multi-select", "provider"),
)
"""Parts of names of plugins that add inputs or pages to the admin panel, or of upload providers."""
_EFFECTS = {
    "graphql": "the GraphQL API is not served",
    "populate-deep": "populate=deep is not understood: name what to populate",
    "populate-all": "populate=all is not understood: name what to populate",
    "nested-populat": "what it populates by itself is not populated: name what to populate",
}


def find_plugins(project: Path) -> Iterator[Finding]:
    """Find the plugins of a project."""
    for folder in folders(project / "src" / "plugins"):
        path = folder.relative_to(project).as_posix()
        sentence = "is a plugin that does not run, and whose types and routes do not exist"
        yield Finding(path, "plugin", "warning", sentence)
    for name in sorted(_dependencies(project)):
        effect = _effect(name)
        if effect is not None:
            yield Finding(_PACKAGE_FILE, "plugin", "warning", f"{name}: {effect}")


def _effect(name: str) -> str | None:
    """Return what it means that a plugin does not run, ``None`` if nothing or no plugin."""
    if not _PLUGIN.fullmatch(name):
        return None
    is_official = name.startswith("@strapi/")
    if is_official and name.removeprefix(_OFFICIAL) in _SERVED:
        return None
    if is_official and not name.startswith(_OFFICIAL):
        return None
    for part, effect in _EFFECTS.items():
        if part in name:
            return effect
    if any(part in name for part in _ONLY_IN_ADMIN):
        return None
    return "a plugin that does not run: its tables stay, its routes are not served"


def _dependencies(project: Path) -> frozenset[str]:
    try:
        package = json.loads((project / _PACKAGE_FILE).read_text(encoding="utf-8"))
    except (OSError, ValueError):
        return frozenset()
    found = package.get("dependencies") if isinstance(package, dict) else None
    return frozenset(found) if isinstance(found, dict) else frozenset()
