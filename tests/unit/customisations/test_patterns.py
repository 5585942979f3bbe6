"""Patterns of accepted files in the settings."""

import pytest

from quire.customisations.scan import matches

PATH = "src/api/article/controllers/article.js"


@pytest.mark.parametrize(
    "pattern",
    [
        PATH,
        f"./{PATH}",
        "src/api/article/controllers/*",
        "src/api/*/controllers/article.?s",
        "src/api/article",
        "src/**/article.js",
        "**/controllers",
        "src/**",
    ],
)
def test_a_pattern_means_a_file_or_the_folder_around_it(pattern: str) -> None:
    assert matches(PATH, pattern)


@pytest.mark.parametrize(
    "pattern",
    [
        "article.js",
        "src/api/article/controllers/article",
        "src/*/controllers/article.js",
        "src/api/article/routes/*",
        "src/api/*.js",
    ],
)
def test_a_star_stays_inside_a_folder_and_a_name_is_whole(pattern: str) -> None:
    assert not matches(PATH, pattern)
