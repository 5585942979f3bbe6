"""Attribute types of a project's code: validated, stored, shown, described, and checked."""

import re
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pytest

from quire.cli import run
from quire.extension_loading import ExtensionError, load_extensions
from quire.schema.load import load_schema
from tests.databases.kind import Kind
from tests.databases.kinds import SQLITE
from tests.docs.pages import DOCS, fences
from tests.extending.pytest_runs import run_pytest
from tests.postgresql.databases import url_of
from tests.unit.schema.trees import component_file, type_file, write_tree

PAGE = DOCS / "extending" / "attribute-types.md"
MONEY = {"type": "decimal", "pluginOptions": {"quire": {"type": "money", "currency": "USD"}}}
PRICED = {"name": {"type": "string"}, "price": {**MONEY, "required": True, "max": 1000}}
PRODUCT = type_file(
    "product",
    {
        **PRICED,
        "offers": {"type": "component", "component": "shop.offer", "repeatable": True},
        "tint": {"type": "json", "pluginOptions": {"quire": {"type": "tint"}}},
        "glaze": {
            "type": "customField",
            "customField": "plugin::glazes.glaze",
            "pluginOptions": {"quire": {"type": "tint"}},
        },
    },
    options={"draftAndPublish": True},
)
OFFER = component_file("shop.offer", {"price": MONEY})
TINT = """
from typing import Any
from msgspec import Struct
from quire import *

class Tint(Struct):
    red: int
    name: str = ""

@attribute_type("tint")
class TintType(AttributeType[Tint, AttributeOptions]):
    stores = "json"

    def parse(self, value: Any, options: AttributeOptions) -> Tint:
        if isinstance(value, dict) and isinstance(value.get("red"), int):
            return Tint(value["red"], value.get("name", ""))
        raise ValidationError("must be a tint")

    def serialize(self, value: Tint, options: AttributeOptions) -> dict[str, Any]:
        return {"red": value.red, "name": value.name or f"tint {value.red}"}

@operator("$tint_of", on=["tint"], operand=float)
def tint_of(column, red):
    return red.json_number(column, "red") == red.value

@before_write("api::product.product", on=["update"], needs=["price", "tint"])
def look(write):
    seen.append((write.before.price, write.before.tint["name"]))

seen = []
"""
TESTS = """
from src.extensions.tint import seen

async def test_values(project):
    token = await project.token()
    async def post(**data):
        return await token.post("/api/products", json={"data": {"name": "a", "price": 1, **data}})

    made = (await post(price="12.5", tint={"red": 7}, offers=[{"price": 3}])).json()["data"]
    assert (made["price"], made["tint"]) == ("12.50", {"red": 7, "name": "tint 7"})
    populated = await token.get(f"/api/products/{made['documentId']}?populate=offers")
    assert populated.json()["data"]["offers"][0]["price"] == "3.00"
    for value in ("x", 1.234, {}, True):
        refused = (await post(price=value)).json()["error"]
        assert refused["message"].startswith("price must be an amount with at most two decimals")
        assert refused["details"]["errors"][0]["path"] == ["price"]
    nested = (await post(offers=[{"price": "x"}])).json()["error"]["details"]["errors"]
    assert nested[0]["path"] == ["offers", "0", "price"]
    large = (await post(price=2000)).json()["error"]["message"]
    assert large == "price must be less than or equal to 1000"
    assert (await post(price=None)).status_code == 400
    assert (await post(tint=[])).json()["error"]["message"] == "tint must be a tint"

    glazed = (await post(glaze={"red": 2})).json()["data"]
    assert (glazed["glaze"], glazed["tint"]) == ({"red": 2, "name": "tint 2"}, None)

    await post(price=7)
    listed = await token.get("/api/products?sort=price&fields=price")
    assert [one["price"] for one in listed.json()["data"]] == ["1.00", "7.00", "12.50"]
    found = await token.get("/api/products?filters[price][$gt]=10")
    assert [one["price"] for one in found.json()["data"]] == ["12.50"]
    tinted = await token.get("/api/products?filters[tint][$tint_of]=7")
    assert len(tinted.json()["data"]) == 1

    path = f"/api/products/{made['documentId']}"
    changed = await token.put(path, json={"data": {"price": 9}})
    assert changed.json()["data"]["price"] == "9.00"
    assert seen == [("12.50", "tint 7")]


async def test_descriptions(project):
    token = await project.token()
    described = (await token.get("/api/openapi.json")).json()["components"]["schemas"]
    assert described["Product"]["properties"]["price"]["type"] == ["string", "null"]
    assert "money.js" not in str(described)
    admin = await project.admin()
    money, tint = (await admin.get("/content-manager/init")).json()["data"]["attributeTypes"]
    assert (money["name"], money["stores"], money["element"]) == ("money", "decimal", "quire-money")
    assert money["options"] == {"currency": {"type": "string", "default": "EUR"}}
    assert tint == {"name": "tint", "stores": "json", "options": {}}
    module = await project.get(money["module"])
    assert module.headers["content-type"].startswith("text/javascript")
    assert "immutable" in module.headers["cache-control"]
    assert "customElements.define" in module.text
    for path in ("/admin/extensions/0/money.js", "/admin/extensions/../src/extensions/money.py"):
        assert (await project.get(path)).status_code == 404
    listed = await admin.get("/content-manager/collection-types/api::product.product")
    assert listed.status_code == 200


async def test_the_builder_checks_options(project):
    admin = await project.admin()
    async def change(quire):
        properties = {"type": "decimal", "pluginOptions": {"quire": quire}}
        attribute = {"action": "create", "name": "cost", "properties": properties}
        body = {"data": {"components": [], "contentTypes": [{
            "action": "update", "uid": "api::product.product", "modelType": "contentType",
            "kind": "collectionType", "draftAndPublish": True,
            "displayName": "product", "singularName": "product", "pluralName": "products",
            "attributes": [attribute],
        }]}}
        return await admin.post("/content-type-builder/update-schema", json=body)

    refused = await change({"type": "money", "curency": "USD"})
    assert refused.status_code == 400, refused.text
    assert "unknown field `curency`" in refused.text
    assert (await change({"type": "mony"})).status_code == 400
    assert (await change({"type": "money", "currency": "CHF"})).status_code == 200
    token = await project.token()
    made = await token.post("/api/products", json={"data": {"price": 1, "cost": "2.5"}})
    assert made.json()["data"]["cost"] == "2.50"
"""


