"""Content files are parsed to documents in loading order, or all their problems listed."""

from collections.abc import Callable

import pytest

from quire.seeding.load import read_content
from quire.seeding.seed_values import Content, ContentError, Locale, Status
from tests.unit.seeding.harbour import HARBOUR, NOTICE, ROUTE, STORY, JsonObject, Project

Change = Callable[[Project], object]


def read(project: Project) -> Content:
    return read_content(project.write(), project.schema)


def problems(project: Project) -> list[str]:
    with pytest.raises(ContentError) as raised:
        read(project)
    return [str(problem) for problem in raised.value.problems]


def test_a_document_comes_after_those_that_it_refers_to(project: Project) -> None:
    keys = [document.key for document in read(project).documents]

    assert keys == ["leith", "wick", "first", "unsaid", "later", "notice"]


def test_the_default_locale_comes_first(project: Project) -> None:
    content = read(project)
    later = next(document for document in content.documents if document.key == "later")

    assert content.locales == (Locale("en", "English (en)"), Locale("de", "German (de)"))
    assert [version.locale for version in later.versions] == ["en", "de"]


def test_a_version_has_the_values_of_its_document_and_its_own(project: Project) -> None:
    later = next(document for document in read(project).documents if document.key == "later")
    german = later.version("de")

    assert german is not None
    assert german.status is Status.PUBLISHED
    assert german.published == german.draft == {
        "mood": "rough",
        "harbour": "leith",
        "title": "Später",
        "slug": "spaeter",
    }  # fmt: skip


def test_the_draft_of_a_modified_version_has_its_changes(project: Project) -> None:
    later = next(document for document in read(project).documents if document.key == "later")
    english = later.version("en")

    assert english is not None
    assert english.draft is not None
    assert english.published is not None
    assert english.draft["title"] == "Later still"
    assert english.published["title"] == "Later"
    assert english.draft["slug"] == english.published["slug"]


def test_a_draft_has_nothing_published(project: Project) -> None:
    unsaid = next(document for document in read(project).documents if document.key == "unsaid")

    assert [list(version.entries()) for version in unsaid.versions] == [[{"harbour": "wick"}]]


def test_without_draft_and_publish_the_one_entry_counts_as_published(project: Project) -> None:
    leith = read(project).documents[0]

    assert leith.versions[0].draft is None
    assert leith.versions[0].published is not None
    assert leith.versions[0].published["name"] == "Leith"


def test_a_file_may_hold_one_document_or_a_list(project: Project) -> None:
    project.files["notice.json"] = [project.files["notice.json"]]

    assert [d.key for d in read(project).documents if d.content_type == NOTICE] == ["notice"]


def _english(project: Project, key: str) -> JsonObject:
    data: JsonObject = project.story(key)["locales"]["en"]["data"]
    return data


def _harbour(project: Project) -> JsonObject:
    data: JsonObject = project.files["harbours.json"][0]["data"]
    return data


