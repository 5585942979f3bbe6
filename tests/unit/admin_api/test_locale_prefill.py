"""Forms prefilled from another locale, with the permissions of the caller."""

import pytest

from quire.content_manager.locale_prefill import temporary_keys
from tests.unit.admin_api.office import Office
from tests.unit.admin_api.test_content_manager import PAPERS, editor, grant, paper
from tests.unit.kiosk import PAPER, WRITER

WRITERS = f"/content-manager/collection-types/{WRITER}"


def path(document_id: str, source: str = "en", target: str = "fr") -> str:
    return (
        f"/i18n/content-manager/get-fill-from-locale/{PAPER}?documentId={document_id}"
        f"&sourceLocale={source}&targetLocale={target}&collectionType=collection-types"
    )


async def signed_paper(office: Office) -> tuple[str, str]:
    """A paper with a writer and two lines; returns both documents."""
    made = await office.ask("POST", WRITERS, {"name": "Nemo"}, token=office.boss)
    writer: str = made.data["documentId"]
    return await paper(
        office,
        title="Tide",
        lock="sesame",
        writer={"connect": [{"documentId": writer}]},
        lines=[{"text": "a"}, {"text": "b"}],
    ), writer


async def test_a_form_is_filled_with_what_the_other_locale_has(office: Office) -> None:
    document_id, writer = await signed_paper(office)
    filled = (await office.ask("GET", path(document_id), token=office.boss)).data
    assert (filled["title"], filled["price"]) == ("Tide", 3)
    (connected,) = filled["writer"]["connect"]
    assert (connected["documentId"], connected["label"]) == (writer, "Nemo")
    assert [line["__temp_key__"] for line in filled["lines"]] == ["a0", "a1"]
    assert all("id" not in line for line in filled["lines"])
    assert {"id", "documentId", "locale", "createdAt", "lock"}.isdisjoint(filled)


async def test_it_can_be_sent_back_as_the_new_locale(office: Office) -> None:
    document_id, writer = await signed_paper(office)
    filled = (await office.ask("GET", path(document_id), token=office.boss)).data
    french = f"{PAPERS}/{document_id}?locale=fr"
    made = await office.ask("PUT", french, {**filled, "title": "Marée"}, token=office.boss)
    assert made.status == 200, made.json
    shown = (await office.ask("GET", f"{french}&populate=writer", token=office.boss)).data
    assert shown["writer"]["documentId"] == writer
    assert [line["text"] for line in shown["lines"]] == ["a", "b"]


async def test_prefilled_values_contain_nothing_unreadable(office: Office) -> None:
    document_id, writer = await signed_paper(office)
    token = await editor(office, grant("read", ["title", "writer"], locales=["en"]))
    filled = (await office.ask("GET", path(document_id), token=token)).data
    assert set(filled) == {"title", "writer"}
    assert filled["writer"] == {"connect": [], "disconnect": []}
    assert (await office.ask("GET", path(document_id, "fr"), token=token)).status in {403, 404}

    named = await editor(
        office, grant("read", None), grant("read", ["papers"], uid=WRITER), email="n@example.com"
    )
    filled = (await office.ask("GET", path(document_id), token=named)).data
    (connected,) = filled["writer"]["connect"]
    assert connected["label"] == writer
    stranger = await editor(office, grant("read", None, uid=WRITER), email="w@example.com")
    assert (await office.ask("GET", path(document_id), token=stranger)).status == 403


async def test_what_is_not_there_fills_nothing(office: Office) -> None:
    document_id = await paper(office)
    assert (await office.ask("GET", path(document_id, "fr"), token=office.boss)).status == 404
    assert (await office.ask("GET", path("x"), token=office.boss)).status == 404
    wrong = path(document_id).replace("=collection-types", "=x")
    assert (await office.ask("GET", wrong, token=office.boss)).status == 400


@pytest.mark.parametrize(
    ("count", "last"), [(0, None), (1, "a0"), (11, "aA"), (62, "az"), (63, "b00"), (64, "b01")]
)
def test_temporary_keys_are_in_the_order_of_the_items(count: int, last: str | None) -> None:
    keys = temporary_keys(count)
    assert keys[-1:] == ([] if last is None else [last])
    assert sorted(keys) == keys
    assert len({*keys}) == count
