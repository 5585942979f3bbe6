"""Attribute types, operators and computed fields of code and packages in the admin UI."""

import os
import re
from collections.abc import Iterator
from pathlib import Path
from subprocess import DEVNULL, run

import pytest
from playwright.sync_api import Browser, expect

from tests.docs.pages import DOCS, fences
from tests.extending.packages import install_packages
from tests.ui.accessibility import assert_accessible_in_both_schemes
from tests.ui.conftest import OpenPage, go_on
from tests.ui.site import EMAIL, QUIRE, Site, serve
from tests.ui.steps import expect_saved
from tests.unit.schema.trees import type_file, write_tree

COMPUTED = """
from quire import computed

@computed("api::product.product", needs=["name"])
def shout(product) -> str:
    return product.name.upper()

@computed("api::product.product", needs=["name"])
def stock(product) -> int:
    if product.name == "Uncounted":
        raise RuntimeError("no such shelf")
    return 3
"""
FAILING = """
from pathlib import Path
from quire import Forbidden, after_write, policy, rule

@rule("api::product.product", on=["find"])
def on_sale(who):
    if Path(__file__).with_name("closed").exists():
        raise RuntimeError("no such shop")
    return True

@after_write("api::product.product", on=["create", "update"], needs=["name"])
def check_name(write):
    if write.after is not None and write.after.name == "Broken":
        raise RuntimeError("no such shelf")

@policy("api::product.product", on=["create"])
def check_day(context):
    if context.data.get("name") == "Sunday":
        raise Forbidden("Nothing is sold on Sundays")
    return context.data.get("name") != "Never"
"""
LIST = "/admin/content/api::product.product"
CONFIGURATION = "/content-manager/content-types/api::product.product/configuration"
SETTINGS = """
[admin.rate_limit]
enabled = false

[[extensions.packages]]
name = "quire-color"
version = ">=1,<2"
may = ["attribute_type"]
"""
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
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("shop")


@pytest.fixture(scope="module")
def shop(browser: Browser, folder: Path) -> Iterator[Site]:
    """A shop whose prices are of the type of the documentation, and colors of a package's type."""
    project = folder / "shop"
    palette = "Sea #1d4ed8, Sand #fde68a"
    attributes = {
        "name": {"type": "string"},
        "price": _custom("decimal", type="money", currency="CHF"),
        "lid": _custom("string", type="color", palette=palette),
        "ink": _custom("string", type="color", background="#ffffff"),
    }
    write_tree(project, type_file("product", attributes), {"src/extensions/span.py": OPERATOR})
    write_tree(project, {"src/extensions/shout.py": COMPUTED, "src/extensions/checks.py": FAILING})
    for fence in fences(DOCS / "extending" / "attribute-types.md"):
        if fence.info in {"python", "js"}:
            write_tree(project, {fence.text.partition("\n")[0].lstrip("#/ "): fence.text})
    _, packages = install_packages(folder, ["quire-color"])
    with pytest.MonkeyPatch.context() as patch:
        paths = (str(packages), os.environ.get("PYTHONPATH"))
        patch.setenv("PYTHONPATH", os.pathsep.join(filter(None, paths)))
        run([QUIRE, "new", project], check=True, stdout=DEVNULL, stderr=DEVNULL)
        with (project / "quire.toml").open("a", encoding="utf-8") as settings:
            settings.write(SETTINGS)
        with serve(project) as served:
            served.register()
            yield served


def _custom(stores: str, **options: str) -> dict[str, object]:
    return {"type": stores, "pluginOptions": {"quire": options}}


def test_a_custom_element_edits_the_value_and_lists_show_its_cell(
    shop: Site, open_page: OpenPage
) -> None:
    page = open_page(shop, shown_to=EMAIL)
    go_on(page, f"{LIST}/create")
    page.get_by_role("textbox", name="name").fill("Lantern")
    price = page.get_by_role("group", name="price").get_by_role("textbox")
    price.fill("12.345")
    page.get_by_role("button", name="Save", exact=True).click()
    expect(page.get_by_text("must be an amount with at most two decimals").first).to_be_visible()
    expect(page.get_by_text("price must be an amount")).to_have_count(0)  # the label names it
    price.fill("12.5")
    page.get_by_role("button", name="Save", exact=True).click()
    expect(price).to_have_value("12.50")

    go_on(page, LIST)
    expect(page.get_by_text("12.50 CHF")).to_be_visible()