INVALID_CONTENT: list[tuple[Change, str]] = [
    # The manifest
    (
        lambda p: p.files["manifest.json"]["locales"][1].pop("default"),
        "manifest.json: locales: exactly one locale must be the default",
    ),
    (
        lambda p: p.files["manifest.json"]["locales"].append({"code": "de", "name": "German"}),
        "manifest.json: locales: de is listed twice",
    ),
    (
        lambda p: p.files["manifest.json"]["documents"][3].update(contentType="api::boat.boat"),
        "manifest.json: documents[3].contentType: the project has no content type api::boat.boat",
    ),
    (
        lambda p: p.files["manifest.json"]["documents"][3].update(
            contentType="plugin::users-permissions.user"
        ),
        (
            "manifest.json: documents[3].contentType: the project has no content type "
            "plugin::users-permissions.user"
        ),
    ),
    (
        lambda p: p.files["manifest.json"]["documents"][3].update(contentType=STORY),
        f"manifest.json: documents[3].contentType: {STORY} has a group already",
    ),
    (
        lambda p: p.files["manifest.json"]["documents"][1].update(files=["tales/*.json"]),
        "manifest.json: documents[1].files[0]: tales/*.json matches no file",
    ),
    (
        lambda p: p.files["manifest.json"]["documents"][3].update(files=["../content/routes.json"]),
        "manifest.json: documents[3].files[0]: ../content/routes.json matches no file",
    ),
    (
        lambda p: p.files["manifest.json"].update(public=["api::story.story.read"]),
        "manifest.json: public[0]: there is no action api::story.story.read",
    ),
    (
        lambda p: p.files["manifest.json"].update(public=[f"{NOTICE}.findOne"]),
        f"manifest.json: public[0]: there is no action {NOTICE}.findOne",
    ),
    # The media files
    (
        lambda p: p.files["media.json"].append({"file": "gone.png"}),
        "media.json: [2].file: there is no file media/gone.png",
    ),
    (
        lambda p: p.files["media.json"].append({"file": "map.txt"}),
        "media.json: [2].file: map.txt is listed twice",
    ),
    (
        lambda p: p.files["media.json"].append({"file": "../media.json"}),
        "media.json: [2].file: ../media.json is not the name of a file in media/",
    ),
    (
        lambda p: p.files["media.json"][1].update(alt="A map"),
        "media.json: [1]: Object contains unknown field `alt`",
    ),
    # The form of documents
    (
        lambda p: p.files["harbours.json"][1].pop("key"),
        "harbours.json: [1]: Object missing required field `key`",
    ),
    (
        lambda p: p.files["harbours.json"][1].update(key="leith"),
        "harbours.json: [1].key: leith is taken",
    ),
    (
        lambda p: p.files["harbours.json"][1].update(data=[]),
        "harbours.json: [1].data: Expected `object`, got `array`",
    ),
    (
        lambda p: p.files["harbours.json"][1].update(status="published"),
        f"harbours.json: [1].status: {HARBOUR} is without draft & publish",
    ),
    (
        lambda p: p.files["harbours.json"][1].update(locales={"en": {}}),
        f"harbours.json: [1].locales: {HARBOUR} is not localized",
    ),
    (
        lambda p: p.files.update({"notice.json": [p.files["notice.json"], {"key": "second"}]}),
        f"notice.json: [1]: {NOTICE} is a single type and has one document",
    ),
    (
        lambda p: p.story("first").pop("locales"),
        f"stories/2-first.json: locales: {STORY} is localized: name at least one locale",
    ),
    (
        lambda p: p.story("first")["locales"].update(fr={}),
        "stories/2-first.json: locales.fr: is not in the manifest",
    ),
    (
        lambda p: p.story("first").update(status="public"),
        "stories/2-first.json: status: Invalid enum value 'public'",
    ),
    (
        lambda p: p.story("first").pop("status"),
        "stories/2-first.json: locales.en.status: expected one of draft, published, modified",
    ),
    (
        lambda p: p.story("first").update(status="modified"),
        (
            "stories/2-first.json: locales.en.status: a modified version, and no other, "
            "has changes in draft"
        ),
    ),
    (
        lambda p: p.story("first").update(draft={"title": "F"}),
        "stories/2-first.json: draft: belongs into a locale",
    ),
    # Which value stands where
    (
        lambda p: p.story("first")["data"].update(title="First"),
        "stories/2-first.json: locales.en.data.title: is in the data of the document, too",
    ),
    (
        lambda p: p.story("unsaid").update(data={"title": "Nothing"}),
        "stories/3-unsaid.json: data.title: is localized: it belongs into the locales",
    ),
    (
        lambda p: _english(p, "unsaid").update(mood="calm"),
        (
            "stories/3-unsaid.json: locales.en.data.mood: is not localized: it belongs "
            "into the data of the document"
        ),
    ),
    (
        lambda p: p.story("later")["locales"]["en"]["draft"].update(mood="calm"),
        (
            "stories/1-later.json: locales.en.draft.mood: is not localized: it belongs "
            "into the data of the document"
        ),
    ),
    (
        lambda p: _harbour(p).update(tide=3),
        f"harbours.json: [0].data.tide: {HARBOUR} has no attribute tide",
    ),
    (
        lambda p: _harbour(p).update(createdAt="2024-01-01"),
        f"harbours.json: [0].data.createdAt: {HARBOUR} has no attribute createdAt",
    ),
    # What is complete
    (
        lambda p: _harbour(p).pop("name"),
        "harbours.json: [0].data.name: must be defined.",
    ),
    (
        lambda p: _english(p, "first").pop("title"),
        "stories/2-first.json: locales.en.data.title: must be defined.",
    ),
    (
        lambda p: _english(p, "first")["card"].update(heading=None),
        (
            "stories/2-first.json: locales.en.data.card.heading: must be a `string` type, "
            "but the final value was: `null`."
        ),
    ),
    (
        lambda p: _english(p, "first")["links"].append({"url": "/3"}),
        (
            "stories/2-first.json: locales.en.data.links: field must have less than or equal to "
            "2 items"
        ),
    ),
    # Scalars
    (
        lambda p: _harbour(p).update(name=7),
        ("harbours.json: [0].data.name: must be a `string` type, but the final value was: `7`."),
    ),
    (
        lambda p: _harbour(p).update(berths=1.5),
        "harbours.json: [0].data.berths: must be an integer",
    ),
    (
        lambda p: _harbour(p).update(registry=True),
        "harbours.json: [0].data.registry: must be a valid integer",
    ),
    (
        lambda p: _harbour(p).update(open="yes"),
        (
            "harbours.json: [0].data.open: must be a `boolean` type, "
            'but the final value was: `"yes"`.'
        ),
    ),
    (
        lambda p: _harbour(p).update(depth=100),
        "harbours.json: [0].data.depth: must be less than or equal to 99",
    ),
    (
        lambda p: _harbour(p).update(depth=0.25),
        "harbours.json: [0].data.depth: must be greater than or equal to 0.5",
    ),
    (
        lambda p: _harbour(p).update(founded="2023-02-29"),
        "harbours.json: [0].data.founded: Invalid date",
    ),
    (
        lambda p: _harbour(p).update(bell="6 o'clock"),
        "harbours.json: [0].data.bell: Invalid time format, expected HH:mm:ss.SSS",
    ),
    (
        lambda p: _harbour(p).update(code="secret"),
        "harbours.json: [0].data.code: secrets do not belong into content files",
    ),
    (
        lambda p: _harbour(p).update(name="x" * 256),
        "harbours.json: [0].data.name: must be at most 255 characters",
    ),
    (
        lambda p: _harbour(p).update(name="Wick"),
        "harbours.json: [1].data.name: Wick is taken",
    ),
    (
        lambda p: p.story("later")["data"].update(mood="angry"),
        "stories/1-later.json: data.mood: must be one of the following values: calm, rough,",
    ),
    (
        lambda p: _english(p, "first").update(slug="the first"),
        (
            "stories/2-first.json: locales.en.data.slug: must match the following: "
            '"/^[A-Za-z0-9-_.~]*$/"'
        ),
    ),
    (
        lambda p: _english(p, "first").update(slug="later"),
        "stories/2-first.json: locales.en.data.slug: later is taken",
    ),
    # Relations and media
    (
        lambda p: p.story("first")["data"].update(harbour="oban"),
        f"stories/2-first.json: data.harbour: there is no {HARBOUR} oban",
    ),
    (
        lambda p: p.story("first")["data"].update(harbour=["leith"]),
        "stories/2-first.json: data.harbour: expected a key",
    ),
    (
        lambda p: _english(p, "later").update(related="first"),
        "stories/1-later.json: locales.en.data.related: expected a list of keys",
    ),
    (
        lambda p: _english(p, "later").update(related=["first", "first"]),
        "stories/1-later.json: locales.en.data.related: names first twice",
    ),
    (
        lambda p: _english(p, "later").update(related=["unsaid"]),
        f"stories/1-later.json: locales.en.data.related: {STORY} unsaid is not published",
    ),
    (
        lambda p: p.story("later")["locales"]["de"]["data"].update(related=["first"]),
        f"stories/1-later.json: locales.de.data.related: {STORY} first has no locale de",
    ),
    (
        lambda p: _harbour(p).update(stories=["first"]),
        f"harbours.json: [0].data.stories: is written on its other end, {STORY}.harbour",
    ),
    (
        lambda p: p.files["manifest.json"]["documents"].reverse(),
        f"stories/2-first.json: data.harbour: {HARBOUR} has to come before {STORY} in the manifest",
    ),
    (
        lambda p: p.story("first")["data"].update(pictures=["sea.png"]),
        "stories/2-first.json: data.pictures: there is no media file sea.png",
    ),
    (
        lambda p: _harbour(p).update(picture=["map.txt"]),
        "harbours.json: [0].data.picture: expected a file",
    ),
    # Components and blocks
    (
        lambda p: _english(p, "first").update(card=[{"heading": "C"}]),
        (
            "stories/2-first.json: locales.en.data.card: must be a `object` type, but the final "
            'value was: `[ { "heading": "\\"C\\"" } ]`.'
        ),
    ),
    (
        lambda p: _english(p, "first").update(links={"url": "/1"}),
        (
            "stories/2-first.json: locales.en.data.links: must be a `array` type, but the final "
            'value was: `{ "url": "\\"/1\\"" }`.'
        ),
    ),
    (
        lambda p: _english(p, "first")["links"][1].update(text="two"),
        "stories/2-first.json: locales.en.data.links[1].text: part.link has no attribute text",
    ),
    (
        lambda p: _english(p, "first")["card"]["link"].update(tab=2),
        (
            "stories/2-first.json: locales.en.data.card.link.tab: must be a `boolean` type, "
            "but the final value was: `2`."
        ),
    ),
    (
        lambda p: _english(p, "later")["zone"][0].pop("__component"),
        "stories/1-later.json: locales.en.data.zone[0].__component: is a required field",
    ),
    (
        lambda p: _english(p, "later")["zone"][1].update(story="unsaid"),
        f"stories/1-later.json: locales.en.data.zone[1].story: {STORY} unsaid is not published",
    ),
    (
        lambda p: _harbour(p).update(founded="1329", surveyed="yesterday"),
        "harbours.json: [0].data.surveyed: Invalid format, expected a timestamp or an ISO date",
    ),
    (
        lambda p: _english(p, "first")["links"][1].update(url=None, tab="maybe"),
        (
            "stories/2-first.json: locales.en.data.links[1].tab: must be a `boolean` type, "
            'but the final value was: `"maybe"`.'
        ),
    ),
    (
        lambda p: _english(p, "later")["zone"][0].update(__component="part.note"),
        (
            "stories/1-later.json: locales.en.data.zone[0].__component: expected one of part.card, "
            "part.link"
        ),
    ),
    (
        lambda p: _english(p, "first").update(body="Fog."),
        "stories/2-first.json: locales.en.data.body: expected a list of blocks",
    ),
    (
        lambda p: _english(p, "first")["body"].append("Fog."),
        "stories/2-first.json: locales.en.data.body[2]: Block node is of invalid type",
    ),
    (
        lambda p: _english(p, "first")["body"][1]["image"].update(file="sea.png"),
        "stories/2-first.json: locales.en.data.body[1].image.file: there is no media file sea.png",
    ),
]


