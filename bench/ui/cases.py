"""Initial states and expected results of the tasks on content.

Both are over HTTP, in the same words for both servers: `prepare` returns the data that a task is
given, and `check` raises NotDoneError when the task has not done its work.
"""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from itertools import count
from pathlib import Path
from types import SimpleNamespace
from typing import Any

from bench.dataset import author_name
from bench.picture import photograph
from bench.ui.site import CONTENT, Site

ARTICLES = f"{CONTENT}/api::article.article"
AUTHORS = f"{CONTENT}/api::author.author"
NOTES = f"{CONTENT}/api::note.note"
PAGES = f"{CONTENT}/api::page.page"
BATCH = 100


class NotDoneError(Exception):
    """A task has not done its work."""


def require(found: object, wanted: object) -> None:
    """Raise NotDoneError unless a task has left what it was to leave."""
    if found != wanted:
        raise NotDoneError(f"there is {found!r} instead of {wanted!r}")


Case = SimpleNamespace
"""What one turn of a task is about: texts, ids and addresses."""

_turns = count(1)


@dataclass(frozen=True, slots=True)
class Task:
    """A task: the name of its function in both UIs, and what it is called in the table."""

    name: str
    title: str
    prepare: Callable[[Site], Case]
    check: Callable[[Site, Case], None]
    develop: bool = field(default=False)
    """Whether it needs the mode of Strapi in which content types can be changed."""


def mark() -> str:
    """Return a word that nothing else contains."""
    return f"zq{next(_turns)}x"


def _make(site: Site, path: str, values: Mapping[str, Any]) -> str:
    made = site.client("POST", path, values)
    identifier: str = made["data"]["documentId"]
    return identifier


def _publish(site: Site, path: str, document: str) -> None:
    site.client("POST", f"{path}/{document}/actions/publish", {})


def _draft(site: Site, path: str, document: str, **parameters: str) -> Any:  # noqa: ANN401 - JSON
    return site.client("GET", f"{path}/{document}", params=parameters)["data"]


def _article(site: Site, **values: object) -> Case:
    word = mark()
    values = {"title": f"Harbour {word}", "slug": word, **values}
    return Case(mark=word, title=values["title"], document=_make(site, ARTICLES, values))


def _prepare_list(site: Site) -> Case:
    found = site.client("GET", ARTICLES, params={"pageSize": 1})
    return Case(entries=found["pagination"]["total"])


def _shown(_: Site, __: Case) -> None:
    """Leave it to the task itself, which has waited for what is shown."""


def _prepare_words(site: Site) -> Case:
    case = _article(site)
    case.words = f"harbour {case.mark}"
    return case


def _prepare_filter(site: Site) -> Case:
    name = author_name(7)
    found = site.client(
        "GET",
        ARTICLES,
        params={
            "filters[$and][0][author][name][$eq]": name,
            "filters[$and][1][day][$gte]": "2026-06-01",
        },
    )
    return Case(author=name, day="2026-06-01", entries=found["pagination"]["total"])


def _prepare_edit(site: Site) -> Case:
    case = _article(site)
    _publish(site, ARTICLES, case.document)
    case.new_title = f"Lighthouse {case.mark}"
    return case


def _check_published_title(site: Site, case: Case) -> None:
    entry = _draft(site, ARTICLES, case.document, status="published")
    require(entry["title"], case.new_title)


def _prepare_component(site: Site) -> Case:
    return _article(site, links=[{"label": "First"}, {"label": "Second"}])


def _check_component(site: Site, case: Case) -> None:
    labels = [one["label"] for one in _draft(site, ARTICLES, case.document)["links"]]
    require(labels, ["Third", "First", "Second"])


def _prepare_section(site: Site) -> Case:
    word = mark()
    sections = [
        {"__component": "page.heading", "text": "One"},
        {"__component": "page.teaser", "label": "Two"},
        {"__component": "page.heading", "text": "Three"},
        {"__component": "page.teaser", "label": "Four"},
    ]
    return Case(document=_make(site, PAGES, {"title": f"Page {word}", "sections": sections}))


def _check_section(site: Site, case: Case) -> None:
    sections = _draft(site, PAGES, case.document)["sections"]
    kinds = [one["__component"].partition(".")[2] for one in sections]
    require(kinds, ["heading", "teaser", "quote", "heading", "teaser"])
    require(sections[2]["words"], "In the middle")


