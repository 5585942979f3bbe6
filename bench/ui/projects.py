"""Initial states and expected results of the tasks on a project."""

from collections.abc import Mapping
from typing import Any

from bench.ui.cases import NOTES, Case, NotDoneError, Task, mark, picture, require
from bench.ui.site import CONTENT, Site

PICTURES = 20
_ATTRIBUTES = (
    ("title", "string"),
    ("summary", "string"),
    ("method", "richtext"),
    ("servings", "integer"),
    ("vegetarian", "boolean"),
    ("contact", "email"),
    ("nutrition", "json"),
    ("history", "blocks"),
)
_NOTE = "api::note.note"
_UPDATE = "plugin::content-manager.explorer.update"


def _schema(site: Site, uid: str) -> Mapping[str, Any]:
    found = site.client("GET", f"/content-type-builder/content-types/{uid}")
    attributes: Mapping[str, Any] = found["data"]["schema"]["attributes"]
    return attributes


def _prepare_type(_: Site) -> Case:
    word = mark()
    return Case(name=f"Recipe {word}", singular=f"recipe-{word}", attributes=_ATTRIBUTES)


def _check_type(site: Site, case: Case) -> None:
    uid = f"api::{case.singular}.{case.singular}"
    found = {name: value["type"] for name, value in _schema(site, uid).items()}
    require({name: found.get(name) for name, _ in case.attributes}, dict(case.attributes))
    site.client("POST", f"{CONTENT}/{uid}", {"title": "First"})


def _prepare_pair(_: Site) -> Case:
    word = mark()
    return Case(attribute=f"writer{word}", inverse=f"notes{word}")


def _check_pair(site: Site, case: Case) -> None:
    relation = _schema(site, _NOTE)[case.attribute]
    inverse = _schema(site, "api::author.author")[case.inverse]
    require((relation["relation"], relation["inversedBy"]), ("manyToOne", case.inverse))
    require((inverse["relation"], inverse["mappedBy"]), ("oneToMany", case.attribute))


def _prepare_rename(site: Site) -> Case:
    """The field has another name in each turn."""
    names = set(_schema(site, _NOTE)) - {"title"}
    old = next(name for name in names if name.startswith("remark"))
    made = site.client("POST", NOTES, {"title": f"Note {mark()}", old: "To be kept."})
    return Case(document=made["data"]["documentId"], old=old, new=f"remark{mark()}")


def _check_rename(site: Site, case: Case) -> None:
    entry = site.client("GET", f"{NOTES}/{case.document}")["data"]
    require(entry.get(case.new), "To be kept.")


def _prepare_folder(site: Site) -> Case:
    name = f"Folder {mark()}"
    made = site.client("POST", "/upload/folders", {"name": name, "parent": None})["data"]
    files = [picture(site.files, f"harbour-{number:02}") for number in range(1, PICTURES + 1)]
    return Case(folder=name, identifier=made["id"], files=files, text="Harbour at dawn")


def _check_folder(site: Site, case: Case) -> None:
    found = site.client(
        "GET",
        "/upload/files",
        params={"filters[folder][id][$eq]": case.identifier, "pageSize": 100},
    )["results"]
    require([one["alternativeText"] for one in found], [case.text] * PICTURES)


def _prepare_role(_: Site) -> Case:
    return Case(name=f"Translators {mark()}", uid="api::article.article")


def _check_role(site: Site, case: Case) -> None:
    roles = {one["name"]: one["id"] for one in site.client("GET", "/admin/roles")["data"]}
    found = site.client("GET", f"/admin/roles/{roles[case.name]}/permissions")["data"]
    entries = [one for one in found if one["action"].startswith("plugin::content-manager.explorer")]
    require([(one["action"], one["subject"]) for one in entries], [(_UPDATE, case.uid)])
    properties = entries[0]["properties"]
    require(sorted(properties["fields"]), ["summary", "title"])
    require(properties["locales"], ["fr"])


def _prepare_token(_: Site) -> Case:
    return Case(name=f"Reader {mark()}", secret="")


def _check_token(site: Site, case: Case) -> None:
    tokens = site.client("GET", "/admin/api-tokens")["data"]
    found = {one["name"]: (one["type"], one["expiresAt"]) for one in tokens}
    require(found.get(case.name), ("read-only", None))


def _prepare_webhook(site: Site) -> Case:
    return Case(name=f"Hook {mark()}", url=site.deliveries)


def _check_webhook(site: Site, case: Case) -> None:
    found = {one["name"]: one for one in site.client("GET", "/admin/webhooks")["data"]}
    if case.name not in found:
        raise NotDoneError(f"there is no webhook {case.name!r}")
    require((found[case.name]["url"], found[case.name]["events"]), (case.url, ["entry.publish"]))


def _prepare_refusal(site: Site) -> Case:
    require(site.client.status("/api/notes"), 403)
    return Case(path="/api/notes")


def _check_refusal(site: Site, case: Case) -> None:
    require(site.client.status(case.path), 403)


PROJECT_TASKS = (
    Task("make_type", "Make a type with eight fields", _prepare_type, _check_type, develop=True),
    Task("add_pair", "Add a relation with its inverse", _prepare_pair, _check_pair, develop=True),
    Task(
        "rename", "Rename a field, and keep its data", _prepare_rename, _check_rename, develop=True
    ),
    Task(
        "fill_folder",
        "Upload 20 images into a folder, describe them",
        _prepare_folder,
        _check_folder,
    ),
    Task(
        "make_role", "Make a role that edits two fields in one locale", _prepare_role, _check_role
    ),
    Task("make_token", "Make a read-only token", _prepare_token, _check_token),
    Task(
        "make_webhook",
        "Create a webhook, see a delivery",
        _prepare_webhook,
        _check_webhook,
        develop=True,
    ),
    Task("find_refusal", "Find why a request is refused", _prepare_refusal, _check_refusal),
)