@pytest.mark.parametrize(("change", "problem"), INVALID_CONTENT)
def test_an_error_is_reported_with_file_and_path(
    project: Project, change: Change, problem: str
) -> None:
    change(project)

    assert problem in problems(project)


def test_all_errors_are_reported_at_once_and_each_of_them_once(project: Project) -> None:
    _english(project, "later").update(slug=7)
    _harbour(project).update(tide=3, open="yes")
    project.files["media.json"].append({"file": "gone.png"})

    assert problems(project) == [
        (
            "harbours.json: [0].data.open: must be a `boolean` type, "
            'but the final value was: `"yes"`.'
        ),
        f"harbours.json: [0].data.tide: {HARBOUR} has no attribute tide",
        "media.json: [2].file: there is no file media/gone.png",
        (
            "stories/1-later.json: locales.en.data.slug: must be a `string` type, "
            "but the final value was: `7`."
        ),
    ]


def test_images_are_held_to_what_is_known_of_their_files(project: Project) -> None:
    _english(project, "first")["body"][1]["image"]["file"] = "map.txt"

    image, message = "locales.en.data.body[1].image", "must be a `number` type, but the final"
    assert problems(project) == [
        f"stories/2-first.json: {image}.{side}: {message} value was: `NaN`."
        for side in ("height", "width")
    ]


