"""Every setting has a row in ``docs/settings.md`` with its actual default."""

from pathlib import Path

import pytest

from quire.settings import Settings, known_settings

PAGE = Path(__file__).parents[3] / "docs" / "settings.md"


def row(name: str, default: str) -> str:
    """The row of a setting: name in its table, variable, default, what it is, what it takes."""
    setting = known_settings()[name]
    variable = f"`{setting.variable}`" if setting.variable else ""
    shown = f"`{default}`" if default and not setting.private else ""
    takes = setting.kind.expected
    return f"| `{name}` | {variable} | {shown} | {setting.sentence} | {takes} |"


def defaults() -> dict[str, str]:
    """The printed default of every setting, by its dotted name."""
    printed = Settings(project=Path("/project")).explain()
    return {name: value for name, value, _ in printed if name != "project"}


@pytest.mark.parametrize(("name", "default"), defaults().items(), ids=defaults())
def test_every_setting_is_documented(name: str, default: str) -> None:
    assert row(name, default) in PAGE.read_text(encoding="utf-8").splitlines()


def test_the_page_names_no_setting_that_does_not_exist() -> None:
    rows = [line for line in PAGE.read_text(encoding="utf-8").splitlines() if line[:3] == "| `"]

    assert len(known_settings()) == len(rows)