def make_shop(folder: Path, *trees: Mapping[str, Any]) -> Path:
    """Write a project with the code of the page."""
    write_tree(folder, *(trees or (PRODUCT, OFFER)))
    for fence in fences(PAGE):
        name = fence.text.partition("\n")[0].lstrip("#/ ")
        if fence.info in {"python", "js"}:
            write_tree(folder, {name: fence.text})
    return folder


def test_attributes_have_the_type_of_the_code(kind: Kind, tmp_path: Path) -> None:
    url = "sqlite" if kind is SQLITE else url_of("postgres")
    folder = make_shop(tmp_path)
    write_tree(folder, {"src/extensions/tint.py": TINT, "tests/test_shop.py": TESTS})
    (folder / "quire.toml").write_text('[custom_fields]\n"plugin::glazes.glaze" = "json"\n')
    assert run_pytest(folder, f"--quire-database={url}") == {"passed": 3}


def test_generated_types_are_those_that_are_shown(tmp_path: Path) -> None:
    folder = make_shop(tmp_path, type_file("product", PRICED))
    target = tmp_path / "product.ts"
    assert run(["types", str(folder), "--typescript", str(target)]) == 0
    assert re.search(r"price: string", target.read_text())


@pytest.mark.parametrize(
    ("changed", "message"),
    [
        (('"money")', '"Money")'), "the name must be lower-case words with dashes"),
        (('"money")', '"text")'), "text is one of Quire's own attribute types"),
        (('"decimal"\n', '"decimals"\n'), "stores must be one of biginteger, blocks, boolean"),
        (('"decimal"\n', '"password"\n'), "stores must be one of"),
        (("[Decimal, MoneyOptions]", ""), "name the types of values and options"),
        (("MoneyOptions(AttributeOptions)", "MoneyOptions"), "must derive from AttributeOptions"),
        (("def parse", "def pars"), "must have a method parse"),
        (("admin/money.js", "admin/mony.js"), "there is no module admin/mony.js below extensions/"),
        (("admin/money.js", "../../secret.js"), "there is no module"),
        (("quire-money", "money"), "the element needs a dash"),
        (
            ('currency: str = "EUR"', 'unit: str = "EUR"'),
            "api::product.product: price: pluginOptions.quire: Object contains unknown field",
        ),
        (('"money")', '"amount")'), 'unknown attribute type "money"'),
        (('"decimal"\n', '"float"\n'), 'type is "decimal", but money is stored as "float"'),
    ],
)
def test_a_mistake_is_reported(tmp_path: Path, changed: tuple[str, str], message: str) -> None:
    folder = make_shop(tmp_path, type_file("product", PRICED))
    (tmp_path / "secret.js").write_text("// not below the code")
    file = folder / "src/extensions/money.py"
    code = file.read_text()
    assert changed[0] in code
    file.write_text(code.replace(*changed))
    with pytest.raises(ExtensionError) as caught:
        load_extensions(folder, load_schema(folder))
    assert message in str(caught.value)
