"""Conversion of names to words."""

import pytest

from quire.schema.name_words import kebab_case, snake_case, words


@pytest.mark.parametrize(
    ("name", "snake"),
    [
        ("title", "title"),
        ("Title", "title"),
        ("shortTitle", "short_title"),
        ("ShortTitle", "short_title"),
        ("short_title", "short_title"),
        ("short-title", "short_title"),
        ("short  title", "short_title"),
        ("__short__", "short"),
        ("a.b/c", "a_b_c"),
        ("HTTPServer", "http_server"),
        ("serverHTTP", "server_http"),
        ("HTTPServerURL2", "http_server_url_2"),
        ("getURLs", "get_ur_ls"),
        ("iPhone", "i_phone"),
        ("ABC", "abc"),
        ("aB", "a_b"),
        ("line1", "line_1"),
        ("line1Text", "line_1_text"),
        ("1stLine", "1_st_line"),
        ("h264Video", "h_264_video"),
        ("v2", "v_2"),
        ("2024", "2024"),
        ("foo12bar34", "foo_12_bar_34"),
        ("l'été", "lete"),
        ("don\u2019t", "dont"),
        ("Ångström", "angstrom"),
        ("Straße", "strasse"),
        ("Øre", "ore"),
        ("ŒuvreÆgis", "oeuvre_aegis"),
        ("ħełło", "hello"),
        ("naïveCafé", "naive_cafe"),
        ("日本", ""),
        ("日本1", "1"),
        ("!?", ""),
        ("", ""),
    ],
)
def test_a_name_becomes_words_joined_by_underscores(name: str, snake: str) -> None:
    assert snake_case(name) == snake
    assert kebab_case(name) == snake.replace("_", "-")
    assert words(name) == [word for word in snake.split("_") if word]


@pytest.mark.parametrize("name", ["short_title", "http_server_url_2", "foo_12_bar_34", "a"])
def test_what_is_in_snake_case_stays(name: str) -> None:
    assert snake_case(name) == name