def test_what_code_of_the_project_rejects_or_fails_at_is_shown_with_its_place(
    shop: Site, open_page: OpenPage
) -> None:
    page = open_page(shop, shown_to=EMAIL)
    go_on(page, f"{LIST}/create")
    name = page.get_by_role("textbox", name="name")
    alert = page.get_by_role("alert")
    for typed, message in (
        ("Broken", r"check_name \(src/extensions/checks\.py:\d+\) raised an exception"),
        ("Sunday", "Nothing is sold on Sundays"),
        ("Never", r"the policy check_day \(src/extensions/checks\.py:\d+\) denied"),
    ):
        name.fill(typed)
        page.get_by_role("button", name="Save", exact=True).click()
        expect(alert.filter(has_text=re.compile(message))).to_be_visible()
        expect(name).to_have_value(typed)
    name.fill("Mended")
    page.get_by_role("button", name="Save", exact=True).click()
    expect_saved(page)


def test_a_failed_rule_is_named_in_lists_and_forms_and_nothing_is_created(
    shop: Site, folder: Path, open_page: OpenPage
) -> None:
    page = open_page(shop, shown_to=EMAIL)
    products = "/content-manager/collection-types/api::product.product"
    failed = page.get_by_text(re.compile(r"on_sale \(src/extensions/checks\.py:\d+\) raised"))
    closed = folder / "shop/src/extensions/closed"
    before = shop.api("GET", products)["pagination"]["total"]
    closed.touch()
    try:
        go_on(page, LIST)
        expect(failed.first).to_be_visible()
        expect(page.get_by_text("No entries of")).to_have_count(0)
        go_on(page, "/admin")
        missing = page.get_by_role("alert").filter(has_text="Entries are missing")
        expect(missing).to_contain_text(re.compile(r"on_sale \(src/extensions/checks\.py:\d+\)"))
        go_on(page, f"{LIST}/create")
        page.get_by_role("textbox", name="name").fill("Lost")
        for _ in range(2):
            page.get_by_role("button", name="Save", exact=True).click()
            expect(page.get_by_role("alert").filter(has=failed).first).to_be_visible()
    finally:
        closed.unlink()
    assert shop.api("GET", products)["pagination"]["total"] == before
    page.get_by_role("button", name="Save", exact=True).click()
    expect_saved(page)
    assert shop.api("GET", products)["pagination"]["total"] == before + 1


def test_a_computed_field_that_is_missing_says_why(shop: Site, open_page: OpenPage) -> None:
    products = "/content-manager/collection-types/api::product.product"
    product = shop.api("POST", products, {"name": "Uncounted"})["data"]["documentId"]
    page = open_page(shop, shown_to=EMAIL)
    reason = page.get_by_text(
        re.compile(r"stock: stock \(src/extensions/shout\.py:\d+\) has failed")
    )
    go_on(page, f"{LIST}/{product}")
    expect(reason).to_be_visible()
    assert_accessible_in_both_schemes(page)
    go_on(page, f"{LIST}?columns=%5B%22name%22%2C%22stock%22%5D")
    expect(reason).to_be_visible()
    shop.api("DELETE", f"{products}/{product}")


def test_an_operator_of_the_code_is_in_the_filter_menu(shop: Site, open_page: OpenPage) -> None:
    for name, price in (("Buoy", 3), ("Anchor", 90)):
        product = {"name": name, "price": price}
        shop.api("POST", "/content-manager/collection-types/api::product.product", product)
    page = open_page(shop, shown_to=EMAIL)
    go_on(page, LIST)
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
    page = open_page(shop, shown_to=EMAIL)
    go_on(page, "/admin/model/api::product.product")
    page.get_by_role("button", name="Add field").click()
    page.get_by_role("textbox", name="Search").fill("money")
    page.get_by_role("option", name="money").click()
    panel = page.get_by_role("region", name="Field")
    panel.get_by_role("textbox", name="Name").fill("cost")
    panel.get_by_role("textbox", name="currency").fill("NOK")
    expect(panel.get_by_text("money, stored as decimal")).to_be_visible()


