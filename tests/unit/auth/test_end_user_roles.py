"""The types of roles."""

import pytest

from quire.auth.end_user_roles import type_of


@pytest.mark.parametrize(
    ("name", "type_"),
    [
        ("Extra", "extra"),
        ("Chief Editor", "chief_editor"),
        ("Éditeur en chef", "editeur_en_chef"),
        ("O'Neil's desk", "oneils_desk"),
        ("pine-🌲 5", "pine_🌲_5"),
        ("Редактор", "редактор"),
        ("編集者2", "編集者_2"),
        ("", ""),
        ("--", ""),
    ],
)
def test_the_type_of_a_role_follows_from_its_name(name: str, type_: str) -> None:
    assert type_of(name) == type_
