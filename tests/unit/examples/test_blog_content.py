"""The seed content of the example blog matches its content types and its description."""

import copy
import re
from collections import Counter
from collections.abc import Callable
from pathlib import Path

import pytest

from tests.unit.examples.seed_content import (
    Content,
    Document,
    JsonObject,
    content_files,
    document_problems,
    entries,
    read_content,
    references,
)

BLOG = Path(__file__).parents[3] / "examples" / "blog"
CONTENT = read_content(BLOG)
ARTICLE = "api::article.article"
MOST_BYTES_OF_MEDIA = 1_500_000


def _documents(uid: str) -> list[Document]:
    return [document for document in CONTENT.documents if document.uid == uid]


def _name(document: Document) -> str:
    return f"{document.uid.rpartition('.')[2]}-{document.key}"


@pytest.mark.parametrize("document", CONTENT.documents, ids=_name)
def test_a_document_fits_its_content_type(document: Document) -> None:
    assert document_problems(CONTENT, document) == []


def test_keys_are_unique_in_a_content_type() -> None:
    counts = Counter((document.uid, document.key) for document in CONTENT.documents)

    assert [pair for pair, count in counts.items() if count > 1] == []


def test_unique_values_and_slugs_are_unique_in_their_locale() -> None:
    counts = Counter(
        (document.uid, entry.locale, entry.published, name, entry.values[name])
        for document in CONTENT.documents
        for entry in entries(document)
        for name, attribute in CONTENT.types[document.uid]["attributes"].items()
        if (attribute["type"] == "uid" or attribute.get("unique")) and name in entry.values
    )

    assert [value for value, count in counts.items() if count > 1] == []


def test_a_single_type_has_one_document() -> None:
    singles = [uid for uid, schema in CONTENT.types.items() if schema["kind"] == "singleType"]

    assert [len(_documents(uid)) for uid in singles] == [1]


def test_the_manifest_names_every_content_type_once() -> None:
    named = [group["contentType"] for group in CONTENT.manifest["documents"]]

    assert sorted(named) == sorted(CONTENT.types)


def test_every_content_file_is_loaded_once() -> None:
    groups = CONTENT.manifest["documents"]
    loaded = [path for group in groups for path in content_files(CONTENT.folder, group)]
    others = {CONTENT.folder / "manifest.json", CONTENT.folder / CONTENT.manifest["media"]}

    assert sorted(loaded) == sorted(set(CONTENT.folder.rglob("*.json")) - others)


def test_one_locale_is_the_default() -> None:
    defaults = [locale["default"] for locale in CONTENT.manifest["locales"]]

    assert len(defaults) >= 2
    assert defaults.count(True) == 1


def test_every_localized_document_has_the_default_locale() -> None:
    default = next(x["code"] for x in CONTENT.manifest["locales"] if x["default"])
    localized = [document for document in CONTENT.documents if "locales" in document.raw]

    assert [document.where for document in localized if default not in document.versions] == []


def test_the_public_role_may_only_read_content_types_that_exist() -> None:
    reads = {
        f"{uid}.{action}"
        for uid, schema in CONTENT.types.items()
        for action in (["find"] if schema["kind"] == "singleType" else ["find", "findOne"])
    }

    assert set(CONTENT.manifest["public"]) == reads


def test_whatever_a_document_refers_to_can_be_loaded_before_it() -> None:
    loaded: set[tuple[str, str]] = set()
    for group in CONTENT.manifest["documents"]:
        waiting = _documents(group["contentType"])
        while waiting:
            ready = [one for one in waiting if references(CONTENT, one) <= loaded]
            assert ready, f"no order for {[one.where for one in waiting]}"
            loaded |= {(one.uid, one.key) for one in ready}
            waiting = [one for one in waiting if one not in ready]


