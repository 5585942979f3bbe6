"""The rows of seeded content equal those that the content API writes."""

import json
from collections.abc import Mapping
from pathlib import Path

import pytest

from tests.unit.seeding.harbour import HARBOUR, NOW, STORY, JsonObject, Project

MOMENTS = {"created_at": NOW, "updated_at": NOW, "published_at": NOW}


def timeless(row: Mapping[str, object]) -> JsonObject:
    return {name: value for name, value in row.items() if name not in MOMENTS}


@pytest.fixture
def project(project: Project) -> Project:
    project.seed()
    return project


def document_ids(project: Project, table: str) -> list[str]:
    return [row["document_id"] for row in project.rows(table)]


def test_scalars_are_stored_as_their_columns_want_them(project: Project) -> None:
    leith, wick = [timeless(row) for row in project.rows("harbours")]

    assert leith == {
        "id": 1,
        "document_id": leith["document_id"],
        "name": "Leith",
        "depth": 9.8,
        "berths": 10,
        "registry": 9007199254740993,
        "open": 1,
        "founded": "1329-05-28",
        "bell": "06:30:00.000",
        "surveyed": 1_700_000_000_500,
        "facts": '{"cranes":[1,2]}',
    }
    assert wick == {
        "id": 2,
        "document_id": wick["document_id"],
        "name": "Wick",
        "open": 0,
    }


def test_a_published_version_is_a_draft_row_and_a_published_row(project: Project) -> None:
    draft, published = project.rows("storys")[:2]
    body = draft.pop("body")

    assert published.pop("body") == body
    assert draft == {
        "id": 1,
        "document_id": draft["document_id"],
        "title": "First",
        "slug": "first",
        "mood": "calm",
        "created_at": draft["created_at"],
        "updated_at": draft["created_at"],
        "locale": "en",
    }
    assert published == {**draft, "id": 2, "published_at": published["published_at"]}
    assert published["published_at"] > draft["updated_at"]


def test_a_draft_is_one_row_with_defaults(project: Project) -> None:
    unsaid = timeless(project.rows("storys")[2])

    assert unsaid == {
        "id": 3,
        "document_id": unsaid["document_id"],
        "mood": "calm",
        "locale": "en",
    }


def test_documents_are_written_one_after_the_other(project: Project) -> None:
    moments = [row["created_at"] for row in project.rows("harbours") + project.rows("storys")[::2]]

    assert moments[0] == NOW
    assert moments == sorted(set(moments))


def test_a_modified_draft_was_changed_after_it_was_published(project: Project) -> None:
    draft, published = project.rows("storys")[3:5]

    assert (draft["title"], published["title"]) == ("Later still", "Later")
    assert draft["created_at"] == published["created_at"] == published["updated_at"]
    assert draft["updated_at"] > published["updated_at"]


def test_all_locales_of_a_document_share_its_id(project: Project) -> None:
    rows = project.rows("storys")

    assert [row["locale"] for row in rows] == ["en"] * 5 + ["de"] * 2
    assert document_ids(project, "storys") == [
        rows[0]["document_id"],
        rows[0]["document_id"],
        rows[2]["document_id"],
        *[rows[3]["document_id"]] * 4,
    ]
    assert len(set(document_ids(project, "storys"))) == 3


def test_draft_and_published_entry_have_components_of_their_own(project: Project) -> None:
    def part(
        row: int, entity: int, part_: int, uid: str, field: str, order: float | None
    ) -> JsonObject:
        link = {"id": row, "entity_id": entity, "cmp_id": part_, "component_type": uid}
        return {**link, "field": field} | ({} if order is None else {"order": order})

    assert project.rows("storys_cmps")[:6] == [
        part(1, 1, 1, "part.card", "card", None),
        part(2, 1, 2, "part.link", "links", 1),
        part(3, 1, 3, "part.link", "links", 2),
        part(4, 2, 2, "part.card", "card", None),
        part(5, 2, 5, "part.link", "links", 1),
        part(6, 2, 6, "part.link", "links", 2),
    ]
    assert project.rows("components_part_card")[:2] == [
        {"id": 1, "heading": "C"},
        {"id": 2, "heading": "C"},
    ]
    assert project.rows("components_part_link")[:3] == [
        {"id": 1, "url": "/c", "tab": 1},
        {"id": 2, "url": "/1", "tab": 0},
        {"id": 3, "url": "/2", "tab": 0},
    ]