def test_a_color_is_picked_or_typed_and_its_contrast_is_shown(
    shop: Site, open_page: OpenPage
) -> None:
    page = open_page(shop, shown_to=EMAIL)
    go_on(page, f"{LIST}/create")
    page.get_by_role("textbox", name="name").fill("Paint")
    ink = page.get_by_role("group", name="ink")
    text = ink.get_by_role("textbox", name="Ink", exact=True)
    picker = ink.get_by_label("Ink: color picker")
    picker.fill("#fde68a")
    expect(text).to_have_value("#fde68a")
    expect(ink.get_by_role("status")).to_have_text("Contrast 1.25; it must be at least 4.5")
    page.get_by_role("button", name="Save", exact=True).click()
    refusal = "has a contrast of 1.25 to #ffffff, but must have at least 4.50"
    expect(ink.get_by_role("alert")).to_contain_text(refusal)
    expect(text).to_have_attribute("aria-invalid", "true")

    picker.focus()
    page.keyboard.press("Tab")
    expect(text).to_be_focused()
    text.fill("#14D")
    expect(picker).to_have_value("#1144dd")
    expect(ink.get_by_role("status")).to_have_text("Contrast 7.25")
    page.get_by_role("button", name="Save", exact=True).click()
    expect(text).to_have_value("#1144dd")
    expect(text).to_have_attribute("aria-invalid", "false")


def test_a_color_of_a_palette_is_chosen_by_the_keyboard(shop: Site, open_page: OpenPage) -> None:
    page = open_page(shop, shown_to=EMAIL)
    go_on(page, f"{LIST}/create")
    page.get_by_role("textbox", name="name").fill("Jar")
    colors = page.get_by_role("radiogroup", name="lid")
    expect(colors.get_by_role("radio")).to_have_count(3)
    colors.get_by_role("radio", name="No color").focus()
    for name in ("Sea", "Sand"):
        page.keyboard.press("ArrowRight")
        expect(colors.get_by_role("radio", name=name)).to_be_checked()
        expect(colors.get_by_role("radio", name=name)).to_be_focused()
    page.get_by_role("button", name="Save", exact=True).click()
    expect_saved(page)
    expect(colors.get_by_role("radio", name="Sand")).to_be_checked()

    go_on(page, LIST)
    expect(page.get_by_role("row", name="Jar").get_by_text("#fde68a")).to_be_visible()


def test_colors_that_are_not_editable_are_shown(shop: Site, open_page: OpenPage) -> None:
    view = shop.api("GET", CONFIGURATION)["data"]["contentType"]
    chosen = {name: view[name] for name in ("settings", "metadatas", "layouts")}
    for name, metadata in chosen["metadatas"].items():
        metadata["list"].pop("mainField", None)
        metadata["edit"]["editable"] = name not in {"ink", "lid"}
    shop.api("PUT", CONFIGURATION, chosen)
    page = open_page(shop, shown_to=EMAIL)
    go_on(page, f"{LIST}/create")
    ink = page.get_by_role("group", name="ink")
    expect(ink.get_by_role("textbox", name="Ink", exact=True)).to_be_disabled()
    expect(ink.get_by_label("Ink: color picker")).to_be_disabled()
    for radio in page.get_by_role("radiogroup", name="lid").get_by_role("radio").all():
        expect(radio).to_be_disabled()
    for metadata in chosen["metadatas"].values():
        metadata["edit"]["editable"] = True
    shop.api("PUT", CONFIGURATION, chosen)


