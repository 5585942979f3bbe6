"""Values of ``uid`` attributes: free ones are proposed, even if many are used."""

from tests.unit.admin_api.test_model import ModelSite, attribute, changed, model_site
from tests.unit.kiosk import WRITER

__all__ = ["model_site"]

GENERATE = "/content-manager/uid/generate"
CHECK = "/content-manager/uid/check-availability"
WRITERS = f"/content-manager/collection-types/{WRITER}"
FIELD = {"contentTypeUID": WRITER, "field": "handle"}


async def with_handles(model_site: ModelSite, *handles: str) -> None:
    """Give writers a handle, and make one writer for each of these."""
    handle = attribute("handle", type="uid", targetField="name")
    reply = await model_site.update(changed(WRITER, handle))
    assert reply.status == 200, reply.json
    for one in handles:
        made = await model_site.ask("POST", WRITERS, {"name": one, "handle": one})
        assert made.status == 201, made.json


async def proposed(model_site: ModelSite, name: str) -> str:
    reply = await model_site.ask("POST", GENERATE, {**FIELD, "data": {"name": name}})
    assert reply.status == 200, reply.json
    return str(reply.data)


async def test_what_is_free_is_proposed_as_it_is(model_site: ModelSite) -> None:
    await with_handles(model_site, "tove-lindqvist", "tove-1", "Tove")
    assert await proposed(model_site, "Tove") == "tove"


async def test_the_first_number_that_is_free_is_proposed(model_site: ModelSite) -> None:
    await with_handles(model_site, "tove", "tove-1", "tove-2", "tove-4", "tove-lindqvist")
    assert await proposed(model_site, "Tove") == "tove-3"
    checked = await model_site.ask("POST", CHECK, {**FIELD, "value": "tove"})
    assert checked.json == {"isAvailable": False, "suggestion": "tove-3"}


async def test_many_numbers_may_be_taken(model_site: ModelSite) -> None:
    await with_handles(model_site, "tove", *(f"tove-{number}" for number in range(1, 24)))
    assert await proposed(model_site, "Tove") == "tove-24"


async def test_the_value_of_the_document_itself_is_not_taken(model_site: ModelSite) -> None:
    await with_handles(model_site, "tove", "hedvig")
    listed = await model_site.ask("GET", f"{WRITERS}?sort=id:desc&pageSize=2")
    hedvig, tove = (one["documentId"] for one in listed.json["results"])
    for document, expected in ((tove, "tove"), (hedvig, "tove-1")):
        data = {"name": "Tove", "documentId": document}
        reply = await model_site.ask("POST", GENERATE, {**FIELD, "data": data})
        assert reply.data == expected


async def test_a_long_text_gives_a_value_that_can_be_stored(model_site: ModelSite) -> None:
    await with_handles(model_site)
    for name in ("x" * 2_000, "a b " * 200_000):
        handle = await proposed(model_site, name)
        made = await model_site.ask("POST", WRITERS, {"name": "Tove", "handle": handle})
        assert made.status == 201, made.json