def test_components_in_components_hang_on_the_inner_one(project: Project) -> None:
    link = {"component_type": "part.link", "field": "link"}

    assert project.rows("components_part_card_cmps") == [
        {"id": 1, "entity_id": 1, "cmp_id": 1, **link},
        {"id": 2, "entity_id": 2, "cmp_id": 4, **link},
    ]


def test_a_dynamic_zone_keeps_the_order_of_its_components(project: Project) -> None:
    zone = [row for row in project.rows("storys_cmps") if row["field"] == "zone"]

    assert [(row["entity_id"], row["component_type"], row["order"]) for row in zone] == [
        (4, "part.link", 1),
        (4, "part.card", 2),
        (5, "part.link", 1),
        (5, "part.card", 2),
    ]


def test_draft_and_published_entry_have_the_same_place_in_what_they_refer_to(
    project: Project,
) -> None:
    links = project.rows("storys_harbour_lnk")

    assert [(row["story_id"], row["harbour_id"], row["story_ord"]) for row in links] == [
        (1, 1, 1),
        (2, 1, 1),
        (3, 2, 1),
        (4, 1, 2),
        (5, 1, 2),
        (6, 1, 3),
        (7, 1, 3),
    ]


def test_an_entry_refers_to_entries_of_its_own_status(project: Project) -> None:
    links = project.rows("storys_related_lnk")
    names = ("story_id", "inv_story_id", "story_ord", "inv_story_ord")

    assert sorted(tuple(row[name] for name in names) for row in links) == [
        (4, 1, 2, 1),
        (4, 3, 1, 1),
        (5, 2, 1, 1),
    ]


def test_a_component_refers_as_its_entry_does(project: Project) -> None:
    assert project.rows("components_part_card_story_lnk") == [
        {"id": 1, "card_id": 3, "story_id": 1},
        {"id": 2, "card_id": 4, "story_id": 2},
    ]


def test_an_entry_without_drafts_refers_to_draft_and_published_rows(project: Project) -> None:
    links = project.rows("notices_about_lnk")

    assert [(row["notice_id"], row["story_id"], row["story_ord"]) for row in links] == [
        (1, 1, 1),
        (1, 2, 2),
        (1, 3, 3),
    ]


def test_what_is_not_localized_refers_to_the_default_locale(tmp_path: Path) -> None:
    project = Project(tmp_path)
    project.files["notice.json"]["data"]["about"] = ["later"]
    project.seed()

    linked = [row["story_id"] for row in project.rows("notices_about_lnk")]

    assert [project.rows("storys")[id_ - 1]["locale"] for id_ in linked] == ["en", "en"]


def test_a_relation_without_a_link_table_is_a_column(project: Project) -> None:
    assert [row.get("start_id") for row in project.rows("storys")] == [
        None, None, None, 2, 2, None, None,
    ]  # fmt: skip


@pytest.mark.parametrize(("key", "versions"), [("first", 2), ("unsaid", 1)])
def test_a_column_holds_the_published_row_if_there_is_one(
    tmp_path: Path, key: str, versions: int
) -> None:
    project = Project(tmp_path)
    project.files["notice.json"]["data"]["lead"] = key
    project.seed()

    [notice] = project.rows("notices")
    lead = next(row for row in project.rows("storys") if row["id"] == notice["lead_id"])

    assert ("published_at" in lead) == (versions == 2)
    assert document_ids(project, "storys").count(lead["document_id"]) == versions


