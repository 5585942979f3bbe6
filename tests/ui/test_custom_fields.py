"""Inputs, cells and filters of attribute types and operators of a project's code."""

from collections.abc import Iterator
from subprocess import DEVNULL, run

import pytest
from playwright.sync_api import Browser, expect

from tests.docs.pages import DOCS, fences
from tests.ui.conftest import OpenPage, go_on
from tests.ui.site import QUIRE, Site, serve
from tests.unit.schema.trees import type_file, write_tree

LIST = "/admin/content/api::product.product"
OPERATOR = """
from sqlalchemy import and_
from msgspec import Struct
from quire import Sql, operator

class Between(Struct):
    low: float
    high: float

@operator("$price_between", on=["money", "decimal"], operand=Between)
def price_between(column, span):
    return and_(column >= span.low, column <= span.high)
"""


@pytest.fixture(scope="module")
def shop(browser: Browser, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Site]:
    """A shop whose prices are of the type of the documentation."""
    project = tmp_path_factory.mktemp("shop") / "shop"
    options = {"quire": {"type": "money", "currency": "CHF"}}
    attributes = {
        "name": {"type": "string"},
        "price": {"type": "decimal", "pluginOptions": options},
    }
    write_tree(project, type_file("product", attributes), {"src/extensions/span.py": OPERATOR})
    for fence in fences(DOCS / "extending" / "attribute-types.md"):
        if fence.info in {"python", "js"}:
            write_tree(project, {fence.text.partition("\n")[0].lstrip("#/ "): fence.text})
    run([QUIRE, "new", project], check=True, stdout=DEVNULL, stderr=DEVNULL)
    with serve(project) as served:
        served.register()
        yield served


def test_a_custom_element_edits_the_value_and_lists_show_its_cell(
    shop: Site, open_page: OpenPage
) -> None:
    page = open_page(shop.address, storage_state=shop.session())
    page.goto(f"{LIST}/create")
    page.get_by_role("textbox", name="name").fill("Lantern")
    price = page.get_by_role("group", name="price").get_by_role("textbox")
    price.fill("12.345")
    page.get_by_role("button", name="Save", exact=True).click()
    expect(page.get_by_text("must be an amount with at most two decimals").first).to_be_visible()
    price.fill("12.5")
    page.get_by_role("button", name="Save", exact=True).click()
    expect(price).to_have_value("12.50")

    go_on(page, LIST)
    expect(page.get_by_text("12.50 CHF")).to_be_visible()


def test_an_operator_of_the_code_is_in_the_filter_menu(shop: Site, open_page: OpenPage) -> None:
    for name, price in (("Buoy", 3), ("Anchor", 90)):
        product = {"name": name, "price": price}
        shop.api("POST", "/content-manager/collection-types/api::product.product", product)
    page = open_page(shop.address, storage_state=shop.session())
    page.goto(LIST)
    expect(page.get_by_text("Buoy")).to_be_visible()
    page.get_by_role("button", name="Filter").click()
    rules = page.get_by_role("group", name="Filter rules")
    rules.get_by_role("combobox", name="Field").click()
    page.get_by_role("option", name="Price", exact=True).click()
    rules.get_by_role("combobox", name="Operator").click()
    page.get_by_role("option", name="price between").click()
    rules.get_by_role("textbox", name="low").fill("50")
    rules.get_by_role("textbox", name="high").fill("100")
    expect(page.get_by_text("Anchor")).to_be_visible()
    expect(page.get_by_text("Buoy")).to_be_hidden()


def test_the_model_builder_offers_the_type_with_its_options(
    shop: Site, open_page: OpenPage
) -> None:
    page = open_page(shop.address, storage_state=shop.session())
    page.goto("/admin/model/api::product.product")
    page.get_by_role("button", name="Add field").click()
    page.get_by_role("textbox", name="Search").fill("money")
    page.get_by_role("option", name="money").click()
    panel = page.get_by_role("region", name="Field")
    panel.get_by_role("textbox", name="Name").fill("cost")
    panel.get_by_role("textbox", name="currency").fill("NOK")
    expect(panel.get_by_text("money, stored as decimal")).to_be_visible()