def _prepare_relation(site: Site) -> Case:
    case = _article(site)
    case.author = author_name(11)
    return case


def _check_relation(site: Site, case: Case) -> None:
    path = f"/content-manager/relations/api::article.article/{case.document}/author"
    names = [one["name"] for one in site.client("GET", path)["results"]]
    require(names, [case.author])


def _prepare_translation(site: Site) -> Case:
    summary, label = "What stays as it is.", "First"
    case = _article(site, summary=summary, links=[{"label": label}])
    case.summary, case.label = summary, label
    case.new_title = f"Port {case.mark}"
    return case


def _check_translation(site: Site, case: Case) -> None:
    entry = _draft(site, ARTICLES, case.document, locale="fr")
    read = (entry["title"], entry["summary"], [one["label"] for one in entry["links"]])
    require(read, (case.new_title, case.summary, [case.label]))


def _prepare_revert(site: Site) -> Case:
    published, changed = "As it was published.", "As it was changed."
    case = _article(site, summary=published, contact="old@example.org")
    _publish(site, ARTICLES, case.document)
    changes = {"summary": changed, "contact": "new@example.org"}
    site.client("PUT", f"{ARTICLES}/{case.document}", changes)
    case.published, case.changed = published, changed
    return case


def _check_revert(site: Site, case: Case) -> None:
    entry = _draft(site, ARTICLES, case.document)
    read = (entry["summary"], entry["contact"])
    require(read, (case.published, "new@example.org"))


def _prepare_batch(site: Site) -> Case:
    found = site.client("GET", NOTES, params={"pageSize": 100})["results"]
    if found:
        documents = [one["documentId"] for one in found]
        site.client("POST", f"{NOTES}/actions/bulkDelete", {"documentIds": documents})
    for number in range(BATCH):
        _make(site, NOTES, {"title": f"Note {number:03}"})
    return Case(entries=BATCH)


def _check_batch(site: Site, case: Case) -> None:
    found = site.client("GET", NOTES, params={"status": "published", "pageSize": 1})
    require(found["pagination"]["total"], case.entries)


def picture(folder: Path, name: str) -> Path:
    """Return a file with a photograph, of that name."""
    original = folder / "photograph.jpg"
    if not original.exists():
        original.write_bytes(photograph())
    path = folder / f"{name}.jpg"
    path.write_bytes(original.read_bytes())
    return path


def _prepare_picture(site: Site) -> Case:
    word = mark()
    document = _make(site, PAGES, {"title": f"Page {word}"})
    return Case(document=document, file=picture(site.files, f"photo-{word}"))


def _check_picture(site: Site, case: Case) -> None:
    cover = _draft(site, PAGES, case.document)["cover"]
    require(cover and cover["name"], case.file.name)


def _prepare_invalid(site: Site) -> Case:
    case = _article(site, links=[{"label": "First"}, {"url": "/"}, {"label": "Third"}])
    case.label = "Second"
    return case


def _check_invalid(site: Site, case: Case) -> None:
    entry = _draft(site, ARTICLES, case.document, status="published")
    labels = [one["label"] for one in entry["links"]]
    require(labels, ["First", "Second", "Third"])


CONTENT_TASKS = (
    Task("open_list", "Open the list of 25,000 entries", _prepare_list, _shown),
    Task("find_by_words", "Find an entry by words", _prepare_words, _shown),
    Task("filter_list", "Filter by relation and date", _prepare_filter, _shown),
    Task("edit_and_publish", "Edit a title and publish", _prepare_edit, _check_published_title),
    Task(
        "add_component",
        "Add a repeatable component, put it first",
        _prepare_component,
        _check_component,
    ),
    Task(
        "add_section",
        "Add a section in the middle of a dynamic zone",
        _prepare_section,
        _check_section,
    ),
    Task("set_relation", "Set a relation by typing", _prepare_relation, _check_relation),
    Task(
        "translate",
        "Translate an entry into a second locale",
        _prepare_translation,
        _check_translation,
    ),
    Task(
        "revert_field",
        "See what changed since publication, revert a field",
        _prepare_revert,
        _check_revert,
    ),
    Task("publish_many", "Publish 100 entries", _prepare_batch, _check_batch),
    Task("place_image", "Upload and place an image", _prepare_picture, _check_picture),
    Task("recover", "Recover from a failed validation", _prepare_invalid, _check_invalid),
)