def test_media_are_linked_in_order_and_with_the_attribute(project: Project) -> None:
    links = project.rows("files_related_mph")
    names = ("file_id", "related_id", "related_type", "field", "order")

    assert sorted(tuple(row[name] for name in names) for row in links) == [
        (1, 1, HARBOUR, "picture", 1),
        (1, 1, STORY, "pictures", 2),
        (1, 1, "part.card", "image", 1),
        (1, 2, STORY, "pictures", 2),
        (1, 2, "part.card", "image", 1),
        (2, 1, STORY, "pictures", 1),
        (2, 2, STORY, "pictures", 1),
    ]


def test_a_file_is_described(project: Project) -> None:
    picture, chart = project.rows("files")

    assert picture == {
        "id": 1,
        "document_id": picture["document_id"],
        "name": "Quai à l'aube.PNG",
        "alternative_text": "A quay",
        "width": 3,
        "height": 2,
        "hash": "Quai_a_l_aube_0000000001",
        "ext": ".PNG",
        "mime": "image/png",
        "size": 1.02,
        "url": "/uploads/Quai_a_l_aube_0000000001.PNG",
        "provider": "local",
        "folder_path": "/",
        **MOMENTS,
    }
    assert chart == {
        "id": 2,
        "document_id": chart["document_id"],
        "name": "map.txt",
        "hash": "map_0000000002",
        "ext": ".txt",
        "mime": "text/plain",
        "size": 0.02,
        "url": "/uploads/map_0000000002.txt",
        "provider": "local",
        "folder_path": "/",
        **MOMENTS,
    }


def test_the_image_of_a_block_carries_all_that_is_known_of_the_file(project: Project) -> None:
    paragraph, image = json.loads(project.rows("storys")[0]["body"])
    [file] = [row for row in project.rows("files") if row["id"] == 1]

    assert paragraph == {"type": "paragraph", "children": [{"type": "text", "text": "Fog."}]}
    assert image == {
        "type": "image",
        "image": {
            "id": 1,
            "documentId": file["document_id"],
            "name": "Quai à l'aube.PNG",
            "alternativeText": "A quay",
            "caption": None,
            "focalPoint": None,
            "width": 3,
            "height": 2,
            "formats": None,
            "hash": "Quai_a_l_aube_0000000001",
            "ext": ".PNG",
            "mime": "image/png",
            "size": 1.02,
            "url": "/uploads/Quai_a_l_aube_0000000001.PNG",
            "previewUrl": None,
            "provider": "local",
            "provider_metadata": None,
            "createdAt": "2023-11-14T22:13:20.000Z",
            "updatedAt": "2023-11-14T22:13:20.000Z",
            "publishedAt": "2023-11-14T22:13:20.000Z",
        },
        "children": [{"type": "text", "text": ""}],
    }


def test_the_locales_of_the_manifest_are_there_and_its_default_is_the_default(
    project: Project,
) -> None:
    locales = [(row["code"], row["name"]) for row in project.rows("i18n_locale")]
    stored = {row["key"]: row["value"] for row in project.rows("strapi_core_store_settings")}

    assert locales == [("en", "English (en)"), ("de", "German (de)")]
    assert stored["plugin_i18n_default_locale"] == '"en"'


def test_visitors_may_do_what_the_manifest_says(project: Project) -> None:
    role = next(row["id"] for row in project.rows("up_roles") if row["type"] == "public")
    actions = {row["id"]: row["action"] for row in project.rows("up_permissions")}
    links = [row for row in project.rows("up_permissions_role_lnk") if row["role_id"] == role]

    assert [actions[row["permission_id"]] for row in links][-2:] == [
        "api::story.story.find",
        "api::notice.notice.find",
    ]
    assert [row["permission_ord"] for row in links] == list(range(1, len(links) + 1))
