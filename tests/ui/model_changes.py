"""Thirty changes of a content type, of every kind that the model builder has."""

from collections.abc import Callable, Iterator
from typing import Any, NamedTuple

from playwright.sync_api import Locator, Page

from tests.ui.models import Entry, content_type, update
from tests.ui.site import Site


class Change(NamedTuple):
    """A change of the model, and where the API and the form show it.

    ``entry`` is written to the entry before. ``control`` is there in the form afterwards, or is not
    where ``gone``.
    """

    types: tuple[Entry, ...]
    in_api: Callable[[Entry], object]
    control: Callable[[Page], Locator]
    gone: bool = False
    components: tuple[Entry, ...] = ()
    entry: Entry | None = None


def make_memos(site: Site) -> None:
    """Make the content type that changes, and what its changes refer to."""
    title = {"action": "create", "name": "title", "properties": {"type": "string"}}
    update(site, content_type("memo", title, action="create"))
    french = {"code": "fr", "name": "French (fr)", "isDefault": False}
    site.api("POST", "/i18n/locales", french)


def thirty_changes() -> Iterator[Change]:
    """Changes of every kind, ten in each of three rounds."""

    def field(name: str, action: str = "create", **properties: object) -> Entry:
        return {"action": action, "name": name, "properties": properties}

    def memo(*attributes: Entry, **more: Any) -> tuple[Entry, ...]:  # noqa: ANN401 - JSON
        return (content_type("memo", *attributes, **more),)

    def has(name: str) -> Callable[[Entry], object]:
        return lambda one: name in one

    def lacks(name: str) -> Callable[[Entry], object]:
        return lambda one: name not in one

    def is_now(name: str, value: object) -> Callable[[Entry], object]:
        return lambda one: one[name] == value

    def named(role: Any, name: str) -> Callable[[Page], Locator]:  # noqa: ANN401 - an ARIA role
        return lambda page: page.get_by_role(role, name=name, exact=True)

    part = {
        "uid": "shared.part",
        "category": "shared",
        "displayName": "Part",
        "attributes": [field("label", type="string")],
    }
    host = {"type": "relation", "relation": "manyToOne", "target": "api::author.author"}
    localized = {"pluginOptions": {"i18n": {"localized": True}}}
    drafts = {"draftAndPublish": True}
    for name in ("alpha", "beta", "gamma"):
        later = f"{name}s"
        box = named("textbox", later.capitalize())
        yield Change(
            memo(field(name, type="string")),
            has(name),
            named("textbox", name.capitalize()),
        )
        renamed = {**field(later, "update", type="string"), "formerName": name}
        yield Change(memo(renamed), is_now(later, "12"), box, entry={name: "12"})
        yield Change(
            memo(field(later, "update", type="integer")),
            is_now(later, 12),
            box,
        )
        yield Change(
            memo(field(later, "update", type="integer", max=10)),
            is_now(later, 12),
            box,
        )
        yield Change(
            memo({"action": "delete", "name": later}),
            lacks(later),
            box,
            gone=True,
        )
        yield Change(
            memo(field("part", type="component", component="shared.part")),
            lambda _: True,
            lambda page: page.get_by_text("Part", exact=True),
            components=({**part, "action": "create"},),
        )
        yield Change(
            memo(field("host", **host, targetAttribute=f"{name}Memos")),
            lambda _: True,
            lambda page: page.get_by_text("Host", exact=True),
        )
        publish = named("button", "Publish")
        yield Change(memo(**drafts), lambda one: one["publishedAt"], publish)
        yield Change(
            memo(**drafts, **localized),
            lambda one: one["locale"],
            named("combobox", "Locale"),
        )
        yield Change(
            memo(
                {"action": "delete", "name": "host"},
                {"action": "delete", "name": "part"},
                pluginOptions={},
            ),
            lacks("host"),
            publish,
            gone=True,
            components=({"action": "delete", "uid": "shared.part"},),
        )