def test_the_model_builder_has_an_input_for_each_option(shop: Site, open_page: OpenPage) -> None:
    page = open_page(shop, shown_to=EMAIL)
    go_on(page, "/admin/model/api::product.product")
    page.get_by_role("button", name="Add field").click()
    page.get_by_role("textbox", name="Search").fill("color")
    page.get_by_role("option", name="color").click()
    panel = page.get_by_role("region", name="Field")
    panel.get_by_role("textbox", name="Name").fill("cap")
    panel.get_by_role("switch", name="alpha").check(force=True)
    panel.get_by_role("textbox", name="palette").fill("Sea #1d4ed8")
    panel.get_by_role("textbox", name="background").fill("#fff")
    panel.get_by_role("textbox", name="contrast").fill("7")
    expect(panel.get_by_text("color, stored as string")).to_be_visible()


def test_the_inputs_of_colors_are_accessible(shop: Site, open_page: OpenPage) -> None:
    page = open_page(shop, shown_to=EMAIL)
    go_on(page, f"{LIST}/create")
    page.get_by_role("textbox", name="name").fill("Frame")
    ink = page.get_by_role("group", name="ink")
    ink.get_by_role("textbox", name="Ink", exact=True).fill("red")
    page.get_by_role("button", name="Save", exact=True).click()
    expect(ink.get_by_role("alert")).to_contain_text("must be a color such as #1d4ed8")
    assert_accessible_in_both_schemes(page)


def test_the_inspector_shows_computed_fields_of_the_saved_entry(
    shop: Site, open_page: OpenPage
) -> None:
    product = {"name": "Rope", "price": 3}
    made = shop.api("POST", "/content-manager/collection-types/api::product.product", product)
    page = open_page(shop.address, storage_state=shop.session())
    page.goto(f"{LIST}/{made['data']['documentId']}")
    computed = page.get_by_role("region", name="Computed fields")
    expect(computed).to_have_text("Computed fieldsshoutROPEstock3")
    page.get_by_role("textbox", name="name").fill("Cable")
    page.get_by_role("button", name="Save", exact=True).click()
    expect(computed).to_have_text("Computed fieldsshoutCABLEstock3")


def test_a_list_shows_a_computed_field_as_a_column(shop: Site, open_page: OpenPage) -> None:
    product = {"name": "Winch", "price": 3}
    shop.api("POST", "/content-manager/collection-types/api::product.product", product)
    page = open_page(shop.address, storage_state=shop.session())
    page.goto(f"{LIST}?q=Winch")
    expect(page.get_by_role("link", name="Winch")).to_be_visible()
    expect(page.get_by_role("columnheader", name="Shout")).to_be_hidden()

    page.get_by_role("button", name="Columns").click()
    page.get_by_role("switch", name="Shout").check(force=True)
    page.keyboard.press("Escape")
    heading = page.get_by_role("columnheader", name="Shout")
    expect(heading).to_be_visible()
    expect(heading.get_by_role("button")).to_have_count(0)
    expect(page.get_by_role("cell", name="WINCH", exact=True)).to_be_visible()


def test_a_computed_field_is_made_a_column_of_every_list_of_its_type(
    shop: Site, open_page: OpenPage
) -> None:
    product = {"name": "Fender", "price": 3}
    shop.api("POST", "/content-manager/collection-types/api::product.product", product)
    before = shop.api("GET", CONFIGURATION)["data"]["contentType"]
    page = open_page(shop, shown_to=EMAIL)
    page.goto("/admin/model/api::product.product?tab=layout")
    page.get_by_role("combobox", name="Add column").click()
    page.get_by_role("option", name="Shout").click()
    page.get_by_role("button", name="Save", exact=True).click()
    expect(page.get_by_text("Layout saved")).to_be_visible()
    page.goto(f"{LIST}?q=Fender")
    expect(page.get_by_role("cell", name="FENDER", exact=True)).to_be_visible()

    after = shop.api("GET", CONFIGURATION)["data"]["contentType"]
    assert after["layouts"]["list"] == [*before["layouts"]["list"], "shout"]
    assert after["layouts"]["edit"] == before["layouts"]["edit"]
