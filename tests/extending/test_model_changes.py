"""Changes of the model while a server with Python code runs."""

from collections.abc import Mapping
from pathlib import Path

from tests.databases.kind import Kind
from tests.extending.project import FILE, module, open_extended
from tests.unit.admin_api.office import Office, Reply
from tests.unit.kiosk import WRITER

CODE = """
@after_write(WRITER, on=["create"], needs=["name"])
def note(write):
    fired.append(write.after.name)
"""
CITY = {"action": "create", "name": "city", "properties": {"type": "string"}}


async def change_writer(office: Office, *attributes: Mapping[str, object]) -> Reply:
    writer = {
        "action": "update",
        "uid": WRITER,
        "kind": "collectionType",
        "displayName": "writer",
        "singularName": "writer",
        "pluralName": "writers",
        "draftAndPublish": False,
        "attributes": attributes,
    }
    body = {"data": {"contentTypes": [writer]}}
    path = "/content-type-builder/update-schema"
    return await office.ask("POST", path, body, token=office.boss)


async def test_the_model_builder_refuses_to_take_what_code_needs(
    tmp_path: Path, kind: Kind
) -> None:
    async with open_extended(tmp_path, kind, CODE) as office:
        refused = await change_writer(office, CITY, {"action": "delete", "name": "name"})
        assert refused.status == 400, refused.json
        assert refused.json["error"]["message"] == (
            f'{FILE}: line 7 after_write("{WRITER}"): unknown field "name" in needs'
        )

        changed = await change_writer(office, CITY)
        assert changed.status == 200, changed.json
        made = await office.ask("POST", "/api/writers", {"data": {"name": "Ada", "city": "Rome"}})
        assert (made.data["city"], module().fired) == ("Rome", ["Ada"])
