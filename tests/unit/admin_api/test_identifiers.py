"""Values for ``uid`` attributes: free ones are proposed, however many are taken."""

from tests.unit.admin_api.test_model import Workshop, attribute, changed, workshop
from tests.unit.kiosk import WRITER

__all__ = ["workshop"]

GENERATE = "/content-manager/uid/generate"
CHECK = "/content-manager/uid/check-availability"
WRITERS = f"/content-manager/collection-types/{WRITER}"
FIELD = {"contentTypeUID": WRITER, "field": "handle"}


async def with_handles(workshop: Workshop, *handles: str) -> None:
    """Give writers a handle, and make one writer for each of these."""
    handle = attribute("handle", type="uid", targetField="name")
    reply = await workshop.update(changed(WRITER, handle))
    assert reply.status == 200, reply.json
    for one in handles:
        made = await workshop.ask("POST", WRITERS, {"name": one, "handle": one})
        assert made.status == 201, made.json


async def proposed(workshop: Workshop, name: str) -> str:
    reply = await workshop.ask("POST", GENERATE, {**FIELD, "data": {"name": name}})
    assert reply.status == 200, reply.json
    return str(reply.data)


async def test_what_is_free_is_proposed_as_it_is(workshop: Workshop) -> None:
    await with_handles(workshop, "tove-lindqvist", "tove-1", "Tove")
    assert await proposed(workshop, "Tove") == "tove"


async def test_the_first_number_that_is_free_is_proposed(workshop: Workshop) -> None:
    await with_handles(workshop, "tove", "tove-1", "tove-2", "tove-4", "tove-lindqvist")
    assert await proposed(workshop, "Tove") == "tove-3"
    checked = await workshop.ask("POST", CHECK, {**FIELD, "value": "tove"})
    assert checked.json == {"isAvailable": False, "suggestion": "tove-3"}


async def test_many_numbers_may_be_taken(workshop: Workshop) -> None:
    await with_handles(workshop, "tove", *(f"tove-{number}" for number in range(1, 24)))
    assert await proposed(workshop, "Tove") == "tove-24"