def test_what_has_to_be_unique_may_be_repeated_by_drafts_and_other_locales(
    project: Project,
) -> None:
    _english(project, "unsaid")["slug"] = "first"
    project.story("later")["locales"]["de"]["data"]["slug"] = "first"

    assert len(read(project).documents) == 6


def test_an_error_in_the_form_of_one_document_hides_none_in_the_next(project: Project) -> None:
    project.files["harbours.json"] = [{"key": 1}, {"key": "wick", "data": {}}]
    for key in ("first", "later"):
        project.story(key)["data"].pop("harbour")

    assert problems(project) == [
        "harbours.json: [0].key: Expected `str`, got `int`",
        "harbours.json: [1].data.name: must be defined.",
    ]


def test_a_draft_may_be_unfinished_but_not_of_another_form(project: Project) -> None:
    project.files["routes.json"] = [{"key": "north", "status": "draft", "data": {"via": 1}}]
    _english(project, "unsaid").update(card={}, links=[{"url": "/1"}] * 3)

    assert problems(project) == [
        "routes.json: [0].data.via: must be a `string` type, but the final value was: `1`."
    ]


def test_documents_that_refer_in_a_circle_are_refused(project: Project) -> None:
    _english(project, "first")["related"] = ["later"]

    found = problems(project)

    assert len(found) == 1
    assert "documents refer in a circle: " in found[0]
    assert found[0].startswith("stories/")