def test_every_author_category_and_tag_is_used_by_an_article() -> None:
    used = {target for article in _documents(ARTICLE) for target in references(CONTENT, article)}
    parents = {
        target
        for category in _documents("api::category.category")
        for target in references(CONTENT, category)
    }
    shelves = [
        one for one in CONTENT.documents if one.uid.endswith((".author", ".category", ".tag"))
    ]

    assert [one.where for one in shelves if (one.uid, one.key) not in used | parents] == []


def test_every_media_file_is_listed_and_described() -> None:
    folder = CONTENT.folder / "media"
    files = {path.name for path in folder.iterdir() if path.is_file() and path.suffix != ".py"}

    assert {media["file"] for media in CONTENT.media} == files
    assert [media["file"] for media in CONTENT.media if not media["alternativeText"]] == []


def test_every_media_file_is_used() -> None:
    text = "".join(
        path.read_text(encoding="utf-8")
        for group in CONTENT.manifest["documents"]
        for path in content_files(CONTENT.folder, group)
    )

    assert [media["file"] for media in CONTENT.media if f'"{media["file"]}"' not in text] == []


def test_media_files_are_of_several_formats_and_small_together() -> None:
    files = [CONTENT.folder / "media" / media["file"] for media in CONTENT.media]

    assert {path.suffix for path in files} == {".jpg", ".png", ".webp", ".svg"}
    assert sum(path.stat().st_size for path in files) < MOST_BYTES_OF_MEDIA


def test_there_are_articles_of_every_kind() -> None:
    """Enough for three pages, translations, unpublished articles and waiting changes."""
    states = Counter(
        (locale, article.status(locale))
        for article in _documents(ARTICLE)
        for locale in article.versions
    )

    assert len(_documents(ARTICLE)) >= 24
    assert states["de", "published"] >= 8
    assert states["en", "draft"] >= 3
    assert states["en", "modified"] >= 2


def test_every_component_of_a_dynamic_zone_is_used() -> None:
    used = {
        (document.uid, section["__component"])
        for document in CONTENT.documents
        for entry in entries(document)
        for section in entry.values.get("sections", [])
    }
    offered = {
        (uid, component)
        for uid, schema in CONTENT.types.items()
        for component in schema["attributes"].get("sections", {}).get("components", [])
    }

    assert used == offered


def test_the_homepage_is_published_in_every_locale() -> None:
    (homepage,) = _documents("api::homepage.homepage")
    published = {entry.locale for entry in entries(homepage) if entry.published}

    assert published == set(CONTENT.locales)


def test_articles_link_only_to_articles_that_exist() -> None:
    slugs = {
        (entry.locale, entry.values["slug"])
        for article in _documents(ARTICLE)
        for entry in entries(article)
        if entry.published
    }
    text = "".join(path.read_text(encoding="utf-8") for path in CONTENT.folder.rglob("*.json"))
    english = {("en", slug) for slug in re.findall(r'"/articles/([^"]+?)[")]', text)}
    german = {("de", slug) for slug in re.findall(r'"/de/artikel/([^"]+?)[")]', text)}

    assert english
    assert german
    assert english | german <= slugs


def test_the_text_is_real() -> None:
    """No filler, and articles worth reading: published ones have several paragraphs."""
    short = [
        entry.where
        for article in _documents(ARTICLE)
        for entry in entries(article)
        if entry.published and len(entry.values["body"]) < 5
    ]
    text = "".join(path.read_text(encoding="utf-8") for path in CONTENT.folder.rglob("*.json"))

    assert short == []
    assert re.findall(r"\b(lorem|ipsum|dolor)\b", text, re.IGNORECASE) == []


def _broken(key: str, change: Callable[[JsonObject], object]) -> list[str]:
    """The problems of an article after a change, in a copy of the content."""
    original = next(one for one in _documents(ARTICLE) if one.key == key)
    changed = Document(original.where, original.uid, copy.deepcopy(original.raw))
    change(changed.raw)
    rest = [one for one in CONTENT.documents if one is not original]
    content = Content(
        folder=CONTENT.folder,
        types=CONTENT.types,
        components=CONTENT.components,
        manifest=CONTENT.manifest,
        media=CONTENT.media,
        documents=[*rest, changed],
    )
    return document_problems(content, changed)


