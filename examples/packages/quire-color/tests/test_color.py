"""Colors in a project that uses the package, and the rules for them."""

import math
from typing import Any

import pytest
from quire_color.color import ColorOptions, contrast, normalize, read_palette

from quire.testing import Client, Project


@pytest.mark.parametrize(
    ("text", "color"),
    [("#1D4ED8", "#1d4ed8"), ("#1af", "#11aaff"), ("#1af8", "#11aaff88"), ("#112233FF", "#112233")],
)
def test_normalize(text: str, color: str) -> None:
    """All forms of a color are stored alike."""
    assert normalize(text) == color


@pytest.mark.parametrize("text", ["", "1d4ed8", "#1d4ed", "#1d4edg", "red", "#1d4ed8 "])
def test_normalize_refuses_what_is_no_color(text: str) -> None:
    """Names of colors, and wrong numbers of digits."""
    with pytest.raises(ValueError, match="is no color"):
        normalize(text)


def test_a_palette_has_names() -> None:
    """The last word of an entry is its color."""
    palette = read_palette("Sea #1d4ed8, Light sand #FDE68A,#0f0")
    assert palette == {"#1d4ed8": "Sea", "#fde68a": "Light sand", "#00ff00": "#0f0"}


@pytest.mark.parametrize(
    ("color", "background", "ratio"),
    [
        ("#000000", "#ffffff", 21),
        ("#ffffff", "#ffffff", 1),
        ("#767676", "#ffffff", 4.54),
        ("#00000000", "#ffffff", 1),
    ],
)
def test_contrast(color: str, background: str, ratio: float) -> None:
    """As the guidelines compute it; a transparent color lets the background through."""
    assert math.isclose(contrast(color, background), ratio, abs_tol=0.005)


def test_options_are_checked() -> None:
    """A palette or background that is no color is a mistake in the schema file."""
    with pytest.raises(ValueError, match="'blue' is no color"):
        ColorOptions(palette="Sea blue")
    with pytest.raises(ValueError, match="background must be opaque, not #fff8"):
        ColorOptions(background="#fff8")


async def test_colors_are_stored_in_one_form(project: Project) -> None:
    """Filters compare that form."""
    token = await project.token()
    made = await _created(token, accent="#1D4ED8", shadow="#0008", link="#00F", badge="#1D4ed8")
    colors = {name: made[name] for name in ("accent", "shadow", "link", "badge", "picked")}
    assert colors == {
        "accent": "#1d4ed8",
        "shadow": "#00000088",
        "link": "#0000ff",
        "badge": "#1d4ed8",
        "picked": None,
    }
    await _created(token, accent="#fde68a", picked="#FFF")
    for condition, count in (
        ("[accent][$eq]=%231d4ed8", 1),
        ("[accent][$in][0]=%23fde68a", 1),
        ("[accent][$startsWith]=%23", 2),
        ("[picked]=%23ffffff", 1),
        ("[badge][$null]=true", 1),
    ):
        response = await token.get(f"/api/brands?filters{condition}")
        assert len(response.json()["data"]) == count, condition


@pytest.mark.parametrize(
    ("values", "message"),
    [
        ({"accent": "blue"}, "accent must be a color such as #1d4ed8"),
        ({"accent": 7}, "accent must be a color such as #1d4ed8"),
        ({"accent": "#1d4ed880"}, "accent must be opaque, such as #1d4ed8"),
        ({"picked": "x"}, "picked must be a color such as #1d4ed8"),
        (
            {"badge": "#1d4ed9"},
            "badge must be one of Sea (#1d4ed8), Light sand (#fde68a), #0f0 (#00ff00)",
        ),
        (
            {"link": "#fde68a"},
            "link has a contrast of 1.25 to #fff, but must have at least 4.50",
        ),
        (
            {"link": "#0000ff80"},
            "link has a contrast of 3.29 to #fff, but must have at least 4.50",
        ),
    ],
)
async def test_other_values_are_refused(
    project: Project, values: dict[str, Any], message: str
) -> None:
    """The message names the attribute, and what it has to be."""
    token = await project.token()
    response = await token.post("/api/brands", json={"data": values})
    assert response.status_code == 400, response.text
    error = response.json()["error"]
    assert error["message"] == message
    assert error["details"]["errors"][0]["path"] == [*values]


async def test_the_admin_ui_gets_the_input_and_the_options(project: Project) -> None:
    """The module is part of the package."""
    admin = await project.admin()
    (described,) = (await admin.get("/content-manager/init")).json()["data"]["attributeTypes"]
    assert (described["name"], described["element"]) == ("color", "quire-color")
    assert described["options"].keys() == {"alpha", "palette", "background", "contrast"}
    module = await project.get(described["module"])
    assert "customElements.define('quire-color'" in module.text


async def _created(client: Client, **values: str) -> dict[str, Any]:
    response = await client.post("/api/brands", json={"data": values})
    assert response.status_code == 201, response.text
    brand: dict[str, Any] = response.json()["data"]
    return brand