def test_what_is_not_json_is_an_error_of_its_file(project: Project) -> None:
    project.files["harbours.json"] = "[{]"

    assert any(problem.startswith("harbours.json: is not JSON: ") for problem in problems(project))


@pytest.mark.parametrize(
    ("file", "content", "message"),
    [
        ("harbours.json", b'[{"key": "\xff"}]', "is not UTF-8 text"),
        ("harbours.json", b'{"\xff": ""}', "is not UTF-8 text"),
        ("manifest.json", b'{"media": "\xff"}', "is not UTF-8 text"),
        (
            "harbours.json",
            b'{"key": "a", "data": {"a": ' + b"[" * 100_000,
            "is nested too deeply",
        ),
    ],
)
def test_what_cannot_be_decoded_is_an_error_of_its_file(
    project: Project, file: str, content: bytes, message: str
) -> None:
    folder = project.write()
    (folder / file).write_bytes(content)
    with pytest.raises(ContentError) as raised:
        read_content(folder, project.schema)
    found = [(problem.file, problem.message) for problem in raised.value.problems]
    assert (file, message) in found


def test_without_a_manifest_there_is_nothing_to_read(project: Project) -> None:
    content = project.write()
    (content / "manifest.json").unlink()

    with pytest.raises(ContentError, match=r"^1 problem in the content files:\n  manifest\.json: "):
        read_content(content, project.schema)


def test_a_default_spares_a_required_value_unless_null_is_given(project: Project) -> None:
    project.files["routes.json"] = [{"key": "north", "status": "published"}]
    project.files["harbours.json"][0]["data"]["berths"] = None

    assert len(read(project).documents) == 7


def test_the_type_of_a_group_may_be_any_of_the_projects_own(project: Project) -> None:
    project.files["routes.json"] = {"key": "north", "status": "draft"}

    assert [d.key for d in read(project).documents if d.content_type == ROUTE] == ["north"]