def _english(raw: JsonObject) -> JsonObject:
    data: JsonObject = raw["locales"]["en"]["data"]
    return data


@pytest.mark.parametrize(
    ("change", "problem"),
    [
        (lambda raw: raw["data"].update(author="nobody"), "there is no api::author.author nobody"),
        (lambda raw: raw["data"].update(author=["maren-voss"]), "author must be a key"),
        (lambda raw: raw["data"].update(tags="night"), "tags must be a list of keys"),
        (lambda raw: raw["data"].update(mentionedIn=["beaufort"]), "on the other side"),
        (lambda raw: raw["data"].update(cover="no.jpg"), "there is no media file no.jpg"),
        (lambda raw: raw["data"].update(readingTime=0), "no integer that its attribute allows"),
        (lambda raw: raw["data"].update(publishedOn="2024-02-30"), "no date"),
        (lambda raw: raw["data"].update(title="Shared"), "data.title is localized"),
        (lambda raw: raw["data"].update(mood="calm"), "mood is no attribute"),
        (lambda raw: raw.update(status="public"), "status must be one of"),
        (lambda raw: raw.update(status="modified"), "have draft values"),
        (lambda raw: raw["locales"].update(fr={"data": {}}), "locale fr is not in the manifest"),
        (lambda raw: _english(raw).pop("title"), "title is required"),
        (lambda raw: _english(raw).update(slug="two tides"), "no uid"),
        (lambda raw: _english(raw).update(summary="long " * 60), "no text"),
        (lambda raw: _english(raw).update(featured=True), "en.data.featured is not localized"),
        (lambda raw: _english(raw).update(related=["red-sky-at-night"]), "is not published"),
        (
            lambda raw: _english(raw).update(seo={"metaTitle": "x" * 61}),
            "seo.metaTitle is no string",
        ),
        (lambda raw: _english(raw)["seo"].pop("metaTitle"), "seo.metaTitle is required"),
        (
            lambda raw: _english(raw)["sections"].append({"__component": "shared.link"}),
            "no component shared.link may be in this zone",
        ),
        (
            lambda raw: raw["locales"]["de"]["data"].update(related=["sanderlings-running"]),
            "sanderlings-running has no locale de",
        ),
    ],
)
def test_an_error_in_a_document_is_noticed(
    change: Callable[[JsonObject], object], problem: str
) -> None:
    problems = _broken("why-two-tides", change)

    assert any(problem in text for text in problems), problems


@pytest.mark.parametrize(
    ("block", "problem"),
    [
        ({"type": "paragraph"}, "has no children"),
        ({"type": "paragraph", "children": []}, "has no children"),
        ({"type": "table", "children": [{"type": "text", "text": ""}]}, "is no block"),
        (
            {"type": "heading", "level": 7, "children": [{"type": "text", "text": ""}]},
            "is no block",
        ),
        ({"type": "quote", "children": ["words"]}, "neither text nor a link"),
        ({"type": "quote", "children": [{"type": "text", "text": "", "big": True}]}, "marks"),
        ({"type": "list", "format": "ordered", "children": [{"type": "text"}]}, "no list item"),
        (
            {
                "type": "image",
                "image": {"file": "no.png"},
                "children": [{"type": "text", "text": ""}],
            },
            "there is no media file no.png",
        ),
        (
            {
                "type": "paragraph",
                "children": [
                    {"type": "link", "url": "tides", "children": [{"type": "text", "text": ""}]}
                ],
            },
            "no valid link",
        ),
    ],
)
def test_an_error_in_a_block_is_noticed(block: JsonObject, problem: str) -> None:
    problems = _broken("why-two-tides", lambda raw: _english(raw)["body"].append(block))

    assert any(problem in text for text in problems), problems
